/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The JSON Schema of laws. */
#include "scenarios/law-form.h"
#include "scenarios/schema-writer.h"

static void describe_key(struct lag_schema *schema, const char *key, const char *help,
                         const struct lag_form *form)
{
    lag_schema_open(schema, key, "{}");
    lag_schema_string(schema, "description", help);
    lag_schema_form(schema, form);
    lag_schema_close(schema, "{}");
}

static void describe_numbers(struct lag_schema *schema, const struct lag_law_dialect *dialect,
                             const struct lag_law_type *type)
{
    uint32_t n = lag_law_type_n_parameters(type);

    lag_schema_string(schema, "type", "object");
    lag_schema_word(schema, "additionalProperties", "false");
    lag_schema_open(schema, "required", "[]");
    for (uint32_t i = 0; i < n; i++)
        lag_schema_string(schema, NULL, type->parameters[i].name);
    lag_schema_close(schema, "[]");
    lag_schema_open(schema, "properties", "{}");
    for (uint32_t i = 0; i < n; i++)
        describe_key(schema, type->parameters[i].name, type->parameters[i].help,
                     lag_law_parameter_form(dialect, &type->parameters[i]));
    lag_schema_close(schema, "{}");
}

/* A mixture's laws are described as far as they have no mixture in turn. */
static void describe_parts(struct lag_schema *schema, const struct lag_law_dialect *dialect)
{
    lag_schema_string(schema, "type", "array");
    lag_schema_open(schema, "items", "{}");
    lag_schema_string(schema, "type", "object");
    lag_schema_word(schema, "additionalProperties", "false");
    lag_schema_words(schema, "required", "weight|law");
    lag_schema_open(schema, "properties", "{}");
    describe_key(schema, "weight", dialect->part->keys[0].help, dialect->part->keys[0].form);
    lag_schema_open(schema, "law", "{}");
    lag_schema_string(schema, "description", dialect->part->keys[1].help);
    lag_schema_open(schema, "anyOf", "[]");
    lag_schema_open(schema, NULL, "{}");
    lag_schema_form(schema, dialect->value);
    lag_schema_close(schema, "{}");
    lag_schema_open(schema, NULL, "{}");
    lag_schema_string(schema, "title", dialect->laws->what);
    lag_schema_string(schema, "type", "object");
    lag_schema_close(schema, "{}");
    lag_schema_close(schema, "[]");
    lag_schema_close(schema, "{}");
    lag_schema_close(schema, "{}");
    lag_schema_close(schema, "{}");
}

static void describe_sample(struct lag_schema *schema)
{
    static const struct lag_form *const forms[] = {&lag_form_text, &lag_form_sample};

    lag_schema_open(schema, "anyOf", "[]");
    for (uint32_t i = 0; i < 2; i++) {
        lag_schema_open(schema, NULL, "{}");
        lag_schema_form(schema, forms[i]);
        lag_schema_close(schema, "{}");
    }
    lag_schema_close(schema, "[]");
}

static void describe_body(struct lag_schema *schema, const struct lag_law_dialect *dialect,
                          const struct lag_law_type *type)
{
    switch (type->made) {
    case LAG_LAW_OF_NUMBERS:
        describe_numbers(schema, dialect, type);
        break;
    case LAG_LAW_OF_VALUE:
        lag_schema_form(schema, dialect->value);
        break;
    case LAG_LAW_OF_PARTS:
        describe_parts(schema, dialect);
        break;
    case LAG_LAW_OF_SAMPLE:
        describe_sample(schema);
        break;
    }
}

/* One alternative for each law: {NAME: ...} and nothing else. */
void lag_law_describe(struct lag_schema *schema, const struct lag_law_dialect *dialect)
{
    lag_schema_open(schema, "anyOf", "[]");
    for (uint32_t i = 0; lag_law_types[i] != NULL; i++) {
        const struct lag_law_type *type = lag_law_types[i];
        g_autofree char *title = g_strdup_printf("the law %s", type->name);
        if (!dialect->laws->allows(type->name))
            continue;
        lag_schema_open(schema, NULL, "{}");
        lag_schema_string(schema, "title", title);
        lag_schema_string(schema, "type", "object");
        lag_schema_word(schema, "additionalProperties", "false");
        lag_schema_words(schema, "required", type->name);
        lag_schema_open(schema, "properties", "{}");
        lag_schema_open(schema, type->name, "{}");
        lag_schema_string(schema, "description", type->summary);
        describe_body(schema, dialect, type);
        lag_schema_close(schema, "{}");
        lag_schema_close(schema, "{}");
        lag_schema_close(schema, "{}");
    }
    lag_schema_close(schema, "[]");
}
