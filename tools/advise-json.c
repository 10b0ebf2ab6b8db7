/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "results/json-writer.h"
#include "tools/advise-report.h"

static const char *const from_names[] = {"measured", "fitted"};

static void write_estimate(struct lag_json *json, const char *key, struct lag_estimate e)
{
    lag_json_open_object(json, key, LAG_JSON_ONE_LINE);
    lag_json_number(json, "value", e.value);
    lag_json_number(json, "ci95_low", e.low);
    lag_json_number(json, "ci95_high", e.high);
    lag_json_close(json);
}

static void write_paired(struct lag_json *json, const char *key, const struct lag_paired *p)
{
    if (p->n == 0) {
        lag_json_null(json, key);
        return;
    }
    lag_json_open_object(json, key, LAG_JSON_LINES);
    write_estimate(json, "difference_s", p->difference);
    write_estimate(json, "ratio", p->ratio);
    write_estimate(json, "wins", p->wins);
    lag_json_number(json, "ties", p->ties);
    lag_json_close(json);
}

static void write_row(struct lag_json *json, const lag_advice *advice,
                      const struct lag_advice_row *row)
{
    lag_json_open_object(json, NULL, LAG_JSON_LINES);
    lag_json_string(json, "algorithm", row->algorithm->name);
    lag_json_string(json, "label", row->label);
    if (row->straggler == LAGGARD_NONE)
        lag_json_null(json, "predicted_straggler");
    else
        lag_json_count(json, "predicted_straggler", row->straggler);
    for (int from = 0; from < LAG_N_FROM; from++) {
        lag_json_open_object(json, from_names[from], LAG_JSON_LINES);
        write_estimate(json, "exposed_s", row->mean[from]);
        write_paired(json, "to_best", &row->to_best[from]);
        write_paired(json, "to_ring", &row->to_ring[from]);
        lag_json_close(json);
    }
    lag_json_number(
        json, "gpu_hours_a_day",
        lag_advice_hours(advice, row->mean[LAG_FROM_TRACE].value * advice->casting.n_ranks));
    lag_json_number(json, "best_in_resamples", row->best_in);
    lag_json_close(json);
}

static void write_hit(struct lag_json *json, const char *key, const struct lag_hit_rate *hit)
{
    lag_json_open_object(json, key, LAG_JSON_ONE_LINE);
    lag_json_number(json, "right_s", hit->right);
    lag_json_number(json, "wrong_s", hit->wrong);
    lag_json_number(json, "other_s", hit->other);
    lag_json_number(json, "break_even", hit->rate);
    lag_json_close(json);
}

static void write_rivals(struct lag_json *json, const lag_advice *advice)
{
    static const char *const verdicts[] = {
        [LAG_A_FROM] = "faster from the delay on",
        [LAG_B_FROM] = "faster up to the delay",
        [LAG_A_ALWAYS] = "always faster",
        [LAG_B_ALWAYS] = "never faster",
        [LAG_EQUAL] = "equal",
    };

    lag_json_open_array(json, "stragglar_against", LAG_JSON_LINES);
    for (uint32_t i = 0; i < advice->n_rivals; i++) {
        const struct lag_rival *rival = &advice->rivals[i];
        lag_json_open_object(json, NULL, LAG_JSON_LINES);
        lag_json_string(json, "other", advice->rows[rival->row].label);
        lag_json_string(json, "verdict", verdicts[rival->even.verdict]);
        lag_json_number(json, "break_even_delay_s", rival->even.delay);
        write_hit(json, "hit_rate_large_delay", &rival->hidden);
        write_hit(json, "hit_rate_measured_delays", &rival->measured);
        lag_json_close(json);
    }
    lag_json_close(json);
}

static void write_policy(struct lag_json *json, const struct lag_policy *policy)
{
    if (!policy->known) {
        lag_json_null(json, "policy");
        return;
    }
    lag_json_open_object(json, "policy", LAG_JSON_LINES);
    lag_json_string(json, "rule", "stragglar where the gap is above break_even_delay_s, else ring");
    lag_json_number(json, "break_even_delay_s", policy->from);
    lag_json_number(json, "exposed_known_gap_s", policy->perfect);
    lag_json_number(json, "exposed_previous_gap_s", policy->previous);
    lag_json_count(json, "steps_of_stragglar", policy->n_switched);
    lag_json_count(json, "wrong_steps", policy->n_wrong);
    lag_json_number(json, "cost_of_a_wrong_step_s", policy->cost_of_wrong);
    lag_json_close(json);
}

static void write_site(struct lag_json *json, const lag_site *site)
{
    lag_json_open_object(json, "cluster", LAG_JSON_LINES);
    lag_json_count(json, "gpus", site->scenario->n_ranks);
    lag_json_string(json, "network", site->network);
    lag_json_count(json, "size_bytes", site->scenario->size);
    lag_json_string(json, "dtype", site->scenario->dtype);
    lag_json_open_array(json, "assumed", LAG_JSON_LINES);
    for (guint i = 0; i < site->assumed->len; i++)
        lag_json_string(json, NULL, g_ptr_array_index(site->assumed, i));
    lag_json_close(json);
    lag_json_close(json);
}

static void write_straggler(struct lag_json *json, const lag_advice *advice)
{
    const lag_trace_stats *stats = advice->question.stats;
    const struct lag_delays *delays = advice->delays[LAG_FROM_TRACE];
    uint32_t source = advice->casting.predicted_source;
    const struct lag_rank_stats *rank = &stats->ranks[source];

    lag_json_open_object(json, "straggler", LAG_JSON_LINES);
    lag_json_boolean(json, "persistent", rank->persistent);
    lag_json_count(json, "measured_rank", source);
    lag_json_count(json, "rank", advice->casting.predicted);
    lag_json_count(json, "last", rank->n_last);
    write_estimate(json, "share",
                   (struct lag_estimate){rank->share, rank->share_low, rank->share_high});
    lag_json_number(json, "hit_rate", (double)delays->n_predicted / delays->n_steps);
    lag_json_number(json, "measured_gap_s", stats->gap.mean);
    lag_json_number(json, "replayed_gap_s", delays->mean_gap);
    lag_json_number(json, "fitted_gap_s", advice->delays[LAG_FROM_LAWS]->mean_gap);
    lag_json_number(json, "waiting_gpu_s_a_step", delays->mean_wait);
    lag_json_number(json, "waiting_gpu_hours_a_day", lag_advice_hours(advice, delays->mean_wait));
    lag_json_close(json);
}

static void write_recommendation(struct lag_json *json, const lag_advice *advice)
{
    g_autofree char *verdict = lag_advice_verdict(advice);
    bool alone = advice->second[LAG_FROM_TRACE] == LAGGARD_NONE;
    const struct lag_advice_row *best = &advice->rows[advice->best[LAG_FROM_TRACE]];

    lag_json_open_object(json, "recommendation", LAG_JSON_LINES);
    lag_json_string(json, "text", verdict);
    lag_json_string(json, "use", advice->shown || alone ? best->label : NULL);
    lag_json_string(json, "best", best->label);
    lag_json_string(json, "second",
                    alone ? NULL : advice->rows[advice->second[LAG_FROM_TRACE]].label);
    lag_json_string(json, "best_fitted", advice->rows[advice->best[LAG_FROM_LAWS]].label);
    lag_json_number(json, "confidence", advice->confidence);
    lag_json_count(json, "resamples", LAG_ADVICE_RESAMPLES);
    lag_json_number(json, "autocorrelation", advice->correlation);
    lag_json_count(json, "block", advice->block);
    lag_json_close(json);
}

void lag_advice_json(GString *text, const struct lag_advice_report *report, const char *version)
{
    const lag_advice *advice = report->advice;
    g_autoptr(GPtrArray) warnings = lag_advice_warnings(report);
    struct lag_json json;

    lag_json_init(&json, text);
    lag_json_open_object(&json, NULL, LAG_JSON_LINES);
    lag_json_string(&json, "laggard", version);
    lag_json_string(&json, "file", report->fit->file);
    lag_json_string(&json, "columns", report->fit->columns);
    lag_json_string(&json, "guessed", report->fit->guessed);
    lag_json_count(&json, "steps", advice->question.trace->n_steps);
    lag_json_count(&json, "skipped_steps", report->fit->n_skipped);
    lag_json_count(&json, "missing_steps", report->fit->n_missing);
    lag_json_count(&json, "replayed_steps", advice->n_replayed);
    lag_json_count(&json, "draws", advice->delays[LAG_FROM_LAWS]->n_steps);
    lag_json_count(&json, "seed", advice->question.seed);
    lag_json_number(&json, "step_time_s", advice->question.step_time);
    lag_json_string(&json, "step_time_from", report->step_from);
    write_site(&json, advice->question.site);
    write_straggler(&json, advice);
    lag_json_open_array(&json, "algorithms", LAG_JSON_LINES);
    for (uint32_t i = 0; i < advice->n_rows; i++)
        write_row(&json, advice, &advice->rows[i]);
    lag_json_close(&json);
    write_rivals(&json, advice);
    write_policy(&json, &advice->policy);
    write_recommendation(&json, advice);
    lag_json_open_array(&json, "warnings", LAG_JSON_LINES);
    for (guint i = 0; i < warnings->len; i++)
        lag_json_string(&json, NULL, g_ptr_array_index(warnings, i));
    lag_json_close(&json);
    lag_json_close(&json);
}
