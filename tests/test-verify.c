/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The proof on sets of contributions: right plans pass, and each of many ways to break one is
 * found. With -m slow: the large ones only. */
#include <string.h>

#include "sim/verify.h"
#include "tests/helpers.h"

/* Proves a plan with `late` at its late position; returns the number of transfers. */
static uint64_t prove(const struct laggard_plan *plan, uint32_t late)
{
    g_autoptr(GError) error = NULL;
    struct lag_proof proof = {0};

    if (!lag_verify(plan, lag_plan_bind(plan, late), &proof, &error))
        g_error("%u ranks, %s: %s", plan->n_ranks, laggard_collective_name(plan->collective),
                error->message);
    g_assert_cmpuint(proof.max_sends, <=, plan->degree);
    g_assert_cmpuint(proof.max_recvs, <=, plan->degree);
    return proof.n_transfers;
}

/* A ring moves n chunks a round, in 2 (n - 1) rounds for an allreduce and half of them otherwise. */
static void prove_ring(uint32_t n)
{
    static const enum laggard_collective collectives[] = {LAGGARD_ALLREDUCE, LAGGARD_REDUCE_SCATTER,
                                                          LAGGARD_ALL_GATHER};

    for (size_t i = 0; i < G_N_ELEMENTS(collectives); i++) {
        g_autoptr(lag_plan) plan = named_plan("ring", collectives[i], n);
        uint64_t rounds = (collectives[i] == LAGGARD_ALLREDUCE ? 2 : 1) * (n - 1);
        g_assert_cmpuint(prove(plan, 0), ==, rounds * n);
    }
}

static void ring(void)
{
    for (uint32_t n = 1; n <= 128; n++)
        prove_ring(n);
}

static void ring_1000(void)
{
    prove_ring(1000);
}

/* spec/stragglar.md section 1.4: 2 (n - 1) partial and (n - 1)(n - 2) finished transfers; before
 * them a reduce-scatter of n - 1 ranks, (n - 2)(n - 1). */
static void prove_stragglar(uint32_t n)
{
    g_autoptr(lag_plan) plan = stragglar_plan(n, n - 1);
    uint64_t m = n - 1;

    g_assert_cmpuint(prove(plan, 0), ==, n == 1 ? 0 : 2 * m + 2 * m * (m - 1));
}

static void stragglar(void)
{
    for (uint32_t n = 1; n <= 256; n *= 2)
        prove_stragglar(n);
}

static void stragglar_1024(void)
{
    prove_stragglar(512);
    prove_stragglar(1024);
}

/* Any rank may be the late one, by name or as whoever is missing. */
static void every_straggler(void)
{
    g_autoptr(lag_plan) open = stragglar_plan(16, LAGGARD_NONE);

    for (uint32_t late = 0; late < 16; late++) {
        g_autoptr(lag_plan) plan = stragglar_plan(16, late);
        prove(plan, 0);
        prove(open, late);
    }
}

/* Every rank but the root gets the buffer once: n - 1 transfers, from any root. */
static void binomial_tree(void)
{
    const struct laggard_algorithm *algorithm = lag_algorithm_find("binomial-tree");

    for (uint32_t n = 1; n <= 40; n++) {
        const uint32_t roots[] = {0, n / 3, n / 2, n - 1};
        for (size_t i = 0; i < G_N_ELEMENTS(roots); i++) {
            g_autoptr(lag_plan) plan = algorithm_plan(algorithm, LAGGARD_BROADCAST, n, roots[i]);
            g_assert_cmpuint(prove(plan, 0), ==, n - 1);
        }
    }
}

/* Whatever the table of algorithms holds, at every size up to 20. */
static void all_algorithms(void)
{
    for (size_t i = 0; lag_algorithms[i] != NULL; i++)
        for (unsigned c = 0; c < LAGGARD_N_COLLECTIVES; c++)
            for (uint32_t n = 1; n <= 20; n++) {
                if (!lag_algorithm_accepts(lag_algorithms[i], c, n, NULL))
                    continue;
                g_autoptr(lag_plan) plan = algorithm_plan(lag_algorithms[i], c, n, n - 1);
                prove(plan, n / 2);
            }
}

/* Ways to break a right plan, at line i of its list. */
static struct listed *line_at(lag_plan *plan, guint i)
{
    return &g_array_index(list_of(plan), struct listed, i);
}

static void drop(lag_plan *plan, guint i)
{
    g_array_remove_index(list_of(plan), i);
}

static void twice(lag_plan *plan, guint i)
{
    struct listed copy = *line_at(plan, i);

    g_array_append_val(list_of(plan), copy);
}

static void again_next_round(lag_plan *plan, guint i)
{
    struct listed copy = *line_at(plan, i);

    copy.round++;
    g_array_append_val(list_of(plan), copy);
}

static void later(lag_plan *plan, guint i)
{
    line_at(plan, i)->round++;
}

static void earlier(lag_plan *plan, guint i)
{
    line_at(plan, i)->round--;
}

static void swap_rounds(lag_plan *plan, guint i)
{
    uint32_t round = line_at(plan, i)->round;

    for (guint j = 0; j < list_of(plan)->len; j++) {
        struct listed *line = line_at(plan, j);
        if (line->round == round || line->round == round + 1)
            line->round = 2 * round + 1 - line->round;
    }
}

static void other_receiver(lag_plan *plan, guint i)
{
    struct laggard_transfer *t = &line_at(plan, i)->transfer;

    do
        t->dst = (t->dst + 1) % plan->n_ranks;
    while (t->dst == t->src);
}

static void other_sender(lag_plan *plan, guint i)
{
    struct laggard_transfer *t = &line_at(plan, i)->transfer;

    do
        t->src = (t->src + 1) % plan->n_ranks;
    while (t->src == t->dst);
}

static void to_itself(lag_plan *plan, guint i)
{
    line_at(plan, i)->transfer.dst = line_at(plan, i)->transfer.src;
}

static void turned_round(lag_plan *plan, guint i)
{
    struct laggard_transfer *t = &line_at(plan, i)->transfer;
    uint32_t src = t->src;

    t->src = t->dst;
    t->dst = src;
}

static void next_chunk(lag_plan *plan, guint i)
{
    struct laggard_transfer *t = &line_at(plan, i)->transfer;

    t->first_chunk = (t->first_chunk + 1) % plan->n_chunks;
}

static void chunk_too_high(lag_plan *plan, guint i)
{
    line_at(plan, i)->transfer.first_chunk = plan->n_chunks;
}

static void no_chunks(lag_plan *plan, guint i)
{
    line_at(plan, i)->transfer.n_chunks = 0;
}

static void too_many_chunks(lag_plan *plan, guint i)
{
    line_at(plan, i)->transfer.n_chunks = plan->n_chunks + 1;
}

static void chunks_overflow(lag_plan *plan, guint i)
{
    line_at(plan, i)->transfer.first_chunk = plan->n_chunks - 1;
    line_at(plan, i)->transfer.n_chunks = UINT32_MAX;
}

static void other_kind(lag_plan *plan, guint i)
{
    struct laggard_transfer *t = &line_at(plan, i)->transfer;

    t->kind = t->kind == LAGGARD_REDUCE ? LAGGARD_STORE : LAGGARD_REDUCE;
}

static void sender_forgets(lag_plan *plan, guint i)
{
    line_at(plan, i)->sender_knows = false;
}

static void receiver_forgets(lag_plan *plan, guint i)
{
    line_at(plan, i)->receiver_knows = false;
}

/* The two ends disagree about what travels. */
static void ends_disagree(lag_plan *plan, guint i)
{
    twice(plan, i);
    line_at(plan, i)->sender_knows = false;
    line_at(plan, list_of(plan)->len - 1)->receiver_knows = false;
    next_chunk(plan, i);
}

/* The lanes have no order between them, so two of them may not move the same chunk. */
static void two_lanes(lag_plan *plan, guint i)
{
    (void)i;
    plan->n_lanes = 2;
}

/* The sender means a rank that isn't one. */
static void no_such_receiver(lag_plan *plan, guint i)
{
    line_at(plan, i)->transfer.dst = plan->n_ranks;
}

struct mutation {
    const char *name;
    void (*apply)(lag_plan *plan, guint i);
};

/* The proof must refuse the plan; the message names the round of the first fault, or where nothing
 * goes wrong but something is missing in the end, that. */
static void must_fail(const struct laggard_plan *plan, const struct mutation *mutation, guint i)
{
    g_autoptr(lag_plan) broken = list_plan_copy(plan);
    g_autoptr(GError) error = NULL;
    struct lag_proof proof;

    mutation->apply(broken, i);
    list_plan_changed(broken);
    if (lag_verify(broken, (struct lag_names){0, 0}, &proof, &error))
        g_error("%s at line %u was not found", mutation->name, i);
    g_assert_error(error, LAGGARD_ERROR, LAGGARD_ERROR_WRONG_PLAN);
    if (!g_regex_match_simple("^round [0-9]+, rank [0-9]+ -> rank [0-9]+, chunk [0-9]+: .|^in the "
                              "end rank [0-9]+ .* chunk [0-9]+$",
                              error->message, 0, 0))
        g_error("%s at line %u: \"%s\" names no place", mutation->name, i, error->message);
}

/* These break a plan at whatever line: each transfer of ring and stragglar is needed. */
static const struct mutation always[] = {
    {"drop",             drop            },
    {"twice",            twice           },
    {"to-itself",        to_itself       },
    {"turned-round",     turned_round    },
    {"next-chunk",       next_chunk      },
    {"chunk-too-high",   chunk_too_high  },
    {"no-chunks",        no_chunks       },
    {"too-many-chunks",  too_many_chunks },
    {"chunks-overflow",  chunks_overflow },
    {"other-kind",       other_kind      },
    {"sender-forgets",   sender_forgets  },
    {"receiver-forgets", receiver_forgets},
    {"ends-disagree",    ends_disagree   },
    {"two-lanes",        two_lanes       },
    {"no-such-receiver", no_such_receiver},
};

/* This breaks a plan where a result is stored. (A sum can be right if an addend takes another way:
 * in a ring's first round it may as well go to the next but one.) */
static const struct mutation of_stores[] = {
    {"other-receiver", other_receiver},
};

/* This one where the result has one holder only, in a ring's first round of storing. */
static const struct mutation of_first_holder = {"other-sender", other_sender};

/* These break a ring at whatever line, since each of its rounds feeds the next. (StragglAR has
 * transfers that nobody forwards; one round later they do no harm.) */
static const struct mutation in_a_ring[] = {
    {"later",            later           },
    {"earlier",          earlier         },
    {"swap-rounds",      swap_rounds     },
    {"again-next-round", again_next_round},
};

static void mutate(const struct laggard_plan *plan, const struct mutation *mutations, size_t n,
                   bool stores_only, guint n_lines)
{
    g_autoptr(lag_plan) list = list_plan_copy(plan);

    prove(list, 0); /* the copy that the mutations start from is right */
    for (guint i = 0; i < n_lines; i++) {
        if (stores_only && line_at(list, i)->transfer.kind != LAGGARD_STORE)
            continue;
        for (size_t m = 0; m < n; m++)
            must_fail(plan, &mutations[m], i);
    }
}

static void mutations_of_ring(void)
{
    g_autoptr(lag_plan) plan = named_plan("ring", LAGGARD_ALLREDUCE, 5);

    mutate(plan, always, G_N_ELEMENTS(always), false, 40);
    mutate(plan, of_stores, G_N_ELEMENTS(of_stores), true, 40);
    mutate(plan, in_a_ring, G_N_ELEMENTS(in_a_ring), false, 35); /* the last round has no next */
    for (guint i = 20; i < 25; i++)
        must_fail(plan, &of_first_holder, i);
}

static void mutations_of_stragglar(void)
{
    for (uint32_t n = 4; n <= 8; n *= 2) {
        g_autoptr(lag_plan) plan = stragglar_plan(n, n - 1);
        guint n_lines = 2 * (n - 1) * (n - 1);
        mutate(plan, always, G_N_ELEMENTS(always), false, n_lines);
        mutate(plan, of_stores, G_N_ELEMENTS(of_stores), true, n_lines);
    }
}

/* Two senders at once are no fault of the result, but are reported: a one-round all-gather. */
static void ports_are_reported(void)
{
    g_autoptr(lag_plan) plan = list_plan_new(LAGGARD_ALL_GATHER, 4, 4, 1);
    struct lag_proof proof;

    for (uint32_t src = 0; src < 4; src++)
        for (uint32_t dst = 0; dst < 4; dst++)
            if (src != dst)
                list_add(plan, 0, (struct laggard_transfer){src, dst, src, 1, LAGGARD_STORE});
    g_assert_true(lag_verify(plan, (struct lag_names){0, 0}, &proof, NULL));
    g_assert_cmpuint(proof.n_transfers, ==, 12);
    g_assert_cmpuint(proof.max_sends, ==, 3);
    g_assert_cmpuint(proof.max_recvs, ==, 3);
}

/* 40,000 ranks would need 40,000^3 / 8 bytes; that is an input error, said before it is tried. */
static void too_large(void)
{
    g_autoptr(lag_plan) plan = named_plan("ring", LAGGARD_ALLREDUCE, 40000);
    g_autoptr(GError) error = NULL;
    struct lag_proof proof;

    g_assert_false(lag_verify(plan, (struct lag_names){0, 0}, &proof, &error));
    g_assert_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT);
    g_assert_nonnull(strstr(error->message, "40000 ranks"));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    if (g_test_slow()) {
        g_test_add_func("/verify/ring-1000", ring_1000);
        g_test_add_func("/verify/stragglar-1024", stragglar_1024);
        return g_test_run();
    }
    g_test_add_func("/verify/ring", ring);
    g_test_add_func("/verify/stragglar", stragglar);
    g_test_add_func("/verify/every-straggler", every_straggler);
    g_test_add_func("/verify/binomial-tree", binomial_tree);
    g_test_add_func("/verify/all-algorithms", all_algorithms);
    g_test_add_func("/verify/mutations-of-ring", mutations_of_ring);
    g_test_add_func("/verify/mutations-of-stragglar", mutations_of_stragglar);
    g_test_add_func("/verify/ports-are-reported", ports_are_reported);
    g_test_add_func("/verify/too-large", too_large);
    return g_test_run();
}
