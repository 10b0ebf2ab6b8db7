/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sums, differences, products and quotients of numbers and of results, as the papers' tables of
 * results/published/ write them:
 *
 *   {ring}.exposed_s / {stragglar | cluster.gpus=8}.exposed_s - 1
 *
 * A reference is an algorithm's label in braces, behind a bar what of the point differs from the
 * row's, and a metric. log2(x), sqrt(x), and min(a, b, ...), max(a, b, ...) and mean(a, b, ...) are
 * the functions. min and max pass over what isn't a number, as a run that didn't get there: the best of
 * those that did. */
#ifndef LAGGARD_RESULTS_ARITHMETIC_H
#define LAGGARD_RESULTS_ARITHMETIC_H

#include <stdbool.h>

#include <glib.h>

/* All three without outer blanks; `point` is "" where there is none. */
struct lag_reference {
    const char *label, *point, *metric;
};

/* What a reference stands for. False with an error. */
typedef bool (*lag_reference_find)(const struct lag_reference *reference, void *data,
                                   double *ret_value, GError **error);

/* Evaluates `text`; the value may be infinite or NAN where it divides by 0. False with the error of
 * `find`, or LAGGARD_ERROR_INPUT that says what was expected, and where. */
bool lag_arithmetic(const char *text, lag_reference_find find, void *data, double *ret_value,
                    GError **error);

#endif
