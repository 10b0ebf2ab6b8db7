/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `laggard explain coded-reduce` and `gradient-coding` ask when no scenario is given: a default, and
 * changes to it by the keys that a scenario has, "workload.gradient.points=6552". */
#ifndef LAGGARD_TOOLS_CODED_CASE_H
#define LAGGARD_TOOLS_CODED_CASE_H

#include "tools/explain-coded.h"

/* The case with what it borrows. Don't copy it. */
typedef struct lag_coded_input {
    struct lag_coded_case asked;
    struct lag_law by_point, extra, factor;
    char *law;                                                               /* in words */
    double gpus, degree, depth, stragglers, copies, candidates, draws, seed; /* whole numbers */
    double bandwidth;                                                        /* [B/s] */
    double message_time;                               /* [s]; NAN: its bytes over the bandwidth */
    double a, mu, extra_mean, slow_share, slow_factor; /* of the compute law */
    double serial;                                     /* ports; else shared */
    const struct lag_code_kind *code;                  /* NULL: the recommended one */
} lag_coded_input;
void lag_coded_input_clear(lag_coded_input *input);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(lag_coded_input, lag_coded_input_clear)

/* True for names that have such a page. */
bool lag_coded_is_known(const char *name);

/* Fills *input, which comes as zeros, for a name that is known. `sets` ends with NULL. False with
 * LAGGARD_ERROR_INPUT, which names the key. */
bool lag_coded_input_read(lag_coded_input *input, const char *name, const char *const *sets,
                          GError **error);

#endif
