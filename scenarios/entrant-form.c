/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The form of `algorithms:`: what an entry may say, by the tables of collectives and protocols. */
#include <math.h>
#include <string.h>

#include "algorithms/algorithms.h"
#include "algorithms/protocols.h"
#include "scenarios/draft.h"
#include "scenarios/schema-writer.h"

static bool is_parameter(const char *key)
{
    for (uint32_t i = 0; lag_algorithms[i] != NULL; i++)
        if (lag_algorithm_parameter(lag_algorithms[i], key) >= 0)
            return true;
    for (uint32_t i = 0; lag_protocols[i] != NULL; i++)
        if (lag_parameters_find(lag_protocols[i]->parameters, key) >= 0)
            return true;
    return strcmp(key, "name") == 0;
}

static void describe_names(struct lag_schema *schema)
{
    lag_schema_open(schema, "enum", "[]");
    for (uint32_t i = 0; lag_algorithms[i] != NULL; i++)
        lag_schema_string(schema, NULL, lag_algorithms[i]->name);
    for (uint32_t i = 0; lag_protocols[i] != NULL; i++)
        lag_schema_string(schema, NULL, lag_protocols[i]->name);
    lag_schema_close(schema, "[]");
}

static void describe_number(struct lag_schema *schema, const struct laggard_parameter *parameter)
{
    bool bounded = parameter->type != LAGGARD_RANK;
    g_autofree char *min = g_strdup_printf("%.15g", bounded ? parameter->min : 0);
    g_autofree char *max = g_strdup_printf("%.15g", parameter->max);

    lag_schema_string(schema, "type", parameter->type == LAGGARD_NUMBER ? "number" : "integer");
    lag_schema_word(schema, "minimum", min);
    if (bounded && isfinite(parameter->max))
        lag_schema_word(schema, "maximum", max);
}

static void describe_value(struct lag_schema *schema, const struct laggard_parameter *parameter)
{
    if (parameter->type == LAGGARD_CHOICE)
        lag_schema_words(schema, "enum", parameter->choices);
    else if (parameter->type == LAGGARD_SHARE)
        lag_schema_string(schema, "pattern", "^[0-9.]+ *%$");
    else if (parameter->type == LAGGARD_TIME)
        lag_schema_form(schema, &lag_form_duration);
    else
        describe_number(schema, parameter);
}

/* The value, or a word. */
static void describe_or_word(struct lag_schema *schema, const struct laggard_parameter *parameter,
                             const char *word)
{
    lag_schema_open(schema, "anyOf", "[]");
    lag_schema_open(schema, NULL, "{}");
    lag_schema_string(schema, "const", word);
    lag_schema_close(schema, "{}");
    lag_schema_open(schema, NULL, "{}");
    describe_value(schema, parameter);
    lag_schema_close(schema, "{}");
    lag_schema_close(schema, "[]");
}

static void describe_parameter(struct lag_schema *schema, const struct laggard_parameter *parameter)
{
    lag_schema_open(schema, parameter->name, "{}");
    lag_schema_string(schema, "description", parameter->help);
    if (parameter->type == LAGGARD_COUNT)
        describe_or_word(schema, parameter, "auto");
    else if (isinf(parameter->max))
        describe_or_word(schema, parameter, "inf");
    else
        describe_value(schema, parameter);
    lag_schema_close(schema, "{}");
}

static void describe_entrant(struct lag_schema *schema, const struct lag_entrant *entrant,
                             const char *summary)
{
    const struct laggard_parameter *parameters = lag_entrant_parameters(entrant);
    uint32_t n = lag_parameters_count(parameters);

    lag_schema_open(schema, NULL, "{}");
    lag_schema_string(schema, "type", "object");
    lag_schema_word(schema, "additionalProperties", "false");
    lag_schema_words(schema, "required", "name");
    lag_schema_open(schema, "properties", "{}");
    lag_schema_open(schema, "name", "{}");
    lag_schema_string(schema, "description", summary);
    lag_schema_string(schema, "const", lag_entrant_name(entrant));
    lag_schema_close(schema, "{}");
    for (uint32_t i = 0; i < n; i++)
        describe_parameter(schema, &parameters[i]);
    lag_schema_close(schema, "{}");
    lag_schema_close(schema, "{}");
}

static void describe_entrants(struct lag_schema *schema)
{
    lag_schema_open(schema, "anyOf", "[]");
    for (uint32_t i = 0; lag_algorithms[i] != NULL; i++)
        describe_entrant(schema, &(struct lag_entrant){.algorithm = lag_algorithms[i]},
                         lag_algorithms[i]->summary);
    for (uint32_t i = 0; lag_protocols[i] != NULL; i++)
        describe_entrant(schema, &(struct lag_entrant){.protocol = lag_protocols[i]},
                         lag_protocols[i]->summary);
    lag_schema_close(schema, "[]");
}

static const struct lag_form name_form = {
    .shape = LAG_TEXT, .what = "the name of an algorithm", .describe = describe_names};
static const struct lag_form number_form = {
    .shape = LAG_INTEGER, .what = "a whole number", .most = INT64_MAX};
static const struct lag_form *const value_alternatives[] = {&number_form, &lag_form_text, NULL};
static const struct lag_form value_form = {
    .shape = LAG_ONE_OF, .what = "a parameter's value", .alternatives = value_alternatives};
static const struct lag_form parameters_form = {.shape = LAG_FREE,
                                                .what = "an algorithm, {name: ring}",
                                                .item = &value_form,
                                                .allows = is_parameter,
                                                .describe = describe_entrants};
static const struct lag_form *const entrant_alternatives[] = {&name_form, &parameters_form, NULL};
const struct lag_form lag_form_entrant = {.shape = LAG_ONE_OF,
                                          .what = "an algorithm: ring, or {name: ring}",
                                          .alternatives = entrant_alternatives};
const struct lag_form lag_form_algorithms = {.shape = LAG_LIST_OF,
                                             .what = "a list of algorithms, [ring, stragglar]",
                                             .item = &lag_form_entrant};
