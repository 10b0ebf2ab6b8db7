/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Links that degrade, die and recover while data are on them, by hand: one broadcast of 1000 B from
 * rank 0 to rank 1 at 100 B/s, 10 s if nothing happens. */
#include "sim/fault.h"
#include "tests/helpers.h"

static void broadcast(test_bed *bed, const struct lag_link_event *events, uint32_t n_events)
{
    bed_init(bed, named_plan("binomial-tree", LAGGARD_BROADCAST, 2), 1000, 100, 0);
    bed->network.fluid = true;
    bed->network.events = events;
    bed->network.n_events = n_events;
}

/* At 100 B/s until 4 s, at 50 until 8 s, at 200 from then on: 400 + 200 B, and 400 B in 2 s: 10 s.
 * Rank 0's link out is link 0. The link could have carried 400 + 200 + 400 B by then: it was full;
 * the one into rank 1 could have carried 1000 B too; links nobody uses carry nothing. */
static void degrades(void)
{
    g_auto(test_bed) bed;
    const struct lag_link_event events[] = {
        {4, 0, 50 },
        {8, 0, 200},
    };

    broadcast(&bed, events, 1);
    assert_near(bed_run(&bed), 16, 1e-12); /* 400 B, and 600 B at 50 B/s */
    g_assert_cmpuint(bed.outcome.path.hops->len, ==, 1);
    assert_near(bed.outcome.path.shares.bandwidth + bed.outcome.path.shares.contention, 16, 1e-12);
    bed.network.n_events = 2;
    bed.topology->links[lag_topology_ingress(bed.topology, 1)].rate = 200;
    assert_near(bed_run(&bed), 10, 1e-12);
    g_assert_true(bed.outcome.links_recorded);
    assert_near(bed.outcome.link_bytes[0], 1000, 1e-12);
    assert_near(bed.outcome.link_capacity[0], 1000, 1e-12);
    assert_near(bed.outcome.link_bytes[3], 1000, 1e-12);
    assert_near(bed.outcome.link_capacity[3], 2000, 1e-12);
    g_assert_cmpfloat(bed.outcome.link_bytes[1], ==, 0);
}

/* Dead from 4 to 7 s: 13 s. A death that is over before the data leave changes nothing. */
static void dies_and_recovers(void)
{
    g_auto(test_bed) bed;
    const struct lag_link_event events[] = {
        {4, 3, 0  },
        {7, 3, 100},
    };

    broadcast(&bed, events, 2);
    assert_near(bed_run(&bed), 13, 1e-12);
    bed.arrival[0] = 20;
    assert_near(bed_run(&bed), 30, 1e-12);
    /* It arrives at 5 s, while the link is dead: from 7 s on. */
    bed.arrival[0] = 5;
    assert_near(bed_run(&bed), 17, 1e-12);
}

/* Events go by the job's time: a run that starts at 5 s of it finds the link dead for 2 s more. */
static void counts_from_the_job(void)
{
    g_auto(test_bed) bed;
    const struct lag_link_event events[] = {
        {4, 3, 0  },
        {7, 3, 100},
    };

    broadcast(&bed, events, 2);
    bed.start = 5;
    assert_near(bed_run(&bed), 12, 1e-12);
    bed.start = 7;
    assert_near(bed_run(&bed), 10, 1e-12);
}

/* Dead for ever: the report names the link and the ranks. In flight, and before it departs. */
static void stalls(void)
{
    g_auto(test_bed) bed;
    const struct lag_link_event events[] = {
        {4, 0, 0},
    };

    for (int late = 0; late < 2; late++) {
        g_autoptr(GError) error = NULL;
        broadcast(&bed, events, 1);
        bed.arrival[0] = 8 * late;
        g_assert_false(bed_try(&bed, &error));
        g_assert_error(error, LAGGARD_ERROR, LAGGARD_ERROR_STALLED);
        g_autofree char *expected = g_strdup_printf(
            "stalled at %d s with 2 of 2 ranks not done; rank 0 waits in round 0 for data on their "
            "way"
            "; rank 1 waits in round 0 for data on their way; %d B from gpu0 to gpu1 wait for "
            "gpu0->switch, dead since 4 s",
            late ? 8 : 4, late ? 1000 : 600);
        g_assert_cmpstr(error->message, ==, expected);
        bed_clear(&bed);
    }
    broadcast(&bed, events, 0);
    g_assert_cmpfloat(bed_run(&bed), ==, 10);
}

/* From gpu0 over a to b, and to gpu1: over x, or, longer, over y and z at 50 B/s. */
static const struct lag_graph_link two_ways[] = {
    {"gpu0", "a",    100, 1, false},
    {"a",    "x",    100, 1, false},
    {"x",    "b",    100, 1, false},
    {"a",    "y",    50,  1, false},
    {"y",    "z",    50,  1, false},
    {"z",    "b",    50,  1, false},
    {"b",    "gpu1", 100, 1, false},
};

/* The way over x dies at 4 s, with 600 B left: over y and z they take 12 s more, 16 s, and there are 5
 * links of latency then: 21 s. When x is back at 6 s, they stay where they are. A message that starts
 * while it is dead takes the longer way, 20 s + 5 s; one that starts later the shorter. Of the first
 * 1000 B the links of the first way carried 400 B. */
static void reroutes(void)
{
    g_auto(test_bed) bed;
    struct lag_link_event events[2];

    broadcast(&bed, events, 2);
    bed_move(&bed, graph_topology(2, two_ways, G_N_ELEMENTS(two_ways)));
    uint32_t dying = link_named(bed.topology, "x->b");
    events[0] = (struct lag_link_event){4, dying, 0};
    events[1] = (struct lag_link_event){6, dying, 100};
    for (bed.network.n_events = 0; bed.network.n_events < 3; bed.network.n_events++) {
        bed.arrival[0] = 0;
        assert_near(bed_run(&bed), bed.network.n_events == 0 ? 14 : 21, 1e-12);
    }
    bed.network.n_events = 2;
    bed_run(&bed);
    assert_near(bed.outcome.link_bytes[dying], 400, 1e-12);
    assert_near(bed.outcome.link_bytes[link_named(bed.topology, "a->x")], 400, 1e-12);
    assert_near(bed.outcome.link_bytes[link_named(bed.topology, "y->z")], 600, 1e-12);
    assert_near(bed.outcome.link_bytes[link_named(bed.topology, "b->gpu1")], 1000, 1e-12);
    assert_near(bed.outcome.link_capacity[dying], 100 * (4 + 21 - 6), 1e-12);
    assert_near(bed.outcome.path.shares.latency, 5, 1e-12);
    bed.arrival[0] = 5;
    assert_near(bed_run(&bed), 30, 1e-12);
    bed.arrival[0] = 7;
    assert_near(bed_run(&bed), 21, 1e-12);
}

/* Where neither way is left, it waits, for whichever is back first: y -> z at 9 s, over which 600 B go
 * on from 9 s until 21 s; 26 s in all. And x -> b at 7 s, back on the way that it had: 13 s and 4 s. */
static void waits_for_a_way(void)
{
    g_auto(test_bed) bed;
    struct lag_link_event events[3];

    broadcast(&bed, events, 3);
    bed_move(&bed, graph_topology(2, two_ways, G_N_ELEMENTS(two_ways)));
    uint32_t near = link_named(bed.topology, "x->b"), far = link_named(bed.topology, "y->z");
    events[0] = (struct lag_link_event){1, far, 0};
    events[1] = (struct lag_link_event){4, near, 0};
    events[2] = (struct lag_link_event){9, far, 50};
    assert_near(bed_run(&bed), 26, 1e-12);
    events[2] = (struct lag_link_event){7, near, 100};
    assert_near(bed_run(&bed), 17, 1e-12);
    g_autoptr(GError) error = NULL;
    bed.network.n_events = 2;
    g_assert_false(bed_try(&bed, &error));
    g_assert_true(g_str_has_suffix(error->message,
                                   "; 600 B from gpu0 to gpu1 wait for x->b, dead since 4 s"));
}

/* Stored and forwarded, a link of 100 B/s takes 11 s: the data are at a, x, b and gpu1 at 11, 22, 33 and
 * 44 s. x -> b dies at 15 s, before the data are at x (22 s), for ever: they wait there, where no
 * other way starts. Dead from 5 s on, while they leave: they take the longer way. */
static void stored_data_wait(void)
{
    g_auto(test_bed) bed;
    g_autoptr(GError) error = NULL;
    struct lag_link_event events[2];

    broadcast(&bed, events, 2);
    bed_move(&bed, graph_topology(2, two_ways, G_N_ELEMENTS(two_ways)));
    bed.network.store_and_forward = true;
    uint32_t dying = link_named(bed.topology, "x->b");
    events[0] = (struct lag_link_event){15, dying, 0};
    events[1] = (struct lag_link_event){30, dying, 100};
    assert_near(bed_run(&bed), 30 + 11 + 11, 1e-12);
    bed.network.n_events = 1;
    g_assert_false(bed_try(&bed, &error));
    g_assert_true(g_str_has_suffix(error->message,
                                   "; 1000 B from gpu0 to gpu1 wait for x->b, dead since 15 s"));
    events[0].at = 5; /* 11 + 3 x 21 + 11 */
    assert_near(bed_run(&bed), 85, 1e-12);
}

/* What a link could have carried between 2 and 12 s, with a start at 1 s of the job: 100 B/s until
 * 5 - 1 = 4 s, nothing until 9 s, 10 B/s then: 200 + 0 + 30 B. */
static void capacity(void)
{
    g_autoptr(lag_topology) topology = lag_topology_new_switch(2, 100, 0);
    const struct lag_link_event events[] = {
        {0,  2, 50 },
        {1,  2, 100},
        {5,  2, 0  },
        {10, 2, 10 },
        {99, 2, 1  },
    };
    const struct lag_network network = {
        .topology = topology, .events = events, .n_events = G_N_ELEMENTS(events)};
    double bytes[4];

    lag_fault_capacity(&network, 1, 2, 12, bytes);
    g_assert_cmpfloat(bytes[0], ==, 1000);
    g_assert_cmpfloat(bytes[2], ==, 230);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/fault/degrades", degrades);
    g_test_add_func("/fault/dies-and-recovers", dies_and_recovers);
    g_test_add_func("/fault/counts-from-the-job", counts_from_the_job);
    g_test_add_func("/fault/stalls", stalls);
    g_test_add_func("/fault/reroutes", reroutes);
    g_test_add_func("/fault/waits-for-a-way", waits_for_a_way);
    g_test_add_func("/fault/stored-data-wait", stored_data_wait);
    g_test_add_func("/fault/capacity", capacity);
    return g_test_run();
}
