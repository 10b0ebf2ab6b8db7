/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the collective is to run: from a scenario's cluster, or from what was given and stated
 * defaults for the rest. */
#ifndef LAGGARD_TOOLS_ADVISE_SITE_H
#define LAGGARD_TOOLS_ADVISE_SITE_H

#include "scenarios/scenario.h"

/* As on the command line; NULL or 0: not given. */
struct lag_site_options {
    char *cluster; /* a scenario's file; excludes the next three */
    int gpus;
    char *bandwidth, *latency;
    char *size, *dtype;
};
void lag_site_options_clear(struct lag_site_options *options);

typedef struct lag_site {
    lag_scenario *scenario; /* of an allreduce; its stragglers are left out */
    char *network;          /* "one switch, 300 GB/s, 3 us", or the file's name */
    GPtrArray *assumed;     /* of char *: "size 1 GiB (default)" */
} lag_site;

/* `n_ranks` is the trace's. NULL with LAGGARD_ERROR_INPUT. */
lag_site *lag_site_new(const struct lag_site_options *options, uint32_t n_ranks, GError **error);
void lag_site_free(lag_site *site);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(lag_site, lag_site_free)

#endif
