/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/sweep-estimate.h"

#include <math.h>

#include "sim/volume.h"
#include "tools/trial.h"

#define MOST_LOOKED_AT 32u

/* Bytes of the database for a row of each kind, measured over 2,000 points of 8 ranks. */
#define RESULT_BYTES 430.0
#define RANK_BYTES   43.0 /* a link takes as much */
#define SAMPLE_BYTES 32.0

static double count_messages(const lag_scenario *part, uint32_t entrant)
{
    g_autoptr(lag_plan) plan = lag_trial_plan(part, entrant, NULL);
    struct lag_volume volume = {0};

    if (plan == NULL)
        return 0;
    struct lag_chunks chunks = lag_plan_chunks(plan, part->size, part->element_bytes);
    lag_volume_of(plan, &chunks, &volume);
    return (double)volume.n_messages;
}

static void add_row(const lag_scenario *part, uint32_t entrant, enum lag_detail detail,
                    struct lag_sweep_estimate *estimate)
{
    double n_runs = (double)part->n_replications * part->n_steps;

    estimate->n_runs += n_runs;
    estimate->n_messages += n_runs * count_messages(part, entrant);
    estimate->n_bytes += RESULT_BYTES;
    if (detail >= LAG_DETAIL_RANKS)
        estimate->n_bytes += RANK_BYTES * part->n_ranks;
    if (detail >= LAG_DETAIL_LINKS)
        estimate->n_bytes += RANK_BYTES * part->topology->n_links;
    if (detail >= LAG_DETAIL_ALL)
        estimate->n_bytes += SAMPLE_BYTES * n_runs;
}

static void add_point(const lag_scenario *scenario, enum lag_detail detail,
                      struct lag_sweep_estimate *estimate)
{
    for (uint32_t row = 0; row < scenario->n_entrants; row++) {
        for (uint32_t i = 0; i < lag_scenario_n_parts(scenario); i++) {
            const lag_scenario *part = lag_scenario_part(scenario, i);
            add_row(part, lag_scenario_entrant(part, row), detail, estimate);
        }
    }
}

bool lag_sweep_estimate_of(const lag_document *document, enum lag_detail detail,
                           struct lag_sweep_estimate *ret, GError **error)
{
    uint32_t n_points = lag_document_n_points(document);
    uint32_t n_looked_at = MIN(n_points, MOST_LOOKED_AT), n_valid = 0;
    struct lag_sweep_estimate sum = {0};
    g_autoptr(GError) first = NULL;

    for (uint32_t i = 0; i < n_looked_at; i++) {
        uint32_t point = (uint32_t)((uint64_t)n_points * i / n_looked_at);
        g_autoptr(lag_scenario) scenario =
            lag_document_point(document, point, first == NULL ? &first : NULL);
        if (scenario == NULL)
            continue;
        add_point(scenario, detail, &sum);
        n_valid++;
    }
    if (n_valid == 0) {
        g_propagate_error(error, g_steal_pointer(&first));
        return false;
    }
    double scale = (double)n_points / n_valid;
    *ret = (struct lag_sweep_estimate){n_points, sum.n_runs * scale, sum.n_messages * scale,
                                       sum.n_bytes * scale};
    return true;
}

/* "9949", "16 thousand", "1.0 million". */
static char *about(double count)
{
    static const char *const words[] = {"", " thousand", " million", " billion", " trillion"};
    size_t word = 0;

    while (count >= (word == 0 ? 9950 : 999.5) && word + 1 < G_N_ELEMENTS(words)) {
        count /= 1000;
        word++;
    }
    return g_strdup_printf("%.*f%s", word > 0 && count < 9.95 ? 1 : 0, count, words[word]);
}

char *lag_sweep_estimate_text(const struct lag_sweep_estimate *estimate)
{
    g_autofree char *runs = about(estimate->n_runs);
    g_autofree char *messages = about(estimate->n_messages);
    g_autofree char *size = g_format_size((uint64_t)round(estimate->n_bytes));

    return g_strdup_printf("%u points, %s runs, %s messages, a database of about %s",
                           estimate->n_points, runs, messages, size);
}
