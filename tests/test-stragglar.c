/* SPDX-License-Identifier: GPL-3.0-or-later */
/* StragglAR: the authors' schedules, and the published numbers of spec/stragglar.md ("section").
 * Times are on the authors' constants: 1 GiB, 450 GiB/s, 3 us; what is printed there must come out
 * to the last digit. With -m slow: the largest sizes only. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/helpers.h"

static void bed_paper(test_bed *bed, lag_plan *plan)
{
    bed_init(bed, plan, GIB, PAPER_RATE, PAPER_LAG);
}

static lag_plan *ring(uint32_t n)
{
    return named_plan("ring", LAGGARD_ALLREDUCE, n);
}

/* Exposed time of n ranks of which `late` comes `delay` after all others, in ms. */
static double exposed_ms(lag_plan *plan, uint32_t late, lag_seconds delay)
{
    g_auto(test_bed) bed;

    bed_paper(&bed, plan);
    bed.arrival[late] = delay;
    return 1e3 * bed_exposed(&bed);
}

static int compare_senders(const void *a, const void *b)
{
    const struct laggard_transfer *x = a, *y = b;

    return (x->src > y->src) - (x->src < y->src);
}

static uint64_t fnv1a(uint64_t hash, const char *text)
{
    for (; *text != '\0'; text++)
        hash = (hash ^ (unsigned char)*text) * 0x100000001b3;
    return hash;
}

/* The fingerprint of the rounds after the arrival, as the golden file's head describes it. */
static uint64_t fingerprint(const struct laggard_plan *plan, uint32_t *ret_transfers)
{
    g_autoptr(GArray) list = g_array_new(FALSE, FALSE, sizeof(struct laggard_transfer));
    struct lag_names names = {0, 0};
    uint64_t hash = 0xcbf29ce484222325;

    *ret_transfers = 0;
    for (uint32_t r = plan->n_rounds_before; r < plan->n_rounds; r++) {
        g_array_set_size(list, 0);
        lag_plan_round(plan, names, 0, r, list);
        qsort(list->data, list->len, sizeof(struct laggard_transfer), compare_senders);
        *ret_transfers += list->len;
        for (guint i = 0; i < list->len; i++) {
            const struct laggard_transfer *t = &g_array_index(list, struct laggard_transfer, i);
            char line[64];
            snprintf(line, sizeof line, "%u %u %u %u %c\n", r - plan->n_rounds_before, t->src,
                     t->dst, t->first_chunk, t->kind == LAGGARD_REDUCE ? 'P' : 'F');
            hash = fnv1a(hash, line);
        }
    }
    return hash;
}

/* Section 1.4: the schedules for N = 2 .. 512 are the authors' (N >= 8: equal to their synthesizer
 * round for round). Rounds after the arrival n + L - 2, before it n - 2; transfers after it
 * 2 (n - 1) partial and (n - 1)(n - 2) finished. */
static void golden(void)
{
    const char *root = g_getenv("LAGGARD_SOURCE_ROOT");
    g_autofree char *path =
        g_build_filename(root != NULL ? root : ".", "tests", "golden", "stragglar.txt", NULL);
    g_autofree char *text = NULL;
    g_autoptr(GError) error = NULL;
    uint32_t n_lines = 0;

    g_file_get_contents(path, &text, NULL, &error);
    g_assert_no_error(error);
    g_auto(GStrv) lines = g_strsplit(text, "\n", 0);
    for (size_t i = 0; lines[i] != NULL; i++) {
        uint32_t n, rounds, transfers, got_transfers;
        unsigned long long hash;
        if (sscanf(lines[i], "%u %u %u %llx", &n, &rounds, &transfers, &hash) != 4)
            continue;
        g_autoptr(lag_plan) plan = stragglar_plan(n, n - 1);
        g_assert_cmphex(fingerprint(plan, &got_transfers), ==, hash);
        g_assert_cmpuint(got_transfers, ==, transfers);
        g_assert_cmpuint(transfers, ==, 2 * (n - 1) + (n - 1) * (n - 2));
        g_assert_cmpuint(plan->n_rounds - plan->n_rounds_before, ==, rounds);
        g_assert_cmpuint(plan->n_rounds_before, ==, n - 2);
        g_assert_cmpuint(rounds, ==, n + g_bit_storage(n - 1) - 2);
        n_lines++;
    }
    g_assert_cmpuint(n_lines, ==, 9);
}

/* Section 3.1, columns of StragglAR and ring. T_post: the exposed time when all is hidden; with
 * nothing hidden it is T_RS longer. It falls 1:1 with the delay, so both algorithms are equal where
 * the delay makes up for the difference that they have without one. */
static void table_3_1(void)
{
    static const struct {
        uint32_t n;
        double speedup, t_rs, t_post, ring, worst_ratio, break_even;
    } rows[] = {
        {4,   1.1265, 1.4875, 2.9750, 3.3513, 0.7510, 1.1111},
        {8,   1.3629, 1.9228, 2.8841, 3.9309, 0.8178, 0.8760},
        {16,  1.5646, 2.1161, 2.7207, 4.2567, 0.8801, 0.5801},
        {32,  1.7183, 2.2405, 2.6140, 4.4916, 0.9252, 0.3629},
        {64,  1.8263, 2.3729, 2.6026, 4.7530, 0.9553, 0.2225},
        {128, 1.8970, 2.5827, 2.7262, 5.1717, 0.9742, 0.1372},
        {256, 1.9409, 2.9755, 3.0692, 5.9571, 0.9855, 0.0876},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        uint32_t n = rows[i].n;
        double hidden = exposed_ms(stragglar_plan(n, n - 1), n - 1, 1);
        double worst = exposed_ms(stragglar_plan(n, n - 1), n - 1, 0);
        double ring_ms = exposed_ms(ring(n), n - 1, 1);
        double even = exposed_ms(stragglar_plan(n, n - 1), n - 1, (worst - ring_ms) * 1e-3);
        assert_prints(hidden, rows[i].t_post, 1e-4);
        assert_prints(worst - hidden, rows[i].t_rs, 1e-4);
        assert_prints(ring_ms, rows[i].ring, 1e-4);
        assert_prints(ring_ms / hidden, rows[i].speedup, 1e-4);
        assert_prints(ring_ms / worst, rows[i].worst_ratio, 1e-4);
        assert_prints(worst - ring_ms, rows[i].break_even, 1e-4);
        assert_near(even, ring_ms, 1e-9);
        assert_near(exposed_ms(ring(n), 0, 0), ring_ms, 1e-9);
    }
}

/* Section 3.2: n = 8, exposed ms by delay; the ring's 3.9309 ms don't depend on it. TC4 of
 * spec/user-cases.md is the last line, counted from the start. */
static void table_3_2(void)
{
    static const struct {
        double delay, exposed, ratio;
    } rows[] = {
        {0,      4.8069, 0.818},
        {0.25,   4.5569, 0.863},
        {0.5,    4.3069, 0.913},
        {0.876,  3.9309, 1.000},
        {1.0,    3.8069, 1.033},
        {1.5,    3.3069, 1.189},
        {1.9229, 2.8841, 1.363},
        {5,      2.8841, 1.363},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        double exposed = exposed_ms(stragglar_plan(8, 7), 7, rows[i].delay * 1e-3);
        double ring_ms = exposed_ms(ring(8), 7, rows[i].delay * 1e-3);
        assert_prints(exposed, rows[i].exposed, 1e-4);
        assert_prints(ring_ms, 3.9309, 1e-4);
        assert_prints(ring_ms / exposed, rows[i].ratio, 1e-3);
    }
    g_auto(test_bed) late, late_ring;
    bed_paper(&late, stragglar_plan(8, 7));
    bed_paper(&late_ring, ring(8));
    late.arrival[7] = late_ring.arrival[7] = 5e-3;
    assert_prints(bed_run(&late) * 1e6, 5000 + 2884.1, 0.1);
    assert_prints(bed_run(&late_ring) * 1e6, 5000 + 3930.9, 0.1);
}

/* Section 5, wrong rank: the plan holds 7 for late, another one is. Then the pre-phase has the late
 * one in it and nothing is hidden: T- = 4.8069 ms at any delay. The assumed one coming first of all
 * (it can't come before 0, so the others come late) changes nothing. */
static void wrong_rank(void)
{
    static const double delays[] = {0, 1, 2, 5};

    for (size_t i = 0; i < G_N_ELEMENTS(delays); i++) {
        for (uint32_t late = 0; late < 7; late++)
            assert_prints(exposed_ms(stragglar_plan(8, 7), late, delays[i] * 1e-3), 4.8069, 1e-4);
        assert_prints(exposed_ms(ring(8), 3, delays[i] * 1e-3), 3.9309, 1e-4);
    }
    g_auto(test_bed) first;
    bed_paper(&first, stragglar_plan(8, 7));
    for (uint32_t rank = 0; rank < 7; rank++)
        first.arrival[rank] = 3e-3;
    assert_prints(bed_exposed(&first) * 1e3, 4.8069, 1e-4);
}

/* Section 5, two late ranks: only the gap between them is of use. */
static void two_late_ranks(void)
{
    static const struct {
        double gap, exposed;
    } rows[] = {
        {0,     4.8069},
        {1,     3.8069},
        {1.5,   3.3069},
        {1.923, 2.8841},
        {4,     2.8841}
    };

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
        for (uint32_t second = 0; second < 7; second++) {
            g_auto(test_bed) bed;
            bed_paper(&bed, stragglar_plan(8, 7));
            bed.arrival[second] = 2e-3;
            bed.arrival[7] = 2e-3 + rows[i].gap * 1e-3;
            assert_prints(bed_exposed(&bed) * 1e3, rows[i].exposed, 1e-4);
        }
}

/* Section 5, slow link, with the values of DESIGN section 3 (a rank that only sends is free one
 * latency before its peer): both directions of one port at half the rate, rank 7 late by 100 ms.
 * On the straggler 5.7383 ms, on rank 3 5.4208, on rank 6 5.1064. Ring 7.8198 wherever it is, if all
 * come together; if not, the wave of the late one first has to reach the slow link. */
static void slow_links(void)
{
    static const struct {
        uint32_t slow;
        double exposed;
    } rows[] = {
        {7, 5.7383},
        {3, 5.4208},
        {6, 5.1064}
    };

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_auto(test_bed) bed, other;
        bed_paper(&bed, stragglar_plan(8, 7));
        bed_set_port(&bed, rows[i].slow, PAPER_RATE / 2);
        bed.arrival[7] = 0.1;
        assert_prints(bed_exposed(&bed) * 1e3, rows[i].exposed, 1e-4);
        bed_paper(&other, ring(8));
        bed_set_port(&other, rows[i].slow, PAPER_RATE / 2);
        assert_prints(bed_exposed(&other) * 1e3, 7.8198, 1e-4);
    }
}

/* Section 5, n = 1: nothing to do. n = 2: no pre-phase, one swap of the whole buffer, a + S/B; the
 * ring takes 2 a + S/B; the delay is irrelevant. */
static void smallest(void)
{
    const double wire = 1e3 / 450; /* 1 GiB [ms] */

    for (int delay = 0; delay < 3; delay++) {
        g_assert_cmpfloat(exposed_ms(stragglar_plan(1, LAGGARD_NONE), 0, delay), ==, 0);
        assert_near(exposed_ms(stragglar_plan(2, 1), 1, delay), 0.003 + wire, 1e-9);
        assert_near(exposed_ms(stragglar_plan(2, LAGGARD_NONE), 0, delay), 0.003 + wire, 1e-9);
        assert_near(exposed_ms(ring(2), 1, delay), 0.006 + wire, 1e-9);
    }
}

/* Whoever is missing: where the others come together, the plan that waits to see takes the same
 * time, for each rank, as the one that knew. Its gate opens with the last of the others, so where
 * they don't come together it is never faster. */
static void whoever_is_missing(void)
{
    g_autoptr(gsl_rng) rng = test_rng(1);

    for (int i = 0; i < 200; i++) {
        uint32_t n = 2u << below(rng, 4), late = below(rng, n);
        g_auto(test_bed) knows, waits;
        bed_paper(&knows, stragglar_plan(n, late));
        bed_paper(&waits, stragglar_plan(n, LAGGARD_NONE));
        knows.arrival[late] = waits.arrival[late] = 1e-6 + 3e-3 * gsl_rng_uniform(rng);
        bed_run(&knows);
        bed_run(&waits);
        for (uint32_t rank = 0; rank < n; rank++)
            g_assert_cmpfloat(waits.outcome.done[rank], ==, knows.outcome.done[rank]);
        for (uint32_t rank = 0; rank < n; rank++)
            if (rank != late)
                knows.arrival[rank] = waits.arrival[rank] =
                    knows.arrival[late] * gsl_rng_uniform(rng);
        g_assert_cmpfloat(bed_run(&knows), <=, bed_run(&waits) * (1 + 1e-12));
    }
}

/* All ranks at once: somebody must be taken for late, and nothing is hidden. */
static void nobody_is_missing(void)
{
    assert_prints(exposed_ms(stragglar_plan(8, LAGGARD_NONE), 0, 0), 4.8069, 1e-4);
}

/* N = 1024, by the formulas of section 2: T_post = (n + L - 2)(a + c), T_RS = (n - 2)(a + c), the
 * largest chunk charged (to 4e-6: one element of a chunk); ring 2 (n - 1)(a + S / (n B)). */
static void size_1024(void)
{
    const uint32_t n = 1024;
    const double chunk = 4.0 * ceil((double)GIB / 4 / (n - 1));
    const double round_ms = 1e3 * (PAPER_LAG + chunk / PAPER_RATE);
    const double ring_ms = 1e3 * 2 * (n - 1) * (PAPER_LAG + (double)GIB / n / PAPER_RATE);

    assert_near(exposed_ms(stragglar_plan(n, n - 1), n - 1, 1), (n + 10 - 2) * round_ms, 4e-6);
    assert_near(exposed_ms(stragglar_plan(n, 5), 5, 0), (2 * (n - 2) + 10) * round_ms, 4e-6);
    assert_near(exposed_ms(ring(n), n - 1, 1), ring_ms, 1e-9);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    if (g_test_slow()) {
        g_test_add_func("/stragglar/size-1024", size_1024);
        return g_test_run();
    }
    g_test_add_func("/stragglar/golden", golden);
    g_test_add_func("/stragglar/table-3-1", table_3_1);
    g_test_add_func("/stragglar/table-3-2", table_3_2);
    g_test_add_func("/stragglar/wrong-rank", wrong_rank);
    g_test_add_func("/stragglar/two-late-ranks", two_late_ranks);
    g_test_add_func("/stragglar/slow-links", slow_links);
    g_test_add_func("/stragglar/smallest", smallest);
    g_test_add_func("/stragglar/whoever-is-missing", whoever_is_missing);
    g_test_add_func("/stragglar/nobody-is-missing", nobody_is_missing);
    return g_test_run();
}
