/* SPDX-License-Identifier: GPL-3.0-or-later */
/* laggard's public interface: all that the author of a collective algorithm reads.
 *
 * A collective describes a plan and never runs it. A plan is one or more lanes (independent lists
 * that share the ports, like NCCL's channels) of rounds; a round is a set of transfers between
 * ranks. The buffer is cut into n_chunks chunks, numbered from 0, whose sizes differ by at most
 * one element. A rank enters its next round when its own sends and receives of the round before
 * are done. Three interpreters read the same plan: verify.h (is the result right?), replay.h
 * (event by event) and lockstep.h (round by round).
 *
 * docs/ADDING-AN-ALGORITHM.md walks through an example. */
#ifndef LAGGARD_SIM_LAGGARD_H
#define LAGGARD_SIM_LAGGARD_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include <glib.h>

#include "sim/units.h"

/* No rank, no position, no chunk. */
#define LAGGARD_NONE UINT32_MAX

/* Errors that a user can cause or the world can inflict; the message says what, where, what is
 * right. LAGGARD_ERROR_STALLED and LAGGARD_ERROR_WRONG_PLAN are failures of a simulation (exit
 * status 1), LAGGARD_ERROR_INPUT of its input (exit status 2). */
#define LAGGARD_ERROR (laggard_error_quark())
GQuark laggard_error_quark(void);
enum laggard_error {
    LAGGARD_ERROR_INPUT,
    LAGGARD_ERROR_STALLED,
    LAGGARD_ERROR_WRONG_PLAN,
};

/* What a workload asks for. Sizes follow nccl-tests: `size` is the whole buffer of one rank. */
enum laggard_collective {
    LAGGARD_ALLREDUCE,
    LAGGARD_REDUCE_SCATTER,
    LAGGARD_ALL_GATHER,
    LAGGARD_BROADCAST,
    LAGGARD_REDUCE_TO_ROOT, /* "reduce": the sum at one rank */
    LAGGARD_N_COLLECTIVES
};
const char *laggard_collective_name(enum laggard_collective collective);

/* True where one rank is special: the source of a broadcast, the destination of a reduce. */
bool laggard_collective_has_root(enum laggard_collective collective);

/* What the receiver does with a transfer's chunks: adds them to its own, or keeps them. */
enum laggard_kind {
    LAGGARD_REDUCE,
    LAGGARD_STORE
};

struct laggard_transfer {
    uint32_t src, dst;              /* ranks */
    uint32_t first_chunk, n_chunks; /* chunks first_chunk .. first_chunk + n_chunks - 1 */
    enum laggard_kind kind;
};

/* What one rank does in one round. The caller owns both arrays, which have room for the plan's
 * degree (and for n_ranks, where the plan has a switch); `src` of each send and `dst` of each
 * receive is the rank itself. There is at most one transfer from one rank to another in a round of
 * a lane. */
struct laggard_step {
    uint32_t n_sends, n_recvs;
    struct laggard_transfer *sends, *recvs;
};

/* One round of one lane that is the same move for a run of ranks, so that an engine can do it
 * without asking each rank. Ranks first .. first + count - 1 (positions, see struct laggard_plan)
 * take part: LAGGARD_SHIFT: the i-th sends to the (i + hop mod count)-th; LAGGARD_EXCHANGE: the
 * i-th and the (i xor hop)-th swap. All transfers carry n_chunks chunks and have the same kind.
 * The i-th sends, first of all, chunk (i + offset) mod the plan's n_chunks under SHIFT. */
enum laggard_shape {
    LAGGARD_SHIFT,
    LAGGARD_EXCHANGE
};
struct laggard_pattern {
    enum laggard_shape shape;
    uint32_t first, count, hop;
    uint32_t n_chunks, offset;
};

struct laggard_plan;

/* The answers of a plan, about positions 0 .. n_ranks - 1 (see `late_position` below), and n_ranks
 * where it has a switch.
 * step: adds to *ret, which comes empty, what one position does in one round.
 * pattern: optional; true where the round is one move, described in *ret. */
struct laggard_plan_ops {
    void (*step)(const struct laggard_plan *plan, uint32_t lane, uint32_t position, uint32_t round,
                 struct laggard_step *ret);
    bool (*pattern)(const struct laggard_plan *plan, uint32_t lane, uint32_t round,
                    struct laggard_pattern *ret);
};

/* A plan. Fill it in describe(); memory grows with the ranks, not with the transfers, unless the
 * schedule was searched for.
 *
 * Positions and ranks are the same but for one swap of names: where `late_position` is not
 * LAGGARD_NONE, that position is played by rank `late_rank`, and the rank of that number plays
 * late_rank's position. late_rank LAGGARD_NONE means whoever is missing when all others have
 * arrived; then no rank starts before that moment.
 *
 * The last n_servers positions are dedicated servers: they contribute nothing, need no result, and
 * start with an empty buffer, to which a REDUCE may add.
 *
 * Where has_switch, position n_ranks is the switch between the ranks, which adds and copies what
 * passes it. It contributes nothing, needs no result, takes part from the start, and may exchange
 * with all ranks in one round: what it does with different ranks shares nothing, data to it take
 * only their sender's way out, data from it only their receiver's way in. */
struct laggard_plan {
    const struct laggard_plan_ops *ops;
    enum laggard_collective collective;
    uint32_t n_ranks, n_chunks;
    uint32_t n_lanes, n_rounds; /* every lane has n_rounds rounds */
    uint32_t n_rounds_before;   /* of these, how many run before the late rank is needed */
    uint32_t n_rounds_missed;   /* and how many a schedule with the fewest would not need */
    uint32_t degree;            /* most sends, and most receives, of a rank in a round; >= 1 */
    uint32_t root;              /* of a broadcast or reduce */
    uint32_t n_servers;         /* 0: all ranks contribute */
    bool has_switch;
    uint32_t late_position, late_rank;
    bool predicts; /* late_rank is LAGGARD_NONE, and is guessed before each run, without a gate: */
    double hit_rate;  /* right with that probability, else any other rank */
    uint32_t padding; /* chunks are the smallest multiple of it over size / n_chunks [B]; 0: not */
    /* The ranks as a ring goes round, where that is not by number; within the schedule. */
    const uint32_t *order;
    int64_t variant; /* the algorithm's own, where one number is enough */
    void *schedule;  /* the algorithm's own; owned by the plan */
    GDestroyNotify free_schedule;
};

/* A parameter that a scenario may give to an algorithm, `{name: ring, lanes: 2}`. Values are
 * doubles, whatever the type. Without a default a value may be missing: LAGGARD_NONE. */
enum laggard_type {
    LAGGARD_INTEGER, /* a whole number */
    LAGGARD_COUNT,   /* the same, or the word "auto": LAGGARD_AUTO */
    LAGGARD_RANK,    /* 0 .. ranks - 1 */
    LAGGARD_CHOICE,  /* one of the words of `choices`, as its index */
    LAGGARD_SHARE,   /* "90 %": 0.9 */
    LAGGARD_TIME,    /* "1 ms": 0.001 */
    LAGGARD_NUMBER   /* "0.5" */
};
#define LAGGARD_AUTO     (-1.0)
#define LAGGARD_INFINITE ((double)INFINITY) /* the word "inf", where `max` is this */
struct laggard_parameter {
    const char *name, *help;
    enum laggard_type type;
    const char *default_text; /* as a user would write it; "" for none */
    const char *choices;      /* "first|second", for LAGGARD_CHOICE */
    double min, max;          /* for INTEGER, COUNT (min >= 0), TIME and NUMBER */
};

/* What a cost model needs to choose a number of chunks: the buffer, and what one transfer costs.
 * All zero where nobody knows. */
struct laggard_estimate {
    lag_bytes size;
    lag_seconds latency; /* of a transfer between two ranks, with its overhead [s] */
    lag_rate rate;       /* of the slowest port [B/s] */
};

/* What a plan is wanted for. values[i] belongs to parameters[i] of the algorithm. */
struct laggard_request {
    enum laggard_collective collective;
    uint32_t n_ranks, root;
    const double *values;
    struct laggard_estimate estimate;
    uint32_t ranks_per_node; /* ranks k x that .. (k + 1) x that - 1 share a node; 0: not known */
    const uint32_t *order;   /* all ranks, in the order of a ring that suits the network; or NULL */
};

/* Conditions that the loader checks and explains. */
enum laggard_needs {
    LAGGARD_ANY = 0,
    LAGGARD_POWER_OF_TWO = 1 << 0,  /* 2^k ranks */
    LAGGARD_ADDING_SWITCH = 1 << 1, /* a switch that adds; nobody has one unless they say so */
};

#define LAGGARD_BIT(collective) (1u << (collective))

/* One algorithm: one file that ends in one of these, and one line in algorithms.def.
 * describe: fills *plan, whose memory is zero but for the names (late_* = LAGGARD_NONE), n_lanes
 * = 1, degree = 1 and what the request says; false with LAGGARD_ERROR_INPUT where the request is
 * one that `needs` can't express. */
struct laggard_algorithm {
    const char *name;     /* as in a scenario */
    const char *summary;  /* one line */
    const char *formula;  /* of the exposed time on a uniform network, for people */
    const char *source;   /* where it is from */
    unsigned collectives; /* LAGGARD_BIT of each that it does */
    unsigned needs;
    const struct laggard_parameter *parameters; /* ends with a NULL name; NULL for none */
    bool (*describe)(const struct laggard_request *request, struct laggard_plan *plan,
                     GError **error);
};

/* Adds a transfer to a step; what the algorithms' step() functions are made of. */
static inline void laggard_send(struct laggard_step *step, uint32_t from, uint32_t to,
                                uint32_t first_chunk, uint32_t n_chunks, enum laggard_kind kind)
{
    step->sends[step->n_sends++] = (struct laggard_transfer){from, to, first_chunk, n_chunks, kind};
}

static inline void laggard_receive(struct laggard_step *step, uint32_t from, uint32_t to,
                                   uint32_t first_chunk, uint32_t n_chunks, enum laggard_kind kind)
{
    step->recvs[step->n_recvs++] = (struct laggard_transfer){from, to, first_chunk, n_chunks, kind};
}

#endif
