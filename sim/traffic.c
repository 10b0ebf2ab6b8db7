/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/traffic.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "sim/fault.h"
#include "sim/laggard.h"

void lag_traffic_init(lag_traffic *traffic)
{
    *traffic = (lag_traffic){
        .router = lag_router_new(),
        .fabric = lag_fabric_new(),
        .users = g_array_new(FALSE, FALSE, sizeof(struct lag_traffic_user)),
        .transits = g_array_new(FALSE, FALSE, sizeof(struct lag_transit)),
        .landed = g_array_new(FALSE, FALSE, sizeof(uint32_t)),
    };
    lag_engine_init(&traffic->engine);
}

void lag_traffic_clear(lag_traffic *traffic)
{
    if (traffic == NULL || traffic->router == NULL)
        return;
    lag_engine_clear(&traffic->engine);
    lag_router_free(traffic->router);
    lag_fabric_free(traffic->fabric);
    g_array_unref(traffic->users);
    g_array_unref(traffic->transits);
    g_array_unref(traffic->landed);
    g_free(traffic->rate);
    g_free(traffic->numbers);
    *traffic = (lag_traffic){0};
}

uint32_t lag_traffic_add_user(lag_traffic *traffic, const struct lag_traffic_user *user)
{
    g_array_append_vals(traffic->users, user, 1);
    return traffic->users->len - 1;
}

static const struct lag_traffic_user *user_at(const lag_traffic *traffic, uint32_t user)
{
    return &g_array_index(traffic->users, struct lag_traffic_user, user);
}

void lag_traffic_record(lag_traffic *traffic, uint32_t user, double *link_bytes)
{
    g_array_index(traffic->users, struct lag_traffic_user, user).link_bytes = link_bytes;
}

struct lag_route lag_traffic_route(lag_traffic *traffic, uint32_t src, uint32_t dst)
{
    const lag_topology *topology = traffic->network->topology;
    uint32_t the_switch = topology->n_ranks;

    if (src == dst)
        return (struct lag_route){0, NULL};
    if (src != the_switch && dst != the_switch)
        return lag_router_find(traffic->router, src, dst);
    assert(topology->is_switch);
    uint32_t link = src == the_switch ? lag_topology_ingress(topology, dst)
                                      : lag_topology_egress(topology, src);
    return (struct lag_route){1, &traffic->numbers[link]};
}

/* What bytes cost on a route alone, all links at once. */
static struct lag_cost cost_of(const lag_traffic *traffic, struct lag_route route, lag_bytes bytes)
{
    const struct lag_link *links = traffic->network->topology->links;
    struct lag_cost cost = {.link = LAGGARD_NONE};
    lag_rate least = INFINITY;

    for (uint32_t i = 0; i < route.n_links; i++) {
        uint32_t link = route.links[i];
        cost.latency += links[link].latency;
        if (traffic->rate[link] < least) {
            least = traffic->rate[link];
            cost.link = link;
        }
    }
    cost.wire = (lag_seconds)bytes / least;
    return cost;
}

/* The links of its route that a transit crosses at a time: all, or the next one. */
static struct lag_route stretch_of(const lag_traffic *traffic, const struct lag_transit *transit)
{
    if (!traffic->network->store_and_forward || transit->route.n_links == 0)
        return transit->route;
    return (struct lag_route){1, &transit->route.links[transit->hop]};
}

static bool is_last_stretch(const lag_traffic *traffic, const struct lag_transit *transit)
{
    return !traffic->network->store_and_forward || transit->hop + 1 >= transit->route.n_links;
}

static void free_transit(lag_traffic *traffic, uint32_t index)
{
    struct lag_transit *transit = lag_transit_at(traffic, index);

    transit->state = LAG_TRANSIT_FREE;
    transit->next_free = traffic->free_transit;
    traffic->free_transit = index;
}

static uint32_t keep_transit(lag_traffic *traffic, const struct lag_transit *transit)
{
    uint32_t index = traffic->free_transit;

    if (index == LAGGARD_NONE) {
        g_array_append_vals(traffic->transits, transit, 1);
        return traffic->transits->len - 1;
    }
    traffic->free_transit = lag_transit_at(traffic, index)->next_free;
    *lag_transit_at(traffic, index) = *transit;
    return index;
}

/* The link of its stretch that belongs to a pool. */
static uint32_t link_of_pool(const lag_traffic *traffic, const struct lag_transit *transit,
                             uint32_t pool)
{
    const struct lag_link *links = traffic->network->topology->links;
    struct lag_route stretch = stretch_of(traffic, transit);

    for (uint32_t i = 0; i < stretch.n_links; i++)
        if (links[stretch.links[i]].pool == pool)
            return stretch.links[i];
    return LAGGARD_NONE;
}

/* The data have crossed a stretch by `now`, for which they waited and flew since hop_begin; adds to
 * the transit's cost. `limit`: the link that held them up, if known. */
static void add_stretch(const lag_traffic *traffic, struct lag_transit *transit, lag_seconds now,
                        uint32_t limit)
{
    struct lag_cost *sum = &transit->cost;
    struct lag_cost alone = cost_of(traffic, stretch_of(traffic, transit), transit->parcel.bytes);
    lag_seconds took = now - transit->hop_begin;

    alone.wire = MIN(alone.wire, took);
    if (sum->link == LAGGARD_NONE || took > sum->wire + sum->contention)
        sum->link = limit != LAGGARD_NONE ? limit : alone.link;
    sum->wire += alone.wire;
    sum->contention += took - alone.wire;
    sum->latency += alone.latency;
    transit->hop_latency = alone.latency;
}

static void tell_left(lag_traffic *traffic, const struct lag_transit *transit, lag_seconds to)
{
    const struct lag_traffic_user *user = user_at(traffic, transit->user);
    struct lag_passage passage = {transit->begin, to, transit->cost};

    passage.cost.latency = 0;
    user->left(user->self, transit->cookie, &passage);
}

static void tell_there(lag_traffic *traffic, const struct lag_transit *transit, lag_seconds sent,
                       lag_seconds latency)
{
    const struct lag_traffic_user *user = user_at(traffic, transit->user);
    lag_seconds to = sent + latency;
    struct lag_passage passage = {to - (sent - transit->hop_begin), to, transit->cost};

    user->there(user->self, transit->cookie, &passage);
}

/* Counts as alone: all that will happen is known. */
static void foresee(lag_traffic *traffic, struct lag_transit *transit)
{
    for (lag_seconds time = transit->begin;; transit->hop++) {
        struct lag_route stretch = stretch_of(traffic, transit);
        lag_seconds sent = time + cost_of(traffic, stretch, transit->parcel.bytes).wire;
        transit->hop_begin = time;
        add_stretch(traffic, transit, sent, LAGGARD_NONE);
        lag_seconds latency = transit->hop_latency;
        if (transit->hop == 0)
            tell_left(traffic, transit, sent);
        if (is_last_stretch(traffic, transit)) {
            tell_there(traffic, transit, sent, latency);
            return;
        }
        time = sent + latency;
    }
}

void lag_traffic_send(lag_traffic *traffic, uint32_t user, uint32_t cookie,
                      const struct lag_parcel *parcel)
{
    struct lag_transit transit = {
        .parcel = *parcel,
        .user = user,
        .cookie = cookie,
        .state = LAG_TRANSIT_LEAVES,
        .begin = traffic->engine.now + traffic->network->overhead,
        .left = (double)parcel->bytes,
        .cost = {.link = LAGGARD_NONE},
    };

    transit.hop_begin = transit.begin;
    if (traffic->shares) {
        uint32_t index = keep_transit(traffic, &transit);
        if (transit.begin == traffic->engine.now && transit.left > 0 && parcel->src != parcel->dst)
            lag_traffic_depart(traffic, index);
        else
            lag_engine_post(&traffic->engine, transit.begin, LAG_MESSAGE_AT_WORKER, parcel->src,
                            traffic->on_departure, index);
        return;
    }
    transit.route = lag_traffic_route(traffic, parcel->src, parcel->dst);
    foresee(traffic, &transit);
}

/* The transit has crossed a stretch by now, which its cost knows. */
static void pass_on(lag_traffic *traffic, uint32_t index)
{
    lag_seconds now = traffic->engine.now;
    struct lag_transit *transit = lag_transit_at(traffic, index);
    lag_seconds latency = transit->hop_latency;

    struct lag_transit copy = *transit; /* calls may send, and move the others */
    if (is_last_stretch(traffic, transit)) {
        free_transit(traffic, index);
    } else {
        transit->state = LAG_TRANSIT_LEAVES;
        transit->left = (double)transit->parcel.bytes;
        transit->hop_begin = now + latency;
        transit->hop++;
        lag_engine_post(&traffic->engine, transit->hop_begin, LAG_MESSAGE_AT_WORKER,
                        transit->parcel.src, traffic->on_departure, index);
    }
    if (copy.hop == 0)
        tell_left(traffic, &copy, now);
    if (is_last_stretch(traffic, &copy))
        tell_there(traffic, &copy, now, latency);
}

void lag_traffic_settle_later(lag_traffic *traffic)
{
    if (traffic->settling)
        return;
    traffic->settling = true;
    lag_engine_post(&traffic->engine, traffic->engine.now, LAG_NETWORK_SETTLES, 0,
                    traffic->on_settling, 0);
}

void lag_traffic_fly(lag_traffic *traffic, uint32_t index)
{
    struct lag_transit *transit = lag_transit_at(traffic, index);

    transit->flow =
        lag_fabric_start(traffic->fabric, stretch_of(traffic, transit), transit->left, index);
    transit->state = LAG_TRANSIT_FLIES;
    lag_traffic_settle_later(traffic);
}

/* It flies no more, after so many bytes. */
static void count_bytes(lag_traffic *traffic, const struct lag_transit *transit, double bytes)
{
    double *link_bytes = user_at(traffic, transit->user)->link_bytes;
    struct lag_route stretch = stretch_of(traffic, transit);

    for (uint32_t i = 0; link_bytes != NULL && i < stretch.n_links; i++)
        link_bytes[stretch.links[i]] += bytes;
}

void lag_traffic_ground(lag_traffic *traffic, uint32_t index)
{
    struct lag_transit *transit = lag_transit_at(traffic, index);
    double left = lag_fabric_cancel(traffic->fabric, transit->flow, traffic->engine.now);

    count_bytes(traffic, transit, transit->left - left);
    transit->left = left;
    transit->state = LAG_TRANSIT_WAITS;
    lag_traffic_settle_later(traffic);
}

void lag_traffic_land(lag_traffic *traffic)
{
    uint32_t index;

    g_array_set_size(traffic->landed, 0);
    while (lag_fabric_take(traffic->fabric, traffic->engine.now, &index)) {
        struct lag_transit *transit = lag_transit_at(traffic, index);
        uint32_t pool = lag_fabric_bottleneck(traffic->fabric);
        count_bytes(traffic, transit, transit->left);
        add_stretch(traffic, transit, traffic->engine.now, link_of_pool(traffic, transit, pool));
        g_array_append_val(traffic->landed, index);
    }
    for (guint i = 0; i < traffic->landed->len; i++)
        pass_on(traffic, g_array_index(traffic->landed, uint32_t, i));
}

void lag_traffic_depart(lag_traffic *traffic, uint32_t index)
{
    struct lag_transit *transit = lag_transit_at(traffic, index);

    if (transit->hop == 0)
        transit->route = lag_traffic_route(traffic, transit->parcel.src, transit->parcel.dst);
    bool has_way =
        transit->parcel.src == transit->parcel.dst ||
        (transit->route.n_links > 0 && lag_fault_is_open(traffic, stretch_of(traffic, transit)));
    if (!has_way)
        transit->state = LAG_TRANSIT_WAITS;
    else if (transit->left > 0 && transit->route.n_links > 0)
        lag_traffic_fly(traffic, index);
    else {
        add_stretch(traffic, transit, traffic->engine.now, LAGGARD_NONE);
        pass_on(traffic, index);
    }
}

static void handle_departure(void *self, uint32_t rank, uint32_t index)
{
    (void)rank;
    lag_traffic_depart(self, index);
}

static void settle(lag_traffic *traffic)
{
    lag_traffic_land(traffic);
    lag_seconds next = lag_fabric_settle(traffic->fabric, traffic->engine.now);
    if (next == traffic->landing_at)
        return;
    lag_engine_cancel(&traffic->engine, traffic->next_landing);
    traffic->landing_at = next;
    if (isfinite(next))
        traffic->next_landing = lag_engine_start_timer(&traffic->engine, next, LAG_NETWORK_SETTLES,
                                                       0, traffic->on_landing, 0);
}

static void handle_settling(void *self, uint32_t rank, uint32_t data)
{
    lag_traffic *traffic = self;

    (void)rank;
    (void)data;
    traffic->settling = false;
    settle(traffic);
}

static void handle_landing(void *self, uint32_t rank, uint32_t data)
{
    lag_traffic *traffic = self;

    (void)rank;
    (void)data;
    traffic->landing_at = INFINITY;
    settle(traffic);
}

static void make_room(lag_traffic *traffic, uint32_t n_links)
{
    if (n_links > traffic->room_links) {
        traffic->rate = g_renew(lag_rate, traffic->rate, n_links);
        traffic->numbers = g_renew(uint32_t, traffic->numbers, n_links);
        traffic->room_links = n_links;
    }
    for (uint32_t link = 0; link < n_links; link++) {
        traffic->rate[link] = traffic->network->topology->links[link].rate;
        traffic->numbers[link] = link;
    }
}

void lag_traffic_begin(lag_traffic *traffic, const struct lag_network *network, lag_seconds start,
                       bool shares)
{
    assert(shares || network->n_events == 0);
    traffic->network = network;
    traffic->start = start;
    traffic->shares = shares;
    lag_engine_reset(&traffic->engine);
    traffic->on_departure = lag_engine_handler(&traffic->engine, handle_departure, traffic);
    traffic->on_settling = lag_engine_handler(&traffic->engine, handle_settling, traffic);
    traffic->on_landing = lag_engine_handler(&traffic->engine, handle_landing, traffic);
    traffic->on_event = lag_engine_handler(&traffic->engine, lag_fault_handle, traffic);
    lag_router_reset(traffic->router, network->topology);
    lag_fabric_reset(traffic->fabric, network->topology);
    g_array_set_size(traffic->users, 0);
    g_array_set_size(traffic->transits, 0);
    traffic->free_transit = LAGGARD_NONE;
    traffic->next_landing = 0;
    traffic->landing_at = INFINITY;
    traffic->settling = false;
    make_room(traffic, network->topology->n_links);
    lag_fault_begin(traffic);
}
