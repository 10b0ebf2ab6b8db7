/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CSV by RFC 4180: what is written is read back, by a parser of its grammar. */
#include <math.h>
#include <string.h>

#include "results/column.h"
#include "results/csv.h"

/* Reads one field and what ends it: ',' or '\n' (for CRLF); 0 at the end of the text. Fails on
 * anything that RFC 4180, section 2, doesn't allow. */
static char *read_field(const char **at, char *ret_end)
{
    GString *field = g_string_new(NULL);
    const char *p = *at;

    if (*p == '"') {
        for (p++; !(p[0] == '"' && p[1] != '"'); p++) {
            g_assert_cmpint(*p, !=, '\0');
            p += p[0] == '"'; /* a doubled quote is one */
            g_string_append_c(field, *p);
        }
        p++;
    } else {
        for (; strchr(",\r\n", *p) == NULL; p++) {
            g_assert_cmpint(*p, !=, '"');
            g_string_append_c(field, *p);
        }
    }
    if (*p == '\r') {
        g_assert_cmpint(p[1], ==, '\n');
        p++;
    }
    g_assert_true(*p == ',' || (*p == '\n' && p[-1] == '\r'));
    *ret_end = *p;
    *at = p + 1;
    return g_string_free(field, FALSE);
}

/* All lines, each a GPtrArray of fields. */
static GPtrArray *parse(const char *text)
{
    GPtrArray *lines = g_ptr_array_new_with_free_func((GDestroyNotify)g_ptr_array_unref);

    while (*text != '\0') {
        GPtrArray *fields = g_ptr_array_new_with_free_func(g_free);
        char end;
        do
            g_ptr_array_add(fields, read_field(&text, &end));
        while (end == ',');
        g_ptr_array_add(lines, fields);
    }
    return lines;
}

static const char *cell(const GPtrArray *lines, guint line, const char *column)
{
    const GPtrArray *header = g_ptr_array_index(lines, 0), *row = g_ptr_array_index(lines, line);

    g_assert_cmpuint(row->len, ==, header->len);
    for (guint i = 0; i < header->len; i++)
        if (strcmp(g_ptr_array_index(header, i), column) == 0)
            return g_ptr_array_index(row, i);
    g_error("no column %s", column);
}

static struct lag_field field(const char *name, const char *text, double number)
{
    return (struct lag_field){g_strdup(name), g_strdup(text), !isnan(number), number};
}

static void fill(struct lag_result *row, const char *label, double seconds)
{
    row->algorithm = g_strdup("ring");
    row->label = g_strdup(label);
    row->engine = "replay";
    row->transfers = "eager";
    row->collective = LAGGARD_ALL_GATHER;
    row->n_ranks = 4;
    row->size = G_MAXUINT64;
    row->n_steps = row->n_replications = 1;
    row->time = row->exposed = lag_statistics_of(&seconds, 1);
    row->algbw = INFINITY;
    row->busbw = -0.0;
    row->speedup = 1.0 / 3;
}

static lag_result_set *make_set(void)
{
    lag_result_set *set = lag_result_set_new(2);

    set->scenario = g_strdup("a \"quoted\"\nname, with\r\nlines");
    set->fingerprint = g_strdup("sha256:00");
    set->seed = G_MAXUINT64;
    fill(&set->results[0], "ring", 0.1);
    fill(&set->results[1], "\"", 5e-3);
    set->results[0].n_coordinates = 1;
    set->results[0].point = g_new(struct lag_field, 1);
    set->results[0].point[0] = field("workload.size", "1 MiB", 1048576);
    set->results[1].n_parameters = 2;
    set->results[1].parameters = g_new(struct lag_field, 2);
    set->results[1].parameters[0] = field("straggler", NULL, NAN);
    set->results[1].parameters[1] = field("elimination", "first, \"then\"", NAN);
    set->results[1].status = LAG_STALLED;
    set->results[1].message = g_strdup("");
    set->results[1].path = (struct lag_critical_path){.recorded = true, .contention = 1, .wait = 2};
    return set;
}

static void test_read_back(void)
{
    g_autoptr(lag_result_set) set = make_set();
    g_autoptr(GString) text = g_string_new(NULL);

    lag_csv_table(text, &set, 1, "0.1");
    g_autoptr(GPtrArray) lines = parse(text->str);
    g_assert_cmpuint(lines->len, ==, 3);
    g_assert_cmpstr(cell(lines, 1, "laggard"), ==, "0.1");
    g_assert_cmpstr(cell(lines, 1, "scenario"), ==, set->scenario);
    g_assert_cmpstr(cell(lines, 1, "seed"), ==, "18446744073709551615");
    g_assert_cmpstr(cell(lines, 1, "size_bytes"), ==, "18446744073709551615");
    g_assert_cmpstr(cell(lines, 1, "collective"), ==, "all-gather");
    g_assert_cmpstr(cell(lines, 1, "label"), ==, "ring");
    g_assert_cmpstr(cell(lines, 2, "label"), ==, "\"");
    g_assert_cmpstr(cell(lines, 1, "status"), ==, "ok");
    g_assert_cmpstr(cell(lines, 2, "status"), ==, "stalled");
    g_assert_cmpstr(cell(lines, 1, "point.workload.size"), ==, "1048576");
    g_assert_cmpstr(cell(lines, 2, "point.workload.size"), ==, "");
    g_assert_cmpstr(cell(lines, 2, "parameters.straggler"), ==, "");
    g_assert_cmpstr(cell(lines, 1, "parameters.elimination"), ==, "");
    g_assert_cmpstr(cell(lines, 2, "parameters.elimination"), ==, "first, \"then\"");
}

/* Exactly the same double, no sign of zero, and nothing where there is no number. */
static void test_numbers(void)
{
    g_autoptr(lag_result_set) set = make_set();
    g_autoptr(GString) text = g_string_new(NULL);

    lag_csv_table(text, &set, 1, "0.1");
    g_autoptr(GPtrArray) lines = parse(text->str);
    g_assert_cmpstr(cell(lines, 1, "time_s.mean"), ==, "0.1");
    g_assert_cmpstr(cell(lines, 2, "time_s.mean"), ==, "0.005");
    g_assert_cmpfloat(g_ascii_strtod(cell(lines, 1, "speedup_vs_first"), NULL), ==, 1.0 / 3);
    g_assert_cmpstr(cell(lines, 1, "time_s.ci95_low"), ==, ""); /* NAN: of a single sample */
    g_assert_cmpstr(cell(lines, 1, "algbw_Bps"), ==, "");
    g_assert_cmpstr(cell(lines, 1, "busbw_Bps"), ==, "0");
    g_assert_cmpstr(cell(lines, 1, "critical_path.wait_s"), ==, "");
    g_assert_cmpstr(cell(lines, 2, "critical_path.wait_s"), ==, "2");
    g_assert_cmpstr(cell(lines, 2, "sensitivity.latency"), ==, ""); /* links are shared */
}

/* Two scenarios make one table, whose columns are those of both. */
static void test_several(void)
{
    g_autoptr(lag_result_set) first = make_set();
    g_autoptr(lag_result_set) second = make_set();
    lag_result_set *sets[] = {first, second};
    g_autoptr(GString) text = g_string_new(NULL);

    g_free(second->results[0].point[0].name);
    second->results[0].point[0].name = g_strdup("an \"axis\"");
    lag_csv_table(text, sets, 2, "0.1");
    g_autoptr(GPtrArray) lines = parse(text->str);
    g_assert_cmpuint(lines->len, ==, 5);
    g_assert_cmpstr(cell(lines, 1, "point.an \"axis\""), ==, "");
    g_assert_cmpstr(cell(lines, 3, "point.an \"axis\""), ==, "1048576");
    g_assert_cmpstr(cell(lines, 3, "point.workload.size"), ==, "");
}

/* No name stands twice, and none needs quotes. */
static void test_columns(void)
{
    for (const struct lag_column *a = lag_columns; a->name != NULL; a++) {
        g_assert_null(strpbrk(a->name, ",\" \r\n"));
        for (const struct lag_column *b = a + 1; b->name != NULL; b++)
            g_assert_cmpstr(a->name, !=, b->name);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/csv/read-back", test_read_back);
    g_test_add_func("/csv/numbers", test_numbers);
    g_test_add_func("/csv/several", test_several);
    g_test_add_func("/csv/columns", test_columns);
    return g_test_run();
}
