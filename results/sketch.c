/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "results/sketch.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics.h>

#define SMALLEST 1e-15 /* a femtosecond; below it all are counted as 0 */

void lag_sketch_init(struct lag_sketch *sketch)
{
    *sketch = (struct lag_sketch){
        .min = INFINITY,
        .max = -INFINITY,
        .values = g_array_new(FALSE, FALSE, sizeof(double)),
    };
}

void lag_sketch_clear(struct lag_sketch *sketch)
{
    if (sketch == NULL)
        return;
    g_clear_pointer(&sketch->values, g_array_unref);
    g_clear_pointer(&sketch->counts, g_free);
    *sketch = (struct lag_sketch){0};
}

bool lag_sketch_is_exact(const struct lag_sketch *sketch)
{
    return sketch->values != NULL;
}

/* Bucket k holds values in (growth^(k - 1), growth^k]. */
static double log_growth(void)
{
    return log((1 + LAG_SKETCH_ERROR) / (1 - LAG_SKETCH_ERROR));
}

static int32_t bucket_of(double value)
{
    return (int32_t)ceil(log(value) / log_growth());
}

/* The value whose relative distance to both ends of a bucket is least. */
static double middle_of(int32_t bucket)
{
    return exp(bucket * log_growth()) * (1 - LAG_SKETCH_ERROR);
}

/* Makes room for a bucket. */
static void reach(struct lag_sketch *sketch, int32_t bucket)
{
    int32_t first = sketch->n_buckets == 0 ? bucket : MIN(sketch->first, bucket);
    int32_t last = sketch->n_buckets == 0
                       ? bucket
                       : MAX(sketch->first + (int32_t)sketch->n_buckets - 1, bucket);
    uint32_t n = (uint32_t)(last - first) + 1;

    if (n == sketch->n_buckets)
        return;
    uint64_t *counts = g_new0(uint64_t, n);
    if (sketch->n_buckets > 0)
        memcpy(counts + (sketch->first - first), sketch->counts,
               sketch->n_buckets * sizeof *counts);
    g_free(sketch->counts);
    sketch->counts = counts;
    sketch->first = first;
    sketch->n_buckets = n;
}

static void count(struct lag_sketch *sketch, double value)
{
    if (value < SMALLEST) {
        sketch->n_zero++;
        return;
    }
    int32_t bucket = bucket_of(value);
    reach(sketch, bucket);
    sketch->counts[bucket - sketch->first]++;
}

/* From values to buckets. */
static void condense(struct lag_sketch *sketch)
{
    GArray *values = g_steal_pointer(&sketch->values);

    for (guint i = 0; i < values->len; i++)
        count(sketch, g_array_index(values, double, i));
    g_array_unref(values);
}

void lag_sketch_add(struct lag_sketch *sketch, double value)
{
    assert(value >= 0);
    sketch->n++;
    sketch->min = fmin(sketch->min, value);
    sketch->max = fmax(sketch->max, value);
    if (sketch->values == NULL) {
        count(sketch, value);
        return;
    }
    g_array_append_val(sketch->values, value);
    if (sketch->n > LAG_SKETCH_EXACT)
        condense(sketch);
}

void lag_sketch_merge(struct lag_sketch *sketch, const struct lag_sketch *other)
{
    if (other->values != NULL) {
        for (guint i = 0; i < other->values->len; i++)
            lag_sketch_add(sketch, g_array_index(other->values, double, i));
        return;
    }
    if (sketch->values != NULL)
        condense(sketch);
    reach(sketch, other->first);
    reach(sketch, other->first + (int32_t)other->n_buckets - 1);
    for (uint32_t i = 0; i < other->n_buckets; i++)
        sketch->counts[other->first - sketch->first + (int32_t)i] += other->counts[i];
    sketch->n += other->n;
    sketch->n_zero += other->n_zero;
    sketch->min = fmin(sketch->min, other->min);
    sketch->max = fmax(sketch->max, other->max);
}

static void exact_quantiles(const struct lag_sketch *sketch, const double *q, double *ret, size_t n)
{
    guint n_values = sketch->values->len;
    g_autofree double *sorted = g_memdup2(sketch->values->data, n_values * sizeof(double));

    gsl_sort(sorted, 1, n_values);
    for (size_t i = 0; i < n; i++)
        ret[i] =
            n_values == 0 ? NAN : gsl_stats_quantile_from_sorted_data(sorted, 1, n_values, q[i]);
}

void lag_sketch_quantiles(const struct lag_sketch *sketch, const double *q, double *ret, size_t n)
{
    uint64_t below = sketch->n_zero; /* values in the buckets before `bucket` */
    uint32_t bucket = 0;

    if (sketch->values != NULL) {
        exact_quantiles(sketch, q, ret, n);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        uint64_t rank = (uint64_t)(q[i] * (double)(sketch->n - 1));
        while (bucket < sketch->n_buckets && below + sketch->counts[bucket] <= rank)
            below += sketch->counts[bucket++];
        double value = rank < sketch->n_zero || bucket == sketch->n_buckets
                           ? sketch->min
                           : middle_of(sketch->first + (int32_t)bucket);
        ret[i] = CLAMP(value, sketch->min, sketch->max);
    }
}
