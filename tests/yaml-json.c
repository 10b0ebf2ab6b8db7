/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints a YAML file as JSON, as other readers of YAML 1.2 (core schema) see it: words without
 * quotes are numbers, true, false and null where they look so. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenarios/yaml.h"

static void print_string(const char *text)
{
    putchar('"');
    for (const char *c = text; *c != '\0'; c++) {
        if ((unsigned char)*c < 0x20)
            printf("\\u%04x", (unsigned)*c);
        else
            printf(*c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
    }
    putchar('"');
}

/* The numbers of YAML that are also JSON's; others are rare, and stay strings. */
static bool is_number(const char *text)
{
    return g_regex_match_simple("^-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?$", text, 0, 0);
}

static void print_scalar(const lag_node *node)
{
    bool is_word = strcmp(node->text, "true") == 0 || strcmp(node->text, "false") == 0;

    if (lag_node_is_null(node))
        printf("null");
    else if (node->plain && (is_word || is_number(node->text)))
        printf("%s", node->text);
    else
        print_string(node->text);
}

static void print_node(const lag_node *node)
{
    bool is_mapping = node->kind == LAG_MAPPING;

    if (node->kind == LAG_SCALAR) {
        print_scalar(node);
        return;
    }
    putchar(is_mapping ? '{' : '[');
    for (uint32_t i = 0; i < node->n_entries; i++) {
        if (i > 0)
            putchar(',');
        if (is_mapping) {
            print_string(node->entries[i].key->text);
            putchar(':');
        }
        print_node(node->entries[i].value);
    }
    putchar(is_mapping ? '}' : ']');
}

int main(int argc, char **argv)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *text = NULL;
    size_t length = 0;

    if (argc != 2 || !g_file_get_contents(argv[1], &text, &length, &error)) {
        fprintf(stderr, "%s\n", error != NULL ? error->message : "usage: yaml-json FILE");
        return EXIT_FAILURE;
    }
    g_autoptr(lag_node) root = lag_yaml_parse(text, length, argv[1], true, &error);
    if (root == NULL) {
        fprintf(stderr, "%s\n", error->message);
        return EXIT_FAILURE;
    }
    print_node(root);
    putchar('\n');
    return EXIT_SUCCESS;
}
