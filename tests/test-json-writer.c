/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <float.h>
#include <math.h>

#include <json-glib/json-glib.h>

#include "results/json-writer.h"

static void test_layout(void)
{
    g_autoptr(GString) text = g_string_new(NULL);
    struct lag_json json;

    lag_json_init(&json, text);
    lag_json_open_object(&json, NULL, LAG_JSON_LINES);
    lag_json_string(&json, "a", "x");
    lag_json_open_array(&json, "b", LAG_JSON_ONE_LINE);
    lag_json_integer(&json, NULL, -1);
    lag_json_open_object(&json, NULL, LAG_JSON_LINES); /* inside one line: on it too */
    lag_json_boolean(&json, "c", true);
    lag_json_null(&json, "d");
    lag_json_close(&json);
    lag_json_close(&json);
    lag_json_open_array(&json, "e", LAG_JSON_LINES);
    lag_json_close(&json);
    lag_json_close(&json);
    g_assert_cmpstr(text->str, ==,
                    "{\n"
                    "  \"a\": \"x\",\n"
                    "  \"b\": [-1, {\"c\": true, \"d\": null}],\n"
                    "  \"e\": []\n"
                    "}\n");
}

static void test_strings(void)
{
    g_autoptr(GString) text = g_string_new(NULL);
    struct lag_json json;

    lag_json_init(&json, text);
    lag_json_open_array(&json, NULL, LAG_JSON_ONE_LINE);
    lag_json_string(&json, NULL, "say \"hi\"\\\n\t\x01");
    lag_json_string(&json, NULL, "caf\xc3\xa9");
    lag_json_string(&json, NULL, "bad \xff");
    lag_json_string(&json, NULL, NULL);
    lag_json_close(&json);
    g_assert_cmpstr(text->str, ==,
                    "[\"say \\\"hi\\\"\\\\\\n\\u0009\\u0001\", \"caf\xc3\xa9\", "
                    "\"bad \xef\xbf\xbd\", null]\n");
}

/* Numbers are short where they can be, read back exactly, and never what JSON doesn't have. */
static void test_numbers(void)
{
    const double numbers[] = {0.005, 0.1 + 0.2, 1.0 / 3, 1e22,   DBL_MAX, DBL_MIN, 5e-324,
                              -2.5,  1e15,      1e16,    0x1p53, 3e-6,    -0.0};
    g_autoptr(GString) text = g_string_new(NULL);
    g_autoptr(JsonParser) parser = json_parser_new();
    struct lag_json json;

    lag_json_init(&json, text);
    lag_json_open_array(&json, NULL, LAG_JSON_ONE_LINE);
    for (size_t i = 0; i < G_N_ELEMENTS(numbers); i++)
        lag_json_number(&json, NULL, numbers[i]);
    lag_json_number(&json, NULL, INFINITY);
    lag_json_number(&json, NULL, NAN);
    lag_json_count(&json, NULL, 1073741824);
    lag_json_close(&json);
    g_assert_true(g_str_has_prefix(text->str, "[0.005, 0.30000000000000004, 0.333333333333333"));
    g_assert_true(g_str_has_suffix(text->str, ", 0, null, null, 1073741824]\n"));
    g_assert_true(json_parser_load_from_data(parser, text->str, -1, NULL));
    JsonArray *array = json_node_get_array(json_parser_get_root(parser));
    for (guint i = 0; i < G_N_ELEMENTS(numbers); i++)
        g_assert_cmpfloat(json_array_get_double_element(array, i), ==, numbers[i]);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/json-writer/layout", test_layout);
    g_test_add_func("/json-writer/strings", test_strings);
    g_test_add_func("/json-writer/numbers", test_numbers);
    return g_test_run();
}
