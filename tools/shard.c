/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/shard.h"

#include <string.h>

#include "sim/laggard.h"

/* Those who start many processes of one command, in the order in which they are asked: an array's
 * task may itself hold processes, and Slurm counts those of others' launchers as one. */
static const struct launcher {
    const char *name, *rank, *size;
} launchers[] = {
    {"an array of Slurm", "SLURM_ARRAY_TASK_ID",  "SLURM_ARRAY_TASK_COUNT"},
    {"Open MPI",          "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"  },
    {"MPICH",             "PMI_RANK",             "PMI_SIZE"              },
    {"srun",              "SLURM_PROCID",         "SLURM_NTASKS"          },
};

static bool fail(GError **error, const char *format, ...) G_GNUC_PRINTF(2, 3);
static bool fail(GError **error, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    g_autofree char *message = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT, "--shard: %s", message);
    return false;
}

static bool read_number(const char *text, uint64_t most, uint64_t *ret)
{
    return text != NULL && g_ascii_string_to_unsigned(text, 10, 0, most, ret, NULL);
}

/* The tasks of an array may start at any number, but have no gaps: a list such as --array=3,5 is
 * what is left of a larger sweep, and says nothing of its shards. */
static bool read_array(lag_getenv environment, uint64_t id, uint64_t n, struct lag_shard *ret,
                       GError **error)
{
    uint64_t first = 0, last = 0;

    if (!read_number(environment("SLURM_ARRAY_TASK_MIN"), G_MAXUINT32, &first))
        return fail(error, "SLURM_ARRAY_TASK_MIN is missing, or no number");
    if (!read_number(environment("SLURM_ARRAY_TASK_MAX"), G_MAXUINT32, &last))
        last = first + n - 1;
    if (last < first || last - first + 1 != n || id < first || id - first >= n)
        return fail(error, "the array of Slurm has gaps, which says nothing of its shards; "
                           "give them: --shard $SLURM_ARRAY_TASK_ID/N");
    *ret = (struct lag_shard){(uint32_t)(id - first), (uint32_t)n};
    return true;
}

static bool read_environment(lag_getenv environment, struct lag_shard *ret, GError **error)
{
    uint64_t rank = 0, n = 0;

    for (size_t i = 0; i < G_N_ELEMENTS(launchers); i++) {
        const struct launcher *launcher = &launchers[i];
        const char *text = environment(launcher->rank);
        if (text == NULL)
            continue;
        if (!read_number(text, G_MAXUINT32, &rank) ||
            !read_number(environment(launcher->size), LAG_MOST_SHARDS, &n) || n == 0)
            return fail(error, "%s says %s=%s and %s=%s; expected two whole numbers",
                        launcher->name, launcher->rank, text, launcher->size,
                        environment(launcher->size) != NULL ? environment(launcher->size) : "");
        if (i == 0)
            return read_array(environment, rank, n, ret, error);
        if (rank >= n)
            return fail(error, "%s=%s is not below %s", launcher->rank, text, launcher->size);
        *ret = (struct lag_shard){(uint32_t)rank, (uint32_t)n};
        return true;
    }
    return fail(error, "auto finds no launcher: none of SLURM_ARRAY_TASK_ID, OMPI_COMM_WORLD_RANK, "
                       "PMI_RANK, SLURM_PROCID is set; expected I/N, such as 0/8");
}

bool lag_shard_parse(const char *text, lag_getenv environment, struct lag_shard *ret,
                     GError **error)
{
    const char *slash = strchr(text, '/');
    uint64_t index = 0, n = 0;

    if (strcmp(text, "auto") == 0)
        return read_environment(environment, ret, error);
    if (slash == NULL)
        return fail(error, "expected I/N, such as 0/8, or auto, got \"%s\"", text);
    g_autofree char *first = g_strndup(text, (size_t)(slash - text));
    if (!read_number(first, LAG_MOST_SHARDS, &index) ||
        !read_number(slash + 1, LAG_MOST_SHARDS, &n) || index >= n)
        return fail(error, "expected I/N with I from 0 to N - 1 and N up to %d, got \"%s\"",
                    LAG_MOST_SHARDS, text);
    *ret = (struct lag_shard){(uint32_t)index, (uint32_t)n};
    return true;
}

/* The next number of SplitMix64 (Steele, Lea, Flood 2014). */
static uint64_t next_number(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* All points in an order that depends on their number alone, so that neighbours, which take about
 * as long, go to different shards (Fisher and Yates; the bias of % is below 2^-44). */
static uint32_t *shuffle(uint32_t n_points)
{
    uint32_t *order = g_new(uint32_t, n_points);
    uint64_t state = 0;

    for (uint32_t i = 0; i < n_points; i++)
        order[i] = i;
    for (uint32_t i = n_points; i > 1; i--) {
        uint32_t other = (uint32_t)(next_number(&state) % i);
        uint32_t value = order[i - 1];
        order[i - 1] = order[other];
        order[other] = value;
    }
    return order;
}

uint32_t *lag_shard_owners(uint32_t n_shards, uint32_t n_points)
{
    g_autofree uint32_t *order = shuffle(n_points);
    uint32_t *owners = g_new(uint32_t, n_points);

    for (uint32_t i = 0; i < n_points; i++)
        owners[order[i]] = i % n_shards;
    return owners;
}

uint32_t *lag_shard_points(struct lag_shard shard, uint32_t n_points, uint32_t *ret_n)
{
    uint32_t *points = g_new(uint32_t, n_points);
    g_autofree uint32_t *owners = lag_shard_owners(MAX(shard.n, 1), n_points);

    *ret_n = 0;
    for (uint32_t i = 0; i < n_points; i++)
        if (owners[i] == shard.index)
            points[(*ret_n)++] = i;
    return points;
}

char *lag_shard_file(struct lag_shard shard, const char *path)
{
    const char *dot = strrchr(path, '.'), *slash = strrchr(path, '/');

    if (shard.n == 0)
        return g_strdup(path);
    if (dot == NULL || dot == path || (slash != NULL && dot <= slash + 1))
        dot = path + strlen(path);
    return g_strdup_printf("%.*s.%u-of-%u%s", (int)(dot - path), path, shard.index, shard.n, dot);
}
