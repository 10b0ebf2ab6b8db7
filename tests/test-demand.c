/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bytes by pair against the transfers of the plan, one by one. */
#include "sim/demand.h"
#include "tests/helpers.h"

static void check(const struct laggard_plan *plan, const struct lag_chunks *chunks)
{
    uint32_t n = lag_plan_n_positions(plan), n_pairs = 0;
    g_autofree lag_bytes *expected = g_new0(lag_bytes, (size_t)n * n);
    g_autoptr(GArray) list = g_array_new(FALSE, FALSE, sizeof(struct laggard_transfer));
    struct lag_demand demand;

    for (uint32_t lane = 0; lane < plan->n_lanes; lane++)
        for (uint32_t round = 0; round < plan->n_rounds; round++)
            lag_plan_round(plan, (struct lag_names){0, 0}, lane, round, list);
    for (guint i = 0; i < list->len; i++) {
        const struct laggard_transfer *t = &g_array_index(list, struct laggard_transfer, i);
        expected[(size_t)t->src * n + t->dst] +=
            lag_chunks_bytes(chunks, t->first_chunk, t->n_chunks);
    }
    for (size_t i = 0; i < (size_t)n * n; i++)
        n_pairs += expected[i] > 0;
    lag_demand_init(&demand, plan, chunks);
    g_assert_cmpuint(demand.pairs->len, ==, n_pairs);
    g_assert_cmpuint(demand.first_out[n], ==, n_pairs);
    g_assert_cmpuint(demand.first_in[n], ==, n_pairs);
    for (uint32_t p = 0; p < n; p++) {
        for (uint32_t i = demand.first_out[p]; i < demand.first_out[p + 1]; i++) {
            const struct lag_pair *pair = lag_pair_at(&demand, i);
            g_assert_cmpuint(pair->src, ==, p);
            g_assert_cmpuint(pair->bytes, ==, expected[(size_t)p * n + pair->dst]);
        }
        for (uint32_t i = demand.first_in[p]; i < demand.first_in[p + 1]; i++)
            g_assert_cmpuint(lag_pair_at(&demand, demand.in[i])->dst, ==, p);
    }
    lag_demand_clear(&demand);
}

/* All algorithms, with chunks of one size and of two. */
static void all_algorithms(void)
{
    g_autoptr(gsl_rng) rng = test_rng(5);

    for (size_t a = 0; lag_algorithms[a] != NULL; a++)
        for (unsigned c = 0; c < LAGGARD_N_COLLECTIVES; c++) {
            if (!(lag_algorithms[a]->collectives & LAGGARD_BIT(c)))
                continue;
            for (int i = 0; i < 12; i++) {
                uint32_t n = random_ranks(lag_algorithms[a], c, rng);
                g_autoptr(lag_plan) plan = algorithm_plan(lag_algorithms[a], c, n, 0);
                struct lag_chunks even =
                    lag_chunks_of((lag_bytes)plan->n_chunks * 8, 4, plan->n_chunks);
                struct lag_chunks uneven =
                    lag_chunks_of(4 * (lag_bytes)(1 + below(rng, 200)), 4, plan->n_chunks);
                check(plan, &even);
                check(plan, &uneven);
            }
        }
}

/* A ring of 4 sends 6 chunks to each neighbour. */
static void ring(void)
{
    g_autoptr(lag_plan) plan = named_plan("ring", LAGGARD_ALLREDUCE, 4);
    struct lag_chunks chunks = lag_chunks_of(16, 4, 4);
    struct lag_demand demand;

    lag_demand_init(&demand, plan, &chunks);
    g_assert_cmpuint(demand.pairs->len, ==, 4);
    for (uint32_t i = 0; i < 4; i++) {
        g_assert_cmpuint(lag_pair_at(&demand, i)->dst, ==, (i + 1) % 4);
        g_assert_cmpuint(lag_pair_at(&demand, i)->bytes, ==, 24);
    }
    lag_demand_clear(&demand);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/demand/ring", ring);
    g_test_add_func("/demand/all-algorithms", all_algorithms);
    return g_test_run();
}
