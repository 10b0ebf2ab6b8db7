/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The iterations of a coded tree, event by event (docs/CODED.md, Trees). In a round the
 * parameters come down, all nodes work at their gradients, a parent combines its children's messages
 * as soon as those that have arrived can be decoded, adds its own and sends; what comes later is
 * dropped. A round is decided when the root has decoded.
 *
 * Under `barrier` a round begins on an empty network with everyone free, at time 0 of its own clock.
 * Under `carry` time goes on: who is still at work on a decided round finishes that first, messages
 * under way hold their port until they are there, and both count for nothing; rounds that are
 * decided before a worker gets to them are left out. */
#ifndef LAGGARD_SIM_GRADIENT_TREE_ROUND_H
#define LAGGARD_SIM_GRADIENT_TREE_ROUND_H

#include "sim/coding/decoder.h"
#include "sim/gradient/allocation.h"
#include "sim/gradient/gradient.h"
#include "sim/inbox.h"
#include "sim/protocol.h"

/* What a protocol wants: a tree, the code of its parents (degree messages), and when a parent stops. */
struct lag_tree_setup {
    struct lag_tree tree;
    const lag_code *code; /* borrowed */
    bool by_count;        /* when degree - stragglers have come; else when they can be decoded */
};

/* A node in this round. Times count from the round's begin on [s]; INFINITY: not yet. */
struct lag_tree_node {
    lag_seconds work;    /* to compute its own gradient, encoding included */
    lag_seconds encode;  /* of it */
    lag_seconds has;     /* the parameters have come */
    lag_seconds begun;   /* it began to compute */
    lag_seconds own;     /* its own gradient is there; 0 for the root */
    lag_seconds decoded; /* a parent: its children's sum is there */
    lag_seconds decode;  /* that took */
    lag_seconds ready;   /* its message is ready */
    lag_seconds start;   /* the message began to come in at its parent, */
    lag_seconds there;   /* and was there in time to be looked at */
    uint32_t behind;     /* the sender whose message it waited for last, or LAGGARD_NONE */
    uint32_t n_arrived;  /* messages of children */
    uint32_t decider;    /* the child with which they were enough */
    double residual;     /* a parent: largest |1 - aB| of it and of those below that it used */
    bool decided;        /* no further message is looked at */
    bool busy;           /* computes, of whatever round */
};

/* What the root has decoded. */
struct lag_tree_decision {
    bool any;        /* there was something to decode */
    double residual; /* largest |1 - aB| of all parents that counted */
    lag_seconds time;
};

typedef struct lag_tree_rounds {
    const struct lag_tree_setup *setup;
    const struct lag_protocol_run *run;
    const struct lag_allocation *allocation;
    lag_decoder *decoder;
    lag_gradient_work *work;
    uint32_t n_nodes, n_ranks, first_leaf, least; /* fewer arrivals are never enough */
    struct lag_tree_node *nodes;
    bool *arrived;        /* [n_nodes - 1] at the parent, by node - 1 */
    double *weights;      /* [n_nodes - 1] with which the parent took it */
    lag_seconds *arrival; /* [n_ranks] scratch */
    uint32_t *host;       /* [n_nodes] of the network */
    lag_seconds *encode;  /* [degree] of each child of a parent */
    lag_seconds *down_at; /* [n_nodes] when parameters come, where times are given */
    GHashTable *met;      /* sets that a parent has met, where solving takes time */
    lag_traffic *traffic; /* NULL: times are given */
    lag_engine own_engine, *engine;
    lag_inbox inbox;
    uint32_t round, on_work, on_params, on_sent, on_decoded, on_deadline, down_user;
    lag_seconds begin; /* of the round on the engine's clock */
    struct lag_tree_decision decision;
    bool is_decided;                                                /* the round */
    void (*has_params)(struct lag_tree_rounds *rounds, uint32_t v); /* tree-round.c's */
    /* Called when a round is decided; true: another one begins at once. */
    bool (*decided)(void *self);
    void *self;
} lag_tree_rounds;

/* Borrows all; `decided` and `self` are to be set. Messages take the gradient's message_time, or
 * cross run->network where that is NAN. */
void lag_tree_rounds_init(lag_tree_rounds *rounds, const struct lag_protocol_run *run,
                          const struct lag_tree_setup *setup,
                          const struct lag_allocation *allocation);
void lag_tree_rounds_clear(lag_tree_rounds *rounds);

/* Runs a round, or, under carry, all of them; `job_time` is when it begins, for the network's
 * events. False where the root never decoded. */
bool lag_tree_rounds_start(lag_tree_rounds *rounds, lag_seconds job_time);

static inline uint32_t lag_tree_parent(const lag_tree_rounds *rounds, uint32_t v)
{
    return (v - 1) / rounds->setup->tree.degree;
}

/* The first of a parent's children; the others follow it. */
static inline uint32_t lag_tree_first_child(const lag_tree_rounds *rounds, uint32_t v)
{
    return rounds->setup->tree.degree * v + 1;
}

#endif
