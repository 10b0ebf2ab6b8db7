/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/gradient/tree-run.h"

#include <inttypes.h>
#include <math.h>

#include "sim/gradient/tree-account.h"
#include "sim/gradient/tree-gradient.h"
#include "sim/laggard.h"

struct job {
    const struct lag_protocol_run *run;
    struct lag_protocol_outcome *outcome;
    struct lag_allocation allocation;
    lag_tree_rounds rounds;
    lag_tree_gradient gradient; /* and what follows only with a learner */
    lag_learner *learner;
    double *x; /* parameters */
    bool *used;
    bool is_over;
};

static bool is_whole(double x)
{
    return x == floor(x);
}

static bool check_data(const struct lag_gradient *gradient, GError **error)
{
    const struct lag_learner_setup *learner = gradient->learner;

    if (learner != NULL && gradient->points != learner->model->dataset->train.n) {
        g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT,
                    "the workload has %g points, the learner's data set has %u; give the same, or "
                    "leave points out",
                    gradient->points, learner->model->dataset->train.n);
        return false;
    }
    if (gradient->n_pinned > 0 && !is_whole(gradient->points)) {
        g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT,
                    "pinned data need a whole number of points, not %g", gradient->points);
        return false;
    }
    return true;
}

static bool check_lateness(const struct lag_lateness *lateness, GError **error)
{
    for (uint32_t s = 0; s < lateness->n_stragglers; s++)
        if (lateness->stragglers[s].effect == LAG_LINK_SLOWDOWN) {
            g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT,
                        "coded aggregation doesn't take links that a law slows down; name slow "
                        "links in cluster.network.links, or use slowdown or delay");
            return false;
        }
    return true;
}

bool lag_tree_run_check_shape(const struct lag_tree *tree, const struct lag_protocol_run *run,
                              GError **error)
{
    if (!lag_tree_check(tree, error))
        return false;
    if (lag_tree_workers(tree) > run->n_workers) {
        g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT,
                    "a tree of degree %u and depth %u has %u workers, the cluster has %u GPUs",
                    tree->degree, tree->depth, lag_tree_workers(tree), run->n_workers);
        return false;
    }
    return true;
}

bool lag_tree_run_check(const struct lag_tree_setup *setup, const struct lag_protocol_run *run,
                        GError **error)
{
    const lag_code *code = setup->code;

    if (!lag_tree_run_check_shape(&setup->tree, run, error))
        return false;
    if (code->n_messages != setup->tree.degree) {
        g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT,
                    "code '%s' has workers send twice; a tree takes one message of each",
                    code->kind->name);
        return false;
    }
    return check_data(run->gradient, error) && check_lateness(run->lateness, error);
}

/* One update of the parameters by what the root has decoded. */
static void learn(struct job *job, double samples)
{
    struct lag_protocol_outcome *outcome = job->outcome;
    double error, loss, accuracy;
    const double *sum = lag_tree_gradient_decode(&job->gradient, job->x, &error);

    outcome->residual = fmax(outcome->residual, error);
    if (!lag_learner_step(job->learner, job->x, sum, job->run->gradient->points, 1)) {
        lag_protocol_outcome_end(outcome, LAG_END_DIVERGED,
                                 "a parameter is not finite any more after %" PRIu64
                                 " iterations; use a smaller learning rate",
                                 outcome->n_iterations);
        job->is_over = true;
        return;
    }
    if (!lag_learner_test_due(job->learner))
        return;
    lag_learner_test(job->learner, job->x, &loss, &accuracy);
    struct lag_curve_point point = {outcome->time, samples, outcome->n_iterations, loss, accuracy};
    g_array_append_val(outcome->curve, point);
}

/* The root can't decode what it has. */
static void note_failure(struct job *job)
{
    struct lag_protocol_outcome *outcome = job->outcome;
    g_autofree char *text = lag_tree_complaint(&job->rounds, outcome->n_iterations);

    outcome->n_undecodable++;
    lag_protocol_outcome_end(outcome, LAG_END_UNDECODABLE, "%s", text);
}

/* A round is decided; true: another one follows. */
static bool note_decision(void *self)
{
    struct job *job = self;
    struct lag_protocol_outcome *outcome = job->outcome;
    const struct lag_tree_decision *decision = &job->rounds.decision;
    double points = job->run->gradient->points;

    lag_gradient_work_elapse(job->rounds.work, decision->time);
    outcome->time += decision->time;
    outcome->n_iterations++;
    g_array_append_val(outcome->update_times, outcome->time);
    lag_tree_account(&job->rounds, outcome, job->used);
    if (decision->any) {
        outcome->samples += points;
        g_array_append_val(outcome->batches, points);
        outcome->code_residual = fmax(outcome->code_residual, decision->residual);
        outcome->n_approximate += decision->residual > LAG_CODE_RESIDUAL;
        if (job->learner != NULL)
            learn(job, outcome->samples);
    } else {
        note_failure(job);
    }
    return !job->is_over && outcome->n_iterations < job->run->gradient->n_iterations;
}

static void job_init(struct job *job, const struct lag_tree_setup *setup,
                     const struct lag_protocol_run *run, struct lag_protocol_outcome *outcome)
{
    const struct lag_learner_setup *learner = run->gradient->learner;

    *job = (struct job){.run = run, .outcome = outcome};
    if (learner != NULL)
        lag_allocation_init_whole(&job->allocation, &setup->tree, setup->code,
                                  (uint32_t)run->gradient->points);
    else
        lag_allocation_init(&job->allocation, &setup->tree, setup->code, run->gradient->points);
    lag_tree_rounds_init(&job->rounds, run, setup, &job->allocation);
    job->rounds.decided = note_decision;
    job->rounds.self = job;
    job->used = g_new(bool, job->allocation.n_nodes);
    outcome->load = lag_allocation_largest(&job->allocation) / run->gradient->points;
    if (learner == NULL)
        return;
    outcome->residual = 0;
    lag_tree_gradient_init(&job->gradient, &job->rounds, learner->model);
    job->learner = lag_learner_new(learner, 1, NULL);
    job->x = g_new(double, lag_learner_n_parameters(job->learner));
    lag_learner_start(job->learner, run->seed, run->replication, job->x);
}

static void job_clear(struct job *job)
{
    lag_tree_rounds_clear(&job->rounds);
    lag_allocation_clear(&job->allocation);
    lag_tree_gradient_clear(&job->gradient);
    lag_learner_free(job->learner);
    g_free(job->x);
    g_free(job->used);
}

/* Sums become means. */
static void finish(struct lag_protocol_outcome *outcome)
{
    double n = (double)MAX(outcome->n_iterations - outcome->n_undecodable, 1);

    outcome->encode /= n;
    outcome->decode /= n;
    outcome->receive /= n;
    outcome->compute /= n;
}

bool lag_tree_run(const struct lag_tree_setup *setup, const struct lag_protocol_run *run,
                  struct lag_protocol_outcome *outcome, GError **error)
{
    struct job job;
    bool goes_on = true;

    (void)error;
    job_init(&job, setup, run, outcome);
    while (goes_on && !job.is_over && outcome->n_iterations < run->gradient->n_iterations)
        goes_on = lag_tree_rounds_start(&job.rounds, outcome->time);
    if (!goes_on) {
        outcome->n_iterations++;
        note_failure(&job);
    }
    finish(outcome);
    job_clear(&job);
    return true;
}
