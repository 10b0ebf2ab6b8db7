/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the tests of the engine share: plans written down as a list, so that they can be broken on
 * purpose, and a bed that runs one plan on one switch. */
#ifndef LAGGARD_TESTS_HELPERS_H
#define LAGGARD_TESTS_HELPERS_H

#include <math.h>

#include <gsl/gsl_rng.h>

#include "algorithms/algorithms.h"
#include "sim/network/compose.h"
#include "sim/replay.h"
#include "sim/rng.h"

/* The authors' and the paper's constants, spec/stragglar.md section 2: 450 GiB/s, 3 us, 1 GiB. */
#define GIB        ((lag_bytes)1 << 30)
#define PAPER_RATE (450.0 * 1073741824.0)
#define PAPER_LAG  3e-6

/* Relative difference of two numbers, against the larger one; 0 where they are equal. */
static inline double relative_error(double a, double b)
{
    return a == b ? 0 : fabs(a - b) / fmax(fabs(a), fabs(b));
}

#define assert_near(a, b, tolerance)                                                               \
    do {                                                                                           \
        double near_a_ = (a), near_b_ = (b);                                                       \
        if (!(relative_error(near_a_, near_b_) <= (tolerance)))                                    \
            g_error("%s:%d: %s = %.17g is not %.17g", __FILE__, __LINE__, #a, near_a_, near_b_);   \
    } while (0)

/* True to the last printed digit, whose unit is `digit`: half of it, and a little more for chunks that
 * are an element longer than the printed formula's. */
#define assert_prints(a, printed, digit)                                                           \
    g_assert_cmpfloat(fabs((a) - (printed)), <=, 0.55 * (digit))

/* The plan of an algorithm for its defaults; `root` of a broadcast. */
lag_plan *algorithm_plan(const struct laggard_algorithm *algorithm,
                         enum laggard_collective collective, uint32_t n_ranks, uint32_t root);

/* The same by name. */
lag_plan *named_plan(const char *name, enum laggard_collective collective, uint32_t n_ranks);

/* The plan of an algorithm with parameters, "chain chunks=16", all others at their defaults. The
 * request comes without values; its collective is as it says. Refused: NULL. */
lag_plan *plan_of(const char *text, struct laggard_request request, GError **error);

/* The same for one collective of so many ranks; must be accepted. */
lag_plan *set_plan(const char *text, enum laggard_collective collective, uint32_t n_ranks);

/* StragglAR for one straggler, or LAGGARD_NONE: whoever is missing. */
lag_plan *stragglar_plan(uint32_t n_ranks, uint32_t straggler);

/* One line of a list. A right plan has both ends know of each transfer. */
struct listed {
    uint32_t round;
    struct laggard_transfer transfer;
    bool sender_knows, receiver_knows;
};

/* An empty plan of one lane, to be filled in by list_add. */
lag_plan *list_plan_new(enum laggard_collective collective, uint32_t n_ranks, uint32_t n_chunks,
                        uint32_t n_rounds);
void list_add(lag_plan *plan, uint32_t round, struct laggard_transfer transfer);

/* A copy of another plan (one lane), its late rank at its default position. */
lag_plan *list_plan_copy(const struct laggard_plan *plan);

/* The lines (struct listed), borrowed; after changing them by hand call list_plan_changed. */
GArray *list_of(lag_plan *plan);
void list_plan_changed(lag_plan *plan);

/* One plan on one switch. Everything may be changed between runs. */
typedef struct {
    lag_plan *plan;
    lag_topology *topology;
    struct lag_network network;
    struct lag_chunks chunks;
    lag_seconds *arrival; /* [n_ranks] all 0 at first */
    lag_seconds *death;   /* NULL at first; freed with the bed */
    const struct lag_observer *observer;
    lag_seconds start; /* of the job's time */
    bool bare;
    lag_replay *replay;
    struct lag_outcome outcome;
} test_bed;

/* Takes the plan. `size` in whole elements of 4 bytes. */
void bed_init(test_bed *bed, lag_plan *plan, lag_bytes size, lag_rate rate, lag_seconds latency);
void bed_clear(test_bed *bed);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(test_bed, bed_clear)

/* Runs it, as often as wanted. bed_run: it must not stall; returns the completion. */
bool bed_try(test_bed *bed, GError **error);
lag_seconds bed_run(test_bed *bed);

/* Completion - last arrival of one more run [s]. */
lag_seconds bed_exposed(test_bed *bed);

/* Puts it on another network, whose topology it takes. */
void bed_move(test_bed *bed, lag_topology *topology);

/* Sets the rate of a rank's both directions. */
void bed_set_port(test_bed *bed, uint32_t rank, lag_rate rate);

/* A topology that its links make, between gpu0 .. gpu(n - 1) and switches. */
lag_topology *graph_topology(uint32_t n_ranks, const struct lag_graph_link *links,
                             uint32_t n_links);

/* Nodes of so many GPUs, each under a switch of its own; each switch has one uplink to the core. GPU r
 * sits in node r / gpus_per_node. */
lag_topology *tree_topology(uint32_t n_ranks, uint32_t gpus_per_node, lag_rate rate,
                            lag_rate uplink, lag_seconds latency);

/* The one link of that name. */
uint32_t link_named(const lag_topology *topology, const char *name);

/* A generator for random instances; free with gsl_rng_free. */
gsl_rng *test_rng(unsigned long seed);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(gsl_rng, gsl_rng_free)
static inline uint32_t below(gsl_rng *rng, uint32_t n)
{
    return (uint32_t)gsl_rng_uniform_int(rng, n);
}

/* Random rates within a factor of 4, latencies, arrivals (some equal), overhead and models. */
void bed_randomise(test_bed *bed, gsl_rng *rng);

/* A random number of ranks that the algorithm accepts, up to 16. */
uint32_t random_ranks(const struct laggard_algorithm *algorithm, enum laggard_collective collective,
                      gsl_rng *rng);

#endif
