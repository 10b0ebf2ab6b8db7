/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Time against amount as a few straight lines: t = t0 + slope x amount, one for each level of the
 * caches, found robustly. Relative residuals count, for both axes span decades; a residual beyond
 * 4.685 times the noise counts no more than one at that distance (Tukey's biweight), and the
 * timing is an outlier. The noise is the median distance of a timing from its neighbours. How many
 * lines: the least Bayesian information criterion (Schwarz 1978), over all break points. */
#ifndef LAGGARD_RESULTS_CALIBRATION_FIT_H
#define LAGGARD_RESULTS_CALIBRATION_FIT_H

#include <stdint.h>

#include "sim/units.h"

#define LAG_MAX_SEGMENTS   5
#define LAG_SEGMENT_POINTS 4 /* of a line, at least, where there is more than one */

struct lag_segment {
    double from, to;        /* amounts; where two lines meet, if they do between two timings */
    lag_seconds t0;         /* not below 0 in the first segment */
    double slope;           /* [s per unit], not below 0; 1 / slope is the rate */
    uint32_t n;             /* timings */
    uint32_t n_outliers;    /* of them */
    double residual_median; /* of |fit - timing| / timing, outliers too */
    double residual_max;
};

/* `amount` increases, `seconds` are above 0; n >= 1. Returns how many segments there are. */
uint32_t lag_calibration_fit(const double *amount, const lag_seconds *seconds, uint32_t n,
                             struct lag_segment ret[LAG_MAX_SEGMENTS]);

#endif
