/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/coding/least-squares.h"

#include <assert.h>
#include <math.h>

#include <gsl/gsl_blas.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_linalg.h>

typedef gsl_permutation lag_permutation;
G_DEFINE_AUTOPTR_CLEANUP_FUNC(lag_permutation, gsl_permutation_free)

static double largest_column(const gsl_matrix *A)
{
    double largest = 0;

    for (size_t j = 0; j < A->size2; j++) {
        gsl_vector_const_view column = gsl_matrix_const_column(A, j);
        largest = fmax(largest, gsl_blas_dnrm2(&column.vector));
    }
    return largest;
}

void lag_least_squares(const gsl_matrix *A, const gsl_vector *b, gsl_vector *ret_x)
{
    size_t columns = A->size2, rows = MAX(A->size1, columns);

    gsl_vector_set_zero(ret_x);
    double largest = largest_column(A);
    if (largest == 0)
        return;
    /* GSL wants as many rows as columns or more: rows of zeros change nothing. */
    g_autoptr(gsl_matrix) QRZ = gsl_matrix_calloc(rows, columns);
    g_autoptr(gsl_vector) right = gsl_vector_calloc(rows);
    g_autoptr(gsl_vector) tau_Q = gsl_vector_alloc(columns), tau_Z = gsl_vector_alloc(columns);
    g_autoptr(gsl_vector) work = gsl_vector_alloc(columns), left = gsl_vector_alloc(rows);
    g_autoptr(lag_permutation) order = gsl_permutation_alloc(columns);
    size_t rank = 0;

    gsl_matrix_view top = gsl_matrix_submatrix(QRZ, 0, 0, A->size1, columns);
    gsl_matrix_memcpy(&top.matrix, A);
    gsl_vector_view head = gsl_vector_subvector(right, 0, A->size1);
    gsl_vector_memcpy(&head.vector, b);
    int status = gsl_linalg_COD_decomp_e(QRZ, tau_Q, tau_Z, order, 1e-13 * largest, &rank, work);
    assert(status == GSL_SUCCESS);
    status = gsl_linalg_COD_lssolve(QRZ, tau_Q, tau_Z, order, rank, right, ret_x, left);
    assert(status == GSL_SUCCESS);
}

/* How many of R's diagonal stand out; it falls. */
static size_t rank_of(const gsl_matrix *R)
{
    size_t rank = 0, most = MIN(R->size1, R->size2);

    while (rank < most &&
           fabs(gsl_matrix_get(R, rank, rank)) > 1e-10 * fabs(gsl_matrix_get(R, 0, 0)))
        rank++;
    return rank;
}

/* y with y R = P^T 1, of the first `rank` rows of R. */
static gsl_vector *solve_rows(const gsl_matrix *R, size_t rank)
{
    g_autoptr(gsl_matrix) Rt = gsl_matrix_alloc(R->size2, rank);
    g_autoptr(gsl_vector) ones = gsl_vector_alloc(R->size2); /* which P leaves as they are */
    gsl_vector *y = gsl_vector_alloc(rank);

    gsl_vector_set_all(ones, 1);
    for (size_t i = 0; i < rank; i++)
        for (size_t j = 0; j < R->size2; j++)
            gsl_matrix_set(Rt, j, i, gsl_matrix_get(R, i, j));
    lag_least_squares(Rt, ones, y);
    return y;
}

void lag_left_solutions_init(struct lag_left_solutions *solutions, const gsl_matrix *B, size_t rank)
{
    size_t rows = B->size1, columns = B->size2;
    g_autoptr(gsl_matrix) copy = gsl_matrix_alloc(rows, columns);
    g_autoptr(gsl_matrix) Q = gsl_matrix_alloc(rows, rows), R = gsl_matrix_calloc(rows, columns);
    g_autoptr(gsl_vector) tau = gsl_vector_alloc(MIN(rows, columns));
    g_autoptr(gsl_vector) norm = gsl_vector_alloc(columns);
    g_autoptr(lag_permutation) order = gsl_permutation_alloc(columns);
    int sign = 0;

    /* B P = Q R: the columns of Q from the rank on span what B takes to 0 from the left. */
    gsl_matrix_memcpy(copy, B);
    gsl_linalg_QRPT_decomp2(copy, Q, R, tau, order, &sign, norm);
    if (rank == 0)
        rank = rank_of(R);
    *solutions = (struct lag_left_solutions){.a0 = gsl_vector_calloc(rows)};
    if (rank > 0) {
        g_autoptr(gsl_vector) y = solve_rows(R, rank);
        gsl_matrix_const_view Q1 = gsl_matrix_const_submatrix(Q, 0, 0, rows, rank);
        gsl_blas_dgemv(CblasNoTrans, 1, &Q1.matrix, y, 0, solutions->a0);
    }
    if (rank == rows)
        return;
    solutions->N = gsl_matrix_alloc(rows - rank, rows);
    for (size_t k = rank; k < rows; k++)
        for (size_t i = 0; i < rows; i++)
            gsl_matrix_set(solutions->N, k - rank, i, gsl_matrix_get(Q, i, k));
}

void lag_left_solutions_clear(struct lag_left_solutions *solutions)
{
    gsl_vector_free(solutions->a0);
    gsl_matrix_free(solutions->N);
    *solutions = (struct lag_left_solutions){0};
}
