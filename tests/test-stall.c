/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The deadlock report: who waits for what. */
#include <string.h>

#include "sim/stall.h"
#include "tests/helpers.h"

static void must_stall(test_bed *bed, const char *message)
{
    g_autoptr(GError) error = NULL;

    g_assert_false(bed_try(bed, &error));
    g_assert_error(error, LAGGARD_ERROR, LAGGARD_ERROR_STALLED);
    g_assert_cmpstr(error->message, ==, message);
}

/* Rank 1 waits for a chunk that rank 0 sent in the plan's author's mind only; rank 2 waits for rank
 * 1 to pass it on. Rank 0, with nothing to do, is done. */
static void missing_send(void)
{
    for (int eager = 0; eager < 2; eager++) {
        g_auto(test_bed) bed;
        bed_init(&bed, list_plan_new(LAGGARD_BROADCAST, 3, 4, 6), 16, 4, 0.5);
        list_add(bed.plan, 2, (struct laggard_transfer){0, 1, 3, 1, LAGGARD_STORE});
        g_array_index(list_of(bed.plan), struct listed, 0).sender_knows = false;
        list_add(bed.plan, 5, (struct laggard_transfer){1, 2, 3, 1, LAGGARD_STORE});
        bed.network.eager = eager;
        must_stall(&bed, "stalled at 0 s with 2 of 3 ranks not done"
                         "; rank 1 waits in round 2 to receive chunk 3 from rank 0"
                         "; rank 2 waits in round 5 to receive chunk 3 from rank 1");
    }
}

/* The other way round: a receiver that doesn't know of it is not there, so the sender waits. */
static void missing_receive(void)
{
    g_auto(test_bed) bed;

    bed_init(&bed, list_plan_new(LAGGARD_BROADCAST, 2, 4, 3), 16, 4, 0.5);
    list_add(bed.plan, 1, (struct laggard_transfer){0, 1, 2, 1, LAGGARD_STORE});
    g_array_index(list_of(bed.plan), struct listed, 0).receiver_knows = false;
    must_stall(&bed, "stalled at 0 s with 1 of 2 ranks not done"
                     "; rank 0 waits in round 1 to send chunk 2 to rank 1");
}

/* Ring of 3, rounds of 1 s + 0.5 s, rank 1 dies at 2 s. It is in round 1 (from 1.5 s) then, whose
 * transfers still end, at 3 s; it enters no round more. In round 2 rank 0 can't send to it, and rank
 * 2 can't receive from it; nothing more is decided after 3 s. */
static void a_rank_dies(void)
{
    g_auto(test_bed) bed;

    bed_init(&bed, named_plan("ring", LAGGARD_ALLREDUCE, 3), 12, 4, 0.5);
    bed.death = g_new(lag_seconds, 3);
    bed.death[0] = bed.death[2] = INFINITY;
    bed.death[1] = 2;
    must_stall(&bed, "stalled at 3 s with 3 of 3 ranks not done"
                     "; rank 0 waits in round 2 to send chunk 1 to rank 1"
                     "; rank 1 died"
                     "; rank 2 waits in round 2 to receive chunk 2 from rank 1");
    bed.death[1] = 6.5; /* when all is over */
    g_assert_cmpfloat(bed_run(&bed), ==, 6);
}

/* A dead rank doesn't answer: rank 0 is there at 0 s and dies at 5 s, rank 1 comes at 10 s, and the
 * transfer that both had to be there for doesn't start. */
static void dead_before_its_peer_comes(void)
{
    g_auto(test_bed) bed;

    bed_init(&bed, named_plan("ring", LAGGARD_ALLREDUCE, 2), 8, 4, 0.5);
    bed.death = g_new(lag_seconds, 2);
    bed.death[0] = 5;
    bed.death[1] = INFINITY;
    bed.arrival[1] = 10;
    must_stall(&bed, "stalled at 10 s with 2 of 2 ranks not done"
                     "; rank 0 died; rank 1 waits in round 0 to receive chunk 0 from rank 0");
    g_assert_cmpuint(bed.outcome.n_messages, ==, 0);
}

/* Nor does it start when the gate opens: rank 0 of 4 is there at 0 s, dies at 1 s, and the third of
 * them comes at 5 s. */
static void dead_before_the_gate_opens(void)
{
    g_auto(test_bed) bed;

    bed_init(&bed, stragglar_plan(4, LAGGARD_NONE), 12, 4, 0);
    bed.death = g_new(lag_seconds, 4);
    for (int i = 0; i < 4; i++)
        bed.death[i] = i == 0 ? 1 : INFINITY;
    bed.arrival[2] = 5;
    bed.arrival[3] = 100;
    must_stall(&bed, "stalled at 100 s with 4 of 4 ranks not done"
                     "; rank 0 died"
                     "; rank 1 waits in round 0 to receive chunk 2 from rank 0"
                     "; rank 2 waits in round 0 to send chunk 1 to rank 0"
                     "; rank 3 waits in round 2 to receive chunk 0 from rank 0");
}

/* A rank that never arrives. */
static void a_rank_never_arrives(void)
{
    g_auto(test_bed) bed;
    const char *message = "stalled at 0 s with 2 of 2 ranks not done"
                          "; rank 0 waits in round 0 to receive chunk 1 from rank 1"
                          "; rank 1 never arrived";

    bed_init(&bed, named_plan("ring", LAGGARD_ALLREDUCE, 2), 8, 4, 0.5);
    bed.arrival[1] = INFINITY;
    must_stall(&bed, message);
}

/* Whoever-is-missing needs n - 1 of them: with two missing of 4 the others wait for that. */
static void the_gate_stays_shut(void)
{
    g_auto(test_bed) bed;

    bed_init(&bed, stragglar_plan(4, LAGGARD_NONE), 12, 4, 0.5);
    bed.arrival[0] = 1;
    bed.arrival[2] = bed.arrival[3] = INFINITY;
    must_stall(&bed, "stalled at 1 s with 4 of 4 ranks not done"
                     "; rank 0 waits until all ranks but one are there"
                     "; rank 1 waits until all ranks but one are there"
                     "; rank 2 never arrived; rank 3 never arrived");
}

/* A long list is cut after eight. */
static void long_lists_are_cut(void)
{
    g_auto(test_bed) bed;
    g_autoptr(GError) error = NULL;

    bed_init(&bed, named_plan("ring", LAGGARD_ALLREDUCE, 20), 80, 4, 0.5);
    bed.arrival[19] = INFINITY;
    g_assert_false(bed_try(&bed, &error));
    g_assert_nonnull(strstr(error->message, "20 of 20 ranks not done"));
    g_assert_nonnull(strstr(error->message, "rank 7 waits"));
    g_assert_null(strstr(error->message, "rank 8 waits"));
    g_assert_true(g_str_has_suffix(error->message, "; and 12 more"));
}

/* The replayer is fit for use after a stall. */
static void a_run_after_a_stall(void)
{
    g_auto(test_bed) bed;

    bed_init(&bed, named_plan("ring", LAGGARD_ALLREDUCE, 2), 8, 4, 0.5);
    bed.arrival[1] = INFINITY;
    g_assert_false(bed_try(&bed, NULL));
    bed.arrival[1] = 0;
    g_assert_cmpfloat(bed_run(&bed), ==, 3);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/stall/missing-send", missing_send);
    g_test_add_func("/stall/missing-receive", missing_receive);
    g_test_add_func("/stall/a-rank-dies", a_rank_dies);
    g_test_add_func("/stall/a-rank-never-arrives", a_rank_never_arrives);
    g_test_add_func("/stall/the-gate-stays-shut", the_gate_stays_shut);
    g_test_add_func("/stall/long-lists-are-cut", long_lists_are_cut);
    g_test_add_func("/stall/a-run-after-a-stall", a_run_after_a_stall);
    g_test_add_func("/stall/dead-before-its-peer-comes", dead_before_its_peer_comes);
    g_test_add_func("/stall/dead-before-the-gate-opens", dead_before_the_gate_opens);
    return g_test_run();
}
