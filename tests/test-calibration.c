/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is written to a calibration database can be asked for; what is none is refused. */
#include <math.h>
#include <string.h>

#include <glib/gstdio.h>

#include "results/calibration-store.h"
#include "tests/store-helpers.h"

static const struct lag_calibration_key reduce = {"reduce-add", "fp32", LAG_CACHE_WARM};

static lag_calibration_store *open_writer(const char *path)
{
    g_autoptr(GError) error = NULL;
    lag_calibration_store *store = lag_calibration_store_open(path, SHORT, &error);

    g_assert_no_error(error);
    return store;
}

static void begin(lag_calibration_store *store, const char *name, const char *driver)
{
    g_autofree char *given_name = g_strdup(name), *given_driver = g_strdup(driver);
    char backend[] = "cuda", uuid[] = "GPU-1", toolkit[] = "13.0";
    const struct lag_calibration_device device = {.backend = backend,
                                                  .name = given_name,
                                                  .uuid = uuid,
                                                  .driver = given_driver,
                                                  .toolkit = toolkit,
                                                  .memory = 1 << 30,
                                                  .clock = 1.5e9};
    g_autoptr(GError) error = NULL;

    lag_calibration_store_begin(store, &device, 2e9, &error);
    g_assert_no_error(error);
    g_usleep(2000); /* series are told apart by their milliseconds */
}

static void add(lag_calibration_store *store, uint64_t amount, double seconds)
{
    const struct lag_timing timing = {
        .key = reduce,
        .unit = "B",
        .amount = amount,
        .repetitions = 5,
        .batch = 1,
        .median = seconds,
        .interval = NAN,
        .clock = NAN,
    };
    g_autoptr(GError) error = NULL;

    lag_calibration_store_add(store, &timing, &error);
    g_assert_no_error(error);
}

static void add_fit(lag_calibration_store *store, double slope)
{
    const struct lag_segment segments[] = {
        {.from = 1000, .to = 2000, .slope = 7    },
        {.from = 2000, .to = 4000, .slope = slope}
    };
    g_autoptr(GError) error = NULL;

    lag_calibration_store_add_fit(store, &reduce, "B", segments, 2, &error);
    g_assert_no_error(error);
}

static lag_calibration *open_reader(const char *path)
{
    g_autoptr(GError) error = NULL;
    lag_calibration *calibration = lag_calibration_open(path, &error);

    g_assert_no_error(error);
    return calibration;
}

static void assert_seconds(const lag_calibration *calibration, double amount, double seconds,
                           bool extrapolates)
{
    const struct lag_calibration_device *device = lag_calibration_find(calibration, NULL, NULL);
    struct lag_calibrated calibrated;
    g_autoptr(GError) error = NULL;

    lag_calibration_seconds(calibration, device->id, &reduce, amount, &calibrated, &error);
    g_assert_no_error(error);
    g_assert_cmpfloat(fabs(calibrated.seconds - seconds), <=, 1e-15 + 1e-12 * seconds);
    g_assert_cmpint(calibrated.extrapolates, ==, extrapolates);
}

/* Timings 1 ms, 3 ms, 5 ms at 1000, 2000, 4000: linear between them, flat below, 2 us per byte
 * beyond (the slope of the fit's last line, not of the last two timings: that is 1 us). */
static void test_interpolate(void)
{
    struct place place = place_new();
    lag_calibration_store *store = open_writer(place.path);

    begin(store, "H200", "570");
    add(store, 1000, 1e-3);
    add(store, 4000, 5e-3);
    add(store, 2000, 3e-3);
    add_fit(store, 2e-6);
    g_autoptr(lag_calibration) calibration = open_reader(place.path); /* beside the writer */
    lag_calibration_store_free(store);
    assert_seconds(calibration, 1000, 1e-3, false);
    assert_seconds(calibration, 1500, 2e-3, false);
    assert_seconds(calibration, 2000, 3e-3, false);
    assert_seconds(calibration, 3000, 4e-3, false);
    assert_seconds(calibration, 4000, 5e-3, false);
    assert_seconds(calibration, 6000, 9e-3, true);
    assert_seconds(calibration, 999, 1e-3, true);
    assert_seconds(calibration, 0, 0, false);
    g_clear_pointer(&calibration, lag_calibration_free);
    place_clear(&place);
}

/* Nothing is overwritten; what was begun last, and finished, counts. */
static void test_series(void)
{
    struct place place = place_new();
    lag_calibration_store *store = open_writer(place.path);

    begin(store, "H200", "570");
    add(store, 1000, 1e-3);
    {
        g_autoptr(lag_calibration) calibration = open_reader(place.path);
        assert_seconds(calibration, 1000, 1e-3, false); /* not fitted yet, and all there is */
        assert_seconds(calibration, 2000, 2e-3, true);  /* in proportion */
    }
    add_fit(store, 1);
    begin(store, "H200", "570");
    add(store, 1000, 2e-3);
    add_fit(store, 1);
    begin(store, "H200", "570"); /* interrupted before its fit */
    add(store, 1000, 3e-3);
    lag_calibration_store_free(store);
    g_autoptr(lag_calibration) calibration = open_reader(place.path);
    assert_seconds(calibration, 1000, 2e-3, false);
    g_clear_pointer(&calibration, lag_calibration_free);
    assert_query(place.path, "SELECT count(*), count(DISTINCT series) FROM kernel_timing", "3 3\n");
    place_clear(&place);
}

static void test_devices(void)
{
    struct place place = place_new();
    lag_calibration_store *store = open_writer(place.path);
    g_autoptr(GError) error = NULL;

    begin(store, "H200", "570");
    add(store, 1000, 1e-3);
    begin(store, "H200", "580");
    add(store, 1000, 1e-3);
    begin(store, "A100", "570");
    begin(store, "H200", "570");
    lag_calibration_store_free(store);
    g_autoptr(lag_calibration) calibration = open_reader(place.path);
    g_assert_cmpuint(lag_calibration_n_devices(calibration), ==, 3);
    g_assert_cmpstr(lag_calibration_find(calibration, "H200", NULL)->driver, ==, "580");
    g_assert_cmpstr(lag_calibration_find(calibration, "1", NULL)->driver, ==, "570");
    const struct lag_calibration_device *a100 = lag_calibration_find(calibration, "A100", NULL);
    g_assert_cmpuint(a100->memory, ==, 1 << 30);
    g_assert_cmpfloat(a100->clock, ==, 1.5e9);
    g_assert_cmpuint(a100->cache, ==, 0);
    g_assert_null(lag_calibration_find(calibration, "B200", &error));
    g_assert_nonnull(strstr(error->message, "2 H200 (driver 580), 3 A100"));
    g_clear_error(&error);
    g_assert_null(lag_calibration_find(calibration, NULL, &error));
    g_assert_nonnull(strstr(error->message, "several devices"));
    g_clear_error(&error);
    g_assert_null(lag_calibration_curve(calibration, a100->id, &reduce, &error));
    g_assert_nonnull(strstr(error->message, "no timings of reduce-add, fp32, warm cache"));
    g_clear_pointer(&calibration, lag_calibration_free);
    place_clear(&place);
}

static void assert_no_calibration(const char *path, const char *message, bool writer_too)
{
    g_autoptr(GError) error = NULL;

    g_assert_null(lag_calibration_open(path, &error));
    g_test_message("%s", error->message);
    g_assert_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT);
    g_assert_nonnull(strstr(error->message, message));
    if (!writer_too)
        return;
    g_clear_error(&error);
    g_assert_null(lag_calibration_store_open(path, SHORT, &error));
    g_assert_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT);
    g_assert_nonnull(strstr(error->message, message));
}

/* What is refused stays as it was, to the byte. */
static void test_refused(void)
{
    static const struct {
        const char *sql, *message;
    } files[] = {
        {"CREATE TABLE t (x)",                                          "of another program"    },
        {"PRAGMA application_id = 0x4c616767; CREATE TABLE run (id)",   "results of laggard run"},
        {"PRAGMA application_id = 0x4c616763; PRAGMA user_version = 2", "use a newer laggard"   },
    };

    for (size_t i = 0; i < G_N_ELEMENTS(files); i++) {
        struct place place = place_new();
        g_autofree char *before = NULL, *after = NULL;
        size_t n_before, n_after;
        exec_sql(place.path, files[i].sql);
        g_assert_true(g_file_get_contents(place.path, &before, &n_before, NULL));
        assert_no_calibration(place.path, files[i].message, true);
        g_assert_true(g_file_get_contents(place.path, &after, &n_after, NULL));
        g_assert_true(n_before == n_after && memcmp(before, after, n_after) == 0);
        place_clear(&place);
    }
}

static void test_no_database(void)
{
    struct place place = place_new();
    g_autofree char *contents = NULL;
    size_t length;

    assert_no_calibration(place.path, "No such file", false);
    g_assert_true(g_file_set_contents(place.path, "", 0, NULL));
    assert_no_calibration(place.path, "is empty", false);
    lag_calibration_store_free(open_writer(place.path)); /* which an empty file may become */
    g_assert_true(g_file_get_contents(place.path, &contents, &length, NULL));
    memset(contents + 100, 0xff, length - 100);
    g_assert_true(g_file_set_contents(place.path, contents, (gssize)length, NULL));
    assert_no_calibration(place.path, "is damaged", true);
    memset(contents, 'a', length);
    g_assert_true(g_file_set_contents(place.path, contents, (gssize)length, NULL));
    assert_no_calibration(place.path, "no SQLite database", true);
    assert_no_calibration(place.folder, "is a folder", true);
    place_clear(&place);
}

int main(int argc, char **argv)
{
    g_setenv("LC_ALL", "C", TRUE); /* messages of the system */
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/calibration/interpolate", test_interpolate);
    g_test_add_func("/calibration/series", test_series);
    g_test_add_func("/calibration/devices", test_devices);
    g_test_add_func("/calibration/refused", test_refused);
    g_test_add_func("/calibration/no-database", test_no_database);
    return g_test_run();
}
