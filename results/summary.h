/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Results as rows: one algorithm at one point of a sweep, over its steps and replications. Rows
 * are plain data; tally.h fills them, render.h and json.h print them. */
#ifndef LAGGARD_RESULTS_SUMMARY_H
#define LAGGARD_RESULTS_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>

#include <glib.h>

#include "sim/laggard.h"

/* Of a sample: stddev divides by n - 1, quantiles interpolate linearly between order statistics,
 * ci95 is Student's t interval of the mean. One value: stddev 0, no interval (NAN). No value: all
 * NAN. */
struct lag_statistics {
    double mean, stddev, min, p50, p95, p99, max, ci95_low, ci95_high;
    /* 95 % intervals of the quantiles: order statistics that bracket them by the binomial law. No
     * interval (NAN) where there are too few values, or they depend on each other. */
    double p50_low, p50_high, p95_low, p95_high, p99_low, p99_high;
};
struct lag_statistics lag_statistics_of(const double *samples, size_t n_samples);

/* The same for samples of which n_each stand together that may depend on each other, the steps of
 * a replication: where there are several such blocks, the interval is over their means. */
struct lag_statistics lag_statistics_of_blocks(const double *samples, size_t n_samples,
                                               size_t n_each);

/* A named value: a parameter of an algorithm, or a point's coordinate on an axis. */
struct lag_field {
    char *name;
    char *text; /* as a user writes it; NULL for no value */
    bool is_number;
    double number; /* in base units */
};

/* Where the time went along the critical path: means over all runs [s]. They sum to the mean
 * completion time. */
struct lag_critical_path {
    bool recorded;                  /* false: the runs were too large to record it; the rest is 0 */
    uint32_t first_rank, last_rank; /* whose arrival starts it, who ends it: in most of the runs;
                                     * all ranks here by their numbers in the cluster */
    double first_share;             /* of the runs that first_rank starts */
    lag_seconds compute, wait, latency, bandwidth, overhead, adding, contention;
    double latencies, bytes; /* on it: what a second more latency costs, and one of 1 / bandwidth */
    uint32_t n_ranks, *ranks; /* on it in any run, in the order of the group */
    uint32_t n_links;
    struct lag_link_share {
        char *name;
        double share; /* of the path's time of bandwidth and contention */
        bool slow;    /* slower than the fastest link of the network, or shared on the path */
    } * links;        /* on it, the largest share first */
};

/* "bandwidth 62 %, gpu3->switch": the largest share, in percent of the whole, and the link that
 * carries more than half of the time of bandwidth and contention, where there is one. It isn't named
 * where nothing shares it and no link is faster: then the path is one of several that are as long. "wait for rank 7, 56 %" where most
 * runs wait for the same rank; it is named beside a larger share of computing too. Newly allocated. */
char *lag_bottleneck(const struct lag_critical_path *path);

/* False where transfers take so small a part of the path's time, less than LAG_NETWORK_MATTERS, that
 * no other network could make a difference; true where it isn't recorded. */
#define LAG_NETWORK_MATTERS 1e-6
bool lag_network_matters(const struct lag_critical_path *path);

enum lag_status {
    LAG_OK,
    LAG_STALLED,
    LAG_FAILED,
};
const char *lag_status_name(enum lag_status status);

/* What one link carried. Utilisation counts the time in which the collective is under way, from
 * the first rank's arrival to the completion, so that it never exceeds 1; NAN where the alpha-beta model lets transfers use
 * more than there is. */
struct lag_link_use {
    char *name;
    double bytes; /* per collective, the mean [B] */
    double utilisation;
    double
        utilisation_all; /* by all jobs, from the first arrival to the last end of any; NAN: none */
};

/* Times are NAN, counts 0 and arrays NULL where the status isn't LAG_OK. Counts are of one
 * collective. */
struct lag_result {
    char *job; /* NULL where the scenario has no jobs */
    char *algorithm, *label;
    struct lag_field *parameters, *point;
    uint32_t n_parameters, n_coordinates;
    enum lag_status status;
    char *message;                  /* what went wrong; NULL for LAG_OK */
    const char *engine, *transfers; /* static strings */
    enum laggard_collective collective;
    uint32_t *group; /* [n_ranks] the ranks' numbers in the cluster; NULL: 0, 1, 2, ... */
    uint32_t n_ranks, n_steps, n_replications, n_rounds;
    uint32_t n_chunks; /* that the buffer is cut into; 0: not kept, in a database */
    lag_bytes size, wire_bytes;
    uint64_t n_messages;
    struct lag_statistics time, exposed; /* completion; completion - last arrival [s] */
    double algbw, busbw;                 /* [B/s] */
    double speedup; /* mean exposed time of the point's first algorithm / own */
    struct lag_critical_path path;
    char *bottleneck;
    const char *source_of_times; /* of computing: "given", "data sheet"; static; NULL: none */
    double throughput;           /* samples a second; 0 where they aren't counted */
    lag_seconds *ranks_wait;     /* [n_ranks] last arrival - own arrival, the mean [s] */
    lag_seconds *ranks_idle;     /* [n_ranks] arrived, but no port moves data, the mean [s] */
    lag_seconds *ranks_done;     /* [n_ranks] own end, from the start of the step, the mean [s] */
    uint64_t *arrived_last;      /* [n_ranks] in how many runs */
    uint32_t *order; /* [n_ranks] ranks of the cluster round a ring; NULL: as given, or not kept */
    uint32_t n_links;
    struct lag_link_use *links;
};
void lag_result_clear(struct lag_result *result);

/* All rows of one scenario, by point, then in its order of algorithms. */
typedef struct lag_result_set {
    char *scenario, *fingerprint;
    uint64_t seed;
    uint32_t n_results;
    struct lag_result *results;
} lag_result_set;
lag_result_set *lag_result_set_new(uint32_t n_results);
void lag_result_set_free(lag_result_set *set);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(lag_result_set, lag_result_set_free)

/* busbw / algbw, by the definitions of nccl-tests (doc/PERFORMANCE.md there). */
double lag_busbw_factor(enum laggard_collective collective, uint32_t n_ranks);

#endif
