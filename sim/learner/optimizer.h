/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stochastic gradient descent: x -= rate x (sum of gradients) / n, with momentum and rules for the
 * rate. An "iteration" has no fixed size under some protocols, so schedules count samples. */
#ifndef LAGGARD_SIM_LEARNER_OPTIMIZER_H
#define LAGGARD_SIM_LEARNER_OPTIMIZER_H

#include <stdbool.h>
#include <stdint.h>

/* The rate of an update of n samples: constant, or times n / reference or its root. */
enum lag_rate_rule {
    LAG_RATE_CONSTANT,
    LAG_RATE_LINEAR,
    LAG_RATE_SQRT,
    LAG_N_RATE_RULES
};
extern const char *const lag_rate_rule_names[LAG_N_RATE_RULES + 1]; /* ends with NULL */

/* From so many samples on the rate is multiplied. */
struct lag_rate_drop {
    double samples, factor;
};

struct lag_optimizer_setup {
    double rate;     /* learning rate */
    double momentum; /* 0 .. 1: v = momentum v + mean gradient; x -= rate v */
    enum lag_rate_rule rule;
    double reference;  /* samples, for the rules */
    double most_scale; /* that a rule multiplies by; 0: no limit */
    uint32_t n_drops;
    const struct lag_rate_drop *drops; /* [n_drops], all that are reached apply; owned by who set */
};

struct lag_optimizer {
    const struct lag_optimizer_setup *setup; /* borrowed */
    uint32_t n;
    double samples;   /* that updates were made of */
    double *velocity; /* [n], NULL without momentum */
};

void lag_optimizer_init(struct lag_optimizer *optimizer, const struct lag_optimizer_setup *setup,
                        uint32_t n_parameters);
void lag_optimizer_clear(struct lag_optimizer *optimizer);

/* Forgets velocity and samples. */
void lag_optimizer_start(struct lag_optimizer *optimizer);

/* The rate of an update of n samples, now. */
double lag_optimizer_rate(const struct lag_optimizer *optimizer, double n);

/* An update of x by the sum of n > 0 samples' gradients, at rate_scale x the rate; counts n. False
 * where a parameter isn't finite any more. */
bool lag_optimizer_step(struct lag_optimizer *optimizer, double *x, const double *sum, double n,
                        double rate_scale);

/* The same for a worker's own copy: without momentum, and not counted. */
bool lag_optimizer_step_alone(const struct lag_optimizer *optimizer, double *x, const double *sum,
                              double n, double rate_scale);

#endif
