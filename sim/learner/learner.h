/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What really learns while a protocol runs: a model, its data, who takes which samples, and the
 * optimizer. The setup is immutable, and threads share it; a learner is one thread's. Parameters
 * belong to the protocol, which keeps as many copies (versions) as it needs.
 *
 * The null learner (no setup) has no parameters and does nothing, so that a run for its times only
 * is the same code. A batch's samples are drawn when the batch starts; its gradient, a plain sum
 * over its samples, may be worked out then or later, at the parameters of that moment.
 *
 *     lag_learner_start(l, x);
 *     lag_learner_draw(l, worker, n, indices);             when a batch starts
 *     lag_learner_add_gradient(l, x, indices, n, sum);
 *     if (!lag_learner_step(l, x, sum, n, 1))              when an update is complete
 *         diverged
 *     if (lag_learner_test_due(l))
 *         lag_learner_test(l, x, &loss, &accuracy);                                          */
#ifndef LAGGARD_SIM_LEARNER_LEARNER_H
#define LAGGARD_SIM_LEARNER_LEARNER_H

#include "sim/learner/model.h"
#include "sim/learner/optimizer.h"
#include "sim/learner/sampler.h"

struct lag_learner_setup {
    const lag_model *model; /* borrowed */
    struct lag_optimizer_setup optimizer;
    enum lag_shards shards;
    double test_every; /* samples from one test to the next; 0: a test after each update */
};

typedef struct lag_learner lag_learner;

/* False with LAGGARD_ERROR_INPUT where the setup doesn't suit so many workers. */
bool lag_learner_check(const struct lag_learner_setup *setup, uint32_t n_workers, GError **error);

/* Borrows the setup, which must have passed the check; NULL gives the null learner. `weights`
 * [n_workers], above 0 (NULL: equal), are the shares that LAG_SHARDS_PROPORTIONAL starts with: the
 * workers' speeds. */
lag_learner *lag_learner_new(const struct lag_learner_setup *setup, uint32_t n_workers,
                             const double *weights);
void lag_learner_free(lag_learner *learner);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(lag_learner, lag_learner_free)

/* Of x and of a sum of gradients; 0 of the null learner. */
uint32_t lag_learner_n_parameters(const lag_learner *learner);

/* Begins a run: parameters x, samplers (worker w's stream starts at seed x 1000003 + w in
 * replication 0), velocity. The same seed and replication give the same run. */
void lag_learner_start(lag_learner *learner, uint64_t seed, uint32_t replication, double *x);

/* The next n samples of a worker; indices are unchanged by the null learner. */
void lag_learner_draw(lag_learner *learner, uint32_t worker, uint32_t n, uint32_t *indices);

/* Shares of the workers from now on, under LAG_SHARDS_PROPORTIONAL; else nothing. */
void lag_learner_set_weights(lag_learner *learner, const double *weights);

/* Adds the gradients at x of n samples to sum, one after the other. */
void lag_learner_add_gradient(lag_learner *learner, const double *x, const uint32_t *indices,
                              uint32_t n, double *sum);

/* One update of the global parameters: x -= rate_scale x rate x sum / n, by momentum and rules.
 * n > 0 samples. False where a parameter isn't finite any more: it diverged. */
bool lag_learner_step(lag_learner *learner, double *x, const double *sum, double n,
                      double rate_scale);

/* A step of a worker's own copy (local SGD, OD-SGD): no momentum, no samples counted. */
bool lag_learner_step_alone(lag_learner *learner, double *x, const double *sum, double n,
                            double rate_scale);

/* Counts samples of an update that was made otherwise (an average of workers' copies), for the
 * schedule and the tests. */
void lag_learner_count(lag_learner *learner, double n);

/* Is it time for a test? After each update where test_every is 0, else once for every test_every samples
 * that updates were made of. Never for the null learner. Answers true once for each. */
bool lag_learner_test_due(lag_learner *learner);

/* Loss and accuracy of x on the test samples; NAN where there are none. */
void lag_learner_test(lag_learner *learner, const double *x, double *ret_loss,
                      double *ret_accuracy);

#endif
