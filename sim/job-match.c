/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/job-match.h"

#include <math.h>

#include "sim/laggard.h"

#define CLOSE 5e-5 /* [s] clocks of the streams of one GPU agree so well */

/* The computes of one direction in one stage, and the transfers that go with them. */
struct party {
    lag_job *job;
    uint32_t stage;
    enum lag_op_kind compute, transfer;
    bool receives;
    uint32_t n_computes;
    lag_seconds last_start, first_end;
};

static lag_seconds start_of(const lag_job *job, uint32_t node)
{
    return job->start[(size_t)node * job->n_lanes];
}

static lag_seconds end_of(const lag_job *job, uint32_t node)
{
    size_t at = (size_t)node * job->n_lanes;

    return job->start[at] + job->duration[at];
}

static bool is_of(const struct party *party, uint32_t node, enum lag_op_kind kind)
{
    const struct lag_job_node *at = &party->job->nodes[node];

    return at->stage == party->stage && at->kind == kind;
}

static void look_at_computes(struct party *party)
{
    party->last_start = -INFINITY;
    party->first_end = INFINITY;
    for (uint32_t i = 0; i < party->job->n_nodes; i++) {
        if (!is_of(party, i, party->compute))
            continue;
        party->n_computes++;
        party->last_start = fmax(party->last_start, start_of(party->job, i));
        party->first_end = fmin(party->first_end, end_of(party->job, i));
    }
}

static bool belongs(const struct party *party, uint32_t node)
{
    if (!is_of(party, node, party->transfer))
        return false;
    return party->receives ? start_of(party->job, node) <= party->last_start + CLOSE
                           : end_of(party->job, node) >= party->first_end - CLOSE;
}

/* True where a transfer of a compute on that chunk of the model would leave the model. */
static bool leaves_model(const struct party *party, int32_t model_chunk, int64_t n_chunks)
{
    bool to_next =
        party->transfer == LAG_OP_FORWARD_SEND || party->transfer == LAG_OP_BACKWARD_RECV;
    int64_t peer = (int64_t)model_chunk + (to_next ? 1 : -1);

    return peer < 0 || peer >= n_chunks;
}

static uint32_t next_compute(const struct party *party, uint32_t from)
{
    while (from < party->job->n_nodes && !is_of(party, from, party->compute))
        from++;
    return from;
}

static bool match_party(struct party *party, int64_t n_chunks, GError **error)
{
    lag_job *job = party->job;
    uint32_t n = 0, compute;

    look_at_computes(party);
    for (uint32_t i = 0; i < job->n_nodes; i++)
        n += belongs(party, i);
    if (n != 0 && n != party->n_computes && n + 1 != party->n_computes) {
        g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT,
                    "stage %u has %u %s for %u %s: operations are missing, or stand twice",
                    party->stage, n, lag_op_types[party->transfer].name, party->n_computes,
                    lag_op_types[party->compute].name);
        return false;
    }
    compute = next_compute(party, 0);
    if (party->receives && n + 1 == party->n_computes)
        compute = next_compute(party, compute + 1);
    for (uint32_t i = 0; i < job->n_nodes; i++) {
        if (!belongs(party, i))
            continue;
        job->nodes[i].match = (int32_t)compute;
        job->nodes[i].idle = leaves_model(party, job->nodes[compute].model_chunk, n_chunks);
        compute = next_compute(party, compute + 1);
    }
    return true;
}

bool lag_job_match(lag_job *job, GError **error)
{
    int32_t most_chunk = 0;

    for (uint32_t i = 0; i < job->n_nodes; i++) {
        job->nodes[i].match = -1;
        job->nodes[i].idle = lag_op_is_p2p(job->nodes[i].kind);
        most_chunk = MAX(most_chunk, job->nodes[i].chunk);
    }
    for (uint32_t stage = 0; stage < job->n_stages; stage++) {
        for (enum lag_op_kind kind = LAG_OP_FORWARD_SEND; kind <= LAG_OP_BACKWARD_RECV; kind++) {
            bool forward = kind <= LAG_OP_FORWARD_RECV;
            struct party party = {
                .job = job,
                .stage = stage,
                .compute = forward ? LAG_OP_FORWARD : LAG_OP_BACKWARD,
                .transfer = kind,
                .receives = kind == LAG_OP_FORWARD_RECV || kind == LAG_OP_BACKWARD_RECV,
            };
            if (!match_party(&party, ((int64_t)most_chunk + 1) * job->n_stages, error))
                return false;
        }
    }
    return true;
}
