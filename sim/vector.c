/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/vector.h"

#include "sim/clones.h"

static inline double later(double a, double b)
{
    return a > b ? a : b;
}

static inline double earlier(double a, double b)
{
    return a < b ? a : b;
}

LAG_VECTOR_CLONES
void lag_vector_shift_rendezvous(const struct lag_stretch *s, double *restrict next)
{
    const double *x = s->x, *to = s->to, *from = s->from, *d = s->d, *c_from = s->c_from;
    size_t n = s->n;

    for (size_t i = 0; i < n; i++)
        next[i] = later(later(x[i], to[i]) + d[i], later(from[i], x[i]) + c_from[i]);
}

LAG_VECTOR_CLONES
void lag_vector_shift_eager(const struct lag_stretch *s, double *restrict next)
{
    const double *x = s->x, *from = s->from, *d = s->d, *c_from = s->c_from;
    size_t n = s->n;

    for (size_t i = 0; i < n; i++)
        next[i] = later(later(x[i], from[i] + c_from[i]), x[i] + d[i]);
}

LAG_VECTOR_CLONES
void lag_vector_busy(const struct lag_stretch *s, double *restrict busy)
{
    const double *x = s->x, *to = s->to, *from = s->from;
    const double *d = s->d, *d_from = s->d_from, *c_from = s->c_from;
    double overhead = s->overhead;
    size_t n = s->n;

    for (size_t i = 0; i < n; i++) {
        double start = later(x[i], to[i]);
        double sending = start + overhead, sent = start + d[i];
        double received = later(from[i], x[i]) + c_from[i];
        double receiving = received - (d_from[i] - overhead);
        double both = earlier(sent, received) - later(sending, receiving);
        double sum = (sent - sending) + (received - receiving);
        busy[i] += earlier(sum, sum - both);
    }
}

LAG_VECTOR_CLONES
void lag_vector_exchange(size_t n, const struct lag_block *a, const struct lag_block *b,
                         double *restrict next_a, double *restrict next_b)
{
    const double *x_a = a->x, *d_a = a->d, *c_a = a->c;
    const double *x_b = b->x, *d_b = b->d, *c_b = b->c;

    for (size_t i = 0; i < n; i++) {
        double start = later(x_a[i], x_b[i]);
        next_a[i] = start + later(d_a[i], c_b[i]);
        next_b[i] = start + later(d_b[i], c_a[i]);
    }
}
