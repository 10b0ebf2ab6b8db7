/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/network/fabric.h"

#include <assert.h>
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
    bool gone;          /* the slot is free: */
    uint32_t next_free; /* number + 1 of the next such slot */
    struct lag_route route;
};

struct lag_fabric {
    const lag_topology *topology;
    lag_flow_solver *solver;
    lag_seconds since;      /* the last change of rates */
    bool changed;           /* a flow or a link changed since then */
    GArray *flows;          /* of struct flow, by handle */
    uint32_t first_free;    /* number + 1 of a free slot, or 0 */
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
    fabric->first_free = 0;
    g_array_set_size(fabric->flows, 0);
}

static struct flow *flow_at(const lag_fabric *fabric, guint i)
{
    return &g_array_index(fabric->flows, struct flow, i);
}

uint32_t lag_fabric_start(lag_fabric *fabric, struct lag_route route, lag_bytes bytes,
                          uint32_t cookie)
{
    struct flow flow = {
        .left = (double)bytes,
        .ends = INFINITY,
        .cookie = cookie,
        .route = route,
    };
    uint32_t handle = fabric->flows->len;

    if (fabric->first_free != 0) {
        handle = fabric->first_free - 1;
        fabric->first_free = flow_at(fabric, handle)->next_free;
        *flow_at(fabric, handle) = flow;
    } else {
        g_array_append_val(fabric->flows, flow);
    }
    fabric->changed = true;
    return handle;
}

static void remove_flow(lag_fabric *fabric, uint32_t handle)
{
    struct flow *flow = flow_at(fabric, handle);

    flow->gone = true;
    flow->next_free = fabric->first_free;
    fabric->first_free = handle + 1;
    fabric->changed = true;
}

static double left_at(const lag_fabric *fabric, const struct flow *flow, lag_seconds now)
{
    return MAX(0, flow->left - flow->rate * (now - fabric->since));
}

double lag_fabric_cancel(lag_fabric *fabric, uint32_t handle, lag_seconds now)
{
    double left = left_at(fabric, flow_at(fabric, handle), now);

    remove_flow(fabric, handle);
    return left;
}

void lag_fabric_set_rate(lag_fabric *fabric, uint32_t link, lag_rate rate, lag_seconds now)
{
    assert(rate >= 0 && isfinite(rate));
    assert(now >= fabric->since);
    fabric->capacity[fabric->topology->links[link].pool] = rate;
    fabric->changed = true;
}

bool lag_fabric_take(lag_fabric *fabric, lag_seconds now, uint32_t *ret_cookie)
{
    while (fabric->next_take < fabric->flows->len) {
        uint32_t handle = fabric->next_take++;
        const struct flow *flow = flow_at(fabric, handle);
        if (flow->gone || flow->ends > now * (1 + SAME_INSTANT))
            continue;
        *ret_cookie = flow->cookie;
        remove_flow(fabric, handle);
        return true;
    }
    return false;
}

/* Takes what was sent since the last change off the flows. */
static void advance(lag_fabric *fabric, lag_seconds now)
{
    for (guint i = 0; i < fabric->flows->len; i++) {
        struct flow *flow = flow_at(fabric, i);
        if (!flow->gone)
            flow->left = left_at(fabric, flow, now);
    }
    fabric->since = now;
}

/* A slot that is free crosses nothing. */
static void list_route(lag_fabric *fabric, const struct flow *flow)
{
    for (uint32_t k = 0; k < (flow->gone ? 0 : flow->route.n_links); k++)
        g_array_append_val(fabric->links, fabric->topology->links[flow->route.links[k]].pool);
    uint32_t end = fabric->links->len;
    g_array_append_val(fabric->firsts, end);
}

static void share(lag_fabric *fabric)
{
    uint32_t begin = 0;

    g_array_set_size(fabric->firsts, 0);
    g_array_set_size(fabric->links, 0);
    g_array_append_val(fabric->firsts, begin);
    for (guint i = 0; i < fabric->flows->len; i++)
        list_route(fabric, flow_at(fabric, i));
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
            flow->rate = flow->gone ? 0 : g_array_index(fabric->rates, lag_rate, i);
            flow->ends = flow->rate > 0 ? now + flow->left / flow->rate : INFINITY;
        }
    }
    for (guint i = 0; i < fabric->flows->len; i++)
        if (!flow_at(fabric, i)->gone)
            next = MIN(next, flow_at(fabric, i)->ends);
    return next;
}

lag_rate lag_fabric_rate(const lag_fabric *fabric, uint32_t flow)
{
    return flow_at(fabric, flow)->rate;
}
