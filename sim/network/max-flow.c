/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/network/max-flow.h"

#define FAR UINT32_MAX

/* A step of a way from a source: over a link, or back over one that has flow. */
struct step {
    uint32_t link;
    bool back;
};

struct lag_max_flow {
    const lag_topology *topology;
    const bool *is_source;
    lag_rate *left;          /* [n_links] capacity that no flow takes */
    lag_rate *flow;          /* [n_links] */
    uint32_t *level, *queue; /* [n_nodes] links from the nearest source; scratch */
    uint32_t *next;          /* [n_nodes] ways out of a node that were tried in this phase */
    struct step *path;       /* [n_nodes] */
};

lag_max_flow *lag_max_flow_new(const lag_topology *topology)
{
    lag_max_flow *flow = g_new(lag_max_flow, 1);

    *flow = (lag_max_flow){
        .topology = topology,
        .left = g_new(lag_rate, topology->n_links),
        .flow = g_new(lag_rate, topology->n_links),
        .level = g_new(uint32_t, topology->n_nodes),
        .queue = g_new(uint32_t, topology->n_nodes),
        .next = g_new(uint32_t, topology->n_nodes),
        .path = g_new(struct step, topology->n_nodes),
    };
    return flow;
}

void lag_max_flow_free(lag_max_flow *flow)
{
    if (flow == NULL)
        return;
    g_free(flow->left);
    g_free(flow->flow);
    g_free(flow->level);
    g_free(flow->queue);
    g_free(flow->next);
    g_free(flow->path);
    g_free(flow);
}

/* Rates of half-duplex links count half for each direction. */
static void reset(lag_max_flow *flow)
{
    const lag_topology *topology = flow->topology;

    for (uint32_t l = 0; l < topology->n_links; l++) {
        flow->left[l] = topology->links[l].rate;
        flow->flow[l] = 0;
    }
    for (uint32_t l = 0; l < topology->n_links; l++) {
        uint32_t pool = topology->links[l].pool;
        if (pool != l)
            flow->left[l] = flow->left[pool] = topology->links[pool].rate / 2;
    }
}

static bool is_sink(const lag_max_flow *flow, uint32_t node)
{
    return node < flow->topology->n_ranks && !flow->is_source[node];
}

/* The i-th way out of a node, first over links, then back over links into it; false behind the
 * last. */
static bool step_at(const lag_max_flow *flow, uint32_t node, uint32_t i, struct step *ret_step,
                    uint32_t *ret_to)
{
    struct lag_ports ports = lag_topology_ports(flow->topology, node);
    bool back = i >= ports.n_out;

    if (back && i - ports.n_out >= ports.n_in)
        return false;
    uint32_t link = back ? ports.in[i - ports.n_out] : ports.out[i];
    const struct lag_link *ends = &flow->topology->links[link];
    *ret_step = (struct step){link, back};
    *ret_to = back ? ends->from : ends->to;
    return true;
}

static lag_rate room_of(const lag_max_flow *flow, struct step step)
{
    return step.back ? flow->flow[step.link] : flow->left[step.link];
}

/* Breadth first from all sources; false where no sink can be reached. */
static bool find_levels(lag_max_flow *flow)
{
    const lag_topology *topology = flow->topology;
    bool reached = false;
    uint32_t n = 0, to;
    struct step step;

    for (uint32_t node = 0; node < topology->n_nodes; node++) {
        bool is_source = node < topology->n_ranks && flow->is_source[node];
        flow->level[node] = is_source ? 0 : FAR;
        flow->next[node] = 0;
        if (is_source)
            flow->queue[n++] = node;
    }
    for (uint32_t head = 0; head < n; head++) {
        uint32_t node = flow->queue[head];
        if (is_sink(flow, node)) {
            reached = true;
            continue;
        }
        for (uint32_t i = 0; step_at(flow, node, i, &step, &to); i++)
            if (flow->level[to] == FAR && room_of(flow, step) > 0) {
                flow->level[to] = flow->level[node] + 1;
                flow->queue[n++] = to;
            }
    }
    return reached;
}

/* The next way on from a node that leads one level further. */
static bool advance(lag_max_flow *flow, uint32_t node, struct step *ret_step, uint32_t *ret_to)
{
    for (; step_at(flow, node, flow->next[node], ret_step, ret_to); flow->next[node]++)
        if (room_of(flow, *ret_step) > 0 && flow->level[*ret_to] == flow->level[node] + 1)
            return true;
    return false;
}

/* Sends what the path's narrowest step lets through. */
static lag_rate send(lag_max_flow *flow, uint32_t n_steps)
{
    lag_rate rate = room_of(flow, flow->path[0]);

    for (uint32_t i = 1; i < n_steps; i++)
        rate = MIN(rate, room_of(flow, flow->path[i]));
    for (uint32_t i = 0; i < n_steps; i++) {
        struct step step = flow->path[i];
        flow->left[step.link] += step.back ? rate : -rate;
        flow->flow[step.link] += step.back ? -rate : rate;
    }
    return rate;
}

/* All that goes from one source along the levels. */
static lag_rate send_from(lag_max_flow *flow, uint32_t source, lag_rate enough)
{
    uint32_t node = source, n_steps = 0, to;
    lag_rate sum = 0;
    struct step step;

    while (sum < enough) {
        if (is_sink(flow, node)) {
            sum += send(flow, n_steps);
            node = source;
            n_steps = 0;
        } else if (advance(flow, node, &step, &to)) {
            flow->path[n_steps++] = step;
            node = to;
        } else if (n_steps > 0) {
            const struct step *last = &flow->path[--n_steps];
            const struct lag_link *ends = &flow->topology->links[last->link];
            node = last->back ? ends->to : ends->from;
            flow->next[node]++;
        } else {
            break;
        }
    }
    return sum;
}

lag_rate lag_max_flow_find(lag_max_flow *flow, const bool *is_source, lag_rate enough)
{
    lag_rate sum = 0;

    flow->is_source = is_source;
    reset(flow);
    while (sum < enough && find_levels(flow))
        for (uint32_t rank = 0; rank < flow->topology->n_ranks; rank++)
            if (is_source[rank])
                sum += send_from(flow, rank, enough - sum);
    return sum;
}
