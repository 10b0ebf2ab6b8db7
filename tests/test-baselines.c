/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The algorithms that StragglAR is compared with, against their closed forms and published
 * columns: spec/stragglar.md sections 2 and 3.1 (1 GiB, 3 us, 450 GiB/s), K07 and K08. */
#include "tests/helpers.h"

/* halving-doubling, with its parameter as a user writes it. */
static lag_plan *halving_doubling(uint32_t n, const char *elimination)
{
    const struct laggard_algorithm *algorithm = lag_algorithm_find("halving-doubling");
    double values[1];
    struct laggard_request request = {.n_ranks = n, .values = values};

    g_assert_true(lag_parameter_parse(&algorithm->parameters[0], elimination, n, values, NULL));
    return lag_plan_new(algorithm, &request, NULL);
}

/* Exposed time [s], with the last rank late by `delay`. The size is the multiple of 4 B and of the
 * chunks that is next to 1 GiB, so that all chunks are equal. */
static double exposed(lag_plan *plan, lag_seconds delay)
{
    g_auto(test_bed) bed;
    lag_bytes unit = 4 * (lag_bytes)plan->n_chunks;

    bed_init(&bed, plan, GIB / unit * unit, PAPER_RATE, PAPER_LAG);
    bed.arrival[plan->n_ranks - 1] = delay;
    return bed_exposed(&bed);
}

static lag_plan *allreduce(const char *name, uint32_t n)
{
    return named_plan(name, LAGGARD_ALLREDUCE, n);
}

/* Columns 3 and 4 of table 3.1: speed-up over ring, late enough to hide what can be hidden. Size
 * is rounded to whole chunks, so the ratio is true to the printed digits. */
static void table_31(void)
{
    static const struct {
        uint32_t n;
        double halving, broadcast;
    } rows[] = {
        {4,   1.0018, 0.7530},
        {8,   1.0061, 0.5888},
        {16,  1.0157, 0.4782},
        {32,  1.0360, 0.4037},
        {64,  1.0775, 0.3560},
        {128, 1.1617, 0.3320},
        {256, 1.3312, 0.3346},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        double ring = exposed(allreduce("ring", rows[i].n), 20e-3);
        assert_prints(ring / exposed(halving_doubling(rows[i].n, "odd"), 20e-3), rows[i].halving,
                      1e-4);
        assert_prints(ring / exposed(allreduce("swap-broadcast", rows[i].n), 20e-3),
                      rows[i].broadcast, 1e-4);
    }
}

/* "Other n" of section 3.1: the published formula 2 ceil(log2 n) a + 2 (1.5 - 2^-floor(log2 n)) S b
 * eliminates first; eliminating where a group is odd is faster for 3 x 2^k ranks. */
static void other_n(void)
{
    static const struct {
        uint32_t n;
        double over_ring;
    } published[] = {
        {6,   0.6699},
        {12,  0.6748},
        {24,  0.6850},
        {48,  0.7060},
        {96,  0.7483},
        {192, 0.8334}
    };

    for (size_t i = 0; i < G_N_ELEMENTS(published); i++) {
        uint32_t n = published[i].n;
        double first = exposed(halving_doubling(n, "first"), 0);
        assert_prints(exposed(allreduce("ring", n), 0) / first, published[i].over_ring, 1e-4);
        double rounds = ceil(log2(n)), share = 1.5 - 1 / exp2(floor(log2(n)));
        assert_near(first, 2 * rounds * PAPER_LAG + 2 * share * (double)GIB / PAPER_RATE, 1e-9);
        g_assert_cmpfloat(exposed(halving_doubling(n, "odd"), 0), <, first);
    }
    assert_prints(1e3 * exposed(halving_doubling(6, "first"), 0), 5.5736, 1e-4);
    assert_prints(1e3 * exposed(halving_doubling(6, "odd"), 0), 4.4624, 1e-4);
    assert_prints(1e3 * exposed(halving_doubling(192, "first"), 0), 6.6799, 1e-4);
    assert_prints(1e3 * exposed(halving_doubling(192, "odd"), 0), 4.4924, 1e-4);
}

/* Eliminating first makes pairs of 2^k ranks into triples; there are only so many pairs. */
static void first_has_limits(void)
{
    g_autoptr(GError) error = NULL;
    const struct laggard_algorithm *algorithm = lag_algorithm_find("halving-doubling");
    const double first = 1;
    struct laggard_request request = {.n_ranks = 7, .values = &first};

    g_assert_null(lag_plan_new(algorithm, &request, &error));
    g_assert_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT);
    g_assert_nonnull(strstr(error->message, "got 7 = 4 + 3"));
}

/* K07: 2 log2 n a + 2 (n - 1) / n S / B; K08: log2 n (a + S / B); n = 16, 20 us, 100 GB/s, 1 GiB. */
static void k07_k08(void)
{
    g_auto(test_bed) halving, doubling;

    bed_init(&halving, allreduce("halving-doubling", 16), GIB, 100e9, 20e-6);
    bed_init(&doubling, allreduce("recursive-doubling", 16), GIB, 100e9, 20e-6);
    assert_near(bed_run(&halving), 0.0202926592, 1e-9);
    assert_near(bed_run(&doubling), 0.04302967296, 1e-9);
}

/* With surplus ranks recursive doubling takes two whole buffers more. */
static void doubling_folds(void)
{
    double step = PAPER_LAG + (double)GIB / PAPER_RATE;

    for (uint32_t n = 2; n <= 33; n++) {
        double rounds = floor(log2(n)) + ((n & (n - 1)) != 0 ? 2 : 0);
        assert_near(exposed(allreduce("recursive-doubling", n), 0), rounds * step, 1e-9);
    }
}

/* Section 3.2: Broadcast takes 10.5212 ms at delay 0, which falls 1:1 to 6.6757 ms. In general
 * max(0, 2 (n - 2)(a + c b) - D) + log2 n (a + S b), c = S / (n - 1), for n = 2^k. (For other n
 * the last round may be one that only senders of the round before have a part in: they are free a
 * latency earlier than their peers.) */
static void swap_broadcast(void)
{
    assert_prints(1e3 * exposed(allreduce("swap-broadcast", 8), 0), 10.5212, 1e-4);
    assert_prints(1e3 * exposed(allreduce("swap-broadcast", 8), 1e-3), 9.5212, 1e-4);
    assert_prints(1e3 * exposed(allreduce("swap-broadcast", 8), 3.846e-3), 6.6757, 1e-4);
    assert_prints(1e3 * exposed(allreduce("swap-broadcast", 8), 9e-3), 6.6757, 1e-4);
    for (uint32_t n = 2; n <= 64; n *= 2) {
        lag_bytes unit = 4 * (lag_bytes)(n - 1);
        lag_bytes size = GIB / unit * unit;
        double beta = (double)size / PAPER_RATE;
        double before = 2 * (n - 2) * (PAPER_LAG + beta / (n - 1));
        double after = log2(n) * (PAPER_LAG + beta);
        assert_near(exposed(allreduce("swap-broadcast", n), 0), before + after, 1e-9);
        assert_near(exposed(allreduce("swap-broadcast", n), 1), after, 1e-9);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/baselines/table-3.1", table_31);
    g_test_add_func("/baselines/other-n", other_n);
    g_test_add_func("/baselines/first-has-limits", first_has_limits);
    g_test_add_func("/baselines/k07-k08", k07_k08);
    g_test_add_func("/baselines/doubling-folds", doubling_folds);
    g_test_add_func("/baselines/swap-broadcast", swap_broadcast);
    return g_test_run();
}
