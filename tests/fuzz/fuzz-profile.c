/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Profiled jobs: read and analysed, or refused with a message. What is accepted replays in finite
 * times, its critical paths cover its steps, and each edit works or says why not. */
#include <math.h>
#include <stdint.h>

#include "results/whatif.h"
#include "scenarios/edits.h"
#include "scenarios/profile.h"
#include "sim/job-replay.h"
#include "sim/laggard.h"

#define MOST_ANALYSED 4096 /* operations; more are right, and slow */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_edits(const lag_job *job)
{
    static const char *const texts[] = {"balance-stages",
                                        "equalise-sequences",
                                        "remove-gc",
                                        "{speed-up: {rank: 1}}",
                                        "{speed-up: {rank: 0, factor: 3}}",
                                        "{scale-link: {factor: 2}}",
                                        "{scale-link: {link: data, stage: 0, factor: 0.5}}",
                                        "{data-parallel: {ranks: 3}}",
                                        "{micro-batches: {count: 5}}"};
    g_autoptr(GArray) edits = g_array_new(FALSE, TRUE, sizeof(struct lag_job_edit));

    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        g_autoptr(GError) error = NULL;
        g_assert_true(lag_edits_parse(texts[i], "--edit", edits, &error));
        g_autoptr(lag_job) edited =
            lag_job_edited(job, &g_array_index(edits, struct lag_job_edit, i), &error);
        g_assert_true((edited == NULL) == (error != NULL));
        if (edited == NULL)
            continue;
        g_autofree lag_seconds *end = g_new(lag_seconds, lag_job_size(edited));
        lag_job_replay(edited, edited->work, end);
        for (size_t j = 0; j < lag_job_size(edited); j++)
            g_assert_true(edited->work[j] >= 0 && isfinite(end[j]));
    }
}

static void check_analysis(const lag_job *job)
{
    g_autoptr(lag_whatif) whatif = lag_whatif_new(job);
    const struct lag_whatif_report report = {.file = "t", .version = "0", .whatif = whatif};
    g_autoptr(GString) text = g_string_new(NULL);
    lag_seconds at = 0;

    for (guint i = 0; i < whatif->path->len; i++) {
        const struct lag_job_segment *part =
            &g_array_index(whatif->path, struct lag_job_segment, i);
        g_assert_true(part->from == at && part->to > at);
        at = part->to;
    }
    g_assert_true(at == whatif->replayed[whatif->worst_step]);
    lag_whatif_table(text, &report);
    lag_whatif_json(text, &report);
    lag_whatif_csv(text, &report);
    lag_whatif_svg(text, &report);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autoptr(GBytes) contents = g_bytes_new(data, size);
    g_autoptr(GError) error = NULL;
    g_autoptr(GArray) ops = lag_profile_parse(contents, "t.csv", &error);

    if (ops != NULL) {
        g_autoptr(lag_job) job = lag_job_new((struct lag_op *)(void *)ops->data, ops->len, &error);
        if (job != NULL && lag_job_size(job) <= MOST_ANALYSED) {
            check_analysis(job);
            check_edits(job);
        }
        g_assert_true((job == NULL) == (error != NULL));
    }
    if (error != NULL)
        g_assert_true(g_error_matches(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT));
    return 0;
}
