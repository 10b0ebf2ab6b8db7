/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Laws from measured values, by maximum likelihood. Each family is one row of a table; densities
 * come from the laws themselves. */
#ifndef LAGGARD_RESULTS_FIT_H
#define LAGGARD_RESULTS_FIT_H

#include <stdbool.h>

#include "results/sample.h"
#include "sim/law.h"

/* How a parameter is estimated. */
enum lag_fit_role {
    LAG_FIT_REGULAR, /* inside its range: its error shrinks as 1 / sqrt(n) */
    LAG_FIT_EDGE,    /* an end of the law's range: the sample's own end, off by a spacing or so */
};

struct lag_family {
    const char *law; /* the name of its type */
    enum lag_fit_role role[LAG_LAW_PARAMETERS];
    bool closed; /* the guess is the maximum; else a search over logarithms starts there */
    void (*guess)(const lag_sample *sample, double *p);
};

/* Ends with an entry without a law. */
extern const struct lag_family lag_families[];
#define LAG_FAMILIES 8

struct lag_fit {
    const struct lag_family *family;
    struct lag_law law;               /* owns nothing */
    double error[LAG_LAW_PARAMETERS]; /* standard errors, from the observed information; NAN at
                                       * an edge */
    double log_likelihood;
    double bic;      /* parameters x ln(n) - 2 log-likelihood: the smaller the better */
    double distance; /* Kolmogorov-Smirnov, between sample and law, to about 1 / 1000 */
};

/* One family; false where it can't describe the sample. */
bool lag_fit_family(const struct lag_family *family, const lag_sample *sample, struct lag_fit *ret);

/* All that can, the best BIC first; returns how many. None where there are fewer than
 * LAG_FIT_LEAST values, or all are equal. */
#define LAG_FIT_LEAST 8
uint32_t lag_fit_all(const lag_sample *sample, struct lag_fit ret[LAG_FAMILIES]);

#endif
