/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The contract that every algorithm of the table keeps. No algorithm is named here, but in the
 * cases about the table itself; random instances are seeded. */
#include <string.h>

#include "algorithms/algorithms.h"
#include "sim/verify.h"
#include "tests/helpers.h"

#define ROUNDS_OF_RANDOM 60

/* One case of the contract: called for each algorithm, each of its collectives, many times. */
typedef void (*contract)(const struct laggard_algorithm *algorithm,
                         enum laggard_collective collective, gsl_rng *rng);

static void for_all(contract check, int repeat)
{
    g_autoptr(gsl_rng) rng = test_rng(7);

    for (size_t i = 0; lag_algorithms[i] != NULL; i++)
        for (unsigned c = 0; c < LAGGARD_N_COLLECTIVES; c++)
            for (int k = 0; k < repeat && (lag_algorithms[i]->collectives & LAGGARD_BIT(c)); k++)
                check(lag_algorithms[i], c, rng);
}

/* A random instance: ranks, root, size in elements (0 and fewer than chunks, too), network. */
static void bed_random(test_bed *bed, const struct laggard_algorithm *algorithm,
                       enum laggard_collective collective, gsl_rng *rng)
{
    uint32_t n = random_ranks(algorithm, collective, rng);
    lag_bytes elements = below(rng, 3) == 0 ? below(rng, 2 * n) : below(rng, 1 << 22);

    bed_init(bed, algorithm_plan(algorithm, collective, n, below(rng, n)), 4 * elements, 1, 1);
    bed_randomise(bed, rng);
}

/* Same input, same outcome, bit for bit; in another replayer as well. */
static void repeats(const struct laggard_algorithm *algorithm, enum laggard_collective collective,
                    gsl_rng *rng)
{
    g_auto(test_bed) bed;
    bed_random(&bed, algorithm, collective, rng);
    uint32_t n = bed.plan->n_ranks;

    bed_run(&bed);
    struct lag_outcome first = bed.outcome;
    g_autofree lag_seconds *done = g_memdup2(first.done, n * sizeof *done);
    g_autofree lag_seconds *busy = g_memdup2(first.busy, n * sizeof *busy);
    guint n_hops = first.path.hops->len;
    lag_replay_free(bed.replay);
    bed.replay = lag_replay_new();
    bed_run(&bed);
    g_assert_true(memcmp(done, bed.outcome.done, n * sizeof *done) == 0);
    g_assert_true(memcmp(busy, bed.outcome.busy, n * sizeof *busy) == 0);
    g_assert_true(memcmp(&first.path.shares, &bed.outcome.path.shares, sizeof first.path.shares) ==
                  0);
    g_assert_cmpuint(n_hops, ==, bed.outcome.path.hops->len);
    g_assert_cmpuint(first.n_messages, ==, bed.outcome.n_messages);
    g_assert_cmpuint(first.wire_bytes, ==, bed.outcome.wire_bytes);
    g_assert_cmpfloat(first.completion, ==, bed.outcome.completion);
}

static void test_repeats(void)
{
    for_all(repeats, ROUNDS_OF_RANDOM);
}

/* Where no link is shared (DESIGN section 3), a rank that comes later, a link that is slower or a
 * longer latency never lets anyone finish sooner. A plan that takes whoever is missing is another
 * plan when someone else is missing, and there the law holds only while it is the same one (with
 * unequal links: 4 ranks, rates 1 to 4 GB/s, can gain 1 % when another one is the last). */
static void never_helps(const struct laggard_algorithm *algorithm,
                        enum laggard_collective collective, gsl_rng *rng)
{
    g_auto(test_bed) bed;
    bed_random(&bed, algorithm, collective, rng);
    uint32_t n = bed.plan->n_ranks;

    bed.network.fluid = false;
    bed_run(&bed);
    g_autofree lag_seconds *done = g_memdup2(bed.outcome.done, n * sizeof *done);
    uint32_t last = bed.outcome.last_to_arrive, link = below(rng, bed.topology->n_links);
    switch (below(rng, 3)) {
    case 0:
        bed.arrival[below(rng, n)] += 1e-3 * gsl_rng_uniform(rng);
        break;
    case 1:
        bed.topology->links[link].rate *= 0.1 + 0.9 * gsl_rng_uniform(rng);
        break;
    default:
        bed.topology->links[link].latency += 1e-4 * gsl_rng_uniform(rng);
    }
    bed_run(&bed);
    if (lag_plan_is_gated(bed.plan) && bed.outcome.last_to_arrive != last)
        return;
    for (uint32_t rank = 0; rank < n; rank++)
        g_assert_cmpfloat(bed.outcome.done[rank], >=, done[rank] * (1 - 1e-14));
}

static void test_never_helps(void)
{
    for_all(never_helps, 10 * ROUNDS_OF_RANDOM);
}

/* All rates x k, all delays, latencies and overhead / k: all times / k; to rounding, of which there is
 * more where flows share links, each end of one being a change for the others. */
static void scales(const struct laggard_algorithm *algorithm, enum laggard_collective collective,
                   gsl_rng *rng)
{
    g_auto(test_bed) bed;
    bed_random(&bed, algorithm, collective, rng);
    double k = 0.01 + 100 * gsl_rng_uniform(rng);

    lag_seconds before = bed_run(&bed);
    lag_seconds first_done = bed.outcome.done[0], first_busy = bed.outcome.busy[0];
    for (uint32_t i = 0; i < bed.topology->n_links; i++) {
        bed.topology->links[i].rate *= k;
        bed.topology->links[i].latency /= k;
    }
    for (uint32_t rank = 0; rank < bed.plan->n_ranks; rank++)
        bed.arrival[rank] /= k;
    bed.network.overhead /= k;
    double rounding = lag_plan_is_one_port(bed.plan) ? 1e-12 : 1e-10;
    assert_near(bed_run(&bed), before / k, rounding);
    assert_near(bed.outcome.done[0], first_done / k, rounding);
    g_assert_cmpfloat(fabs(bed.outcome.busy[0] - first_busy / k), <=, rounding * before / k);
}

static void test_scales(void)
{
    for_all(scales, ROUNDS_OF_RANDOM);
}

/* The part of the buffer that some rank must send or receive, whatever the algorithm. For a
 * reduce-scatter or all-gather of E elements a rank lacks all but its own share of at most
 * ceil(E / n). Where a switch adds, a port carries the buffer once each way. */
static double needed_bytes(const test_bed *bed, lag_bytes size)
{
    uint32_t n = bed->plan->n_ranks;
    double share = 4 * ceil((double)size / 4 / n);

    if (n == 1)
        return 0;
    switch (bed->plan->collective) {
    case LAGGARD_ALLREDUCE:
        if (bed->plan->has_switch)
            return (double)size;
        return 2.0 * (n - 1) / n * (double)size; /* K10: Patarasuk, Yuan */
    case LAGGARD_BROADCAST:
    case LAGGARD_REDUCE_TO_ROOT:
        return (double)size;
    case LAGGARD_REDUCE_SCATTER:
    case LAGGARD_ALL_GATHER:
        return (double)size - share;
    case LAGGARD_N_COLLECTIVES:
        break;
    }
    g_assert_not_reached();
}

/* On ports that have their rate and no more (the fluid model, where a plan uses a port twice):
 * nothing ends before the bytes that must pass one port have passed, counted from the first arrival,
 * nor before the last arrival. No less than n - 1 buffers travel where each rank must get one, no
 * less than 2 (n - 1) in an allreduce. A byte on the wire keeps two ports busy, and a rank's ports
 * can both be busy at once, so the busy times sum to at least wire_bytes / rate. */
static void bounded(const struct laggard_algorithm *algorithm, enum laggard_collective collective,
                    gsl_rng *rng)
{
    uint32_t n = random_ranks(algorithm, collective, rng);
    lag_bytes size = 4 * (lag_bytes)below(rng, 1 << 22);
    double rate = 1e9, busy = 0;
    g_auto(test_bed) bed;

    bed_init(&bed, algorithm_plan(algorithm, collective, n, below(rng, n)), size, rate, 1e-6);
    bed.network.fluid = !lag_plan_is_one_port(bed.plan);
    for (uint32_t rank = 0; rank < n; rank++)
        bed.arrival[rank] = 1e-3 * gsl_rng_uniform(rng);
    lag_seconds first = bed.arrival[0], completion = bed_run(&bed);
    for (uint32_t rank = 0; rank < n; rank++) {
        first = fmin(first, bed.arrival[rank]);
        busy += bed.outcome.busy[rank];
        g_assert_cmpfloat(bed.outcome.done[rank], >=, bed.arrival[rank]);
        g_assert_cmpfloat(bed.outcome.busy[rank], <=, completion - bed.arrival[rank] + 1e-12);
    }
    g_assert_cmpfloat(completion, >=, first + needed_bytes(&bed, size) / rate * (1 - 1e-12));
    g_assert_cmpfloat(completion, >=, bed.outcome.last_arrival);
    g_assert_cmpuint(bed.outcome.wire_bytes, >=,
                     collective == LAGGARD_ALLREDUCE           ? 2 * (n - 1) * size
                     : laggard_collective_has_root(collective) ? (n - 1) * size
                                                               : (n - 1) * (size - size % (4 * n)));
    double on_ports = bed.plan->has_switch ? 0.5 : 1; /* a switch's own are none */
    g_assert_cmpfloat(busy, >=, on_ports * (double)bed.outcome.wire_bytes / rate * (1 - 1e-9));
}

static void test_bounded(void)
{
    for_all(bounded, ROUNDS_OF_RANDOM);
}

/* The plan is right (verify.h), and replay moves as many transfers as the proof counts. */
static void counts(const struct laggard_algorithm *algorithm, enum laggard_collective collective,
                   gsl_rng *rng)
{
    g_auto(test_bed) bed;
    struct lag_proof proof;
    g_autoptr(GError) error = NULL;

    bed_random(&bed, algorithm, collective, rng);
    bed_run(&bed);
    lag_verify(bed.plan, lag_plan_bind(bed.plan, 0), &proof, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(proof.n_transfers, ==, bed.outcome.n_messages);
}

static void test_counts(void)
{
    for_all(counts, 20);
}

/* Each entry of the table is complete, sorted, found by its name; its parameters have help, and
 * defaults that their own type takes. */
static void table(void)
{
    for (size_t i = 0; lag_algorithms[i] != NULL; i++) {
        const struct laggard_algorithm *a = lag_algorithms[i];
        uint32_t n = lag_algorithm_n_parameters(a);
        g_autofree double *values = g_new(double, n + 1);
        if (i > 0)
            g_assert_cmpstr(lag_algorithms[i - 1]->name, <, a->name);
        g_assert_true(lag_algorithm_find(a->name) == a);
        g_assert_true(a->summary[0] != '\0' && a->formula[0] != '\0' && a->source[0] != '\0');
        g_assert_true(a->collectives != 0 && a->collectives < LAGGARD_BIT(LAGGARD_N_COLLECTIVES));
        lag_algorithm_defaults(a, values);
        for (uint32_t k = 0; k < n; k++) {
            const struct laggard_parameter *p = &a->parameters[k];
            double value;
            g_assert_true(p->help[0] != '\0');
            g_assert_cmpint(lag_algorithm_parameter(a, p->name), ==, (int)k);
            if (p->default_text[0] == '\0')
                g_assert_cmpfloat(values[k], ==, LAGGARD_NONE);
            else if (lag_parameter_parse(p, p->default_text, 1 << 20, &value, NULL))
                g_assert_cmpfloat(values[k], ==, value);
            else
                g_error("%s: %s: bad default \"%s\"", a->name, p->name, p->default_text);
        }
        g_assert_cmpint(lag_algorithm_parameter(a, "no such parameter"), ==, -1);
    }
    g_assert_null(lag_algorithm_find("no such algorithm"));
    g_assert_null(lag_algorithm_find(""));
}

/* What an algorithm can't do is an input error that says what it can. */
static void needs(void)
{
    for (size_t i = 0; lag_algorithms[i] != NULL; i++)
        for (unsigned c = 0; c < LAGGARD_N_COLLECTIVES; c++) {
            const struct laggard_algorithm *a = lag_algorithms[i];
            bool does = a->collectives & LAGGARD_BIT(c);
            bool even_six = does && !(a->needs & LAGGARD_POWER_OF_TWO);
            g_autoptr(GError) error = NULL;
            g_assert_cmpint(lag_algorithm_accepts(a, c, 8, NULL), ==, does);
            g_assert_cmpint(lag_algorithm_accepts(a, c, 6, &error), ==, even_six);
            if (even_six)
                continue;
            g_autofree char *want =
                does ? g_strdup_printf("%s needs 2^k ranks, got 6", a->name)
                     : g_strdup_printf("%s does *, not %s", a->name, laggard_collective_name(c));
            g_assert_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT);
            g_assert_true(g_pattern_match_simple(want, error->message));
        }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/algorithms/repeats", test_repeats);
    g_test_add_func("/algorithms/never-helps", test_never_helps);
    g_test_add_func("/algorithms/scales", test_scales);
    g_test_add_func("/algorithms/bounded", test_bounded);
    g_test_add_func("/algorithms/counts", test_counts);
    g_test_add_func("/algorithms/table", table);
    g_test_add_func("/algorithms/needs", needs);
    return g_test_run();
}
