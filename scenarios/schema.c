/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/schema.h"

#include <inttypes.h>
#include <string.h>

#include "scenarios/draft.h"
#include "scenarios/schema-writer.h"

/* A number, its unit, and blanks where they may be. */
static void write_quantity(struct lag_schema *schema, const struct lag_form *form)
{
    g_autoptr(GString) pattern =
        g_string_new("^\\+?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?[ \\t]*(");
    const struct lag_unit *unit;

    for (uint32_t i = 0; (unit = lag_unit_at(form->dimension, i)) != NULL; i++)
        g_string_append_printf(pattern, "%s%s", i > 0 ? "|" : "", unit->name);
    g_string_append(pattern, ")[ \\t]*$");
    lag_schema_string(schema, "type", "string");
    lag_schema_string(schema, "pattern", pattern->str);
}

static void write_number(struct lag_schema *schema, const struct lag_form *form)
{
    char text[G_ASCII_DTOSTR_BUF_SIZE];

    lag_schema_string(schema, "type", "number");
    lag_schema_word(schema, form->above_min ? "exclusiveMinimum" : "minimum",
                    g_ascii_dtostr(text, sizeof(text), form->min));
    if (form->max > 0)
        lag_schema_word(schema, "maximum", g_ascii_dtostr(text, sizeof(text), form->max));
}

static void write_integer(struct lag_schema *schema, const struct lag_form *form)
{
    g_autofree char *least = g_strdup_printf("%" PRIu64, form->least);
    g_autofree char *most = g_strdup_printf("%" PRIu64, form->most);

    lag_schema_string(schema, "type", "integer");
    lag_schema_word(schema, "minimum", least);
    lag_schema_word(schema, "maximum", most);
}

static void write_default(struct lag_schema *schema, const struct lag_key *key)
{
    bool is_word = key->form->shape == LAG_INTEGER || key->form->shape == LAG_NUMBER ||
                   strcmp(key->default_text, "true") == 0 ||
                   strcmp(key->default_text, "false") == 0;

    if (is_word)
        lag_schema_word(schema, "default", key->default_text);
    else
        lag_schema_string(schema, "default", key->default_text);
}

static void write_one_required(struct lag_schema *schema, const char *names)
{
    g_auto(GStrv) words = g_strsplit(names, "|", -1);

    lag_schema_open(schema, "anyOf", "[]");
    for (size_t i = 0; words[i] != NULL; i++) {
        lag_schema_open(schema, NULL, "{}");
        lag_schema_words(schema, "required", words[i]);
        lag_schema_close(schema, "{}");
    }
    lag_schema_close(schema, "[]");
}

static void write_mapping(struct lag_schema *schema, const struct lag_form *form)
{
    struct lag_key key;

    lag_schema_string(schema, "type", "object");
    lag_schema_word(schema, "additionalProperties", "false");
    lag_schema_open(schema, "required", "[]");
    for (uint32_t i = 0; lag_form_key(form, i, &key); i++)
        if (key.required)
            lag_schema_string(schema, NULL, key.name);
    lag_schema_close(schema, "[]");
    if (form->one_of != NULL)
        write_one_required(schema, form->one_of);
    lag_schema_open(schema, "properties", "{}");
    for (uint32_t i = 0; lag_form_key(form, i, &key); i++) {
        lag_schema_open(schema, key.name, "{}");
        lag_schema_string(schema, "description", key.help);
        if (key.default_text != NULL)
            write_default(schema, &key);
        lag_schema_form(schema, key.form);
        lag_schema_close(schema, "{}");
    }
    lag_schema_close(schema, "{}");
}

static void write_item(struct lag_schema *schema, const char *key, const struct lag_form *form)
{
    lag_schema_open(schema, key, "{}");
    lag_schema_form(schema, form);
    lag_schema_close(schema, "{}");
}

static void write_one_of(struct lag_schema *schema, const struct lag_form *form)
{
    lag_schema_open(schema, "anyOf", "[]");
    for (uint32_t i = 0; form->alternatives[i] != NULL; i++)
        write_item(schema, NULL, form->alternatives[i]);
    lag_schema_close(schema, "[]");
}

static void write_shape(struct lag_schema *schema, const struct lag_form *form)
{
    switch (form->shape) {
    case LAG_TEXT: /* a word without quotes may look like something else */
        lag_schema_words(schema, "type", "string|number|boolean");
        break;
    case LAG_INTEGER:
        write_integer(schema, form);
        break;
    case LAG_NUMBER:
        write_number(schema, form);
        break;
    case LAG_QUANTITY:
        write_quantity(schema, form);
        break;
    case LAG_CHOICE:
        lag_schema_words(schema, "enum", form->choices);
        break;
    case LAG_MAPPING_OF:
        write_mapping(schema, form);
        break;
    case LAG_LIST_OF:
        lag_schema_string(schema, "type", "array");
        write_item(schema, "items", form->item);
        break;
    case LAG_ONE_OF:
        write_one_of(schema, form);
        break;
    case LAG_FREE:
        lag_schema_string(schema, "type", "object");
        write_item(schema, "additionalProperties", form->item);
        break;
    case LAG_ANYTHING:
        break;
    }
}

void lag_schema_form(struct lag_schema *schema, const struct lag_form *form)
{
    lag_schema_string(schema, "title", form->what);
    if (form->shape == LAG_QUANTITY) {
        lag_schema_open(schema, "examples", "[]");
        lag_schema_string(schema, NULL, lag_dimension_example(form->dimension));
        lag_schema_close(schema, "[]");
    }
    if (form->describe != NULL)
        form->describe(schema);
    else
        write_shape(schema, form);
}

void lag_schema_append(GString *text)
{
    struct lag_schema schema = {.text = text, .empty = true};

    lag_schema_open(&schema, NULL, "{}");
    lag_schema_string(&schema, "$schema", "https://json-schema.org/draft/2020-12/schema");
    lag_schema_form(&schema, &lag_form_scenario);
    lag_schema_close(&schema, "{}");
    g_string_append_c(text, '\n');
}
