/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The database: its schema, and what is written read back. What the program makes of it is in
 * tests/test-database. UPDATE_GOLDEN=1 writes the golden schema anew. */
#include <string.h>

#include "results/store-schema.h"
#include "tests/store-helpers.h"

static void test_schema(void)
{
    struct place place = place_new();
    g_autofree char *golden =
        g_build_filename(g_getenv("LAGGARD_SOURCE_ROOT"), "tests", "golden", "store.sql", NULL);
    g_autofree char *expected = NULL;
    g_autoptr(GError) error = NULL;

    lag_store_free(open_store(place.path));
    g_autofree char *text = query(place.path, "SELECT sql || ';' FROM sqlite_master"
                                              " WHERE sql IS NOT NULL ORDER BY rowid");
    if (g_getenv("UPDATE_GOLDEN") != NULL)
        g_file_set_contents(golden, text, -1, &error);
    g_assert_no_error(error);
    g_file_get_contents(golden, &expected, NULL, &error);
    g_assert_no_error(error);
    g_assert_cmpstr(text, ==, expected);
    g_autofree char *version = g_strdup_printf("%u\n", lag_store_n_migrations);
    assert_query(place.path, "PRAGMA user_version", version);
    assert_query(place.path, "PRAGMA application_id", "1281451879\n");
    assert_query(place.path, "PRAGMA journal_mode", "wal\n");
    place_clear(&place);
}

/* Writes points 2 and 0 with a detail, at once. */
static void write_two(lag_store *store, enum lag_detail detail)
{
    struct lag_result rows[2][2];
    struct lag_store_point points[] = {make_point(rows[0], 2), make_point(rows[1], 0)};
    g_autoptr(GError) error = NULL;

    begin_run(store, detail);
    lag_store_add(store, points, 2, &error);
    g_assert_no_error(error);
    for (int i = 0; i < 2; i++) {
        lag_store_point_clear(&points[i]);
        lag_result_clear(&rows[i][0]);
        lag_result_clear(&rows[i][1]);
    }
}

static void test_round_trip(void)
{
    struct place place = place_new();
    g_autoptr(GError) error = NULL;

    lag_store *store = open_store(place.path);
    write_two(store, LAG_DETAIL_ALL);
    assert_query(place.path, "SELECT finished FROM run", "-\n"); /* while another writes */
    lag_store_end_run(store, &error);
    g_assert_no_error(error);
    lag_store_free(store);
    assert_query(place.path,
                 "SELECT scenario, version, git_commit, text, configuration, fingerprint, seed,"
                 " arguments, detail, points, length(started), finished >= started FROM run",
                 "it's \"one\"\n 0.1  laggard: 1\n {} sha256:00 18446744073709551615 [\"run\"] all "
                 "3 20 1\n");
    assert_query(place.path, "SELECT * FROM point ORDER BY run, number",
                 "1 0 {\"workload.size\": 0} eager allreduce 2 0 2\n"
                 "1 2 {\"workload.size\": 2} eager allreduce 2 2 2\n");
    assert_query(place.path,
                 "SELECT point, entrant, label, status, message, engine, replications, wire_bytes, "
                 "time_s_mean,"
                 " time_s_ci95_low, algbw_Bps FROM result ORDER BY run, point, entrant",
                 "0 0 ring ok - replay 2 - 0.25 - -\n"
                 "0 1 stragglar 'it''s' stalled rank 1 died lockstep 2 0 - - -\n"
                 "2 0 ring ok - replay 2 - 0.25 - -\n"
                 "2 1 stragglar 'it''s' stalled rank 1 died lockstep 2 0 - - -\n");
    assert_query(place.path,
                 "SELECT replication, step, completion_s, exposed_s FROM sample JOIN result"
                 " ON result = id WHERE point = 2 ORDER BY replication, step",
                 "0 0 10.0 20.0\n0 1 11.0 21.0\n1 0 12.0 22.0\n1 1 13.0 23.0\n");
    assert_query(place.path, "SELECT * FROM rank_stat WHERE result = 1",
                 "1 0 0.5 1.0 3.0 0\n1 1 - 2.0 4.0 4\n");
    assert_query(place.path, "SELECT * FROM link_stat WHERE result = 1",
                 "1 0 gpu0->switch 7.0 0.25 -\n");
    assert_query(place.path, "PRAGMA integrity_check", "ok\n");
    assert_query(place.path, "PRAGMA foreign_key_check", "");
    place_clear(&place);
}

static void test_detail(void)
{
    struct place place = place_new();
    lag_store *store = open_store(place.path);

    for (int detail = LAG_DETAIL_POINTS; detail <= LAG_DETAIL_ALL; detail++)
        write_two(store, (enum lag_detail)detail);
    lag_store_free(store);
    assert_query(place.path,
                 "SELECT run.id, detail, count(DISTINCT result.id),"
                 " count(DISTINCT rank || ' ' || rank_stat.result),"
                 " count(DISTINCT link || ' ' || link_stat.result),"
                 " count(DISTINCT replication || ' ' || step || ' ' || sample.result)"
                 " FROM run JOIN result ON result.run = run.id"
                 " LEFT JOIN rank_stat ON rank_stat.result = result.id"
                 " LEFT JOIN link_stat ON link_stat.result = result.id"
                 " LEFT JOIN sample ON sample.result = result.id GROUP BY run.id ORDER BY run.id",
                 "1 points 4 0 0 0\n2 ranks 4 4 0 0\n3 links 4 4 2 0\n4 all 4 4 2 8\n");
    /* A run goes with all that hangs on it. */
    exec_sql(place.path, "PRAGMA foreign_keys = ON; DELETE FROM run WHERE id = 4");
    assert_query(place.path, "SELECT count(*) FROM sample", "0\n");
    place_clear(&place);
}

/* A point that is there already: nothing of its batch is kept. */
static void test_all_or_nothing(void)
{
    struct place place = place_new();
    lag_store *store = open_store(place.path);
    struct lag_result rows[2][2];
    g_autoptr(GError) error = NULL;

    write_two(store, LAG_DETAIL_ALL);
    struct lag_store_point points[] = {make_point(rows[0], 1), make_point(rows[1], 0)};
    g_assert_false(lag_store_add(store, points, 2, &error));
    g_assert_nonnull(strstr(error->message, "UNIQUE"));
    for (int i = 0; i < 2; i++) {
        lag_store_point_clear(&points[i]);
        lag_result_clear(&rows[i][0]);
        lag_result_clear(&rows[i][1]);
    }
    lag_store_free(store);
    assert_query(place.path, "SELECT number FROM point", "0\n2\n");
    place_clear(&place);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/store/schema", test_schema);
    g_test_add_func("/store/round-trip", test_round_trip);
    g_test_add_func("/store/detail", test_detail);
    g_test_add_func("/store/all-or-nothing", test_all_or_nothing);
    return g_test_run();
}
