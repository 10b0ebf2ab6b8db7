/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whatever ends a run: by hand, an update each second by a handler of its own. */
#include <math.h>
#include <string.h>

#include "sim/training/ledger.h"

/* An update of 4 samples at 1, 2, 3 s, ...; each counts one piece of 4 samples of worker 0. */
struct bed {
    lag_engine engine;
    lag_ledger ledger;
    struct lag_protocol_outcome outcome;
    uint32_t handler;
    uint64_t diverges_at;
};

static void update(void *self, uint32_t rank, uint32_t data)
{
    struct bed *bed = self;
    lag_ledger *ledger = &bed->ledger;

    lag_ledger_computed(ledger, rank, 4, 1);
    if (ledger->over)
        return;
    lag_ledger_used(ledger, ledger->version, 4);
    lag_ledger_updated(ledger, 4, ledger->version + 1 != bed->diverges_at);
    if (!ledger->over)
        lag_engine_post(&bed->engine, bed->engine.now + 1, LAG_COMPUTE_DONE, rank, bed->handler,
                        data);
}

static void run(struct bed *bed, const struct lag_training *training)
{
    struct lag_protocol_run what = {.n_workers = 1, .training = training};

    lag_engine_init(&bed->engine);
    lag_ledger_init(&bed->ledger);
    lag_protocol_outcome_init(&bed->outcome, 1);
    lag_ledger_begin(&bed->ledger, &what, &bed->engine, &bed->outcome, NULL);
    bed->handler = lag_engine_handler(&bed->engine, update, bed);
    lag_engine_post(&bed->engine, 1, LAG_COMPUTE_DONE, 0, bed->handler, 0);
    lag_engine_run(&bed->engine);
    lag_ledger_finish(&bed->ledger);
}

static void clear(struct bed *bed)
{
    lag_ledger_clear(&bed->ledger);
    lag_protocol_outcome_clear(&bed->outcome);
    lag_engine_clear(&bed->engine);
}

static void expect(const struct lag_training *training, uint64_t diverges_at,
                   enum lag_protocol_end end, double time, uint32_t updates, const char *message)
{
    struct bed bed = {.diverges_at = diverges_at};

    run(&bed, training);
    g_assert_cmpint(bed.outcome.end, ==, end);
    g_assert_cmpfloat(bed.outcome.time, ==, time);
    g_assert_cmpuint(bed.outcome.update_times->len, ==, updates);
    g_assert_cmpuint(bed.outcome.batches->len, ==, updates);
    g_assert_cmpfloat(bed.outcome.samples, ==, 4 * updates);
    g_assert_true(message == NULL ? bed.outcome.message == NULL
                                  : strstr(bed.outcome.message, message) != NULL);
    clear(&bed);
}

/* Updates at 1, 2, ... s. What happens exactly at the horizon counts. */
static void limits(void)
{
    struct lag_training training;

    lag_training_init(&training);
    training.n_updates = 5;
    expect(&training, 0, LAG_END_OK, 5, 5, NULL);
    training.n_samples = 9; /* reached by the third */
    expect(&training, 0, LAG_END_OK, 3, 3, NULL);
    training.horizon = 2;
    expect(&training, 0, LAG_END_OK, 2, 2, NULL);
    training.horizon = 2.5;
    expect(&training, 0, LAG_END_OK, 2.5, 2, NULL);
    training.horizon = 0.5;
    expect(&training, 0, LAG_END_TARGET_NOT_REACHED, 0.5, 0, "no update before the horizon");
}

static void bad_ends(void)
{
    struct lag_training training;

    lag_training_init(&training);
    training.n_updates = 50;
    expect(&training, 3, LAG_END_DIVERGED, 3, 3, "after update 3, at 3 s");
    training.most_events = 7;
    expect(&training, 0, LAG_END_STALLED, 7, 6, "after 7 events");
    training.most_events = 1000;
    training.n_updates = 2;
    training.target = LAG_TARGET_ACCURACY;
    training.target_value = 0.9;
    expect(&training, 0, LAG_END_TARGET_NOT_REACHED, 2, 2, "an accuracy of 0.9");
}

/* Least squares, whose loss is 0.3356 at the start: that target is met before anything happens; and
 * without steps of its own x stays where it is. */
static void targets(void)
{
    g_autoptr(lag_dataset) data = lag_dataset_generate_line(256, 8, 1, 0.5);
    g_autoptr(lag_model) model = lag_model_new(lag_model_kind_find("least-squares"), data, 0, NULL);
    struct lag_learner_setup setup = {.model = model, .optimizer = {.rate = 0.5}};
    struct lag_training training;
    struct bed bed = {0};

    lag_training_init(&training);
    training.learner = &setup;
    training.target = LAG_TARGET_LOSS;
    training.target_value = 0.3357;
    run(&bed, &training);
    g_assert_cmpint(bed.outcome.end, ==, LAG_END_OK);
    g_assert_cmpfloat(bed.outcome.time_to_target, ==, 0);
    g_assert_cmpuint(bed.outcome.curve->len, ==, 1);
    clear(&bed);
    training.target_value = 0.3355;
    training.n_updates = 3;
    run(&bed, &training);
    g_assert_cmpint(bed.outcome.end, ==, LAG_END_TARGET_NOT_REACHED);
    g_assert_true(isnan(bed.outcome.time_to_target));
    const struct lag_curve_point *last =
        &g_array_index(bed.outcome.curve, struct lag_curve_point, bed.outcome.curve->len - 1);
    g_assert_cmpuint(last->updates, ==, 3); /* the last word is about the last version */
    clear(&bed);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/ledger/limits", limits);
    g_test_add_func("/ledger/bad-ends", bad_ends);
    g_test_add_func("/ledger/targets", targets);
    return g_test_run();
}
