/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/fault.h"

#include <math.h>

#include "sim/laggard.h"

bool lag_fault_is_open(const lag_traffic *traffic, struct lag_route route)
{
    for (uint32_t i = 0; i < route.n_links; i++)
        if (!(traffic->rate[route.links[i]] > 0))
            return false;
    return true;
}

/* Sets the rate of a link and of what shares its capacity. */
static void set_rate(lag_traffic *traffic, const struct lag_link_event *event)
{
    const lag_topology *topology = traffic->network->topology;
    uint32_t pool = topology->links[event->link].pool;

    for (uint32_t link = 0; link < topology->n_links; link++)
        if (topology->links[link].pool == pool) {
            traffic->rate[link] = event->rate;
            lag_router_set_dead(traffic->router, link, !(event->rate > 0));
        }
    lag_fabric_set_rate(traffic->fabric, event->link, event->rate, traffic->engine.now);
}

/* A transit on a dead link takes another way, if it can; one that waits for a way departs. */
static void reconsider(lag_traffic *traffic, uint32_t index)
{
    struct lag_transit *transit = lag_transit_at(traffic, index);

    if (transit->state == LAG_TRANSIT_WAITS) {
        lag_traffic_depart(traffic, index);
        return;
    }
    if (transit->state != LAG_TRANSIT_FLIES || transit->hop > 0 ||
        lag_fault_is_open(traffic, transit->route))
        return;
    struct lag_route other = lag_traffic_route(traffic, transit->parcel.src, transit->parcel.dst);
    if (other.n_links == 0 || !lag_fault_is_open(traffic, other))
        return;
    lag_traffic_ground(traffic, index);
    transit->route = other;
    lag_traffic_fly(traffic, index);
}

/* Lets all events up to a time of the job happen. */
static void apply(lag_traffic *traffic, lag_seconds time)
{
    const struct lag_network *network = traffic->network;

    for (; traffic->next_event < network->n_events; traffic->next_event++) {
        const struct lag_link_event *event = &network->events[traffic->next_event];
        if (event->at > time)
            break;
        set_rate(traffic, event);
    }
}

static void post_next(lag_traffic *traffic)
{
    const struct lag_network *network = traffic->network;
    lag_seconds now = traffic->engine.now;

    if (traffic->next_event == network->n_events)
        return;
    lag_seconds at = network->events[traffic->next_event].at - traffic->start;
    lag_engine_post(&traffic->engine, MAX(at, now), LAG_FAULT, 0, traffic->on_event, 0);
}

void lag_fault_handle(void *self, uint32_t rank, uint32_t data)
{
    lag_traffic *traffic = self;

    (void)rank;
    (void)data;
    lag_traffic_land(traffic);
    apply(traffic, traffic->network->events[traffic->next_event].at);
    for (guint i = 0; i < traffic->transits->len; i++)
        reconsider(traffic, i);
    lag_traffic_settle_later(traffic);
    post_next(traffic);
}

void lag_fault_begin(lag_traffic *traffic)
{
    traffic->next_event = 0;
    apply(traffic, traffic->start);
    post_next(traffic);
}

static void append_gpu(const lag_traffic *traffic, uint32_t gpu, GString *text)
{
    if (gpu == traffic->network->topology->n_ranks)
        g_string_append(text, "the switch");
    else
        g_string_append_printf(text, "gpu%u", gpu);
}

/* Since when a link has been dead, in the traffic's time. */
static lag_seconds dead_since(const lag_traffic *traffic, uint32_t link)
{
    const struct lag_network *network = traffic->network;
    const struct lag_link *links = network->topology->links;
    lag_seconds since = NAN;

    for (uint32_t i = 0; i < network->n_events; i++) {
        const struct lag_link_event *event = &network->events[i];
        if (links[event->link].pool != links[link].pool)
            continue;
        if (event->rate > 0)
            since = NAN;
        else if (isnan(since))
            since = event->at - traffic->start;
    }
    return since;
}

/* The dead link that a transit is on, or would be on if all were alive. */
static uint32_t blocked_by(lag_traffic *traffic, const struct lag_transit *transit)
{
    const lag_topology *topology = traffic->network->topology;
    g_autoptr(GArray) way = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    struct lag_route route = transit->route;

    if (route.n_links == 0 && MAX(transit->parcel.src, transit->parcel.dst) < topology->n_ranks) {
        lag_topology_route(topology, transit->parcel.src, transit->parcel.dst, way);
        route = (struct lag_route){way->len, (const uint32_t *)(const void *)way->data};
    }
    for (uint32_t i = transit->hop; i < route.n_links; i++)
        if (!(traffic->rate[route.links[i]] > 0))
            return route.links[i];
    return LAGGARD_NONE;
}

static void describe_transit(lag_traffic *traffic, const struct lag_transit *transit, GString *text)
{
    uint32_t link = blocked_by(traffic, transit);

    g_string_append_printf(text, "; %.0f B from ", transit->left);
    append_gpu(traffic, transit->parcel.src, text);
    g_string_append(text, " to ");
    append_gpu(traffic, transit->parcel.dst, text);
    if (link == LAGGARD_NONE) {
        g_string_append(text, " have no way");
        return;
    }
    g_autofree char *name = lag_topology_link_name(traffic->network->topology, link);
    g_string_append_printf(text, " wait for %s, dead since %.9g s", name,
                           dead_since(traffic, link));
}

void lag_fault_describe(lag_traffic *traffic, GString *text)
{
    uint32_t n_told = 0;

    for (guint i = 0; i < traffic->transits->len; i++) {
        const struct lag_transit *transit = lag_transit_at(traffic, i);
        if (transit->state == LAG_TRANSIT_FLIES)
            lag_traffic_ground(traffic, i); /* so that it knows what is left */
        if (transit->state != LAG_TRANSIT_WAITS)
            continue;
        if (++n_told <= LAG_FAULT_MOST_TOLD)
            describe_transit(traffic, transit, text);
    }
    if (n_told > LAG_FAULT_MOST_TOLD)
        g_string_append_printf(text, "; and %u more", n_told - LAG_FAULT_MOST_TOLD);
}

void lag_fault_capacity(const struct lag_network *network, lag_seconds start, lag_seconds from,
                        lag_seconds to, double *bytes)
{
    const lag_topology *topology = network->topology;
    g_autofree lag_rate *rate = g_new(lag_rate, topology->n_links);
    g_autofree lag_seconds *since = g_new(lag_seconds, topology->n_links);

    for (uint32_t link = 0; link < topology->n_links; link++) {
        rate[link] = topology->links[link].rate;
        since[link] = from;
        bytes[link] = 0;
    }
    for (uint32_t i = 0; i < network->n_events; i++) {
        const struct lag_link_event *event = &network->events[i];
        lag_seconds at = CLAMP(event->at - start, from, to);
        for (uint32_t link = 0; link < topology->n_links; link++) {
            if (topology->links[link].pool != topology->links[event->link].pool)
                continue;
            bytes[link] += rate[link] * (at - since[link]);
            rate[link] = event->rate;
            since[link] = at;
        }
    }
    for (uint32_t link = 0; link < topology->n_links; link++)
        bytes[link] += rate[link] * (to - since[link]);
}
