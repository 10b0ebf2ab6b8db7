/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Repetition and statistics, with a back end whose clock is made by hand. */
#include <math.h>
#include <string.h>

#include <glib.h>

#include "kernels/measure.h"
#include "kernels/sizes.h"

/* Each execution takes `each`; batch number `odd` and its like take so much longer. */
struct fake {
    double each, now, extra;
    uint32_t n_batches, every;
    bool tells; /* that such a batch was disturbed */
    uint64_t lowest, highest;
    uint32_t n_places;
};

static bool launch(struct lag_backend *backend, const struct lag_job *job,
                   const uint64_t offset[LAG_MAX_VECTORS])
{
    struct fake *fake = backend->state;

    fake->now += fake->each;
    fake->n_places += offset[0] != fake->highest;
    fake->highest = MAX(fake->highest, offset[0]);
    g_assert_cmpuint(offset[1], >=, offset[0] + job->n);
    return true;
}

static bool start(struct lag_backend *backend)
{
    struct fake *fake = backend->state;

    fake->now = 0;
    fake->n_batches++;
    return true;
}

static bool stop(struct lag_backend *backend, struct lag_elapsed *ret)
{
    struct fake *fake = backend->state;
    bool odd = fake->every > 0 && fake->n_batches % fake->every == 0;

    *ret = (struct lag_elapsed){fake->now + (odd ? fake->extra : 0), odd && fake->tells, fake->now};
    return true;
}

static double clock_now(struct lag_backend *backend)
{
    (void)backend;
    return 1e9;
}

static struct lag_measured measure(struct fake *fake, bool cold)
{
    struct lag_backend backend = {
        .launch = launch, .start = start, .stop = stop, .clock_now = clock_now, .state = fake};
    struct lag_job job = {&lag_kernels[1], LAG_BYTE, 4096};
    struct lag_ring ring = {.bytes = 1 << 20, .cold = cold};
    struct lag_effort effort = {1e-3, 9, 50, 0.01, 1};
    struct lag_measured measured;

    g_assert_cmpstr(job.kernel->name, ==, "copy");
    g_assert_true(lag_measure(&backend, &job, &ring, &effort, &measured));
    return measured;
}

/* 10 us an execution: 128 make the millisecond of a batch; nothing varies, so 9 batches do. */
static void test_steady(void)
{
    struct fake fake = {.each = 10e-6};
    struct lag_measured measured = measure(&fake, false);

    g_assert_cmpfloat_with_epsilon(measured.summary.median, 10e-6, 1e-12);
    g_assert_cmpuint(measured.batch, ==, 128);
    g_assert_cmpuint(measured.repetitions, ==, 9);
    g_assert_cmpuint(measured.outliers, ==, 0);
    g_assert_cmpuint(fake.highest, ==, 0);
}

/* Cold: places go on through all of the ring, one after the other. */
static void test_cold(void)
{
    struct fake fake = {.each = 10e-6};

    measure(&fake, true);
    g_assert_cmpuint(fake.highest, >, (1 << 20) - 3 * 5632);
}

/* One batch in three is twice as long: told or not, the median stays; an outlier each. */
static void test_disturbed(void)
{
    for (int tells = 0; tells < 2; tells++) {
        struct fake fake = {.each = 10e-6, .every = 5, .extra = 2e-3, .tells = tells != 0};
        struct lag_measured measured = measure(&fake, false);
        g_assert_cmpfloat_with_epsilon(measured.summary.median, 10e-6, 1e-12);
        g_assert_cmpuint(measured.outliers, >, 0);
        g_assert_cmpint(measured.summary.max > 12e-6, ==, tells == 0);
    }
}

/* All are disturbed: what is known of their own time counts, and all are reported. */
static void test_always_disturbed(void)
{
    struct fake fake = {.each = 10e-6, .every = 1, .extra = 2e-3, .tells = true};
    struct lag_measured measured = measure(&fake, false);

    g_assert_cmpfloat_with_epsilon(measured.summary.median, 10e-6, 1e-12);
    g_assert_cmpuint(measured.outliers, ==, measured.repetitions);
}

/* Of 1 to 9 and 100: type 7 quantiles are 1 + 9 p places on: 5.5, 3.25, 7.75; 100 is more than
 * 7.75 + 3 x 4.5. Ranks 5 -+ 3.1 outwards: the values at places 1 and 9, (100 - 2) / 2 / 5.5. */
static void test_summary(void)
{
    double values[] = {9, 8, 7, 100, 5, 4, 3, 2, 1, 6};
    struct lag_samples_summary summary = lag_samples_summarise(values, 10);

    g_assert_cmpfloat_with_epsilon(summary.median, 5.5, 1e-12);
    g_assert_cmpfloat_with_epsilon(summary.p25, 3.25, 1e-12);
    g_assert_cmpfloat_with_epsilon(summary.p75, 7.75, 1e-12);
    g_assert_cmpfloat_with_epsilon(summary.min, 1, 1e-12);
    g_assert_cmpfloat_with_epsilon(summary.max, 100, 1e-12);
    g_assert_cmpuint(summary.outliers, ==, 1);
    g_assert_cmpfloat_with_epsilon(summary.interval, 98 / 2.0 / 5.5, 1e-12);
}

/* 1 KiB and up, within the arena, whole elements, and a matrix product by its work. */
static void test_sizes(void)
{
    const struct lag_device device = {
        .memory = (uint64_t)1 << 34, .cache = 1 << 25, .most_flops = 1000000000};
    const struct lag_options options = {.quick = false};
    uint64_t arena = lag_arena_bytes(&device, &options), sizes[LAG_MOST_SIZES];

    g_assert_cmpuint(arena, ==, (uint64_t)1 << 31);
    for (size_t i = 0; i < lag_n_kernels; i++)
        for (int quick = 0; quick < 2; quick++) {
            bool bytes = (lag_kernels[i].dtypes & 1U << LAG_BYTE) != 0;
            bool matrix = lag_kernels[i].operation == LAG_MATRIX_PRODUCT;
            struct lag_job job = {&lag_kernels[i], bytes ? LAG_BYTE : LAG_FP32, 0};
            uint32_t n = lag_sizes(&job, &device, quick != 0, arena, sizes);
            g_assert_cmpuint(n, >=, 5);
            for (uint32_t k = 0; k < n; k++) {
                job.n = sizes[k];
                g_assert_true(k == 0 || sizes[k] > sizes[k - 1]);
                g_assert_cmpuint(lag_footprint(&job), <=, arena);
                g_assert_true(!matrix || lag_job_flops(&job) <= device.most_flops);
            }
            job.n = sizes[0];
            g_assert_cmpuint(lag_job_bytes(&job), ==, 1024);
        }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/measure/steady", test_steady);
    g_test_add_func("/measure/cold", test_cold);
    g_test_add_func("/measure/disturbed", test_disturbed);
    g_test_add_func("/measure/always-disturbed", test_always_disturbed);
    g_test_add_func("/measure/summary", test_summary);
    g_test_add_func("/measure/sizes", test_sizes);
    return g_test_run();
}
