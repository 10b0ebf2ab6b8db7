/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `laggard schedule` prints. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <json-glib/json-glib.h>

static char *run_schedule(const char *algorithm, const char *ranks, const char *more)
{
    const char *const argv[] = {
        g_getenv("LAGGARD"), "schedule", algorithm, "--ranks", ranks, more, NULL};
    char *output = NULL;
    g_autofree char *errors = NULL;
    g_autoptr(GError) error = NULL;
    int status;

    g_spawn_sync(NULL, (char **)(uintptr_t)argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, &output,
                 &errors, &status, &error);
    g_assert_no_error(error);
    g_assert_true(g_spawn_check_wait_status(status, &error));
    return output;
}

/* FNV-1a, 64 bits, of the lines behind the arrival; counts them. */
static uint64_t fingerprint(const char *text, unsigned *ret_lines)
{
    uint64_t hash = 0xcbf29ce484222325u;

    *ret_lines = 0;
    for (const char *line = text, *end; *line != '\0'; line = end + 1) {
        end = strchr(line, '\n');
        if (end[-1] == 'R')
            continue;
        for (const char *p = line; p <= end; p++)
            hash = (hash ^ (unsigned char)*p) * 0x100000001b3u;
        (*ret_lines)++;
    }
    return hash;
}

/* The schedules of the authors' synthesizer (golden/stragglar-schedules.txt says how they were
 * taken), for 2 to 512 ranks. */
static void test_golden(void)
{
    g_autofree char *path = g_build_filename(g_getenv("LAGGARD_SOURCE_ROOT"), "tests", "golden",
                                             "stragglar-schedules.txt", NULL);
    g_autofree char *contents = NULL;
    unsigned n_checked = 0;

    g_assert_true(g_file_get_contents(path, &contents, NULL, NULL));
    g_auto(GStrv) lines = g_strsplit(contents, "\n", 0);
    for (char **line = lines; *line != NULL; line++) {
        if (!g_ascii_isdigit((*line)[0]))
            continue;
        g_auto(GStrv) words = g_regex_split_simple("\\s+", *line, 0, 0);
        g_autofree char *text = run_schedule("stragglar", words[0], NULL);
        unsigned n_lines;
        uint64_t hash = fingerprint(text, &n_lines);
        g_assert_cmpuint(n_lines, ==, strtoul(words[2], NULL, 10));
        g_assert_cmphex(hash, ==, strtoull(words[3], NULL, 16));
        n_checked++;
    }
    g_assert_cmpuint(n_checked, ==, 9);
}

/* Two ranks: chunk r + 1 is summed at rank r, then goes back whole. */
static void test_text(void)
{
    g_autofree char *text = run_schedule("ring", "2", NULL);

    g_assert_cmpstr(text, ==, "0 0 1 0 P\n0 1 0 1 P\n1 0 1 1 F\n1 1 0 0 F\n");
}

/* Rounds before the arrival are negative; the late rank has no part in them. */
static void test_before_arrival(void)
{
    g_autofree char *text = run_schedule("stragglar", "4", "--straggler=1");

    g_assert_true(g_str_has_prefix(text, "-2 0 3 2 R\n-2 2 0 1 R\n-2 3 2 0 R\n-1 "));
}

static void test_json(void)
{
    g_autofree char *text = run_schedule("stragglar", "8", "--format=json");
    g_autoptr(JsonParser) parser = json_parser_new();

    g_assert_true(json_parser_load_from_data(parser, text, -1, NULL));
    JsonObject *plan = json_node_get_object(json_parser_get_root(parser));
    g_assert_cmpint(json_object_get_int_member(plan, "ranks"), ==, 8);
    g_assert_cmpint(json_object_get_int_member(plan, "rounds"), ==, 15);
    g_assert_cmpint(json_object_get_int_member(plan, "rounds_after_arrival"), ==, 9);
    g_assert_true(json_object_get_null_member(plan, "verified"));
    g_assert_true(json_object_get_boolean_member(plan, "one_port"));
    g_assert_cmpuint(json_array_get_length(json_object_get_array_member(plan, "transfers")), ==,
                     98);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/schedule/golden", test_golden);
    g_test_add_func("/schedule/text", test_text);
    g_test_add_func("/schedule/before-arrival", test_before_arrival);
    g_test_add_func("/schedule/json", test_json);
    return g_test_run();
}
