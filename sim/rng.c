/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/rng.h"

#define ROUNDS   10
#define ALL_USED 4 /* words of a block */

void lag_philox_block(const uint32_t counter[4], const uint32_t key[2], uint32_t ret[4])
{
    uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
    uint32_t k0 = key[0], k1 = key[1];

    /* Multipliers and Weyl constants of table 2 of the paper. */
    for (int i = 0; i < ROUNDS; i++) {
        uint64_t p0 = (uint64_t)0xD2511F53 * c0;
        uint64_t p1 = (uint64_t)0xCD9E8D57 * c2;
        c0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0;
        c2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
        c1 = (uint32_t)p1;
        c3 = (uint32_t)p0;
        k0 += 0x9E3779B9;
        k1 += 0xBB67AE85;
    }
    ret[0] = c0;
    ret[1] = c1;
    ret[2] = c2;
    ret[3] = c3;
}

static unsigned long next_word(void *state)
{
    struct lag_philox *philox = state;

    if (philox->used == ALL_USED) {
        lag_philox_block(philox->counter, philox->key, philox->word);
        philox->counter[0]++;
        philox->used = 0;
    }
    return philox->word[philox->used++];
}

/* Uniform on [0, 1) with all 53 bits. */
static double next_double(void *state)
{
    uint64_t high = next_word(state) >> 5, low = next_word(state) >> 6;

    return (double)(high << 26 | low) * 0x1p-53;
}

static void set_seed(void *state, unsigned long seed)
{
    struct lag_philox *philox = state;

    *philox = (struct lag_philox){
        .key = {(uint32_t)seed, (uint32_t)((uint64_t)seed >> 32)},
        .used = ALL_USED,
    };
}

static const gsl_rng_type philox_type = {
    .name = "philox4x32-10",
    .max = UINT32_MAX,
    .min = 0,
    .size = sizeof(struct lag_philox),
    .set = set_seed,
    .get = next_word,
    .get_double = next_double,
};
const gsl_rng_type *const lag_rng_philox = &philox_type;

void lag_stream_init(struct lag_stream *stream, uint64_t seed, uint32_t replication,
                     enum lag_purpose purpose, uint16_t consumer, uint32_t rank)
{
    stream->rng = (gsl_rng){.type = lag_rng_philox, .state = &stream->state};
    stream->state = (struct lag_philox){
        .key = {(uint32_t)seed, (uint32_t)(seed >> 32)          },
        .counter = { 0, rank, replication, (uint32_t)purpose << 16 | consumer},
        .used = ALL_USED,
    };
}
