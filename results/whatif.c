/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "results/whatif.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/job-replay.h"
#include "sim/job-work.h"

#define NOTABLE 0.01 /* of a step: gains below it explain nothing */

enum lag_op_kind lag_whatif_family(enum lag_op_kind kind)
{
    enum lag_op_kind first = 0;

    while (strcmp(lag_op_types[first].family, lag_op_types[kind].family) != 0)
        first++;
    return first;
}

/* Room for a replay, and who is chosen in it. */
struct mixer {
    const lag_whatif *whatif;
    lag_seconds *work, *end, *steps;
    bool *chosen; /* workers */
};

/* The mean step where operations that are chosen have one work and the others another. A family of
 * LAG_N_OP_KINDS chooses by workers. */
static lag_seconds mix(struct mixer *mixer, enum lag_op_kind family, const lag_seconds *of_chosen,
                       const lag_seconds *of_others)
{
    const lag_job *job = mixer->whatif->job;

    for (uint32_t node = 0; node < job->n_nodes; node++) {
        bool in_family = lag_whatif_family(job->nodes[node].kind) == family;
        for (uint32_t lane = 0; lane < job->n_lanes; lane++) {
            size_t worker = (size_t)(lane % job->n_dp) * job->n_stages + job->nodes[node].stage;
            size_t at = (size_t)node * job->n_lanes + lane;
            bool is_chosen = family == LAG_N_OP_KINDS ? mixer->chosen[worker] : in_family;
            mixer->work[at] = is_chosen ? of_chosen[at] : of_others[at];
        }
    }
    lag_job_replay(job, mixer->work, mixer->end);
    lag_job_steps(job, mixer->end, mixer->steps);
    return lag_job_mean(job, mixer->steps);
}

/* Chooses the workers of a data-parallel rank or of a stage (LAG_EVERY: of all). */
static void choose(struct mixer *mixer, uint32_t dp, uint32_t stage)
{
    const lag_job *job = mixer->whatif->job;

    for (uint32_t i = 0; i < job->n_dp * job->n_stages; i++)
        mixer->chosen[i] = (dp == LAG_EVERY || i / job->n_stages == dp) &&
                           (stage == LAG_EVERY || i % job->n_stages == stage);
}

static void take_steps(lag_whatif *whatif, struct mixer *mixer)
{
    const lag_job *job = whatif->job;

    choose(mixer, LAG_EVERY, LAG_EVERY);
    whatif->ideal_s = mix(mixer, LAG_N_OP_KINDS, whatif->ideal, whatif->ideal);
    memcpy(whatif->without, mixer->steps, job->n_steps * sizeof(*mixer->steps));
    whatif->step_s = mix(mixer, LAG_N_OP_KINDS, job->work, job->work);
    memcpy(whatif->replayed, mixer->steps, job->n_steps * sizeof(*mixer->steps));
    whatif->wall_s = lag_job_mean(job, job->wall);
    whatif->slowdown = whatif->step_s / whatif->ideal_s;
    whatif->waste = fmax(1 - whatif->ideal_s / whatif->step_s, 0);
    for (uint32_t i = 0; i < job->n_steps; i++)
        if (whatif->replayed[i] > whatif->replayed[whatif->worst_step])
            whatif->worst_step = i;
}

static void take_slowdowns(lag_whatif *whatif, struct mixer *mixer)
{
    const lag_job *job = whatif->job;
    const lag_seconds *ideal = whatif->ideal;
    bool has[LAG_N_OP_KINDS] = {false};

    for (uint32_t dp = 0; dp < job->n_dp; dp++) {
        choose(mixer, dp, LAG_EVERY);
        whatif->by_dp[dp] = mix(mixer, LAG_N_OP_KINDS, job->work, ideal) / whatif->ideal_s;
    }
    for (uint32_t stage = 0; stage < job->n_stages; stage++) {
        choose(mixer, LAG_EVERY, stage);
        whatif->by_stage[stage] = mix(mixer, LAG_N_OP_KINDS, job->work, ideal) / whatif->ideal_s;
    }
    for (uint32_t i = 0; i < job->n_dp * job->n_stages; i++)
        whatif->by_worker[i] =
            fmin(whatif->by_dp[i / job->n_stages], whatif->by_stage[i % job->n_stages]);
    for (uint32_t node = 0; node < job->n_nodes; node++)
        has[lag_whatif_family(job->nodes[node].kind)] = true;
    for (enum lag_op_kind kind = 0; kind < LAG_N_OP_KINDS; kind++)
        whatif->by_family[kind] =
            has[kind] ? mix(mixer, kind, job->work, ideal) / whatif->ideal_s : NAN;
}

struct ranked {
    double slowdown;
    uint32_t rank, worker;
};

static int compare_ranked(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;

    if (x->slowdown != y->slowdown)
        return x->slowdown > y->slowdown ? -1 : 1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

/* The share of the slowdown that goes with what is chosen. */
static double explained(const lag_whatif *whatif, struct mixer *mixer)
{
    lag_seconds loss = whatif->step_s - whatif->ideal_s;
    lag_seconds rest = mix(mixer, LAG_N_OP_KINDS, whatif->ideal, whatif->job->work);

    return loss > 0 ? (whatif->step_s - rest) / loss : NAN;
}

/* Eq. 5 of arXiv:2505.05713 (M_W), and its section 5.2 (M_S). */
static void take_shares(lag_whatif *whatif, struct mixer *mixer)
{
    const lag_job *job = whatif->job;
    uint32_t n_workers = job->n_dp * job->n_stages;
    g_autofree struct ranked *ranked = g_new(struct ranked, n_workers);

    for (uint32_t i = 0; i < n_workers; i++)
        ranked[i] = (struct ranked){whatif->by_worker[i], job->rank[i], i};
    qsort(ranked, n_workers, sizeof(*ranked), compare_ranked);
    whatif->n_slowest = (n_workers * 3 + 99) / 100;
    whatif->slowest = g_new(uint32_t, whatif->n_slowest);
    memset(mixer->chosen, 0, n_workers * sizeof(*mixer->chosen));
    for (uint32_t i = 0; i < whatif->n_slowest; i++) {
        whatif->slowest[i] = ranked[i].worker;
        mixer->chosen[ranked[i].worker] = true;
    }
    whatif->m_w = explained(whatif, mixer);
    choose(mixer, LAG_EVERY, job->n_stages - 1);
    whatif->m_s = explained(whatif, mixer);
}

static void take_paths(lag_whatif *whatif, struct mixer *mixer)
{
    const lag_job *job = whatif->job;
    lag_seconds sum = whatif->step_s * job->n_steps;

    lag_job_replay(job, job->work, mixer->end);
    for (uint32_t step = 0; step < job->n_steps; step++) {
        g_autoptr(GArray) path = lag_job_path(job, mixer->end, step);
        for (guint i = 0; i < path->len; i++) {
            const struct lag_job_segment *at = &g_array_index(path, struct lag_job_segment, i);
            const struct lag_job_node *node = &job->nodes[at->node];
            size_t worker = (size_t)(at->lane % job->n_dp) * job->n_stages + node->stage;
            double share = (at->to - at->from) / sum;
            whatif->path_family[lag_whatif_family(node->kind)] += share;
            whatif->path_worker[worker] += share;
        }
        if (step == whatif->worst_step)
            whatif->path = g_steal_pointer(&path);
    }
}

static void take_causes(lag_whatif *whatif)
{
    lag_seconds best = whatif->step_s * (1 - NOTABLE);

    whatif->cause = -1;
    for (int i = 0; i < LAG_N_CAUSES; i++) {
        lag_whatif_cause(whatif->job, (enum lag_cause)i, &whatif->causes[i]);
        if (whatif->causes[i].step_s < best) {
            best = whatif->causes[i].step_s;
            whatif->cause = i;
        }
    }
}

lag_whatif *lag_whatif_new(const lag_job *job)
{
    lag_whatif *whatif = g_new0(lag_whatif, 1);
    size_t n_workers = (size_t)job->n_dp * job->n_stages, n = lag_job_size(job);
    g_autofree lag_seconds *work = g_new(lag_seconds, n);
    g_autofree lag_seconds *end = g_new(lag_seconds, n);
    g_autofree lag_seconds *steps = g_new(lag_seconds, job->n_steps);
    g_autofree bool *chosen = g_new(bool, n_workers);
    struct mixer mixer = {whatif, work, end, steps, chosen};

    whatif->job = job;
    whatif->ideal = g_new(lag_seconds, n);
    whatif->replayed = g_new(lag_seconds, job->n_steps);
    whatif->without = g_new(lag_seconds, job->n_steps);
    whatif->by_dp = g_new(double, job->n_dp);
    whatif->by_stage = g_new(double, job->n_stages);
    whatif->by_worker = g_new(double, n_workers);
    whatif->path_worker = g_new0(double, n_workers);
    lag_job_ideal(job, whatif->ideal);
    take_steps(whatif, &mixer);
    take_slowdowns(whatif, &mixer);
    take_shares(whatif, &mixer);
    take_paths(whatif, &mixer);
    take_causes(whatif);
    return whatif;
}

void lag_whatif_free(lag_whatif *whatif)
{
    if (whatif == NULL)
        return;
    for (int i = 0; i < LAG_N_CAUSES; i++)
        g_free(whatif->causes[i].where);
    g_free(whatif->ideal);
    g_free(whatif->replayed);
    g_free(whatif->without);
    g_free(whatif->by_dp);
    g_free(whatif->by_stage);
    g_free(whatif->by_worker);
    g_free(whatif->slowest);
    g_free(whatif->path_worker);
    g_clear_pointer(&whatif->path, g_array_unref);
    g_free(whatif);
}

char *lag_whatif_worker_text(const lag_job *job, uint32_t worker)
{
    return g_strdup_printf("rank %u (dp %u, stage %u)", job->rank[worker], worker / job->n_stages,
                           worker % job->n_stages);
}
