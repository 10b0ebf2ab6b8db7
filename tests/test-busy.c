/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lengths of unions of intervals, by hand and against counting. */
#include "sim/busy.h"
#include "tests/helpers.h"

/* Rank 0: [0, 2], [1, 3] and [5, 6] are 4 long; rank 2: [1, 9] covers [2, 3] and [4, 5]. */
static void by_hand(void)
{
    static const struct {
        uint32_t rank;
        struct lag_interval interval;
    } marks[] = {
        {2, {4, 5}},
        {0, {5, 6}},
        {0, {1, 3}},
        {2, {1, 9}},
        {0, {0, 2}},
        {2, {2, 3}}
    };
    struct lag_busy busy;
    lag_seconds total[3] = {0};

    lag_busy_init(&busy);
    for (size_t i = 0; i < G_N_ELEMENTS(marks); i++)
        lag_busy_add(&busy, marks[i].rank, marks[i].interval);
    lag_busy_sum(&busy, total);
    g_assert_cmpfloat(total[0], ==, 4);
    g_assert_cmpfloat(total[1], ==, 0);
    g_assert_cmpfloat(total[2], ==, 8);
    lag_busy_reset(&busy);
    lag_busy_sum(&busy, total);
    g_assert_cmpfloat(total[0], ==, 4);
    lag_busy_clear(&busy);
}

static void two(void)
{
    g_assert_cmpfloat(lag_busy_two((struct lag_interval){0, 2}, (struct lag_interval){1, 3}), ==,
                      3);
    g_assert_cmpfloat(lag_busy_two((struct lag_interval){0, 2}, (struct lag_interval){4, 5}), ==,
                      3);
    g_assert_cmpfloat(lag_busy_two((struct lag_interval){0, 9}, (struct lag_interval){4, 5}), ==,
                      9);
    g_assert_cmpfloat(lag_busy_two((struct lag_interval){0, 0}, (struct lag_interval){4, 5}), ==,
                      1);
}

/* Whole-numbered intervals against a row of unit cells. */
static void against_cells(void)
{
    g_autoptr(gsl_rng) rng = test_rng(22);

    for (int i = 0; i < 200; i++) {
        struct lag_busy busy;
        bool cell[4][50] = {{false}};
        lag_seconds total[4] = {0};
        lag_busy_init(&busy);
        for (uint32_t n = below(rng, 30); n > 0; n--) {
            uint32_t rank = below(rng, 4), from = below(rng, 50), to = from + below(rng, 50 - from);
            lag_busy_add(&busy, rank, (struct lag_interval){from, to});
            for (uint32_t c = from; c < to; c++)
                cell[rank][c] = true;
        }
        lag_busy_sum(&busy, total);
        for (uint32_t rank = 0; rank < 4; rank++) {
            uint32_t covered = 0;
            for (uint32_t c = 0; c < 50; c++)
                covered += cell[rank][c];
            g_assert_cmpfloat(total[rank], ==, covered);
        }
        lag_busy_clear(&busy);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/busy/by-hand", by_hand);
    g_test_add_func("/busy/two", two);
    g_test_add_func("/busy/against-cells", against_cells);
    return g_test_run();
}
