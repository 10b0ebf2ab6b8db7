/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/gradient/tree-round.h"

#include <math.h>
#include <string.h>

#include "sim/gradient/tree-down.h"
#include "sim/laggard.h"

static lag_seconds now(const lag_tree_rounds *rounds)
{
    return rounds->engine->now - rounds->begin;
}

static bool is_leaf(const lag_tree_rounds *rounds, uint32_t v)
{
    return v >= rounds->first_leaf;
}

static void finish(lag_tree_rounds *rounds);
static void begin_round(lag_tree_rounds *rounds);

/* Offers a node's message to its parent, if it is ready and still wanted. */
static void try_send(lag_tree_rounds *rounds, uint32_t v)
{
    const struct lag_gradient *gradient = rounds->run->gradient;
    const lag_seconds *death = lag_gradient_work_death(rounds->work);
    struct lag_tree_node *node = &rounds->nodes[v];
    double spread = 1 + gradient->fan_in * (rounds->setup->tree.degree - 1);
    struct lag_letter letter = {.receiver = lag_tree_parent(rounds, v), .sender = v};

    if (isinf(node->own) || (!is_leaf(rounds, v) && isinf(node->decoded)))
        return;
    if (death != NULL && death[v - 1] < now(rounds))
        return; /* while it waited for its children */
    node->ready = now(rounds);
    if (rounds->nodes[letter.receiver].decided)
        return;
    letter.tag = rounds->round;
    if (rounds->traffic == NULL)
        letter.takes = gradient->message_time * spread;
    else
        letter.bytes = (lag_bytes)llround((double)lag_gradient_bytes(gradient) * spread);
    lag_inbox_offer(&rounds->inbox, &letter);
}

static void start_work(lag_tree_rounds *rounds, uint32_t v)
{
    struct lag_tree_node *node = &rounds->nodes[v];

    node->busy = true;
    node->begun = now(rounds);
    if (isfinite(node->work))
        lag_engine_post(rounds->engine, rounds->engine->now + node->work, LAG_COMPUTE_DONE, v,
                        rounds->on_work, rounds->round);
}

static void handle_work(void *self, uint32_t v, uint32_t round)
{
    lag_tree_rounds *rounds = self;
    struct lag_tree_node *node = &rounds->nodes[v];

    node->busy = false;
    if (round == rounds->round) {
        node->own = now(rounds);
        try_send(rounds, v);
    } else if (isfinite(node->has)) {
        start_work(rounds, v);
    }
}

static void note_params(lag_tree_rounds *rounds, uint32_t v)
{
    struct lag_tree_node *node = &rounds->nodes[v];

    node->has = now(rounds);
    if (!node->busy)
        start_work(rounds, v);
}

static void note_decoded(lag_tree_rounds *rounds, uint32_t p)
{
    rounds->nodes[p].decoded = now(rounds);
    if (p == 0)
        finish(rounds);
    else
        try_send(rounds, p);
}

static void handle_decoded(void *self, uint32_t p, uint32_t round)
{
    lag_tree_rounds *rounds = self;

    if (round == rounds->round)
        note_decoded(rounds, p);
}

/* What combining so many vectors takes, and solving for a set that this parent hasn't met. */
static lag_seconds decode_time(lag_tree_rounds *rounds, uint32_t p,
                               const struct lag_decoding *decoding)
{
    const struct lag_gradient *gradient = rounds->run->gradient;
    double bytes = (double)lag_gradient_bytes(gradient) * decoding->n_used;
    lag_seconds time = isfinite(gradient->decode_rate) ? bytes / gradient->decode_rate : 0;

    if (gradient->solve_time > 0) {
        int64_t key = (int64_t)(decoding->set * rounds->n_nodes + p);
        if (!g_hash_table_contains(rounds->met, &key)) {
            g_hash_table_add(rounds->met, g_memdup2(&key, sizeof key));
            time += gradient->solve_time;
        }
    }
    return time;
}

/* A parent combines what it has; no further message is looked at. */
static void decide(lag_tree_rounds *rounds, uint32_t p, uint32_t decider)
{
    struct lag_tree_node *node = &rounds->nodes[p];
    uint32_t first = lag_tree_first_child(rounds, p), n = rounds->setup->tree.degree;
    struct lag_decoding decoding =
        lag_decoder_decode(rounds->decoder, rounds->arrived + (first - 1));

    node->decided = true;
    node->decider = decider;
    node->residual = decoding.residual;
    for (uint32_t i = 0; i < n; i++)
        if (decoding.weights[i] != 0)
            node->residual = fmax(node->residual, rounds->nodes[first + i].residual);
    memcpy(rounds->weights + (first - 1), decoding.weights, n * sizeof *decoding.weights);
    rounds->decision.any |= p == 0 && decoding.n_used > 0;
    node->decode = decode_time(rounds, p, &decoding);
    lag_inbox_drop(&rounds->inbox, p);
    if (node->decode > 0)
        lag_engine_post(rounds->engine, rounds->engine->now + node->decode, LAG_COMPUTE_DONE, p,
                        rounds->on_decoded, rounds->round);
    else
        note_decoded(rounds, p);
}

static bool is_enough(const lag_tree_rounds *rounds, uint32_t p)
{
    const struct lag_tree_node *node = &rounds->nodes[p];

    if (node->n_arrived < rounds->least)
        return false;
    return rounds->setup->by_count ||
           lag_decoder_ready(rounds->decoder,
                             rounds->arrived + (lag_tree_first_child(rounds, p) - 1));
}

static void handle_letter(void *self, const struct lag_letter *letter)
{
    lag_tree_rounds *rounds = self;
    struct lag_tree_node *parent = &rounds->nodes[letter->receiver];
    struct lag_tree_node *child = &rounds->nodes[letter->sender];

    if (letter->tag != rounds->round || parent->decided)
        return;
    child->start = letter->start - rounds->begin;
    child->there = now(rounds);
    child->behind = letter->behind;
    rounds->arrived[letter->sender - 1] = true;
    parent->n_arrived++;
    if (is_enough(rounds, letter->receiver))
        decide(rounds, letter->receiver, letter->sender);
}

static void handle_deadline(void *self, uint32_t rank, uint32_t round)
{
    lag_tree_rounds *rounds = self;

    (void)rank;
    if (round == rounds->round && !rounds->nodes[0].decided)
        decide(rounds, 0, LAGGARD_NONE);
}

static void finish(lag_tree_rounds *rounds)
{
    rounds->decision.time = now(rounds);
    rounds->decision.residual = rounds->nodes[0].residual;
    rounds->is_decided = true;
    if (rounds->decided(rounds->self) && rounds->run->gradient->carry)
        begin_round(rounds);
    else
        lag_engine_stop(rounds->engine);
}

static void forget_round(lag_tree_rounds *rounds)
{
    for (uint32_t v = 0; v < rounds->n_nodes; v++) {
        struct lag_tree_node *node = &rounds->nodes[v];
        bool busy = node->busy;
        *node = (struct lag_tree_node){
            .has = INFINITY,
            .begun = INFINITY,
            .own = INFINITY,
            .decoded = INFINITY,
            .ready = INFINITY,
            .start = INFINITY,
            .there = INFINITY,
            .behind = LAGGARD_NONE,
            .decider = LAGGARD_NONE,
            .busy = busy,
        };
        if (!is_leaf(rounds, v))
            lag_inbox_drop(&rounds->inbox, v);
    }
    rounds->nodes[0].own = 0;
    memset(rounds->arrived, 0, (rounds->n_nodes - 1) * sizeof *rounds->arrived);
    memset(rounds->weights, 0, (rounds->n_nodes - 1) * sizeof *rounds->weights);
    rounds->decision = (struct lag_tree_decision){0};
    rounds->is_decided = false;
}

static void begin_round(lag_tree_rounds *rounds)
{
    const struct lag_gradient *gradient = rounds->run->gradient;

    rounds->round++;
    rounds->begin = rounds->engine->now;
    forget_round(rounds);
    lag_gradient_work_next(rounds->work, rounds->arrival);
    for (uint32_t v = 1; v < rounds->n_nodes; v++) {
        struct lag_tree_node *node = &rounds->nodes[v];
        node->encode = rounds->encode[(v - 1) % rounds->setup->tree.degree];
        node->work = rounds->arrival[v - 1] + node->encode;
    }
    if (isfinite(gradient->deadline))
        lag_engine_post(rounds->engine, rounds->begin + gradient->deadline, LAG_FAULT, 0,
                        rounds->on_deadline, rounds->round);
    lag_tree_down(rounds);
}

bool lag_tree_rounds_start(lag_tree_rounds *rounds, lag_seconds job_time)
{
    const struct lag_network *network = rounds->run->network;

    if (rounds->traffic != NULL)
        lag_traffic_begin(rounds->traffic, network, job_time,
                          network->fluid || network->n_events > 0);
    else
        lag_engine_reset(rounds->engine);
    struct lag_inbox_setup setup = {
        .engine = rounds->engine,
        .traffic = rounds->traffic,
        .all_at_once = rounds->run->shared_ports,
        .n_parties = rounds->n_nodes,
        .host = rounds->host,
        .self = rounds,
        .there = handle_letter,
    };
    lag_inbox_begin(&rounds->inbox, &setup);
    rounds->on_work = lag_engine_handler(rounds->engine, handle_work, rounds);
    rounds->on_decoded = lag_engine_handler(rounds->engine, handle_decoded, rounds);
    rounds->on_deadline = lag_engine_handler(rounds->engine, handle_deadline, rounds);
    lag_tree_down_begin(rounds);
    for (uint32_t v = 0; v < rounds->n_nodes; v++)
        rounds->nodes[v].busy = false;
    begin_round(rounds);
    lag_engine_run(rounds->engine);
    return rounds->is_decided;
}

/* What each child of a parent needs to weight and add up the vectors of its parts. */
static lag_seconds *new_encode_times(const lag_tree_rounds *rounds)
{
    const struct lag_gradient *gradient = rounds->run->gradient;
    const lag_code *code = rounds->setup->code;
    lag_seconds *times = g_new0(lag_seconds, code->n_messages);

    for (uint32_t i = 0; isfinite(gradient->encode_rate) && i < code->n_messages; i++) {
        uint32_t n = 0;
        for (uint32_t j = 0; j < code->n_parts; j++)
            n += gsl_matrix_get(code->B, i, j) != 0;
        if (n > 1)
            times[i] = (double)lag_gradient_bytes(gradient) * n / gradient->encode_rate;
    }
    return times;
}

void lag_tree_rounds_init(lag_tree_rounds *rounds, const struct lag_protocol_run *run,
                          const struct lag_tree_setup *setup,
                          const struct lag_allocation *allocation)
{
    uint32_t n_nodes = allocation->n_nodes;

    *rounds = (lag_tree_rounds){
        .setup = setup,
        .run = run,
        .allocation = allocation,
        .n_nodes = n_nodes,
        .has_params = note_params,
        .first_leaf = n_nodes - lag_tree_layer(&setup->tree, setup->tree.depth),
        .least = setup->by_count ? setup->tree.degree - setup->tree.stragglers
                                 : MAX(setup->code->fewest, 1),
        .decoder = lag_decoder_new(setup->code),
        .work = lag_gradient_work_new(run->gradient, run->lateness, n_nodes - 1,
                                      allocation->load + 1, run->seed, run->replication),
        .nodes = g_new0(struct lag_tree_node, n_nodes),
        .arrived = g_new(bool, n_nodes),
        .weights = g_new(double, n_nodes),
        .arrival = g_new(lag_seconds, run->lateness->n_ranks),
        .host = g_new(uint32_t, n_nodes),
        .down_at = g_new(lag_seconds, n_nodes),
        .met = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL),
    };
    if (!setup->by_count && setup->code->enough > 0)
        rounds->least = MIN(rounds->least, setup->code->enough);
    rounds->encode = new_encode_times(rounds);
    rounds->host[0] = run->n_workers;
    for (uint32_t v = 1; v < n_nodes; v++)
        rounds->host[v] = v - 1;
    lag_inbox_init(&rounds->inbox);
    lag_engine_init(&rounds->own_engine);
    rounds->engine = &rounds->own_engine;
    if (isnan(run->gradient->message_time)) {
        rounds->traffic = g_new(lag_traffic, 1);
        lag_traffic_init(rounds->traffic);
        rounds->engine = &rounds->traffic->engine;
    }
}

void lag_tree_rounds_clear(lag_tree_rounds *rounds)
{
    if (rounds->traffic != NULL)
        lag_traffic_clear(rounds->traffic);
    g_free(rounds->traffic);
    lag_engine_clear(&rounds->own_engine);
    lag_inbox_clear(&rounds->inbox);
    lag_decoder_free(rounds->decoder);
    lag_gradient_work_free(rounds->work);
    g_free(rounds->nodes);
    g_free(rounds->arrived);
    g_free(rounds->weights);
    g_free(rounds->arrival);
    g_free(rounds->encode);
    g_free(rounds->host);
    g_free(rounds->down_at);
    g_hash_table_destroy(rounds->met);
    *rounds = (lag_tree_rounds){0};
}
