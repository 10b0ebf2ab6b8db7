/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/network/survey.h"

#include <math.h>
#include <string.h>

#include "sim/network/composition.h"
#include "sim/network/max-flow.h"

/* Cuts of so many GPUs are all looked at: 12,870 of 16. */
#define MOST_FOR_ALL_CUTS 16
/* Ways that are looked at for the diameter. */
#define MOST_WAYS (1u << 18)

const struct lag_topology_kind *lag_topology_outer_kind(const lag_topology *topology)
{
    const lag_fragment *outer = topology->composition->outer;

    return outer != NULL ? outer->part.kind : NULL;
}

uint32_t lag_topology_n_shapes(const lag_topology *topology)
{
    return topology->composition->n_shapes;
}

const struct lag_topology_kind *lag_topology_inner_kind(const lag_topology *topology,
                                                        uint32_t shape)
{
    const lag_fragment *inner = topology->composition->shapes[shape].inner;

    return inner != NULL ? inner->part.kind : NULL;
}

/* A switch does not keep its links, which are all alike. */
static lag_rate rate_as_built(const lag_fragment *outer, uint32_t link)
{
    if (outer->links->len == 0)
        return outer->part.rate;
    return g_array_index(outer->links, struct lag_link, link).rate;
}

static bool find_by_formula(const lag_topology *topology, lag_rate *ret_rate)
{
    const struct lag_composition *composition = topology->composition;
    const lag_fragment *outer = composition->outer;

    if (composition->hosts != NULL || outer->part.kind->bisection == NULL)
        return false;
    for (uint32_t l = 0; l < topology->n_links; l++)
        if (topology->links[l].rate != rate_as_built(outer, l))
            return false;
    return outer->part.kind->bisection(outer, ret_rate);
}

/* What goes over a cut, in the direction that has less. */
static lag_rate cut(lag_max_flow *flow, bool *is_source, uint32_t n, lag_rate least)
{
    least = MIN(least, lag_max_flow_find(flow, is_source, least));
    for (uint32_t rank = 0; rank < n; rank++)
        is_source[rank] = !is_source[rank];
    return MIN(least, lag_max_flow_find(flow, is_source, least));
}

static lag_rate find_by_all_cuts(const lag_topology *topology)
{
    g_autoptr(lag_max_flow) flow = lag_max_flow_new(topology);
    uint32_t n = topology->n_ranks;
    bool is_source[MOST_FOR_ALL_CUTS];
    lag_rate least = INFINITY;

    for (uint32_t set = 0; set < 1u << n; set++) {
        uint32_t n_sources = 0;
        for (uint32_t rank = 0; rank < n; rank++) {
            is_source[rank] = set >> rank & 1;
            n_sources += is_source[rank];
        }
        bool is_twin = n % 2 == 0 && is_source[0]; /* the other half was looked at */
        if (n_sources == n / 2 && !is_twin)
            least = cut(flow, is_source, n, least);
    }
    return least;
}

static lag_rate find_by_one_cut(const lag_topology *topology)
{
    g_autoptr(lag_max_flow) flow = lag_max_flow_new(topology);
    uint32_t n = topology->n_ranks;
    g_autofree bool *is_source = g_new(bool, n);

    for (uint32_t rank = 0; rank < n; rank++)
        is_source[rank] = lag_composition_place(topology->composition, rank) < n / 2;
    return cut(flow, is_source, n, INFINITY);
}

static void find_bisection(const lag_topology *topology, struct lag_survey *survey)
{
    survey->bisection_by = LAG_BISECTION_EXACT;
    if (topology->n_ranks == 1)
        return;
    if (find_by_formula(topology, &survey->bisection)) {
        survey->bisection_by = LAG_BISECTION_FORMULA;
    } else if (topology->n_ranks <= MOST_FOR_ALL_CUTS) {
        survey->bisection = find_by_all_cuts(topology);
    } else {
        survey->bisection = find_by_one_cut(topology);
        survey->bisection_by = LAG_BISECTION_BOUND;
    }
}

/* From all GPUs, or from some that are spread evenly, to all. */
static void find_diameter(const lag_topology *topology, struct lag_survey *survey)
{
    g_autoptr(GArray) way = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    uint32_t n = topology->n_ranks, stride = (uint32_t)((uint64_t)n * n / MOST_WAYS) + 1;

    survey->diameter_exact = stride == 1;
    for (uint32_t src = 0; src < n; src += stride)
        for (uint32_t dst = 0; dst < n; dst++) {
            g_array_set_size(way, 0);
            lag_topology_route(topology, src, dst, way);
            survey->diameter = MAX(survey->diameter, way->len);
        }
}

/* NICs of nodes, and what a graph calls nic. */
static bool is_nic(const lag_topology *topology, uint32_t node)
{
    g_autofree char *name = lag_topology_node_name(topology, node);
    const char *dot = strrchr(name, '.');

    return g_str_has_prefix(dot != NULL ? dot + 1 : name, "nic");
}

void lag_topology_survey(const lag_topology *topology, struct lag_survey *ret_survey)
{
    *ret_survey = (struct lag_survey){
        .n_gpus = topology->n_ranks,
        .n_links = topology->n_links,
    };
    for (uint32_t node = topology->n_ranks; node < topology->n_nodes; node++)
        ret_survey->n_nics += is_nic(topology, node);
    ret_survey->n_switches = topology->n_nodes - topology->n_ranks - ret_survey->n_nics;
    find_bisection(topology, ret_survey);
    find_diameter(topology, ret_survey);
}
