/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two algorithms under the same arrivals: a paired comparison. What the arrivals do to both
 * cancels in the difference, so it is known better than either time. */
#ifndef LAGGARD_RESULTS_PAIRED_H
#define LAGGARD_RESULTS_PAIRED_H

#include <stddef.h>

#include "sim/units.h"

/* An estimate and its 95 % interval; NAN where there is none. */
struct lag_estimate {
    double value, low, high;
};

struct lag_paired {
    size_t n;                       /* runs */
    size_t n_independent;           /* replications, where there are several, else runs */
    double mean_a, mean_b;          /* exposed times [s] */
    struct lag_estimate difference; /* a - b [s], Student's t over the independent ones */
    struct lag_estimate ratio;      /* mean a / mean b, Fieller's interval */
    struct lag_estimate wins;       /* share of runs in which a is faster, Wilson's interval */
    double ties;                    /* share of runs in which the two are equal to rounding */
};

/* a[i] and b[i] are of the same arrivals; runs of one replication stand together, n_each of them.
 * Where there are several replications the intervals are over their means, since the steps of one
 * may depend on each other. */
struct lag_paired lag_paired_of(const double *a, const double *b, size_t n, size_t n_each);

/* Wilson's score interval of a share of n trials, at 95 %. */
struct lag_estimate lag_wilson(double share, size_t n);

#endif
