/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a scenario file (YAML or JSON, DESIGN section 4) to validated, resolved points in base
 * units. Every message has the form "file:line:column: key.path: what is wrong; what is right". */
#ifndef LAGGARD_SCENARIOS_SCENARIO_H
#define LAGGARD_SCENARIOS_SCENARIO_H

#include "sim/network/network.h"
#include "sim/protocol.h"
#include "sim/straggler.h"

/* One entry of `algorithms:`, with its parameters: a collective or a protocol, the other is NULL. */
struct lag_entrant {
    const struct laggard_algorithm *algorithm;
    const struct laggard_protocol *protocol;
    double *values; /* one for each of its parameters */
    char *label;    /* "stragglar straggler=7": the name, then what differs from the defaults */
};

static inline const char *lag_entrant_name(const struct lag_entrant *entrant)
{
    return entrant->protocol != NULL ? entrant->protocol->name : entrant->algorithm->name;
}

static inline const struct laggard_parameter *
lag_entrant_parameters(const struct lag_entrant *entrant)
{
    return entrant->protocol != NULL ? entrant->protocol->parameters
                                     : entrant->algorithm->parameters;
}

enum lag_engine_choice {
    LAG_ENGINE_AUTO,
    LAG_ENGINE_REPLAY,
    LAG_ENGINE_LOCKSTEP,
};

/* One point of a sweep (or the only one), ready to run. It owns all that it points to.
 *
 * The ranks of a collective are 0 .. n_ranks - 1; where only some of the cluster's GPUs take part,
 * `ranks` says which. Jobs that run side by side are scenarios of their own in `jobs`, whose
 * network and lateness are their owner's; the owner's own workload and entrants are empty then. */
typedef struct lag_scenario {
    char *name;
    char *job; /* a job's name; NULL: the scenario is not one of `jobs` */
    uint32_t n_jobs;
    struct lag_scenario **jobs;
    uint32_t n_gpus;        /* of the cluster */
    uint32_t n_nodes;       /* 0: nodes are not known */
    uint32_t gpus_per_node; /* where rank / gpus_per_node is a rank's node; else 0 */
    uint32_t *node_of;      /* [n_gpus] and else, where nodes are known, this */
    uint32_t n_ranks;       /* who take part */
    uint32_t *ranks;        /* [n_ranks] their ranks in the cluster; NULL: all, in order */
    uint32_t n_servers;     /* hosts that the topology has behind the GPUs, for protocols */
    lag_topology *topology; /* NULL: the workload gives all times */
    struct lag_network network;
    bool serial_ports;                /* a port receives one message at a time */
    const struct lag_adding **adding; /* [n_ranks] of the cluster, into: */
    GPtrArray *adding_classes;        /* of struct lag_adding; both NULL where it takes no time */
    struct lag_link_event *events;    /* the network's */
    enum laggard_workload workload;
    struct lag_training *training;   /* of that kind of workload; else NULL */
    struct lag_gradient *gradient;   /* likewise */
    struct lag_entrant *aggregation; /* what training's protocols sum by; NULL: its time is given */
    GArray *kept; /* of struct lag_kept: what those point to, see lag_scenario_keep */
    /* Of the collective: the workload's, or the one that training or gradients are summed by. */
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
    uint32_t n_entrants; /* with jobs: combinations, see lag_scenario_entrant */
    struct lag_entrant *entrants;
    GPtrArray *warnings; /* of char *; what is valid and probably not meant */
} lag_scenario;
void lag_scenario_free(lag_scenario *scenario);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(lag_scenario, lag_scenario_free)

/* Has something freed with the scenario; for what its training or gradient points to. */
struct lag_kept {
    void *what;
    GDestroyNotify free;
};
void lag_scenario_keep(lag_scenario *scenario, void *what, GDestroyNotify free);

/* All of a run of a protocol that doesn't depend on the replication; `plan` is the aggregation's, or
 * NULL. Borrows from the scenario. */
struct lag_protocol_run lag_scenario_protocol_run(const lag_scenario *scenario, uint32_t entrant,
                                                  const struct laggard_plan *plan);

/* What runs side by side: the jobs, or the scenario itself. */
static inline uint32_t lag_scenario_n_parts(const lag_scenario *scenario)
{
    return scenario->n_jobs > 0 ? scenario->n_jobs : 1;
}

static inline const lag_scenario *lag_scenario_part(const lag_scenario *scenario, uint32_t part)
{
    return scenario->n_jobs > 0 ? scenario->jobs[part] : scenario;
}

/* In the i-th combination each job runs its i-th algorithm; one that has a single algorithm runs
 * that in all of them. */
static inline uint32_t lag_scenario_entrant(const lag_scenario *part, uint32_t combination)
{
    return part->n_entrants == 1 ? 0 : combination;
}

/* The node of a rank of the cluster; nodes are known. */
static inline uint32_t lag_scenario_node(const lag_scenario *scenario, uint32_t rank)
{
    return scenario->node_of != NULL ? scenario->node_of[rank] : rank / scenario->gpus_per_node;
}

/* The rank in the cluster of a collective's rank. */
static inline uint32_t lag_scenario_rank(const lag_scenario *part, uint32_t rank)
{
    return part->ranks != NULL ? part->ranks[rank] : rank;
}

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
