/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/law.h"

#include <math.h>
#include <string.h>

#include <glib.h>

#include "sim/law-bell.h"
#include "sim/law-compound.h"
#include "sim/law-flat.h"
#include "sim/law-gamma.h"
#include "sim/law-lifetime.h"
#include "sim/law-two-point.h"

/* The largest number that a law may give, with less than 2^-53 for anything beyond: sums and
 * products of a few such numbers are finite still. */
#define LARGEST 1e60

#define LAW(name) &lag_##name##_law,
const struct lag_law_type *const lag_law_types[] = {
#include "sim/laws.def"
    NULL};
#undef LAW

const struct lag_law_type *lag_law_type_find(const char *name)
{
    for (uint32_t i = 0; lag_law_types[i] != NULL; i++)
        if (strcmp(lag_law_types[i]->name, name) == 0)
            return lag_law_types[i];
    return NULL;
}

uint32_t lag_law_type_n_parameters(const struct lag_law_type *type)
{
    uint32_t n = 0;

    while (type->parameters[n].name != NULL)
        n++;
    return n;
}

void lag_law_set_parts(struct lag_law *law, struct lag_law_part *parts, uint32_t n_parts)
{
    double sum = 0;

    for (uint32_t i = 0; i < n_parts; i++)
        sum += parts[i].weight;
    for (uint32_t i = 0; i < n_parts; i++)
        parts[i].weight /= sum;
    law->type = &lag_mixture_law;
    law->parts = parts;
    law->n_parts = n_parts;
}

static int compare_values(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

void lag_law_set_sample(struct lag_law *law, double *values, uint32_t n_values)
{
    if (n_values > 0)
        qsort(values, n_values, sizeof(*values), compare_values);
    law->type = &lag_empirical_law;
    law->values = values;
    law->n_values = n_values;
}

void lag_law_clear(struct lag_law *law)
{
    for (uint32_t i = 0; i < law->n_parts; i++)
        lag_law_clear(&law->parts[i].law);
    g_free(law->parts);
    g_free(law->values);
    memset(law, 0, sizeof *law);
}

static const char *object_to_parameter(const struct lag_law_parameter *parameter, double value)
{
    if (!isfinite(value))
        return "a parameter is not finite";
    if (parameter->unit == LAG_LAW_OWN_UNIT && value < 0)
        return "a parameter is negative";
    if (parameter->unit == LAG_LAW_POSITIVE && value <= 0)
        return "a parameter that must be above 0 is not";
    if (parameter->unit == LAG_LAW_PROBABILITY && (value < 0 || value > 1))
        return "a probability is not between 0 and 1";
    return NULL;
}

const char *lag_law_objection(const struct lag_law *law)
{
    const char *objection = NULL;

    for (uint32_t i = 0; law->type->parameters[i].name != NULL && objection == NULL; i++)
        objection = object_to_parameter(&law->type->parameters[i], law->p[i]);
    if (objection == NULL && law->type->objection != NULL)
        objection = law->type->objection(law);
    if (objection != NULL)
        return objection;
    return lag_law_quantile(law, 1 - 0x1p-53) <= LARGEST ? NULL : "its numbers may be above 1e60";
}

double lag_law_draw(const struct lag_law *law, const gsl_rng *rng)
{
    return law->type->draw(law, rng);
}

double lag_law_move(const struct lag_law *law, double value, const gsl_rng *rng)
{
    return law->type->move(law, value, rng);
}

double lag_law_mean(const struct lag_law *law)
{
    return law->type->mean(law);
}

double lag_law_variance(const struct lag_law *law)
{
    return law->type->variance(law);
}

double lag_law_moments(const struct lag_law *law)
{
    return law->type->moments == NULL ? INFINITY : law->type->moments(law);
}

double lag_law_cdf(const struct lag_law *law, double x)
{
    return x < 0 ? 0 : law->type->cdf(law, x);
}

double lag_law_survival(const struct lag_law *law, double x)
{
    return x < 0 ? 1 : law->type->survival(law, x);
}

double lag_law_quantile(const struct lag_law *law, double u)
{
    return law->type->quantile(law, u);
}

bool lag_law_has_density(const struct lag_law *law)
{
    if (law->type->log_density == NULL)
        return false;
    for (uint32_t i = 0; i < law->n_parts; i++)
        if (!lag_law_has_density(&law->parts[i].law))
            return false;
    return true;
}

double lag_law_log_density(const struct lag_law *law, double x)
{
    if (!lag_law_has_density(law))
        return NAN;
    return x < 0 ? -INFINITY : law->type->log_density(law, x);
}
