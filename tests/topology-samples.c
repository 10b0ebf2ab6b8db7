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

void sample_draw(struct sample *sample, const struct lag_topology_kind *kind)
{
    sample_init(sample, kind, (uint32_t)g_test_rand_int_range(1, 41));
    sample->part.half_duplex = g_test_rand_bit();
    sample->seed = (uint64_t)g_test_rand_int();
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
