/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/verify.h"

#include <assert.h>
#include <string.h>

#define MAX_MEMORY ((uint64_t)4 << 30) /* [B] */
#define NO_LANE    UINT32_MAX

typedef uint64_t word;
#define WORD_BITS 64

/* The state of a proof: one set of ranks for each (rank, chunk). */
struct proof {
    const struct laggard_plan *plan;
    struct lag_names names;
    uint32_t n_words;        /* of a set */
    word *sets;              /* [rank][chunk][n_words] */
    word *scratch;           /* one set */
    word *full;              /* the set of all ranks that contribute */
    uint32_t *lane_of;       /* [chunk] the only lane that may move it, or NO_LANE */
    GArray *sent, *received; /* of struct laggard_transfer: a round, by sender and by receiver */
    GArray *in_flight;       /* of word: what a round's transfers carry */
    struct lag_proof result;
};

static word *set_of(const struct proof *proof, uint32_t rank, uint32_t chunk)
{
    return proof->sets + ((size_t)rank * proof->plan->n_chunks + chunk) * proof->n_words;
}

static void add_to_set(word *set, uint32_t rank)
{
    set[rank / WORD_BITS] |= (word)1 << rank % WORD_BITS;
}

static bool is_empty(const struct proof *proof, const word *set)
{
    for (uint32_t i = 0; i < proof->n_words; i++)
        if (set[i] != 0)
            return false;
    return true;
}

static bool is_equal(const struct proof *proof, const word *a, const word *b)
{
    return memcmp(a, b, proof->n_words * sizeof *a) == 0;
}

/* The first rank that two sets share, or LAGGARD_NONE. */
static uint32_t first_shared(const struct proof *proof, const word *a, const word *b)
{
    for (uint32_t i = 0; i < proof->n_words; i++)
        if ((a[i] & b[i]) != 0)
            return i * WORD_BITS + (uint32_t)__builtin_ctzll(a[i] & b[i]);
    return LAGGARD_NONE;
}

/* Whose part of a scattered or gathered buffer a chunk belongs to. */
static uint32_t owner_of(const struct laggard_plan *plan, uint32_t chunk)
{
    return chunk / (plan->n_chunks / plan->n_ranks);
}

/* What `rank` holds of a chunk before the collective, into *set. */
static void fill_start(const struct laggard_plan *plan, uint32_t rank, uint32_t chunk, word *set)
{
    if (!lag_plan_contributes(plan, rank))
        return;
    switch (plan->collective) {
    case LAGGARD_ALLREDUCE:
    case LAGGARD_REDUCE_SCATTER:
    case LAGGARD_REDUCE_TO_ROOT:
        add_to_set(set, rank);
        return;
    case LAGGARD_ALL_GATHER:
        if (owner_of(plan, chunk) == rank)
            add_to_set(set, rank);
        return;
    case LAGGARD_BROADCAST:
        if (plan->root == rank)
            add_to_set(set, rank);
        return;
    case LAGGARD_N_COLLECTIVES:
        break;
    }
    assert(false && "unknown collective");
}

/* What `rank` must hold of a chunk in the end, into *set; false where anything will do. */
static bool fill_end(const struct proof *proof, uint32_t rank, uint32_t chunk, word *set)
{
    const struct laggard_plan *plan = proof->plan;

    if (!lag_plan_contributes(plan, rank))
        return false;
    memset(set, 0, proof->n_words * sizeof *set);
    switch (plan->collective) {
    case LAGGARD_REDUCE_SCATTER:
    case LAGGARD_ALLREDUCE:
        memcpy(set, proof->full, proof->n_words * sizeof *set);
        return plan->collective == LAGGARD_ALLREDUCE || owner_of(plan, chunk) == rank;
    case LAGGARD_ALL_GATHER:
        add_to_set(set, owner_of(plan, chunk));
        return true;
    case LAGGARD_BROADCAST:
        add_to_set(set, plan->root);
        return true;
    case LAGGARD_REDUCE_TO_ROOT:
        memcpy(set, proof->full, proof->n_words * sizeof *set);
        return rank == plan->root;
    case LAGGARD_N_COLLECTIVES:
        break;
    }
    assert(false && "unknown collective");
    return false;
}

G_GNUC_PRINTF(5, 6)
static bool fault(GError **error, uint32_t round, const struct laggard_transfer *transfer,
                  uint32_t chunk, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    g_autofree char *what = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_WRONG_PLAN,
                "round %u, rank %u -> rank %u, chunk %u: %s", round, transfer->src, transfer->dst,
                chunk, what);
    return false;
}

/* By sender, receiver, and then anyhow. */
static gint compare_transfers(gconstpointer left, gconstpointer right)
{
    const struct laggard_transfer *a = left, *b = right;

    if (a->src != b->src)
        return a->src < b->src ? -1 : 1;
    if (a->dst != b->dst)
        return a->dst < b->dst ? -1 : 1;
    return memcmp(a, b, sizeof *a);
}

/* A round's transfers as the senders and as the receivers see them, each sorted. */
static void collect_round(struct proof *proof, uint32_t lane, uint32_t round)
{
    struct laggard_step step = lag_step_new(proof->plan);

    g_array_set_size(proof->sent, 0);
    g_array_set_size(proof->received, 0);
    for (uint32_t rank = 0; rank < lag_plan_n_positions(proof->plan); rank++) {
        lag_plan_step(proof->plan, proof->names, lane, rank, round, &step);
        g_array_append_vals(proof->sent, step.sends, step.n_sends);
        g_array_append_vals(proof->received, step.recvs, step.n_recvs);
        if (rank == proof->plan->n_ranks)
            continue; /* the switch: no port is shared */
        proof->result.max_sends = MAX(proof->result.max_sends, step.n_sends);
        proof->result.max_recvs = MAX(proof->result.max_recvs, step.n_recvs);
    }
    g_array_sort(proof->sent, compare_transfers);
    g_array_sort(proof->received, compare_transfers);
    lag_step_clear(&step);
}

/* Each transfer must be one that both its ends know of. */
static bool check_ends(const struct proof *proof, uint32_t round, GError **error)
{
    guint n = MIN(proof->sent->len, proof->received->len);

    for (guint i = 0; i < n; i++) {
        struct laggard_transfer *s = &g_array_index(proof->sent, struct laggard_transfer, i);
        struct laggard_transfer *r = &g_array_index(proof->received, struct laggard_transfer, i);
        if (compare_transfers(s, r) != 0)
            return fault(error, round, s, s->first_chunk, "only one of the two ends knows of it");
    }
    if (proof->sent->len == proof->received->len)
        return true;
    GArray *longer = proof->sent->len > n ? proof->sent : proof->received;
    struct laggard_transfer *extra = &g_array_index(longer, struct laggard_transfer, n);
    return fault(error, round, extra, extra->first_chunk, "only one of the two ends knows of it");
}

static bool check_shape(struct proof *proof, uint32_t lane, uint32_t round,
                        const struct laggard_transfer *t, GError **error)
{
    const struct laggard_plan *plan = proof->plan;

    uint32_t n = lag_plan_n_positions(plan);
    if (t->src >= n || t->dst >= n || t->src == t->dst)
        return fault(error, round, t, t->first_chunk, "not two of the plan's %u %s", n,
                     plan->has_switch ? "ranks and switch" : "ranks");
    if (t->n_chunks == 0 || t->first_chunk >= plan->n_chunks ||
        t->n_chunks > plan->n_chunks - t->first_chunk)
        return fault(error, round, t, t->first_chunk, "%u chunks from there on, but there are %u",
                     t->n_chunks, plan->n_chunks);
    for (uint32_t c = t->first_chunk; c < t->first_chunk + t->n_chunks; c++) {
        if (proof->lane_of[c] == NO_LANE)
            proof->lane_of[c] = lane;
        if (proof->lane_of[c] != lane)
            return fault(error, round, t, c, "lanes %u and %u both move it, in no defined order",
                         proof->lane_of[c], lane);
    }
    return true;
}

/* Takes what a transfer carries from its sender, as of the start of the round. */
static bool load(struct proof *proof, uint32_t round, const struct laggard_transfer *t,
                 GError **error)
{
    for (uint32_t c = t->first_chunk; c < t->first_chunk + t->n_chunks; c++) {
        const word *set = set_of(proof, t->src, c);
        if (is_empty(proof, set))
            return fault(error, round, t, c, "the sender has nothing to send");
        g_array_append_vals(proof->in_flight, set, proof->n_words);
    }
    return true;
}

static bool deliver(struct proof *proof, uint32_t round, const struct laggard_transfer *t,
                    const word *carried, GError **error)
{
    for (uint32_t c = t->first_chunk; c < t->first_chunk + t->n_chunks; c++) {
        word *set = set_of(proof, t->dst, c);
        uint32_t twice = first_shared(proof, set, carried);
        if (t->kind == LAGGARD_REDUCE && twice != LAGGARD_NONE)
            return fault(error, round, t, c, "rank %u's contribution would count twice", twice);
        if (t->kind == LAGGARD_STORE && is_equal(proof, set, carried))
            return fault(error, round, t, c, "the receiver has just that already");
        for (uint32_t i = 0; i < proof->n_words; i++)
            set[i] = t->kind == LAGGARD_REDUCE ? set[i] | carried[i] : carried[i];
        carried += proof->n_words;
    }
    return true;
}

/* Two transfers between the same two ranks could not be told apart. */
static bool check_pairs(const struct proof *proof, uint32_t round, GError **error)
{
    for (guint i = 1; i < proof->sent->len; i++) {
        struct laggard_transfer *a = &g_array_index(proof->sent, struct laggard_transfer, i - 1);
        struct laggard_transfer *b = &g_array_index(proof->sent, struct laggard_transfer, i);
        if (a->src == b->src && a->dst == b->dst)
            return fault(error, round, b, b->first_chunk,
                         "the second transfer between the two in one round");
    }
    return true;
}

static bool run_round(struct proof *proof, uint32_t lane, uint32_t round, GError **error)
{
    collect_round(proof, lane, round);
    if (!check_ends(proof, round, error) || !check_pairs(proof, round, error))
        return false;
    g_array_set_size(proof->in_flight, 0);
    for (guint i = 0; i < proof->sent->len; i++) {
        struct laggard_transfer *t = &g_array_index(proof->sent, struct laggard_transfer, i);
        if (!check_shape(proof, lane, round, t, error) || !load(proof, round, t, error))
            return false;
    }
    const word *carried = (const word *)(const void *)proof->in_flight->data;
    for (guint i = 0; i < proof->sent->len; i++) {
        struct laggard_transfer *t = &g_array_index(proof->sent, struct laggard_transfer, i);
        if (!deliver(proof, round, t, carried, error))
            return false;
        carried += (size_t)t->n_chunks * proof->n_words;
    }
    proof->result.n_transfers += proof->sent->len;
    return true;
}

static bool check_end(struct proof *proof, GError **error)
{
    for (uint32_t rank = 0; rank < proof->plan->n_ranks; rank++)
        for (uint32_t chunk = 0; chunk < proof->plan->n_chunks; chunk++) {
            if (!fill_end(proof, rank, chunk, proof->scratch) ||
                is_equal(proof, set_of(proof, rank, chunk), proof->scratch))
                continue;
            g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_WRONG_PLAN,
                        "in the end rank %u doesn't hold what it should of chunk %u", rank, chunk);
            return false;
        }
    return true;
}

static void proof_init(struct proof *proof, const struct laggard_plan *plan, struct lag_names names)
{
    uint32_t n_words = (plan->n_ranks + WORD_BITS - 1) / WORD_BITS;

    *proof = (struct proof){
        .plan = plan,
        .names = names,
        .n_words = n_words,
        .sets = g_new0(word, (size_t)lag_plan_n_positions(plan) * plan->n_chunks * n_words),
        .scratch = g_new0(word, n_words),
        .full = g_new0(word, n_words),
        .lane_of = g_new(uint32_t, plan->n_chunks),
        .sent = g_array_new(FALSE, FALSE, sizeof(struct laggard_transfer)),
        .received = g_array_new(FALSE, FALSE, sizeof(struct laggard_transfer)),
        .in_flight = g_array_new(FALSE, FALSE, sizeof(word)),
    };
    for (uint32_t chunk = 0; chunk < plan->n_chunks; chunk++)
        proof->lane_of[chunk] = NO_LANE;
    for (uint32_t rank = 0; rank < plan->n_ranks - plan->n_servers; rank++) {
        add_to_set(proof->full, rank);
        for (uint32_t chunk = 0; chunk < plan->n_chunks; chunk++)
            fill_start(plan, rank, chunk, set_of(proof, rank, chunk));
    }
}

static void proof_clear(struct proof *proof)
{
    g_free(proof->sets);
    g_free(proof->scratch);
    g_free(proof->full);
    g_free(proof->lane_of);
    g_array_unref(proof->sent);
    g_array_unref(proof->received);
    g_array_unref(proof->in_flight);
}

static bool run_plan(struct proof *proof, GError **error)
{
    for (uint32_t lane = 0; lane < proof->plan->n_lanes; lane++)
        for (uint32_t round = 0; round < proof->plan->n_rounds; round++)
            if (!run_round(proof, lane, round, error))
                return false;
    return check_end(proof, error);
}

/* A scattered or gathered buffer has a part for each rank, of whole chunks. */
static bool check_parts(const struct laggard_plan *plan, GError **error)
{
    bool has_parts =
        plan->collective == LAGGARD_REDUCE_SCATTER || plan->collective == LAGGARD_ALL_GATHER;

    if (!has_parts || plan->n_chunks % plan->n_ranks == 0)
        return true;
    g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_WRONG_PLAN,
                "%u chunks are not a whole number for each of %u ranks", plan->n_chunks,
                plan->n_ranks);
    return false;
}

bool lag_verify(const struct laggard_plan *plan, struct lag_names names, struct lag_proof *ret,
                GError **error)
{
    uint64_t set_bytes = (plan->n_ranks + WORD_BITS - 1) / WORD_BITS * sizeof(word);
    uint64_t row_bytes = set_bytes * lag_plan_n_positions(plan);
    struct proof proof;

    if (row_bytes > MAX_MEMORY / plan->n_chunks) {
        g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT,
                    "the proof would need %" G_GUINT64_FORMAT " GiB for %u ranks and %u chunks; "
                    "prove it for fewer ranks",
                    (row_bytes >> 20) * plan->n_chunks >> 10, plan->n_ranks, plan->n_chunks);
        return false;
    }
    if (!check_parts(plan, error))
        return false;
    proof_init(&proof, plan, names);
    bool right = run_plan(&proof, error);
    if (right)
        *ret = proof.result;
    proof_clear(&proof);
    return right;
}
