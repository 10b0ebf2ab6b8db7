/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/network/flow.h"

#include <stdbool.h>

#include <glib.h>

/* A link while it is being filled. */
struct link {
    double left;    /* capacity that no fixed flow takes [B/s] */
    uint32_t open;  /* flows on it that are not fixed */
    uint32_t begin; /* of its flows in `flows` */
};

/* A link's share when it was pushed; out of date when the link's has grown since. */
struct offer {
    double share;
    uint32_t link;
};

struct lag_flow_solver {
    struct link *links;
    uint32_t *flows;    /* of all links, by link */
    struct offer *heap; /* binary, least share first; ties by link */
    bool *fixed;        /* by flow */
    size_t n_heap, room_links, room_entries, room_flows;
};

lag_flow_solver *lag_flow_solver_new(void)
{
    return g_new0(lag_flow_solver, 1);
}

void lag_flow_solver_free(lag_flow_solver *solver)
{
    if (solver == NULL)
        return;
    g_free(solver->links);
    g_free(solver->flows);
    g_free(solver->heap);
    g_free(solver->fixed);
    g_free(solver);
}

static void make_room(lag_flow_solver *solver, uint32_t n_links, const struct lag_routes *routes)
{
    size_t n_entries = routes->first[routes->n_flows];

    if (n_links > solver->room_links) {
        solver->links = g_renew(struct link, solver->links, n_links + 1);
        solver->heap = g_renew(struct offer, solver->heap, n_links);
        solver->room_links = n_links;
    }
    if (n_entries > solver->room_entries) {
        solver->flows = g_renew(uint32_t, solver->flows, n_entries);
        solver->room_entries = n_entries;
    }
    if (routes->n_flows > solver->room_flows) {
        solver->fixed = g_renew(bool, solver->fixed, routes->n_flows);
        solver->room_flows = routes->n_flows;
    }
}

/* Lists each link's flows. */
static void invert(lag_flow_solver *solver, uint32_t n_links, const struct lag_routes *routes)
{
    struct link *links = solver->links;
    uint32_t sum = 0;

    for (uint32_t i = 0; i < routes->first[routes->n_flows]; i++)
        links[routes->links[i]].open++;
    for (uint32_t l = 0; l < n_links; l++) {
        links[l].begin = sum;
        sum += links[l].open;
        links[l].open = 0;
    }
    links[n_links].begin = sum;
    for (uint32_t f = 0; f < routes->n_flows; f++)
        for (uint32_t i = routes->first[f]; i < routes->first[f + 1]; i++) {
            struct link *link = &links[routes->links[i]];
            solver->flows[link->begin + link->open++] = f;
        }
}

static double share_of(const struct link *link)
{
    return link->left / link->open;
}

static bool is_before(struct offer a, struct offer b)
{
    return a.share < b.share || (a.share == b.share && a.link < b.link);
}

static void sift_down(lag_flow_solver *solver, size_t i)
{
    struct offer *heap = solver->heap, offer = heap[i];

    for (size_t child; (child = 2 * i + 1) < solver->n_heap; i = child) {
        if (child + 1 < solver->n_heap && is_before(heap[child + 1], heap[child]))
            child++;
        if (!is_before(heap[child], offer))
            break;
        heap[i] = heap[child];
    }
    heap[i] = offer;
}

static void fill_heap(lag_flow_solver *solver, uint32_t n_links)
{
    solver->n_heap = 0;
    for (uint32_t l = 0; l < n_links; l++)
        if (solver->links[l].open > 0)
            solver->heap[solver->n_heap++] = (struct offer){share_of(&solver->links[l]), l};
    for (size_t i = solver->n_heap / 2; i-- > 0;)
        sift_down(solver, i);
}

/* The link that is full first, or NULL. As flows are fixed, shares of other links only grow, so
 * the least offer is put right where it is out of date, until it isn't. */
static struct link *next_bottleneck(lag_flow_solver *solver)
{
    while (solver->n_heap > 0) {
        struct offer *top = &solver->heap[0];
        struct link *link = &solver->links[top->link];
        double share = link->open > 0 ? share_of(link) : 0;
        if (link->open == 0)
            *top = solver->heap[--solver->n_heap];
        else if (share > top->share)
            top->share = share;
        else
            return link;
        if (solver->n_heap > 0)
            sift_down(solver, 0);
    }
    return NULL;
}

static void fix(lag_flow_solver *solver, const struct lag_routes *routes, uint32_t flow,
                double rate)
{
    solver->fixed[flow] = true;
    for (uint32_t i = routes->first[flow]; i < routes->first[flow + 1]; i++) {
        struct link *link = &solver->links[routes->links[i]];
        link->left = MAX(0, link->left - rate);
        link->open--;
    }
}

void lag_flow_solve(lag_flow_solver *solver, uint32_t n_links, const lag_rate *capacity,
                    const struct lag_routes *routes, lag_rate *rate)
{
    struct link *bottleneck;

    make_room(solver, n_links, routes);
    for (uint32_t l = 0; l < n_links; l++)
        solver->links[l] = (struct link){.left = capacity[l]};
    for (uint32_t f = 0; f < routes->n_flows; f++)
        solver->fixed[f] = false;
    invert(solver, n_links, routes);
    fill_heap(solver, n_links);
    while ((bottleneck = next_bottleneck(solver)) != NULL) {
        double share = share_of(bottleneck);
        for (uint32_t i = bottleneck->begin; i < bottleneck[1].begin; i++) {
            uint32_t flow = solver->flows[i];
            if (solver->fixed[flow])
                continue;
            rate[flow] = share;
            fix(solver, routes, flow, share);
        }
    }
}
