/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What travels side by side: parcels by hand, links shared by several collectives, and collectives
 * that start and are joined under way. */
#include "sim/collective.h"
#include "sim/traffic.h"
#include "tests/helpers.h"

/* What a user is told of its parcels, by cookie. */
struct post {
    struct lag_passage left[8], there[8];
    uint32_t n_left, n_there;
};

static void note_left(void *self, uint32_t cookie, const struct lag_passage *passage)
{
    struct post *post = self;

    post->left[cookie] = *passage;
    post->n_left++;
}

static void note_there(void *self, uint32_t cookie, const struct lag_passage *passage)
{
    struct post *post = self;

    g_assert_cmpuint(post->n_left, >, post->n_there);
    post->there[cookie] = *passage;
    post->n_there++;
}

struct office {
    lag_traffic traffic;
    struct lag_network network;
    struct post post;
    uint32_t user;
};

static void office_open(struct office *office, lag_topology *topology, bool fluid)
{
    const struct lag_traffic_user user = {&office->post, note_left, note_there, NULL};

    office->network.topology = topology;
    office->network.fluid = fluid;
    office->post = (struct post){.n_left = 0};
    if (office->traffic.router == NULL)
        lag_traffic_init(&office->traffic);
    lag_traffic_begin(&office->traffic, &office->network, 0, fluid);
    office->user = lag_traffic_add_user(&office->traffic, &user);
}

static void office_send(struct office *office, uint32_t cookie, uint32_t src, uint32_t dst,
                        lag_bytes bytes)
{
    lag_traffic_send(&office->traffic, office->user, cookie, &(struct lag_parcel){src, dst, bytes});
}

/* A switch with 100 B/s in, 50 B/s out to rank 1, latency 4 s, overhead 1 s; 200 B from 0 to 1. Cut
 * through: they leave in [1, 5] at 50 B/s and are there at 9 s. Store and forward: they leave in
 * [1, 3], are on the switch at 5 s, cross the second link in [5, 9] and are there at 11 s. Alone, so
 * both models say the same. */
static void one_parcel(void)
{
    g_autoptr(lag_topology) topology = lag_topology_new_switch(2, 100, 4);
    struct office office = {.network.overhead = 1};

    topology->links[lag_topology_ingress(topology, 1)].rate = 50;
    for (int i = 0; i < 4; i++) {
        bool stored = i < 2;
        office.network.store_and_forward = stored;
        office_open(&office, topology, i % 2);
        office_send(&office, 0, 0, 1, 200);
        lag_engine_run(&office.traffic.engine);
        const struct lag_passage *left = &office.post.left[0], *there = &office.post.there[0];
        g_assert_cmpfloat(left->from, ==, 1);
        g_assert_cmpfloat(left->to, ==, stored ? 3 : 5);
        g_assert_cmpfloat(left->cost.wire, ==, stored ? 2 : 4);
        g_assert_cmpfloat(left->cost.latency, ==, 0);
        g_assert_cmpfloat(there->to, ==, stored ? 11 : 9);
        g_assert_cmpfloat(there->from, ==, stored ? 7 : 5);
        g_assert_cmpfloat(there->cost.wire, ==, stored ? 6 : 4);
        g_assert_cmpfloat(there->cost.latency, ==, 4);
        g_assert_cmpfloat(there->cost.contention, ==, 0);
        g_assert_cmpuint(there->cost.link, ==, lag_topology_ingress(topology, 1));
    }
    lag_traffic_clear(&office.traffic);
}

/* Nothing to cross: no bytes cost the latency, oneself nothing. */
static void nothing_to_cross(void)
{
    g_autoptr(lag_topology) topology = lag_topology_new_switch(2, 100, 4);
    struct office office = {.network.overhead = 1};

    for (int fluid = 0; fluid < 2; fluid++) {
        office_open(&office, topology, fluid);
        office_send(&office, 0, 0, 1, 0);
        office_send(&office, 1, 0, 0, 500);
        lag_engine_run(&office.traffic.engine);
        g_assert_cmpfloat(office.post.left[0].to, ==, 1);
        g_assert_cmpfloat(office.post.there[0].to, ==, 5);
        g_assert_cmpfloat(office.post.left[1].to, ==, 1);
        g_assert_cmpfloat(office.post.there[1].to, ==, 1);
        g_assert_cmpuint(office.post.there[1].cost.link, ==, LAGGARD_NONE);
    }
    lag_traffic_clear(&office.traffic);
}

/* Incast of 4 flows of 100 B into 100 B/s: each gets 25 B/s, all end at 4 s, 3 s of it contention on
 * the link that they share. Alpha-beta: 1 s each. */
static void incast(void)
{
    g_autoptr(lag_topology) topology = lag_topology_new_switch(5, 100, 0);
    struct office office = {.network.overhead = 0};

    for (int fluid = 0; fluid < 2; fluid++) {
        office_open(&office, topology, fluid);
        for (uint32_t i = 0; i < 4; i++)
            office_send(&office, i, i, 4, 100);
        lag_engine_run(&office.traffic.engine);
        for (uint32_t i = 0; i < 4; i++) {
            g_assert_cmpfloat(office.post.there[i].to, ==, fluid ? 4 : 1);
            g_assert_cmpfloat(office.post.there[i].cost.contention, ==, fluid ? 3 : 0);
            if (fluid)
                g_assert_cmpuint(office.post.there[i].cost.link, ==,
                                 lag_topology_ingress(topology, 4));
        }
    }
    lag_traffic_clear(&office.traffic);
}

/* Half duplex: two ranks swap 100 B at 100 B/s, and each link's two directions share: 2 s. */
static void half_duplex(void)
{
    g_autoptr(lag_topology) topology = lag_topology_new_switch(2, 100, 0);
    struct office office = {.network.overhead = 0};

    for (uint32_t rank = 0; rank < 2; rank++)
        topology->links[lag_topology_ingress(topology, rank)].pool =
            lag_topology_egress(topology, rank);
    office_open(&office, topology, true);
    office_send(&office, 0, 0, 1, 100);
    office_send(&office, 1, 1, 0, 100);
    lag_engine_run(&office.traffic.engine);
    g_assert_cmpfloat(office.post.there[0].to, ==, 2);
    g_assert_cmpfloat(office.post.there[1].to, ==, 2);
    lag_traffic_clear(&office.traffic);
}

/* The same from a plan: a ring of two swaps its halves of 100 B twice, 4 s, where full duplex takes
 * 2 s; lockstep declines. */
static void half_duplex_ring(void)
{
    g_auto(test_bed) bed;

    bed_init(&bed, named_plan("ring", LAGGARD_ALLREDUCE, 2), 200, 100, 0);
    bed.network.fluid = true;
    g_assert_cmpfloat(bed_run(&bed), ==, 2);
    for (uint32_t rank = 0; rank < 2; rank++)
        bed.topology->links[lag_topology_ingress(bed.topology, rank)].pool = rank;
    g_assert_cmpfloat(bed_run(&bed), ==, 4);
}

/* Two broadcasts of 100 B on a switch of 100 B/s. Job A has GPUs 2 and 0, its rank 0 on GPU 2; job B
 * has GPUs 1 and 0, and starts at 0.5 s. Into GPU 0: A alone until 0.5 s, 50 B; then 50 B/s each: A is
 * there at 1.5 s; B has 50 B left then and is there at 2 s. Under alpha-beta each takes 1 s. */
static void two_jobs(void)
{
    g_autoptr(lag_topology) topology = lag_topology_new_switch(3, 100, 0);
    g_autoptr(lag_plan) plan = named_plan("binomial-tree", LAGGARD_BROADCAST, 2);
    g_autoptr(lag_replay) replay = lag_replay_new();
    struct lag_network network = {.topology = topology};
    const uint32_t gpus[2][2] = {
        {2, 0},
        {1, 0}
    };
    const lag_seconds arrival[2][2] = {
        {0,   0  },
        {0.5, 0.5}
    };
    struct lag_run runs[2];
    struct lag_outcome outcomes[2];

    for (int i = 0; i < 2; i++) {
        runs[i] = (struct lag_run){
            .plan = plan,
            .network = &network,
            .ranks = gpus[i],
            .chunks = lag_chunks_of(100, 4, 1),
            .arrival = arrival[i],
        };
        lag_outcome_init(&outcomes[i], 2);
    }
    for (int fluid = 0; fluid < 2; fluid++) {
        network.fluid = fluid;
        g_assert_true(lag_replay_run_together(replay, runs, 2, outcomes, NULL));
        g_assert_cmpfloat(outcomes[0].completion, ==, 1.5 - (fluid ? 0 : 0.5));
        g_assert_cmpfloat(outcomes[1].completion, ==, 2 - (fluid ? 0 : 0.5));
        g_assert_cmpfloat(outcomes[1].path.shares.contention, ==, fluid ? 0.5 : 0);
        g_assert_cmpuint(outcomes[0].n_messages, ==, 1);
    }
    for (int i = 0; i < 2; i++)
        lag_outcome_clear(&outcomes[i]);
}

/* One of two jobs stalls: the other ends, and the message names the one that doesn't. */
static void one_job_stalls(void)
{
    g_autoptr(lag_topology) topology = lag_topology_new_switch(4, 100, 0);
    g_autoptr(lag_plan) plan = named_plan("binomial-tree", LAGGARD_BROADCAST, 2);
    g_autoptr(lag_replay) replay = lag_replay_new();
    g_autoptr(GError) error = NULL;
    struct lag_network network = {.topology = topology, .fluid = true};
    const uint32_t gpus[2][2] = {
        {0, 1},
        {2, 3}
    };
    const lag_seconds arrival[2][2] = {
        {0, INFINITY},
        {5, 5       }
    };
    const char *names[] = {"vision", "speech"};
    struct lag_run runs[2];
    struct lag_outcome outcomes[2];

    for (int i = 0; i < 2; i++) {
        runs[i] = (struct lag_run){
            .plan = plan,
            .network = &network,
            .ranks = gpus[i],
            .name = names[i],
            .chunks = lag_chunks_of(100, 4, 1),
            .arrival = arrival[i],
        };
        lag_outcome_init(&outcomes[i], 2);
    }
    g_assert_false(lag_replay_run_together(replay, runs, 2, outcomes, &error));
    g_assert_error(error, LAGGARD_ERROR, LAGGARD_ERROR_STALLED);
    g_assert_cmpstr(error->message, ==,
                    "stalled at 6 s with vision: 2 of 2 ranks not done"
                    "; rank 0 waits in round 0 to send chunk 0 to rank 1"
                    "; rank 1 never arrived");
    g_assert_cmpfloat(outcomes[1].completion, ==, 6);
    for (int i = 0; i < 2; i++)
        lag_outcome_clear(&outcomes[i]);
}

/* A protocol of one collective after the other: each rank joins the next one a second after the last
 * one's end, rank 1 two seconds after it. */
struct protocol {
    lag_traffic traffic;
    lag_collective *collective;
    struct lag_run run;
    struct lag_outcome outcome;
    struct lag_collective_listener listener;
    uint32_t on_join, n_done;
    lag_seconds completions[3];
};

static void join(void *self, uint32_t rank, uint32_t data)
{
    struct protocol *protocol = self;

    (void)data;
    lag_collective_join(protocol->collective, rank);
}

static void begin_next(struct protocol *protocol)
{
    lag_engine *engine = &protocol->traffic.engine;

    lag_collective_start(protocol->collective, &protocol->run, &protocol->outcome,
                         &protocol->listener);
    lag_engine_post(engine, engine->now + 2, LAG_COMPUTE_DONE, 1, protocol->on_join, 0);
    lag_engine_post(engine, engine->now + 1, LAG_COMPUTE_DONE, 0, protocol->on_join, 0);
}

static void note_done(void *self, lag_collective *collective)
{
    struct protocol *protocol = self;

    g_assert_true(lag_collective_is_done(collective));
    g_assert_cmpfloat(protocol->traffic.engine.now, ==, protocol->outcome.completion);
    g_assert_cmpuint(protocol->outcome.last_to_arrive, ==, 1);
    protocol->completions[protocol->n_done++] = protocol->outcome.completion;
    if (protocol->n_done < 3)
        begin_next(protocol);
}

/* A ring of two: 2 s of waiting for rank 1, then two rounds of 1 s: 4, 8 and 12 s. */
static void one_after_the_other(void)
{
    g_autoptr(lag_topology) topology = lag_topology_new_switch(2, 100, 0);
    g_autoptr(lag_plan) plan = named_plan("ring", LAGGARD_ALLREDUCE, 2);
    struct lag_network network = {.topology = topology, .fluid = true};
    struct protocol protocol = {
        .collective = lag_collective_new(),
        .run = {.plan = plan, .network = &network, .chunks = lag_chunks_of(200, 4, 2)},
        .listener = {note_done,           &protocol                           },
    };

    lag_outcome_init(&protocol.outcome, 2);
    lag_traffic_init(&protocol.traffic);
    lag_traffic_begin(&protocol.traffic, &network, 0, true);
    protocol.on_join = lag_engine_handler(&protocol.traffic.engine, join, &protocol);
    lag_collective_attach(protocol.collective, &protocol.traffic);
    begin_next(&protocol);
    lag_engine_run(&protocol.traffic.engine);
    g_assert_cmpuint(protocol.n_done, ==, 3);
    for (int i = 0; i < 3; i++)
        g_assert_cmpfloat(protocol.completions[i], ==, 4 * (i + 1));
    lag_collective_free(protocol.collective);
    lag_traffic_clear(&protocol.traffic);
    lag_outcome_clear(&protocol.outcome);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/traffic/one-parcel", one_parcel);
    g_test_add_func("/traffic/nothing-to-cross", nothing_to_cross);
    g_test_add_func("/traffic/incast", incast);
    g_test_add_func("/traffic/half-duplex", half_duplex);
    g_test_add_func("/traffic/half-duplex-ring", half_duplex_ring);
    g_test_add_func("/traffic/two-jobs", two_jobs);
    g_test_add_func("/traffic/one-job-stalls", one_job_stalls);
    g_test_add_func("/traffic/one-after-the-other", one_after_the_other);
    return g_test_run();
}
