/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/helpers.h"

#define ELEMENT_BYTES  4
#define MAX_PARAMETERS 16

static lag_plan *plan_for(const struct laggard_algorithm *algorithm,
                          const struct laggard_request *request)
{
    g_autoptr(GError) error = NULL;

    lag_algorithm_accepts(algorithm, request->collective, request->n_ranks, &error);
    g_assert_no_error(error);
    lag_plan *plan = lag_plan_new(algorithm, request, &error);
    g_assert_no_error(error);
    return plan;
}

lag_plan *algorithm_plan(const struct laggard_algorithm *algorithm,
                         enum laggard_collective collective, uint32_t n_ranks, uint32_t root)
{
    double values[MAX_PARAMETERS];

    g_assert_cmpuint(lag_algorithm_n_parameters(algorithm), <=, MAX_PARAMETERS);
    lag_algorithm_defaults(algorithm, values);
    return plan_for(algorithm, &(struct laggard_request){.collective = collective,
                                                         .n_ranks = n_ranks,
                                                         .root = root,
                                                         .values = values});
}

lag_plan *named_plan(const char *name, enum laggard_collective collective, uint32_t n_ranks)
{
    const struct laggard_algorithm *algorithm = lag_algorithm_find(name);

    g_assert_nonnull(algorithm);
    return algorithm_plan(algorithm, collective, n_ranks, 0);
}

lag_plan *plan_of(const char *text, struct laggard_request request, GError **error)
{
    g_auto(GStrv) words = g_strsplit(text, " ", 0);
    const struct laggard_algorithm *algorithm = lag_algorithm_find(words[0]);
    double values[MAX_PARAMETERS];

    g_assert_nonnull(algorithm);
    lag_algorithm_defaults(algorithm, values);
    for (char **word = words + 1; *word != NULL; word++) {
        g_auto(GStrv) setting = g_strsplit(*word, "=", 2);
        int index = lag_algorithm_parameter(algorithm, setting[0]);
        g_assert_cmpint(index, >=, 0);
        if (!lag_parameter_parse(&algorithm->parameters[index], setting[1], request.n_ranks,
                                 &values[index], error))
            return NULL;
    }
    request.values = values;
    if (!lag_algorithm_accepts(algorithm, request.collective, request.n_ranks, error))
        return NULL;
    return lag_plan_new(algorithm, &request, error);
}

lag_plan *set_plan(const char *text, enum laggard_collective collective, uint32_t n_ranks)
{
    g_autoptr(GError) error = NULL;
    lag_plan *plan = plan_of(
        text, (struct laggard_request){.collective = collective, .n_ranks = n_ranks}, &error);

    g_assert_no_error(error);
    return plan;
}

lag_plan *stragglar_plan(uint32_t n_ranks, uint32_t straggler)
{
    const struct laggard_algorithm *algorithm = lag_algorithm_find("stragglar");
    double values[MAX_PARAMETERS];

    lag_algorithm_defaults(algorithm, values);
    values[lag_algorithm_parameter(algorithm, "straggler")] = straggler;
    return plan_for(algorithm, &(struct laggard_request){.n_ranks = n_ranks, .values = values});
}

static void list_step(const struct laggard_plan *plan, uint32_t lane, uint32_t position,
                      uint32_t round, struct laggard_step *ret)
{
    const GArray *list = plan->schedule;

    (void)lane;
    for (guint i = 0; i < list->len; i++) {
        const struct listed *line = &g_array_index(list, struct listed, i);
        const struct laggard_transfer *t = &line->transfer;
        if (line->round != round)
            continue;
        if (t->src == position && line->sender_knows)
            laggard_send(ret, t->src, t->dst, t->first_chunk, t->n_chunks, t->kind);
        if (t->dst == position && line->receiver_knows)
            laggard_receive(ret, t->src, t->dst, t->first_chunk, t->n_chunks, t->kind);
    }
}

static void free_list(void *list)
{
    g_array_unref(list);
}

lag_plan *list_plan_new(enum laggard_collective collective, uint32_t n_ranks, uint32_t n_chunks,
                        uint32_t n_rounds)
{
    static const struct laggard_plan_ops ops = {.step = list_step};
    lag_plan *plan = g_new(lag_plan, 1);

    *plan = (lag_plan){
        .ops = &ops,
        .collective = collective,
        .n_ranks = n_ranks,
        .n_chunks = n_chunks,
        .n_lanes = 1,
        .n_rounds = n_rounds,
        .degree = 1,
        .late_position = LAGGARD_NONE,
        .late_rank = LAGGARD_NONE,
        .schedule = g_array_new(FALSE, FALSE, sizeof(struct listed)),
        .free_schedule = free_list,
    };
    return plan;
}

GArray *list_of(lag_plan *plan)
{
    return plan->schedule;
}

void list_plan_changed(lag_plan *plan)
{
    const GArray *list = plan->schedule;
    uint32_t degree = 1;

    for (guint i = 0; i < list->len; i++) {
        const struct listed *a = &g_array_index(list, struct listed, i);
        uint32_t n_sends = 0, n_recvs = 0;
        for (guint j = 0; j < list->len; j++) {
            const struct listed *b = &g_array_index(list, struct listed, j);
            n_sends += b->round == a->round && b->transfer.src == a->transfer.src;
            n_recvs += b->round == a->round && b->transfer.dst == a->transfer.dst;
        }
        degree = MAX(degree, MAX(n_sends, n_recvs));
    }
    plan->degree = degree;
}

void list_add(lag_plan *plan, uint32_t round, struct laggard_transfer transfer)
{
    struct listed line = {round, transfer, true, true};

    g_array_append_val(list_of(plan), line);
    list_plan_changed(plan);
}

lag_plan *list_plan_copy(const struct laggard_plan *plan)
{
    lag_plan *copy = list_plan_new(plan->collective, plan->n_ranks, plan->n_chunks, plan->n_rounds);
    struct lag_names names = {0, 0};
    g_autoptr(GArray) round_list = g_array_new(FALSE, FALSE, sizeof(struct laggard_transfer));

    g_assert_cmpuint(plan->n_lanes, ==, 1);
    copy->root = plan->root;
    for (uint32_t round = 0; round < plan->n_rounds; round++) {
        g_array_set_size(round_list, 0);
        lag_plan_round(plan, names, 0, round, round_list);
        for (guint i = 0; i < round_list->len; i++) {
            struct listed line = {round, g_array_index(round_list, struct laggard_transfer, i),
                                  true, true};
            g_array_append_val(list_of(copy), line);
        }
    }
    list_plan_changed(copy);
    return copy;
}

void bed_init(test_bed *bed, lag_plan *plan, lag_bytes size, lag_rate rate, lag_seconds latency)
{
    *bed = (test_bed){
        .plan = plan,
        .topology = lag_topology_new_switch(plan->n_ranks, rate, latency),
        .chunks = lag_plan_chunks(plan, size, ELEMENT_BYTES),
        .arrival = g_new0(lag_seconds, plan->n_ranks),
        .replay = lag_replay_new(),
    };
    bed->network.topology = bed->topology;
    lag_outcome_init(&bed->outcome, plan->n_ranks);
}

void bed_clear(test_bed *bed)
{
    lag_outcome_clear(&bed->outcome);
    g_clear_pointer(&bed->replay, lag_replay_free);
    g_clear_pointer(&bed->arrival, g_free);
    g_clear_pointer(&bed->death, g_free);
    g_clear_pointer(&bed->topology, lag_topology_free);
    g_clear_pointer(&bed->plan, lag_plan_free);
}

void bed_move(test_bed *bed, lag_topology *topology)
{
    lag_topology_free(bed->topology);
    bed->topology = topology;
    bed->network.topology = topology;
}

lag_topology *graph_topology(uint32_t n_ranks, const struct lag_graph_link *links, uint32_t n_links)
{
    const struct lag_topology_request request = {
        .n_ranks = n_ranks,
        .outer = {.kind = lag_topology_kind_find("graph"), .links = links, .n_links = n_links},
    };
    struct lag_topology_fault fault;
    g_autoptr(GError) error = NULL;
    lag_topology *topology = lag_topology_compose(&request, &fault, &error);

    g_assert_no_error(error);
    return topology;
}

lag_topology *tree_topology(uint32_t n_ranks, uint32_t gpus_per_node, lag_rate rate,
                            lag_rate uplink, lag_seconds latency)
{
    g_autoptr(GArray) links = g_array_new(FALSE, FALSE, sizeof(struct lag_graph_link));
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);

    for (uint32_t rank = 0; rank < n_ranks; rank++) {
        char *gpu = g_strdup_printf("gpu%u", rank);
        char *leaf = g_strdup_printf("leaf%u", rank / gpus_per_node);
        struct lag_graph_link port = {gpu, leaf, rate, latency, false};
        struct lag_graph_link up = {leaf, "core", uplink, latency, false};
        g_ptr_array_add(names, gpu);
        g_ptr_array_add(names, leaf);
        g_array_append_val(links, port);
        if (rank % gpus_per_node == 0)
            g_array_append_val(links, up);
    }
    return graph_topology(n_ranks, (const struct lag_graph_link *)(const void *)links->data,
                          links->len);
}

uint32_t link_named(const lag_topology *topology, const char *name)
{
    uint32_t links[2];

    g_assert_cmpuint(lag_topology_find_links(topology, name, links), ==, 1);
    return links[0];
}

bool bed_try(test_bed *bed, GError **error)
{
    struct lag_run run = {
        .plan = bed->plan,
        .network = &bed->network,
        .chunks = bed->chunks,
        .arrival = bed->arrival,
        .death = bed->death,
        .observer = bed->observer,
        .start = bed->start,
        .bare = bed->bare,
    };

    return lag_replay_run(bed->replay, &run, &bed->outcome, error);
}

lag_seconds bed_run(test_bed *bed)
{
    g_autoptr(GError) error = NULL;

    bed_try(bed, &error);
    g_assert_no_error(error);
    return bed->outcome.completion;
}

lag_seconds bed_exposed(test_bed *bed)
{
    lag_seconds completion = bed_run(bed);

    return completion - bed->outcome.last_arrival;
}

void bed_set_port(test_bed *bed, uint32_t rank, lag_rate rate)
{
    bed->topology->links[lag_topology_egress(bed->topology, rank)].rate = rate;
    bed->topology->links[lag_topology_ingress(bed->topology, rank)].rate = rate;
}

gsl_rng *test_rng(unsigned long seed)
{
    gsl_rng *rng = gsl_rng_alloc(lag_rng_philox);

    gsl_rng_set(rng, seed);
    return rng;
}

void bed_randomise(test_bed *bed, gsl_rng *rng)
{
    for (uint32_t i = 0; i < bed->topology->n_links; i++) {
        bed->topology->links[i].rate = 1e9 * (1 + 3 * gsl_rng_uniform(rng));
        bed->topology->links[i].latency = below(rng, 4) == 0 ? 0 : 1e-5 * gsl_rng_uniform(rng);
    }
    for (uint32_t rank = 0; rank < bed->plan->n_ranks; rank++)
        bed->arrival[rank] = below(rng, 3) == 0 ? 0 : 1e-3 * gsl_rng_uniform(rng);
    bed->network.overhead = below(rng, 2) == 0 ? 0 : 1e-6 * gsl_rng_uniform(rng);
    bed->network.eager = below(rng, 2) == 0;
    bed->network.fluid = below(rng, 2) == 0;
}

uint32_t random_ranks(const struct laggard_algorithm *algorithm, enum laggard_collective collective,
                      gsl_rng *rng)
{
    for (;;) {
        uint32_t n = 1 + below(rng, 16);
        if (lag_algorithm_accepts(algorithm, collective, n, NULL))
            return n;
    }
}
