/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include <gsl/gsl_errno.h>

#include "results/late-law.h"
#include "tests/helpers.h"

static const uint64_t numbers[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};

/* Four steps of three ranks [ms]:
 *   10 12 15   rank 2 is last, gap 3, spread 5, lateness 0 2 5
 *   10 11 17   rank 2, gap 6, spread 7, lateness 0 1 7
 *    9 19 10   rank 1, gap 9, spread 10, lateness 0 10 1
 *   10 12 16   rank 2, gap 4, spread 6, lateness 0 2 6 */
static const double arrivals[] = {10, 12, 15, 10, 11, 17, 9, 19, 10, 10, 12, 16};
static const struct lag_measured four = {4, 3, numbers, arrivals, NULL};

static void test_by_hand(void)
{
    g_autoptr(lag_trace_stats) stats = lag_trace_stats_new(&four);
    const struct lag_rank_stats *ranks = stats->ranks;

    g_assert_cmpuint(stats->n_ties, ==, 0);
    g_assert_cmpuint(ranks[0].n_last, ==, 0);
    g_assert_cmpuint(ranks[1].n_last, ==, 1);
    g_assert_cmpuint(ranks[2].n_last, ==, 3);
    assert_near(ranks[2].share, 0.75, 1e-15);
    assert_near(stats->gap.mean, 22 / 4.0, 1e-15);
    assert_near(stats->gap.p50, 5, 1e-15);      /* 3 4 | 6 9 */
    assert_near(stats->gap.p25, 3.75, 1e-15);   /* 3 + 0.75 (4 - 3) */
    assert_near(stats->gap.sd, sqrt(7), 1e-15); /* (2.5^2 + 0.5^2 + 3.5^2 + 1.5^2) / 3 */
    assert_near(stats->spread.mean, 7, 1e-15);
    assert_near(ranks[1].lateness, 15 / 4.0, 1e-15);
    assert_near(ranks[2].lateness, 19 / 4.0, 1e-15);
    assert_near(ranks[0].wait, 7, 1e-15); /* last - own: 5 7 10 6 */
    assert_near(ranks[2].wait, 9 / 4.0, 1e-15);
    assert_near(ranks[2].gap.mean, 13 / 3.0, 1e-15);
    assert_near(ranks[1].gap.p50, 9, 1e-15);
    g_assert_true(isnan(ranks[0].gap.mean));
    g_assert_true(isnan(stats->idle));
}

/* Runs: 2 2, 1, 2. The shares are 1/4 and 3/4, so that two steps agree by chance with 10/16, and
 * a run would last 1 / (1 - 10/16) = 8/3. One of three pairs agrees: (1/3 - 5/8) / (3/8) = -7/9. */
static void test_runs(void)
{
    g_autoptr(lag_trace_stats) stats = lag_trace_stats_new(&four);

    g_assert_cmpuint(stats->n_runs, ==, 3);
    g_assert_cmpuint(stats->longest_run, ==, 2);
    assert_near(stats->mean_run, 4 / 3.0, 1e-15);
    assert_near(stats->expected_run, 8 / 3.0, 1e-15);
    assert_near(stats->last_correlation, -7 / 9.0, 1e-14);
    /* lateness of the first half 0 1.5 6, of the second 0 6 3.5: ranks 1 2 3 and 1 3 2 */
    assert_near(stats->halves, 0.5, 1e-15);
}

/* Wilson's interval of 49 in 49 is (1 / (1 + z^2 / 49), 1) = (0.9273, 1). */
static void test_interval(void)
{
    double late[98];
    uint64_t number[49];
    struct lag_measured trace = {49, 2, number, late, NULL};

    for (uint32_t i = 0; i < 49; i++) {
        number[i] = i;
        late[2 * i] = 1;
        late[2 * i + 1] = 2;
    }
    g_autoptr(lag_trace_stats) stats = lag_trace_stats_new(&trace);
    assert_near(stats->ranks[1].share_low, 1 / (1 + 1.959963984540054 * 1.959963984540054 / 49),
                1e-12);
    assert_near(stats->ranks[1].share_high, 1, 1e-12);
    g_assert_true(stats->ranks[1].persistent);
    g_assert_false(stats->ranks[0].persistent);
    g_assert_true(isnan(stats->last_correlation) && isinf(stats->expected_run));
}

/* Rank 1 is last in n_late of 49 steps, the others in turn. */
static bool is_persistent(uint32_t n_ranks, uint32_t n_late)
{
    g_autofree double *arrival = g_new0(double, 49 * (size_t)n_ranks);
    uint64_t number[49];
    const struct lag_measured trace = {49, n_ranks, number, arrival, NULL};

    for (uint32_t i = 0; i < 49; i++) {
        uint32_t other = i % (n_ranks - 1);
        number[i] = i;
        arrival[i * n_ranks + (i < n_late ? 1 : other + (other > 0))] = 1;
    }
    g_autoptr(lag_trace_stats) stats = lag_trace_stats_new(&trace);
    g_assert_cmpuint(stats->ranks[1].n_last, ==, n_late);
    return stats->ranks[1].persistent;
}

/* Wilson's lower bounds: of 2 ranks (z = 1.960) 31 of 49 is above 0.4927 and 32 above 0.5131; of 8
 * ranks (z = 2.498) 19 of 49 is above 0.2362 and 20 above 0.2530, where twice the chance is 0.25. */
static void test_persistent(void)
{
    g_assert_false(is_persistent(2, 31));
    g_assert_true(is_persistent(2, 32));
    g_assert_false(is_persistent(8, 19));
    g_assert_true(is_persistent(8, 20));
}

/* Steps in which the last two arrive together are nobody's and end runs. */
static void test_ties(void)
{
    static const double tied[] = {1, 2, 2, 1, 2, 3, 5, 5, 5, 1, 2, 3};
    const struct lag_measured trace = {4, 3, numbers, tied, NULL};
    g_autoptr(lag_trace_stats) stats = lag_trace_stats_new(&trace);

    g_assert_cmpuint(stats->n_ties, ==, 2);
    g_assert_cmpuint(stats->ranks[2].n_last, ==, 2);
    g_assert_cmpuint(stats->n_runs, ==, 2);
    g_assert_cmpuint(stats->longest_run, ==, 1);
    assert_near(stats->gap.mean, 0.5, 1e-15);
}

/* All arrive together, always: nothing is late, and nothing is NAN but what has no value. */
static void test_all_equal(void)
{
    static const double equal[] = {4, 4, 4, 4, 4, 4};
    const struct lag_measured trace = {3, 2, numbers, equal, NULL};
    g_autoptr(lag_trace_stats) stats = lag_trace_stats_new(&trace);
    g_autoptr(lag_late_laws) laws = lag_late_laws_new(&trace, stats);
    g_autoptr(GString) text = g_string_new(NULL);

    g_assert_cmpuint(stats->n_ties, ==, 3);
    g_assert_cmpuint(stats->n_runs, ==, 0);
    g_assert_cmpfloat(stats->gap.max, ==, 0);
    g_assert_true(laws->alike);
    lag_late_laws_print(laws, text);
    g_assert_cmpstr(text->str, ==, "stragglers: []\n");
    g_assert_cmpint(lag_trace_compare(&trace, &trace).cause, ==, LAG_CAUSE_NONE);
}

/* Rank 1 is late by 1, 3, 2, 4 in steps 0, 10, 20, 30: by least squares 0.08 a step from 1.3 on,
 * residuals -0.3 0.9 -0.9 0.3, whose squares sum to 1.8; the squares of the step numbers about 15
 * sum to 500. So the error is sqrt(1.8 / 2 / 500). No step is missing: the stride is 10. */
static void test_drift(void)
{
    static const uint64_t tens[] = {0, 10, 20, 30}, gaps[] = {0, 1, 5, 7};
    static const double late[] = {0, 1, 0, 3, 0, 2, 0, 4};
    struct lag_measured trace = {4, 2, tens, late, NULL};
    g_autoptr(lag_trace_stats) stats = lag_trace_stats_new(&trace);

    assert_near(stats->ranks[1].drift.slope, 0.08, 1e-14);
    assert_near(stats->ranks[1].drift.error, sqrt(1.8 / 2 / 500), 1e-14);
    g_assert_false(stats->ranks[1].drift.marked);
    g_assert_cmpuint(lag_trace_missing_steps(&trace), ==, 0);
    trace.step = gaps;
    g_assert_cmpuint(lag_trace_missing_steps(&trace), ==, 4); /* 2, 3, 4 and 6 */
}

/* Waits over durations of 10: in step 0 rank 0 waits 5 and rank 1 3, in step 1 rank 0 waits 7 and
 * rank 1 6, ...: shares 0.5 0.3 | 0.7 0.6 | 1.0 0.9 | 0.6 0.4. Who is last counts in no share. */
static void test_idle(void)
{
    double duration[12];
    struct lag_measured trace = four;

    for (int i = 0; i < 12; i++)
        duration[i] = 10;
    trace.duration = duration;
    g_autoptr(lag_trace_stats) stats = lag_trace_stats_new(&trace);
    assert_near(stats->idle, 5.0 / 8, 1e-14);
    assert_near(stats->idle_low, 0.4, 1e-14);
    assert_near(stats->idle_high, 0.95, 1e-14);
    assert_near(stats->ranks[0].idle, 2.8 / 4, 1e-14);
    assert_near(stats->ranks[2].idle, 0.9, 1e-14);
}

/* Twelve steps with spreads 1.0 1.1 1.0 1.1 ...: median 1.05, deviation 0.05, bound 1.45. With
 * 1.4 or 1.6 instead of the first 1.0 the median is 1.1, half of the deviations are 0 and half 0.1
 * or more: bound 1.5. With two large ones: median 1.1, deviation 0.1. */
static void test_warm_up(void)
{
    double late[24];
    struct lag_measured trace = {12, 2, numbers, late, NULL};

    for (int i = 0; i < 12; i++) {
        late[2 * i] = 0;
        late[2 * i + 1] = i % 2 == 0 ? 1.0 : 1.1;
    }
    g_assert_cmpuint(lag_trace_warm_up(&trace), ==, 0);
    late[7] = 50; /* not at the start */
    g_assert_cmpuint(lag_trace_warm_up(&trace), ==, 0);
    late[7] = 1.1;
    late[1] = 1.4;
    g_assert_cmpuint(lag_trace_warm_up(&trace), ==, 0);
    late[1] = 1.6;
    g_assert_cmpuint(lag_trace_warm_up(&trace), ==, 1);
    late[1] = 5;
    late[3] = 9;
    g_assert_cmpuint(lag_trace_warm_up(&trace), ==, 2);
    g_assert_cmpuint(lag_measured_after(&trace, 2).n_steps, ==, 10);
    trace.n_steps = 7; /* too few to tell */
    g_assert_cmpuint(lag_trace_warm_up(&trace), ==, 0);
}

/* The same lateness by both measurements is compute; none by compute is network. Half of it,
 * (l - l/2)^2 / l^2 = 1/4 left, is 75 % explained. */
static void test_cause(void)
{
    double half[12], none[12];
    struct lag_measured compute = four;

    for (int i = 0; i < 12; i++) {
        half[i] = arrivals[i] / 2;
        none[i] = 7;
    }
    struct lag_comparison same = lag_trace_compare(&four, &compute);
    g_assert_cmpint(same.cause, ==, LAG_CAUSE_COMPUTE);
    assert_near(same.correlation, 1, 1e-14);
    assert_near(same.explained, 1, 1e-14);
    g_assert_cmpuint(same.n_agree, ==, 4);
    assert_near(same.mean_gap, 5.5, 1e-14);
    compute.arrival = half;
    assert_near(lag_trace_compare(&four, &compute).explained, 0.75, 1e-14);
    compute.arrival = none;
    struct lag_comparison other = lag_trace_compare(&four, &compute);
    g_assert_cmpint(other.cause, ==, LAG_CAUSE_NETWORK);
    g_assert_true(isnan(other.correlation));
    g_assert_cmpuint(other.n_agree, ==, 0);
}

#define STEPS 4000
#define RANKS 6

/* Delays drawn from a block come back as that block: five ranks alike with exponential delays of
 * 1 ms, which have no memory, so that lateness behind the first has the same law, and a straggler
 * 20 ms later. Its delay counts from when the others' do: their smallest of five is 0.2 ms. */
static void test_laws(void)
{
    g_autoptr(gsl_rng) rng = test_rng(1);
    g_autofree double *arrival = g_new(double, STEPS *RANKS);
    g_autofree uint64_t *number = g_new(uint64_t, STEPS);
    const struct lag_law mild = {.type = lag_law_type_find("exponential"), .p = {1e-3}};
    const struct lag_law late = {
        .type = lag_law_type_find("normal"), .p = {20e-3, 1e-3}
    };
    const struct lag_measured trace = {STEPS, RANKS, number, arrival, NULL};

    for (uint32_t i = 0; i < STEPS * RANKS; i++) {
        number[i / RANKS] = i / RANKS;
        arrival[i] = 1 + lag_law_draw(i % RANKS == 3 ? &late : &mild, rng);
    }
    g_autoptr(lag_trace_stats) stats = lag_trace_stats_new(&trace);
    g_autoptr(lag_late_laws) laws = lag_late_laws_new(&trace, stats);
    g_assert_true(stats->ranks[3].persistent && laws->alike);
    g_assert_cmpuint(laws->n_entries, ==, 2);
    g_assert_cmpstr(laws->entries[0].law.type->name, ==, "exponential");
    g_assert_cmpfloat(fabs(laws->entries[0].law.p[0] - 1e-3), <, 3 * 1e-3 / sqrt(4 * STEPS));
    g_assert_cmpfloat(fabs(laws->origin - 0.2e-3), <, 0.01e-3);
    g_assert_cmpfloat(fabs(lag_law_mean(&laws->entries[1].law) - 20e-3), <, 0.1e-3);
    assert_near(laws->gap, stats->gap.mean, 0.01);
    assert_near(laws->spread, stats->spread.mean, 0.01);
}

/* What is printed is what a scenario takes. */
static void test_print(void)
{
    static const struct {
        const char *law;
        double p[2];
        const char *text;
    } laws[] = {
        {"constant",    {5e-3},          "5 ms"                                 },
        {"constant",    {0},             "0 s"                                  },
        {"normal",      {27.3e-3, 2e-6}, "{normal: {mean: 27.3 ms, sd: 2 us}}"  },
        {"log-normal",  {-4.5, 0.25},    "{log-normal: {mu: -4.5, sigma: 0.25}}"},
        {"exponential", {3e-10},         "{exponential: {mean: 0.3 ns}}"        },
        {"pareto",      {2, 100},        "{pareto: {index: 2, scale: 100 s}}"   },
    };
    uint32_t ranks[] = {0, 1, 2, 5, 6, 9};
    const struct lag_late late = {.n_ranks = 6, .ranks = ranks};
    g_autoptr(GString) text = g_string_new(NULL);

    for (size_t i = 0; i < G_N_ELEMENTS(laws); i++) {
        const struct lag_law law = {
            .type = lag_law_type_find(laws[i].law), .p = {laws[i].p[0], laws[i].p[1]}
        };
        g_string_truncate(text, 0);
        lag_late_print_law(&law, text);
        g_assert_cmpstr(text->str, ==, laws[i].text);
    }
    g_string_truncate(text, 0);
    lag_late_print_ranks(&late, text);
    g_assert_cmpstr(text->str, ==, "[0-2, 5, 6, 9]");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    gsl_set_error_handler_off();
    g_test_add_func("/trace-stats/by-hand", test_by_hand);
    g_test_add_func("/trace-stats/runs", test_runs);
    g_test_add_func("/trace-stats/interval", test_interval);
    g_test_add_func("/trace-stats/persistent", test_persistent);
    g_test_add_func("/trace-stats/ties", test_ties);
    g_test_add_func("/trace-stats/all-equal", test_all_equal);
    g_test_add_func("/trace-stats/drift", test_drift);
    g_test_add_func("/trace-stats/idle", test_idle);
    g_test_add_func("/trace-stats/warm-up", test_warm_up);
    g_test_add_func("/trace-stats/cause", test_cause);
    g_test_add_func("/trace-stats/laws", test_laws);
    g_test_add_func("/trace-stats/print", test_print);
    return g_test_run();
}
