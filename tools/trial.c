/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/trial.h"

#include <math.h>
#include <string.h>

#include "sim/lockstep.h"

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
    lag_topology slow; /* the scenario's, its links with a step's rates */
    struct lag_network slow_network;
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
    g_free(trial->slow.links);
    g_free(trial);
}

/* A typical transfer: the rate of the slowest port, the latency between the first two ranks. */
static struct laggard_estimate estimate_of(const lag_scenario *scenario)
{
    const lag_topology *topology = scenario->topology;
    struct laggard_estimate estimate = {.size = scenario->size, .rate = INFINITY};

    for (uint32_t rank = 0; rank < scenario->n_ranks; rank++)
        estimate.rate =
            MIN(estimate.rate, topology->links[lag_topology_egress(topology, rank)].rate);
    if (scenario->n_ranks > 1)
        estimate.latency = scenario->network.overhead +
                           lag_network_cost(&scenario->network, NULL, 0, 1, scenario->size).latency;
    return estimate;
}

lag_plan *lag_trial_plan(const lag_scenario *scenario, uint32_t entrant, GError **error)
{
    const struct lag_entrant *e = &scenario->entrants[entrant];
    const struct laggard_request request = {
        .collective = scenario->collective,
        .n_ranks = scenario->n_ranks,
        .root = scenario->root,
        .values = e->values,
        .estimate = estimate_of(scenario),
        .ranks_per_node = scenario->gpus_per_node,
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
        objection = lag_lockstep_objection(plan, &scenario->network);
    if (objection == NULL)
        return g_steal_pointer(&plan);
    g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT,
                "run.engine: lockstep can't run %s: %s; use auto or replay", e->label, objection);
    return NULL;
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

/* Nothing to move: every rank is done when it arrives, the collective with the last of them. */
static bool run_nothing(const struct lag_run *run, struct lag_outcome *outcome, GError **error)
{
    lag_run_begin(run, outcome);
    uint32_t last = outcome->last_to_arrive;
    outcome->completion = outcome->last_arrival;
    memcpy(outcome->done, run->arrival, outcome->n_ranks * sizeof *outcome->done);
    outcome->busy_recorded = outcome->path.recorded = true;
    outcome->path.shares = (struct lag_shares){.wait = outcome->completion};
    outcome->path.first_rank = outcome->path.last_rank = last;
    g_array_set_size(outcome->path.hops, 0);
    if (isfinite(outcome->completion))
        return true;
    g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_STALLED, "rank %u never arrives", last);
    return false;
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
        return run_nothing(&trial->runs[i], &trial->outcomes[i], error);
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
        .chunks = lag_chunks_of(scenario->size, scenario->element_bytes, plan->n_chunks),
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

/* The scenario's network with the rates of each rank's port divided by its factor. */
static const struct lag_network *slow_network(lag_trial *trial, const lag_scenario *scenario,
                                              const double *factors)
{
    size_t n_bytes = scenario->topology->n_links * sizeof(struct lag_link);
    struct lag_link *links = g_realloc(trial->slow.links, n_bytes);

    memcpy(links, scenario->topology->links, n_bytes);
    trial->slow = *scenario->topology;
    trial->slow.links = links;
    for (uint32_t rank = 0; rank < scenario->n_ranks; rank++) {
        links[lag_topology_egress(&trial->slow, rank)].rate /= factors[rank];
        links[lag_topology_ingress(&trial->slow, rank)].rate /= factors[rank];
    }
    trial->slow_network = scenario->network;
    trial->slow_network.topology = &trial->slow;
    return &trial->slow_network;
}

/* One replication: a job of n_steps collectives, each from its own start. Its last runs may be
 * left waiting; but each step runs by itself where ranks may die, as deaths go by the time of the
 * job, and where links are slowed down, as there is room for one slow network. */
static bool run_job(lag_trial *trial, const lag_scenario *scenario, const lag_plan *plan,
                    uint32_t replication, struct lag_tally *tally, GError **error)
{
    g_autoptr(lag_arrivals) arrivals =
        lag_arrivals_new(&scenario->lateness, scenario->seed, replication);
    const lag_seconds *death = lag_arrivals_death(arrivals);
    const double *factors = lag_arrivals_link_factors(arrivals);
    bool alone = lag_arrivals_need_clock(arrivals) || factors != NULL;

    for (uint32_t step = 0; step < scenario->n_steps; step++) {
        struct slot *slot = next_slot(trial, scenario->n_ranks);
        struct lag_run *run = &trial->runs[trial->n_waiting - 1];
        lag_arrivals_next(arrivals, slot->arrival, slot->compute);
        slot->replication = replication;
        slot->step = step;
        *run = run_of(scenario, plan, slot->arrival, death);
        run->volume = &trial->volume;
        if (factors != NULL)
            run->network = slow_network(trial, scenario, factors);
        if ((alone || trial->n_waiting == width_for(scenario->n_ranks)) &&
            !flush(trial, scenario, tally, error))
            return false;
        if (alone)
            lag_arrivals_elapse(arrivals, trial->outcomes[0].completion);
    }
    return true;
}

bool lag_trial_run(lag_trial *trial, const lag_scenario *scenario, const lag_plan *plan,
                   uint32_t first, uint32_t n, struct lag_tally *tally, GError **error)
{
    struct lag_chunks chunks =
        lag_chunks_of(scenario->size, scenario->element_bytes, plan->n_chunks);

    lag_volume_of(plan, &chunks, &trial->volume);
    tally->n_each = scenario->n_steps;
    for (uint32_t replication = first; replication < first + n; replication++)
        if (!run_job(trial, scenario, plan, replication, tally, error))
            return false;
    return flush(trial, scenario, tally, error);
}

/* Replications before the interval is looked at, and each time about twice as many. */
#define FIRST_LOOK 32

static bool is_precise(const lag_scenario *scenario, const struct lag_tally *tally)
{
    struct lag_statistics s = lag_tally_exposed(tally);

    return s.ci95_high - s.mean <= scenario->precision * s.mean;
}

bool lag_trial_run_precisely(lag_trial *trial, const lag_scenario *scenario, const lag_plan *plan,
                             struct lag_tally *tally, GError **error)
{
    uint32_t n = 0, most = scenario->n_replications;

    do {
        uint32_t more = MIN(MAX(n, FIRST_LOOK), most - n);
        if (!lag_trial_run(trial, scenario, plan, n, more, tally, error))
            return false;
        n += more;
    } while (n < most && !is_precise(scenario, tally));
    return true;
}
