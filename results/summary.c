/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "results/summary.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics.h>

/* Student's t interval of the mean of independent values. */
static void add_interval(struct lag_statistics *s, const double *values, size_t n)
{
    if (n < 2)
        return;
    double t = gsl_cdf_tdist_Pinv(0.975, (double)(n - 1));
    double half = t * gsl_stats_sd_m(values, 1, n, s->mean) / sqrt((double)n);
    s->ci95_low = s->mean - half;
    s->ci95_high = s->mean + half;
}

/* The least k for which a binomial (q, n) is at most k with probability p or more. */
static unsigned binomial_quantile(double p, double q, unsigned n)
{
    unsigned low = 0, high = n;

    while (low < high) {
        unsigned middle = low + (high - low) / 2;
        if (gsl_cdf_binomial_P(middle, q, n) >= p)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Of n values so many are under their law's q-quantile: between l and u with 95 %, so the values
 * of these ranks bracket it. David, Nagaraja: Order Statistics, 7.1. */
static void bracket(const double *sorted, size_t n, double q, double *low, double *high)
{
    *low = *high = NAN;
    if (n < 2 || n > UINT_MAX)
        return;
    unsigned l = binomial_quantile(0.025, q, (unsigned)n);
    unsigned u = binomial_quantile(0.975, q, (unsigned)n);
    if (l == 0 || u >= n)
        return; /* too few: an end is beyond all of them */
    *low = sorted[l - 1];
    *high = sorted[u];
}

static struct lag_statistics no_statistics(void)
{
    return (struct lag_statistics){
        .mean = NAN,
        .stddev = NAN,
        .min = NAN,
        .p50 = NAN,
        .p95 = NAN,
        .p99 = NAN,
        .max = NAN,
        .ci95_low = NAN,
        .ci95_high = NAN,
        .p50_low = NAN,
        .p50_high = NAN,
        .p95_low = NAN,
        .p95_high = NAN,
        .p99_low = NAN,
        .p99_high = NAN,
    };
}

struct lag_statistics lag_statistics_of(const double *samples, size_t n_samples)
{
    if (n_samples == 0)
        return no_statistics();

    g_autofree double *sorted = g_new(double, n_samples);
    memcpy(sorted, samples, n_samples * sizeof *sorted);
    gsl_sort(sorted, 1, n_samples);
    struct lag_statistics s = {
        .mean = gsl_stats_mean(samples, 1, n_samples),
        .min = sorted[0],
        .p50 = gsl_stats_quantile_from_sorted_data(sorted, 1, n_samples, 0.50),
        .p95 = gsl_stats_quantile_from_sorted_data(sorted, 1, n_samples, 0.95),
        .p99 = gsl_stats_quantile_from_sorted_data(sorted, 1, n_samples, 0.99),
        .max = sorted[n_samples - 1],
        .ci95_low = NAN,
        .ci95_high = NAN,
    };
    bracket(sorted, n_samples, 0.50, &s.p50_low, &s.p50_high);
    bracket(sorted, n_samples, 0.95, &s.p95_low, &s.p95_high);
    bracket(sorted, n_samples, 0.99, &s.p99_low, &s.p99_high);
    if (n_samples > 1)
        s.stddev = gsl_stats_sd_m(samples, 1, n_samples, s.mean);
    add_interval(&s, samples, n_samples);
    return s;
}

struct lag_statistics lag_statistics_of_blocks(const double *samples, size_t n_samples,
                                               size_t n_each)
{
    struct lag_statistics s = lag_statistics_of(samples, n_samples);
    size_t n_blocks = n_each > 0 ? n_samples / n_each : 0;

    if (n_each < 2 || n_blocks < 2)
        return s;
    s.p50_low = s.p50_high = s.p95_low = s.p95_high = s.p99_low = s.p99_high = NAN;
    g_autofree double *means = g_new(double, n_blocks);
    for (size_t i = 0; i < n_blocks; i++)
        means[i] = gsl_stats_mean(samples + i * n_each, 1, n_each);
    add_interval(&s, means, n_blocks);
    return s;
}

const char *lag_status_name(enum lag_status status)
{
    static const char *const names[] = {
        [LAG_OK] = "ok",
        [LAG_STALLED] = "stalled",
        [LAG_FAILED] = "failed",
    };

    assert(status < G_N_ELEMENTS(names));
    return names[status];
}

double lag_busbw_factor(enum laggard_collective collective, uint32_t n_ranks)
{
    double n = n_ranks;

    switch (collective) {
    case LAGGARD_ALLREDUCE:
        return 2 * (n - 1) / n;
    case LAGGARD_REDUCE_SCATTER:
    case LAGGARD_ALL_GATHER:
        return (n - 1) / n;
    case LAGGARD_BROADCAST:
    case LAGGARD_REDUCE_TO_ROOT:
        return 1;
    case LAGGARD_N_COLLECTIVES:
        break;
    }
    assert(!"a collective without a factor");
    return NAN;
}

/* The name of the slow link that carries most of the path's bandwidth time, or NULL. */
static const char *dominant_link(const struct lag_critical_path *path)
{
    bool found = path->n_links > 0 && path->links[0].share > 0.5 && path->links[0].slow;

    return found ? path->links[0].name : NULL;
}

char *lag_bottleneck(const struct lag_critical_path *path)
{
    const struct {
        const char *name;
        lag_seconds time;
        bool on_link; /* it makes sense to name one */
    } parts[] = {
        {"compute",    path->compute,    false},
        {"wait",       path->wait,       false},
        {"latency",    path->latency,    false},
        {"bandwidth",  path->bandwidth,  true },
        {"contention", path->contention, true },
        {"overhead",   path->overhead,   false},
        {"adding",     path->adding,     false},
    };
    lag_seconds sum = 0;
    size_t largest = 0;

    if (!path->recorded)
        return g_strdup("not recorded");
    for (size_t i = 0; i < G_N_ELEMENTS(parts); i++) {
        sum += parts[i].time;
        if (parts[i].time > parts[largest].time)
            largest = i;
    }
    if (!(sum > 0))
        return g_strdup("none");
    long percent = lround(100 * parts[largest].time / sum);
    if (strcmp(parts[largest].name, "wait") == 0 && path->first_share > 0.5)
        return g_strdup_printf("wait for rank %u, %ld %%", path->first_rank, percent);
    long waits = lround(100 * path->wait / sum);
    if (strcmp(parts[largest].name, "compute") == 0 && waits > 0 && path->first_share > 0.5)
        return g_strdup_printf("compute %ld %%, wait for rank %u %ld %%", percent, path->first_rank,
                               waits);
    const char *link = parts[largest].on_link ? dominant_link(path) : NULL;
    return g_strdup_printf("%s %ld %%%s%s", parts[largest].name, percent, link ? ", " : "",
                           link ? link : "");
}

bool lag_network_matters(const struct lag_critical_path *path)
{
    lag_seconds moving = path->overhead + path->bandwidth + path->latency + path->contention;

    return !path->recorded ||
           moving >= LAG_NETWORK_MATTERS * (moving + path->adding + path->compute + path->wait);
}

static void clear_fields(struct lag_field *fields, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        g_free(fields[i].name);
        g_free(fields[i].text);
    }
    g_free(fields);
}

void lag_result_clear(struct lag_result *result)
{
    if (result == NULL)
        return;
    clear_fields(result->parameters, result->n_parameters);
    clear_fields(result->point, result->n_coordinates);
    for (uint32_t i = 0; i < result->path.n_links; i++)
        g_free(result->path.links[i].name);
    for (uint32_t i = 0; i < result->n_links; i++)
        g_free(result->links[i].name);
    g_free(result->path.links);
    g_free(result->path.ranks);
    g_free(result->links);
    g_free(result->job);
    g_free(result->group);
    g_free(result->algorithm);
    g_free(result->label);
    g_free(result->message);
    g_free(result->bottleneck);
    g_free(result->ranks_wait);
    g_free(result->ranks_idle);
    g_free(result->ranks_done);
    g_free(result->arrived_last);
    g_free(result->order);
    *result = (struct lag_result){0};
}

lag_result_set *lag_result_set_new(uint32_t n_results)
{
    lag_result_set *set = g_new0(lag_result_set, 1);

    set->n_results = n_results;
    set->results = g_new0(struct lag_result, n_results);
    return set;
}

void lag_result_set_free(lag_result_set *set)
{
    if (set == NULL)
        return;
    for (uint32_t i = 0; i < set->n_results; i++)
        lag_result_clear(&set->results[i]);
    g_free(set->results);
    g_free(set->scenario);
    g_free(set->fingerprint);
    g_free(set);
}
