/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "results/trace-stats.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics.h>

#include "results/paired.h"

#define NOBODY           UINT32_MAX
#define PERSISTENT_LEVEL 0.05
#define MARKED           4 /* standard errors */

static const lag_seconds *arrivals_of(const struct lag_measured *trace, uint32_t step)
{
    return trace->arrival + (size_t)step * trace->n_ranks;
}

struct lag_last lag_trace_last(const struct lag_measured *trace, uint32_t step)
{
    const lag_seconds *arrival = arrivals_of(trace, step);
    lag_seconds first = arrival[0], second = -INFINITY;
    uint32_t last = 0;

    for (uint32_t i = 1; i < trace->n_ranks; i++) {
        first = fmin(first, arrival[i]);
        if (arrival[i] >= arrival[last]) {
            second = arrival[last];
            last = i;
        } else if (arrival[i] > second) {
            second = arrival[i];
        }
    }
    return (struct lag_last){
        .rank = last,
        .tied = arrival[last] - second <= LAG_SAME_TIME * arrival[last],
        .gap = arrival[last] - second,
        .spread = arrival[last] - first,
    };
}

void lag_trace_lateness(const struct lag_measured *trace, uint32_t step, lag_seconds *lateness)
{
    const lag_seconds *arrival = arrivals_of(trace, step);
    lag_seconds first = gsl_stats_min(arrival, 1, trace->n_ranks);

    for (uint32_t i = 0; i < trace->n_ranks; i++)
        lateness[i] = arrival[i] - first > LAG_SAME_TIME * arrival[i] ? arrival[i] - first : 0;
}

/* All that is computed from, step by step. */
struct series {
    const struct lag_measured *trace;
    uint32_t *last;   /* [n_steps] who, or NOBODY */
    double *number;   /* [n_steps] of the step */
    double *gap;      /* [n_steps] */
    double *spread;   /* [n_steps] */
    double *lateness; /* [n_ranks][n_steps] */
};

static void series_init(struct series *series, const struct lag_measured *trace)
{
    size_t n = trace->n_steps;
    g_autofree double *lateness = g_new(double, trace->n_ranks);

    *series = (struct series){trace,
                              g_new(uint32_t, n),
                              g_new(double, n),
                              g_new(double, n),
                              g_new(double, n),
                              g_new(double, n * trace->n_ranks)};
    for (uint32_t i = 0; i < n; i++) {
        struct lag_last last = lag_trace_last(trace, i);
        series->last[i] = last.tied ? NOBODY : last.rank;
        series->number[i] = (double)(trace->step[i] - trace->step[0]);
        series->gap[i] = last.gap;
        series->spread[i] = last.spread;
        lag_trace_lateness(trace, i, lateness);
        for (uint32_t rank = 0; rank < trace->n_ranks; rank++)
            series->lateness[rank * n + i] = lateness[rank];
    }
}

static void series_clear(struct series *series)
{
    g_free(series->last);
    g_free(series->number);
    g_free(series->gap);
    g_free(series->spread);
    g_free(series->lateness);
}
typedef struct series series_auto;
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(series_auto, series_clear)

static struct lag_slope find_slope(const double *number, const double *value, size_t n)
{
    double mean_x = gsl_stats_mean(number, 1, n), mean_y = gsl_stats_mean(value, 1, n);
    double xx = 0, xy = 0, squares = 0;
    struct lag_slope line = {NAN, NAN, false};

    if (n < 3)
        return line;
    for (size_t i = 0; i < n; i++) {
        xx += (number[i] - mean_x) * (number[i] - mean_x);
        xy += (number[i] - mean_x) * (value[i] - mean_y);
    }
    line.slope = xy / xx;
    for (size_t i = 0; i < n; i++) {
        double left = value[i] - mean_y - line.slope * (number[i] - mean_x);
        squares += left * left;
    }
    line.error = sqrt(squares / (double)(n - 2) / xx);
    line.marked = fabs(line.slope) > MARKED * line.error &&
                  fabs(line.slope) * number[n - 1] > gsl_stats_sd_m(value, 1, n, mean_y);
    return line;
}

/* Steps that follow each other; NAN for a series that never changes. */
static double lag1(const double *value, size_t n)
{
    return n > 1 ? gsl_stats_lag1_autocorrelation(value, 1, n) : NAN;
}

/* Wilson's lower bound, one-sided, for all ranks together (Bonferroni). */
static bool is_persistent(double share, double n_steps, double n_ranks)
{
    double z = gsl_cdf_ugaussian_Qinv(PERSISTENT_LEVEL / n_ranks), z2 = z * z;
    double middle = share + z2 / (2 * n_steps);
    double half = z * sqrt(share * (1 - share) / n_steps + z2 / (4 * n_steps * n_steps));

    return (middle - half) / (1 + z2 / n_steps) > (n_ranks > 4 ? 2 / n_ranks : 0.5);
}

static void find_rank(const struct series *series, uint32_t rank, struct lag_rank_stats *ret)
{
    size_t n = series->trace->n_steps, n_ranks = series->trace->n_ranks;
    const double *lateness = series->lateness + rank * n;
    g_autofree double *gap = g_new(double, n), *is_last = g_new(double, n);
    struct lag_estimate interval;

    for (size_t i = 0; i < n; i++) {
        is_last[i] = series->last[i] == rank;
        if (is_last[i] > 0)
            gap[ret->n_last++] = series->gap[i];
        ret->wait += (series->spread[i] - lateness[i]) / (double)n;
    }
    ret->share = ret->n_last / (double)n;
    interval = lag_wilson(ret->share, n);
    ret->share_low = interval.low;
    ret->share_high = interval.high;
    ret->persistent = is_persistent(ret->share, (double)n, (double)n_ranks);
    ret->lateness = gsl_stats_mean(lateness, 1, n);
    ret->lateness_sd = n > 1 ? gsl_stats_sd_m(lateness, 1, n, ret->lateness) : NAN;
    ret->gap = lag_quantiles_of(gap, ret->n_last);
    ret->last_correlation = lag1(is_last, n);
    ret->lateness_correlation = lag1(lateness, n);
    ret->drift = find_slope(series->number, lateness, n);
}

/* Shares of durations that are waiting, of those that aren't last in a step. */
static void find_idle(const struct series *series, lag_trace_stats *stats)
{
    const struct lag_measured *trace = series->trace;
    uint32_t n_ranks = trace->n_ranks;
    g_autofree uint32_t *n = g_new0(uint32_t, n_ranks);
    double sum = 0, n_all = 0;

    stats->idle_low = INFINITY;
    stats->idle_high = -INFINITY;
    for (uint32_t i = 0; i < trace->n_steps; i++) {
        uint32_t last = lag_trace_last(trace, i).rank;
        double of_step = 0, n_step = 0;
        for (uint32_t rank = 0; rank < n_ranks; rank++) {
            double duration = trace->duration[(size_t)i * n_ranks + rank];
            double wait = series->spread[i] - series->lateness[(size_t)rank * trace->n_steps + i];
            if (rank == last || duration <= 0)
                continue;
            stats->ranks[rank].idle += wait / duration;
            of_step += wait / duration;
            n_step += 1;
            n[rank]++;
        }
        sum += of_step;
        n_all += n_step;
        if (n_step > 0) {
            stats->idle_low = fmin(stats->idle_low, of_step / n_step);
            stats->idle_high = fmax(stats->idle_high, of_step / n_step);
        }
    }
    for (uint32_t rank = 0; rank < n_ranks; rank++)
        stats->ranks[rank].idle /= n[rank]; /* 0 / 0 is not known */
    stats->idle = sum / n_all;
}

static void forget_idle(lag_trace_stats *stats)
{
    stats->idle = stats->idle_low = stats->idle_high = NAN;
    for (uint32_t rank = 0; rank < stats->n_ranks; rank++)
        stats->ranks[rank].idle = NAN;
}

static void find_runs(const struct series *series, lag_trace_stats *stats)
{
    uint32_t n_steps = stats->n_steps, run = 0, n_pairs = 0, n_same = 0;
    double chance = 0, n_single = n_steps - stats->n_ties;

    for (uint32_t i = 0; i < n_steps; i++) {
        uint32_t last = series->last[i], before = i > 0 ? series->last[i - 1] : NOBODY;
        bool same = last != NOBODY && last == before;
        n_pairs += last != NOBODY && before != NOBODY;
        n_same += same;
        run = same ? run + 1 : last != NOBODY;
        stats->n_runs += last != NOBODY && !same;
        stats->longest_run = MAX(stats->longest_run, run);
    }
    for (uint32_t rank = 0; rank < stats->n_ranks; rank++)
        chance += pow(stats->ranks[rank].n_last / n_single, 2);
    stats->mean_run = n_single / stats->n_runs;
    stats->expected_run = 1 / (1 - chance);
    stats->last_correlation = chance < 1 ? (n_same / (double)n_pairs - chance) / (1 - chance) : NAN;
}

/* Are those that are late in the first half late in the second half too? */
static double compare_halves(const struct series *series)
{
    size_t n = series->trace->n_steps, n_ranks = series->trace->n_ranks, half = n / 2;
    g_autofree double *early = g_new(double, n_ranks), *late = g_new(double, n_ranks);
    g_autofree double *work = g_new(double, 2 * n_ranks);

    if (n_ranks < 3 || half == 0)
        return NAN;
    for (size_t rank = 0; rank < n_ranks; rank++) {
        early[rank] = gsl_stats_mean(series->lateness + rank * n, 1, half);
        late[rank] = gsl_stats_mean(series->lateness + rank * n + half, 1, n - half);
    }
    return gsl_stats_spearman(early, 1, late, 1, n_ranks, work);
}

lag_trace_stats *lag_trace_stats_new(const struct lag_measured *trace)
{
    lag_trace_stats *stats = g_new0(lag_trace_stats, 1);
    g_auto(series_auto) series;

    assert(trace->n_steps > 0 && trace->n_ranks > 1);
    series_init(&series, trace);
    stats->n_steps = trace->n_steps;
    stats->n_ranks = trace->n_ranks;
    stats->ranks = g_new0(struct lag_rank_stats, trace->n_ranks);
    for (uint32_t i = 0; i < trace->n_steps; i++)
        stats->n_ties += series.last[i] == NOBODY;
    for (uint32_t rank = 0; rank < trace->n_ranks; rank++)
        find_rank(&series, rank, &stats->ranks[rank]);
    find_runs(&series, stats);
    stats->halves = compare_halves(&series);
    if (trace->duration != NULL)
        find_idle(&series, stats);
    else
        forget_idle(stats);
    stats->gap_drift = find_slope(series.number, series.gap, trace->n_steps);
    stats->spread_drift = find_slope(series.number, series.spread, trace->n_steps);
    stats->gap = lag_quantiles_of(series.gap, trace->n_steps); /* these sort, and come last */
    stats->spread = lag_quantiles_of(series.spread, trace->n_steps);
    return stats;
}

void lag_trace_stats_free(lag_trace_stats *stats)
{
    if (stats != NULL) {
        g_free(stats->ranks);
        g_free(stats);
    }
}
