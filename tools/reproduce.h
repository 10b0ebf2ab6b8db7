/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A paper's numbers beside simulated ones, for `laggard reproduce`. No paper is known by name: its
 * file in results/published/ says which scenario, point, algorithm and metric each row reads. */
#ifndef LAGGARD_TOOLS_REPRODUCE_H
#define LAGGARD_TOOLS_REPRODUCE_H

#include "results/published.h"

enum lag_reproduced_verdict {
    LAG_REPRODUCED,     /* within the tolerance */
    LAG_NOT_REPRODUCED, /* out of it */
    LAG_FITTED,         /* within it, as the model was fitted to it */
    LAG_NO_RESULT,      /* the simulation gave none: a message says why */
    LAG_BETTER,         /* ours, against the paper's: */
    LAG_SAME,           /* within the tolerance */
    LAG_WORSE,
    LAG_AS_MEASURED,   /* hardware: no verdict */
    LAG_NOT_SIMULATED, /* hardware, and nothing to compare with */
    LAG_SHOWN,         /* explored: no verdict */
};
const char *lag_reproduced_name(enum lag_reproduced_verdict verdict);

struct lag_reproduced_row {
    const struct lag_published_row *published;
    double simulated; /* in units; NAN where there is none */
    double deviation; /* simulated / published - 1; NAN */
    enum lag_reproduced_verdict verdict;
    char *message; /* LAG_NO_RESULT */
};

typedef struct lag_reproduction {
    lag_published *paper;
    struct lag_reproduced_row *rows; /* [paper->n_rows] */
    uint32_t n_failed;               /* not reproduced, without a result, or worse */
} lag_reproduction;
void lag_reproduction_free(lag_reproduction *reproduction);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(lag_reproduction, lag_reproduction_free)

/* Names of all papers in a data folder, sorted; ends with NULL. NULL with LAGGARD_ERROR_INPUT. */
char **lag_papers(const char *folder, GError **error);

/* Reads a paper's file. NULL with LAGGARD_ERROR_INPUT, also where there is none of that name. */
lag_published *lag_paper_load(const char *folder, const char *name, GError **error);

/* Runs the paper's scenarios, each once, as `laggard run` would, on n_jobs threads. Takes the
 * paper. NULL with LAGGARD_ERROR_INPUT where a row can't be read: a wrong expression, scenario,
 * point, label or metric. */
lag_reproduction *lag_reproduce(const char *folder, lag_published *paper, unsigned n_jobs,
                                GError **error);

/* All papers of the program's data folder, for `laggard list`. */
bool lag_list_papers(bool json_wanted, GString *text, GError **error);

void lag_reproduction_table(const lag_reproduction *reproduction, GString *text);
void lag_reproduction_csv(lag_reproduction *const *all, uint32_t n, GString *text);
void lag_reproduction_json(lag_reproduction *const *all, uint32_t n, const char *version,
                           GString *text);

#endif
