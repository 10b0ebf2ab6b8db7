/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A scenario in the making: what the readers of its parts share. Parts are read in the order of
 * the functions below; each may rely on what stands before it. */
#ifndef LAGGARD_SCENARIOS_DRAFT_H
#define LAGGARD_SCENARIOS_DRAFT_H

#include "scenarios/catalogue.h"
#include "scenarios/form.h"
#include "scenarios/outlook.h"
#include "scenarios/scenario.h"

#define LAG_MOST_RANKS (1u << 24)

/* The files that a scenario names, read once for all points. */
struct lag_sources {
    char *folder;      /* relative names start here */
    GHashTable *files; /* the name as written -> GBytes */
    struct lag_dataset_shelf *shelf;
};

struct lag_draft {
    lag_scenario *scenario;
    const struct lag_sources *sources;
    const lag_node *root;
    struct lag_outlook outlook; /* of what is read after the cluster */
    const lag_node *gpus;       /* what gave the number of ranks */
    const lag_node *speed;      /* the first that is not 1, or NULL */
    const lag_node *trace;      /* the first `trace:`, or NULL */
    const lag_node *steps;      /* the first workload.steps, or NULL */
    bool in_job;                /* the workload is one of several jobs */
    lag_catalogue *catalogue;   /* made when it is asked for */
    GArray *classes;            /* of struct lag_gpu_class */
    GArray *class_ends;         /* of uint32_t: one behind the last rank of each class of gpus */
    uint64_t gpus_per_node;
    struct lag_network_draft {
        const char *topology;
        int model, transfers, duplex, switching, ports; /* ports -1: not given */
        double bandwidth, latency, overhead;            /* bandwidth 0: not given */
        uint64_t ecmp_seed;
    } network;
    struct lag_workload_draft {
        int collective, dtype;
        double size, compute;
        uint64_t root, steps; /* steps 0: not given */
    } workload;
    struct lag_run_draft {
        uint64_t seed, replications; /* 0: not given */
        double precision;            /* likewise */
        int engine;
    } run;
    uint64_t n_late;    /* ranks in the entries so far */
    GArray *stragglers; /* of struct lag_straggler */
    GArray *entrants;   /* of struct lag_entrant */
};

/* One entrant of a workload of that kind, an entry of `algorithms:` or a collective elsewhere; the
 * entrant is empty, and to be cleared also on failure. */
bool lag_read_entrant(const struct lag_at *at, const lag_scenario *scenario,
                      enum laggard_workload workload, struct lag_entrant *entrant, GError **error);
void lag_entrant_clear(struct lag_entrant *entrant);

/* The draft's size and dtype, as whole elements, into the scenario; *at is the mapping with `size`. */
extern const struct lag_form lag_form_dtype;
bool lag_take_size(const struct lag_at *at, struct lag_draft *draft, GError **error);

/* What training's protocols sum by, {algorithm: ring, size: 44.7 MB}: fills the scenario's
 * aggregation, size and dtype. `into` is the draft. */
extern const struct lag_form lag_form_aggregation;
bool lag_read_aggregation(const struct lag_at *at, void *into, GError **error);

/* The forms of the parts, and their readers, for the table of the root (`into` is the draft). */
extern const struct lag_form lag_form_cluster, lag_form_workload, lag_form_algorithms;
extern const struct lag_form lag_form_entrant; /* one of algorithms */
extern const struct lag_form lag_form_groups, lag_form_jobs, lag_form_stragglers;
bool lag_read_cluster(const struct lag_at *at, void *into, GError **error);
bool lag_read_workload(const struct lag_at *at, void *into, GError **error);
bool lag_read_algorithms(const struct lag_at *at, void *into, GError **error);
bool lag_read_groups(const struct lag_at *at, void *into, GError **error);
bool lag_read_jobs(const struct lag_at *at, void *into, GError **error);
bool lag_read_stragglers(const struct lag_at *at, void *into, GError **error);

/* The built-in catalogue, and what the scenario adds. */
lag_catalogue *lag_draft_catalogue(struct lag_draft *draft);
/* A set of the cluster's ranks, as ranks.h reads it; newly allocated. */
bool lag_read_ranks(const struct lag_at *at, const struct lag_draft *draft, uint32_t **ret_ranks,
                    uint32_t *ret_n, GError **error);

/* The ranks of a group by its name. `at` is the name's place. */
bool lag_find_group(const struct lag_at *at, const struct lag_draft *draft, uint32_t **ret_ranks,
                    uint32_t *ret_n, GError **error);

/* A rank of the cluster as the collective's own, or a refusal: it doesn't take part. */
bool lag_find_member(const struct lag_at *at, const lag_scenario *scenario, uint64_t rank,
                     uint32_t *ret, GError **error);

/* What jobs have in common, when all else is read. */
void lag_complete_jobs(lag_scenario *scenario);

/* A file that the scenario names, from its folder; newly allocated. */
char *lag_draft_path(const struct lag_draft *draft, const char *name);

/* Accepts anything: for keys that are read at another moment. */
bool lag_read_later(const struct lag_at *at, void *into, GError **error);

/* The form of the whole file. */
extern const struct lag_form lag_form_scenario;

/* The version of the schema, before anything else is looked at. */
bool lag_check_version(const struct lag_at *root, GError **error);

/* Reads and validates one point's tree. NULL with LAGGARD_ERROR_INPUT. */
lag_scenario *lag_scenario_read(const lag_node *root, const struct lag_sources *sources,
                                GError **error);

#endif
