/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "scenarios/csv.h"
#include "scenarios/file.h"
#include "scenarios/profile.h"
#include "sim/job-replay.h"
#include "sim/job-work.h"
#include "sim/job.h"
#include "sim/laggard.h"

#define MIB ((size_t)1 << 20)

static char *source_path(const char *name)
{
    return g_build_filename(g_getenv("LAGGARD_SOURCE_ROOT"), name, NULL);
}

static lag_job *load_job(void)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *path = source_path("scenarios/data/profile-ST.csv.gz");
    g_autoptr(GArray) ops = lag_profile_load(path, &error);

    g_assert_no_error(error);
    lag_job *job = lag_job_new((struct lag_op *)(void *)ops->data, ops->len, &error);
    g_assert_no_error(error);
    return job;
}

/* The published job, 2 data-parallel ranks x 4 stages, 32 steps, against the published simulator's
 * answers (tests/data): each step's wall time, its replay and its ideal to 1e-6 s, and the mean
 * slowdown 1.1787021836556841 to 2e-6. The published numbers come from 32-bit floats. */
static void test_published(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(lag_job) job = load_job();
    g_autofree lag_seconds *end = g_new(lag_seconds, lag_job_size(job));
    g_autofree lag_seconds *ideal = g_new(lag_seconds, lag_job_size(job));
    g_autofree lag_seconds *replayed = g_new(lag_seconds, job->n_steps);
    g_autofree lag_seconds *without = g_new(lag_seconds, job->n_steps);
    g_autofree char *path = source_path("tests/data/profile-ST-steps.csv");
    g_autoptr(GBytes) contents = lag_file_read(path, MIB, &error);
    struct lag_csv csv;

    g_assert_cmpuint(job->n_steps, ==, 32);
    g_assert_cmpuint(job->n_dp * job->n_stages, ==, 8);
    g_assert_cmpuint(job->n_left_out, ==, 0);
    lag_job_replay(job, job->work, end);
    lag_job_steps(job, end, replayed);
    lag_job_ideal(job, ideal);
    lag_job_replay(job, ideal, end);
    lag_job_steps(job, end, without);
    lag_csv_init(&csv, contents);
    g_assert_true(lag_csv_next(&csv));
    for (uint32_t i = 0; i < job->n_steps; i++) {
        g_assert_true(lag_csv_next(&csv));
        char **fields = (char **)csv.fields->pdata;
        g_assert_cmpuint(job->step[i], ==, g_ascii_strtoull(fields[0], NULL, 10));
        g_assert_cmpfloat_with_epsilon(job->wall[i], g_ascii_strtod(fields[1], NULL), 1e-6);
        g_assert_cmpfloat_with_epsilon(replayed[i], g_ascii_strtod(fields[2], NULL), 1e-6);
        g_assert_cmpfloat_with_epsilon(without[i], g_ascii_strtod(fields[3], NULL), 1e-6);
    }
    lag_csv_clear(&csv);
    g_assert_cmpfloat_with_epsilon(lag_job_mean(job, replayed) / lag_job_mean(job, without),
                                   1.1787021836556841, 2e-6);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/job/published", test_published);
    return g_test_run();
}
