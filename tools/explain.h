/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `laggard explain` knows of a scenario's algorithms, and how it says it. */
#ifndef LAGGARD_TOOLS_EXPLAIN_H
#define LAGGARD_TOOLS_EXPLAIN_H

#include "results/summary.h"
#include "tools/break-even.h"
#include "tools/explain-network.h"

/* One algorithm. */
struct lag_portrait {
    const struct laggard_algorithm *algorithm;
    const char *job; /* NULL where there are none; what follows is of the job alone, but its row */
    const char *label;
    uint32_t n_chunks;                  /* that the buffer is cut into */
    uint32_t n_rounds, n_rounds_before; /* before the late rank is needed */
    uint32_t n_rounds_missed;           /* more than the fewest possible, as the plan says */
    uint32_t late;                      /* the rank of the cluster that is late in the following */
    const uint32_t *order; /* [n_order] of the plan's ranks round a ring; NULL: by number */
    const uint32_t *ranks; /* [n_order] the numbers of these in the cluster; NULL: the same */
    uint32_t n_order;
    double sent_min, sent_max; /* bytes that a rank sends [B] */
    struct lag_loads loads;    /* of the links */
    lag_seconds bound;         /* of the exposed time without delay; NAN where none is known [s] */
    lag_seconds at_zero;       /* exposed, all ranks at 0 [s] */
    lag_seconds hidden; /* exposed, the late rank later than anything that can go on before [s] */
    const struct lag_result *row; /* of the scenario as it stands; borrowed */
};

/* Two of them. */
struct lag_pair {
    uint32_t a, b; /* portraits */
    uint32_t late;
    struct lag_break_even result;
};

typedef struct lag_explanation {
    lag_scenario *scenario;
    lag_plan **plans; /* [n_portraits] */
    lag_result_set *set;
    struct lag_route_ends route; /* wanted by the caller, who sets it before printing */
    uint32_t n_portraits, n_pairs;
    uint32_t n_shown; /* portraits that are asked for, the first ones; the rest are rivals */
    struct lag_portrait *portraits;
    struct lag_pair *pairs;
} lag_explanation;

/* Of the document's first point. The first n_shown algorithms (0: all) are compared with each other
 * and with the rest. */
lag_explanation *lag_explanation_new(const lag_document *document, uint32_t n_shown,
                                     GError **error);
void lag_explanation_free(lag_explanation *explanation);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(lag_explanation, lag_explanation_free)

/* `preface` says what scenario it is. */
void lag_explanation_text(const lag_explanation *explanation, const char *preface, GString *text);
void lag_explanation_json(const lag_explanation *explanation, const char *preface, GString *text);

#endif
