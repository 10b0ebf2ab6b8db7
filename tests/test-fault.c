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
    g_test_add_func("/fault/capacity", capacity);
    return g_test_run();
}
