/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/learner-helpers.h"

#include <math.h>

void oracle_problem_init(oracle_problem *problem)
{
    g_autoptr(lag_dataset) dataset = lag_dataset_generate_line(256, 8, 1, 0.5);
    g_autoptr(GError) error = NULL;

    problem->model = lag_model_new(lag_model_kind_find("least-squares"), dataset, 0, &error);
    g_assert_no_error(error);
    problem->setup =
        (struct lag_learner_setup){.model = problem->model, .optimizer = {.rate = 0.5}};
}

void oracle_problem_clear(oracle_problem *problem)
{
    g_clear_pointer(&problem->model, lag_model_free);
}

double oracle_loss(const oracle_problem *problem, const double *x)
{
    g_autofree double *scratch = g_new(double, lag_model_n_scratch(problem->model));
    double loss, accuracy;

    lag_model_test(problem->model, x, &loss, &accuracy, scratch);
    return loss;
}

void oracle_assert(const oracle_problem *problem, const double *x, double loss, double first,
                   double last)
{
    g_assert_cmpfloat(oracle_loss(problem, x), ==, loss);
    g_assert_cmpfloat(x[0], ==, first);
    if (!isnan(last))
        g_assert_cmpfloat(x[7], ==, last);
}
