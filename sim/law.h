/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Laws of random numbers that are never negative: one table, from which the scenario loader,
 * `laggard list laws`, the fits and the tests follow. Parameters are in base units: seconds for a
 * law of a delay, plain numbers for a law of a factor. Whoever uses this header calls
 * gsl_set_error_handler_off() first. */
#ifndef LAGGARD_SIM_LAW_H
#define LAGGARD_SIM_LAW_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/rng.h"

#define LAG_LAW_PARAMETERS 3 /* most that a law has */

/* What a parameter is: something measured in the law's own unit (0 or more), a positive number
 * without a unit, any number without a unit (a logarithm), or a probability. */
enum lag_law_unit {
    LAG_LAW_OWN_UNIT,
    LAG_LAW_POSITIVE,
    LAG_LAW_REAL,
    LAG_LAW_PROBABILITY,
};

struct lag_law_parameter {
    const char *name; /* as in a scenario; NULL ends the list */
    enum lag_law_unit unit;
    const char *help;
};

/* When a law is drawn: anew for each step, once for a whole job, or moving once a step from
 * stationarity. */
enum lag_law_time {
    LAG_EACH_STEP,
    LAG_ONCE_A_JOB,
    LAG_MARKOV,
};

/* What a law is made of: its parameters, one without its name (constant: 5 ms), other laws with
 * weights, or a sample. */
enum lag_law_made {
    LAG_LAW_OF_NUMBERS,
    LAG_LAW_OF_VALUE,
    LAG_LAW_OF_PARTS,
    LAG_LAW_OF_SAMPLE,
};

/* A law with its parameters. It owns its parts and its sample (lag_law_clear); a law of numbers
 * owns nothing, so that {.type = type, .p = {1, 2}} is all that it takes to make one. */
struct lag_law {
    const struct lag_law_type *type;
    double p[LAG_LAW_PARAMETERS]; /* in the order of the type's list */
    uint32_t n_parts, n_values;
    struct lag_law_part *parts; /* weights sum to 1 */
    double *values;             /* rising */
};
struct lag_law_part {
    double weight;
    struct lag_law law;
};

/* A law by its name; the functions are those below, which do what holds for all. NULL: move of
 * what is no chain, log_density where there is none, mean_of_kth where there is no closed form
 * (which may also answer NAN for some k and n), moments where all are finite. */
struct lag_law_type {
    const char *name, *summary, *source;
    const char *mean_formula;
    enum lag_law_time time;
    enum lag_law_made made;
    bool factor_only; /* makes sense as a factor only (a slow-down by c) */
    struct lag_law_parameter parameters[LAG_LAW_PARAMETERS + 1];
    const char *(*objection)(const struct lag_law *law);
    double (*draw)(const struct lag_law *law, const gsl_rng *rng);
    double (*move)(const struct lag_law *law, double value, const gsl_rng *rng);
    double (*mean)(const struct lag_law *law);
    double (*variance)(const struct lag_law *law);
    double (*moments)(const struct lag_law *law);
    double (*cdf)(const struct lag_law *law, double x);
    double (*survival)(const struct lag_law *law, double x);
    double (*quantile)(const struct lag_law *law, double u);
    double (*log_density)(const struct lag_law *law, double x);
    double (*mean_of_kth)(const struct lag_law *law, uint32_t k, uint32_t n);
};

/* All types, sorted by name; ends with NULL. */
extern const struct lag_law_type *const lag_law_types[];
const struct lag_law_type *lag_law_type_find(const char *name);
uint32_t lag_law_type_n_parameters(const struct lag_law_type *type);

/* A mixture and a sample take over their lists (of g_malloc): weights are scaled to sum to 1,
 * values are sorted. A law must be zeroed, or cleared, before. */
void lag_law_set_parts(struct lag_law *law, struct lag_law_part *parts, uint32_t n_parts);
void lag_law_set_sample(struct lag_law *law, double *values, uint32_t n_values);
void lag_law_clear(struct lag_law *law);

/* NULL, or why the parameters are impossible, as a clause: "max is below min". All that follows
 * needs a law without objection. */
const char *lag_law_objection(const struct lag_law *law);

/* One number, which does not depend on any before; of a chain: in stationarity. */
double lag_law_draw(const struct lag_law *law, const gsl_rng *rng);

/* What follows `value` one step later, where the law is a chain. */
double lag_law_move(const struct lag_law *law, double value, const gsl_rng *rng);

/* INFINITY where there is none. Moments of an order below lag_law_moments are finite. */
double lag_law_mean(const struct lag_law *law);
double lag_law_variance(const struct lag_law *law);
double lag_law_moments(const struct lag_law *law);

/* P(X <= x), and P(X > x) exact in its own tail. The quantile is the smallest x with
 * P(X <= x) >= u, 0 < u < 1. */
double lag_law_cdf(const struct lag_law *law, double x);
double lag_law_survival(const struct lag_law *law, double x);
double lag_law_quantile(const struct lag_law *law, double u);

/* The logarithm of the density (of a normal law at 0: of the probability of 0); NAN where the law
 * has none. */
bool lag_law_has_density(const struct lag_law *law);
double lag_law_log_density(const struct lag_law *law, double x);

#endif
