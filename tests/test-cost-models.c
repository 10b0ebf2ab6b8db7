/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every formula of StragglAR's cost model (arXiv 2505.23523 and its authors' simulation; the delay
 * D hides part of the reduce-scatter), over a grid of ranks, sizes, latencies and rates. c = S / (n
 * - 1), L = log2 n, exposed = completion - last arrival. Sizes are multiples of n and n - 1
 * elements, so that chunks are equal. */
#include "tests/helpers.h"

/* One point of the grid; the last rank is `delay` late. */
struct point {
    uint32_t n;
    lag_bytes size;
    lag_seconds a; /* latency */
    lag_rate rate;
    lag_seconds delay;
};

static double simulated(lag_plan *plan, const struct point *p)
{
    g_auto(test_bed) bed;

    bed_init(&bed, plan, p->size, p->rate, p->a);
    bed.network.fluid = true;
    bed.arrival[plan->n_ranks - 1] = p->delay;
    return bed_exposed(&bed);
}

static double wire(const struct point *p)
{
    return (double)p->size / p->rate;
}

/* T_RS = (n - 2) (a + c / B). */
static double hidden_part(const struct point *p)
{
    return (p->n - 2) * (p->a + wire(p) / (p->n - 1));
}

/* T_post = (n + L - 2) (a + c / B). */
static double after_arrival(const struct point *p)
{
    return (p->n + log2(p->n) - 2) * (p->a + wire(p) / (p->n - 1));
}

static double ring(const struct point *p)
{
    return 2 * (p->n - 1) * (p->a + wire(p) / p->n);
}

static double halving_doubling(const struct point *p)
{
    return 2 * log2(p->n) * p->a + 2 * (p->n - 1.0) / p->n * wire(p);
}

static void baselines(const struct point *p)
{
    double n = p->n;
    struct point fewer = *p;

    assert_near(simulated(named_plan("ring", LAGGARD_ALLREDUCE, p->n), p), ring(p), 1e-9);
    assert_near(simulated(named_plan("halving-doubling", LAGGARD_ALLREDUCE, p->n), p),
                halving_doubling(p), 1e-9);
    assert_near(simulated(named_plan("allpairs", LAGGARD_ALLREDUCE, p->n), p),
                2 * p->a + 2 * (n - 1) / n * wire(p), 1e-9);
    assert_near(simulated(named_plan("one-shot", LAGGARD_ALLREDUCE, p->n), p),
                p->a + (n - 1) * wire(p), 1e-9);
    fewer.n--;
    fewer.delay = 0;
    if (fewer.n > 1)
        assert_near(simulated(named_plan("ring", LAGGARD_REDUCE_SCATTER, fewer.n), &fewer),
                    hidden_part(p), 1e-9);
}

/* "Broadcast": the others' allreduce, 2 (n - 2) (a + c / B), hides in the delay; then a swap of
 * whole buffers and a binomial tree, L (a + S / B). */
static void swap_broadcast(const struct point *p)
{
    double before = 2 * hidden_part(p);

    assert_near(simulated(named_plan("swap-broadcast", LAGGARD_ALLREDUCE, p->n), p),
                fmax(0, before - p->delay) + log2(p->n) * (p->a + wire(p)), 1e-9);
}

/* exposed = max(0, T_RS - D) + T_post; with D = 0 that is T-. */
static void stragglar(const struct point *p)
{
    double n = p->n, expected = fmax(0, hidden_part(p) - p->delay) + after_arrival(p);

    assert_near(simulated(stragglar_plan(p->n, p->n - 1), p), expected, 1e-9);
    if (p->delay == 0)
        assert_near(expected,
                    (2 * (n - 2) + log2(n)) * p->a + (2 * (n - 2) + log2(n)) / (n - 1) * wire(p),
                    1e-9);
}

/* The delay from which on it beats ring: D* = (L - 2) a + (n L - 2) / (n (n - 1)) S / B; and
 * halving-doubling: (2 n - 4 - L) a + the same. At D* both take as long. */
static void break_even(const struct point *p)
{
    double n = p->n, l = log2(n), same = (n * l - 2) / (n * (n - 1)) * wire(p);
    struct point at = *p;

    at.delay = (l - 2) * p->a + same;
    if (at.delay >= 0 && at.delay < hidden_part(p))
        assert_near(simulated(stragglar_plan(p->n, p->n - 1), &at), ring(p), 1e-9);
    at.delay = (2 * n - 4 - l) * p->a + same;
    if (at.delay >= 0 && at.delay < hidden_part(p))
        assert_near(simulated(stragglar_plan(p->n, p->n - 1), &at), halving_doubling(p), 1e-9);
}

static void at_point(const struct point *p)
{
    const double parts[] = {0, 0.3, 1, 2};
    struct point late = *p;

    for (size_t d = 0; d < G_N_ELEMENTS(parts); d++) {
        late.delay = parts[d] * hidden_part(p);
        baselines(&late);
        swap_broadcast(&late);
        stragglar(&late);
    }
    break_even(p);
}

static void grid(void)
{
    static const uint32_t ranks[] = {2, 4, 8, 16, 32};
    static const lag_bytes units[] = {4, 4000, 1000000};
    static const lag_seconds latencies[] = {0, 0.7e-6, 3e-6, 1e-4};
    static const lag_rate rates[] = {1e9, 300e9, PAPER_RATE};

    for (size_t i = 0; i < G_N_ELEMENTS(ranks); i++)
        for (size_t s = 0; s < G_N_ELEMENTS(units); s++)
            for (size_t a = 0; a < G_N_ELEMENTS(latencies); a++)
                for (size_t r = 0; r < G_N_ELEMENTS(rates); r++) {
                    uint32_t n = ranks[i];
                    const struct point p = {n, units[s] * n * (n - 1), latencies[a], rates[r], 0};
                    at_point(&p);
                }
}

/* Other n, halving first where needed: 2 ceil(log2 n) a + 2 (1.5 - 2^-floor(log2 n)) S / B. */
static void halving_of_other_n(void)
{
    static const uint32_t ranks[] = {6, 12, 24, 48};
    static const lag_seconds latencies[] = {0, 0.7e-6, 1e-4};

    for (size_t i = 0; i < G_N_ELEMENTS(ranks); i++)
        for (size_t l = 0; l < G_N_ELEMENTS(latencies); l++) {
            double n = ranks[i], share = 1.5 - exp2(-floor(log2(n)));
            g_autoptr(GError) error = NULL;
            lag_plan *plan = plan_of("halving-doubling elimination=first",
                                     (struct laggard_request){.n_ranks = ranks[i]}, &error);
            g_assert_no_error(error);
            const struct point p = {ranks[i], 4000 * (lag_bytes)plan->n_chunks, latencies[l], 300e9,
                                    0};
            assert_near(simulated(plan, &p), 2 * ceil(log2(n)) * p.a + 2 * share * wire(&p), 1e-9);
        }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/cost-models/grid", grid);
    g_test_add_func("/cost-models/halving-of-other-n", halving_of_other_n);
    return g_test_run();
}
