/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fractional repetition: groups of s + 1 workers; all of a group hold the same s + 1 parts and send
 * their plain sum, so that one message of each group is enough, often before all but s are there. */
#include "algorithms/codes/groups.h"

static lag_code *build(const struct lag_code_request *request, GError **error)
{
    return lag_code_of_groups("fractional", request, error);
}

const struct lag_code_kind lag_code_kind_fractional = {
    .name = "fractional",
    .summary = "fractional repetition: groups of stragglers + 1 workers that hold the same",
    .source = "Tandon, Lei, Dimakis, Karampatziakis: Gradient coding, ICML 2017, section 4",
    .by_groups = true,
    .build = build,
};
