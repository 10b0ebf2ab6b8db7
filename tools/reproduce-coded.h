/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows of a paper whose numbers are those of `laggard explain`'s page of coded aggregation: where a row's
 * scenario is the word "explain". */
#ifndef LAGGARD_TOOLS_REPRODUCE_CODED_H
#define LAGGARD_TOOLS_REPRODUCE_CODED_H

#include "results/arithmetic.h"

#define LAG_REPRODUCE_EXPLAIN "explain"

/* What a reference means, of a row at `point` ("a=1; b=2"; keys of explain's --set, and the reference's own
 * change it). The label is coded-reduce, gradient-coding, uncoded-tree, master-worker or ring. */
bool lag_coded_reference(const struct lag_reference *reference, const char *point,
                         double *ret_value, GError **error);

#endif
