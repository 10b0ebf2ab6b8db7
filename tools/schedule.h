/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints a plan, transfer by transfer. */
#ifndef LAGGARD_TOOLS_SCHEDULE_H
#define LAGGARD_TOOLS_SCHEDULE_H

#include "sim/plan.h"
#include "tools/output.h"

/* What to print. Rounds are numbered from the late rank's arrival on: those before are negative. */
struct lag_schedule {
    const char *algorithm;
    const lag_plan *plan;
    struct lag_names names;
    const bool *verified; /* what --verify found; NULL: it was not asked */
};

/* "r src dst chunk kind" a line, by (r, src); kind R before the arrival, then P for a chunk that
 * is reduced and F for one that is stored. Several chunks are "first-last". */
bool lag_schedule_text(const struct lag_schedule *schedule, struct lag_output *output,
                       GError **error);
bool lag_schedule_json(const struct lag_schedule *schedule, struct lag_output *output,
                       GError **error);

#endif
