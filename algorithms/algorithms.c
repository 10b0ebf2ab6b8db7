/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "algorithms/algorithms.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define ALGORITHM(name) extern const struct laggard_algorithm laggard_##name;
#include "algorithms/algorithms.def"
#undef ALGORITHM

#define ALGORITHM(name) &laggard_##name,
const struct laggard_algorithm *const lag_algorithms[] = {
#include "algorithms/algorithms.def"
    NULL,
};
#undef ALGORITHM

const struct laggard_algorithm *lag_algorithm_find(const char *name)
{
    for (size_t i = 0; lag_algorithms[i] != NULL; i++)
        if (strcmp(lag_algorithms[i]->name, name) == 0)
            return lag_algorithms[i];
    return NULL;
}

uint32_t lag_algorithm_n_parameters(const struct laggard_algorithm *algorithm)
{
    uint32_t n = 0;

    while (algorithm->parameters != NULL && algorithm->parameters[n].name != NULL)
        n++;
    return n;
}

int lag_algorithm_parameter(const struct laggard_algorithm *algorithm, const char *name)
{
    uint32_t n = lag_algorithm_n_parameters(algorithm);

    for (uint32_t i = 0; i < n; i++)
        if (strcmp(algorithm->parameters[i].name, name) == 0)
            return (int)i;
    return -1;
}

static bool parse_choice(const struct laggard_parameter *parameter, const char *text,
                         int64_t *ret_value, GError **error)
{
    g_auto(GStrv) words = g_strsplit(parameter->choices, "|", 0);

    for (int64_t i = 0; words[i] != NULL; i++)
        if (strcmp(words[i], text) == 0) {
            *ret_value = i;
            return true;
        }
    g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT, "\"%s\" is not one of %s", text,
                parameter->choices);
    return false;
}

static bool parse_number(const char *text, int64_t min, int64_t max, int64_t *ret_value,
                         GError **error)
{
    if (g_ascii_string_to_signed(text, 10, min, max, ret_value, NULL))
        return true;
    g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT,
                "expected a whole number from %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT
                ", got \"%s\"",
                min, max, text);
    return false;
}

static bool parse_count(const struct laggard_parameter *parameter, const char *text,
                        int64_t *ret_value, GError **error)
{
    if (strcmp(text, "auto") == 0) {
        *ret_value = LAGGARD_AUTO;
        return true;
    }
    if (parse_number(text, parameter->min, parameter->max, ret_value, error))
        return true;
    g_prefix_error(error, "neither auto nor valid: ");
    return false;
}

/* "90 %" */
static bool parse_share(const char *text, int64_t *ret_value, GError **error)
{
    char *end;
    double number = g_ascii_strtod(text, &end);

    if (end != text && number >= 0 && number <= 100) {
        while (*end == ' ')
            end++;
        if (strcmp(end, "%") == 0) {
            *ret_value = llround(number * (double)LAGGARD_WHOLE / 100);
            return true;
        }
    }
    g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT,
                "expected a share from 0 %% to 100 %%, such as 90 %%, got \"%s\"", text);
    return false;
}

bool lag_parameter_parse(const struct laggard_parameter *parameter, const char *text,
                         uint32_t n_ranks, int64_t *ret_value, GError **error)
{
    switch (parameter->type) {
    case LAGGARD_INTEGER:
        return parse_number(text, parameter->min, parameter->max, ret_value, error);
    case LAGGARD_COUNT:
        return parse_count(parameter, text, ret_value, error);
    case LAGGARD_RANK:
        return parse_number(text, 0, (int64_t)n_ranks - 1, ret_value, error);
    case LAGGARD_CHOICE:
        return parse_choice(parameter, text, ret_value, error);
    case LAGGARD_SHARE:
        return parse_share(text, ret_value, error);
    }
    assert(false && "unknown parameter type");
    return false;
}

char *lag_parameter_text(const struct laggard_parameter *parameter, int64_t value)
{
    if (parameter->type == LAGGARD_COUNT && value == LAGGARD_AUTO)
        return g_strdup("auto");
    if (parameter->type == LAGGARD_SHARE)
        return g_strdup_printf("%.10g %%", (double)value * 100 / (double)LAGGARD_WHOLE);
    if (parameter->type != LAGGARD_CHOICE)
        return g_strdup_printf("%" G_GINT64_FORMAT, value);
    g_auto(GStrv) words = g_strsplit(parameter->choices, "|", 0);
    return g_strdup(words[value]);
}

void lag_algorithm_defaults(const struct laggard_algorithm *algorithm, int64_t *ret_values)
{
    uint32_t n = lag_algorithm_n_parameters(algorithm);

    for (uint32_t i = 0; i < n; i++) {
        const struct laggard_parameter *parameter = &algorithm->parameters[i];
        ret_values[i] = LAGGARD_NONE;
        if (parameter->default_text[0] != '\0' &&
            !lag_parameter_parse(parameter, parameter->default_text, LAGGARD_NONE, &ret_values[i],
                                 NULL))
            assert(false && "an algorithm's default is not a value of its type");
    }
}

/* "allreduce, all-gather" */
static char *list_collectives(unsigned collectives)
{
    g_autoptr(GString) text = g_string_new(NULL);

    for (unsigned c = 0; c < LAGGARD_N_COLLECTIVES; c++)
        if (collectives & LAGGARD_BIT(c))
            g_string_append_printf(text, "%s%s", text->len > 0 ? ", " : "",
                                   laggard_collective_name(c));
    return g_strdup(text->str);
}

bool lag_algorithm_accepts(const struct laggard_algorithm *algorithm,
                           enum laggard_collective collective, uint32_t n_ranks, GError **error)
{
    if (!(algorithm->collectives & LAGGARD_BIT(collective))) {
        g_autofree char *list = list_collectives(algorithm->collectives);
        g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT, "%s does %s, not %s",
                    algorithm->name, list, laggard_collective_name(collective));
        return false;
    }
    if (algorithm->needs & LAGGARD_POWER_OF_TWO && (n_ranks & (n_ranks - 1)) != 0) {
        g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT, "%s needs 2^k ranks, got %u",
                    algorithm->name, n_ranks);
        return false;
    }
    return true;
}
