/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every kind of topology, at sizes given and random: its ways are connected walks over links that
 * exist, its names are unique and found again. */
#include <math.h>
#include <string.h>

#include "sim/network/compose.h"
#include "tests/helpers.h"
#include "tests/topology-samples.h"

/* A way from a to b begins at a, ends at b, and goes from link to link; on no node twice. */
static void check_walk(const lag_topology *topology, uint32_t a, uint32_t b, const GArray *way)
{
    g_autofree bool *seen = g_new0(bool, topology->n_nodes);
    uint32_t at = a;

    g_assert_cmpuint(way->len, >, 0);
    for (guint i = 0; i < way->len; i++) {
        uint32_t number = g_array_index(way, uint32_t, i);
        g_assert_cmpuint(number, <, topology->n_links);
        g_assert_cmpuint(topology->links[number].from, ==, at);
        g_assert_false(seen[at]);
        seen[at] = true;
        at = topology->links[number].to;
    }
    g_assert_cmpuint(at, ==, b);
}

static void check_walks(const lag_topology *topology)
{
    g_autoptr(GArray) way = g_array_new(FALSE, FALSE, sizeof(uint32_t));

    for (uint32_t a = 0; a < topology->n_ranks; a++)
        for (uint32_t b = 0; b < topology->n_ranks; b++) {
            g_array_set_size(way, 0);
            lag_topology_route(topology, a, b, way);
            if (a != b)
                check_walk(topology, a, b, way);
            else
                g_assert_cmpuint(way->len, ==, 0);
        }
}

/* Each link has one that leads back, which shares its pool or has its own. */
static void check_links(const lag_topology *topology)
{
    for (uint32_t l = 0; l < topology->n_links; l++) {
        const struct lag_link *link = &topology->links[l];
        g_autofree char *name = lag_topology_link_name(topology, l);
        g_autofree char *both = g_strdup_printf("%.*s--%s", (int)(strstr(name, "->") - name), name,
                                                strstr(name, "->") + 2);
        uint32_t found[2];
        g_assert_cmpuint(lag_topology_find_links(topology, name, found), ==, 1);
        g_assert_cmpuint(found[0], ==, l);
        g_assert_cmpuint(lag_topology_find_links(topology, both, found), ==, 2);
        g_assert_cmpuint(found[0], ==, l);
        const struct lag_link *back = &topology->links[found[1]];
        g_assert_true(link->from != link->to);
        g_assert_true(link->rate > 0 && link->rate == back->rate);
        g_assert_true(link->latency == back->latency);
        g_assert_true(link->pool == back->pool || (link->pool == l && back->pool == found[1]));
    }
}

/* The links by their ends are all links, each once on either side, by number. */
static void check_ports(const lag_topology *topology)
{
    uint32_t n_out = 0, n_in = 0;

    for (uint32_t node = 0; node < topology->n_nodes; node++) {
        struct lag_ports ports = lag_topology_ports(topology, node);
        for (uint32_t i = 0; i < ports.n_out; i++) {
            g_assert_cmpuint(topology->links[ports.out[i]].from, ==, node);
            g_assert_true(i == 0 || ports.out[i] > ports.out[i - 1]);
        }
        for (uint32_t i = 0; i < ports.n_in; i++) {
            g_assert_cmpuint(topology->links[ports.in[i]].to, ==, node);
            g_assert_true(i == 0 || ports.in[i] > ports.in[i - 1]);
        }
        n_out += ports.n_out;
        n_in += ports.n_in;
    }
    g_assert_cmpuint(n_out, ==, topology->n_links);
    g_assert_cmpuint(n_in, ==, topology->n_links);
}

/* Names of nodes are unique and lead back to them. */
static void check_nodes(const lag_topology *topology)
{
    for (uint32_t node = 0; node < topology->n_nodes; node++) {
        g_autofree char *name = lag_topology_node_name(topology, node);
        uint32_t found;
        g_assert_true(lag_topology_find_node(topology, name, &found));
        g_assert_cmpuint(found, ==, node);
    }
}

static void every_kind(void)
{
    for (uint32_t k = 0; lag_topologies[k] != NULL; k++)
        for (uint32_t i = 0; i < SAMPLES_PER_KIND; i++) {
            struct sample sample;
            sample_draw(&sample, lag_topologies[k]);
            g_autofree char *text = sample_text(&sample);
            g_test_message("%s", text);
            g_autoptr(lag_topology) topology = sample_build(&sample);
            check_nodes(topology);
            check_links(topology);
            check_ports(topology);
            check_walks(topology);
            sample_clear(&sample);
        }
}

/* Two links through one switch, or one direct link, make `latency` between neighbours. */
static void latencies(void)
{
    for (uint32_t k = 0; lag_topologies[k] != NULL; k++)
        for (uint32_t i = 0; i < SAMPLES_PER_KIND; i++) {
            struct sample sample;
            sample_draw(&sample, lag_topologies[k]);
            g_autoptr(lag_topology) topology = sample_build(&sample);
            for (uint32_t l = 0; l < topology->n_links; l++) {
                const struct lag_link *link = &topology->links[l];
                bool direct = link->from < topology->n_ranks && link->to < topology->n_ranks;
                g_assert_cmpfloat(link->latency, ==, direct ? SAMPLE_LATENCY : SAMPLE_LATENCY / 2);
            }
            sample_clear(&sample);
        }
}

/* The table is sorted, and complete where a user reads it. */
static void the_table(void)
{
    for (uint32_t k = 0; lag_topologies[k] != NULL; k++) {
        const struct lag_topology_kind *kind = lag_topologies[k];
        g_assert_true(lag_topology_kind_find(kind->name) == kind);
        g_assert_true(k == 0 || strcmp(lag_topologies[k - 1]->name, kind->name) < 0);
        g_assert_nonnull(strchr(kind->drawing, '\n'));
        g_assert_true(strlen(kind->summary) > 0 && strlen(kind->routing) > 0);
        for (uint32_t i = 0; i < lag_topology_kind_n_parameters(kind); i++) {
            const struct lag_topology_parameter *parameter = &kind->parameters[i];
            g_assert_cmpint(lag_topology_kind_parameter(kind, parameter->name), ==, (int)i);
            g_assert_true(strlen(parameter->help) > 0 && parameter->min <= parameter->max);
            g_assert_true(!parameter->required || parameter->default_text[0] == '\0');
        }
        g_assert_cmpint(lag_topology_kind_parameter(kind, "nonsense"), ==, -1);
    }
    g_assert_null(lag_topology_kind_find("swich"));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/topologies/table", the_table);
    g_test_add_func("/topologies/every-kind", every_kind);
    g_test_add_func("/topologies/latencies", latencies);
    return g_test_run();
}
