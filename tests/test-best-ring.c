/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Best rings against all orders, and where the answer is known. */
#include <string.h>

#include "algorithms/algorithms.h"
#include "sim/network/best-ring.h"
#include "sim/replay.h"
#include "sim/verify.h"
#include "tests/helpers.h"
#include "tests/topology-samples.h"

static void assert_order_of_all(const struct lag_ring *ring, uint32_t n)
{
    g_autofree bool *seen = g_new0(bool, n);

    g_assert_cmpuint(ring->order[0], ==, 0);
    for (uint32_t i = 0; i < n; i++) {
        g_assert_cmpuint(ring->order[i], <, n);
        g_assert_false(seen[ring->order[i]]);
        seen[ring->order[i]] = true;
    }
}

/* The best of all orders of order[i] ..., by rate, then links. */
static void try_all(const lag_topology *topology, uint32_t *order, uint32_t i,
                    struct lag_ring *best)
{
    uint32_t n = topology->n_ranks;

    if (i == n) {
        struct lag_ring ring;
        lag_ring_measure(&(struct lag_ring_members){topology, NULL, topology->n_ranks}, order,
                         &ring);
        if (ring.rate > best->rate || (ring.rate == best->rate && ring.n_links < best->n_links)) {
            best->rate = ring.rate;
            best->n_links = ring.n_links;
        }
        lag_ring_clear(&ring);
    }
    for (uint32_t k = i; k < n; k++) {
        uint32_t swapped = order[i];
        order[i] = order[k];
        order[k] = swapped;
        try_all(topology, order, i + 1, best);
        order[k] = order[i];
        order[i] = swapped;
    }
}

/* No order of up to 7 ranks has a faster slowest edge, or as fast a one and fewer links; links have
 * random rates. */
static void against_all(void)
{
    for (uint32_t i = 0; lag_topologies[i / 6] != NULL; i++) {
        struct sample sample;
        struct lag_ring ring, best = {0};
        uint32_t order[7] = {0, 1, 2, 3, 4, 5, 6};
        sample_draw(&sample, lag_topologies[i / 6]);
        g_autoptr(lag_topology) topology = sample_build(&sample);
        if (topology->n_ranks > 1 && topology->n_ranks <= 7) {
            for (uint32_t l = 0; l < topology->n_links; l++)
                lag_topology_set_rate(topology, l, g_test_rand_int_range(1, 4));
            lag_best_ring_find(&(struct lag_ring_members){topology, NULL, topology->n_ranks},
                               &ring);
            assert_order_of_all(&ring, topology->n_ranks);
            g_assert_true(ring.exact);
            try_all(topology, order, 1, &best);
            g_assert_cmpfloat(ring.rate, ==, best.rate);
            g_assert_cmpuint(ring.n_links, ==, best.n_links);
            lag_ring_clear(&ring);
        }
        sample_clear(&sample);
    }
}

/* DGX-1: two squares of four GPUs, all linked inside, and 0-4, 1-5, 2-6, 3-7. In the order of ranks
 * 3 - 4 and 7 - 0 take two links each, which others use too; the best ring has 8 links, each to
 * itself. */
static void dgx_1(void)
{
    static const uint32_t ranks[] = {0, 1, 2, 3, 4, 5, 6, 7};
    struct sample sample;
    struct lag_ring ring, given;

    sample_init(&sample, lag_topology_kind_find("graph"), 8);
    for (uint32_t a = 0; a < 8; a++)
        for (uint32_t b = a + 1; b < 8; b++) {
            g_autofree char *first = g_strdup_printf("gpu%u", a);
            g_autofree char *second = g_strdup_printf("gpu%u", b);
            if (a / 4 == b / 4 || a + 4 == b)
                sample_link(&sample, first, second, SAMPLE_RATE);
        }
    g_autoptr(lag_topology) topology = sample_build(&sample);
    lag_best_ring_find(&(struct lag_ring_members){topology, NULL, topology->n_ranks}, &ring);
    lag_ring_measure(&(struct lag_ring_members){topology, NULL, topology->n_ranks}, ranks, &given);
    assert_order_of_all(&ring, 8);
    g_assert_cmpuint(ring.n_links, ==, 8);
    g_assert_cmpuint(ring.most_edges, ==, 1);
    g_assert_cmpuint(given.n_links, ==, 10);
    lag_ring_clear(&ring);
    lag_ring_clear(&given);
    sample_clear(&sample);
}

/* A torus of 8 x 4 has rings of single links (a comb); in the order of ranks each step to the next
 * row takes two. The same search finds the same order again. */
static void a_torus(void)
{
    struct sample sample;
    struct lag_ring ring, again, given;
    uint32_t ranks[32];

    sample_init(&sample, lag_topology_kind_find("torus"), 32);
    sample_set(&sample, "dims", 8);
    sample_set(&sample, "dims", 4);
    g_autoptr(lag_topology) topology = sample_build(&sample);
    for (uint32_t i = 0; i < 32; i++)
        ranks[i] = i;
    lag_best_ring_find(&(struct lag_ring_members){topology, NULL, topology->n_ranks}, &ring);
    lag_best_ring_find(&(struct lag_ring_members){topology, NULL, topology->n_ranks}, &again);
    lag_ring_measure(&(struct lag_ring_members){topology, NULL, topology->n_ranks}, ranks, &given);
    assert_order_of_all(&ring, 32);
    g_assert_false(ring.exact);
    g_assert_cmpuint(given.n_links, ==, 32 + 4);
    g_assert_cmpuint(ring.n_links, ==, 32);
    g_assert_cmpuint(ring.most_edges, ==, 1);
    for (uint32_t i = 0; i < 32; i++)
        g_assert_cmpuint(ring.order[i], ==, again.order[i]);
    lag_ring_clear(&ring);
    lag_ring_clear(&again);
    lag_ring_clear(&given);
    sample_clear(&sample);
}

/* A mesh of 20 whose links between even and odd ranks are slow: two edges of any ring at least are
 * slow, and a good one has only two. */
static void unequal_links(void)
{
    struct sample sample;
    struct lag_ring ring;
    uint32_t n_slow = 0;

    sample_init(&sample, lag_topology_kind_find("mesh"), 20);
    g_autoptr(lag_topology) topology = sample_build(&sample);
    for (uint32_t l = 0; l < topology->n_links; l++)
        if ((topology->links[l].from + topology->links[l].to) % 2 == 1)
            topology->links[l].rate = 1;
    lag_best_ring_find(&(struct lag_ring_members){topology, NULL, topology->n_ranks}, &ring);
    assert_order_of_all(&ring, 20);
    for (uint32_t i = 0; i < 20; i++)
        n_slow += (ring.order[i] + ring.order[(i + 1) % 20]) % 2;
    g_assert_cmpuint(n_slow, ==, 2);
    lag_ring_clear(&ring);
    sample_clear(&sample);
}

/* The completion of a ring of 8 x 100 bytes on a topology, all ranks there at 0. */
static lag_seconds run(const lag_topology *topology, const lag_plan *plan)
{
    g_autoptr(lag_replay) replay = lag_replay_new();
    const struct lag_network network = {.topology = topology, .fluid = true};
    static const lag_seconds arrival[8];
    struct lag_outcome outcome;
    g_autoptr(GError) error = NULL;

    lag_outcome_init(&outcome, 8);
    const struct lag_run ring = {
        .plan = plan, .network = &network, .chunks = lag_chunks_of(800, 1, 8), .arrival = arrival};
    g_assert_true(lag_replay_run(replay, &ring, &outcome, &error));
    lag_seconds completion = outcome.completion;
    lag_outcome_clear(&outcome);
    return completion;
}

/* A plan that goes round in any order is right for each collective; round a ring of links whose
 * ranks sit crosswise (0 2 4 6 1 3 5 7), the best order takes 14 rounds of one link, 6 s + 100 B
 * at 8 B/s, and by rank each round is slower. */
static void plans(void)
{
    static const uint32_t slot[] = {0, 4, 1, 5, 2, 6, 3, 7};
    const struct laggard_algorithm *algorithm = lag_algorithm_find("ring");
    const struct lag_topology_request request = {
        .n_ranks = 8,
        .outer = {.kind = lag_topology_kind_find("ring"),
                  .rate = SAMPLE_RATE,
                  .latency = SAMPLE_LATENCY},
        .slot = slot,
    };
    struct lag_topology_fault fault;
    g_autoptr(lag_topology) topology = lag_topology_compose(&request, &fault, NULL);
    struct lag_ring ring;
    static const double given[] = {1, 0}, best[] = {1, 1};

    lag_best_ring_find(&(struct lag_ring_members){topology, NULL, 8}, &ring);
    g_assert_cmpuint(ring.n_links, ==, 8);
    for (unsigned c = 0; c < LAGGARD_N_COLLECTIVES; c++) {
        struct laggard_request wanted = {.collective = (enum laggard_collective)c,
                                         .n_ranks = 8,
                                         .values = best,
                                         .order = ring.order};
        struct lag_proof proof = {0};
        g_autoptr(GError) error = NULL;
        if (!(algorithm->collectives & LAGGARD_BIT(c)))
            continue;
        g_autoptr(lag_plan) plan = lag_plan_new(algorithm, &wanted, &error);
        g_assert_true(lag_verify(plan, (struct lag_names){0, 0}, &proof, &error));
        if (c != LAGGARD_ALLREDUCE)
            continue;
        wanted.values = given;
        g_autoptr(lag_plan) by_rank = lag_plan_new(algorithm, &wanted, &error);
        lag_seconds expected = 14 * (SAMPLE_LATENCY + 100 / SAMPLE_RATE);
        g_assert_cmpfloat_with_epsilon(run(topology, plan), expected, 1e-9 * expected);
        g_assert_cmpfloat(run(topology, by_rank), >, 1.5 * expected);
        wanted.values = best;
        wanted.order = NULL;
        g_assert_null(lag_plan_new(algorithm, &wanted, &error));
        g_assert_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT);
    }
    lag_ring_clear(&ring);
}

/* Some ranks of a ring of eight, told out of order: the best ring goes round as they sit, and
 * covers each link once: rank 2 is opposite to rank 6. */
static void some_ranks(void)
{
    static const uint32_t ranks[] = {6, 2, 4, 0}, opposite = 1;
    struct sample sample;
    struct lag_ring ring;

    sample_init(&sample, lag_topology_kind_find("ring"), 8);
    g_autoptr(lag_topology) topology = sample_build(&sample);
    lag_best_ring_find(&(struct lag_ring_members){topology, ranks, 4}, &ring);
    assert_order_of_all(&ring, 4);
    g_assert_cmpuint(ring.n_links, ==, 8);
    g_assert_true(ring.order[2] == opposite);
    lag_ring_clear(&ring);
    sample_clear(&sample);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/best-ring/against-all", against_all);
    g_test_add_func("/best-ring/dgx-1", dgx_1);
    g_test_add_func("/best-ring/torus", a_torus);
    g_test_add_func("/best-ring/unequal-links", unequal_links);
    g_test_add_func("/best-ring/some-ranks", some_ranks);
    g_test_add_func("/best-ring/plans", plans);
    return g_test_run();
}
