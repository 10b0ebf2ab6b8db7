/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tables of nccl-tests: against a golden file, against a measured table, and read by a parser
 * for logs of nccl-tests. UPDATE_GOLDEN=1 writes the golden file anew. */
#include <math.h>
#include <string.h>

#include "results/nccl.h"

/* A line of a log: all its numbers. `time` in us, bandwidths in GB/s. */
struct entry {
    guint64 size, count;
    char type[16], operation[8];
    int root;
    double time, algbw, busbw;
};

/* What people use on such logs: lines of 13 words that start with a number. */
static GArray *parse_log(const char *log, double *ret_average)
{
    GArray *entries = g_array_new(FALSE, TRUE, sizeof(struct entry));
    g_auto(GStrv) lines = g_strsplit(log, "\n", -1);
    g_autoptr(GRegex) blanks = g_regex_new(" +", 0, 0, NULL);

    for (char **line = lines; *line != NULL; line++) {
        g_auto(GStrv) words = g_regex_split(blanks, g_strchug(*line), 0);
        if (g_str_has_prefix(*line, "# Avg bus bandwidth"))
            *ret_average = g_ascii_strtod(strchr(*line, ':') + 1, NULL);
        if (g_strv_length(words) != 13 || !g_ascii_isdigit(words[0][0]))
            continue;
        struct entry entry = {
            .size = g_ascii_strtoull(words[0], NULL, 10),
            .count = g_ascii_strtoull(words[1], NULL, 10),
            .root = (int)g_ascii_strtoll(words[4], NULL, 10),
            .time = g_ascii_strtod(words[5], NULL),
            .algbw = g_ascii_strtod(words[6], NULL),
            .busbw = g_ascii_strtod(words[7], NULL),
        };
        g_strlcpy(entry.type, words[2], sizeof entry.type);
        g_strlcpy(entry.operation, words[3], sizeof entry.operation);
        for (int i = 5; i < 9; i++)
            g_assert_cmpstr(words[i], ==, words[i + 4]); /* both halves are the same */
        g_array_append_val(entries, entry);
    }
    return entries;
}

static void fill(struct lag_result *row, enum laggard_collective collective, uint32_t n_ranks,
                 lag_bytes size, double seconds)
{
    row->algorithm = g_strdup("ring");
    row->label = g_strdup("ring");
    row->collective = collective;
    row->n_ranks = n_ranks;
    row->size = size;
    row->n_steps = 1;
    row->n_replications = 20;
    row->exposed = lag_statistics_of(&seconds, 1);
    row->algbw = (double)size / seconds;
    row->busbw = row->algbw * lag_busbw_factor(collective, n_ranks);
}

static lag_result_set *new_set(uint32_t n)
{
    lag_result_set *set = lag_result_set_new(n);

    set->scenario = g_strdup("by\nhand");
    set->seed = 7;
    return set;
}

/* TC1: a table that was measured and published (issue 252 of nccl-tests; 8 ranks follow from its
 * busbw / algbw = 1.75). Its first row prints busbw 93.46: its time was rounded. */
static void test_measured(void)
{
    static const struct {
        lag_bytes size;
        double us, algbw, busbw;
    } rows[] = {
        {536870912,  10052,  53.41, 93.47},
        {1073741824, 20079,  53.48, 93.58},
        {4294967296, 77194,  55.64, 97.37},
        {8589934592, 158070, 54.34, 95.10},
    };
    const struct lag_nccl_buffer buffers[4] = {
        {"fp32", 4, 0},
        {"fp32", 4, 0},
        {"fp32", 4, 0},
        {"fp32", 4, 0}
    };
    g_autoptr(lag_result_set) set = new_set(4);
    struct lag_nccl_part part = {set, buffers};
    g_autoptr(GString) text = g_string_new(NULL);
    double average = 0, sum = 0;

    for (uint32_t i = 0; i < 4; i++)
        fill(&set->results[i], LAGGARD_ALLREDUCE, 8, rows[i].size, rows[i].us * 1e-6);
    lag_nccl_tables(text, &part, 1, "0.1");
    g_autoptr(GArray) entries = parse_log(text->str, &average);
    g_assert_cmpuint(entries->len, ==, 4);
    for (uint32_t i = 0; i < 4; i++) {
        const struct entry *entry = &g_array_index(entries, struct entry, i);
        g_assert_cmpuint(entry->size, ==, rows[i].size);
        g_assert_cmpuint(entry->count, ==, rows[i].size / 4);
        g_assert_cmpfloat(entry->time, ==, rows[i].us);
        g_assert_cmpfloat(fabs(entry->algbw - rows[i].algbw), <=, 0.02);
        g_assert_cmpfloat(fabs(entry->busbw - rows[i].busbw), <=, 0.02);
        sum += rows[i].busbw;
    }
    g_assert_cmpfloat(fabs(average - sum / 4), <=, 0.02);
}

/* The parser reads what nccl-tests itself has printed, layout and all: three lines of a published
 * log (16 H100, oci-hpc, UPL-1.0). */
static void test_parser(void)
{
    const char *log =
        "#       size         count      type   redop    root     time   algbw   busbw #wrong     "
        "time   algbw   busbw #wrong\n"
        "  1073741824     268435456     float     sum      -1   4478.8  239.74  449.51      0   "
        "4478.8  239.74  449.51      0\n"
        "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 464.075\n";
    double average = 0;
    g_autoptr(GArray) entries = parse_log(log, &average);
    const struct entry *entry = &g_array_index(entries, struct entry, 0);

    g_assert_cmpuint(entries->len, ==, 1);
    g_assert_cmpuint(entry->size, ==, 1073741824);
    g_assert_cmpstr(entry->type, ==, "float");
    g_assert_cmpfloat(entry->time, ==, 4478.8);
    g_assert_cmpfloat(average, ==, 464.075);
    g_autoptr(lag_result_set) set = new_set(1);
    const struct lag_nccl_buffer buffer = {"fp32", 4, 0};
    struct lag_nccl_part part = {set, &buffer};
    g_autoptr(GString) text = g_string_new(NULL);
    fill(&set->results[0], LAGGARD_ALLREDUCE, 16, 1073741824, 4478.8e-6);
    lag_nccl_tables(text, &part, 1, "0.1");
    g_autofree char *headings = g_strndup(log, strcspn(log, "\n") + 1);
    g_assert_nonnull(strstr(text->str, headings));
    /* The same bytes but for #wrong. */
    g_assert_nonnull(strstr(text->str, "  1073741824     268435456     float     sum      -1   "
                                       "4478.8  239.74  449.51    N/A   4478.8  239.74  449.51"));
}

static struct lag_field field(const char *name, const char *text)
{
    return (struct lag_field){.name = g_strdup(name), .text = g_strdup(text)};
}

/* Two algorithms, two numbers of ranks, sizes out of order; a stalled row; other collectives. */
static lag_result_set *make_sweep(struct lag_nccl_buffer *buffers)
{
    static const lag_bytes sizes[] = {64 << 20, 1 << 20, 0};
    static const enum laggard_collective collectives[] = {LAGGARD_ALL_GATHER, LAGGARD_BROADCAST};
    lag_result_set *set = new_set(12);

    for (uint32_t i = 0; i < 12; i++) {
        struct lag_result *row = &set->results[i];
        uint32_t ranks = i < 6 ? 2 : 4;
        fill(row, collectives[i / 6], ranks, sizes[i / 2 % 3], 1e-6 * pow(10, i));
        if (i % 2 == 1) {
            g_free(row->label);
            row->label = g_strdup("other x=1");
        }
        row->n_coordinates = 2;
        row->point = g_new(struct lag_field, 2);
        row->point[0] = field("cluster.gpus", ranks == 2 ? "2" : "4");
        row->point[1] = field("workload.size", "any");
        buffers[i] = (struct lag_nccl_buffer){i < 6 ? "bf16" : "int8", i < 6 ? 2 : 1, 3};
        if (row->size == 0) {
            row->exposed.mean = 0;
            row->algbw = row->busbw = NAN;
        }
    }
    set->results[3].status = LAG_STALLED;
    set->results[3].message = g_strdup("rank 1 died\nat 1 s");
    set->results[3].busbw = NAN;
    return set;
}

static void test_golden(void)
{
    struct lag_nccl_buffer buffers[12];
    g_autoptr(lag_result_set) set = make_sweep(buffers);
    struct lag_nccl_part part = {set, buffers};
    g_autoptr(GString) text = g_string_new(NULL);
    g_autofree char *path = g_build_filename(g_getenv("LAGGARD_SOURCE_ROOT"), "tests", "golden",
                                             "results.nccl.txt", NULL);
    g_autofree char *expected = NULL;
    g_autoptr(GError) error = NULL;
    double average = 0;

    lag_nccl_tables(text, &part, 1, "0.0.0");
    if (g_getenv("UPDATE_GOLDEN") != NULL)
        g_file_set_contents(path, text->str, (gssize)text->len, &error);
    g_assert_no_error(error);
    g_file_get_contents(path, &expected, NULL, &error);
    g_assert_no_error(error);
    g_assert_cmpstr(text->str, ==, expected);
    g_autoptr(GArray) entries = parse_log(text->str, &average);
    g_assert_cmpuint(entries->len, ==, 11); /* all but the stalled one */
}

/* 100,000 ranks are not listed one by one. */
static void test_many_ranks(void)
{
    g_autoptr(lag_result_set) set = new_set(1);
    const struct lag_nccl_buffer buffer = {"fp16", 2, 0};
    struct lag_nccl_part part = {set, &buffer};
    g_autoptr(GString) text = g_string_new(NULL);

    fill(&set->results[0], LAGGARD_REDUCE_SCATTER, 100000, 1 << 20, 1);
    lag_nccl_tables(text, &part, 1, "0.0.0");
    g_assert_nonnull(strstr(text->str, "nGpus 100000 "));
    g_assert_nonnull(strstr(text->str, "#  and 98976 more\n"));
    g_assert_nonnull(strstr(text->str, "reduce_scatter_perf"));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/nccl/measured", test_measured);
    g_test_add_func("/nccl/parser", test_parser);
    g_test_add_func("/nccl/golden", test_golden);
    g_test_add_func("/nccl/many-ranks", test_many_ranks);
    return g_test_run();
}
