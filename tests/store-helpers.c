/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/store-helpers.h"

#include <math.h>
#include <string.h>

#include <glib/gstdio.h>

struct place place_new(void)
{
    struct place place = {.folder = g_dir_make_tmp("laggard-XXXXXX", NULL)};

    g_assert_nonnull(place.folder);
    place.path = g_build_filename(place.folder, "results.db", NULL);
    return place;
}

void place_clear(struct place *place)
{
    static const char *const suffixes[] = {"", "-wal", "-shm", "-journal"};

    for (size_t i = 0; i < G_N_ELEMENTS(suffixes); i++) {
        g_autofree char *path = g_strconcat(place->path, suffixes[i], NULL);
        g_remove(path);
    }
    g_assert_cmpint(g_rmdir(place->folder), ==, 0); /* nothing else was left there */
    g_free(place->folder);
    g_free(place->path);
}

lag_store *open_store(const char *path)
{
    g_autoptr(GError) error = NULL;
    lag_store *store = lag_store_open(path, 10000, &error);

    g_assert_no_error(error);
    return store;
}

lag_database *open_database(const char *path)
{
    g_autoptr(GError) error = NULL;
    lag_database *database = lag_database_open(path, SHORT, &error);

    g_assert_no_error(error);
    return database;
}

void exec_sql(const char *path, const char *sql)
{
    g_autoptr(lag_database) database = open_database(path);
    g_autoptr(GError) error = NULL;

    lag_database_exec(database, sql, &error);
    g_assert_no_error(error);
}

char *query(const char *path, const char *sql)
{
    g_autoptr(lag_database) database = open_database(path);
    GString *text = g_string_new(NULL);
    sqlite3_stmt *statement = lag_database_prepare(database, sql, NULL);

    g_assert_nonnull(statement);
    while (sqlite3_step(statement) == SQLITE_ROW) {
        for (int i = 0; i < sqlite3_column_count(statement); i++) {
            const char *value = (const char *)sqlite3_column_text(statement, i);
            g_string_append_printf(text, "%s%s", i > 0 ? " " : "", value != NULL ? value : "-");
        }
        g_string_append_c(text, '\n');
    }
    sqlite3_finalize(statement);
    return g_string_free(text, FALSE);
}

void assert_query(const char *path, const char *sql, const char *expected)
{
    g_autofree char *text = query(path, sql);

    g_assert_cmpstr(text, ==, expected);
}

void assert_refuses(const char *path, const char *message, bool input)
{
    g_autoptr(GError) error = NULL;

    g_assert_null(lag_store_open(path, SHORT, &error));
    g_test_message("%s", error->message);
    g_assert_nonnull(strstr(error->message, message));
    g_assert_nonnull(strstr(error->message, "another file"));
    g_assert_cmpint(g_error_matches(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT), ==, input);
}

static void fill(struct lag_result *row, const char *label, uint32_t point, double seconds)
{
    *row = (struct lag_result){.algorithm = g_strdup("ring"), .label = g_strdup(label)};
    row->engine = "replay";
    row->transfers = "eager";
    row->n_coordinates = 1;
    row->point = g_new(struct lag_field, 1);
    row->point[0] = (struct lag_field){g_strdup("workload.size"), g_strdup("1 B"), true, point};
    row->n_ranks = 2;
    row->n_steps = 2;
    row->n_replications = 2;
    row->size = point;
    row->wire_bytes = G_MAXUINT64;
    row->time = row->exposed = lag_statistics_of(&seconds, 1);
    row->algbw = INFINITY;
    row->ranks_wait = g_memdup2((double[]){0.5, NAN}, 2 * sizeof(double));
    row->ranks_idle = g_memdup2((double[]){1, 2}, 2 * sizeof(double));
    row->ranks_done = g_memdup2((double[]){3, 4}, 2 * sizeof(double));
    row->arrived_last = g_memdup2((uint64_t[]){0, 4}, 2 * sizeof(uint64_t));
    row->n_links = 1;
    row->links = g_new(struct lag_link_use, 1);
    row->links[0] = (struct lag_link_use){g_strdup("gpu0->switch"), 7, 0.25, NAN};
}

static GArray *numbers(double first)
{
    GArray *array = g_array_new(FALSE, FALSE, sizeof(double));

    for (int i = 0; i < 4; i++) {
        double value = first + i;
        g_array_append_val(array, value);
    }
    return array;
}

struct lag_store_point make_point(struct lag_result rows[2], uint32_t number)
{
    struct lag_store_point point = {number, 2, rows, g_new0(struct lag_store_samples, 2)};

    fill(&rows[0], "ring", number, 0.25);
    rows[1] = (struct lag_result){
        .algorithm = g_strdup("stragglar"),
        .label = g_strdup("stragglar 'it''s'"),
        .engine = "lockstep",
        .transfers = "eager",
        .status = LAG_STALLED,
        .message = g_strdup("rank 1 died"),
        .n_steps = 2,
        .n_replications = 2,
        .n_ranks = 2,
        .algbw = NAN,
        .time = lag_statistics_of(NULL, 0),
        .exposed = lag_statistics_of(NULL, 0),
    };
    point.samples[0].completion = numbers(10);
    point.samples[0].exposed = numbers(20);
    return point;
}

static const struct lag_store_run a_run = {
    .scenario = "it's \"one\"\n",
    .version = "0.1",
    .commit = "",
    .text = "laggard: 1\n",
    .configuration = "{}",
    .fingerprint = "sha256:00",
    .arguments = "[\"run\"]",
    .seed = G_MAXUINT64,
    .n_points = 3,
    .detail = LAG_DETAIL_ALL,
};

void begin_run(lag_store *store, enum lag_detail detail)
{
    struct lag_store_run run = a_run;
    g_autoptr(GError) error = NULL;

    run.detail = detail;
    lag_store_begin_run(store, &run, &error);
    g_assert_no_error(error);
}
