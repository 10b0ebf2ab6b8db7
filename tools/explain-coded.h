/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `laggard explain` says of coded aggregation, from shapes and laws, without a simulation: what a
 * worker holds, what may be lost, how long an iteration takes, what overhead it can bear, and which shape
 * would be the fastest. */
#ifndef LAGGARD_TOOLS_EXPLAIN_CODED_H
#define LAGGARD_TOOLS_EXPLAIN_CODED_H

#include "sim/coding/code.h"
#include "sim/coding/expected.h"
#include "sim/coding/search.h"

/* What is asked. Laws and names are borrowed. */
struct lag_coded_case {
    const char *name, *summary, *formula, *source;
    struct lag_tree tree; /* depth 1: gradient coding */
    uint32_t n_workers;   /* that there are; the tree has at most as many */
    const struct lag_code_kind *code;
    struct lag_code_request
        request; /* of one parent's code; workers and stragglers are the tree's */
    double points, parameters, bytes_per_parameter;
    double bytes_per_point; /* of the data; 0: one parameter-sized number for each parameter */
    struct lag_work_law work;
    const char *law;           /* in words */
    lag_seconds message, step; /* of a whole vector; more for each step of a ring [s] */
    lag_seconds latency;       /* of the network: once a layer, and for each step of a ring [s] */
    double fan_in;
    bool parallel;
    bool
        brief; /* of all others the ring alone, no search, and the code's quality is not looked at */
    uint32_t n_draws;
    uint64_t seed;
};

/* One way to do it, by its name. */
struct lag_coded_way {
    const char *name;
    struct lag_tree tree; /* degree 0: the ring */
    enum lag_tree_rule rule;
    double load;   /* share of the data that a worker holds */
    bool is_coded; /* stragglers > 0 */
    struct lag_model_mean time;
    struct lag_time_bounds bounds; /* of waiting for any degree - stragglers; NAN where none hold */
    uint32_t receptions;           /* that one after another must end before the last one can */
};
#define LAG_CODED_WAYS 5

/* Death rates that completion is told for. */
#define LAG_CODED_DEATHS 4
extern const double lag_coded_deaths[LAG_CODED_DEATHS];

typedef struct lag_coded_answer {
    const struct lag_coded_case *asked;
    double load;
    bool has_exact;
    struct lag_tree_exact exact;
    uint32_t n_workers, fatal, tolerable, star_stragglers;
    enum lag_tree_rule rule, star_rule; /* groups only where the code asked for is of groups */
    double amplification, residual;     /* of the code, worst of n_sets sets */
    uint64_t n_sets;
    bool all_sets;
    double stored; /* bytes of data that a worker holds [B] */
    double completion[LAG_CODED_DEATHS], star_completion[LAG_CODED_DEATHS],
        plain_completion[LAG_CODED_DEATHS];
    uint32_t n_ways;
    struct lag_coded_way ways[LAG_CODED_WAYS]; /* the first is what was asked */
    uint32_t best_plain;                       /* of ways: the fastest without a code */
    lag_seconds overhead; /* that may be added before that one is faster; negative: it is already */
    GArray *choices;      /* struct lag_tree_choice, fastest first; NULL where it is brief */
} lag_coded_answer;

/* Borrows the case, which must outlive the answer. NULL with LAGGARD_ERROR_INPUT where tree, code or
 * workers don't fit. */
lag_coded_answer *lag_coded_answer_new(const struct lag_coded_case *asked, GError **error);
void lag_coded_answer_free(lag_coded_answer *answer);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(lag_coded_answer, lag_coded_answer_free)

void lag_coded_answer_text(const lag_coded_answer *answer, GString *text);
void lag_coded_answer_json(const lag_coded_answer *answer, GString *text);

#endif
