/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/network/fragment.h"

#include <math.h>

struct lag_fragment *lag_fragment_new(const struct lag_topology_part *part, uint32_t n_endpoints,
                                      void (*name_endpoint)(const void *, uint32_t, GString *),
                                      const void *who, struct lag_topology_fault *ret_fault,
                                      GError **error)
{
    g_autoptr(lag_fragment) fragment = g_new(struct lag_fragment, 1);

    *fragment = (struct lag_fragment){
        .part = *part,
        .n_endpoints = n_endpoints,
        .n_nodes = n_endpoints,
        .links = g_array_new(FALSE, FALSE, sizeof(struct lag_link)),
        .name_endpoint = name_endpoint,
        .who = who,
    };
    *ret_fault = (struct lag_topology_fault){.what = LAG_FAULT_WHOLE};
    if (!part->kind->lists_links && !(part->rate > 0 && isfinite(part->rate))) {
        lag_topology_refuse(ret_fault, LAG_FAULT_WHOLE, 0, error,
                            "the links of %s have no bandwidth", part->kind->name);
        return NULL;
    }
    return part->kind->build(fragment, ret_fault, error) ? g_steal_pointer(&fragment) : NULL;
}

void lag_fragment_free(struct lag_fragment *fragment)
{
    if (fragment == NULL)
        return;
    if (fragment->free_shape != NULL)
        fragment->free_shape(fragment->shape);
    g_array_unref(fragment->links);
    g_free(fragment);
}

double lag_fragment_number(const struct lag_fragment *fragment, uint32_t index, uint32_t entry)
{
    const struct lag_topology_part *part = &fragment->part;

    if (part->values == NULL || part->values[index].n == 0)
        return g_ascii_strtod(part->kind->parameters[index].default_text, NULL);
    const struct lag_topology_value *value = &part->values[index];
    return value->numbers[value->n == 1 ? 0 : entry];
}

uint32_t lag_fragment_integer(const struct lag_fragment *fragment, uint32_t index)
{
    return (uint32_t)lag_fragment_number(fragment, index, 0);
}

void lag_fragment_add_pair(struct lag_fragment *fragment, uint32_t a, uint32_t b, lag_rate rate,
                           lag_seconds latency)
{
    uint32_t there = fragment->links->len, back = there + 1;
    struct lag_link pair[] = {
        {a, b, rate, latency, there                                    },
        {b, a, rate, latency, fragment->part.half_duplex ? there : back},
    };

    g_array_append_vals(fragment->links, pair, G_N_ELEMENTS(pair));
}
