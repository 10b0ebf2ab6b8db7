/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Routes that are kept, equal ways that are spread, and ways around dead links. */
#include <string.h>

#include "sim/network/router.h"
#include "tests/topology-samples.h"

static char *route_text(const lag_topology *topology, struct lag_route route)
{
    g_autoptr(GString) text = g_string_new(NULL);

    for (uint32_t i = 0; i < route.n_links; i++) {
        g_autofree char *name = lag_topology_link_name(topology, route.links[i]);
        g_string_append_printf(text, "%s%s", i > 0 ? " " : "", name);
    }
    return g_string_free(g_steal_pointer(&text), FALSE);
}

static void assert_route(lag_router *router, const lag_topology *topology, uint32_t src,
                         uint32_t dst, const char *expected)
{
    g_autofree char *text = route_text(topology, lag_router_find(router, src, dst));

    g_assert_cmpstr(text, ==, expected);
}

/* Routes are those of the topology, and stay where they are while others are found; a topology of
 * the same shape and other rates keeps them, one of another shape does not. */
static void kept(void)
{
    g_autoptr(lag_router) router = lag_router_new();
    struct sample sample;

    sample_init(&sample, lag_topology_kind_find("torus"), 64);
    sample_set(&sample, "dims", 8);
    sample_set(&sample, "dims", 8);
    g_autoptr(lag_topology) topology = sample_build(&sample);
    sample.part.rate *= 2;
    g_autoptr(lag_topology) faster = sample_build(&sample);
    sample.seed++;
    g_autoptr(lag_topology) other = sample_build(&sample);
    struct lag_route routes[64][64];
    lag_router_reset(router, topology);
    for (uint32_t i = 0; i < 64 * 64; i++)
        routes[i / 64][i % 64] = lag_router_find(router, i / 64, i % 64);
    for (uint32_t i = 0; i < 64 * 64; i++) {
        g_autoptr(GArray) way = g_array_new(FALSE, FALSE, sizeof(uint32_t));
        struct lag_route route = routes[i / 64][i % 64];
        lag_topology_route(topology, i / 64, i % 64, way);
        g_assert_cmpuint(route.n_links, ==, way->len);
        for (uint32_t k = 0; k < route.n_links; k++)
            g_assert_cmpuint(route.links[k], ==, g_array_index(way, uint32_t, k));
        g_assert_true(lag_router_find(router, i / 64, i % 64).links == route.links);
    }
    lag_router_reset(router, faster);
    g_assert_true(lag_router_find(router, 0, 1).links == routes[0][1].links);
    g_assert_cmpuint(topology->shape, !=, other->shape);
    sample_clear(&sample);
}

/* Of 16 spines each gets about its share of the 32 x 224 ways between leaves: 448, with a standard
 * deviation of sqrt(7168 / 16 x 15 / 16) = 20.5; five of those are allowed. Another seed chooses
 * otherwise, the same one the same. */
static void spread(void)
{
    struct sample sample;
    uint32_t used[16] = {0}, n_same = 0;

    sample_init(&sample, lag_topology_kind_find("fat-tree"), 256);
    sample_set(&sample, "gpus_per_leaf", 32);
    sample_set(&sample, "oversubscription", 2);
    g_autoptr(lag_topology) topology = sample_build(&sample);
    g_autoptr(lag_topology) again = sample_build(&sample);
    sample.seed = 1;
    g_autoptr(lag_topology) other = sample_build(&sample);
    for (uint32_t i = 0; i < 32 * 224; i++) {
        g_autoptr(GArray) a = g_array_new(FALSE, FALSE, sizeof(uint32_t));
        g_autoptr(GArray) b = g_array_new(FALSE, FALSE, sizeof(uint32_t));
        g_autoptr(GArray) c = g_array_new(FALSE, FALSE, sizeof(uint32_t));
        lag_topology_route(topology, i % 32, 32 + i / 32, a);
        lag_topology_route(again, i % 32, 32 + i / 32, b);
        lag_topology_route(other, i % 32, 32 + i / 32, c);
        g_assert_true(memcmp(a->data, b->data, 4 * sizeof(uint32_t)) == 0);
        n_same += memcmp(a->data, c->data, 4 * sizeof(uint32_t)) == 0;
        uint32_t spine = topology->links[g_array_index(a, uint32_t, 1)].to;
        used[spine - 256 - 8]++;
    }
    for (uint32_t spine = 0; spine < 16; spine++)
        g_assert_cmpfloat_with_epsilon(used[spine], 448, 5 * 20.5);
    g_assert_cmpfloat_with_epsilon(n_same, 448, 5 * 20.5);
    sample_clear(&sample);
}

/* A ring of four: with the link from 0 to 1 dead, the way is round the other side; with the one
 * from 0 to 3 dead too, there is none, but to 0 there is; alive again, all is as before. Routes
 * that were found stay where they are. */
static void dead_links(void)
{
    g_autoptr(lag_router) router = lag_router_new();
    struct sample sample;

    sample_init(&sample, lag_topology_kind_find("ring"), 4);
    g_autoptr(lag_topology) topology = sample_build(&sample);
    lag_router_reset(router, topology);
    struct lag_route before = lag_router_find(router, 0, 1);
    uint32_t there[2], other[2];
    g_assert_cmpuint(lag_topology_find_links(topology, "gpu0->gpu1", there), ==, 1);
    g_assert_cmpuint(lag_topology_find_links(topology, "gpu0->gpu3", other), ==, 1);
    lag_router_set_dead(router, there[0], true);
    assert_route(router, topology, 0, 1, "gpu0->gpu3 gpu3->gpu2 gpu2->gpu1");
    struct lag_route detour = lag_router_find(router, 0, 1);
    assert_route(router, topology, 1, 0, "gpu1->gpu0");
    lag_router_set_dead(router, other[0], true);
    assert_route(router, topology, 0, 1, "");
    assert_route(router, topology, 1, 0, "gpu1->gpu0");
    lag_router_set_dead(router, other[0], false);
    g_assert_true(lag_router_find(router, 0, 1).links == detour.links);
    lag_router_set_dead(router, there[0], false);
    g_assert_true(lag_router_find(router, 0, 1).links == before.links);
    lag_router_set_dead(router, there[0], true);
    lag_router_reset(router, topology);
    assert_route(router, topology, 0, 1, "gpu0->gpu1");
    sample_clear(&sample);
}

/* Distances by repeated relaxation (Bellman, Ford), over the links that are alive. */
static void relax(const lag_topology *topology, const bool *dead, uint32_t dst, uint32_t *distance)
{
    for (uint32_t node = 0; node < topology->n_nodes; node++)
        distance[node] = node == dst ? 0 : 1000000;
    for (uint32_t pass = 0; pass < topology->n_nodes; pass++)
        for (uint32_t l = 0; l < topology->n_links; l++) {
            const struct lag_link *link = &topology->links[l];
            if (!dead[l])
                distance[link->from] = MIN(distance[link->from], distance[link->to] + 1);
        }
}

static void check_around(lag_router *router, const lag_topology *topology, const bool *dead,
                         uint32_t dst)
{
    g_autofree uint32_t *distance = g_new(uint32_t, topology->n_nodes);

    relax(topology, dead, dst, distance);
    for (uint32_t src = 0; src < topology->n_ranks; src++) {
        struct lag_route route = lag_router_find(router, src, dst);
        uint32_t at = src;
        if (src == dst || distance[src] == 1000000) {
            g_assert_cmpuint(route.n_links, ==, 0);
            continue;
        }
        bool is_normal = true;
        g_autoptr(GArray) normal = g_array_new(FALSE, FALSE, sizeof(uint32_t));
        lag_topology_route(topology, src, dst, normal);
        for (uint32_t i = 0; i < normal->len; i++)
            is_normal = is_normal && !dead[g_array_index(normal, uint32_t, i)];
        g_assert_cmpuint(route.n_links, ==, is_normal ? normal->len : distance[src]);
        for (uint32_t i = 0; i < route.n_links; i++) {
            g_assert_false(dead[route.links[i]]);
            g_assert_cmpuint(topology->links[route.links[i]].from, ==, at);
            at = topology->links[route.links[i]].to;
        }
        g_assert_cmpuint(at, ==, dst);
    }
}

/* On every kind, with any links dead: a way that is alive wherever there is one, the normal one
 * where it is alive, else a shortest one. */
static void around(void)
{
    g_autoptr(lag_router) router = lag_router_new();

    for (uint32_t i = 0; lag_topologies[i / 4] != NULL; i++) {
        struct sample sample;
        sample_draw(&sample, lag_topologies[i / 4]);
        g_autoptr(lag_topology) topology = sample_build(&sample);
        g_autofree bool *dead = g_new0(bool, topology->n_links);
        lag_router_reset(router, topology);
        for (uint32_t change = 0; change < 6 && topology->n_links > 0; change++) {
            for (uint32_t k = 0; k < topology->n_links / 12 + 1; k++) {
                uint32_t link = (uint32_t)g_test_rand_int_range(0, (gint32)topology->n_links);
                dead[link] = !dead[link];
                lag_router_set_dead(router, link, dead[link]);
            }
            check_around(router, topology, dead,
                         (uint32_t)g_test_rand_int_range(0, (gint32)topology->n_ranks));
        }
        sample_clear(&sample);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/router/kept", kept);
    g_test_add_func("/router/spread", spread);
    g_test_add_func("/router/dead-links", dead_links);
    g_test_add_func("/router/around", around);
    return g_test_run();
}
