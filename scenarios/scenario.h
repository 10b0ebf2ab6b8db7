/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a scenario file (YAML or JSON, DESIGN section 4) to validated, resolved points in base
 * units. Every message has the form "file:line:column: key.path: what is wrong; what is right". */
#ifndef LAGGARD_SCENARIOS_SCENARIO_H
#define LAGGARD_SCENARIOS_SCENARIO_H

#include "sim/laggard.h"
#include "sim/network/network.h"
#include "sim/straggler.h"

/* One entry of `algorithms:`, with its parameters. */
struct lag_entrant {
    const struct laggard_algorithm *algorithm;
    int64_t *values; /* one for each of the algorithm's parameters */
    char *label;     /* "stragglar straggler=7": the name, then what differs from the defaults */
};

enum lag_engine_choice {
    LAG_ENGINE_AUTO,
    LAG_ENGINE_REPLAY,
    LAG_ENGINE_LOCKSTEP,
};

/* One point of a sweep (or the only one), ready to run. It owns all that it points to. */
typedef struct lag_scenario {
    char *name;
    uint32_t n_ranks, gpus_per_node; /* 0: nodes are not known */
    lag_topology *topology;
    struct lag_network network;
    enum laggard_collective collective;
    lag_bytes size;
    const char *dtype; /* "fp32" */
    uint32_t element_bytes, root;
    uint32_t n_steps, n_replications; /* with a precision, at most so many */
    double precision; /* half the interval of the mean exposed time over it; 0: not wanted */
    uint64_t seed;
    enum lag_engine_choice engine;
    struct lag_lateness lateness;
    const char *source_of_times; /* of compute times: "given", "data sheet"; NULL: none. Static */
    double samples;              /* of all ranks in a step; 0: not said */
    struct lag_trace *trace;
    uint32_t n_entrants;
    struct lag_entrant *entrants;
    GPtrArray *warnings; /* of char *; what is valid and probably not meant */
} lag_scenario;
void lag_scenario_free(lag_scenario *scenario);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(lag_scenario, lag_scenario_free)

/* A parsed file with the overrides of --set, before any sweep is resolved. Read-only after
 * loading: points may be made from several threads. */
typedef struct lag_document lag_document;
lag_document *lag_document_load(const char *path, const char *const *sets, GError **error);
/* The same from memory; `name` stands in messages, relative file names start in `folder`. */
lag_document *lag_document_parse(const char *text, size_t length, const char *name,
                                 const char *folder, const char *const *sets, GError **error);
void lag_document_free(lag_document *document);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(lag_document, lag_document_free)

/* "sha256:..." of what decides the results: the resolved text, the traces' contents, laggard's
 * version. */
const char *lag_document_fingerprint(const lag_document *document);

/* The sweep: 1 point and no axes where there is none. */
uint32_t lag_document_n_points(const lag_document *document);
uint32_t lag_document_n_axes(const lag_document *document);
const char *lag_document_axis(const lag_document *document, uint32_t axis); /* "workload.size" */

/* Where a point lies on an axis: as written, and in base units where that is a number. */
struct lag_coordinate {
    const char *text;
    bool is_number;
    double number;
};
struct lag_coordinate lag_document_coordinate(const lag_document *document, uint32_t point,
                                              uint32_t axis);

/* Validates and resolves one point. NULL with LAGGARD_ERROR_INPUT. */
lag_scenario *lag_document_point(const lag_document *document, uint32_t point, GError **error);

#endif
