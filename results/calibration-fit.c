/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "results/calibration-fit.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include <glib.h>
#include <gsl/gsl_fit.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>

#define BIWEIGHT    4.685 /* 95 % efficient where the noise is normal */
#define LEAST_NOISE 0.003 /* relative: finer than this no clock is */
#define ITERATIONS  20
#define PER_SEGMENT 3.0 /* times ln n: two numbers and a place, which is searched for */

/* A stretch of the timings. */
struct stretch {
    const double *x;
    const lag_seconds *t;
    uint32_t n;
    double noise;
    bool first; /* t0 >= 0 */
};

struct line {
    double t0, slope;
    double cost; /* in units of half a squared standard deviation */
};

static double residual(const struct stretch *s, const struct line *line, uint32_t i)
{
    return (line->t0 + line->slope * s->x[i]) / s->t[i] - 1;
}

/* Tukey's biweight: u^2 / 2 near 0, and at most BIWEIGHT^2 / 6. */
static double loss(double u)
{
    double v = 1 - (u / BIWEIGHT) * (u / BIWEIGHT);

    return BIWEIGHT * BIWEIGHT / 6 * (v > 0 ? 1 - v * v * v : 1);
}

static double weight(double u)
{
    double v = 1 - (u / BIWEIGHT) * (u / BIWEIGHT);

    return v > 0 ? v * v : 0;
}

static void assess(const struct stretch *s, struct line *line)
{
    line->cost = 0;
    for (uint32_t i = 0; i < s->n; i++)
        line->cost += loss(residual(s, line, i) / s->noise);
}

/* The line through two timings, as far as its numbers may be. */
static struct line through(const struct stretch *s, uint32_t i, uint32_t j)
{
    struct line line = {.slope = (s->t[j] - s->t[i]) / (s->x[j] - s->x[i])};

    if (line.slope < 0) {
        line.slope = 0;
        line.t0 = sqrt(s->t[i] * s->t[j]);
    } else {
        line.t0 = s->t[i] - line.slope * s->x[i];
    }
    if (s->first && line.t0 < 0)
        line = (struct line){.slope = sqrt(s->t[i] / s->x[i] * (s->t[j] / s->x[j]))};
    assess(s, &line);
    return line;
}

/* The best line with weights; false where it leaves what its numbers may be. */
static bool weighted_line(const struct stretch *s, const double *w, struct line *ret)
{
    double c00, c01, c11, chi, one = 0, sum = 0;

    for (uint32_t i = 0; i < s->n; i++) {
        one += w[i] > 0;
        sum += w[i];
    }
    if (one < 2)
        return false;
    gsl_fit_wlinear(s->x, 1, w, 1, s->t, 1, s->n, &ret->t0, &ret->slope, &c00, &c01, &c11, &chi);
    if (ret->slope < 0) {
        ret->slope = 0;
        ret->t0 = gsl_stats_wmean(w, 1, s->t, 1, s->n);
    }
    if (s->first && ret->t0 < 0) {
        ret->t0 = 0;
        gsl_fit_wmul(s->x, 1, w, 1, s->t, 1, s->n, &ret->slope, &c11, &chi);
    }
    assess(s, ret);
    return isfinite(ret->t0) && isfinite(ret->slope) && sum > 0;
}

/* Iteratively reweighted least squares from a line on, as long as it gets better. */
static void polish(const struct stretch *s, struct line *line)
{
    g_autofree double *w = g_new(double, s->n);

    for (uint32_t k = 0; k < ITERATIONS; k++) {
        struct line next;
        for (uint32_t i = 0; i < s->n; i++)
            w[i] = weight(residual(s, line, i) / s->noise) / (s->t[i] * s->t[i]);
        if (!weighted_line(s, w, &next) || !(next.cost < line->cost))
            return;
        *line = next;
    }
}

/* The best line through any two timings, polished: an outlier can't pull it. */
static struct line fit_line(const struct stretch *s)
{
    struct line best = {.t0 = s->t[0], .cost = INFINITY};

    if (s->n == 1)
        return (struct line){.t0 = s->t[0]};
    for (uint32_t i = 0; i < s->n; i++)
        for (uint32_t j = i + 1; j < s->n; j++) {
            struct line line = through(s, i, j);
            if (line.cost < best.cost)
                best = line;
        }
    polish(s, &best);
    return best;
}

/* The median distance of a timing from the line between its neighbours; each of the three has a
 * share of it. */
static double noise_of(const double *x, const lag_seconds *t, uint32_t n)
{
    if (n < 5)
        return 0.02;
    g_autofree double *distance = g_new(double, n - 2);
    for (uint32_t i = 1; i + 1 < n; i++) {
        double share = (x[i] - x[i - 1]) / (x[i + 1] - x[i - 1]);
        double line = t[i - 1] + (t[i + 1] - t[i - 1]) * share;
        double spread = hypot(t[i], hypot((1 - share) * t[i - 1], share * t[i + 1]));
        distance[i - 1] = fabs(line - t[i]) / spread;
    }
    return fmax(LEAST_NOISE, 1.4826 * gsl_stats_median(distance, 1, n - 2));
}

/* cost[k][j]: of the first j timings in k + 1 segments, the last of which begins at from[k][j]. */
struct search {
    double *cost[LAG_MAX_SEGMENTS];
    uint32_t *from[LAG_MAX_SEGMENTS];
};

static struct stretch stretch_of(const struct stretch *all, uint32_t from, uint32_t to)
{
    return (struct stretch){all->x + from, all->t + from, to - from, all->noise, from == 0};
}

static void search_new(struct search *search, const struct stretch *all)
{
    uint32_t n = all->n;

    for (uint32_t k = 0; k < LAG_MAX_SEGMENTS; k++) {
        search->cost[k] = g_new(double, n + 1);
        search->from[k] = g_new0(uint32_t, n + 1);
        for (uint32_t j = 0; j <= n; j++)
            search->cost[k][j] = INFINITY;
    }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = i + (i == 0 ? 1 : LAG_SEGMENT_POINTS); j <= n; j++) {
            struct stretch s = stretch_of(all, i, j);
            double cost = fit_line(&s).cost;
            if (i == 0)
                search->cost[0][j] = cost;
            for (uint32_t k = 1; i >= LAG_SEGMENT_POINTS && k < LAG_MAX_SEGMENTS; k++)
                if (search->cost[k - 1][i] + cost < search->cost[k][j]) {
                    search->cost[k][j] = search->cost[k - 1][i] + cost;
                    search->from[k][j] = i;
                }
        }
}

static void search_clear(struct search *search)
{
    for (uint32_t k = 0; k < LAG_MAX_SEGMENTS; k++) {
        g_free(search->cost[k]);
        g_free(search->from[k]);
    }
}

/* How many lines: twice what the criterion takes for three numbers, for it knows no search. */
static uint32_t choose(const struct search *search, uint32_t n)
{
    uint32_t best = 0;
    double penalty = PER_SEGMENT * log(n), least = search->cost[0][n];

    for (uint32_t k = 1; k < LAG_MAX_SEGMENTS; k++)
        if (search->cost[k][n] + k * penalty < least) {
            least = search->cost[k][n] + k * penalty;
            best = k;
        }
    return best + 1;
}

static void describe(const struct stretch *s, struct lag_segment *ret)
{
    struct line line = fit_line(s);
    g_autofree double *distance = g_new(double, s->n);

    *ret = (struct lag_segment){.from = s->x[0], .to = s->x[s->n - 1], .n = s->n};
    ret->t0 = line.t0;
    ret->slope = line.slope;
    for (uint32_t i = 0; i < s->n; i++) {
        distance[i] = fabs(residual(s, &line, i));
        ret->n_outliers += distance[i] > BIWEIGHT * s->noise;
    }
    gsl_sort(distance, 1, s->n);
    ret->residual_median = gsl_stats_median_from_sorted_data(distance, 1, s->n);
    ret->residual_max = distance[s->n - 1];
}

/* Where a segment ends and the next begins: where they cross, or else half-way by ratio. */
static void join(struct lag_segment *a, struct lag_segment *b)
{
    double crossing = (a->t0 - b->t0) / (b->slope - a->slope);

    if (!(crossing >= a->to && crossing <= b->from))
        crossing = sqrt(a->to * b->from);
    a->to = b->from = crossing;
}

uint32_t lag_calibration_fit(const double *amount, const lag_seconds *seconds, uint32_t n,
                             struct lag_segment ret[LAG_MAX_SEGMENTS])
{
    struct stretch all = {amount, seconds, n, noise_of(amount, seconds, n), true};
    struct search search;

    assert(n >= 1);
    search_new(&search, &all);
    uint32_t n_segments = choose(&search, n);
    for (uint32_t k = n_segments, end = n; k > 0; k--) {
        uint32_t from = search.from[k - 1][end];
        struct stretch s = stretch_of(&all, from, end);
        describe(&s, &ret[k - 1]);
        end = from;
    }
    search_clear(&search);
    for (uint32_t k = 0; k + 1 < n_segments; k++)
        join(&ret[k], &ret[k + 1]);
    return n_segments;
}
