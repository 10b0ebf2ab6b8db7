/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/law-form.h"

#include <string.h>

#include "scenarios/law-entry.h"

static void describe_delays(struct lag_schema *schema);
static void describe_factors(struct lag_schema *schema);

static const struct lag_form number_form = {.shape = LAG_NUMBER, .what = "a number"};
static const struct lag_form positive_form = {
    .shape = LAG_NUMBER, .what = "a number", .above_min = true};
static const struct lag_form logarithm_form = {
    .shape = LAG_NUMBER, .what = "a logarithm", .min = -700, .max = 700};
static const struct lag_form probability_form = {
    .shape = LAG_NUMBER, .what = "a probability", .max = 1};
static const struct lag_form unit_form = {
    .shape = LAG_CHOICE, .what = "a unit of time", .choices = "s|ms|us|ns"};

static const struct lag_key sample_keys[] = {
    {.name = "file",
     .form = &lag_form_text,
     .required = true,
     .offset = offsetof(struct lag_law_file_entry, file),
     .help = "one number a line; its folder is the scenario's"},
    {.name = "unit",
     .form = &unit_form,
     .offset = offsetof(struct lag_law_file_entry, unit),
     .help = "of the numbers, where the first line is no name that ends in _s, _ms or _us"},
    {.name = NULL          },
};
const struct lag_form lag_form_sample = {
    .shape = LAG_MAPPING_OF, .what = "a file, {file: delays.txt, unit: ms}", .keys = sample_keys};

/* True for the name of a parameter, of either kind. */
static bool is_parameter(const char *key, bool in_own_unit)
{
    for (uint32_t i = 0; lag_law_types[i] != NULL; i++) {
        const struct lag_law_parameter *parameter = lag_law_types[i]->parameters;
        for (; parameter->name != NULL; parameter++)
            if (strcmp(parameter->name, key) == 0 &&
                (parameter->unit == LAG_LAW_OWN_UNIT) == in_own_unit)
                return true;
    }
    return false;
}

static bool is_in_own_unit(const char *key)
{
    return is_parameter(key, true);
}

static bool is_plain(const char *key)
{
    return is_parameter(key, false);
}

static bool is_law(const char *key)
{
    return lag_law_type_find(key) != NULL;
}

static bool is_delay_law(const char *key)
{
    return is_law(key) && !lag_law_type_find(key)->factor_only;
}

/* What may stand behind a law's name, for the paths of sweeps: which law has which parameter is
 * left to the reader, and said by the schema. */
static const struct lag_form plain_form = {
    .shape = LAG_FREE, .what = "parameters", .item = &number_form, .allows = is_plain};
static const struct lag_form times_form = {
    .shape = LAG_FREE, .what = "parameters", .item = &lag_form_duration, .allows = is_in_own_unit};
static const struct lag_form factors_form = {
    .shape = LAG_FREE, .what = "parameters", .item = &number_form, .allows = is_in_own_unit};

#define PART_KEYS(law_form)                                                                        \
    {                                                                                              \
        {.name = "weight",                                                                         \
         .form = &positive_form,                                                                   \
         .required = true,                                                                         \
         .offset = offsetof(struct lag_law_weight, weight),                                        \
         .help = "how often, in proportion to the others"},                                        \
            {.name = "law",                                                                        \
             .form = (law_form),                                                                   \
             .required = true,                                                                     \
             .read = lag_read_later,                                                               \
             .help = "what is drawn then"},                                                        \
        {                                                                                          \
            .name = NULL                                                                           \
        }                                                                                          \
    }

static const struct lag_key delay_part_keys[] = PART_KEYS(&lag_form_delay);
static const struct lag_form delay_part_form = {
    .shape = LAG_MAPPING_OF, .what = "a part, {weight: 0.9, law: 1 ms}", .keys = delay_part_keys};
static const struct lag_form delay_parts_form = {
    .shape = LAG_LIST_OF, .what = "a list of parts", .item = &delay_part_form};
static const struct lag_form *const delay_bodies[] = {
    &lag_form_duration, &times_form,    &plain_form, &delay_parts_form,
    &lag_form_sample,   &lag_form_text, NULL};
static const struct lag_form delay_body_form = {
    .shape = LAG_ONE_OF, .what = "the parameters of a law", .alternatives = delay_bodies};
static const struct lag_form delay_laws_form = {.shape = LAG_FREE,
                                                .what = "a law, {exponential: {mean: 1 ms}}",
                                                .item = &delay_body_form,
                                                .allows = is_delay_law,
                                                .describe = describe_delays};
static const struct lag_form *const delay_alternatives[] = {&lag_form_duration, &delay_laws_form,
                                                            NULL};
const struct lag_form lag_form_delay = {
    .shape = LAG_ONE_OF, .what = "a time or a law", .alternatives = delay_alternatives};

static const struct lag_key factor_part_keys[] = PART_KEYS(&lag_form_slowdown);
static const struct lag_form factor_part_form = {
    .shape = LAG_MAPPING_OF, .what = "a part, {weight: 0.9, law: 1.5}", .keys = factor_part_keys};
static const struct lag_form factor_parts_form = {
    .shape = LAG_LIST_OF, .what = "a list of parts", .item = &factor_part_form};
static const struct lag_form *const factor_bodies[] = {
    &lag_form_factor, &factors_form,  &plain_form, &factor_parts_form,
    &lag_form_sample, &lag_form_text, NULL};
static const struct lag_form factor_body_form = {
    .shape = LAG_ONE_OF, .what = "the parameters of a law", .alternatives = factor_bodies};
static const struct lag_form factor_laws_form = {.shape = LAG_FREE,
                                                 .what = "a law, {exponential: {mean: 1.5}}",
                                                 .item = &factor_body_form,
                                                 .allows = is_law,
                                                 .describe = describe_factors};
static const struct lag_form *const factor_alternatives[] = {&lag_form_factor, &factor_laws_form,
                                                             NULL};
const struct lag_form lag_form_slowdown = {
    .shape = LAG_ONE_OF, .what = "a factor or a law", .alternatives = factor_alternatives};

const struct lag_law_dialect lag_delay_laws = {
    .whole = &lag_form_delay,
    .value = &lag_form_duration,
    .own = &lag_form_duration,
    .laws = &delay_laws_form,
    .part = &delay_part_form,
};
const struct lag_law_dialect lag_factor_laws = {
    .is_factor = true,
    .whole = &lag_form_slowdown,
    .value = &lag_form_factor,
    .own = &number_form,
    .laws = &factor_laws_form,
    .part = &factor_part_form,
};

const struct lag_form *lag_law_parameter_form(const struct lag_law_dialect *dialect,
                                              const struct lag_law_parameter *parameter)
{
    switch (parameter->unit) {
    case LAG_LAW_OWN_UNIT:
        return dialect->own;
    case LAG_LAW_POSITIVE:
        return &positive_form;
    case LAG_LAW_REAL:
        return &logarithm_form;
    case LAG_LAW_PROBABILITY:
        break;
    }
    return &probability_form;
}

static void describe_delays(struct lag_schema *schema)
{
    lag_law_describe(schema, &lag_delay_laws);
}

static void describe_factors(struct lag_schema *schema)
{
    lag_law_describe(schema, &lag_factor_laws);
}
