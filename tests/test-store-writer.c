/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Several threads, several connections, and locks that don't go away. */
#include <string.h>

#include <pthread.h>

#include "tests/store-helpers.h"

/* Locked by another connection: when opened first, and in the middle of a run. */
static void test_locked(void)
{
    struct place place = place_new();
    lag_database *other = open_database(place.path);
    g_autoptr(GError) error = NULL;

    g_assert_true(lag_database_exec(other, "BEGIN EXCLUSIVE", NULL));
    assert_refuses(place.path, "has locked the database", false);
    g_assert_true(lag_database_exec(other, "ROLLBACK", NULL));
    lag_store *store = lag_store_open(place.path, SHORT, &error);
    g_assert_no_error(error);
    begin_run(store, LAG_DETAIL_ALL);
    g_assert_true(lag_database_exec(other, "BEGIN IMMEDIATE", NULL));
    g_assert_false(lag_store_end_run(store, &error));
    g_assert_nonnull(strstr(error->message, "has locked the database"));
    g_clear_error(&error);
    g_assert_true(lag_database_exec(other, "ROLLBACK", NULL));
    g_assert_true(lag_store_end_run(store, &error));
    lag_store_free(store);
    lag_database_free(other);
    place_clear(&place);
}

/* What a writer has told. */
struct told {
    uint32_t n_settled, n_failed;
};

static void count_settled(void *data, uint32_t n)
{
    ((struct told *)data)->n_settled += n;
}

static void count_failed(void *data, const GError *error)
{
    g_test_message("%s", error->message);
    ((struct told *)data)->n_failed++;
}

#define N_THREADS 4
#define N_EACH    100

struct giver {
    lag_store_writer *writer;
    uint32_t first;
    struct lag_result rows[N_EACH][2];
    pthread_t thread;
};

static void *give(void *data)
{
    struct giver *giver = data;

    for (uint32_t i = 0; i < N_EACH; i++) {
        struct lag_store_point point = make_point(giver->rows[i], giver->first + i);
        lag_store_writer_add(giver->writer, &point);
    }
    return NULL;
}

/* Points from several threads, then whatever the writer has told. */
static struct told write_from_threads(lag_store *store)
{
    g_autofree struct giver *givers = g_new0(struct giver, N_THREADS);
    struct told told = {0, 0};
    struct lag_store_listener listener = {count_settled, count_failed, &told};
    lag_store_writer *writer = lag_store_writer_new(store, LAG_DETAIL_ALL, listener);

    for (uint32_t i = 0; i < N_THREADS; i++) {
        givers[i].writer = writer;
        givers[i].first = i * N_EACH;
        g_assert_cmpint(pthread_create(&givers[i].thread, NULL, give, &givers[i]), ==, 0);
    }
    for (uint32_t i = 0; i < N_THREADS; i++)
        pthread_join(givers[i].thread, NULL);
    lag_store_writer_free(writer);
    for (uint32_t i = 0; i < N_THREADS * N_EACH * 2; i++)
        lag_result_clear(&givers[i / (2 * N_EACH)].rows[i / 2 % N_EACH][i % 2]);
    return told;
}

static void test_writer(void)
{
    struct place place = place_new();
    lag_store *store = open_store(place.path);

    begin_run(store, LAG_DETAIL_ALL);
    struct told told = write_from_threads(store);
    g_assert_cmpuint(told.n_settled, ==, N_THREADS * N_EACH);
    g_assert_cmpuint(told.n_failed, ==, 0);
    lag_store_free(store);
    assert_query(place.path, "SELECT count(*), min(number), max(number) FROM point", "400 0 399\n");
    assert_query(place.path, "SELECT count(*) FROM sample", "1600\n");
    place_clear(&place);
}

/* A failure is told once, and every point is settled all the same. */
static void test_writer_fails(void)
{
    struct place place = place_new();
    lag_database *other = open_database(place.path);
    lag_store *store = lag_store_open(place.path, SHORT, NULL);

    begin_run(store, LAG_DETAIL_ALL);
    g_assert_true(lag_database_exec(other, "BEGIN IMMEDIATE", NULL));
    struct told told = write_from_threads(store);
    g_assert_cmpuint(told.n_settled, ==, N_THREADS * N_EACH);
    g_assert_cmpuint(told.n_failed, ==, 1);
    g_assert_true(lag_database_exec(other, "ROLLBACK", NULL));
    lag_store_free(store);
    lag_database_free(other);
    assert_query(place.path, "SELECT count(*) FROM point", "0\n");
    place_clear(&place);
}

/* Two stores, two runs, one file. */
static void test_two_writers(void)
{
    struct place place = place_new();
    lag_store *stores[] = {open_store(place.path), open_store(place.path)};
    struct told told[2] = {
        {0, 0},
        {0, 0}
    };
    struct lag_result rows[2][N_EACH][2];
    lag_store_writer *writers[2];

    for (int i = 0; i < 2; i++) {
        struct lag_store_listener listener = {count_settled, count_failed, &told[i]};
        begin_run(stores[i], LAG_DETAIL_LINKS);
        writers[i] = lag_store_writer_new(stores[i], LAG_DETAIL_LINKS, listener);
    }
    for (uint32_t i = 0; i < 2 * N_EACH; i++) {
        struct lag_store_point point = make_point(rows[i % 2][i / 2], i / 2);
        lag_store_writer_add(writers[i % 2], &point);
    }
    for (int i = 0; i < 2; i++) {
        lag_store_writer_free(writers[i]);
        lag_store_free(stores[i]);
        g_assert_cmpuint(told[i].n_settled, ==, N_EACH);
        g_assert_cmpuint(told[i].n_failed, ==, 0);
    }
    for (uint32_t i = 0; i < 4 * N_EACH; i++)
        lag_result_clear(&rows[i % 2][i / 4][i / 2 % 2]);
    assert_query(place.path, "SELECT run, count(*) FROM point GROUP BY run", "1 100\n2 100\n");
    place_clear(&place);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/store-writer/locked", test_locked);
    g_test_add_func("/store-writer/writer", test_writer);
    g_test_add_func("/store-writer/writer-fails", test_writer_fails);
    g_test_add_func("/store-writer/two-writers", test_two_writers);
    return g_test_run();
}
