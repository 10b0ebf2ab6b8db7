/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "results/tally.h"

#include <assert.h>
#include <math.h>
#include <string.h>

void lag_tally_init(struct lag_tally *tally, uint32_t n_ranks, uint32_t n_links)
{
    *tally = (struct lag_tally){
        .n_ranks = n_ranks,
        .n_links = n_links,
        .n_each = 1,
        .completion = g_array_new(FALSE, FALSE, sizeof(double)),
        .exposed = g_array_new(FALSE, FALSE, sizeof(double)),
        .wait = g_new0(lag_seconds, n_ranks),
        .idle = g_new0(lag_seconds, n_ranks),
        .done = g_new0(lag_seconds, n_ranks),
        .arrived_last = g_new0(uint64_t, n_ranks),
        .taken_as_late = g_new0(uint64_t, n_ranks),
        .first_on_path = g_new0(uint64_t, n_ranks),
        .last_on_path = g_new0(uint64_t, n_ranks),
        .on_path = g_new0(bool, n_ranks),
        .link_time = g_new0(lag_seconds, n_links),
        .link_contention = g_new0(lag_seconds, n_links),
    };
}

void lag_tally_clear(struct lag_tally *tally)
{
    if (tally == NULL)
        return;
    g_clear_pointer(&tally->completion, g_array_unref);
    g_clear_pointer(&tally->exposed, g_array_unref);
    lag_series_clear(&tally->long_completion);
    lag_series_clear(&tally->long_exposed);
    g_free(tally->wait);
    g_free(tally->idle);
    g_free(tally->done);
    g_free(tally->arrived_last);
    g_free(tally->taken_as_late);
    g_free(tally->first_on_path);
    g_free(tally->last_on_path);
    g_free(tally->on_path);
    g_free(tally->link_time);
    g_free(tally->link_contention);
    g_free(tally->link_bytes);
    g_free(tally->link_capacity);
    *tally = (struct lag_tally){0};
}

/* From values kept to a series. */
static void lengthen(GArray **values, struct lag_series *series, uint32_t n_each)
{
    lag_series_init(series, n_each);
    for (guint i = 0; i < (*values)->len; i++)
        lag_series_add(series, g_array_index(*values, double, i));
    g_clear_pointer(values, g_array_unref);
}

static void lengthen_both(struct lag_tally *tally)
{
    if (tally->completion == NULL)
        return;
    lengthen(&tally->completion, &tally->long_completion, tally->n_each);
    lengthen(&tally->exposed, &tally->long_exposed, tally->n_each);
}

static void add_times(struct lag_tally *tally, lag_seconds completion, lag_seconds exposed)
{
    tally->n_runs++;
    if (tally->n_runs > LAG_TALLY_KEEP)
        lengthen_both(tally);
    if (tally->completion != NULL) {
        g_array_append_val(tally->completion, completion);
        g_array_append_val(tally->exposed, exposed);
        return;
    }
    lag_series_add(&tally->long_completion, completion);
    lag_series_add(&tally->long_exposed, exposed);
}

/* Adds the times of `later`, which begins with a whole replication. */
static void merge_times(struct lag_tally *tally, const struct lag_tally *later)
{
    if (later->completion != NULL) {
        for (guint i = 0; i < later->completion->len; i++)
            add_times(tally, g_array_index(later->completion, double, i),
                      g_array_index(later->exposed, double, i));
        return;
    }
    lengthen_both(tally);
    tally->n_runs += later->n_runs;
    lag_series_merge(&tally->long_completion, &later->long_completion);
    lag_series_merge(&tally->long_exposed, &later->long_exposed);
}

static struct lag_statistics times_of(const struct lag_tally *tally, const GArray *values,
                                      const struct lag_series *series)
{
    return values == NULL ? lag_series_statistics(series)
                          : lag_statistics_of_blocks((const double *)(const void *)values->data,
                                                     values->len, tally->n_each);
}

struct lag_statistics lag_tally_exposed(const struct lag_tally *tally)
{
    return times_of(tally, tally->exposed, &tally->long_exposed);
}

static void add_shares(struct lag_shares *sum, const struct lag_shares *shares)
{
    sum->wait += shares->wait;
    sum->overhead += shares->overhead;
    sum->bandwidth += shares->bandwidth;
    sum->latency += shares->latency;
    sum->adding += shares->adding;
    sum->contention += shares->contention;
}

/* Ranks only: a switch that takes part has the number after theirs. */
static void mark_on_path(struct lag_tally *tally, uint32_t rank)
{
    if (rank < tally->n_ranks)
        tally->on_path[rank] = true;
}

static void add_path(struct lag_tally *tally, const struct lag_path *path,
                     const lag_seconds *compute)
{
    tally->n_paths++;
    tally->compute += MIN(compute[path->first_rank], path->shares.wait);
    add_shares(&tally->shares, &path->shares);
    tally->first_on_path[path->first_rank]++;
    tally->last_on_path[path->last_rank]++;
    tally->on_path[path->first_rank] = tally->on_path[path->last_rank] = true;
    for (guint i = 0; i < path->hops->len; i++) {
        const struct lag_hop *hop = &g_array_index(path->hops, struct lag_hop, i);
        mark_on_path(tally, hop->src);
        mark_on_path(tally, hop->dst);
        if (hop->link != LAGGARD_NONE) {
            tally->link_time[hop->link] += hop->bandwidth;
            tally->link_contention[hop->link] += hop->contention;
        }
        tally->path_latencies += !hop->by_send;
        tally->path_bytes += (double)hop->bytes;
    }
}

static void add_links(struct lag_tally *tally, const double *bytes, const double *capacity)
{
    if (tally->link_bytes == NULL) {
        tally->link_bytes = g_new0(double, tally->n_links);
        tally->link_capacity = g_new0(double, tally->n_links);
    }
    for (uint32_t link = 0; link < tally->n_links; link++) {
        tally->link_bytes[link] += bytes[link];
        tally->link_capacity[link] += capacity[link];
    }
}

void lag_tally_add(struct lag_tally *tally, const struct lag_outcome *outcome,
                   const lag_seconds *arrival, const lag_seconds *compute)
{
    lag_seconds exposed = outcome->completion - outcome->last_arrival;
    lag_seconds first = outcome->last_arrival;

    assert(outcome->n_ranks == tally->n_ranks);
    add_times(tally, outcome->completion, exposed);
    for (uint32_t rank = 0; rank < tally->n_ranks; rank++) {
        lag_seconds idle = outcome->completion - arrival[rank] - outcome->busy[rank];
        idle = outcome->busy_recorded ? MAX(idle, 0) : NAN;
        first = MIN(first, arrival[rank]);
        tally->wait[rank] += outcome->last_arrival - arrival[rank];
        tally->idle[rank] += idle;
        tally->done[rank] += outcome->done[rank];
    }
    tally->span += outcome->completion - first;
    tally->arrived_last[outcome->last_to_arrive]++;
    tally->taken_as_late[outcome->late_rank == LAGGARD_NONE ? outcome->last_to_arrive
                                                            : outcome->late_rank]++;
    tally->n_messages = outcome->n_messages;
    tally->wire_bytes = outcome->wire_bytes;
    if (outcome->path.recorded)
        add_path(tally, &outcome->path, compute);
    if (outcome->links_recorded)
        add_links(tally, outcome->link_bytes, outcome->link_capacity);
}

void lag_tally_merge(struct lag_tally *tally, const struct lag_tally *later)
{
    assert(tally->n_ranks == later->n_ranks && tally->n_links == later->n_links);
    if (later->n_runs == 0)
        return;
    merge_times(tally, later);
    for (uint32_t rank = 0; rank < tally->n_ranks; rank++) {
        tally->wait[rank] += later->wait[rank];
        tally->idle[rank] += later->idle[rank];
        tally->done[rank] += later->done[rank];
        tally->arrived_last[rank] += later->arrived_last[rank];
        tally->taken_as_late[rank] += later->taken_as_late[rank];
        tally->first_on_path[rank] += later->first_on_path[rank];
        tally->last_on_path[rank] += later->last_on_path[rank];
        tally->on_path[rank] = tally->on_path[rank] || later->on_path[rank];
    }
    for (uint32_t link = 0; link < tally->n_links; link++) {
        tally->link_time[link] += later->link_time[link];
        tally->link_contention[link] += later->link_contention[link];
    }
    if (later->link_bytes != NULL)
        add_links(tally, later->link_bytes, later->link_capacity);
    tally->span += later->span;
    tally->span_all += later->span_all;
    tally->n_messages = later->n_messages;
    tally->wire_bytes = later->wire_bytes;
    tally->n_paths += later->n_paths;
    tally->compute += later->compute;
    tally->n_lockstep += later->n_lockstep;
    tally->path_latencies += later->path_latencies;
    tally->path_bytes += later->path_bytes;
    add_shares(&tally->shares, &later->shares);
}

static uint32_t most_frequent(const uint64_t *counts, uint32_t n)
{
    uint32_t best = 0;

    for (uint32_t i = 1; i < n; i++)
        if (counts[i] > counts[best])
            best = i;
    return best;
}

static int by_share(gconstpointer left, gconstpointer right)
{
    const struct lag_link_share *a = left, *b = right;

    return (a->share < b->share) - (a->share > b->share);
}

#define MORE_THAN_FULL 1e-9 /* utilisation beyond 1 that is not rounding */
#define SHARED         1e-6 /* part of the time on a link that is contention, not rounding */

/* The links that the path spent time on; g_array_sort is stable, so that equal shares stay in the
 * order of links. */
static void fill_path_links(const struct lag_tally *tally, const lag_topology *topology,
                            struct lag_critical_path *path)
{
    GArray *links = g_array_new(FALSE, FALSE, sizeof(struct lag_link_share));
    lag_rate fastest = 0;

    for (uint32_t link = 0; link < tally->n_links; link++)
        fastest = MAX(fastest, topology->links[link].rate);
    for (uint32_t link = 0; link < tally->n_links; link++) {
        lag_seconds contention = tally->link_contention[link];
        lag_seconds time = tally->link_time[link] + contention;
        if (!(time > 0))
            continue;
        struct lag_link_share share = {
            .name = lag_topology_link_name(topology, link),
            .share = time / (tally->shares.bandwidth + tally->shares.contention),
            .slow = topology->links[link].rate < fastest || contention > SHARED * time,
        };
        g_array_append_val(links, share);
    }
    g_array_sort(links, by_share);
    path->n_links = links->len;
    path->links = (struct lag_link_share *)(void *)g_array_free(links, FALSE);
}

static uint32_t in_cluster(const struct lag_subject *subject, uint32_t rank)
{
    return subject->ranks != NULL ? subject->ranks[rank] : rank;
}

static void fill_path(const struct lag_tally *tally, const struct lag_subject *subject,
                      struct lag_critical_path *path)
{
    double n = (double)tally->n_paths;
    uint32_t first = most_frequent(tally->first_on_path, tally->n_ranks);

    if (tally->n_paths == 0)
        return;
    *path = (struct lag_critical_path){
        .recorded = true,
        .first_rank = in_cluster(subject, first),
        .last_rank = in_cluster(subject, most_frequent(tally->last_on_path, tally->n_ranks)),
        .first_share = (double)tally->first_on_path[first] / n,
        .compute = tally->compute / n,
        .wait = (tally->shares.wait - tally->compute) / n,
        .latency = tally->shares.latency / n,
        .bandwidth = tally->shares.bandwidth / n,
        .overhead = tally->shares.overhead / n,
        .adding = tally->shares.adding / n,
        .contention = tally->shares.contention / n,
        .latencies = tally->path_latencies / n,
        .bytes = tally->path_bytes / n,
        .ranks = g_new(uint32_t, tally->n_ranks),
    };
    for (uint32_t rank = 0; rank < tally->n_ranks; rank++)
        if (tally->on_path[rank])
            path->ranks[path->n_ranks++] = in_cluster(subject, rank);
    fill_path_links(tally, subject->topology, path);
}

/* Only alpha-beta lets transfers use more than there is, and then it isn't told. */
static double use_of(double bytes, double capacity)
{
    double use = bytes / capacity;

    return use > 1 + MORE_THAN_FULL ? NAN : use;
}

static void fill_links(const struct lag_tally *tally, const struct lag_subject *subject,
                       struct lag_result *result)
{
    g_autofree double *bytes = g_new(double, tally->n_links);
    double span = tally->span / (double)tally->n_runs;

    if (tally->link_bytes == NULL)
        lag_link_bytes(subject, tally->taken_as_late, bytes);
    for (uint32_t link = 0; tally->link_bytes != NULL && link < tally->n_links; link++)
        bytes[link] = tally->link_bytes[link] / (double)tally->n_runs;
    result->n_links = tally->n_links;
    result->links = g_new(struct lag_link_use, tally->n_links);
    for (uint32_t link = 0; link < tally->n_links; link++)
        result->links[link] = (struct lag_link_use){
            .name = lag_topology_link_name(subject->topology, link),
            .bytes = bytes[link],
            .utilisation = use_of(bytes[link], subject->topology->links[link].rate * span),
            .utilisation_all = NAN,
        };
    for (uint32_t link = 0; tally->link_bytes != NULL && link < tally->n_links; link++)
        result->links[link].utilisation = tally->link_capacity[link] > 0
                                              ? tally->link_bytes[link] / tally->link_capacity[link]
                                              : 0;
}

static lag_seconds *means(const lag_seconds *sums, uint32_t n, uint64_t n_runs)
{
    lag_seconds *ret = g_new(lag_seconds, n);

    for (uint32_t i = 0; i < n; i++)
        ret[i] = sums[i] / (double)n_runs;
    return ret;
}

void lag_tally_summarise(const struct lag_tally *tally, const struct lag_subject *subject,
                         struct lag_result *result)
{
    uint32_t n = tally->n_ranks;
    uint64_t n_runs = tally->n_runs;

    assert(n_runs > 0 && tally->n_links == subject->topology->n_links);
    result->engine = tally->n_lockstep == n_runs ? "lockstep" : "replay";
    result->n_messages = tally->n_messages;
    result->wire_bytes = tally->wire_bytes;
    result->time = times_of(tally, tally->completion, &tally->long_completion);
    result->exposed = lag_tally_exposed(tally);
    result->algbw = (double)result->size / result->exposed.mean;
    result->busbw = result->algbw * lag_busbw_factor(subject->plan->collective, n);
    fill_path(tally, subject, &result->path);
    result->bottleneck = lag_bottleneck(&result->path);
    result->ranks_wait = means(tally->wait, n, n_runs);
    result->ranks_idle = means(tally->idle, n, n_runs);
    result->ranks_done = means(tally->done, n, n_runs);
    result->arrived_last = g_memdup2(tally->arrived_last, n * sizeof *tally->arrived_last);
    fill_links(tally, subject, result);
}
