/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "results/calibration-store.h"

#include <math.h>

#include "results/calibration-schema.h"

#define NOW "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')" /* UTC */

struct lag_calibration_store {
    lag_database *database;
    sqlite3_stmt *insert_timing, *insert_fit;
    int64_t device;
    char *series;
};

static bool prepare_all(lag_calibration_store *store, GError **error)
{
    store->insert_timing = lag_database_prepare(
        store->database,
        "INSERT INTO kernel_timing VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,"
        " ?, ?, " NOW ")",
        error);
    if (store->insert_timing == NULL)
        return false;
    store->insert_fit = lag_database_prepare(
        store->database,
        "INSERT INTO kernel_fit VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", error);
    return store->insert_fit != NULL;
}

lag_calibration_store *lag_calibration_store_open(const char *path, int patience_ms, GError **error)
{
    g_autoptr(lag_calibration_store) store = g_new0(lag_calibration_store, 1);

    store->database = lag_database_open(path, patience_ms, error);
    if (store->database == NULL ||
        !lag_schema_check(store->database, &lag_calibration_schema, error) ||
        !lag_database_enter_wal(store->database, patience_ms, error) ||
        !lag_schema_migrate(store->database, &lag_calibration_schema, error) ||
        !lag_database_exec(store->database, "PRAGMA foreign_keys = ON", error) ||
        !prepare_all(store, error))
        return NULL;
    return g_steal_pointer(&store);
}

void lag_calibration_store_free(lag_calibration_store *store)
{
    if (store == NULL)
        return;
    sqlite3_finalize(store->insert_timing);
    sqlite3_finalize(store->insert_fit);
    lag_database_free(store->database);
    g_free(store->series);
    g_free(store);
}

static double known(double value)
{
    return value > 0 ? value : NAN;
}

/* The row of a device: the one that is there, or a new one. */
static bool enter_device(lag_calibration_store *store, const struct lag_calibration_device *device,
                         double memory_clock, GError **error)
{
    sqlite3_stmt *insert = lag_database_prepare(
        store->database,
        "INSERT INTO device (backend, name, uuid, driver, toolkit, threads, memory_bytes,"
        " cache_bytes, clock_Hz, memory_clock_Hz, first_measured)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, " NOW ") ON CONFLICT DO NOTHING",
        error);
    const char *texts[] = {device->backend, device->name, device->uuid, device->driver,
                           device->toolkit};

    if (insert == NULL)
        return false;
    for (int i = 0; i < (int)G_N_ELEMENTS(texts); i++)
        lag_bind_text(insert, i + 1, texts[i]);
    lag_bind_count(insert, 6, device->threads);
    lag_bind_count(insert, 7, device->memory > 0 ? device->memory : UINT64_MAX);
    lag_bind_count(insert, 8, device->cache > 0 ? device->cache : UINT64_MAX);
    lag_bind_number(insert, 9, known(device->clock));
    lag_bind_number(insert, 10, known(memory_clock));
    bool entered = lag_database_step(store->database, insert, error);
    sqlite3_finalize(insert);
    return entered;
}

bool lag_calibration_store_begin(lag_calibration_store *store,
                                 const struct lag_calibration_device *device, double memory_clock,
                                 GError **error)
{
    if (!enter_device(store, device, memory_clock, error))
        return false;
    sqlite3_stmt *select = lag_database_prepare(
        store->database,
        "SELECT id, " NOW " FROM device WHERE backend = ? AND name = ? AND uuid = ?"
        " AND driver = ? AND toolkit = ? AND threads = ?",
        error);
    const char *texts[] = {device->backend, device->name, device->uuid, device->driver,
                           device->toolkit};
    if (select == NULL)
        return false;
    for (int i = 0; i < (int)G_N_ELEMENTS(texts); i++)
        lag_bind_text(select, i + 1, texts[i]);
    lag_bind_count(select, 6, device->threads);
    bool found = sqlite3_step(select) == SQLITE_ROW;
    if (found) {
        store->device = sqlite3_column_int64(select, 0);
        g_free(store->series);
        store->series = g_strdup((const char *)sqlite3_column_text(select, 1));
    } else {
        lag_database_fail(store->database, error);
    }
    sqlite3_finalize(select);
    return found;
}

static void bind_key(const lag_calibration_store *store, sqlite3_stmt *statement,
                     const struct lag_calibration_key *key)
{
    lag_bind_count(statement, 1, (uint64_t)store->device);
    lag_bind_text(statement, 2, store->series);
    lag_bind_text(statement, 3, key->kernel);
    lag_bind_text(statement, 4, key->dtype);
    lag_bind_text(statement, 5, lag_cache_name(key->cache));
}

bool lag_calibration_store_add(lag_calibration_store *store, const struct lag_timing *timing,
                               GError **error)
{
    sqlite3_stmt *insert = store->insert_timing;
    const double numbers[] = {timing->median, timing->min,      timing->p05,
                              timing->p25,    timing->p75,      timing->p95,
                              timing->max,    timing->interval, timing->clock};

    bind_key(store, insert, &timing->key);
    lag_bind_count(insert, 6, timing->amount);
    lag_bind_text(insert, 7, timing->unit);
    lag_bind_count(insert, 8, timing->traffic);
    lag_bind_count(insert, 9, timing->flops);
    lag_bind_count(insert, 10, timing->repetitions);
    lag_bind_count(insert, 11, timing->batch);
    lag_bind_count(insert, 12, timing->outliers);
    for (int i = 0; i < (int)G_N_ELEMENTS(numbers); i++)
        lag_bind_number(insert, 13 + i, numbers[i]);
    return lag_database_step(store->database, insert, error);
}

static bool add_segment(lag_calibration_store *store, const struct lag_segment *segment,
                        GError **error)
{
    sqlite3_stmt *insert = store->insert_fit;

    lag_bind_number(insert, 7, segment->from);
    lag_bind_number(insert, 8, segment->to);
    lag_bind_number(insert, 10, segment->t0);
    lag_bind_number(insert, 11, 1 / segment->slope);
    lag_bind_count(insert, 12, segment->n);
    lag_bind_count(insert, 13, segment->n_outliers);
    lag_bind_number(insert, 14, segment->residual_median);
    lag_bind_number(insert, 15, segment->residual_max);
    return lag_database_step(store->database, insert, error);
}

bool lag_calibration_store_add_fit(lag_calibration_store *store,
                                   const struct lag_calibration_key *key, const char *unit,
                                   const struct lag_segment *segments, uint32_t n, GError **error)
{
    bool added = lag_database_exec(store->database, "BEGIN IMMEDIATE", error);

    if (!added)
        return false;
    bind_key(store, store->insert_fit, key);
    lag_bind_text(store->insert_fit, 9, unit);
    for (uint32_t k = 0; added && k < n; k++) {
        lag_bind_count(store->insert_fit, 6, k);
        added = add_segment(store, &segments[k], error);
    }
    added = added && lag_database_exec(store->database, "COMMIT", error);
    if (!added)
        lag_database_exec(store->database, "ROLLBACK", NULL);
    return added;
}
