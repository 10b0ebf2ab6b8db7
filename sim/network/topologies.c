/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/network/topologies.h"

#include <string.h>

#define TOPOLOGY(name) extern const struct lag_topology_kind lag_topology_kind_##name;
#include "sim/network/topologies.def"
#undef TOPOLOGY

#define TOPOLOGY(name) &lag_topology_kind_##name,
const struct lag_topology_kind *const lag_topologies[] = {
#include "sim/network/topologies.def"
    NULL,
};
#undef TOPOLOGY

GQuark lag_topology_error_quark(void)
{
    return g_quark_from_static_string("lag-topology-error-quark");
}

bool lag_topology_refuse(struct lag_topology_fault *fault, enum lag_fault what, uint32_t index,
                         GError **error, const char *format, ...)
{
    va_list arguments;

    *fault = (struct lag_topology_fault){.what = what, .index = index};
    va_start(arguments, format);
    g_propagate_error(
        error, g_error_new_valist(LAG_TOPOLOGY_ERROR, LAG_TOPOLOGY_ERROR_INPUT, format, arguments));
    va_end(arguments);
    return false;
}

const struct lag_topology_kind *lag_topology_kind_find(const char *name)
{
    for (size_t i = 0; lag_topologies[i] != NULL; i++)
        if (strcmp(lag_topologies[i]->name, name) == 0)
            return lag_topologies[i];
    return NULL;
}

uint32_t lag_topology_kind_n_parameters(const struct lag_topology_kind *kind)
{
    uint32_t n = 0;

    while (kind->parameters != NULL && kind->parameters[n].name != NULL)
        n++;
    return n;
}

int lag_topology_kind_parameter(const struct lag_topology_kind *kind, const char *name)
{
    uint32_t n = lag_topology_kind_n_parameters(kind);

    for (uint32_t i = 0; i < n; i++)
        if (strcmp(kind->parameters[i].name, name) == 0)
            return (int)i;
    return -1;
}
