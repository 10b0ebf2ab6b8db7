/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/network/fabric.h"

#include <math.h>

#include "sim/network/flow.h"

/* Flows that end within this part of the time of each other end together, so that rounding does
 * not make two instants of one. */
#define SAME_INSTANT 1e-14

struct flow {
    double left;      /* bytes not sent when the rates last changed [B] */
    lag_rate rate;    /* since then */
    lag_seconds ends; /* at this rate; INFINITY before it has one */
    uint32_t cookie;
    bool gone;
    struct lag_route route;
};

struct lag_fabric {
    const lag_topology *topology;
    lag_flow_solver *solver;
    lag_seconds since;      /* the last change of rates */
    bool changed;           /* a flow started or ended since then */
    GArray *flows;          /* of struct flow, in order of their start */
    guint next_take;        /* flows before it were looked at in this instant */
    lag_rate *capacity;     /* [topology->n_links] */
    GArray *firsts, *links; /* of uint32_t, scratch: struct lag_routes */
    GArray *rates;          /* of lag_rate, scratch */
};

lag_fabric *lag_fabric_new(void)
{
    lag_fabric *fabric = g_new0(lag_fabric, 1);

    fabric->solver = lag_flow_solver_new();
    fabric->flows = g_array_new(FALSE, FALSE, sizeof(struct flow));
    fabric->firsts = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    fabric->links = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    fabric->rates = g_array_new(FALSE, FALSE, sizeof(lag_rate));
    return fabric;
}

void lag_fabric_free(lag_fabric *fabric)
{
    if (fabric == NULL)
        return;
    lag_flow_solver_free(fabric->solver);
    g_array_unref(fabric->flows);
    g_array_unref(fabric->firsts);
    g_array_unref(fabric->links);
    g_array_unref(fabric->rates);
    g_free(fabric->capacity);
    g_free(fabric);
}

void lag_fabric_reset(lag_fabric *fabric, const lag_topology *topology)
{
    fabric->topology = topology;
    fabric->capacity = g_renew(lag_rate, fabric->capacity, topology->n_links);
    for (uint32_t l = 0; l < topology->n_links; l++)
        fabric->capacity[l] = topology->links[l].rate;
    fabric->since = 0;
    fabric->changed = false;
    fabric->next_take = 0;
    g_array_set_size(fabric->flows, 0);
}

static struct flow *flow_at(const lag_fabric *fabric, guint i)
{
    return &g_array_index(fabric->flows, struct flow, i);
}

void lag_fabric_start(lag_fabric *fabric, struct lag_route route, lag_bytes bytes, uint32_t cookie)
{
    struct flow flow = {
        .left = (double)bytes,
        .ends = INFINITY,
        .cookie = cookie,
        .route = route,
    };

    g_array_append_val(fabric->flows, flow);
    fabric->changed = true;
}

bool lag_fabric_take(lag_fabric *fabric, lag_seconds now, uint32_t *ret_cookie)
{
    while (fabric->next_take < fabric->flows->len) {
        struct flow *flow = flow_at(fabric, fabric->next_take++);
        if (flow->gone || flow->ends > now * (1 + SAME_INSTANT))
            continue;
        flow->gone = true;
        fabric->changed = true;
        *ret_cookie = flow->cookie;
        return true;
    }
    return false;
}

/* Takes what was sent since the last change off the flows, and those that ended out. */
static void advance(lag_fabric *fabric, lag_seconds now)
{
    guint kept = 0;

    for (guint i = 0; i < fabric->flows->len; i++) {
        struct flow flow = *flow_at(fabric, i);
        if (flow.gone)
            continue;
        flow.left = MAX(0, flow.left - flow.rate * (now - fabric->since));
        *flow_at(fabric, kept++) = flow;
    }
    g_array_set_size(fabric->flows, kept);
    fabric->since = now;
}

static void share(lag_fabric *fabric)
{
    uint32_t end = 0;

    g_array_set_size(fabric->firsts, 0);
    g_array_set_size(fabric->links, 0);
    g_array_append_val(fabric->firsts, end);
    for (guint i = 0; i < fabric->flows->len; i++) {
        const struct lag_route *route = &flow_at(fabric, i)->route;
        for (uint32_t k = 0; k < route->n_links; k++)
            g_array_append_val(fabric->links, fabric->topology->links[route->links[k]].pool);
        end = fabric->links->len;
        g_array_append_val(fabric->firsts, end);
    }
    g_array_set_size(fabric->rates, fabric->flows->len);
    const struct lag_routes routes = {
        .n_flows = fabric->flows->len,
        .first = &g_array_index(fabric->firsts, uint32_t, 0),
        .links = &g_array_index(fabric->links, uint32_t, 0),
    };
    lag_flow_solve(fabric->solver, fabric->topology->n_links, fabric->capacity, &routes,
                   &g_array_index(fabric->rates, lag_rate, 0));
}

lag_seconds lag_fabric_settle(lag_fabric *fabric, lag_seconds now)
{
    lag_seconds next = INFINITY;

    fabric->next_take = 0;
    if (fabric->changed) {
        advance(fabric, now);
        share(fabric);
        fabric->changed = false;
        for (guint i = 0; i < fabric->flows->len; i++) {
            struct flow *flow = flow_at(fabric, i);
            flow->rate = g_array_index(fabric->rates, lag_rate, i);
            flow->ends = now + flow->left / flow->rate;
        }
    }
    for (guint i = 0; i < fabric->flows->len; i++)
        next = MIN(next, flow_at(fabric, i)->ends);
    return next;
}
