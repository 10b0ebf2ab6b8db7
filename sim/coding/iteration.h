/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One iteration of coded aggregation as a formula of random times, without events: for searches that
 * want many thousands of them. The rules are those of the event engine (gradient/tree-round.h): a parent
 * receives one message at a time in order of readiness, or all at once; it is ready when its own work
 * and what it needs are done; the root does no work. */
#ifndef LAGGARD_SIM_CODING_ITERATION_H
#define LAGGARD_SIM_CODING_ITERATION_H

#include "sim/coding/coded-tree.h"
#include "sim/law.h"
#include "sim/units.h"

/* How long a worker takes for d points: factor x (point + by_point) x d + extra. Laws are borrowed; NULL:
 * 1, 0, 0. Each is drawn once for a worker and iteration. */
struct lag_work_law {
    lag_seconds point; /* [s] */
    const struct lag_law *factor;
    const struct lag_law *by_point; /* [s] a point */
    const struct lag_law *extra;    /* [s], whatever the load */
};

struct lag_tree_model {
    struct lag_tree tree;
    enum lag_tree_rule rule;
    double points; /* of the whole data; a worker has lag_tree_load of them */
    struct lag_work_law work;
    lag_seconds message;        /* of a whole vector at a parent's port [s] */
    double fan_in;              /* kappa: a message takes message x (1 + kappa (degree - 1)) */
    lag_seconds latency;        /* after it is sent, before its port can take it [s] */
    const struct lag_law *line; /* the same once more, drawn for each message; NULL: 0 [s] */
    bool parallel;              /* a parent receives all at once */
};

/* A ring that adds the same data up: work of points / n, then 2 (n - 1) steps. */
struct lag_ring_model {
    uint32_t n_workers;
    double points;
    struct lag_work_law work;
    lag_seconds message, step; /* of a whole vector, and more a step [s] */
};

/* One draw of an iteration's time [s]. `scratch` has room for lag_tree_model_scratch. */
lag_seconds lag_tree_model_draw(const struct lag_tree_model *model, const gsl_rng *rng,
                                double *scratch);
size_t lag_tree_model_scratch(const struct lag_tree *tree);
lag_seconds lag_ring_model_draw(const struct lag_ring_model *model, const gsl_rng *rng);

/* Mean of n_draws, and its standard error; the same seed gives the same. One draw where nothing is
 * random. */
struct lag_model_mean {
    lag_seconds mean, error;
};
struct lag_model_mean lag_tree_model_mean(const struct lag_tree_model *model, uint32_t n_draws,
                                          uint64_t seed);
struct lag_model_mean lag_ring_model_mean(const struct lag_ring_model *model, uint32_t n_draws,
                                          uint64_t seed);

/* When a port that takes one message at a time, each `message` long, has taken the k-th: max over
 * j <= k of A_(j) + (k - j + 1) message. Sorts ready[n]. */
lag_seconds lag_port_kth(double *ready, uint32_t n, uint32_t k, lag_seconds message);

#endif
