/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values of a sweep's axis by their ends: {from: 1 MiB, to: 1 GiB, steps: 11, scale: log}. */
#ifndef LAGGARD_SCENARIOS_RANGE_H
#define LAGGARD_SCENARIOS_RANGE_H

#include "scenarios/form.h"

#define LAG_MOST_VALUES 1000000u

extern const struct lag_form lag_form_range;

/* The values of a range, for what stands at `form`, as a list of scalars in base units: "1048576
 * B". What is between the ends is rounded: whole numbers to the nearest, sizes to the nearest
 * multiple of 8 B (whole elements of every dtype), others to 15 digits; the ends are kept. All
 * values are different. NULL with LAGGARD_ERROR_INPUT; the caller owns the reference. */
lag_node *lag_range_expand(const struct lag_at *at, const struct lag_form *form, GError **error);

#endif
