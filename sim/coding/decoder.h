/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decodes a gradient code (sim/coding/code.h) from whatever messages have arrived. Whether they are
 * enough is told by the residual, or by each group's having one, never by their number. What was found
 * for a set of arrivals is kept, in bounded memory, and which is kept depends on the calls alone. */
#ifndef LAGGARD_SIM_CODING_DECODER_H
#define LAGGARD_SIM_CODING_DECODER_H

#include "sim/coding/code.h"

typedef struct lag_decoder lag_decoder;

/* What a set of arrivals gives. */
struct lag_decoding {
    const double *weights; /* [n_messages] a; 0 where nothing arrived; valid until the next call */
    double residual;       /* largest |1 - a B| */
    double error;          /* |1 - a B|^2 / n_parts */
    double amplification; /* sum_i |a_i| sum_j |B_ij| / n_parts; 1 is ideal: rounding grows by it */
    bool exact;           /* the residual is at most LAG_CODE_RESIDUAL */
    uint32_t n_used;      /* messages whose weight is not 0 */
    uint64_t set;         /* numbers the sets in the order in which they were decoded; from 1 */
    bool is_new;          /* this is the first time, or the first since it was forgotten */
};

/* Borrows the code, which must outlive it. Not for two threads at once. Takes O(n^3). */
lag_decoder *lag_decoder_new(const lag_code *code);
void lag_decoder_free(lag_decoder *decoder);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(lag_decoder, lag_decoder_free)

/* Keeps as many sets as fit in so much memory [B], and at least one; all are forgotten when one more
 * comes, and now. At first it is LAG_DECODER_MEMORY. */
#define LAG_DECODER_MEMORY ((size_t)64 << 20)
void lag_decoder_set_memory(lag_decoder *decoder, size_t memory);

/* The best that the code's rule can do with the messages that have arrived, arrived[n_messages]: exact
 * where that is possible, else least squares (least |1 - a B|, of these the least |a|), or what an
 * approximate code's own rule gives. */
struct lag_decoding lag_decoder_decode(lag_decoder *decoder, const bool *arrived);

/* True where the messages give the sum exactly. */
bool lag_decoder_decodable(lag_decoder *decoder, const bool *arrived);

/* True where whoever decodes need not wait for more: the messages are decodable, or the code is an
 * approximate one and they are as many as it collects. */
bool lag_decoder_ready(lag_decoder *decoder, const bool *arrived);

#endif
