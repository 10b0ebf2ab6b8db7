/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside lockstep: the loops over vectors, compiled for several widths. */
#ifndef LAGGARD_SIM_VECTOR_H
#define LAGGARD_SIM_VECTOR_H

#include <stddef.h>

/* A stretch of n positions of a shift: their times x, those of whom they send to and receive
 * from, and what their sends (d) and receives (d_from until the sender is done, c_from until the
 * data are there) cost [s]. */
struct lag_stretch {
    size_t n;
    const double *x, *to, *from, *d, *d_from, *c_from;
    double overhead;
};

/* next = the times of the next round. */
void lag_vector_shift_rendezvous(const struct lag_stretch *s, double *restrict next);
void lag_vector_shift_eager(const struct lag_stretch *s, double *restrict next);

/* Rendezvous: adds the time in which a port moves data. They leave from the start + overhead on, for
 * d - overhead, and come in over the last d_from - overhead before they are received. */
void lag_vector_busy(const struct lag_stretch *s, double *restrict busy);

/* Two blocks of n positions that swap: times and costs of each. */
struct lag_block {
    const double *x, *d, *c;
};
void lag_vector_exchange(size_t n, const struct lag_block *a, const struct lag_block *b,
                         double *restrict next_a, double *restrict next_b);

#endif
