/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Results as the tables that nccl-tests prints, for those who have a parser for them. */
#ifndef LAGGARD_RESULTS_NCCL_H
#define LAGGARD_RESULTS_NCCL_H

#include "results/summary.h"

/* What those tables say of a row's buffer beyond the row. */
struct lag_nccl_buffer {
    const char *dtype; /* as scenarios name it: "fp32" */
    uint32_t element_bytes, root;
};

struct lag_nccl_part {
    const lag_result_set *set;
    const struct lag_nccl_buffer *buffers; /* [set->n_results] */
};

/* Appends a table for each algorithm, and for each value of the axes but the size: a row for each
 * size, ascending. Out-of-place and in-place are the same numbers; `time` is the mean exposed
 * time. A row without numbers is a comment line. `version` is the program's. */
void lag_nccl_tables(GString *text, const struct lag_nccl_part *parts, uint32_t n_parts,
                     const char *version);

#endif
