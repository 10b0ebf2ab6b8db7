/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/together.h"

#include <math.h>

#include "sim/guess.h"
#include "tools/slow-links.h"
#include "tools/turnout.h"

/* One replication of all jobs, in the making. */
struct together {
    lag_replay *replay;
    const lag_scenario *scenario;
    struct lag_tally *tallies;
    uint32_t replication;
    lag_turnout **turnouts;           /* [n_jobs] */
    lag_seconds **arrival, **compute; /* [n_jobs][n_ranks] */
    struct lag_run *runs;             /* [n_jobs] */
    struct laggard_plan *guessed;     /* [n_jobs] a plan that predicts, for the step */
    struct lag_guess *guesses;        /* [n_jobs] */
    struct lag_outcome *outcomes;     /* [n_jobs] */
    uint32_t *moving;                 /* [n_jobs] those with bytes, */
    struct lag_run *run;              /* their runs */
    struct lag_outcome *outcome;      /* and outcomes, whose memory is the above's */
    struct lag_slow_links slow;
};

static void prepare(struct together *t, lag_plan *const *plans)
{
    uint32_t n = t->scenario->n_jobs;

    t->turnouts = g_new0(lag_turnout *, n);
    t->arrival = g_new(lag_seconds *, n);
    t->compute = g_new(lag_seconds *, n);
    t->runs = g_new0(struct lag_run, n);
    t->guessed = g_new(struct laggard_plan, n);
    t->guesses = g_new(struct lag_guess, n);
    t->outcomes = g_new0(struct lag_outcome, n);
    t->moving = g_new(uint32_t, n);
    t->run = g_new(struct lag_run, n);
    t->outcome = g_new(struct lag_outcome, n);
    for (uint32_t i = 0; i < n; i++) {
        const lag_scenario *job = t->scenario->jobs[i];
        t->guessed[i] = *plans[i];
        t->arrival[i] = g_new(lag_seconds, job->n_ranks);
        t->compute[i] = g_new(lag_seconds, job->n_ranks);
        lag_outcome_init(&t->outcomes[i], job->n_ranks);
        t->runs[i] = (struct lag_run){
            .plan = plans[i]->predicts ? &t->guessed[i] : plans[i],
            .ranks = job->ranks,
            .name = job->job,
            .chunks = lag_plan_chunks(plans[i], job->size, job->element_bytes),
            .arrival = t->arrival[i],
        };
        t->tallies[i].n_each = t->scenario->n_steps;
    }
}

static void clear(struct together *t)
{
    for (uint32_t i = 0; i < t->scenario->n_jobs; i++) {
        g_free(t->arrival[i]);
        g_free(t->compute[i]);
        lag_outcome_clear(&t->outcomes[i]);
    }
    g_free(t->turnouts);
    g_free(t->arrival);
    g_free(t->compute);
    g_free(t->runs);
    g_free(t->guessed);
    g_free(t->guesses);
    g_free(t->outcomes);
    g_free(t->moving);
    g_free(t->run);
    g_free(t->outcome);
    lag_slow_links_clear(&t->slow);
}

/* All jobs meet the same network, with the step's slow links. */
static void enter_step(struct together *t, lag_seconds start)
{
    const struct lag_network *network = &t->scenario->network;
    const double *factors = lag_turnout_link_factors(t->turnouts[0]);

    for (uint32_t i = 0; i < t->scenario->n_jobs; i++) {
        lag_turnout_next(t->turnouts[i], t->arrival[i], t->compute[i]);
        t->runs[i].death = lag_turnout_death(t->turnouts[i]);
        t->runs[i].start = start;
        if (t->guessed[i].predicts)
            t->guessed[i].late_rank = lag_guess_next(&t->guesses[i], t->arrival[i]);
    }
    if (factors != NULL)
        network = lag_slow_network(&t->slow, t->scenario, factors);
    for (uint32_t i = 0; i < t->scenario->n_jobs; i++)
        t->runs[i].network = network;
}

/* Jobs without bytes to move stay out of the network. */
static bool run_all(struct together *t, GError **error)
{
    uint32_t n_moving = 0, n = t->scenario->n_jobs;
    bool done = true;

    for (uint32_t i = 0; i < n; i++)
        if (t->scenario->jobs[i]->size > 0)
            t->moving[n_moving++] = i;
    for (uint32_t i = 0; i < n_moving; i++) {
        t->run[i] = t->runs[t->moving[i]];
        t->outcome[i] = t->outcomes[t->moving[i]];
    }
    if (n_moving > 0)
        done = lag_replay_run_together(t->replay, t->run, n_moving, t->outcome, error);
    for (uint32_t i = 0; i < n_moving; i++)
        t->outcomes[t->moving[i]] = t->outcome[i];
    for (uint32_t i = 0; done && i < n; i++)
        if (t->scenario->jobs[i]->size == 0)
            done = lag_run_nothing(&t->runs[i], &t->outcomes[i], error);
    return done;
}

static bool run_step(struct together *t, uint32_t step, lag_seconds *start, GError **error)
{
    uint32_t n = t->scenario->n_jobs;
    lag_seconds end = 0, first = INFINITY;

    enter_step(t, *start);
    if (!run_all(t, error)) {
        if (t->scenario->n_replications > 1 || t->scenario->n_steps > 1)
            g_prefix_error(error, "replication %u, step %u: ", t->replication, step);
        return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        lag_tally_add(&t->tallies[i], &t->outcomes[i], t->arrival[i], t->compute[i]);
        end = MAX(end, t->outcomes[i].completion);
        first = MIN(first, t->outcomes[i].first_arrival);
    }
    for (uint32_t i = 0; i < n; i++)
        t->tallies[i].span_all += end - first;
    for (uint32_t i = 0; i < n; i++)
        lag_turnout_elapse(t->turnouts[i], end);
    *start += end;
    return true;
}

static bool run_replication(struct together *t, uint32_t replication, GError **error)
{
    lag_seconds start = 0;
    bool done = true;

    t->replication = replication;
    for (uint32_t i = 0; i < t->scenario->n_jobs; i++) {
        t->turnouts[i] = lag_turnout_new(t->scenario->jobs[i], replication);
        if (t->guessed[i].predicts)
            lag_guess_init(&t->guesses[i], &t->guessed[i], t->scenario->seed, replication);
    }
    for (uint32_t step = 0; done && step < t->scenario->n_steps; step++)
        done = run_step(t, step, &start, error);
    for (uint32_t i = 0; i < t->scenario->n_jobs; i++)
        lag_turnout_free(t->turnouts[i]);
    return done;
}

bool lag_together_run(lag_replay *replay, const lag_scenario *scenario, lag_plan *const *plans,
                      uint32_t first, uint32_t n, struct lag_tally *tallies, GError **error)
{
    struct together t = {.replay = replay, .scenario = scenario, .tallies = tallies};
    bool done = true;

    prepare(&t, plans);
    for (uint32_t i = first; done && i < first + n; i++)
        done = run_replication(&t, i, error);
    clear(&t);
    return done;
}
