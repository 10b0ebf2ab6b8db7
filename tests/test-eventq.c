/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The event queue against a linear scan over the same events, and by hand at its edges. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include <glib.h>

#include "sim/eventq.h"
#include "tests/helpers.h"

struct event {
    lag_seconds time;
    uint64_t order, data;
};

typedef struct lag_eventq scratch;
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(scratch, lag_eventq_clear)

static bool is_before(const struct event *a, const struct event *b)
{
    return a->time < b->time || (a->time == b->time && a->order < b->order);
}

/* Pops one event from both; they must be the same, or both be empty. */
static void pop_both(struct lag_eventq *queue, GArray *oracle)
{
    struct event got;
    bool found = lag_eventq_pop(queue, &got.time, &got.order, &got.data);
    guint least = 0;

    g_assert_cmpint(found, ==, oracle->len > 0);
    if (!found)
        return;
    for (guint i = 1; i < oracle->len; i++)
        if (is_before(&g_array_index(oracle, struct event, i),
                      &g_array_index(oracle, struct event, least)))
            least = i;
    const struct event *want = &g_array_index(oracle, struct event, least);
    g_assert_cmpfloat(got.time, ==, want->time);
    g_assert_cmpuint(got.order, ==, want->order);
    g_assert_cmpuint(got.data, ==, want->data);
    g_array_remove_index_fast(oracle, least);
}

/* 10^5 random pushes and pops. A quarter of the times are drawn from eight values, so that ties
 * are common; the orders are a bijection of a counter, so that they're unique and don't rise. The
 * odds of a push swing, so that the queue empties and fills up again and again. */
static void random_against_scan(void)
{
    g_autoptr(gsl_rng) rng = test_rng(1);
    g_autoptr(GArray) oracle = g_array_new(FALSE, FALSE, sizeof(struct event));
    g_auto(scratch) queue;

    lag_eventq_init(&queue);
    for (uint64_t i = 0; i < 100000; i++) {
        double odds = 0.5 + 0.3 * sin((double)i * 0.01);
        if (gsl_rng_uniform(rng) < odds) {
            struct event event = {gsl_rng_uniform(rng), i * 0x9E3779B97F4A7C15u, i};
            if (below(rng, 4) == 0)
                event.time = 0.125 * below(rng, 8);
            lag_eventq_push(&queue, event.time, event.order, event.data);
            g_array_append_val(oracle, event);
        } else {
            pop_both(&queue, oracle);
        }
    }
    while (oracle->len > 0)
        pop_both(&queue, oracle);
    pop_both(&queue, oracle);
}

/* Growth: 10^5 events pending at once (the queue starts with room for 60) leave in order, and each
 * once: the sum of their data is that of 0 .. 99,999. */
static void growth(void)
{
    enum {
        N = 100000
    };
    g_autoptr(gsl_rng) rng = test_rng(2);
    g_auto(scratch) queue;
    struct event last = {-1, 0, 0}, now;
    uint64_t sum = 0;

    lag_eventq_init(&queue);
    for (uint64_t i = 0; i < N; i++)
        lag_eventq_push(&queue, floor(1e4 * gsl_rng_uniform(rng)), N - i, i);
    for (uint64_t i = 0; i < N; i++) {
        g_assert_true(lag_eventq_pop(&queue, &now.time, &now.order, &now.data));
        g_assert_true(is_before(&last, &now));
        sum += now.data;
        last = now;
    }
    g_assert_cmpuint(sum, ==, (uint64_t)N * (N - 1) / 2);
    g_assert_false(lag_eventq_pop(&queue, &now.time, &now.order, &now.data));
}

static void expect(struct lag_eventq *queue, uint64_t data)
{
    lag_seconds time;
    uint64_t order, got;

    g_assert_true(lag_eventq_pop(queue, &time, &order, &got));
    g_assert_cmpuint(got, ==, data);
}

static void expect_empty(struct lag_eventq *queue)
{
    lag_seconds time;
    uint64_t order, got;

    g_assert_false(lag_eventq_pop(queue, &time, &order, &got));
}

/* A pop leaves a hole at the root. What may follow: another pop, a push of what is then the least,
 * one of what is the greatest, an empty queue, a push into a queue whose only element is the hole. */
static void holes(void)
{
    g_auto(scratch) queue;

    lag_eventq_init(&queue);
    expect_empty(&queue);
    for (uint64_t i = 1; i <= 6; i++)
        lag_eventq_push(&queue, (double)i, 0, i);
    expect(&queue, 1);
    expect(&queue, 2); /* pop, pop */
    lag_eventq_push(&queue, 0.5, 0, 10);
    expect(&queue, 10); /* into the hole, least */
    lag_eventq_push(&queue, 9, 0, 11);
    lag_eventq_push(&queue, 8, 0, 12); /* the first into the hole, the second behind */
    for (uint64_t i = 3; i <= 6; i++)
        expect(&queue, i);
    expect(&queue, 12);
    expect(&queue, 11);
    expect_empty(&queue);
    expect_empty(&queue);
    lag_eventq_push(&queue, 1, 0, 13);
    expect(&queue, 13);
    lag_eventq_push(&queue, 1, 0, 14); /* the hole is all there is */
    expect(&queue, 14);
    expect_empty(&queue);
}

/* After a reset nothing of the past is left, whether the root was a hole or not. */
static void reset(void)
{
    g_auto(scratch) queue;

    lag_eventq_init(&queue);
    for (int pops = 0; pops < 3; pops++) {
        for (uint64_t i = 0; i < 200; i++)
            lag_eventq_push(&queue, 1, i, i);
        for (int i = 0; i < pops; i++)
            expect(&queue, (uint64_t)i);
        lag_eventq_reset(&queue);
        expect_empty(&queue);
        lag_eventq_push(&queue, 7, 1, 1);
        lag_eventq_push(&queue, 6, 1, 2);
        expect(&queue, 2);
        expect(&queue, 1);
        expect_empty(&queue);
    }
}

/* -0.0 is 0 to a human and to IEEE 754, but its bits are those of the largest integer: it must
 * order as 0. The smallest subnormal comes just after 0, the largest number last. */
static void extreme_times(void)
{
    g_auto(scratch) queue;

    lag_eventq_init(&queue);
    lag_eventq_push(&queue, DBL_MAX, 0, 6);
    lag_eventq_push(&queue, -0.0, 5, 2);
    lag_eventq_push(&queue, 1e300, 0, 5);
    lag_eventq_push(&queue, 0.0, 3, 1);
    lag_eventq_push(&queue, 0x1p-1074, 0, 3);
    lag_eventq_push(&queue, DBL_MAX, UINT64_MAX, 7);
    lag_eventq_push(&queue, 1, UINT64_MAX, 4);
    for (uint64_t i = 1; i <= 7; i++)
        expect(&queue, i);
}

/* Times that would break the order are refused by an assertion, not sorted anyhow. */
static void bad_time(gconstpointer data)
{
    const lag_seconds *bad = data;

    if (g_test_subprocess()) {
        g_auto(scratch) queue;
        lag_eventq_init(&queue);
        lag_eventq_push(&queue, *bad, 0, 0);
        return;
    }
    g_test_trap_subprocess(NULL, 0, 0);
    g_test_trap_assert_failed();
    g_test_trap_assert_stderr("*time >= 0*");
}

/* Clear accepts NULL, zeroed memory and twice. */
static void clear_twice(void)
{
    struct lag_eventq queue = {0};

    lag_eventq_clear(NULL);
    lag_eventq_clear(&queue);
    lag_eventq_init(&queue);
    lag_eventq_clear(&queue);
    lag_eventq_clear(&queue);
}

int main(int argc, char **argv)
{
    static const lag_seconds not_a_number = NAN, negative = -1e-300, infinite = INFINITY;

    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/eventq/random-against-scan", random_against_scan);
    g_test_add_func("/eventq/growth", growth);
    g_test_add_func("/eventq/holes", holes);
    g_test_add_func("/eventq/reset", reset);
    g_test_add_func("/eventq/extreme-times", extreme_times);
    g_test_add_data_func("/eventq/not-a-number", &not_a_number, bad_time);
    g_test_add_data_func("/eventq/negative", &negative, bad_time);
    g_test_add_data_func("/eventq/infinite", &infinite, bad_time);
    g_test_add_func("/eventq/clear-twice", clear_twice);
    return g_test_run();
}
