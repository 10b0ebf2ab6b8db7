/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which samples a batch is made of. Each worker draws from a splitmix64 stream of its own, seeded
 * seed x 1000003 + worker, so that what one draws changes no other's. */
#ifndef LAGGARD_SIM_LEARNER_SAMPLER_H
#define LAGGARD_SIM_LEARNER_SAMPLER_H

#include <stdint.h>

/* IID: any sample, each time anew (u64 % n, the published vectors' rule). QUEUE: all workers take
 * from one shuffled list. STATIC: each worker has an equal part of a shuffled list. PROPORTIONAL:
 * a part in proportion to its weight. A list that is used up is shuffled again. */
enum lag_shards {
    LAG_SHARDS_IID,
    LAG_SHARDS_QUEUE,
    LAG_SHARDS_STATIC,
    LAG_SHARDS_PROPORTIONAL,
    LAG_N_SHARDS
};
extern const char *const lag_shards_names[LAG_N_SHARDS + 1]; /* ends with NULL */

struct lag_sampler {
    enum lag_shards shards;
    uint32_t n_samples, n_workers;
    uint64_t seed;
    uint64_t *streams; /* [n_workers + 1], the last is nobody's */
    double *weights;   /* [n_workers] at the start */
    uint32_t *order;   /* [n_samples]; NULL for IID */
    uint32_t *first; /* [n_workers + 1]: worker w's part is order[first[w]] .. [first[w + 1] - 1] */
    uint32_t *next;  /* [n_workers] in order; QUEUE: [0] is everyone's */
};

/* `weights` [n_workers], all above 0 (NULL: equal), matter to PROPORTIONAL. n_samples >= 1, and
 * n_samples >= n_workers where each worker has a part. */
void lag_sampler_init(struct lag_sampler *sampler, enum lag_shards shards, uint32_t n_samples,
                      uint32_t n_workers, const double *weights);
void lag_sampler_clear(struct lag_sampler *sampler);

/* Begins anew with another seed. */
void lag_sampler_start(struct lag_sampler *sampler, uint64_t seed);

/* Cuts the list in proportion to other weights from now on; nothing where workers have no such
 * parts. Each worker keeps at least one sample. */
void lag_sampler_set_weights(struct lag_sampler *sampler, const double *weights);

/* The samples of a worker's next n. */
void lag_sampler_draw(struct lag_sampler *sampler, uint32_t worker, uint32_t n, uint32_t *indices);

#endif
