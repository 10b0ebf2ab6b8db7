/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Serial reception: the k-th of the letters that are ready at A_1 <= A_2 <= ... is there at
 * max_j (A_j + (k - j + 1) t), spec/coded-gradients.md section 3. */
#include <string.h>

#include "sim/inbox.h"
#include "sim/laggard.h"
#include "tests/helpers.h"

#define MOST 8

struct post {
    lag_inbox inbox;
    lag_engine engine;
    lag_traffic traffic;
    uint32_t on_ready, n_there, stop_after;
    lag_seconds takes;
    struct lag_letter there[MOST];
};

static void note_there(void *self, const struct lag_letter *letter)
{
    struct post *post = self;

    post->there[post->n_there++] = *letter;
    if (post->n_there == post->stop_after)
        lag_inbox_drop(&post->inbox, letter->receiver);
}

static void make_ready(void *self, uint32_t sender, uint32_t data)
{
    struct post *post = self;
    struct lag_letter letter = {
        .receiver = 0, .sender = sender, .tag = data, .takes = post->takes, .bytes = 1000};

    lag_inbox_offer(&post->inbox, &letter);
}

/* Letters of senders 1 .. n, ready at those times. A rate: over a switch. */
static void deliver(struct post *post, const double *ready, uint32_t n, bool all_at_once,
                    lag_rate rate, lag_seconds latency)
{
    const uint32_t host[] = {0, 1, 2, 3, 4, 5};
    g_autoptr(lag_topology) topology = lag_topology_new_switch(6, fmax(rate, 1), latency);
    struct lag_network network = {.topology = topology, .fluid = true};
    lag_engine *engine = rate > 0 ? &post->traffic.engine : &post->engine;
    struct lag_inbox_setup setup = {
        .engine = engine,
        .traffic = rate > 0 ? &post->traffic : NULL,
        .all_at_once = all_at_once,
        .n_parties = 6,
        .host = host,
        .self = post,
        .there = note_there,
    };

    lag_inbox_init(&post->inbox);
    lag_engine_init(&post->engine);
    lag_traffic_init(&post->traffic);
    lag_traffic_begin(&post->traffic, &network, 0, true);
    lag_inbox_begin(&post->inbox, &setup);
    post->on_ready = lag_engine_handler(engine, make_ready, post);
    for (uint32_t i = 0; i < n; i++)
        lag_engine_post(engine, ready[i], LAG_COMPUTE_DONE, i + 1, post->on_ready, i);
    lag_engine_run(engine);
    lag_inbox_clear(&post->inbox);
    lag_engine_clear(&post->engine);
    lag_traffic_clear(&post->traffic);
}

static void expect(const struct post *post, const double *there, const uint32_t *senders,
                   uint32_t n)
{
    g_assert_cmpuint(post->n_there, ==, n);
    for (uint32_t k = 0; k < n; k++) {
        assert_near(post->there[k].there, there[k], 1e-12);
        g_assert_cmpuint(post->there[k].sender, ==, senders[k]);
        g_assert_cmpuint(post->there[k].tag, ==, senders[k] - 1);
    }
}

/* Ready at 5, 1, 9, 2, 2, 2 s each: 2 comes in first, then 4 and 5, equal, by number. With 0.5 s
 * the port is idle in between. The same bytes at the same rate over a switch take as long. */
static void one_at_a_time(void)
{
    const double ready[] = {5, 1, 9, 2, 2}, slow[] = {3, 5, 7, 9, 11};
    const double quick[] = {1.5, 2.5, 3, 5.5, 9.5};
    const uint32_t order[] = {2, 4, 5, 1, 3};

    for (int network = 0; network < 2; network++) {
        struct post post = {.takes = 2}, other = {.takes = 0.5};
        deliver(&post, ready, 5, false, network * 500.0, 0);
        expect(&post, slow, order, 5);
        g_assert_cmpuint(post.there[0].behind, ==, LAGGARD_NONE);
        g_assert_cmpuint(post.there[1].behind, ==, 2);
        assert_near(post.there[1].ready, 2, 0);
        assert_near(post.there[1].start, 3, 1e-12);
        deliver(&other, ready, 5, false, network * 2000.0, 0);
        expect(&other, quick, order, 5);
        g_assert_cmpuint(other.there[4].behind, ==, LAGGARD_NONE);
    }
}

/* Data come in back to back: latency, 10 s, is paid once, by the first. */
static void latency(void)
{
    const double ready[] = {0, 0, 0}, there[] = {12, 14, 16};
    const uint32_t order[] = {1, 2, 3};
    struct post post = {0};

    deliver(&post, ready, 3, false, 500, 10);
    expect(&post, there, order, 3);
}

/* All at once: with given times each for itself, on the network they share the port. */
static void all_at_once(void)
{
    const double ready[] = {0, 1, 0}, alone[] = {2, 2, 3};
    const uint32_t order[] = {1, 3, 2};
    struct post post = {.takes = 2}, other = {0};

    deliver(&post, ready, 3, true, 0, 0);
    expect(&post, alone, order, 3);
    /* 1 and 3 have half of 500 B/s until 1, then a third with 750 B left each: there at 5.5; 2 has
     * 250 B left then. */
    deliver(&other, ready, 3, true, 500, 0);
    assert_near(other.there[0].there, 5.5, 1e-12);
    assert_near(other.there[2].there, 6, 1e-12);
}

/* What waits is dropped after the second; a port that was dropped goes on. */
static void drop(void)
{
    const double ready[] = {0, 0, 0, 0, 20}, there[] = {2, 4, 22};
    const uint32_t order[] = {1, 2, 5};
    struct post post = {.takes = 2, .stop_after = 2};

    deliver(&post, ready, 5, false, 0, 0);
    expect(&post, there, order, 3);
}

int main(int argc, char *argv[])
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/inbox/one-at-a-time", one_at_a_time);
    g_test_add_func("/inbox/latency", latency);
    g_test_add_func("/inbox/all-at-once", all_at_once);
    g_test_add_func("/inbox/drop", drop);
    return g_test_run();
}
