/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Named random streams. A stream is Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random
 * numbers: as easy as 1, 2, 3, SC 2011) at a counter that holds the stream's name, so two streams
 * never overlap, and what one consumer draws changes no other. */
#ifndef LAGGARD_SIM_RNG_H
#define LAGGARD_SIM_RNG_H

#include <stdint.h>

#include <gsl/gsl_rng.h>

/* What a stream is for: the high half of its purpose; the low half numbers the consumer. */
enum lag_purpose {
    LAG_PURPOSE_STRAGGLER = 1,
    LAG_PURPOSE_PLACEMENT = 2,
    LAG_PURPOSE_PREDICTION = 3, /* which rank a plan takes for the late one */
    LAG_PURPOSE_CODE = 8,       /* the weights of a random gradient code */
    LAG_PURPOSE_WORK = 12,      /* compute times of a gradient workload */
};

struct lag_stream {
    gsl_rng rng; /* hand &rng to GSL's variates */
    struct lag_philox {
        uint32_t key[2], counter[4], word[4];
        uint32_t used; /* of word */
    } state;
};

/* Starts a stream. Streams are values: no memory to free, but don't copy one (rng points into
 * it). 2^34 words each. */
void lag_stream_init(struct lag_stream *stream, uint64_t seed, uint32_t replication,
                     enum lag_purpose purpose, uint16_t consumer, uint32_t rank);

/* The generator as a GSL type, for its own tests and for users of gsl_rng_alloc. */
extern const gsl_rng_type *const lag_rng_philox;

/* One block of Philox4x32-10: ret = the encryption of counter under key. */
void lag_philox_block(const uint32_t counter[4], const uint32_t key[2], uint32_t ret[4]);

#endif
