/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `sweep:` the points of a scenario, as trees. */
#ifndef LAGGARD_SCENARIOS_SWEEP_H
#define LAGGARD_SCENARIOS_SWEEP_H

#include "scenarios/form.h"
#include "scenarios/scenario.h"

#define LAG_MOST_POINTS       1000000u
#define LAG_MOST_COMBINATIONS 16000000u /* of which `where` keeps some */

extern const struct lag_form lag_form_sweep;

/* True where a scenario can have something at a path: what the keys of axes are. */
bool lag_sweep_is_path(const char *key);

struct lag_axis {
    const char *name; /* "workload.size", borrowed from the tree */
    lag_keypath *path;
    const struct lag_form *form;        /* of what stands there */
    lag_node *values;                   /* a list, with a reference of our own */
    struct lag_coordinate *coordinates; /* one for each value; their texts are owned */
};

struct lag_sweep {
    GArray *axes; /* of struct lag_axis */
    bool zip;     /* all axes walk together; else the last is the fastest */
    uint32_t n_points;
    uint32_t *kept; /* [n_points] the combination of each, ascending; NULL: all are points */
};

/* Reads the sweep of a tree, which must outlive it. Clear also after a failure. */
bool lag_sweep_init(struct lag_sweep *sweep, const lag_node *root, GError **error);
void lag_sweep_clear(struct lag_sweep *sweep);

/* Which of an axis's values a point has. */
uint32_t lag_sweep_index(const struct lag_sweep *sweep, uint32_t point, uint32_t axis);

/* The tree of a point. Caller owns the reference. */
lag_node *lag_sweep_tree(const struct lag_sweep *sweep, const lag_node *root, uint32_t point,
                         GError **error);

/* "cluster.gpus=8, workload.size=1 MiB", newly allocated. */
char *lag_sweep_point_text(const struct lag_sweep *sweep, uint32_t point);

#endif
