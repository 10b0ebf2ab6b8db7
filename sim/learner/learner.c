/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/learner/learner.h"

#include <math.h>

#include "sim/laggard.h"
#include "sim/learner/splitmix.h"

struct lag_learner {
    const struct lag_learner_setup *setup; /* NULL: the null learner */
    struct lag_sampler sampler;
    struct lag_optimizer optimizer;
    double *scratch;
    double tested; /* samples at the last test */
};

bool lag_learner_check(const struct lag_learner_setup *setup, uint32_t n_workers, GError **error)
{
    const lag_dataset *data = setup->model->dataset;
    bool parts = setup->shards == LAG_SHARDS_STATIC || setup->shards == LAG_SHARDS_PROPORTIONAL;

    if (parts && data->train.n < n_workers) {
        g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT,
                    "%u samples of %s can't be dealt out to %u workers; shards: iid needs no parts",
                    data->train.n, data->name, n_workers);
        return false;
    }
    return true;
}

lag_learner *lag_learner_new(const struct lag_learner_setup *setup, uint32_t n_workers,
                             const double *weights)
{
    lag_learner *learner = g_new0(lag_learner, 1);

    if (setup == NULL)
        return learner;
    learner->setup = setup;
    lag_sampler_init(&learner->sampler, setup->shards, setup->model->dataset->train.n, n_workers,
                     weights);
    lag_optimizer_init(&learner->optimizer, &setup->optimizer, setup->model->n_parameters);
    learner->scratch = g_new(double, lag_model_n_scratch(setup->model));
    return learner;
}

void lag_learner_free(lag_learner *learner)
{
    if (learner == NULL)
        return;
    lag_sampler_clear(&learner->sampler);
    lag_optimizer_clear(&learner->optimizer);
    g_free(learner->scratch);
    g_free(learner);
}

uint32_t lag_learner_n_parameters(const lag_learner *learner)
{
    return learner->setup != NULL ? learner->setup->model->n_parameters : 0;
}

/* Replication 0 keeps the seed; the others' are far from it and from each other. */
static uint64_t seed_of(uint64_t seed, uint32_t replication)
{
    return seed ^ replication * UINT64_C(0x9E3779B97F4A7C15);
}

void lag_learner_start(lag_learner *learner, uint64_t seed, uint32_t replication, double *x)
{
    uint64_t own = seed_of(seed, replication), start = ~own;

    if (learner->setup == NULL)
        return;
    lag_sampler_start(&learner->sampler, own);
    lag_optimizer_start(&learner->optimizer);
    learner->tested = 0;
    lag_model_start(learner->setup->model, lag_splitmix_next(&start), x);
}

void lag_learner_draw(lag_learner *learner, uint32_t worker, uint32_t n, uint32_t *indices)
{
    if (learner->setup != NULL)
        lag_sampler_draw(&learner->sampler, worker, n, indices);
}

void lag_learner_set_weights(lag_learner *learner, const double *weights)
{
    if (learner->setup != NULL)
        lag_sampler_set_weights(&learner->sampler, weights);
}

void lag_learner_add_gradient(lag_learner *learner, const double *x, const uint32_t *indices,
                              uint32_t n, double *sum)
{
    if (learner->setup != NULL)
        lag_model_add_gradient(learner->setup->model, x, indices, NULL, n, sum, learner->scratch);
}

bool lag_learner_step(lag_learner *learner, double *x, const double *sum, double n,
                      double rate_scale)
{
    return learner->setup == NULL || lag_optimizer_step(&learner->optimizer, x, sum, n, rate_scale);
}

bool lag_learner_step_alone(lag_learner *learner, double *x, const double *sum, double n,
                            double rate_scale)
{
    return learner->setup == NULL ||
           lag_optimizer_step_alone(&learner->optimizer, x, sum, n, rate_scale);
}

void lag_learner_count(lag_learner *learner, double n)
{
    learner->optimizer.samples += n;
}

bool lag_learner_test_due(lag_learner *learner)
{
    double samples = learner->optimizer.samples, before = learner->tested;

    if (learner->setup == NULL)
        return false;
    double every = learner->setup->test_every;
    if (every > 0 && floor(samples / every) <= floor(before / every))
        return false;
    learner->tested = samples;
    return true;
}

void lag_learner_test(lag_learner *learner, const double *x, double *ret_loss, double *ret_accuracy)
{
    *ret_loss = *ret_accuracy = NAN;
    if (learner->setup != NULL)
        lag_model_test(learner->setup->model, x, ret_loss, ret_accuracy, learner->scratch);
}
