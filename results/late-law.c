/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "results/late-law.h"

#include <math.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_rng.h>
#include <gsl/gsl_statistics.h>

#define MOSTLY_FIRST  0.6   /* share of the steps */
#define LEAST_CLASS   0.1   /* share of the variance that is between ranks */
#define UNLIKELY      0.001 /* of a test */
#define MOST_DRAWS    2000000u
#define MOST_STEPS    4000u
#define STEPS_OF_MEAN 4000 /* of a trapezoid rule */

static void late_clear(struct lag_late *late)
{
    g_free(late->ranks);
}

static void set_ranks(struct lag_late *late, const uint32_t *ranks, uint32_t n)
{
    late->ranks = g_memdup2(ranks, n * sizeof *ranks);
    late->n_ranks = n;
}

/* What is above 0, and how many. */
static double *late_values(const struct lag_measured *trace, const struct lag_late *late,
                           size_t *ret_n)
{
    double *value = g_new(double, (size_t)trace->n_steps * late->n_ranks);
    g_autofree double *lateness = g_new(double, trace->n_ranks);
    size_t n = 0;

    for (uint32_t i = 0; i < trace->n_steps; i++) {
        lag_trace_lateness(trace, i, lateness);
        for (uint32_t k = 0; k < late->n_ranks; k++)
            if (lateness[late->ranks[k]] > 0)
                value[n++] = lateness[late->ranks[k]];
    }
    *ret_n = n;
    return value;
}

static void choose_law(struct lag_late *late, const lag_sample *sample)
{
    double n = (double)(late->n_late + late->n_first);

    late->law = (struct lag_law){0};
    if (late->n_late == 0 || (double)late->n_first > MOSTLY_FIRST * n)
        return;
    if (late->n_fits > 0)
        late->law = late->fits[0].law;
    else
        late->law =
            (struct lag_law){lag_law_type_find("constant"), {sample->mean}, 0, 0, NULL, NULL};
}

/* Fits the ranks that are set; their delays count from `origin` before the first arrival. */
static void fit_late(struct lag_late *late, const struct lag_measured *trace, lag_seconds origin)
{
    g_autofree double *value = late_values(trace, late, &late->n_late);
    g_autoptr(lag_sample) sample = NULL;

    late->n_first = (size_t)trace->n_steps * late->n_ranks - late->n_late;
    for (size_t i = 0; i < late->n_late; i++)
        value[i] += origin;
    if (late->n_late > 0) {
        sample = lag_sample_new(value, late->n_late);
        late->n_fits = lag_fit_all(sample, late->fits);
    }
    choose_law(late, sample);
}

/* One-way analysis of variance of lateness by rank: a class correlation that is small, or may be
 * chance. */
static bool are_alike(const struct lag_late *others, const lag_trace_stats *stats)
{
    double m = others->n_ranks, n = stats->n_steps, mean = 0, between = 0, within = 0;

    if (others->n_ranks < 2 || stats->n_steps < 2)
        return true;
    for (uint32_t k = 0; k < others->n_ranks; k++)
        mean += stats->ranks[others->ranks[k]].lateness / m;
    for (uint32_t k = 0; k < others->n_ranks; k++) {
        const struct lag_rank_stats *rank = &stats->ranks[others->ranks[k]];
        between += n * pow(rank->lateness - mean, 2) / (m - 1);
        within += pow(rank->lateness_sd, 2) / m;
    }
    if (within <= 0)
        return between <= 0;
    double class_correlation = (between - within) / (between + (n - 1) * within);
    return class_correlation < LEAST_CLASS ||
           gsl_cdf_fdist_Q(between / within, m - 1, m * (n - 1)) > UNLIKELY;
}

static void fit_singles(lag_late_laws *laws, const struct lag_measured *trace,
                        const lag_trace_stats *stats)
{
    bool all = trace->n_ranks <= LAG_MOST_SINGLE;

    laws->singles = g_new0(struct lag_late, trace->n_ranks);
    for (uint32_t rank = 0; rank < trace->n_ranks; rank++) {
        struct lag_late *single = &laws->singles[laws->n_singles];
        if (!all && !stats->ranks[rank].persistent)
            continue;
        single->persistent = stats->ranks[rank].persistent;
        set_ranks(single, &rank, 1);
        fit_late(single, trace, 0);
        laws->n_singles++;
    }
}

static void fit_others(lag_late_laws *laws, const struct lag_measured *trace,
                       const lag_trace_stats *stats)
{
    g_autofree uint32_t *ranks = g_new(uint32_t, trace->n_ranks);
    uint32_t n = 0;

    for (uint32_t rank = 0; rank < trace->n_ranks; rank++)
        if (!stats->ranks[rank].persistent)
            ranks[n++] = rank;
    set_ranks(&laws->others, ranks, n);
    if (n > 0)
        fit_late(&laws->others, trace, 0);
    laws->alike = are_alike(&laws->others, stats);
}

static void add_entry(lag_late_laws *laws, const struct lag_late *like)
{
    struct lag_late *entry = &laws->entries[laws->n_entries++];

    *entry = *like;
    set_ranks(entry, like->ranks, like->n_ranks);
}

static double all_above(const lag_late_laws *laws, lag_seconds x)
{
    double p = 1;

    for (uint32_t i = 0; i < laws->n_entries; i++)
        p *= pow(lag_law_survival(&laws->entries[i].law, x), laws->entries[i].n_ranks);
    return p;
}

/* The mean of the smallest delay of the entries so far: the integral of P(all are above x). */
static lag_seconds mean_of_smallest(const lag_late_laws *laws)
{
    double end = 1e-12, sum = 0;

    if (laws->n_entries == 0)
        return 0;
    for (uint32_t i = 0; i < laws->n_entries; i++)
        if (laws->entries[i].law.type == NULL)
            return 0;
    while (all_above(laws, end) > 1e-9)
        end *= 1.5;
    for (int i = 0; i < STEPS_OF_MEAN; i++)
        sum += all_above(laws, end * (i + 0.5) / STEPS_OF_MEAN);
    return sum * end / STEPS_OF_MEAN;
}

static void make_entries(lag_late_laws *laws, const struct lag_measured *trace)
{
    laws->entries = g_new0(struct lag_late, trace->n_ranks + 1);
    if (laws->others.n_ranks > 0 && (laws->alike || trace->n_ranks > LAG_MOST_SINGLE))
        add_entry(laws, &laws->others);
    else
        for (uint32_t i = 0; i < laws->n_singles; i++)
            if (!laws->singles[i].persistent)
                add_entry(laws, &laws->singles[i]);
    laws->origin = mean_of_smallest(laws);
    for (uint32_t i = 0; i < laws->n_singles; i++) {
        if (!laws->singles[i].persistent)
            continue;
        add_entry(laws, &laws->singles[i]);
        fit_late(&laws->entries[laws->n_entries - 1], trace, laws->origin);
    }
}

static void draw_step(const lag_late_laws *laws, const gsl_rng *rng, lag_seconds *arrival)
{
    for (uint32_t i = 0; i < laws->n_entries; i++) {
        const struct lag_late *entry = &laws->entries[i];
        for (uint32_t k = 0; k < entry->n_ranks; k++)
            arrival[entry->ranks[k]] = entry->law.type == NULL ? 0 : lag_law_draw(&entry->law, rng);
    }
}

/* What the entries give, to be held against what was measured. */
static void draw_means(lag_late_laws *laws, uint32_t n_ranks)
{
    uint32_t n = CLAMP(MOST_DRAWS / n_ranks, 1, MOST_STEPS);
    g_autofree lag_seconds *arrival = g_new0(lag_seconds, n_ranks);
    const struct lag_measured step = {.n_steps = 1, .n_ranks = n_ranks, .arrival = arrival};
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);

    gsl_rng_set(rng, 1);
    for (uint32_t i = 0; i < n; i++) {
        draw_step(laws, rng, arrival);
        struct lag_last last = lag_trace_last(&step, 0);
        laws->gap += last.gap / n;
        laws->spread += last.spread / n;
    }
    gsl_rng_free(rng);
}

lag_late_laws *lag_late_laws_new(const struct lag_measured *trace, const lag_trace_stats *stats)
{
    lag_late_laws *laws = g_new0(lag_late_laws, 1);

    fit_singles(laws, trace, stats);
    fit_others(laws, trace, stats);
    make_entries(laws, trace);
    draw_means(laws, trace->n_ranks);
    return laws;
}

void lag_late_laws_free(lag_late_laws *laws)
{
    if (laws == NULL)
        return;
    for (uint32_t i = 0; i < laws->n_singles; i++)
        late_clear(&laws->singles[i]);
    for (uint32_t i = 0; i < laws->n_entries; i++)
        late_clear(&laws->entries[i]);
    late_clear(&laws->others);
    g_free(laws->singles);
    g_free(laws->entries);
    g_free(laws);
}
