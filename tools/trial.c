/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/trial.h"

#include <math.h>
#include <string.h>

#include "sim/guess.h"
#include "sim/lockstep.h"
#include "tools/ring-order.h"
#include "tools/slow-links.h"
#include "tools/together.h"
#include "tools/turnout.h"

/* Runs that wait until there are enough to do them side by side. */
struct slot {
    lag_seconds *arrival, *compute; /* [n_ranks] */
    uint32_t replication, step;
};

struct lag_trial {
    lag_replay *replay;
    lag_lockstep *lockstep;
    uint32_t n_ranks; /* that the slots have room for */
    uint32_t n_slots; /* made for them */
    uint32_t n_waiting;
    struct lag_volume volume; /* of the plan that runs */
    struct slot slots[LAG_LOCKSTEP_WIDTH];
    struct lag_run runs[LAG_LOCKSTEP_WIDTH];
    struct lag_outcome outcomes[LAG_LOCKSTEP_WIDTH];
    struct lag_slow_links slow;
    struct laggard_plan guessed; /* the plan, its late rank as it was predicted for the step */
};

lag_trial *lag_trial_new(void)
{
    lag_trial *trial = g_new0(lag_trial, 1);

    trial->replay = lag_replay_new();
    trial->lockstep = lag_lockstep_new();
    return trial;
}

static void clear_slots(lag_trial *trial)
{
    for (uint32_t i = 0; i < trial->n_slots; i++) {
        g_free(trial->slots[i].arrival);
        g_free(trial->slots[i].compute);
        lag_outcome_clear(&trial->outcomes[i]);
    }
    trial->n_slots = trial->n_waiting = 0;
}

void lag_trial_free(lag_trial *trial)
{
    if (trial == NULL)
        return;
    clear_slots(trial);
    lag_replay_free(trial->replay);
    lag_lockstep_free(trial->lockstep);
    lag_slow_links_clear(&trial->slow);
    g_free(trial);
}

/* A typical transfer: the slowest link on the ways of ranks to their next, the latency between the
 * first two. */
static struct laggard_estimate estimate_of(const lag_scenario *scenario)
{
    const lag_topology *topology = scenario->topology;
    struct laggard_estimate estimate = {.size = scenario->size, .rate = INFINITY};
    g_autoptr(lag_router) router = lag_router_new();

    lag_router_reset(router, topology);
    for (uint32_t i = 0; scenario->n_ranks > 1 && i < scenario->n_ranks; i++) {
        uint32_t next = lag_scenario_rank(scenario, (i + 1) % scenario->n_ranks);
        struct lag_cost cost =
            lag_network_cost(&scenario->network, router, lag_scenario_rank(scenario, i), next, 1);
        estimate.rate = MIN(estimate.rate, topology->links[cost.link].rate);
        if (i == 0)
            estimate.latency = scenario->network.overhead + cost.latency;
    }
    return estimate;
}

/* How many ranks share a node, where all nodes have as many, one after the other; else 0. */
static uint32_t ranks_per_node(const lag_scenario *scenario)
{
    uint32_t n = scenario->n_ranks, per_node = 0, most = scenario->gpus_per_node;

    if (scenario->ranks == NULL || most == 0)
        return most;
    while (per_node < n && scenario->ranks[per_node] / most == scenario->ranks[0] / most)
        per_node++;
    for (uint32_t i = 0; i < n; i++) {
        bool starts = i % per_node == 0;
        if (i > 0 && starts == (scenario->ranks[i] / most == scenario->ranks[i - 1] / most))
            return 0;
    }
    return n % per_node == 0 ? per_node : 0;
}

static const char *lockstep_objection(const lag_scenario *scenario, const lag_plan *plan)
{
    if (scenario->job != NULL)
        return "jobs run side by side";
    if (scenario->ranks != NULL)
        return "not all ranks take part";
    return lag_lockstep_objection(plan, &scenario->network);
}

lag_plan *lag_trial_plan(const lag_scenario *scenario, uint32_t entrant, GError **error)
{
    const struct lag_entrant *e = &scenario->entrants[entrant];
    const struct lag_ring_members members = {scenario->topology, scenario->ranks,
                                             scenario->n_ranks};
    g_autofree uint32_t *order = NULL;
    if (!lag_ring_order(e, &members, &order, error)) {
        g_prefix_error(error, "algorithms: %s: ", e->label);
        return NULL;
    }
    const struct laggard_request request = {
        .order = order,
        .collective = scenario->collective,
        .n_ranks = scenario->n_ranks,
        .root = scenario->root,
        .values = e->values,
        .estimate = estimate_of(scenario),
        .ranks_per_node = ranks_per_node(scenario),
    };
    g_autoptr(lag_plan) plan = lag_plan_new(e->algorithm, &request, error);

    if (plan == NULL) {
        g_prefix_error(error, "algorithms: %s: ", e->label);
        return NULL;
    }
    const char *objection = lag_replay_objection(plan, &scenario->network);
    if (objection != NULL) {
        g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT, "algorithms: %s can't run here: %s",
                    e->label, objection);
        return NULL;
    }
    if (scenario->engine == LAG_ENGINE_LOCKSTEP)
        objection = lockstep_objection(scenario, plan);
    if (objection == NULL)
        return g_steal_pointer(&plan);
    g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT,
                "run.engine: lockstep can't run %s: %s; use auto or replay", e->label, objection);
    return NULL;
}

char *lag_trial_warning(const lag_scenario *scenario, uint32_t entrant, const lag_plan *plan)
{
    struct laggard_estimate estimate = estimate_of(scenario);
    struct lag_chunks chunks = lag_plan_chunks(plan, scenario->size, scenario->element_bytes);
    lag_seconds chunk = (double)lag_chunks_bytes(&chunks, 0, 1) / estimate.rate;
    lag_seconds whole = (double)scenario->size / estimate.rate;
    uint32_t doublings = (uint32_t)g_bit_storage(plan->n_ranks - 1);
    uint32_t n_after = plan->n_rounds - plan->n_rounds_before;

    if (plan->late_position == LAGGARD_NONE || scenario->size == 0 || n_after <= doublings ||
        n_after * (estimate.latency + chunk) <= doublings * (estimate.latency + whole))
        return NULL;
    return g_strdup_printf("%s: so few bytes, so many rounds: recursive-doubling takes less at any "
                           "delay",
                           scenario->entrants[entrant].label);
}

/* A slot for n_ranks ranks, waiting. */
static struct slot *next_slot(lag_trial *trial, uint32_t n_ranks)
{
    uint32_t i = trial->n_waiting++;

    if (trial->n_ranks != n_ranks) {
        clear_slots(trial);
        trial->n_ranks = n_ranks;
        trial->n_waiting = 1;
        i = 0;
    }
    if (i == trial->n_slots) {
        lag_outcome_init(&trial->outcomes[i], n_ranks);
        trial->slots[i].arrival = g_new(lag_seconds, n_ranks);
        trial->slots[i].compute = g_new(lag_seconds, n_ranks);
        trial->n_slots++;
    }
    return &trial->slots[i];
}

static bool is_for_lockstep(const lag_trial *trial, const lag_scenario *scenario)
{
    if (scenario->engine == LAG_ENGINE_REPLAY)
        return false;
    for (uint32_t i = 0; i < trial->n_waiting; i++)
        if (!lag_lockstep_accepts(&trial->runs[i]))
            return false;
    return true;
}

static bool run_one(lag_trial *trial, const lag_scenario *scenario, uint32_t i, GError **error)
{
    if (scenario->size == 0)
        return lag_run_nothing(&trial->runs[i], &trial->outcomes[i], error);
    if (lag_replay_run(trial->replay, &trial->runs[i], &trial->outcomes[i], error))
        return true;
    if (scenario->n_replications > 1 || scenario->n_steps > 1)
        g_prefix_error(error, "replication %u, step %u: ", trial->slots[i].replication,
                       trial->slots[i].step);
    return false;
}

/* Runs all that waits, into outcomes 0 .. n_waiting - 1; false where one stalls. */
static bool run_waiting(lag_trial *trial, const lag_scenario *scenario, bool *ret_lockstep,
                        GError **error)
{
    *ret_lockstep = scenario->size > 0 && is_for_lockstep(trial, scenario);
    if (*ret_lockstep) {
        lag_lockstep_run(trial->lockstep, trial->runs, trial->n_waiting, trial->outcomes);
        return true;
    }
    for (uint32_t i = 0; i < trial->n_waiting; i++)
        if (!run_one(trial, scenario, i, error))
            return false;
    return true;
}

static struct lag_run run_of(const lag_scenario *scenario, const lag_plan *plan,
                             const lag_seconds *arrival, const lag_seconds *death)
{
    return (struct lag_run){
        .plan = plan,
        .network = &scenario->network,
        .ranks = scenario->ranks,
        .name = scenario->job,
        .chunks = lag_plan_chunks(plan, scenario->size, scenario->element_bytes),
        .arrival = arrival,
        .death = death,
    };
}

const struct lag_outcome *lag_trial_once(lag_trial *trial, const lag_scenario *scenario,
                                         const lag_plan *plan, const lag_seconds *arrival,
                                         GError **error)
{
    bool lockstep;

    next_slot(trial, scenario->n_ranks);
    trial->runs[0] = run_of(scenario, plan, arrival, NULL);
    trial->runs[0].bare = true;
    bool done = run_waiting(trial, scenario, &lockstep, error);
    trial->n_waiting = 0;
    return done ? &trial->outcomes[0] : NULL;
}

/* Runs what waits and adds it to the tally. */
static bool flush(lag_trial *trial, const lag_scenario *scenario, struct lag_tally *tally,
                  GError **error)
{
    bool lockstep;

    if (trial->n_waiting == 0)
        return true;
    bool done = run_waiting(trial, scenario, &lockstep, error);
    for (uint32_t i = 0; done && i < trial->n_waiting; i++)
        lag_tally_add(tally, &trial->outcomes[i], trial->slots[i].arrival, trial->slots[i].compute);
    if (done && lockstep)
        tally->n_lockstep += trial->n_waiting;
    trial->n_waiting = 0;
    return done;
}

/* Runs side by side: as many as keep the vectors in a core's own cache. */
static uint32_t width_for(uint32_t n_ranks)
{
    return CLAMP(16384 / n_ranks, 1, LAG_LOCKSTEP_WIDTH);
}

/* One replication: a job of n_steps collectives, each from its own start. Its last runs may be
 * left waiting; but each step runs by itself where ranks may die or links change, as that goes by
 * the time of the job, where links are slowed down, as there is room for one slow network, and where
 * the plan predicts its late rank, as there is room for one plan. */
static bool run_job(lag_trial *trial, const lag_scenario *scenario, const lag_plan *plan,
                    uint32_t replication, struct lag_tally *tally, GError **error)
{
    g_autoptr(lag_turnout) turnout = lag_turnout_new(scenario, replication);
    const double *factors = lag_turnout_link_factors(turnout);
    bool timed = lag_turnout_needs_clock(turnout) || scenario->network.n_events > 0;
    bool alone = timed || factors != NULL || plan->predicts;
    struct lag_guess guess;
    lag_seconds start = 0;

    if (plan->predicts)
        lag_guess_init(&guess, plan, scenario->seed, replication);

    for (uint32_t step = 0; step < scenario->n_steps; step++) {
        struct slot *slot = next_slot(trial, scenario->n_ranks);
        struct lag_run *run = &trial->runs[trial->n_waiting - 1];
        lag_turnout_next(turnout, slot->arrival, slot->compute);
        slot->replication = replication;
        slot->step = step;
        *run = run_of(scenario, plan, slot->arrival, lag_turnout_death(turnout));
        run->start = start;
        run->volume = &trial->volume;
        if (plan->predicts) {
            trial->guessed = *plan;
            trial->guessed.late_rank = lag_guess_next(&guess, slot->arrival);
            run->plan = &trial->guessed;
        }
        if (factors != NULL)
            run->network = lag_slow_network(&trial->slow, scenario, factors);
        if ((alone || trial->n_waiting == width_for(scenario->n_ranks)) &&
            !flush(trial, scenario, tally, error))
            return false;
        if (timed) {
            start += trial->outcomes[0].completion;
            lag_turnout_elapse(turnout, trial->outcomes[0].completion);
        }
    }
    return true;
}

bool lag_trial_run(lag_trial *trial, const lag_scenario *scenario, const lag_plan *plan,
                   uint32_t first, uint32_t n, struct lag_tally *tally, GError **error)
{
    struct lag_chunks chunks = lag_plan_chunks(plan, scenario->size, scenario->element_bytes);

    lag_volume_of(plan, &chunks, &trial->volume);
    tally->n_each = scenario->n_steps;
    for (uint32_t replication = first; replication < first + n; replication++)
        if (!run_job(trial, scenario, plan, replication, tally, error))
            return false;
    return flush(trial, scenario, tally, error);
}

bool lag_trial_run_parts(lag_trial *trial, const lag_scenario *scenario, lag_plan *const *plans,
                         uint32_t first, uint32_t n, struct lag_tally *tallies, GError **error)
{
    if (scenario->n_jobs == 0)
        return lag_trial_run(trial, scenario, plans[0], first, n, &tallies[0], error);
    return lag_together_run(trial->replay, scenario, plans, first, n, tallies, error);
}

/* Replications before the interval is looked at, and each time about twice as many. */
#define FIRST_LOOK 32

static bool is_precise(const lag_scenario *scenario, const struct lag_tally *tallies)
{
    for (uint32_t i = 0; i < lag_scenario_n_parts(scenario); i++) {
        struct lag_statistics s = lag_tally_exposed(&tallies[i]);
        if (!(s.ci95_high - s.mean <= scenario->precision * s.mean))
            return false;
    }
    return true;
}

bool lag_trial_run_precisely(lag_trial *trial, const lag_scenario *scenario, lag_plan *const *plans,
                             struct lag_tally *tallies, GError **error)
{
    uint32_t n = 0, most = scenario->n_replications;

    do {
        uint32_t more = MIN(MAX(n, FIRST_LOOK), most - n);
        if (!lag_trial_run_parts(trial, scenario, plans, n, more, tallies, error))
            return false;
        n += more;
    } while (n < most && !is_precise(scenario, tallies));
    return true;
}
