/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A gradient workload: in each iteration workers take the gradients of their share of `points` data
 * points, and the sum, a vector of `parameters` numbers, is wanted in one place. What protocols of
 * coded aggregation and collectives have in common: the sizes, the law of compute times, how messages
 * are timed. docs/CODED.md says what the protocols do. */
#ifndef LAGGARD_SIM_GRADIENT_GRADIENT_H
#define LAGGARD_SIM_GRADIENT_GRADIENT_H

#include "sim/learner/learner.h"
#include "sim/straggler.h"

/* A worker takes  slow x (point d + Exp(mean d / rate)) + Exp(mean extra) + measured  for d points,
 * where slow is `factor` for a share of the workers, drawn once a job, and 1 for the others; nothing
 * for no points. Proportional: extra = 0; additive: rate = INFINITY; two-speed: share > 0. */
struct lag_compute_law {
    lag_seconds point;             /* a [s] */
    double rate;                   /* mu, of the random part [points/s]; INFINITY: there is none */
    lag_seconds extra;             /* mean of a delay that doesn't shrink with the load [s] */
    double share, factor;          /* of workers that are slow, and by what; share 0: none */
    const struct lag_trace *trace; /* NULL, or measured [s]; begins again after its last step */
};

/* How parameters come to the workers at the start of an iteration: not at all (they are there),
 * by each parent sending to one child after the other, or to all at once. */
enum lag_down {
    LAG_DOWN_NONE,
    LAG_DOWN_SEQUENTIAL,
    LAG_DOWN_BROADCAST
};

/* Points first .. first + n - 1 may only be held by these workers. */
struct lag_pinned {
    uint32_t first, n;
    uint32_t n_workers;
    uint32_t *workers; /* [n_workers] rising; owned by who made the list */
};

/* Borrowed, read-only. */
struct lag_gradient {
    double points;              /* d >= 1; whole with a learner or pinned data */
    uint32_t parameters;        /* p */
    double bytes_per_parameter; /* a message has p times that [B] */
    struct lag_compute_law compute;
    uint32_t n_iterations;    /* >= 1 */
    lag_seconds message_time; /* t_c of a whole vector [s]; NAN: it crosses the network */
    lag_seconds step_latency; /* lambda, more for each step of a collective [s] */
    double fan_in;            /* kappa: into a parent of n children a message takes
                                         1 + kappa (n - 1) times as long (or as many bytes) */
    enum lag_down down;
    bool carry;             /* late work goes on when the next iteration starts */
    lag_seconds deadline;   /* of an iteration, at the root [s]; INFINITY: none */
    lag_rate encode_rate;   /* at which vectors are weighted and added [B/s]; INFINITY: */
    lag_rate decode_rate;   /*   it takes no time */
    lag_seconds solve_time; /* more, where a parent meets a set of children first [s] */
    const struct lag_learner_setup *learner; /* NULL: for times only */
    uint32_t n_pinned;
    const struct lag_pinned *pinned; /* [n_pinned] without overlap */
};

/* All that isn't sizes as it is where nothing is said: no law's random part, no cost, the network. */
void lag_gradient_init(struct lag_gradient *gradient);

/* The bytes of a message, a whole number. */
lag_bytes lag_gradient_bytes(const struct lag_gradient *gradient);

/* When each worker has its gradient, iteration after iteration: the law's time by its load x
 * slowdown / speed + delay, as lateness says. Streams depend on (seed, replication, worker) alone. */
typedef struct lag_gradient_work lag_gradient_work;

/* points[n_workers] of each worker; copied. n_workers <= lateness->n_ranks; further ranks do
 * nothing. Borrows gradient and lateness (whose own compute times are not looked at). */
lag_gradient_work *lag_gradient_work_new(const struct lag_gradient *gradient,
                                         const struct lag_lateness *lateness, uint32_t n_workers,
                                         const double *points, uint64_t seed, uint32_t replication);
void lag_gradient_work_free(lag_gradient_work *work);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(lag_gradient_work, lag_gradient_work_free)

/* The same where all workers have an equal share of the points: a collective's arrivals. */
lag_gradient_work *lag_gradient_work_new_equal(const struct lag_gradient *gradient,
                                               const struct lag_lateness *lateness,
                                               uint32_t n_workers, uint64_t seed,
                                               uint32_t replication);

/* The next iteration: from its start until each rank's gradient is there [s], arrival[n_ranks of
 * lateness]; INFINITY for who is dead by then, or stands still. 0 for ranks past n_workers. */
void lag_gradient_work_next(lag_gradient_work *work, lag_seconds *arrival);

/* As lag_arrivals_death and _elapse. */
const lag_seconds *lag_gradient_work_death(const lag_gradient_work *work);
void lag_gradient_work_elapse(lag_gradient_work *work, lag_seconds duration);

#endif
