/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include <glib.h>

#include "sim/laggard.h"
#include "tools/shard.h"

/* An environment of "NAME=value" texts that stands for the process's. */
static const char *const *variables;

static const char *look_up(const char *name)
{
    size_t length = strlen(name);

    for (const char *const *v = variables; *v != NULL; v++)
        if (strncmp(*v, name, length) == 0 && (*v)[length] == '=')
            return *v + length + 1;
    return NULL;
}

static void assert_shard(const char *text, const char *const *environment, uint32_t index,
                         uint32_t n)
{
    struct lag_shard shard = {0};
    GError *error = NULL;

    variables = environment;
    g_assert_true(lag_shard_parse(text, look_up, &shard, &error));
    g_assert_no_error(error);
    g_assert_cmpuint(shard.index, ==, index);
    g_assert_cmpuint(shard.n, ==, n);
}

static void assert_refused(const char *text, const char *const *environment, const char *words)
{
    struct lag_shard shard = {0};
    g_autoptr(GError) error = NULL;

    variables = environment;
    g_assert_false(lag_shard_parse(text, look_up, &shard, &error));
    g_assert_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT);
    if (strstr(error->message, words) == NULL)
        g_error("no \"%s\" in: %s", words, error->message);
}

static const char *const nothing[] = {NULL};

static void test_text(void)
{
    assert_shard("0/1", nothing, 0, 1);
    assert_shard("7/8", nothing, 7, 8);
    assert_refused("8/8", nothing, "0 to N - 1");
    assert_refused("0/0", nothing, "0 to N - 1");
    assert_refused("-1/8", nothing, "0 to N - 1");
    assert_refused("1/8x", nothing, "0 to N - 1");
    assert_refused("1/", nothing, "0 to N - 1");
    assert_refused("1", nothing, "I/N");
    assert_refused("99999999999999999999/8", nothing, "0 to N - 1");
}

/* Each launcher as it was seen to set them; an array's tasks may start at 1. */
static void test_launchers(void)
{
    static const char *const array[] = {"SLURM_ARRAY_TASK_ID=3",
                                        "SLURM_ARRAY_TASK_COUNT=8",
                                        "SLURM_ARRAY_TASK_MIN=1",
                                        "SLURM_ARRAY_TASK_MAX=8",
                                        "SLURM_PROCID=0",
                                        "SLURM_NTASKS=1",
                                        NULL};
    static const char *const open_mpi[] = {"OMPI_COMM_WORLD_RANK=5", "OMPI_COMM_WORLD_SIZE=6",
                                           "SLURM_PROCID=0", "SLURM_NTASKS=1", NULL};
    static const char *const mpich[] = {"PMI_RANK=1", "PMI_SIZE=4", NULL};
    static const char *const srun[] = {"SLURM_PROCID=2", "SLURM_NTASKS=3", NULL};

    assert_shard("auto", array, 2, 8);
    assert_shard("auto", open_mpi, 5, 6);
    assert_shard("auto", mpich, 1, 4);
    assert_shard("auto", srun, 2, 3);
}

static void test_launchers_refused(void)
{
    static const char *const gaps[] = {"SLURM_ARRAY_TASK_ID=5", "SLURM_ARRAY_TASK_COUNT=2",
                                       "SLURM_ARRAY_TASK_MIN=3", "SLURM_ARRAY_TASK_MAX=5", NULL};
    static const char *const no_size[] = {"OMPI_COMM_WORLD_RANK=5", NULL};
    static const char *const no_number[] = {"PMI_RANK=x", "PMI_SIZE=4", NULL};
    static const char *const beyond[] = {"PMI_RANK=4", "PMI_SIZE=4", NULL};

    assert_refused("auto", nothing, "finds no launcher");
    assert_refused("auto", gaps, "gaps");
    assert_refused("auto", no_size, "OMPI_COMM_WORLD_SIZE");
    assert_refused("auto", no_number, "PMI_RANK=x");
    assert_refused("auto", beyond, "not below");
}

/* Shards have each point once, differ by one at most, and are the same each time; neighbours are
 * apart: a run of 8 points of 1000 that all fell to one of 8 shards would have chance 8^-7. */
static void test_split(void)
{
    enum {
        N = 1000,
        SHARDS = 8
    };
    uint8_t seen[N] = {0};
    g_autofree uint32_t *owners = lag_shard_owners(SHARDS, N);
    uint32_t n;

    for (uint32_t i = 0; i < SHARDS; i++) {
        g_autofree uint32_t *points = lag_shard_points((struct lag_shard){i, SHARDS}, N, &n);
        g_assert_cmpuint(n, ==, N / SHARDS);
        for (uint32_t j = 0; j < n; j++) {
            g_assert_cmpuint(owners[points[j]], ==, i);
            g_assert_true(j == 0 || points[j] > points[j - 1]);
            seen[points[j]]++;
        }
    }
    for (uint32_t i = 0; i < N; i++)
        g_assert_cmpuint(seen[i], ==, 1);
    for (uint32_t i = 0; i + 8 <= N; i++) {
        uint32_t same = 0;
        for (uint32_t j = 0; j < 8; j++)
            same += owners[i + j] == owners[i];
        g_assert_cmpuint(same, <, 8);
    }
    g_autofree uint32_t *all = lag_shard_points((struct lag_shard){0, 0}, 5, &n);
    g_assert_cmpuint(n, ==, 5);
    g_assert_cmpuint(all[4], ==, 4);
    g_autofree uint32_t *few = lag_shard_points((struct lag_shard){7, 8}, 3, &n);
    g_assert_true(few == NULL || n == 0);
    g_assert_cmpuint(n, ==, 0);
}

/* The split is part of what shards of different days agree on: it must not change. */
static void test_split_stays(void)
{
    g_autofree uint32_t *owners = lag_shard_owners(4, 12);
    g_autoptr(GString) text = g_string_new(NULL);

    for (uint32_t i = 0; i < 12; i++)
        g_string_append_printf(text, "%u", owners[i]);
    g_assert_cmpstr(text->str, ==, "012301233120");
}

static void assert_file(struct lag_shard shard, const char *path, const char *expected)
{
    g_autofree char *file = lag_shard_file(shard, path);

    g_assert_cmpstr(file, ==, expected);
}

static void test_file(void)
{
    struct lag_shard shard = {3, 8};

    assert_file((struct lag_shard){0, 0}, "results.db", "results.db");
    assert_file(shard, "results.db", "results.3-of-8.db");
    assert_file(shard, "a.b/results", "a.b/results.3-of-8");
    assert_file(shard, "a.b/.results", "a.b/.results.3-of-8");
    assert_file(shard, ".db", ".db.3-of-8");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/shard/text", test_text);
    g_test_add_func("/shard/launchers", test_launchers);
    g_test_add_func("/shard/launchers-refused", test_launchers_refused);
    g_test_add_func("/shard/split", test_split);
    g_test_add_func("/shard/split-stays", test_split_stays);
    g_test_add_func("/shard/file", test_file);
    return g_test_run();
}
