/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/explain-network.h"

#include <string.h>

#include "results/format.h"
#include "scenarios/nearest.h"
#include "sim/laggard.h"
#include "sim/network/survey.h"

#define MOST_NAMES 10000 /* of GPUs that a hint looks at */

static bool find_gpu(const lag_topology *topology, const char *name, uint32_t *ret, GError **error)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);

    if (lag_topology_find_node(topology, name, ret) && *ret < topology->n_ranks)
        return true;
    for (uint32_t i = 0; i < MIN(topology->n_ranks, MOST_NAMES); i++)
        g_ptr_array_add(names, lag_topology_node_name(topology, i));
    g_autofree char *hint = lag_nearest_hint(name, (const char *const *)names->pdata, names->len);
    g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT, "--route: there is no GPU \"%s\"%s",
                name, hint);
    return false;
}

bool lag_route_ends_parse(const lag_topology *topology, const char *text,
                          struct lag_route_ends *ret, GError **error)
{
    g_auto(GStrv) names = g_strsplit(text, ",", -1);

    if (g_strv_length(names) != 2) {
        g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT,
                    "--route: expected two GPUs, for example gpu0,gpu1, got \"%s\"", text);
        return false;
    }
    ret->wanted = true;
    if (!find_gpu(topology, g_strstrip(names[0]), &ret->from, error) ||
        !find_gpu(topology, g_strstrip(names[1]), &ret->to, error))
        return false;
    if (ret->from != ret->to)
        return true;
    g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT, "--route: both ends are gpu%u",
                ret->from);
    return false;
}

static const char *known_by(enum lag_bisection by)
{
    static const char *const words[] = {
        [LAG_BISECTION_FORMULA] = "formula",
        [LAG_BISECTION_EXACT] = "all cuts",
        [LAG_BISECTION_BOUND] = "one cut",
    };

    return words[by];
}

static void append_bisection(GString *text, const lag_topology *topology,
                             const struct lag_survey *survey)
{
    const struct lag_topology_kind *kind = lag_topology_outer_kind(topology);
    g_autofree char *rate = lag_format_rate(survey->bisection);

    g_string_append_printf(text, "  bisection    %s%s per direction",
                           survey->bisection_by == LAG_BISECTION_BOUND ? "at most " : "", rate);
    if (survey->bisection_by == LAG_BISECTION_FORMULA && kind != NULL)
        g_string_append_printf(text, ": %s", kind->bisection_formula);
    else if (survey->bisection_by == LAG_BISECTION_EXACT)
        g_string_append(text, ": the least of all cuts in halves");
    else
        g_string_append(text, ": the cut between the first half of the GPUs and the others");
    g_string_append_c(text, '\n');
}

static void append_route(GString *text, const lag_topology *topology, uint32_t from, uint32_t to)
{
    g_autoptr(GArray) links = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    lag_seconds latency = 0;

    lag_topology_route(topology, from, to, links);
    g_string_append_printf(text, "  way          gpu%u", from);
    for (guint i = 0; i < links->len; i++) {
        const struct lag_link *link = &topology->links[g_array_index(links, uint32_t, i)];
        g_autofree char *name = lag_topology_node_name(topology, link->to);
        g_autofree char *rate = lag_format_rate(link->rate);
        g_autofree char *time = lag_format_seconds(link->latency);
        g_string_append_printf(text, " -(%s, %s)-> %s", rate, time, name);
        latency += link->latency;
    }
    g_autofree char *all = lag_format_seconds(latency);
    g_string_append_printf(text, "; %s in all\n", all);
}

static void append_drawing(GString *text, const struct lag_topology_kind *kind)
{
    g_auto(GStrv) lines = g_strsplit(kind->drawing, "\n", -1);

    for (uint32_t i = 0; lines[i] != NULL; i++)
        if (lines[i][0] != '\0')
            g_string_append_printf(text, "    %s\n", lines[i]);
}

/* What is inside nodes, each kind once where equal ones follow each other. */
static void append_inside(GString *text, const lag_topology *topology)
{
    const struct lag_topology_kind *before = NULL;

    for (uint32_t i = 0; i < lag_topology_n_shapes(topology); i++) {
        const struct lag_topology_kind *kind = lag_topology_inner_kind(topology, i);
        if (i == 0 || kind != before)
            g_string_append_printf(text, "%s%s", i == 0 ? "  inside nodes " : " or ",
                                   kind != NULL ? kind->name : "no network of their own");
        before = kind;
    }
    if (lag_topology_n_shapes(topology) > 0)
        g_string_append_c(text, '\n');
}

static void append_ends(GString *text, const lag_topology *topology,
                        const struct lag_route_ends *ends)
{
    if (!ends->wanted)
        return;
    append_route(text, topology, ends->from, ends->to);
    append_route(text, topology, ends->to, ends->from);
}

static void append_switch(GString *text, const lag_topology *topology,
                          const struct lag_survey *survey)
{
    g_autofree char *rate = lag_format_rate(survey->bisection);

    g_string_append_printf(text, "\nnetwork: %s, %u GPU%s, bisection %s%s per direction\n",
                           lag_topology_outer_kind(topology)->name, survey->n_gpus,
                           survey->n_gpus == 1 ? "" : "s",
                           survey->bisection_by == LAG_BISECTION_BOUND ? "at most " : "", rate);
}

void lag_network_text(const lag_topology *topology, const struct lag_route_ends *ends,
                      GString *text)
{
    const struct lag_topology_kind *kind = lag_topology_outer_kind(topology);
    struct lag_survey survey;

    lag_topology_survey(topology, &survey);
    if (topology->is_switch) {
        append_switch(text, topology, &survey);
        append_ends(text, topology, ends);
        return;
    }
    g_string_append(text, "\nnetwork: ");
    if (kind != NULL) {
        g_string_append_printf(text, "%s, %s; for example\n", kind->name, kind->summary);
        append_drawing(text, kind);
    } else {
        g_string_append(text, "inside of one node\n");
    }
    append_inside(text, topology);
    g_string_append_printf(text, "  joins        %u GPU%s with", survey.n_gpus,
                           survey.n_gpus == 1 ? "" : "s");
    if (survey.n_nics > 0)
        g_string_append_printf(text, " %u NICs,", survey.n_nics);
    g_string_append_printf(text, " %u switch%s and %u links of one direction\n", survey.n_switches,
                           survey.n_switches == 1 ? "" : "es", survey.n_links);
    append_bisection(text, topology, &survey);
    g_string_append_printf(text, "  diameter     %s%u link%s\n",
                           survey.diameter_exact ? "" : "at least ", survey.diameter,
                           survey.diameter == 1 ? "" : "s");
    if (kind != NULL)
        g_string_append_printf(text, "  ways         %s\n", kind->routing);
    append_ends(text, topology, ends);
}

static void write_route(struct lag_json *json, const lag_topology *topology, uint32_t from,
                        uint32_t to)
{
    g_autoptr(GArray) links = g_array_new(FALSE, FALSE, sizeof(uint32_t));

    lag_topology_route(topology, from, to, links);
    lag_json_open_array(json, NULL, LAG_JSON_LINES);
    for (guint i = 0; i < links->len; i++) {
        uint32_t link = g_array_index(links, uint32_t, i);
        g_autofree char *name = lag_topology_link_name(topology, link);
        lag_json_open_object(json, NULL, LAG_JSON_ONE_LINE);
        lag_json_string(json, "name", name);
        lag_json_number(json, "bandwidth_Bps", topology->links[link].rate);
        lag_json_number(json, "latency_s", topology->links[link].latency);
        lag_json_close(json);
    }
    lag_json_close(json);
}

void lag_network_json(struct lag_json *json, const lag_topology *topology,
                      const struct lag_route_ends *ends)
{
    const struct lag_topology_kind *kind = lag_topology_outer_kind(topology);
    struct lag_survey survey;

    lag_topology_survey(topology, &survey);
    lag_json_open_object(json, "network", LAG_JSON_LINES);
    lag_json_string(json, "topology", kind != NULL ? kind->name : NULL);
    lag_json_open_array(json, "inside_nodes", LAG_JSON_ONE_LINE);
    for (uint32_t i = 0; i < lag_topology_n_shapes(topology); i++) {
        const struct lag_topology_kind *inner = lag_topology_inner_kind(topology, i);
        lag_json_string(json, NULL, inner != NULL ? inner->name : NULL);
    }
    lag_json_close(json);
    lag_json_count(json, "gpus", survey.n_gpus);
    lag_json_count(json, "nics", survey.n_nics);
    lag_json_count(json, "switches", survey.n_switches);
    lag_json_count(json, "links", survey.n_links);
    lag_json_number(json, "bisection_Bps", survey.bisection);
    lag_json_string(json, "bisection_by", known_by(survey.bisection_by));
    lag_json_count(json, "diameter", survey.diameter);
    lag_json_boolean(json, "diameter_exact", survey.diameter_exact);
    if (ends->wanted) {
        lag_json_open_array(json, "routes", LAG_JSON_LINES);
        write_route(json, topology, ends->from, ends->to);
        write_route(json, topology, ends->to, ends->from);
        lag_json_close(json);
    }
    lag_json_close(json);
}

/* Keeps the busiest ones in order; of equals the first. */
static void keep(struct lag_loads *loads, const struct lag_load *load)
{
    uint32_t at = loads->n;

    while (at > 0 && loads->links[at - 1].time < load->time)
        at--;
    if (at == LAG_MOST_LOADS)
        return;
    loads->n = MIN(loads->n + 1, LAG_MOST_LOADS);
    for (uint32_t i = loads->n - 1; i > at; i--)
        loads->links[i] = loads->links[i - 1];
    loads->links[at] = *load;
}

void lag_find_loads(const struct lag_subject *subject, uint32_t late, struct lag_loads *ret)
{
    const lag_topology *topology = subject->topology;
    g_autofree double *bytes = g_new0(double, topology->n_links);
    g_autofree double *pools = g_new0(double, topology->n_links);
    g_autofree uint64_t *taken_as_late = g_new0(uint64_t, subject->plan->n_ranks);

    *ret = (struct lag_loads){0};
    taken_as_late[late] = 1;
    lag_link_bytes(subject, taken_as_late, bytes);
    for (uint32_t i = 0; i < topology->n_links; i++)
        pools[topology->links[i].pool] += bytes[i];
    for (uint32_t i = 0; i < topology->n_links; i++) {
        const struct lag_link *link = &topology->links[i];
        if (link->pool != i || !(pools[i] > 0))
            continue;
        struct lag_load load = {i, pools[i], pools[i] / link->rate};
        if (link->from < topology->n_ranks || link->to < topology->n_ranks)
            ret->fair = MAX(ret->fair, load.time);
        keep(ret, &load);
    }
}

/* "gpu0--gpu1" where both directions share the rate. */
static char *name_of(const lag_topology *topology, uint32_t link)
{
    bool both = false;

    for (uint32_t i = 0; i < topology->n_links; i++)
        both = both || (i != link && topology->links[i].pool == link);
    if (!both)
        return lag_topology_link_name(topology, link);
    g_autofree char *from = lag_topology_node_name(topology, topology->links[link].from);
    g_autofree char *to = lag_topology_node_name(topology, topology->links[link].to);
    return g_strdup_printf("%s--%s", from, to);
}

void lag_loads_text(const struct lag_loads *loads, const lag_topology *topology,
                    lag_seconds exposed, GString *text)
{
    for (uint32_t i = 0; i < loads->n && !topology->is_switch; i++) {
        const struct lag_load *load = &loads->links[i];
        g_autofree char *name = name_of(topology, load->link);
        g_autofree char *bytes = lag_format_bytes(load->bytes);
        g_autofree char *time = lag_format_seconds(load->time);
        g_string_append_printf(text, "%s%s: %s, %s at its rate",
                               i == 0 ? "  busiest      " : "               ", name, bytes, time);
        if (exposed > 0)
            g_string_append_printf(text, ", %.1f %% of what is exposed without delay",
                                   100 * load->time / exposed);
        if (load->time > loads->fair * (1 + 1e-9))
            g_string_append_printf(text, ", %.3g times what a GPU's own link takes",
                                   load->time / loads->fair);
        g_string_append_c(text, '\n');
    }
}

void lag_loads_json(struct lag_json *json, const struct lag_loads *loads,
                    const lag_topology *topology, lag_seconds exposed)
{
    lag_json_number(json, "gpu_link_busy_s", loads->fair);
    lag_json_open_array(json, "busiest_links", LAG_JSON_LINES);
    for (uint32_t i = 0; i < loads->n; i++) {
        g_autofree char *name = name_of(topology, loads->links[i].link);
        lag_json_open_object(json, NULL, LAG_JSON_ONE_LINE);
        lag_json_string(json, "name", name);
        lag_json_number(json, "bytes", loads->links[i].bytes);
        lag_json_number(json, "busy_s", loads->links[i].time);
        lag_json_number(json, "share_of_exposed", loads->links[i].time / exposed);
        lag_json_close(json);
    }
    lag_json_close(json);
}
