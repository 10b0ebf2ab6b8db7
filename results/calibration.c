/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "results/calibration.h"

#include <assert.h>
#include <string.h>

#include "results/calibration-schema.h"
#include "sim/laggard.h"

#define REMEDY "name a database that laggard calibrate has made"

struct lag_calibration {
    lag_database *database;
    GArray *devices; /* of struct lag_calibration_device */
};

const char *lag_cache_name(enum lag_cache cache)
{
    return cache == LAG_CACHE_WARM ? "warm" : "cold";
}

static void clear_device(gpointer data)
{
    struct lag_calibration_device *device = data;

    g_free(device->backend);
    g_free(device->name);
    g_free(device->uuid);
    g_free(device->driver);
    g_free(device->toolkit);
    g_free(device->measured);
}

static char *text_of(sqlite3_stmt *statement, int column)
{
    return g_strdup((const char *)sqlite3_column_text(statement, column));
}

static lag_bytes bytes_of(sqlite3_stmt *statement, int column)
{
    return (lag_bytes)MAX(sqlite3_column_int64(statement, column), 0);
}

static bool read_devices(lag_calibration *calibration, GError **error)
{
    sqlite3_stmt *select = lag_database_prepare(
        calibration->database,
        "SELECT id, backend, name, uuid, driver, toolkit, threads, memory_bytes, cache_bytes,"
        " clock_Hz, (SELECT ifnull(max(series), '') FROM kernel_timing WHERE device = device.id)"
        " FROM device ORDER BY id",
        error);
    int status;

    if (select == NULL)
        return false;
    while ((status = sqlite3_step(select)) == SQLITE_ROW) {
        struct lag_calibration_device device = {
            .id = sqlite3_column_int64(select, 0),
            .backend = text_of(select, 1),
            .name = text_of(select, 2),
            .uuid = text_of(select, 3),
            .driver = text_of(select, 4),
            .toolkit = text_of(select, 5),
            .threads = (uint32_t)CLAMP(sqlite3_column_int64(select, 6), 0, UINT32_MAX),
            .memory = bytes_of(select, 7),
            .cache = bytes_of(select, 8),
            .clock = sqlite3_column_double(select, 9),
            .measured = text_of(select, 10),
        };
        g_array_append_val(calibration->devices, device);
    }
    if (status != SQLITE_DONE)
        lag_database_fail(calibration->database, error);
    sqlite3_finalize(select);
    return status == SQLITE_DONE;
}

/* The schema's check takes an empty file for one that is yet to be filled. */
static bool check_version(const lag_database *database, GError **error)
{
    int64_t version;

    if (!lag_schema_check(database, &lag_calibration_schema, error) ||
        !lag_database_count(database, "PRAGMA user_version", &version, error))
        return false;
    if (version > 0)
        return true;
    g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT, "%s: is empty; " REMEDY, database->path);
    return false;
}

lag_calibration *lag_calibration_open(const char *path, GError **error)
{
    g_autoptr(lag_calibration) calibration = g_new0(lag_calibration, 1);

    calibration->devices = g_array_new(FALSE, FALSE, sizeof(struct lag_calibration_device));
    g_array_set_clear_func(calibration->devices, clear_device);
    calibration->database = lag_database_open_to_read(path, REMEDY, error);
    if (calibration->database == NULL || !check_version(calibration->database, error) ||
        !read_devices(calibration, error))
        return NULL;
    return g_steal_pointer(&calibration);
}

void lag_calibration_free(lag_calibration *calibration)
{
    if (calibration == NULL)
        return;
    lag_database_free(calibration->database);
    g_array_unref(calibration->devices);
    g_free(calibration);
}

uint32_t lag_calibration_n_devices(const lag_calibration *calibration)
{
    return calibration->devices->len;
}

const struct lag_calibration_device *lag_calibration_device(const lag_calibration *calibration,
                                                            uint32_t i)
{
    assert(i < calibration->devices->len);
    return &g_array_index(calibration->devices, struct lag_calibration_device, i);
}

static bool is_called(const struct lag_calibration_device *device, const char *name)
{
    g_autofree char *number = g_strdup_printf("%" G_GINT64_FORMAT, device->id);

    return name == NULL || strcmp(name, device->name) == 0 || strcmp(name, number) == 0 ||
           (device->uuid[0] != '\0' && strcmp(name, device->uuid) == 0);
}

/* "1 NVIDIA H200 (driver 570.1), 2 ..." */
static char *device_list(const lag_calibration *calibration)
{
    GString *text = g_string_new(NULL);

    for (uint32_t i = 0; i < lag_calibration_n_devices(calibration); i++) {
        const struct lag_calibration_device *device = lag_calibration_device(calibration, i);
        g_string_append_printf(text, "%s%" G_GINT64_FORMAT " %s (driver %s)", i > 0 ? ", " : "",
                               device->id, device->name, device->driver);
    }
    return g_string_free(text, FALSE);
}

const struct lag_calibration_device *lag_calibration_find(const lag_calibration *calibration,
                                                          const char *name, GError **error)
{
    const struct lag_calibration_device *found = NULL;
    uint32_t n = lag_calibration_n_devices(calibration);

    if (n == 0) {
        g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT, "%s: holds no device; " REMEDY,
                    calibration->database->path);
        return NULL;
    }
    for (uint32_t i = 0; i < n; i++) {
        const struct lag_calibration_device *device = lag_calibration_device(calibration, i);
        if (is_called(device, name) &&
            (found == NULL || strcmp(device->measured, found->measured) >= 0))
            found = device;
    }
    if (found != NULL && (name != NULL || n == 1))
        return found;
    g_autofree char *list = device_list(calibration);
    if (name == NULL)
        g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT,
                    "%s: holds several devices; say which: %s", calibration->database->path, list);
    else
        g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT,
                    "%s: holds no device \"%s\"; it has: %s", calibration->database->path, name,
                    list);
    return NULL;
}

static void bind_key(sqlite3_stmt *statement, int64_t device, const struct lag_calibration_key *key)
{
    sqlite3_bind_int64(statement, 1, device);
    lag_bind_text(statement, 2, key->kernel);
    lag_bind_text(statement, 3, key->dtype);
    lag_bind_text(statement, 4, lag_cache_name(key->cache));
}

/* The latest series with a fit, or where there is none the latest: SQL for its name. */
#define KEYED "device = ?1 AND kernel = ?2 AND dtype = ?3 AND cache = ?4"
#define SERIES                                                                                     \
    "(SELECT series FROM kernel_timing WHERE " KEYED " ORDER BY series IN"                         \
    " (SELECT series FROM kernel_fit WHERE " KEYED ") DESC, series DESC LIMIT 1)"

static bool read_timings(const lag_calibration *calibration, int64_t device,
                         const struct lag_calibration_key *key, lag_curve *curve, GError **error)
{
    sqlite3_stmt *select =
        lag_database_prepare(calibration->database,
                             "SELECT amount, median_s FROM kernel_timing WHERE " KEYED
                             " AND series = " SERIES " ORDER BY amount",
                             error);
    int status;

    if (select == NULL)
        return false;
    bind_key(select, device, key);
    while ((status = sqlite3_step(select)) == SQLITE_ROW) {
        curve->amount = g_renew(double, curve->amount, curve->n + 1);
        curve->seconds = g_renew(lag_seconds, curve->seconds, curve->n + 1);
        curve->amount[curve->n] = sqlite3_column_double(select, 0);
        curve->seconds[curve->n] = sqlite3_column_double(select, 1);
        curve->n++;
    }
    if (status != SQLITE_DONE)
        lag_database_fail(calibration->database, error);
    sqlite3_finalize(select);
    return status == SQLITE_DONE;
}

/* Where nothing was fitted, in proportion to the last timing. */
static bool read_slope(const lag_calibration *calibration, int64_t device,
                       const struct lag_calibration_key *key, lag_curve *curve, GError **error)
{
    sqlite3_stmt *select =
        lag_database_prepare(calibration->database,
                             "SELECT ifnull(1 / rate, 0) FROM kernel_fit WHERE " KEYED
                             " AND series = " SERIES " ORDER BY segment DESC LIMIT 1",
                             error);

    if (select == NULL)
        return false;
    bind_key(select, device, key);
    int status = sqlite3_step(select);
    if (status == SQLITE_ROW)
        curve->slope = sqlite3_column_double(select, 0);
    else if (status == SQLITE_DONE)
        curve->slope = curve->seconds[curve->n - 1] / curve->amount[curve->n - 1];
    else
        lag_database_fail(calibration->database, error);
    sqlite3_finalize(select);
    return status == SQLITE_ROW || status == SQLITE_DONE;
}

lag_curve *lag_calibration_curve(const lag_calibration *calibration, int64_t device,
                                 const struct lag_calibration_key *key, GError **error)
{
    g_autoptr(lag_curve) curve = g_new0(lag_curve, 1);

    if (!read_timings(calibration, device, key, curve, error))
        return NULL;
    if (curve->n == 0) {
        g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT,
                    "%s: has no timings of %s, %s, %s cache, on device %" G_GINT64_FORMAT
                    "; measure them: laggard calibrate --kernels %s",
                    calibration->database->path, key->kernel, key->dtype,
                    lag_cache_name(key->cache), device, key->kernel);
        return NULL;
    }
    if (!read_slope(calibration, device, key, curve, error))
        return NULL;
    return g_steal_pointer(&curve);
}

void lag_curve_free(lag_curve *curve)
{
    if (curve == NULL)
        return;
    g_free(curve->amount);
    g_free(curve->seconds);
    g_free(curve);
}

/* The last measured amount that is not above `amount`. */
static uint32_t place_of(const lag_curve *curve, double amount)
{
    uint32_t low = 0, high = curve->n; /* amount[low] <= amount < amount[high] */

    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (curve->amount[middle] <= amount)
            low = middle;
        else
            high = middle;
    }
    return low;
}

lag_seconds lag_curve_seconds(const lag_curve *curve, double amount, bool *ret_extrapolates)
{
    const double *x = curve->amount;
    const lag_seconds *t = curve->seconds;
    uint32_t last = curve->n - 1;

    assert(curve->n > 0 && amount >= 0);
    if (ret_extrapolates != NULL)
        *ret_extrapolates = amount > 0 && (amount < x[0] || amount > x[last]);
    if (amount <= 0)
        return 0;
    if (amount <= x[0])
        return t[0];
    if (amount >= x[last])
        return t[last] + (amount - x[last]) * curve->slope;
    uint32_t i = place_of(curve, amount);
    return t[i] + (t[i + 1] - t[i]) * ((amount - x[i]) / (x[i + 1] - x[i]));
}

bool lag_calibration_seconds(const lag_calibration *calibration, int64_t device,
                             const struct lag_calibration_key *key, double amount,
                             struct lag_calibrated *ret, GError **error)
{
    g_autoptr(lag_curve) curve = lag_calibration_curve(calibration, device, key, error);

    if (curve == NULL)
        return false;
    ret->seconds = lag_curve_seconds(curve, amount, &ret->extrapolates);
    return true;
}
