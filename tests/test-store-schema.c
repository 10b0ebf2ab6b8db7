/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Older files become stores of today; files that are none are refused. */
#include <string.h>

#include <glib/gstdio.h>

#include "tests/store-helpers.h"

/* From every older version to the latest, and no further than what works. */
static void test_migrations(void)
{
    static const char *const good[] = {"CREATE TABLE a (x); INSERT INTO a VALUES (1)",
                                       "ALTER TABLE a ADD COLUMN y", "UPDATE a SET y = x + 1"};
    static const char *const bad[] = {"CREATE TABLE a (x)", "CREATE TABLE b (x)", "nonsense"};
    g_autoptr(GError) error = NULL;

    for (uint32_t from = 0; from <= 3; from++) {
        struct place place = place_new();
        lag_database *database = open_database(place.path);
        for (uint32_t to = from; to <= 3; to += 3 - from > 0 ? 3 - from : 1) {
            lag_store_migrate(database, good, to, &error);
            g_assert_no_error(error);
        }
        lag_database_free(database);
        assert_query(place.path, "SELECT x, y FROM a", "1 2\n");
        assert_query(place.path, "PRAGMA user_version", "3\n");
        place_clear(&place);
    }
    struct place place = place_new();
    lag_database *database = open_database(place.path);
    g_assert_true(lag_store_migrate(database, bad, 1, NULL));
    g_assert_false(lag_store_migrate(database, bad, 3, &error));
    lag_database_free(database);
    assert_query(place.path, "SELECT name FROM sqlite_master", "a\n");
    assert_query(place.path, "PRAGMA user_version", "1\n");
    place_clear(&place);
}

/* An empty file, and one of ours without tables, become stores. */
static void test_empty(void)
{
    struct place place = place_new();

    g_assert_true(g_file_set_contents(place.path, "", 0, NULL));
    lag_store_free(open_store(place.path));
    assert_query(place.path, "SELECT count(*) FROM result", "0\n");
    g_remove(place.path);
    exec_sql(place.path, "PRAGMA application_id = 0x4c616767; PRAGMA user_version = 0");
    lag_store_free(open_store(place.path));
    assert_query(place.path, "SELECT count(*) FROM run", "0\n");
    place_clear(&place);
}

/* What is refused stays as it was, to the byte. */
static void test_refused(void)
{
    static const struct {
        const char *sql, *message;
    } files[] = {
        {"CREATE TABLE t (x)",                                                                  "of another program"},
        {"PRAGMA application_id = 1",                                                           "of another program"},
        {"PRAGMA user_version = 1",                                                             "of another program"},
        {"PRAGMA application_id = 0x4c616767; PRAGMA user_version = 99; CREATE TABLE run (id)",
         "version 99 of the schema"                                                                                 },
        {"PRAGMA application_id = 0x4c616767; PRAGMA user_version = 1000000",                   "use a newer"       },
    };

    for (size_t i = 0; i < G_N_ELEMENTS(files); i++) {
        struct place place = place_new();
        g_autofree char *before = NULL, *after = NULL;
        size_t n_before, n_after;
        exec_sql(place.path, files[i].sql);
        g_assert_true(g_file_get_contents(place.path, &before, &n_before, NULL));
        assert_refuses(place.path, files[i].message, true);
        g_assert_true(g_file_get_contents(place.path, &after, &n_after, NULL));
        g_assert_true(n_before == n_after && memcmp(before, after, n_after) == 0);
        place_clear(&place);
    }
}

static void test_no_database(void)
{
    struct place place = place_new();
    g_autofree char *nowhere = g_build_filename(place.folder, "no", "where.db", NULL);
    const char *text = "This is a text, and a long one, as long as the header of a database is: "
                       "which has a hundred bytes.\n";

    g_assert_true(g_file_set_contents(place.path, text, -1, NULL));
    assert_refuses(place.path, "no SQLite database", true);
    assert_refuses(place.folder, "is a folder", true);
    assert_refuses("", "no name of a file", true);
    assert_refuses(nowhere, "No such file", true);
    place_clear(&place);
}

static void test_damaged(void)
{
    struct place place = place_new();
    g_autofree char *contents = NULL;
    size_t length;

    lag_store_free(open_store(place.path));
    g_assert_true(g_file_get_contents(place.path, &contents, &length, NULL));
    memset(contents + 100, 0xff, length - 100);
    g_assert_true(g_file_set_contents(place.path, contents, (gssize)length, NULL));
    assert_refuses(place.path, "is damaged", true);
    place_clear(&place);
}

int main(int argc, char **argv)
{
    g_setenv("LC_ALL", "C", TRUE); /* messages of the system */
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/store-schema/migrations", test_migrations);
    g_test_add_func("/store-schema/empty", test_empty);
    g_test_add_func("/store-schema/refused", test_refused);
    g_test_add_func("/store-schema/no-database", test_no_database);
    g_test_add_func("/store-schema/damaged", test_damaged);
    return g_test_run();
}
