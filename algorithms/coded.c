/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "algorithms/coded.h"

#include <math.h>

#include "algorithms/codes/codes.h"
#include "sim/laggard.h"

enum {
    STOP_DECODABLE,
    STOP_COUNT
};

static uint32_t count_or(double value, uint32_t automatic)
{
    return value == LAGGARD_AUTO ? automatic : (uint32_t)value;
}

uint32_t laggard_coded_workers(double value, const struct lag_protocol_run *run)
{
    return count_or(value, run->n_workers);
}

uint32_t laggard_coded_degree(double value, uint32_t depth, const struct lag_protocol_run *run)
{
    uint32_t degree = 1;

    if (value != LAGGARD_AUTO)
        return (uint32_t)value;
    for (;; degree++) {
        struct lag_tree next = {degree + 1, depth, 0};
        if (!lag_tree_check(&next, NULL) || lag_tree_workers(&next) > run->n_workers)
            return degree;
    }
}

/* No code at all: one part each, all are needed. */
static lag_code *new_identity(uint32_t n, GError **error)
{
    struct lag_code_request request = {.n_workers = n, .late = NAN};

    return lag_code_new(lag_code_kind_find("fractional"), &request, error);
}

static bool finish(struct laggard_coded *coded, const struct lag_protocol_run *run, GError **error)
{
    coded->setup.code = coded->code;
    if (coded->code != NULL && lag_tree_run_check(&coded->setup, run, error))
        return true;
    laggard_coded_clear(coded);
    return false;
}

bool laggard_coded_init_plain(struct laggard_coded *coded, uint32_t degree, uint32_t depth,
                              const struct lag_protocol_run *run, GError **error)
{
    *coded = (struct laggard_coded){.setup = {.tree = {degree, depth, 0}}};
    if (!lag_tree_run_check_shape(&coded->setup.tree, run, error))
        return false;
    coded->code = new_identity(degree, error);
    return finish(coded, run, error);
}

bool laggard_coded_init(struct laggard_coded *coded, uint32_t degree, uint32_t depth,
                        const double *values, const struct lag_protocol_run *run, GError **error)
{
    uint32_t stragglers = (uint32_t)values[LAGGARD_CODED_STRAGGLERS];
    uint32_t choice = (uint32_t)values[LAGGARD_CODED_CODE];
    double late = values[LAGGARD_CODED_LATE];
    struct lag_code_request request = {
        .n_workers = degree,
        .n_stragglers = stragglers,
        .copies = count_or(values[LAGGARD_CODED_COPIES], 0),
        .collect = count_or(values[LAGGARD_CODED_COLLECT], 0),
        .candidates =
            count_or(values[LAGGARD_CODED_CANDIDATES], run->gradient->learner == NULL ? 1 : 0),
        .late = late == LAGGARD_NONE ? NAN : late,
        .least_squares = values[LAGGARD_CODED_DECODE] > 0,
        .seed = run->seed,
    };

    *coded = (struct laggard_coded){
        .setup = {.tree = {degree, depth, stragglers},
                  .by_count = values[LAGGARD_CODED_STOP] == STOP_COUNT},
    };
    if (!lag_tree_run_check_shape(&coded->setup.tree, run, error))
        return false;
    coded->code = lag_code_new(choice == 0 ? lag_code_kind_recommended(degree, stragglers)
                                           : lag_code_kinds[choice - 1],
                               &request, error);
    return finish(coded, run, error);
}

void laggard_coded_clear(struct laggard_coded *coded)
{
    lag_code_free(coded->code);
    coded->code = NULL;
}

bool laggard_coded_check(laggard_coded_make make, const struct lag_protocol_run *run,
                         GError **error)
{
    struct laggard_coded coded;

    if (!make(&coded, run, error))
        return false;
    laggard_coded_clear(&coded);
    return true;
}

bool laggard_coded_run(laggard_coded_make make, const struct lag_protocol_run *run,
                       struct lag_protocol_outcome *outcome, GError **error)
{
    struct laggard_coded coded;

    if (!make(&coded, run, error))
        return false;
    bool ok = lag_tree_run(&coded.setup, run, outcome, error);
    laggard_coded_clear(&coded);
    return ok;
}
