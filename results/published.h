/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A paper's numbers, one a row, and how to find each in simulated results: the files of
 * results/published/. docs/REPRODUCE.md describes their format. */
#ifndef LAGGARD_RESULTS_PUBLISHED_H
#define LAGGARD_RESULTS_PUBLISHED_H

#include <stdbool.h>
#include <stdint.h>

#include <glib.h>

enum lag_published_kind {
    LAG_DERIVED,    /* follows from the paper's model or data; checked */
    LAG_PUBLISHED,  /* printed there; checked */
    LAG_MEASURED,   /* on hardware: shown beside the model, never a pass */
    LAG_CALIBRATED, /* published, and the model's constants are fitted to it; checked, no proof */
    LAG_OURS,       /* published for the paper's algorithm, simulated for ours: better or worse */
    LAG_EXPLORED,   /* nothing is published; simulated with settings of ours, shown, never a pass */
};
const char *lag_published_kind_name(enum lag_published_kind kind);

struct lag_published_row {
    char *id, *what;
    enum lag_published_kind kind;
    double value;     /* in units; NAN for LAG_EXPLORED */
    double tolerance; /* absolute, in units; NAN for LAG_MEASURED and LAG_EXPLORED */
    char *unit;       /* "ms"; "x" is a ratio */
    double scale;     /* of the unit, in base units */
    char *scenario;   /* relative to the data folder; NULL where it isn't simulated */
    char *point;      /* "cluster.gpus=8; workload.size=1 GiB"; "" */
    char *expression; /* arithmetic.h, in base units; NULL where it isn't simulated */
    char *source;
    uint32_t line;
};

typedef struct lag_published {
    char *name, *title, *source;
    uint32_t n_rows;
    struct lag_published_row *rows;
} lag_published;

/* `name` is the paper's, `path` stands in messages. NULL with LAGGARD_ERROR_INPUT, which says
 * file and line. */
lag_published *lag_published_parse(const char *name, const char *path, const char *text,
                                   GError **error);
void lag_published_free(lag_published *published);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(lag_published, lag_published_free)

#endif
