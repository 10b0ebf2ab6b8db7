/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/topology-samples.h"

#include <string.h>

void sample_init(struct sample *sample, const struct lag_topology_kind *kind, uint32_t n_ranks)
{
    *sample = (struct sample){
        .n_ranks = n_ranks,
        .part = {.kind = kind, .rate = SAMPLE_RATE, .latency = SAMPLE_LATENCY},
        .links = g_array_new(FALSE, FALSE, sizeof(struct lag_graph_link)),
        .names = g_ptr_array_new_with_free_func(g_free),
    };
    for (uint32_t i = 0; i < SAMPLE_MOST_PARAMETERS; i++)
        sample->values[i].numbers = sample->numbers[i];
    sample->part.values = sample->values;
}

void sample_set(struct sample *sample, const char *name, double number)
{
    int index = lag_topology_kind_parameter(sample->part.kind, name);

    g_assert_cmpint(index, >=, 0);
    g_assert_cmpint(index, <, SAMPLE_MOST_PARAMETERS);
    g_assert_cmpuint(sample->values[index].n, <, SAMPLE_MOST_NUMBERS);
    sample->numbers[index][sample->values[index].n++] = number;
}

static const char *keep(struct sample *sample, const char *name)
{
    char *copy = g_strdup(name);

    g_ptr_array_add(sample->names, copy);
    return copy;
}

void sample_link(struct sample *sample, const char *a, const char *b, lag_rate rate)
{
    struct lag_graph_link link = {keep(sample, a), keep(sample, b), rate, SAMPLE_LATENCY, false};

    if (!g_str_has_prefix(a, "gpu") || !g_str_has_prefix(b, "gpu"))
        link.latency /= 2;
    g_array_append_val(sample->links, link);
    sample->part.links = (const struct lag_graph_link *)(const void *)sample->links->data;
    sample->part.n_links = sample->links->len;
}

static uint32_t draw(uint32_t least, uint32_t most)
{
    return (uint32_t)g_test_rand_int_range((gint32)least, (gint32)most + 1);
}

static void draw_torus(struct sample *sample)
{
    uint32_t n_dims = draw(1, 3);

    sample->n_ranks = 1;
    for (uint32_t i = 0; i < n_dims; i++) {
        uint32_t size = draw(1, n_dims == 3 ? 4 : 6);
        sample->n_ranks *= size;
        sample_set(sample, "dims", size);
    }
}

static void draw_fat_tree(struct sample *sample)
{
    static const double over[] = {1, 2, 4, 1.5, 0.5};
    uint32_t levels = draw(2, 3);

    sample_set(sample, "gpus_per_leaf", draw(1, 6));
    sample_set(sample, "levels", levels);
    sample_set(sample, "oversubscription", over[draw(0, 4)]);
    if (levels == 3) {
        sample_set(sample, "oversubscription", over[draw(0, 4)]);
        sample_set(sample, "leaves_per_pod", draw(1, 4));
    }
    if (g_test_rand_bit())
        sample_set(sample, "spines", draw(1, 3));
}

static void draw_rail(struct sample *sample)
{
    sample_set(sample, "rails", draw(1, 5));
    if (g_test_rand_bit())
        sample_set(sample, "nodes_per_leaf", draw(1, 4));
    if (g_test_rand_bit())
        sample_set(sample, "spines", draw(1, 3));
}

static void draw_dragonfly(struct sample *sample)
{
    uint32_t groups = draw(1, 6), routers = draw(1, 4), hosts = draw(1, 3);

    sample_set(sample, "groups", groups);
    sample_set(sample, "routers", routers);
    sample_set(sample, "hosts", hosts);
    sample->n_ranks = draw(1, groups * routers * hosts);
}

static char *name_of(const struct sample *sample, uint32_t node)
{
    return node < sample->n_ranks ? g_strdup_printf("gpu%u", node) : g_strdup_printf("tor%u", node);
}

/* A tree of switches and GPUs, each joined with one drawn before it, and some links more. */
static void draw_graph(struct sample *sample)
{
    uint32_t n_nodes = sample->n_ranks + draw(0, 6), n_more = draw(0, 20);
    g_autofree bool *joined = g_new0(bool, (size_t)n_nodes *n_nodes);

    for (uint32_t i = 1; i < n_nodes + n_more; i++) {
        uint32_t a = i < n_nodes ? i : draw(0, n_nodes - 1);
        uint32_t b = a > 0 ? draw(0, a - 1) : 0;
        g_autofree char *first = name_of(sample, a), *second = name_of(sample, b);
        if (a != b && !joined[(size_t)a * n_nodes + b])
            sample_link(sample, first, second, SAMPLE_RATE * draw(1, 3));
        joined[(size_t)a * n_nodes + b] = true;
    }
}

static const struct {
    const char *name;
    void (*draw)(struct sample *sample);
} drawers[] = {
    {"dragonfly", draw_dragonfly},
    {"fat-tree",  draw_fat_tree },
    {"graph",     draw_graph    },
    {"rail",      draw_rail     },
    {"torus",     draw_torus    },
};

void sample_draw(struct sample *sample, const struct lag_topology_kind *kind)
{
    sample_init(sample, kind, (uint32_t)g_test_rand_int_range(1, 41));
    sample->part.half_duplex = g_test_rand_bit();
    sample->seed = (uint64_t)g_test_rand_int();
    for (size_t i = 0; i < G_N_ELEMENTS(drawers); i++)
        if (strcmp(drawers[i].name, kind->name) == 0)
            drawers[i].draw(sample);
}

char *sample_text(const struct sample *sample)
{
    const struct lag_topology_kind *kind = sample->part.kind;
    g_autoptr(GString) text = g_string_new(kind->name);

    g_string_append_printf(text, " of %u:%s", sample->n_ranks,
                           sample->part.half_duplex ? " half duplex" : "");
    for (uint32_t i = 0; i < lag_topology_kind_n_parameters(kind); i++)
        for (uint32_t k = 0; k < sample->values[i].n; k++)
            g_string_append_printf(text, "%s%g", k > 0 ? "," : kind->parameters[i].name,
                                   sample->numbers[i][k]);
    return g_string_free(g_steal_pointer(&text), FALSE);
}

lag_topology *sample_build(const struct sample *sample)
{
    const struct lag_topology_request request = {
        .n_ranks = sample->n_ranks,
        .outer = sample->part,
        .seed = sample->seed,
    };
    struct lag_topology_fault fault;
    g_autoptr(GError) error = NULL;
    lag_topology *topology = lag_topology_compose(&request, &fault, &error);

    g_assert_no_error(error);
    return topology;
}

void sample_clear(struct sample *sample)
{
    g_array_unref(sample->links);
    g_ptr_array_unref(sample->names);
}
