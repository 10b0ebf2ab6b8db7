/* SPDX-License-Identifier: GPL-3.0-or-later */
/* GPUs and links by name: scenarios/data/gpus.csv and links.csv, which are built in, and what a
 * scenario adds. */
#ifndef LAGGARD_SCENARIOS_CATALOGUE_H
#define LAGGARD_SCENARIOS_CATALOGUE_H

#include "sim/gpu/gpu.h"

/* A kind of link, per direction. Not known: 0. Strings are owned. */
struct lag_link_type {
    char *name, *kind, *scope, *source, *notes;
    lag_rate nominal, achievable; /* by data sheet; what libraries reach [B/s] */
    lag_seconds latency;          /* of a hop, as the measured protocol has it [s] */
    enum lag_trust trust;
};

typedef struct lag_catalogue {
    GArray *gpus;  /* of struct lag_gpu */
    GArray *links; /* of struct lag_link_type */
} lag_catalogue;

/* What is built in. */
lag_catalogue *lag_catalogue_new(void);
void lag_catalogue_free(lag_catalogue *catalogue);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(lag_catalogue, lag_catalogue_free)

/* Takes over a GPU of the user's; one of the same name is replaced. */
void lag_catalogue_add_gpu(lag_catalogue *catalogue, struct lag_gpu *gpu);

/* By name, or by a beginning that only one has: "H100-SXM" is "H100 SXM5 80GB". Case, blanks,
 * '-' and '_' don't matter. NULL with LAGGARD_ERROR_INPUT, which lists what is near. Borrowed. */
const struct lag_gpu *lag_catalogue_find_gpu(const lag_catalogue *catalogue, const char *name,
                                             GError **error);
const struct lag_link_type *lag_catalogue_find_link(const lag_catalogue *catalogue,
                                                    const char *name, GError **error);

/* "verified", "partly recalled", "recalled". */
const char *lag_trust_name(enum lag_trust trust);

#endif
