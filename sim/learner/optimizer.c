/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/learner/optimizer.h"

#include <math.h>
#include <string.h>

#include <glib.h>

const char *const lag_rate_rule_names[] = {
    [LAG_RATE_CONSTANT] = "constant",
    [LAG_RATE_LINEAR] = "linear",
    [LAG_RATE_SQRT] = "sqrt",
    [LAG_N_RATE_RULES] = NULL,
};

void lag_optimizer_init(struct lag_optimizer *optimizer, const struct lag_optimizer_setup *setup,
                        uint32_t n_parameters)
{
    *optimizer = (struct lag_optimizer){.setup = setup, .n = n_parameters};
    if (setup->momentum != 0)
        optimizer->velocity = g_new0(double, n_parameters);
}

void lag_optimizer_clear(struct lag_optimizer *optimizer)
{
    g_free(optimizer->velocity);
    *optimizer = (struct lag_optimizer){0};
}

void lag_optimizer_start(struct lag_optimizer *optimizer)
{
    optimizer->samples = 0;
    if (optimizer->velocity != NULL)
        memset(optimizer->velocity, 0, optimizer->n * sizeof *optimizer->velocity);
}

static double rule_scale(const struct lag_optimizer_setup *setup, double n)
{
    double scale = 1;

    if (setup->rule == LAG_RATE_LINEAR)
        scale = n / setup->reference;
    else if (setup->rule == LAG_RATE_SQRT)
        scale = sqrt(n / setup->reference);
    return setup->most_scale > 0 ? fmin(scale, setup->most_scale) : scale;
}

double lag_optimizer_rate(const struct lag_optimizer *optimizer, double n)
{
    const struct lag_optimizer_setup *setup = optimizer->setup;
    double rate = setup->rate * rule_scale(setup, n);

    for (uint32_t i = 0; i < setup->n_drops; i++)
        if (optimizer->samples >= setup->drops[i].samples)
            rate *= setup->drops[i].factor;
    return rate;
}

/* 0 x is 0, or NAN where x isn't finite, and the sum of many remembers it. */
static bool move(double *x, const double *along, double factor, uint32_t n)
{
    double trouble = 0;

    for (uint32_t i = 0; i < n; i++) {
        x[i] += factor * along[i];
        trouble += 0 * x[i];
    }
    return trouble == 0;
}

bool lag_optimizer_step(struct lag_optimizer *optimizer, double *x, const double *sum, double n,
                        double rate_scale)
{
    double rate = rate_scale * lag_optimizer_rate(optimizer, n);
    double *velocity = optimizer->velocity;

    optimizer->samples += n;
    if (velocity == NULL)
        return move(x, sum, -rate / n, optimizer->n);
    for (uint32_t i = 0; i < optimizer->n; i++)
        velocity[i] = optimizer->setup->momentum * velocity[i] + sum[i] / n;
    return move(x, velocity, -rate, optimizer->n);
}

bool lag_optimizer_step_alone(const struct lag_optimizer *optimizer, double *x, const double *sum,
                              double n, double rate_scale)
{
    double rate = rate_scale * lag_optimizer_rate(optimizer, n);

    return move(x, sum, -rate / n, optimizer->n);
}
