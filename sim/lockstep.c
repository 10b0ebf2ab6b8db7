/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/lockstep.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "sim/backtrack.h"
#include "sim/maxplus.h"
#include "sim/path.h"
#include "sim/volume.h"

/* Busy times cost as much as all else; above this many messages they are left out. */
#define MAX_BUSY_MESSAGES ((uint64_t)1 << 31)

struct lag_lockstep {
    struct lag_maxplus system;
    struct lag_names names[LAG_LOCKSTEP_WIDTH];
    uint32_t gate_rank[LAG_LOCKSTEP_WIDTH]; /* or LAGGARD_NONE */
    double *first, *busy;                   /* like system.now: at round 0; time ports moved data */
    size_t room;
    struct lag_checkpoints checkpoints;
};

lag_lockstep *lag_lockstep_new(void)
{
    lag_lockstep *lockstep = g_new0(lag_lockstep, 1);

    lag_maxplus_init(&lockstep->system);
    lag_lockstep_set_budget(lockstep, (size_t)24 << 20);
    return lockstep;
}

void lag_lockstep_free(lag_lockstep *lockstep)
{
    if (lockstep == NULL)
        return;
    lag_maxplus_clear(&lockstep->system);
    lag_checkpoints_clear(&lockstep->checkpoints);
    g_free(lockstep->first);
    g_free(lockstep->busy);
    g_free(lockstep);
}

void lag_lockstep_set_budget(lag_lockstep *lockstep, size_t budget)
{
    lockstep->checkpoints.budget = budget;
}

const char *lag_lockstep_objection(const struct laggard_plan *plan,
                                   const struct lag_network *network)
{
    if (!lag_plan_is_one_port(plan))
        return "it has several transfers at a port at once";
    if (!network->topology->is_switch)
        return "its network is more than one switch";
    if (network->store_and_forward)
        return "its switch has all data of a transfer before it sends them on";
    if (network->n_events > 0)
        return "its links change under way";
    if (network->fluid && !lag_network_is_one_switch(network))
        return "both directions of its links share their rate";
    if (network->adding != NULL)
        return "adding takes time";
    if (network->fluid && network->eager)
        return "eager transfers may share links of the fluid model";
    return NULL;
}

bool lag_lockstep_accepts(const struct lag_run *run)
{
    if (lag_lockstep_objection(run->plan, run->network) != NULL || run->death != NULL ||
        run->observer != NULL || run->ranks != NULL)
        return false;
    for (uint32_t rank = 0; rank < run->plan->n_ranks; rank++)
        if (!isfinite(run->arrival[rank]))
            return false;
    return true;
}

/* The last to arrive but one, who opens the gate of a plan that waits for all but one. */
static uint32_t last_but_one(const struct lag_run *run, uint32_t last)
{
    uint32_t found = LAGGARD_NONE;

    for (uint32_t rank = 0; rank < run->plan->n_ranks; rank++)
        if (rank != last && (found == LAGGARD_NONE || run->arrival[rank] >= run->arrival[found]))
            found = rank;
    return found;
}

/* Sets the names, and the times at which the positions of one run enter round 0. */
static void start(lag_lockstep *lockstep, uint32_t r, const struct lag_run *run,
                  struct lag_outcome *outcome)
{
    bool gated = lag_plan_is_gated(run->plan);

    lag_run_begin(run, outcome);
    lockstep->names[r] = lag_plan_bind(run->plan, outcome->last_to_arrive);
    lockstep->gate_rank[r] = gated ? last_but_one(run, outcome->last_to_arrive) : LAGGARD_NONE;
}

static lag_seconds start_time(const lag_lockstep *lockstep, uint32_t r, const struct lag_run *run,
                              uint32_t rank)
{
    uint32_t gate = lockstep->gate_rank[r];

    return gate == LAGGARD_NONE ? run->arrival[rank] : MAX(run->arrival[rank], run->arrival[gate]);
}

static void set_first(lag_lockstep *lockstep, const struct lag_run *runs, uint32_t n_runs)
{
    struct lag_maxplus *system = &lockstep->system;

    if (system->n > lockstep->room) {
        g_free(lockstep->first);
        g_free(lockstep->busy);
        lockstep->first = g_new(double, system->n);
        lockstep->busy = g_new(double, system->n);
        lockstep->room = system->n;
    }
    for (uint32_t r = 0; r < n_runs; r++)
        for (uint32_t p = 0; p < runs->plan->n_ranks; p++)
            lockstep->first[(size_t)p * n_runs + r] =
                start_time(lockstep, r, &runs[r], lag_name(lockstep->names[r], p));
}

/* Reads the ends of one run out of the system. */
static void finish(const lag_lockstep *lockstep, uint32_t r, struct lag_outcome *outcome,
                   struct lag_backtrack *walk)
{
    const struct lag_maxplus *system = &lockstep->system;

    for (uint32_t p = 0; p < system->plan->n_ranks; p++) {
        size_t i = (size_t)p * system->width + r;
        uint32_t rank = lag_name(lockstep->names[r], p);
        outcome->done[rank] = system->now[i];
        if (system->busy != NULL)
            outcome->busy[rank] = system->busy[i];
        /* Of several that end last, the highest rank, as in replay. */
        bool higher = rank > lag_name(lockstep->names[r], walk->position);
        if (system->now[i] > outcome->completion ||
            (system->now[i] == outcome->completion && higher)) {
            outcome->completion = system->now[i];
            walk->position = p;
        }
    }
    walk->path = &outcome->path;
    walk->path->last_rank = lag_name(lockstep->names[r], walk->position);
    g_array_set_size(walk->path->hops, 0);
}

static void close_path(const lag_lockstep *lockstep, uint32_t r, const struct lag_run *run,
                       const struct lag_backtrack *walk)
{
    uint32_t gate = lockstep->gate_rank[r];
    uint32_t rank = lag_name(lockstep->names[r], walk->position);
    lag_seconds wait = start_time(lockstep, r, run, rank);
    bool gated = gate != LAGGARD_NONE && run->arrival[gate] >= wait;

    lag_path_close(walk->path, gated ? gate : rank, wait);
}

/* Runs the system from `first` to the end. */
static void run_rounds(lag_lockstep *lockstep, bool bare, bool busy)
{
    struct lag_maxplus *system = &lockstep->system;

    memcpy(system->now, lockstep->first, system->n * sizeof *system->now);
    memset(lockstep->busy, 0, system->n * sizeof *lockstep->busy);
    system->busy = busy ? lockstep->busy : NULL;
    if (!bare)
        lag_checkpoints_prepare(&lockstep->checkpoints, system);
    for (uint32_t round = 0; round < system->plan->n_rounds; round++) {
        if (!bare)
            lag_checkpoints_note(&lockstep->checkpoints, system, round);
        lag_maxplus_advance(system, round);
    }
}

void lag_lockstep_run(lag_lockstep *lockstep, const struct lag_run *runs, uint32_t n_runs,
                      struct lag_outcome *outcomes)
{
    struct lag_backtrack walks[LAG_LOCKSTEP_WIDTH] = {{0}};
    struct lag_volume volume = {0};

    assert(n_runs > 0 && n_runs <= LAG_LOCKSTEP_WIDTH);
    assert(lag_lockstep_objection(runs->plan, runs->network) == NULL);
    for (uint32_t r = 0; r < n_runs; r++)
        start(lockstep, r, &runs[r], &outcomes[r]);
    lag_maxplus_prepare(&lockstep->system, runs, n_runs, lockstep->names);
    set_first(lockstep, runs, n_runs);
    if (runs->volume != NULL)
        volume = *runs->volume;
    else
        lag_volume_of(runs->plan, &runs->chunks, &volume);
    bool busy =
        !runs->bare && !runs->network->eager && volume.n_messages * n_runs <= MAX_BUSY_MESSAGES;
    run_rounds(lockstep, runs->bare, busy);
    for (uint32_t r = 0; r < n_runs; r++) {
        outcomes[r].n_messages = volume.n_messages;
        outcomes[r].wire_bytes = volume.bytes;
        outcomes[r].busy_recorded = busy;
        finish(lockstep, r, &outcomes[r], &walks[r]);
    }
    if (runs->bare)
        return;
    lag_backtrack(&lockstep->system, &lockstep->checkpoints, walks);
    for (uint32_t r = 0; r < n_runs; r++)
        close_path(lockstep, r, &runs[r], &walks[r]);
}
