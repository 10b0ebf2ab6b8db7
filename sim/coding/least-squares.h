/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Least squares of least norm, for matrices of any shape and rank, by a complete orthogonal
 * decomposition (QR with pivoting, from both sides); normal equations would square the condition. */
#ifndef LAGGARD_SIM_CODING_LEAST_SQUARES_H
#define LAGGARD_SIM_CODING_LEAST_SQUARES_H

#include <glib.h>
#include <gsl/gsl_matrix.h>
#include <gsl/gsl_vector.h>

G_DEFINE_AUTOPTR_CLEANUP_FUNC(gsl_matrix, gsl_matrix_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(gsl_vector, gsl_vector_free)

/* x of least |x| among those of least |A x - b|. A is [rows][columns], b [rows], ret_x [columns].
 * Directions in which A is below 1e-13 of its largest are taken for none. */
void lag_least_squares(const gsl_matrix *A, const gsl_vector *b, gsl_vector *ret_x);

/* All solutions of a B = (1, ..., 1), to rounding: a0 + c N, where a0 is the least one and the rows
 * of N, which are orthonormal, span all a with a B = 0. Where there are none a0 is of least squares.
 * rank: of B; 0: by what is above 1e-10 of its largest. */
struct lag_left_solutions {
    gsl_vector *a0;
    gsl_matrix *N; /* [rows of B - rank][rows of B]; NULL where the rank is full */
};
void lag_left_solutions_init(struct lag_left_solutions *solutions, const gsl_matrix *B,
                             size_t rank);
void lag_left_solutions_clear(struct lag_left_solutions *solutions);

#endif
