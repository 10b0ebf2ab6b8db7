/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compute times from a calibration database that the test writes: a matrix product of W FLOP takes
 * 1 us + W / 1 TFLOP/s, a copy of B bytes 2 us + B / 100 GB/s, at four amounts each. */
#include <string.h>

#include <glib/gstdio.h>

#include "results/calibration-store.h"
#include "scenarios/calibrated.h"
#include "scenarios/scenario.h"
#include "tests/helpers.h"

static void add_kernel(lag_calibration_store *store, const struct lag_calibration_key *key,
                       const char *unit, lag_seconds start, double rate)
{
    const struct lag_segment segment = {
        .from = 1e6, .to = 1e9, .t0 = start, .slope = 1 / rate, .n = 4};

    for (uint64_t amount = 1000000; amount <= 1000000000; amount *= 10) {
        lag_seconds time = start + (double)amount / rate;
        const struct lag_timing timing = {
            .key = *key,
            .unit = unit,
            .amount = amount,
            .repetitions = 9,
            .batch = 1,
            .median = time,
            .min = time,
            .p05 = time,
            .p25 = time,
            .p75 = time,
            .p95 = time,
            .max = time,
            .interval = NAN,
            .clock = NAN,
        };
        g_assert_true(lag_calibration_store_add(store, &timing, NULL));
    }
    g_assert_true(lag_calibration_store_add_fit(store, key, unit, &segment, 1, NULL));
}

static lag_calibration_store *open_series(const char *path)
{
    char text[] = "", backend[] = "host", name[] = "box";
    const struct lag_calibration_device device = {.backend = backend,
                                                  .name = name,
                                                  .uuid = text,
                                                  .driver = text,
                                                  .toolkit = text,
                                                  .threads = 1};
    g_autoptr(GError) error = NULL;
    lag_calibration_store *store = lag_calibration_store_open(path, 0, &error);

    g_assert_no_error(error);
    g_assert_true(lag_calibration_store_begin(store, &device, NAN, NULL));
    return store;
}

/* In a folder of its own, "calib.db". */
static char *make_database(void)
{
    char *folder = g_dir_make_tmp("laggard-calibrated-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(folder, "calib.db", NULL);
    g_autoptr(lag_calibration_store) store = open_series(path);

    add_kernel(store, &(struct lag_calibration_key){"matrix-product", "fp32", LAG_CACHE_COLD},
               "FLOP", 1e-6, 1e12);
    add_kernel(store, &(struct lag_calibration_key){"copy", "byte", LAG_CACHE_COLD}, "B", 2e-6,
               1e11);
    return folder;
}

static void remove_all(char *folder)
{
    static const char *const names[] = {"calib.db", "calib.db-wal", "calib.db-shm"};

    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autofree char *path = g_build_filename(folder, names[i], NULL);
        g_remove(path);
    }
    g_rmdir(folder);
    g_free(folder);
}

/* 10 kernels of 10 MFLOP each: 10 x (1 + 10) us. With 40 MB of traffic a kernel, a copy of 20 MB:
 * 10 x (2 + 200) us, which is longer. At 1 kFLOP a kernel the smallest measured time counts, and
 * it is said that this extrapolates. */
static void works(void)
{
    char *folder = make_database();
    g_autofree char *path = g_build_filename(folder, "calib.db", NULL);
    struct lag_work work = {.flops = 1e8, .kernels = 10};
    struct lag_calibrated_time time;
    g_autoptr(GError) error = NULL;

    g_assert_true(lag_calibrated_work(path, NULL, "fp32", &work, &time, &error));
    assert_near(time.seconds, 110e-6, 1e-9);
    g_assert_false(time.extrapolates);
    work.bytes = 4e8;
    g_assert_true(lag_calibrated_work(path, "box", "fp32", &work, &time, NULL));
    assert_near(time.seconds, 2020e-6, 1e-9);
    work = (struct lag_work){.flops = 1e3, .kernels = 1};
    g_assert_true(lag_calibrated_work(path, NULL, "fp32", &work, &time, NULL));
    assert_near(time.seconds, 2e-6, 1e-9);
    g_assert_true(time.extrapolates);
    g_assert_false(lag_calibrated_work(path, NULL, "fp8", &work, &time, &error));
    g_assert_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT);
    remove_all(folder);
}

static lag_document *document_in(const char *folder, const char *gpu, const char *compute,
                                 GError **error)
{
    g_autofree char *text =
        g_strdup_printf("laggard: 1\nname: calibrated\n"
                        "cluster: {gpus: [{count: 2, gpu: %s}], "
                        "network: {topology: switch, bandwidth: 1 GB/s}}\n"
                        "workload: {size: 8 B, compute: %s}\nalgorithms: [ring]\n",
                        gpu, compute);

    return lag_document_parse(text, strlen(text), "test", folder, NULL, error);
}

/* The scenario names the file from its own folder; its contents are part of the fingerprint. */
static void scenario(void)
{
    char *folder = make_database();
    const char *work = "{flops: 100 MFLOP, kernels: 10, precision: fp32}";
    g_autoptr(GError) error = NULL;
    g_autoptr(lag_document) document =
        document_in(folder, "{calibration: calib.db, device: box}", work, &error);
    g_assert_no_error(error);
    g_autoptr(lag_scenario) point = lag_document_point(document, 0, &error);

    if (point == NULL)
        g_error("%s", error->message);
    assert_near(point->lateness.own_compute[1], 110e-6, 1e-9);
    g_assert_cmpstr(point->source_of_times, ==, "calibration");
    g_assert_cmpuint(point->warnings->len, ==, 0);
    g_autofree char *path = g_build_filename(folder, "calib.db", NULL);
    lag_calibration_store *store = open_series(path);
    add_kernel(store, &(struct lag_calibration_key){"fill", "byte", LAG_CACHE_COLD}, "B", 1, 1);
    lag_calibration_store_free(store);
    g_autoptr(lag_document) again =
        document_in(folder, "{calibration: calib.db, device: box}", work, NULL);
    g_assert_cmpstr(lag_document_fingerprint(document), !=, lag_document_fingerprint(again));
    remove_all(folder);
}

/* A class's adding: a rate; or its calibration's reduce-add, which takes 1 us + B / 50 GB/s. */
static void adding(void)
{
    char *folder = make_database();
    g_autofree char *path = g_build_filename(folder, "calib.db", NULL);
    lag_calibration_store *store = open_series(path);
    const char *gpu = "{calibration: calib.db}, adding: calibrated";
    g_autoptr(GError) error = NULL;

    add_kernel(store, &(struct lag_calibration_key){"reduce-add", "fp32", LAG_CACHE_WARM}, "B",
               1e-6, 50e9);
    lag_calibration_store_free(store);
    g_autoptr(lag_document) measured = document_in(folder, gpu, "0 s", &error);
    g_assert_no_error(error);
    g_autoptr(lag_scenario) point = lag_document_point(measured, 0, &error);
    if (point == NULL)
        g_error("%s", error->message);
    assert_near(lag_adding_time(point->network.adding[1], 10000000), 201e-6, 1e-9);
    assert_near(lag_adding_time(point->network.adding[0], 2000000000), 40001e-6, 1e-9);
    g_autoptr(lag_document) rated = document_in(folder, "T4, adding: 4 GB/s", "0 s", NULL);
    g_autoptr(lag_scenario) other = lag_document_point(rated, 0, NULL);
    g_assert_cmpfloat(lag_adding_time(other->network.adding[0], 4000000000), ==, 1);
    remove_all(folder);
}

static void wrong(void)
{
    static const struct {
        const char *gpu, *compute, *message;
    } rows[] = {
        {"{calibration: no.db}",               "{flops: 1 GFLOP}",               "*gpu.calibration: '*no.db'*"                   },
        {"{calibration: calib.db, device: x}", "{flops: 1 GFLOP}",               "*holds no device \"x\"*"                       },
        {"{calibration: calib.db}",            "{flops: 1 GFLOP, launch: 1 us}", "*has its own launch*"                          },
        {"{calibration: calib.db}",            "{flops: 1 GFLOP}",               "*matrix-product*fp16*"                         },
        {"T4, adding: calibrated",             "1 ms",                           "*gpus?0?.adding: the class has no calibration*"},
        {"T4, adding: 600",                    "1 ms",                           "*'600' has no unit*"                           },
        {"{device: x}",                        "{flops: 1 GFLOP}",               "*key 'calibration' is missing*"                },
    };
    char *folder = make_database();

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(lag_document) document =
            document_in(folder, rows[i].gpu, rows[i].compute, &error);
        g_autoptr(lag_scenario) point =
            document == NULL ? NULL : lag_document_point(document, 0, &error);
        g_assert_null(point);
        g_assert_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT);
        if (!g_pattern_match_simple(rows[i].message, error->message))
            g_error("%s / %s: %s", rows[i].gpu, rows[i].compute, error->message);
    }
    remove_all(folder);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/calibrated/works", works);
    g_test_add_func("/calibrated/scenario", scenario);
    g_test_add_func("/calibrated/adding", adding);
    g_test_add_func("/calibrated/wrong", wrong);
    return g_test_run();
}
