/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plans bound to ranks and cut into bytes; and for each algorithm of the table, that its answers
 * about one plan agree with each other. */
#include <string.h>

#include "sim/plan.h"
#include "tests/helpers.h"

/* 10 elements of 4 bytes in 4 chunks: 3, 3, 2, 2. Runs of chunks are sums of them. */
static void chunks_by_hand(void)
{
    struct lag_chunks map = lag_chunks_of(40, 4, 4);

    g_assert_cmpuint(lag_chunks_bytes(&map, 0, 1), ==, 12);
    g_assert_cmpuint(lag_chunks_bytes(&map, 1, 1), ==, 12);
    g_assert_cmpuint(lag_chunks_bytes(&map, 2, 1), ==, 8);
    g_assert_cmpuint(lag_chunks_bytes(&map, 3, 1), ==, 8);
    g_assert_cmpuint(lag_chunks_bytes(&map, 0, 4), ==, 40);
    g_assert_cmpuint(lag_chunks_bytes(&map, 1, 2), ==, 20);
    g_assert_cmpuint(lag_chunks_bytes(&map, 2, 2), ==, 16);
    g_assert_cmpuint(lag_chunks_bytes(&map, 1, 0), ==, 0);
}

/* spec/stragglar.md section 4: the authors' chunks drop a tail. Here none is lost: for every size,
 * element and number of chunks (more than elements, too) the chunks sum to the size, any run of
 * them is the sum of its parts, and two differ by one element at most, the longer ones first. */
static void chunks_lose_nothing(void)
{
    g_autoptr(gsl_rng) rng = test_rng(1);

    for (int i = 0; i < 2000; i++) {
        uint32_t element = 1u << below(rng, 4), n = 1 + below(rng, 70);
        lag_bytes size = (lag_bytes)below(rng, i % 2 ? 200 : UINT32_MAX) * element;
        struct lag_chunks map = lag_chunks_of(size, element, n);
        lag_bytes sum = 0, first = lag_chunks_bytes(&map, 0, 1), last = first;
        for (uint32_t c = 0; c < n; c++) {
            lag_bytes bytes = lag_chunks_bytes(&map, c, 1);
            g_assert_true(bytes % element == 0 && bytes <= last && first - bytes <= element);
            g_assert_cmpuint(lag_chunks_bytes(&map, 0, c), ==, sum);
            sum += bytes;
            last = bytes;
        }
        g_assert_cmpuint(sum, ==, size);
        g_assert_cmpuint(lag_chunks_bytes(&map, 0, n), ==, size);
    }
}

/* No 32-bit product anywhere: 2^40 elements of 8 bytes in 3 chunks. */
static void chunks_of_large_buffers(void)
{
    struct lag_chunks map = lag_chunks_of((lag_bytes)1 << 43, 8, 3);

    g_assert_cmpuint(lag_chunks_bytes(&map, 0, 1), ==, (((uint64_t)1 << 40) / 3 + 1) * 8);
    g_assert_cmpuint(lag_chunks_bytes(&map, 0, 3), ==, (uint64_t)1 << 43);
}

/* A swap of names is its own inverse and leaves the others alone. */
static void names(void)
{
    const struct lag_names swap = {7, 2}, none = {3, 3};

    for (uint32_t x = 0; x < 10; x++) {
        g_assert_cmpuint(lag_name(swap, lag_name(swap, x)), ==, x);
        g_assert_cmpuint(lag_name(swap, x), ==, x == 7 ? 2 : x == 2 ? 7 : x);
        g_assert_cmpuint(lag_name(none, x), ==, x);
    }
}

/* Who plays the late position: the rank that the plan names; else the one that is asked for; a
 * plan without a late position has none. */
static void binding(void)
{
    g_autoptr(lag_plan) named = stragglar_plan(8, 3);
    g_autoptr(lag_plan) open = stragglar_plan(8, LAGGARD_NONE);
    g_autoptr(lag_plan) ring = named_plan("ring", LAGGARD_ALLREDUCE, 8);

    g_assert_cmpuint(lag_name(lag_plan_bind(named, 5), named->late_position), ==, 3);
    g_assert_cmpuint(lag_name(lag_plan_bind(open, 5), open->late_position), ==, 5);
    for (uint32_t rank = 0; rank < 8; rank++)
        g_assert_cmpuint(lag_name(lag_plan_bind(ring, 5), rank), ==, rank);
    g_assert_false(lag_plan_is_gated(named));
    g_assert_true(lag_plan_is_gated(open));
    g_assert_false(lag_plan_is_gated(ring));
    g_assert_true(lag_plan_is_one_port(ring));
}

/* The swap of names reaches every transfer: what rank x does under the swap {a, b} is what its
 * position does, told in ranks. */
static void steps_under_a_swap(void)
{
    g_autoptr(lag_plan) plan = stragglar_plan(8, 2);
    struct lag_names swap = lag_plan_bind(plan, 0), none = {0, 0};
    struct laggard_step a = lag_step_new(plan), b = lag_step_new(plan);

    for (uint32_t round = 0; round < plan->n_rounds; round++)
        for (uint32_t rank = 0; rank < 8; rank++) {
            lag_plan_step(plan, swap, 0, rank, round, &a);
            lag_plan_step(plan, none, 0, lag_name(swap, rank), round, &b);
            g_assert_cmpuint(a.n_sends, ==, b.n_sends);
            g_assert_cmpuint(a.n_recvs, ==, b.n_recvs);
            for (uint32_t i = 0; i < a.n_sends; i++) {
                g_assert_cmpuint(a.sends[i].src, ==, rank);
                g_assert_cmpuint(a.sends[i].dst, ==, lag_name(swap, b.sends[i].dst));
                g_assert_cmpuint(a.sends[i].first_chunk, ==, b.sends[i].first_chunk);
            }
        }
    lag_step_clear(&a);
    lag_step_clear(&b);
}

static bool contains(const GArray *list, const struct laggard_transfer *transfer)
{
    for (guint i = 0; i < list->len; i++)
        if (memcmp(&g_array_index(list, struct laggard_transfer, i), transfer, sizeof *transfer) ==
            0)
            return true;
    return false;
}

/* round() lists each send of each rank's step(), and each is its peer's receive; nothing else. */
static void check_rounds(const struct laggard_plan *plan)
{
    g_autoptr(GArray) list = g_array_new(FALSE, FALSE, sizeof(struct laggard_transfer));
    struct laggard_step step = lag_step_new(plan);
    struct lag_names names = lag_plan_bind(plan, 0);

    for (uint32_t lane = 0; lane < plan->n_lanes; lane++)
        for (uint32_t round = 0; round < plan->n_rounds; round++) {
            uint32_t n_sends = 0, n_recvs = 0;
            g_array_set_size(list, 0);
            lag_plan_round(plan, names, lane, round, list);
            for (uint32_t rank = 0; rank < lag_plan_n_positions(plan); rank++) {
                lag_plan_step(plan, names, lane, rank, round, &step);
                for (uint32_t i = 0; i < step.n_sends; i++)
                    g_assert_true(step.sends[i].src == rank && contains(list, &step.sends[i]));
                for (uint32_t i = 0; i < step.n_recvs; i++)
                    g_assert_true(step.recvs[i].dst == rank && contains(list, &step.recvs[i]));
                n_sends += step.n_sends;
                n_recvs += step.n_recvs;
            }
            g_assert_cmpuint(n_sends, ==, list->len);
            g_assert_cmpuint(n_recvs, ==, list->len);
        }
    lag_step_clear(&step);
}

static uint32_t peer_of(const struct laggard_pattern *pattern, uint32_t i)
{
    return pattern->shape == LAGGARD_SHIFT ? (i + pattern->hop) % pattern->count : i ^ pattern->hop;
}

/* Where a round is a pattern, the ranks in it do that move, and the others nothing. */
static void check_patterns(const struct laggard_plan *plan)
{
    struct laggard_step step = lag_step_new(plan);
    struct laggard_pattern p;
    struct lag_names none = {0, 0};

    for (uint32_t round = 0; plan->ops->pattern != NULL && round < plan->n_rounds; round++) {
        if (!plan->ops->pattern(plan, 0, round, &p))
            continue;
        for (uint32_t rank = 0; rank < lag_plan_n_positions(plan); rank++) {
            bool takes_part = rank >= p.first && rank < p.first + p.count;
            lag_plan_step(plan, none, 0, rank, round, &step);
            g_assert_cmpuint(step.n_sends, ==, takes_part);
            g_assert_cmpuint(step.n_recvs, ==, takes_part);
            if (!takes_part)
                continue;
            g_assert_cmpuint(step.sends[0].dst, ==, p.first + peer_of(&p, rank - p.first));
            g_assert_cmpuint(step.sends[0].n_chunks, ==, p.n_chunks);
            if (p.shape == LAGGARD_SHIFT)
                g_assert_cmpuint(step.sends[0].first_chunk, ==,
                                 (rank - p.first + p.offset) % plan->n_chunks);
        }
    }
    lag_step_clear(&step);
}

/* For every algorithm, collective and number of ranks up to 20 that it accepts. */
static void all_algorithms(void)
{
    for (size_t i = 0; lag_algorithms[i] != NULL; i++)
        for (unsigned c = 0; c < LAGGARD_N_COLLECTIVES; c++)
            for (uint32_t n = 1; n <= 20; n++) {
                if (!lag_algorithm_accepts(lag_algorithms[i], c, n, NULL))
                    continue;
                g_autoptr(lag_plan) plan = algorithm_plan(lag_algorithms[i], c, n, n / 2);
                check_rounds(plan);
                check_patterns(plan);
            }
}

/* spec/stragglar.md 3.3: chunks are the smallest multiple strictly over floor(s / (n - 1)). n = 8:
 * 1 GiB becomes 1,073,744,896 B (1 KiB) or 1,073,766,400 B (4 KiB), 256 KiB becomes 265,216 or
 * 286,720. A size that is a multiple itself gets one more; no bytes stay none. */
static void padding(void)
{
    static const struct {
        lag_bytes size;
        uint32_t padding;
        lag_bytes padded;
    } rows[] = {
        {GIB,    1024, 1073744896},
        {GIB,    4096, 1073766400},
        {262144, 1024, 265216    },
        {262144, 4096, 286720    },
        {7168,   1024, 14336     },
        {4,      4096, 28672     },
        {0,      4096, 0         },
        {28,     0,    28        },
    };

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(lag_plan) plan = stragglar_plan(8, 7);
        plan->padding = rows[i].padding;
        struct lag_chunks chunks = lag_plan_chunks(plan, rows[i].size, 4);
        g_assert_cmpuint(lag_chunks_bytes(&chunks, 0, 7), ==, rows[i].padded);
        g_assert_cmpuint(lag_chunks_bytes(&chunks, 6, 1), ==, rows[i].padded / 7);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/plan/chunks-by-hand", chunks_by_hand);
    g_test_add_func("/plan/chunks-lose-nothing", chunks_lose_nothing);
    g_test_add_func("/plan/chunks-of-large-buffers", chunks_of_large_buffers);
    g_test_add_func("/plan/names", names);
    g_test_add_func("/plan/binding", binding);
    g_test_add_func("/plan/steps-under-a-swap", steps_under_a_swap);
    g_test_add_func("/plan/all-algorithms", all_algorithms);
    g_test_add_func("/plan/padding", padding);
    return g_test_run();
}
