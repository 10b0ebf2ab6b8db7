/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The least-squares problem of the published SGD vectors (sgd_ref.py: N = 256, d = 8, data seed 1,
 * sampling seed 7, learning rate 0.5), for tests that compare parameters to the last digit. */
#ifndef LAGGARD_TESTS_LEARNER_HELPERS_H
#define LAGGARD_TESTS_LEARNER_HELPERS_H

#include "sim/learner/learner.h"

#define ORACLE_SEED       7
#define ORACLE_LOSS_START 0.33563033518479124  /* f(0) */
#define ORACLE_LOSS_LEAST 0.036334653359908847 /* f* */
#define ORACLE_CURVATURE  0.432614077897       /* L */

typedef struct {
    lag_model *model;
    struct lag_learner_setup setup; /* iid, a test after each update; may be changed */
} oracle_problem;

void oracle_problem_init(oracle_problem *problem);
void oracle_problem_clear(oracle_problem *problem);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(oracle_problem, oracle_problem_clear)

/* f(x) over all samples. */
double oracle_loss(const oracle_problem *problem, const double *x);

/* Fails unless f(x), x[0] and, where it isn't NAN, x[7] are these numbers, bit by bit. */
void oracle_assert(const oracle_problem *problem, const double *x, double loss, double first,
                   double last);

#endif
