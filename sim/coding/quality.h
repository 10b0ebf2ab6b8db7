/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How well a code decodes over sets of stragglers. */
#ifndef LAGGARD_SIM_CODING_QUALITY_H
#define LAGGARD_SIM_CODING_QUALITY_H

#include "sim/coding/decoder.h"

/* Over the sets that were looked at. */
struct lag_code_quality {
    double amplification; /* largest; see struct lag_decoding */
    double residual;      /* largest */
    double error;         /* mean |1 - a B|^2 / n_parts */
    uint64_t n_sets;
    uint64_t n_exact; /* of these, decoded exactly */
    bool all;         /* there are no others */
};

/* All sets of n_late workers without their last messages, where these are at most n_sets; else
 * sets of neighbours, up to 20, and random ones, n_sets in all. The same request gives the same. */
struct lag_code_quality lag_code_quality(const lag_code *code, uint32_t n_late, uint64_t n_sets,
                                         uint64_t seed);

/* Up to n_runs sets of n_stragglers neighbours (worker 0 is the last one's), spread evenly. */
struct lag_code_quality lag_code_quality_of_runs(const lag_code *code, uint32_t n_runs);

#endif
