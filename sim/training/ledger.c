/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/training/ledger.h"

#include <inttypes.h>
#include <math.h>

void lag_ledger_init(lag_ledger *ledger)
{
    *ledger = (lag_ledger){0};
}

void lag_ledger_clear(lag_ledger *ledger)
{
    if (ledger == NULL)
        return;
    g_clear_pointer(&ledger->learner, lag_learner_free);
    g_clear_pointer(&ledger->x, g_free);
}

static void end_run(lag_ledger *ledger)
{
    ledger->over = true;
    ledger->outcome->time = ledger->engine->now;
    lag_engine_stop(ledger->engine);
}

void lag_ledger_stall(lag_ledger *ledger, const char *format, ...)
{
    va_list arguments;

    if (ledger->over)
        return;
    va_start(arguments, format);
    g_autofree char *message = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    lag_protocol_outcome_end(ledger->outcome, LAG_END_STALLED, "%s", message);
    end_run(ledger);
}

static bool meets_target(const struct lag_training *training, double loss, double accuracy)
{
    return (training->target == LAG_TARGET_LOSS && loss <= training->target_value) ||
           (training->target == LAG_TARGET_ACCURACY && accuracy >= training->target_value);
}

static void test(lag_ledger *ledger)
{
    struct lag_protocol_outcome *outcome = ledger->outcome;
    struct lag_curve_point point = {
        .time = ledger->engine->now,
        .samples = outcome->samples,
        .updates = ledger->version,
    };

    lag_learner_test(ledger->learner, ledger->x, &point.loss, &point.accuracy);
    g_array_append_val(outcome->curve, point);
    if (!meets_target(ledger->run->training, point.loss, point.accuracy))
        return;
    outcome->time_to_target = point.time;
    end_run(ledger);
}

/* The last word, where no test was due. */
static void test_last(lag_ledger *ledger)
{
    const GArray *curve = ledger->outcome->curve;

    if (ledger->n_parameters > 0 && !ledger->over &&
        g_array_index(curve, struct lag_curve_point, curve->len - 1).updates < ledger->version)
        test(ledger);
}

/* A limit was reached: well, where there was an update and no target. */
static void reach_limit(lag_ledger *ledger, const char *limit)
{
    const struct lag_training *training = ledger->run->training;

    test_last(ledger);
    if (ledger->over)
        return;
    if (ledger->version == 0)
        lag_protocol_outcome_end(ledger->outcome, LAG_END_TARGET_NOT_REACHED, "no update before %s",
                                 limit);
    else if (training->target != LAG_TARGET_NONE)
        lag_protocol_outcome_end(ledger->outcome, LAG_END_TARGET_NOT_REACHED,
                                 "the target, %s %.15g, was not reached before %s",
                                 training->target == LAG_TARGET_LOSS ? "a loss of"
                                                                     : "an accuracy of",
                                 training->target_value, limit);
    end_run(ledger);
}

static void handle_horizon(void *self, uint32_t rank, uint32_t data)
{
    lag_ledger *ledger = self;

    (void)rank, (void)data;
    g_autofree char *limit = g_strdup_printf("the horizon of %.15g s", ledger->engine->now);
    reach_limit(ledger, limit);
}

void lag_ledger_begin(lag_ledger *ledger, const struct lag_protocol_run *run, lag_engine *engine,
                      struct lag_protocol_outcome *outcome, const double *weights)
{
    const struct lag_training *training = run->training;

    lag_ledger_clear(ledger);
    *ledger = (lag_ledger){.run = run, .engine = engine, .outcome = outcome};
    ledger->learner = lag_learner_new(training->learner, run->n_workers, weights);
    ledger->n_parameters = lag_learner_n_parameters(ledger->learner);
    ledger->x = g_new0(double, ledger->n_parameters);
    lag_learner_start(ledger->learner, run->seed, run->replication, ledger->x);
    /* After all else that happens at that time. */
    if (isfinite(training->horizon))
        lag_engine_post(engine, training->horizon, LAG_NETWORK_SETTLES, LAG_MAX_RANKS - 1,
                        lag_engine_handler(engine, handle_horizon, ledger), 0);
    if (ledger->n_parameters > 0)
        test(ledger);
}

void lag_ledger_computed(lag_ledger *ledger, uint32_t worker, double samples, lag_seconds duration)
{
    ledger->outcome->samples_computed += samples;
    ledger->outcome->use[worker].compute += duration;
    if (ledger->engine->n_handled >= ledger->run->training->most_events)
        lag_ledger_stall(ledger,
                         "given up after %" PRIu64 " events, at %.15g s with %" PRIu64 " updates",
                         ledger->engine->n_handled, ledger->engine->now, ledger->version);
}

void lag_ledger_dropped(lag_ledger *ledger, uint32_t worker, double samples, lag_seconds duration)
{
    ledger->outcome->samples_dropped += samples;
    ledger->outcome->use[worker].compute -= duration;
    ledger->outcome->use[worker].dropped += duration;
}

void lag_ledger_given_up(lag_ledger *ledger, uint32_t worker, lag_seconds duration)
{
    ledger->outcome->use[worker].dropped += duration;
}

void lag_ledger_waited(lag_ledger *ledger, uint32_t worker, lag_seconds peers, lag_seconds network)
{
    ledger->outcome->use[worker].wait_peers += peers;
    ledger->outcome->use[worker].wait_network += network;
}

void lag_ledger_used(lag_ledger *ledger, uint64_t version, double samples)
{
    ledger->outcome->samples += samples;
    lag_protocol_outcome_stale(ledger->outcome, (uint32_t)(ledger->version - version), samples);
}

static void diverge(lag_ledger *ledger)
{
    lag_protocol_outcome_end(ledger->outcome, LAG_END_DIVERGED,
                             "a parameter is not finite any more after update %" PRIu64
                             ", at %.15g s; a lower learning_rate may help",
                             ledger->version, ledger->engine->now);
    end_run(ledger);
}

void lag_ledger_updated(lag_ledger *ledger, double samples, bool finite)
{
    const struct lag_training *training = ledger->run->training;
    struct lag_protocol_outcome *outcome = ledger->outcome;

    ledger->version++;
    g_array_append_val(outcome->update_times, ledger->engine->now);
    g_array_append_val(outcome->batches, samples);
    if (!finite) {
        diverge(ledger);
        return;
    }
    if (ledger->n_parameters > 0 && lag_learner_test_due(ledger->learner))
        test(ledger);
    if (ledger->over)
        return;
    if (training->n_updates > 0 && ledger->version >= training->n_updates)
        reach_limit(ledger, "the last update");
    else if (training->n_samples > 0 && outcome->samples >= training->n_samples)
        reach_limit(ledger, "the last sample");
}

void lag_ledger_finish(lag_ledger *ledger)
{
    test_last(ledger);
    if (!ledger->over)
        end_run(ledger);
}
