/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arrivals: in each step a rank arrives at compute x slowdown / speed + delay (DESIGN section 4). */
#include <string.h>

#include "sim/straggler.h"
#include "tests/helpers.h"

#define N_RANKS 4

#define LATE(effect_, law_, n_ranks_, ranks_)                                                      \
    {                                                                                              \
        .effect = (effect_), .law = (law_), .n_ranks = (n_ranks_), .ranks = (ranks_)               \
    }

static struct lag_law law(const char *name, double a, double b, double c)
{
    return (struct lag_law){
        .type = lag_law_type_find(name), .p = {a, b, c}
    };
}

static struct lag_law constant(double value)
{
    return law("constant", value, 0, 0);
}

static struct lag_law exponential(double mean)
{
    return law("exponential", mean, 0, 0);
}

static uint32_t all_ranks[] = {0, 1, 2, 3, 4, 5, 6, 7};

/* Fills arrival and compute of step `step` of a fresh job. */
static void arrivals_at(const struct lag_lateness *lateness, uint64_t seed, uint32_t step,
                        lag_seconds *arrival, lag_seconds *compute)
{
    g_autoptr(lag_arrivals) arrivals = lag_arrivals_new(lateness, seed, 0);

    for (uint32_t i = 0; i <= step; i++)
        lag_arrivals_next(arrivals, arrival, compute);
}

static void expect(const lag_seconds *got, const lag_seconds want[N_RANKS])
{
    for (uint32_t rank = 0; rank < N_RANKS; rank++)
        assert_near(got[rank], want[rank], 1e-15);
}

/* compute 3 s, speeds 1, 2, 1, 0.5; ranks 1 and 2 delayed by 0.25 s, rank 2 by 1 s more; rank 3
 * slowed down twice, 1.5 and 2 times:
 * 3 / 1 | 3 / 2 + 0.25 | 3 + 0.25 + 1 | 3 x 1.5 x 2 / 0.5. What it computed without a slow-down
 * is compute / speed. */
static void constants(void)
{
    const struct lag_straggler stragglers[] = {
        LATE(LAG_DELAY, constant(0.25), 2, &all_ranks[1]),
        LATE(LAG_SLOWDOWN, constant(1.5), 1, &all_ranks[3]),
        LATE(LAG_DELAY, constant(1), 1, &all_ranks[2]),
        LATE(LAG_SLOWDOWN, constant(2), 1, &all_ranks[3]),
    };
    const double speed[N_RANKS] = {1, 2, 1, 0.5};
    const struct lag_lateness lateness = {.n_ranks = N_RANKS,
                                          .compute = 3,
                                          .speed = speed,
                                          .n_stragglers = 4,
                                          .stragglers = stragglers,
                                          .trace = NULL};
    lag_seconds arrival[N_RANKS], compute[N_RANKS];

    for (uint32_t step = 0; step < 3; step++) {
        arrivals_at(&lateness, 1, step, arrival, compute);
        expect(arrival, (lag_seconds[]){3, 1.75, 4.25, 18});
        expect(compute, (lag_seconds[]){3, 1.5, 3, 6});
    }
}

/* Nobody is late and nothing is computed: all arrive at 0. */
static void nothing(void)
{
    const struct lag_lateness lateness = {.n_ranks = N_RANKS};
    lag_seconds arrival[N_RANKS], compute[N_RANKS];
    g_autoptr(lag_arrivals) arrivals = lag_arrivals_new(&lateness, 1, 0);

    lag_arrivals_next(arrivals, arrival, compute);
    expect(arrival, (lag_seconds[]){0, 0, 0, 0});
    g_assert_null(lag_arrivals_death(arrivals));
}

/* 10^6 exponential delays of mean m = 2 ms over 4 ranks: the mean's standard error is m / 1000;
 * the mean square, 2 m^2, has variance of x^2 = 24 m^4 - 4 m^4, so sqrt(20) m^2 / 1000. Both within
 * four. The ranks' means separately, and consecutive steps are uncorrelated. */
static void exponential_moments(void)
{
    enum {
        STEPS = 250000
    };
    const double m = 2e-3, n = (double)STEPS * N_RANKS;
    const struct lag_straggler straggler = LATE(LAG_DELAY, exponential(m), N_RANKS, all_ranks);
    const struct lag_lateness lateness = {.n_ranks = N_RANKS,
                                          .compute = 0,
                                          .speed = NULL,
                                          .n_stragglers = 1,
                                          .stragglers = &straggler,
                                          .trace = NULL};
    g_autoptr(lag_arrivals) arrivals = lag_arrivals_new(&lateness, 1, 0);
    lag_seconds arrival[N_RANKS], compute[N_RANKS], last = m;
    double sum[N_RANKS] = {0}, squares = 0, products = 0;

    for (uint32_t step = 0; step < STEPS; step++) {
        lag_arrivals_next(arrivals, arrival, compute);
        for (uint32_t rank = 0; rank < N_RANKS; rank++) {
            g_assert_true(arrival[rank] >= 0);
            sum[rank] += arrival[rank];
            squares += arrival[rank] * arrival[rank];
        }
        products += last * arrival[0];
        last = arrival[0];
    }
    g_assert_cmpfloat(fabs((sum[0] + sum[1] + sum[2] + sum[3]) / n - m), <, 4 * m / sqrt(n));
    g_assert_cmpfloat(fabs(squares / n - 2 * m * m), <, 4 * sqrt(20) * m * m / sqrt(n));
    for (uint32_t rank = 0; rank < N_RANKS; rank++)
        g_assert_cmpfloat(fabs(sum[rank] / STEPS - m), <, 4 * m / sqrt(STEPS));
    /* x y of independent x, y: mean m^2, variance 3 m^4 */
    g_assert_cmpfloat(fabs(products / STEPS - m * m), <, 4 * sqrt(3) * m * m / sqrt(STEPS));
}

/* An exponential slow-down multiplies the compute time, anew in each step. */
static void exponential_slowdown(void)
{
    const struct lag_straggler straggler = LATE(LAG_SLOWDOWN, exponential(3), 1, &all_ranks[2]);
    const struct lag_lateness lateness = {.n_ranks = N_RANKS,
                                          .compute = 5,
                                          .speed = NULL,
                                          .n_stragglers = 1,
                                          .stragglers = &straggler,
                                          .trace = NULL};
    struct lag_stream stream;
    g_autoptr(lag_arrivals) arrivals = lag_arrivals_new(&lateness, 11, 4);
    lag_seconds arrival[N_RANKS], compute[N_RANKS];

    lag_stream_init(&stream, 11, 4, LAG_PURPOSE_STRAGGLER, 0, 2);
    for (uint32_t step = 0; step < 5; step++) {
        double factor = lag_law_draw(&straggler.law, &stream.rng);
        lag_arrivals_next(arrivals, arrival, compute);
        expect(arrival, (lag_seconds[]){5, 5, 5 * factor, 5});
        g_assert_cmpfloat(compute[2], ==, fmin(5, 5 * factor));
    }
}

/* A trace's step s, rank r is row s, column r; it adds to what else makes a rank late. */
static void trace(void)
{
    lag_seconds measured[] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8};
    const struct lag_trace rows = {2, N_RANKS, measured};
    const struct lag_straggler straggler = LATE(LAG_DELAY, constant(1), 1, &all_ranks[1]);
    const struct lag_lateness alone = {.n_ranks = N_RANKS,
                                       .compute = 0,
                                       .speed = NULL,
                                       .n_stragglers = 0,
                                       .stragglers = NULL,
                                       .trace = &rows};
    const struct lag_lateness both = {.n_ranks = N_RANKS,
                                      .compute = 2,
                                      .speed = NULL,
                                      .n_stragglers = 1,
                                      .stragglers = &straggler,
                                      .trace = &rows};
    lag_seconds arrival[N_RANKS], compute[N_RANKS];

    arrivals_at(&alone, 1, 0, arrival, compute);
    expect(arrival, (lag_seconds[]){0.1, 0.2, 0.3, 0.4});
    arrivals_at(&alone, 1, 1, arrival, compute);
    expect(arrival, (lag_seconds[]){0.5, 0.6, 0.7, 0.8});
    arrivals_at(&both, 1, 1, arrival, compute);
    expect(arrival, (lag_seconds[]){2.5, 3.6, 2.7, 2.8});
}

/* A rank that dies before it arrives never does; the earlier of two deaths counts; a rank that
 * dies later arrives, and its death is told for the time after. */
static void death(void)
{
    const struct lag_straggler stragglers[] = {
        LATE(LAG_DEATH, constant(2), 2, &all_ranks[1]),
        LATE(LAG_DEATH, constant(0.5), 1, &all_ranks[2]),
    };
    const struct lag_lateness lateness = {.n_ranks = N_RANKS,
                                          .compute = 1,
                                          .speed = NULL,
                                          .n_stragglers = 2,
                                          .stragglers = stragglers,
                                          .trace = NULL};
    g_autoptr(lag_arrivals) arrivals = lag_arrivals_new(&lateness, 1, 0);
    lag_seconds arrival[N_RANKS], compute[N_RANKS];

    lag_arrivals_next(arrivals, arrival, compute);
    expect(arrival, (lag_seconds[]){1, 1, INFINITY, 1});
    expect(lag_arrivals_death(arrivals), (lag_seconds[]){INFINITY, 2, 0.5, INFINITY});
}

/* Common random numbers: what one rank draws for one entry depends on (seed, replication, entry,
 * rank) only. More ranks in the job, more ranks in the entry, an entry more at the end: all the
 * others' arrivals stay the same, bit for bit. */
static void common_random_numbers(void)
{
    const struct lag_straggler few[] = {LATE(LAG_DELAY, exponential(1), 4, all_ranks)};
    const struct lag_straggler more[] = {LATE(LAG_DELAY, exponential(1), 8, all_ranks),
                                         LATE(LAG_DELAY, exponential(5), 1, &all_ranks[6])};
    const struct lag_lateness small = {.n_ranks = 4,
                                       .compute = 0,
                                       .speed = NULL,
                                       .n_stragglers = 1,
                                       .stragglers = few,
                                       .trace = NULL};
    const struct lag_lateness large = {.n_ranks = 8,
                                       .compute = 0,
                                       .speed = NULL,
                                       .n_stragglers = 1,
                                       .stragglers = more,
                                       .trace = NULL};
    const struct lag_lateness larger = {.n_ranks = 8,
                                        .compute = 0,
                                        .speed = NULL,
                                        .n_stragglers = 2,
                                        .stragglers = more,
                                        .trace = NULL};
    lag_seconds a[8], b[8], c[8], compute[8];

    for (uint32_t step = 0; step < 10; step++) {
        arrivals_at(&small, 3, step, a, compute);
        arrivals_at(&large, 3, step, b, compute);
        arrivals_at(&larger, 3, step, c, compute);
        for (uint32_t rank = 0; rank < 8; rank++) {
            if (rank < 4)
                g_assert_cmpfloat(a[rank], ==, b[rank]);
            if (rank != 6)
                g_assert_cmpfloat(b[rank], ==, c[rank]);
        }
        g_assert_cmpfloat(b[6], <, c[6]);
    }
}

/* Another seed or replication is another job; the same is the same. */
static void seeds(void)
{
    const struct lag_straggler straggler = LATE(LAG_DELAY, exponential(1), N_RANKS, all_ranks);
    const struct lag_lateness lateness = {.n_ranks = N_RANKS,
                                          .compute = 0,
                                          .speed = NULL,
                                          .n_stragglers = 1,
                                          .stragglers = &straggler,
                                          .trace = NULL};
    lag_seconds a[N_RANKS], b[N_RANKS], compute[N_RANKS];
    g_autoptr(lag_arrivals) other = lag_arrivals_new(&lateness, 1, 1);

    arrivals_at(&lateness, 1, 0, a, compute);
    arrivals_at(&lateness, 1, 0, b, compute);
    g_assert_true(memcmp(a, b, sizeof a) == 0);
    arrivals_at(&lateness, 2, 0, b, compute);
    g_assert_cmpfloat(a[0], !=, b[0]);
    lag_arrivals_next(other, b, compute);
    g_assert_cmpfloat(a[0], !=, b[0]);
}

/* One draw for a node of two: its ranks are late by the same, other nodes by something else. The
 * stream is the node's, whichever of its ranks the entry names and in which order. */
static void correlated(void)
{
    static uint32_t few[] = {5, 2};
    struct lag_straggler all = LATE(LAG_DELAY, exponential(1), 8, all_ranks);
    struct lag_straggler some = LATE(LAG_DELAY, exponential(1), 2, few);
    const struct lag_lateness of_all = {
        .n_ranks = 8, .n_stragglers = 1, .stragglers = &all, .gpus_per_node = 2};
    const struct lag_lateness of_some = {
        .n_ranks = 8, .n_stragglers = 1, .stragglers = &some, .gpus_per_node = 2};
    lag_seconds a[8], b[8], compute[8];

    all.per_node = some.per_node = true;
    for (uint32_t step = 0; step < 20; step++) {
        arrivals_at(&of_all, 3, step, a, compute);
        arrivals_at(&of_some, 3, step, b, compute);
        for (uint32_t rank = 0; rank < 8; rank += 2) {
            g_assert_cmpfloat(a[rank], ==, a[rank + 1]);
            g_assert_cmpfloat(a[rank], !=, a[(rank + 2) % 8]);
        }
        g_assert_cmpfloat(b[5], ==, a[4]);
        g_assert_cmpfloat(b[2], ==, a[2]);
        g_assert_cmpfloat(b[4], ==, 0);
    }
}

/* Links: factors of several entries multiply, each rank has its own, arrivals don't change, and a
 * factor of 0 is bounded. Without such an entry there are none. */
static void links(void)
{
    const struct lag_straggler stragglers[] = {
        LATE(LAG_LINK_SLOWDOWN, constant(4), 2, &all_ranks[1]),
        LATE(LAG_LINK_SLOWDOWN, constant(1.5), 1, &all_ranks[2]),
        LATE(LAG_LINK_SLOWDOWN, constant(0), 1, &all_ranks[3]),
    };
    const struct lag_lateness lateness = {
        .n_ranks = N_RANKS, .compute = 1, .n_stragglers = 3, .stragglers = stragglers};
    const struct lag_lateness nothing = {.n_ranks = N_RANKS, .compute = 1};
    g_autoptr(lag_arrivals) arrivals = lag_arrivals_new(&lateness, 1, 0);
    g_autoptr(lag_arrivals) none = lag_arrivals_new(&nothing, 1, 0);
    lag_seconds arrival[N_RANKS], compute[N_RANKS];

    for (uint32_t step = 0; step < 3; step++) {
        lag_arrivals_next(arrivals, arrival, compute);
        expect(arrival, (lag_seconds[]){1, 1, 1, 1});
        expect(lag_arrivals_link_factors(arrivals), (double[]){1, 4, 6, LAG_LEAST_LINK_FACTOR});
    }
    g_assert_null(lag_arrivals_link_factors(none));
}

/* A random death: exponential with mean 3 s, once a job. Over 20,000 jobs of 4 ranks the mean is
 * within 4 standard errors, 3 / sqrt(80000); exp(-1/3) live longer than 1 s. The time of the job
 * runs on: after 0.5 s, all deaths are 0.5 s nearer. */
static void hazard(void)
{
    enum {
        JOBS = 20000
    };
    const struct lag_straggler straggler = LATE(LAG_DEATH, exponential(3), N_RANKS, all_ranks);
    const struct lag_lateness lateness = {
        .n_ranks = N_RANKS, .compute = 1, .n_stragglers = 1, .stragglers = &straggler};
    const double n = (double)JOBS * N_RANKS, alive = exp(-1.0 / 3);
    double sum = 0, n_alive = 0;

    for (uint32_t job = 0; job < JOBS; job++) {
        g_autoptr(lag_arrivals) arrivals = lag_arrivals_new(&lateness, 1, job);
        lag_seconds arrival[N_RANKS], compute[N_RANKS], before[N_RANKS];
        memcpy(before, lag_arrivals_death(arrivals), sizeof before);
        lag_arrivals_next(arrivals, arrival, compute);
        for (uint32_t rank = 0; rank < N_RANKS; rank++) {
            g_assert_true(isfinite(arrival[rank]) == (before[rank] >= 1));
            sum += before[rank];
            n_alive += before[rank] >= 1;
        }
        lag_arrivals_elapse(arrivals, 0.5);
        for (uint32_t rank = 0; rank < N_RANKS; rank++)
            g_assert_cmpfloat(lag_arrivals_death(arrivals)[rank], ==, before[rank] - 0.5);
    }
    g_assert_cmpfloat(fabs(sum / n - 3), <, 4 * 3 / sqrt(n));
    g_assert_cmpfloat(fabs(n_alive / n - alive), <, 4 * sqrt(alive * (1 - alive) / n));
}

/* Pareto up to index 2, alone or in a mixture, has no variance; as a time of death it is no part
 * of the times. */
static void variance(void)
{
    struct lag_law_part *parts = g_new0(struct lag_law_part, 2);
    struct lag_straggler stragglers[] = {
        LATE(LAG_DELAY, law("pareto", 2.1, 1, 0), 1, all_ranks),
        LATE(LAG_DEATH, law("pareto", 1.5, 1, 0), 1, all_ranks),
        {.effect = LAG_LINK_SLOWDOWN, .n_ranks = 1, .ranks = all_ranks},
    };
    struct lag_lateness lateness = {.n_ranks = 1, .n_stragglers = 2, .stragglers = stragglers};

    parts[0] = (struct lag_law_part){1, constant(1)};
    parts[1] = (struct lag_law_part){1e-3, law("pareto", 2, 1, 0)};
    lag_law_set_parts(&stragglers[2].law, parts, 2);
    g_assert_true(lag_lateness_has_variance(&lateness));
    lateness.n_stragglers = 3;
    g_assert_false(lag_lateness_has_variance(&lateness));
    stragglers[0].law.p[0] = 2;
    lateness.n_stragglers = 1;
    g_assert_false(lag_lateness_has_variance(&lateness));
    lag_law_clear(&stragglers[2].law);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/straggler/constants", constants);
    g_test_add_func("/straggler/nothing", nothing);
    g_test_add_func("/straggler/exponential-moments", exponential_moments);
    g_test_add_func("/straggler/exponential-slowdown", exponential_slowdown);
    g_test_add_func("/straggler/trace", trace);
    g_test_add_func("/straggler/death", death);
    g_test_add_func("/straggler/common-random-numbers", common_random_numbers);
    g_test_add_func("/straggler/seeds", seeds);
    g_test_add_func("/straggler/correlated", correlated);
    g_test_add_func("/straggler/links", links);
    g_test_add_func("/straggler/hazard", hazard);
    g_test_add_func("/straggler/variance", variance);
    return g_test_run();
}
