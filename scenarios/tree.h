/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A parsed scenario as a tree of values that know where they were written. Nodes are immutable
 * and counted references, safe to share between threads; a change makes a new tree that shares
 * what is unchanged with the old one. */
#ifndef LAGGARD_SCENARIOS_TREE_H
#define LAGGARD_SCENARIOS_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <glib.h>

/* Bounds of a whole tree, keys included and aliases expanded: a bomb is refused early. */
#define LAG_MOST_NODES   1000000u
#define LAG_MOST_NESTING 64u

enum lag_node_kind {
    LAG_SCALAR,
    LAG_SEQUENCE,
    LAG_MAPPING,
};

/* Where something was written: file, line and column from 1; line 0 where `source` says it all
 * ("--set cluster.gpus=x"). */
struct lag_place {
    const char *source; /* a GRefString of the node's own */
    uint32_t line, column;
};

typedef struct lag_node lag_node;

struct lag_entry {
    lag_node *key; /* a scalar; NULL in a sequence */
    lag_node *value;
};

struct lag_node {
    gatomicrefcount references;
    enum lag_node_kind kind;
    bool plain; /* a scalar without quotes */
    struct lag_place place;
    char *text;                /* of a scalar */
    uint32_t n_entries;        /* 0 for a scalar */
    struct lag_entry *entries; /* in the order of the file; keys are unique */
    uint32_t n_nodes;          /* of the subtree, at most LAG_MOST_NODES + 1 */
    uint32_t height;           /* 0 for a scalar */
};

/* New nodes with a reference that is the caller's. `source` is a GRefString and gets a reference.
 * A container takes over the references in `entries` (struct lag_entry), which is emptied. */
lag_node *lag_node_new_scalar(const char *text, bool plain, struct lag_place place);
lag_node *lag_node_new_container(enum lag_node_kind kind, GArray *entries, struct lag_place place);
lag_node *lag_node_ref(const lag_node *node);
void lag_node_unref(lag_node *node);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(lag_node, lag_node_unref)

/* An array of struct lag_entry that drops the references left in it when it is freed. */
GArray *lag_entries_new(void);

/* True for what YAML calls null: nothing at all, ~, null. */
bool lag_node_is_null(const lag_node *node);

/* The value of a key, or NULL; also NULL where the node is no mapping. */
const lag_node *lag_node_get(const lag_node *mapping, const char *key);

/* "file.yaml:3:7", newly allocated. */
char *lag_place_text(struct lag_place place);

/* A way through a tree: "algorithms[0].straggler". */
struct lag_stride {
    char *key; /* NULL: an index */
    uint32_t index;
};
typedef GArray lag_keypath; /* of struct lag_stride */
void lag_keypath_free(lag_keypath *path);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(lag_keypath, lag_keypath_free)

/* NULL with LAGGARD_ERROR_INPUT where the text is no path. */
lag_keypath *lag_keypath_parse(const char *text, GError **error);

/* The node at the end of a path, or NULL where there is none. */
const lag_node *lag_node_find(const lag_node *root, const lag_keypath *path);

/* A tree like `root`, but with `value` at the path. Mappings that are missing on the way are made,
 * at value's place; an index may be one past the end. NULL with LAGGARD_ERROR_INPUT where the
 * path leads through a scalar or past the end. Caller owns the reference. */
lag_node *lag_node_set(const lag_node *root, const lag_keypath *path, lag_node *value,
                       GError **error);

/* The same text for the same values, whatever their order, layout and comments: JSON with sorted
 * keys and every scalar as a string as it was written. */
void lag_node_append_canonical(const lag_node *node, GString *text);

#endif
