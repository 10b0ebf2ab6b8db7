/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/network/fragment.h"

#include <assert.h>
#include <math.h>

/* More parameters than any kind has. */
#define MOST_PARAMETERS 16

static bool check_value(const struct lag_topology_part *part, uint32_t index,
                        struct lag_topology_fault *fault, GError **error)
{
    const struct lag_topology_parameter *parameter = &part->kind->parameters[index];
    const struct lag_topology_value *value = &part->values[index];

    if (parameter->required && value->n == 0)
        return lag_topology_refuse(fault, LAG_FAULT_PARAMETER, index, error, "%s needs %s: %s",
                                   part->kind->name, parameter->name, parameter->help);
    if (parameter->type == LAG_TOPOLOGY_INTEGER && value->n > 1)
        return lag_topology_refuse(fault, LAG_FAULT_PARAMETER, index, error,
                                   "expected one number, not %u", value->n);
    for (uint32_t i = 0; i < value->n; i++) {
        double x = value->numbers[i];
        if (!(x >= parameter->min && x <= parameter->max))
            return lag_topology_refuse(fault, LAG_FAULT_PARAMETER, index, error,
                                       "%g is not from %g to %g", x, parameter->min,
                                       parameter->max);
        if (parameter->type != LAG_TOPOLOGY_NUMBERS && x != floor(x))
            return lag_topology_refuse(fault, LAG_FAULT_PARAMETER, index, error,
                                       "%g is not a whole number", x);
    }
    return true;
}

static bool check_part(const struct lag_topology_part *part, struct lag_topology_fault *fault,
                       GError **error)
{
    uint32_t n = lag_topology_kind_n_parameters(part->kind);

    assert(n <= MOST_PARAMETERS);
    for (uint32_t i = 0; i < n; i++)
        if (!check_value(part, i, fault, error))
            return false;
    return part->kind->lists_links || (part->rate > 0 && isfinite(part->rate)) ||
           lag_topology_refuse(fault, LAG_FAULT_WHOLE, 0, error,
                               "the links of %s have no bandwidth", part->kind->name);
}

struct lag_fragment *lag_fragment_new(const struct lag_topology_part *part, uint32_t n_endpoints,
                                      void (*name_endpoint)(const void *, uint32_t, GString *),
                                      const void *who, struct lag_topology_fault *ret_fault,
                                      GError **error)
{
    static const struct lag_topology_value none[MOST_PARAMETERS];
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
    if (part->values == NULL)
        fragment->part.values = none;
    if (!check_part(&fragment->part, ret_fault, error))
        return NULL;
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

    if (part->values[index].n == 0)
        return g_ascii_strtod(part->kind->parameters[index].default_text, NULL);
    const struct lag_topology_value *value = &part->values[index];
    return value->numbers[value->n == 1 ? 0 : entry];
}

uint32_t lag_fragment_integer(const struct lag_fragment *fragment, uint32_t index)
{
    return (uint32_t)lag_fragment_number(fragment, index, 0);
}

bool lag_fragment_has_room(uint64_t n_pairs, struct lag_topology_fault *fault, GError **error)
{
    return n_pairs <= LAG_MOST_LINKS / 2 ||
           lag_topology_refuse(fault, LAG_FAULT_WHOLE, 0, error,
                               "%" G_GUINT64_FORMAT " pairs of links; laggard takes up to %u",
                               n_pairs, LAG_MOST_LINKS / 2);
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
