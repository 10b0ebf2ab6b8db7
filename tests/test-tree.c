/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "scenarios/tree.h"
#include "scenarios/yaml.h"
#include "sim/laggard.h"

static lag_node *parse(const char *text)
{
    g_autoptr(GError) error = NULL;
    lag_node *node = lag_yaml_parse(text, strlen(text), "t.yaml", true, &error);

    g_assert_no_error(error);
    return node;
}

/* What is at a path: "text @ place", or the canonical text of a list or mapping. */
static char *look(const lag_node *root, const char *path)
{
    g_autoptr(lag_keypath) way = lag_keypath_parse(path, NULL);
    const lag_node *node = lag_node_find(root, way);
    GString *text;

    if (node == NULL)
        return g_strdup("nothing");
    g_autofree char *place = lag_place_text(node->place);
    text = g_string_new(NULL);
    lag_node_append_canonical(node, text);
    g_string_append_printf(text, " @ %s", place);
    return g_string_free(text, FALSE);
}

static void assert_at(const lag_node *root, const char *path, const char *expected)
{
    g_autofree char *found = look(root, path);

    g_assert_cmpstr(found, ==, expected);
}

static void assert_refused(const char *text, const char *message)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(lag_node) node = lag_yaml_parse(text, strlen(text), "t.yaml", true, &error);

    g_assert_null(node);
    g_assert_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT);
    g_assert_cmpstr(error->message, ==, message);
}

static void test_places(void)
{
    g_autoptr(lag_node) root = parse("# comment\n"
                                     "a: 1\n"
                                     "b:\n"
                                     "  - x: 'q'\n"
                                     "  - [2, {y: \"z\"}]\n"
                                     "c:\n");

    assert_at(root, "a", "\"1\" @ t.yaml:2:4");
    assert_at(root, "b[0].x", "\"q\" @ t.yaml:4:8");
    assert_at(root, "b[1]", "[\"2\",{\"y\":\"z\"}] @ t.yaml:5:5");
    assert_at(root, "b[1][1].y", "\"z\" @ t.yaml:5:13");
    assert_at(root, "c", "\"\" @ t.yaml:6:1"); /* nothing there: the place of its key */
    assert_at(root, "b[2]", "nothing");
    assert_at(root, "a.x", "nothing");
    g_assert_true(lag_node_is_null(lag_node_get(root, "c")));
    g_assert_true(lag_node_get(root, "a")->plain);
    g_assert_false(lag_node_get(lag_node_get(root, "b")->entries[0].value, "x")->plain);
}

/* JSON with tabs, CRLF and a byte order mark are all the same text to us. */
static void test_layouts(void)
{
    static const char *const texts[] = {
        "a: 1\nb: [x, y]\n",
        "a: 1\r\nb:\r\n- x\r\n- y\r\n",
        "\357\273\277a: 1\nb: [x, y]\n",
        "{\n\t\"b\": [\n\t\t\"x\", \"y\"\n\t],\n\t\"a\": 1\n}\n",
        "---\nb: [x,\n y]\na: '1'\n...\n",
    };

    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        g_autoptr(lag_node) root = parse(texts[i]);
        g_autoptr(GString) text = g_string_new(NULL);
        lag_node_append_canonical(root, text);
        g_assert_cmpstr(text->str, ==, "{\"a\":\"1\",\"b\":[\"x\",\"y\"]}");
    }
}

static void test_merge(void)
{
    g_autoptr(lag_node) root = parse("base: &base {x: 1, y: 2}\n"
                                     "more: &more {y: 3, z: 4}\n"
                                     "one:\n"
                                     "  <<: *base\n"
                                     "  y: 9\n"
                                     "two: {<<: [*more, *base], w: 5}\n"
                                     "same: *base\n"
                                     "text: {\"<<\": 6}\n");

    assert_at(root, "one", "{\"x\":\"1\",\"y\":\"9\"} @ t.yaml:4:3"); /* its own y wins */
    assert_at(root, "one.x", "\"1\" @ t.yaml:1:17");
    assert_at(root, "two", "{\"w\":\"5\",\"x\":\"1\",\"y\":\"3\",\"z\":\"4\"} @ t.yaml:6:6");
    assert_at(root, "same.y", "\"2\" @ t.yaml:1:23");
    assert_at(root, "text.<<", "\"6\" @ t.yaml:8:14"); /* in quotes it is a key like others */
}

static void test_refused(void)
{
    assert_refused("a: 1\nb: 2\na: 3\n", "t.yaml:3:1: duplicate key 'a'; it is already given at "
                                         "t.yaml:1:1");
    assert_refused("a: &x 1\nb: *y\n", "t.yaml:2:4: alias *y: nothing before it has the anchor &y");
    assert_refused("a: &x [*x]\n", "t.yaml:1:8: alias *x: nothing before it has the anchor &x");
    assert_refused("{a: 1}}\n",
                   "t.yaml:1:7: not YAML: flow mapping with invalid extra closing brace");
}

/* Nine levels of ten aliases each would be 10^9 values. Lists a0 to a4 have 11, 111, .., 111111
 * values, with six keys and a5 itself 123,462 in all; so the 8th alias in a5 passes 1,000,000. */
static void test_bomb(void)
{
    g_autoptr(GString) text = g_string_new("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    gint64 start = g_get_monotonic_time();

    for (int i = 1; i < 9; i++) {
        g_string_append_printf(text, "a%d: &a%d [", i, i);
        for (int j = 0; j < 10; j++)
            g_string_append_printf(text, "*a%d%s", i - 1, j < 9 ? ", " : "]\n");
    }
    assert_refused(text->str, "t.yaml:6:45: more than 1000000 values (aliases count each time)");
    g_assert_cmpint(g_get_monotonic_time() - start, <, 5 * G_USEC_PER_SEC);
}

static void test_deep(void)
{
    g_autoptr(GString) text = g_string_new(NULL);
    g_autoptr(lag_node) root = NULL;

    for (int i = 0; i < 64; i++)
        g_string_append_c(text, '[');
    g_string_append(text, "x");
    for (int i = 0; i < 64; i++)
        g_string_append_c(text, ']');
    root = parse(text->str);
    g_assert_cmpuint(root->height, ==, 64);
    g_string_prepend_c(text, '[');
    g_string_append_c(text, ']');
    assert_refused(text->str, "t.yaml:1:66: nested deeper than 64 levels");
    g_string_assign(text, "a: &a [[[[[[[[[[[[[[[[[[[[[[x]]]]]]]]]]]]]]]]]]]]]]\n" /* 22 levels */
                          "b: &b [[[[[[[[[[[[[[[[[[[[[[*a]]]]]]]]]]]]]]]]]]]]]]\n"
                          "c: [[[[[[[[[[[[[[[[[[[[[[*b]]]]]]]]]]]]]]]]]]]]]]\n");
    assert_refused(text->str, "t.yaml:3:26: nested deeper than 64 levels");
}

static void test_many_keys(void)
{
    g_autoptr(GString) text = g_string_new(NULL);

    for (int i = 0; i < 500001; i++)
        g_string_append_printf(text, "k%d:\n", i);
    assert_refused(text->str,
                   "t.yaml:500000:1: more than 1000000 values (aliases count each time)");
}

static void assert_set(const lag_node *root, const char *path, const char *value,
                       const char *expected)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(lag_keypath) way = lag_keypath_parse(path, NULL);
    g_autoptr(lag_node) node = lag_yaml_parse(value, strlen(value), "--set", false, NULL);
    g_autoptr(lag_node) tree = lag_node_set(root, way, node, &error);
    g_autoptr(GString) text = g_string_new(NULL);

    if (tree == NULL) {
        g_assert_cmpstr(error->message, ==, expected);
        return;
    }
    lag_node_append_canonical(tree, text);
    g_assert_cmpstr(text->str, ==, expected);
    assert_at(root, "a", "{\"b\":\"1\"} @ t.yaml:1:5"); /* the old tree is as it was */
}

static void test_set(void)
{
    g_autoptr(lag_node) root = parse("{a: {b: 1}, c: [x, {d: 2}], e: }");
    static const char *const wrong[] = {
        "", ".", "a.", "a..b", "a[", "a[]", "a[x]", "a[-1]", "[0]", "a[0]b", "a[99999999999]"};

    assert_set(root, "a.b", "7", "{\"a\":{\"b\":\"7\"},\"c\":[\"x\",{\"d\":\"2\"}],\"e\":\"\"}");
    assert_set(root, "c[1].d", "[7]",
               "{\"a\":{\"b\":\"1\"},\"c\":[\"x\",{\"d\":[\"7\"]}],\"e\":\"\"}");
    assert_set(root, "c[2]", "y",
               "{\"a\":{\"b\":\"1\"},\"c\":[\"x\",{\"d\":\"2\"},\"y\"],\"e\":\"\"}");
    assert_set(root, "e.f", "y",
               "{\"a\":{\"b\":\"1\"},\"c\":[\"x\",{\"d\":\"2\"}],\"e\":{\"f\":\"y\"}}");
    assert_set(root, "a.b.c", "y",
               "'c' can't be set there: what holds it is a single value, not a mapping");
    assert_set(root, "a[0]", "y", "[0] can't be set there: what holds it is a mapping, not a list");
    assert_set(root, "g[0]", "y", "[0] can't be set there: what holds it is missing, not a list");
    assert_set(root, "c[3]", "y", "[3] is past the end: the list has 2 entries");
    for (size_t i = 0; i < G_N_ELEMENTS(wrong); i++) {
        g_autoptr(GError) error = NULL;
        g_autofree char *message = g_strdup_printf(
            "'%s' is not a path; write for example cluster.gpus or algorithms[0].straggler",
            wrong[i]);
        g_assert_null(lag_keypath_parse(wrong[i], &error));
        g_assert_cmpstr(error->message, ==, message);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/tree/places", test_places);
    g_test_add_func("/tree/layouts", test_layouts);
    g_test_add_func("/tree/merge", test_merge);
    g_test_add_func("/tree/refused", test_refused);
    g_test_add_func("/tree/bomb", test_bomb);
    g_test_add_func("/tree/deep", test_deep);
    g_test_add_func("/tree/many-keys", test_many_keys);
    g_test_add_func("/tree/set", test_set);
    return g_test_run();
}
