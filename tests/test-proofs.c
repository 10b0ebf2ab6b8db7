/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every algorithm of the table proved by verify.h, for many numbers of ranks; and what the proof
 * makes of servers and of a switch that adds. With -m slow: the large ones only. */
#include <string.h>

#include "sim/verify.h"
#include "sim/volume.h"
#include "tests/helpers.h"

static bool proves(const struct laggard_plan *plan, struct lag_proof *ret)
{
    g_autoptr(GError) error = NULL;

    if (lag_verify(plan, lag_plan_bind(plan, plan->n_ranks / 2), ret, &error))
        return true;
    g_assert_error(error, LAGGARD_ERROR, LAGGARD_ERROR_WRONG_PLAN);
    return false;
}

/* Three ranks and a switch: all send up, the switch sends the sum down. */
static lag_plan *switch_plan(void)
{
    lag_plan *plan = list_plan_new(LAGGARD_ALLREDUCE, 3, 1, 2);

    for (uint32_t rank = 0; rank < 3; rank++) {
        list_add(plan, 0, (struct laggard_transfer){rank, 3, 0, 1, LAGGARD_REDUCE});
        list_add(plan, 1, (struct laggard_transfer){3, rank, 0, 1, LAGGARD_STORE});
    }
    plan->has_switch = true;
    plan->degree = 1;
    return plan;
}

/* The switch is no rank: it counts for no port, and without it the same list is wrong. A rank's
 * port carries the buffer once each way, so 6 messages of 400 B. */
static void a_switch(void)
{
    g_autoptr(lag_plan) plan = switch_plan();
    struct lag_chunks chunks = lag_chunks_of(400, 4, 1);
    struct lag_proof proof = {0};
    lag_bytes sent[3], received[3];
    struct lag_volume volume = {.sent = sent, .received = received};

    g_assert_true(proves(plan, &proof));
    g_assert_cmpuint(proof.n_transfers, ==, 6);
    g_assert_cmpuint(proof.max_sends, ==, 1);
    g_assert_cmpuint(proof.max_recvs, ==, 1);
    g_assert_false(lag_plan_is_one_port(plan));
    lag_volume_of(plan, &chunks, &volume);
    g_assert_cmpuint(volume.n_messages, ==, 6);
    g_assert_cmpuint(volume.bytes, ==, 6 * 400);
    for (uint32_t rank = 0; rank < 3; rank++) {
        g_assert_cmpuint(sent[rank], ==, 400);
        g_assert_cmpuint(received[rank], ==, 400);
    }
    g_array_index(list_of(plan), struct listed, 0).transfer.kind = LAGGARD_STORE;
    g_assert_true(proves(plan, &proof)); /* the first up may as well be kept as added to nothing */
    g_array_index(list_of(plan), struct listed, 2).transfer.kind = LAGGARD_STORE;
    g_assert_false(proves(plan, &proof)); /* the next would wipe it out */
    g_array_index(list_of(plan), struct listed, 2).transfer.kind = LAGGARD_REDUCE;
    list_add(plan, 1, (struct laggard_transfer){0, 4, 0, 1, LAGGARD_REDUCE});
    g_assert_false(proves(plan, &proof)); /* nothing beyond the switch */
}

static void no_switch_in_the_plan(void)
{
    g_autoptr(lag_plan) plan = switch_plan();
    struct lag_proof proof;

    plan->n_chunks = 1;
    g_array_set_size(list_of(plan), 0);
    list_add(plan, 0, (struct laggard_transfer){0, 3, 0, 1, LAGGARD_REDUCE});
    plan->has_switch = false;
    g_assert_false(proves(plan, &proof));
}

/* Two workers and a server: what the server holds at first is nothing, so that a plan in which it
 * sends before it has received is wrong, and it need not end with the result. */
static void a_server(void)
{
    g_autoptr(lag_plan) plan = list_plan_new(LAGGARD_ALLREDUCE, 3, 1, 3);
    struct lag_proof proof;

    plan->n_servers = 1;
    list_add(plan, 0, (struct laggard_transfer){0, 2, 0, 1, LAGGARD_REDUCE});
    list_add(plan, 1, (struct laggard_transfer){1, 2, 0, 1, LAGGARD_REDUCE});
    list_add(plan, 2, (struct laggard_transfer){2, 0, 0, 1, LAGGARD_STORE});
    list_add(plan, 2, (struct laggard_transfer){2, 1, 0, 1, LAGGARD_STORE});
    g_assert_true(proves(plan, &proof));
    plan->n_servers = 0; /* the same list is right for three workers, rank 2 having its own share */
    g_assert_true(proves(plan, &proof));
    g_array_set_size(list_of(plan), 0);
    list_add(plan, 0, (struct laggard_transfer){0, 1, 0, 1, LAGGARD_REDUCE});
    list_add(plan, 1, (struct laggard_transfer){1, 0, 0, 1, LAGGARD_STORE});
    g_assert_false(proves(plan, &proof)); /* rank 2 has no part in it */
    plan->n_servers = 1;
    g_assert_true(proves(plan, &proof)); /* a server needs none */
    list_add(plan, 0, (struct laggard_transfer){2, 0, 0, 1, LAGGARD_REDUCE});
    g_assert_false(proves(plan, &proof)); /* it has nothing to send */
}

/* Parameters that change a plan, besides the defaults that are proved with the whole table. */
static const char *const settings[] = {
    "ring lanes=3",
    "chain chunks=1",
    "chain chunks=5",
    "binary-tree chunks=1",
    "binary-tree chunks=5",
    "double-binary-tree chunks=1",
    "double-binary-tree chunks=3 over=ranks",
    "parameter-server servers=2",
    "parameter-server servers=3",
    "parameter-server servers=2 placement=dedicated",
    "in-switch chunks=1",
    "in-switch chunks=7",
    "hierarchical inner=allpairs outer=halving-doubling",
    "hierarchical outer=chain",
    "hierarchical outer=recursive-doubling",
    "hierarchical group=2 middle=2 outer=one-shot",
    "hierarchical group=1 middle=3 outer=binary-tree",
    "torus phases=pipelined",
    "torus z=auto phases=pipelined",
    "torus x=2 y=2 z=auto",
};

/* Proves what the algorithm accepts of all collectives; returns the number of plans. Each chunk of
 * an allreduce must be reduced n - 1 times and stored n - 1 times, or more often. */
static uint32_t prove_setting(const char *text, uint32_t n, uint32_t per_node, uint32_t root)
{
    uint32_t n_proved = 0;

    for (unsigned c = 0; c < LAGGARD_N_COLLECTIVES; c++) {
        struct laggard_request request = {
            .collective = c, .n_ranks = n, .root = root, .ranks_per_node = per_node};
        g_autoptr(lag_plan) plan = plan_of(text, request, NULL);
        struct lag_proof proof = {0};
        if (plan == NULL || (root > 0 && !laggard_collective_has_root(c)))
            continue;
        if (!proves(plan, &proof))
            g_error("%s, %s of %u ranks in nodes of %u is not proved", text,
                    laggard_collective_name(c), n, per_node);
        g_assert_cmpuint(proof.max_sends, <=, plan->degree);
        g_assert_cmpuint(proof.max_recvs, <=, plan->degree);
        n_proved++;
    }
    return n_proved;
}

static void with_parameters(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(settings); i++) {
        uint32_t n_proved = 0;
        for (uint32_t n = 1; n <= 40; n++)
            for (uint32_t per_node = 0; per_node <= 4; per_node += 2)
                n_proved += prove_setting(settings[i], n, per_node, 0);
        g_assert_cmpuint(n_proved, >=, 10);
    }
}

/* Every root of 16 and 17 ranks; and every late rank. */
static void every_root(void)
{
    for (uint32_t n = 16; n <= 17; n++)
        for (size_t i = 0; lag_algorithms[i] != NULL; i++)
            for (uint32_t root = 0; root < n; root++) {
                g_autoptr(lag_plan) plan =
                    plan_of(lag_algorithms[i]->name, (struct laggard_request){.n_ranks = n}, NULL);
                struct lag_proof proof;
                prove_setting(lag_algorithms[i]->name, n, 0, root);
                if (plan != NULL)
                    g_assert_true(lag_verify(plan, lag_plan_bind(plan, root), &proof, NULL));
            }
}

/* Every number of ranks up to 130 that an algorithm accepts, and the parameters' plans. */
static void to_130(void)
{
    for (uint32_t n = 21; n <= 130; n++) {
        for (size_t i = 0; lag_algorithms[i] != NULL; i++)
            prove_setting(lag_algorithms[i]->name, n, 0, 0);
        for (size_t i = 0; i < G_N_ELEMENTS(settings); i++)
            prove_setting(settings[i], n, n % 3 == 0 ? 8 : 0, 0);
    }
}

static void large(void)
{
    static const char *const others[] = {
        "ring-bidirectional",
        "chain chunks=16",
        "binary-tree chunks=16",
        "double-binary-tree",
        "one-shot",
        "parameter-server servers=8",
        "in-switch",
        "scatter-allgather",
        "torus",
        "torus phases=pipelined z=auto",
        "hierarchical",
        "halving-doubling",
        "recursive-doubling",
    };

    for (size_t i = 0; i < G_N_ELEMENTS(others); i++)
        g_assert_cmpuint(prove_setting(others[i], 1024, 8, 0), >, 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    if (g_test_slow()) {
        g_test_add_func("/proofs/to-130", to_130);
        g_test_add_func("/proofs/1024", large);
        return g_test_run();
    }
    g_test_add_func("/proofs/with-parameters", with_parameters);
    g_test_add_func("/proofs/every-root", every_root);
    g_test_add_func("/proofs/a-switch", a_switch);
    g_test_add_func("/proofs/no-switch-in-the-plan", no_switch_in_the_plan);
    g_test_add_func("/proofs/a-server", a_server);
    return g_test_run();
}
