/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The layout is that of nccl-tests' src/common.cu and the reportXxx() of its programs. */
#include "results/nccl.h"

#include <math.h>
#include <string.h>

#define MAX_DEVICES 1024 /* that are listed, a line each */

/* How nccl-tests calls a collective: its program, its operation, whether `count` is a rank's share
 * of the elements, and whether it has a root. */
static const struct program {
    const char *name, *operation;
    bool shared, rooted;
} programs[LAGGARD_N_COLLECTIVES] = {
    [LAGGARD_ALLREDUCE] = {"all_reduce_perf",     "sum",  false, false},
    [LAGGARD_REDUCE_SCATTER] = {"reduce_scatter_perf", "sum",  true,  false},
    [LAGGARD_ALL_GATHER] = {"all_gather_perf",     "none", true,  false},
    [LAGGARD_BROADCAST] = {"broadcast_perf",      "none", false, true },
    [LAGGARD_REDUCE_TO_ROOT] = {"reduce_perf",         "sum",  false, true },
};

static const char *type_name(const char *dtype)
{
    static const char *const names[][2] = {
        {"fp32", "float"   },
        {"fp64", "double"  },
        {"fp16", "half"    },
        {"bf16", "bfloat16"},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
        if (strcmp(dtype, names[i][0]) == 0)
            return names[i][1];
    return dtype; /* the integers have the same names there */
}

/* One line of a table. */
struct line {
    const struct lag_result *row;
    const struct lag_nccl_buffer *buffer;
};

/* What makes a table of a scenario: the job, the label, and all coordinates but the size. */
static char *table_key(const struct lag_result *row)
{
    GString *key = g_string_new(row->job != NULL ? row->job : "");

    g_string_append_printf(key, "\n%s", row->label);

    for (uint32_t i = 0; i < row->n_coordinates; i++)
        if (strcmp(row->point[i].name, "workload.size") != 0)
            g_string_append_printf(key, "\n%s", row->point[i].text);
    return g_string_free(key, FALSE);
}

static int by_size(gconstpointer left, gconstpointer right)
{
    const struct line *a = left, *b = right;

    return (a->row->size > b->row->size) - (a->row->size < b->row->size);
}

static void append_title(GString *text, const lag_result_set *set, const struct lag_result *row,
                         const char *version)
{
    g_autofree char *scenario = g_strdup(set->scenario);
    g_autofree char *label = g_strdup(row->label);

    g_string_append_printf(text,
                           "# laggard %s: simulated, scenario %s, seed %" G_GUINT64_FORMAT "\n",
                           version, g_strdelimit(scenario, "\r\n", ' '), set->seed);
    g_string_append_printf(text, "# Collective test starting: %s\n",
                           programs[row->collective].name);
    if (row->job != NULL) {
        g_autofree char *job = g_strdup(row->job);
        g_string_append_printf(text, "# Job: %s\n", g_strdelimit(job, "\r\n", ' '));
    }
    g_string_append_printf(text, "# Algorithm: %s\n", g_strdelimit(label, "\r\n", ' '));
    for (uint32_t i = 0; i < row->n_coordinates; i++) {
        if (strcmp(row->point[i].name, "workload.size") == 0)
            continue;
        g_autofree char *value = g_strdup(row->point[i].text);
        g_string_append_printf(text, "# Point: %s = %s\n", row->point[i].name,
                               g_strdelimit(value, "\r\n", ' '));
    }
    g_string_append(text, "# Out-of-place and in-place are the same simulated result; time is the "
                          "mean exposed time; #wrong isn't simulated\n");
}

static void append_devices(GString *text, const GArray *lines)
{
    const struct lag_result *first = g_array_index(lines, struct line, 0).row;
    const struct lag_result *last = g_array_index(lines, struct line, lines->len - 1).row;

    g_string_append_printf(
        text,
        "# nThread 1 nGpus %u minBytes %" G_GUINT64_FORMAT " maxBytes %" G_GUINT64_FORMAT
        " step: 0(bytes) warmup iters: 0 "
        "iters: %" G_GUINT64_FORMAT " agg iters: 1 validation: 0 graph: 0\n#\n# Using devices\n",
        first->n_ranks, first->size, last->size, (uint64_t)first->n_steps * first->n_replications);
    for (uint32_t rank = 0; rank < MIN(first->n_ranks, MAX_DEVICES); rank++)
        g_string_append_printf(
            text, "#  Rank %2u Group  0 Pid %6d on %10s device %2u [0x00] simulated\n", rank, 0,
            "laggard", first->group != NULL ? first->group[rank] : rank);
    if (first->n_ranks > MAX_DEVICES)
        g_string_append_printf(text, "#  and %u more\n", first->n_ranks - MAX_DEVICES);
}

static void append_headings(GString *text)
{
    g_string_append_printf(text,
                           "#\n# %10s  %12s  %8s  %6s  %6s           out-of-place"
                           "                       in-place          \n",
                           "", "", "", "", "");
    g_string_append_printf(text, "# %10s  %12s  %8s  %6s  %6s", "size", "count", "type", "redop",
                           "root");
    for (int half = 0; half < 2; half++)
        g_string_append_printf(text, "  %7s  %6s  %6s %6s", "time", "algbw", "busbw", "#wrong");
    g_string_append_printf(text, "\n# %10s  %12s  %8s  %6s  %6s", "(B)", "(elements)", "", "", "");
    for (int half = 0; half < 2; half++)
        g_string_append_printf(text, "  %7s  %6s  %6s  %5s", "(us)", "(GB/s)", "(GB/s)", "");
    g_string_append_c(text, '\n');
}

/* Fewer digits for longer times, as there. */
static void append_half(GString *text, const struct lag_result *row)
{
    double us = row->exposed.mean * 1e6;
    bool moved = isfinite(row->algbw);

    g_string_append_printf(text, "  %7.*f  %6.2f  %6.2f  %5s",
                           us >= 10000 ? 0
                           : us >= 100 ? 1
                                       : 2,
                           us, moved ? row->algbw / 1e9 : 0, moved ? row->busbw / 1e9 : 0, "N/A");
}

static void append_line(GString *text, const struct line *line)
{
    const struct lag_result *row = line->row;
    const struct program *program = &programs[row->collective];
    uint64_t count = row->size / line->buffer->element_bytes;
    g_autofree char *root = g_strdup_printf("%d", program->rooted ? (int)line->buffer->root : -1);

    if (row->status != LAG_OK) {
        g_autofree char *message = g_strdup(row->message);
        g_string_append_printf(text, "# %" G_GUINT64_FORMAT " B: %s: %s\n", row->size,
                               lag_status_name(row->status), g_strdelimit(message, "\r\n", ' '));
        return;
    }
    g_string_append_printf(text, "%12" G_GUINT64_FORMAT "  %12" G_GUINT64_FORMAT "  %8s  %6s  %6s",
                           row->size, program->shared ? count / row->n_ranks : count,
                           type_name(line->buffer->dtype), program->operation, root);
    append_half(text, row);
    append_half(text, row);
    g_string_append_c(text, '\n');
}

static void append_footer(GString *text, const GArray *lines)
{
    double sum = 0;
    guint n = 0;

    for (guint i = 0; i < lines->len; i++) {
        const struct lag_result *row = g_array_index(lines, struct line, i).row;
        sum += isfinite(row->busbw) ? row->busbw / 1e9 : 0;
        n += row->status == LAG_OK;
    }
    g_string_append_printf(text, "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : %g \n#\n",
                           n > 0 ? sum / n : 0);
}

/* Sorts a part's rows into tables, in the order in which these come up. */
static GPtrArray *make_tables(const struct lag_nccl_part *part)
{
    GPtrArray *tables = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
    g_autoptr(GHashTable) by_key = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

    for (uint32_t i = 0; i < part->set->n_results; i++) {
        struct line line = {&part->set->results[i], &part->buffers[i]};
        char *key = table_key(line.row);
        GArray *table = g_hash_table_lookup(by_key, key);
        if (table == NULL) {
            table = g_array_new(FALSE, FALSE, sizeof line);
            g_ptr_array_add(tables, table);
        }
        g_hash_table_insert(by_key, key, table);
        g_array_append_val(table, line);
    }
    return tables;
}

void lag_nccl_tables(GString *text, const struct lag_nccl_part *parts, uint32_t n_parts,
                     const char *version)
{
    for (uint32_t i = 0; i < n_parts; i++) {
        g_autoptr(GPtrArray) tables = make_tables(&parts[i]);
        for (guint j = 0; j < tables->len; j++) {
            GArray *lines = g_ptr_array_index(tables, j);
            g_array_sort(lines, by_size);
            append_title(text, parts[i].set, g_array_index(lines, struct line, 0).row, version);
            append_devices(text, lines);
            append_headings(text);
            for (guint k = 0; k < lines->len; k++)
                append_line(text, &g_array_index(lines, struct line, k));
            append_footer(text, lines);
        }
    }
}
