/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `laggard explain` says of a network: its shape and measures, single ways, and where a plan
 * loads it most. */
#ifndef LAGGARD_TOOLS_EXPLAIN_NETWORK_H
#define LAGGARD_TOOLS_EXPLAIN_NETWORK_H

#include "results/json-writer.h"
#include "results/link-load.h"

/* Two GPUs whose ways to each other are wanted; `wanted` false: none. */
struct lag_route_ends {
    bool wanted;
    uint32_t from, to;
};

/* "gpu0,gpu9". False with LAGGARD_ERROR_INPUT where the network has no such GPUs. */
bool lag_route_ends_parse(const lag_topology *topology, const char *text,
                          struct lag_route_ends *ret, GError **error);

/* One line for a plain switch, but for the ways. */
void lag_network_text(const lag_topology *topology, const struct lag_route_ends *ends,
                      GString *text);
void lag_network_json(struct lag_json *json, const lag_topology *topology,
                      const struct lag_route_ends *ends);

/* The links that a plan keeps busy longest if each had all its bytes at its full rate, the busiest
 * first; where both directions share a link's rate, with the bytes of both. */
#define LAG_MOST_LOADS 3
struct lag_load {
    uint32_t link;
    double bytes;
    lag_seconds time; /* bytes / rate [s] */
};
struct lag_loads {
    uint32_t n;
    struct lag_load links[LAG_MOST_LOADS];
    lag_seconds
        fair; /* time of the busiest link of a GPU: what there would be without sharing [s] */
};
void lag_find_loads(const struct lag_subject *subject, uint32_t late, struct lag_loads *ret);

/* Beside what the plan takes in the simulation without delay, `exposed` [s]. In text a plain switch,
 * whose links are GPUs' own, says nothing. */
void lag_loads_text(const struct lag_loads *loads, const lag_topology *topology,
                    lag_seconds exposed, GString *text);
void lag_loads_json(struct lag_json *json, const struct lag_loads *loads,
                    const lag_topology *topology, lag_seconds exposed);

#endif
