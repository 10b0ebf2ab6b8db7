/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a scenario may say, as data: forms (what a value looks like) and tables of keys. Reading,
 * the messages for unknown and missing keys, the check of a sweep's paths and the JSON Schema all
 * follow from these tables.
 *
 * Reading fills a struct: a key's value goes to the member at `offset`, of the type that belongs
 * to its form:  TEXT const char * (borrowed from the tree), INTEGER uint64_t, NUMBER and QUANTITY
 * double, CHOICE int (index), MAPPING a struct that starts at `offset`. The others have a
 * reader of their own. */
#ifndef LAGGARD_SCENARIOS_FORM_H
#define LAGGARD_SCENARIOS_FORM_H

#include "scenarios/quantity.h"
#include "scenarios/tree.h"

enum lag_shape {
    LAG_TEXT,
    LAG_INTEGER,
    LAG_NUMBER,
    LAG_QUANTITY,
    LAG_CHOICE,
    LAG_MAPPING_OF, /* keys of a table */
    LAG_LIST_OF,    /* any number of `item`, at least one */
    LAG_ONE_OF,     /* any of `alternatives`; needs a reader */
    LAG_FREE,       /* keys that a reader knows, each with an `item`; `allows` says which */
    LAG_ANYTHING,   /* what is read at another moment */
};

struct lag_key;
struct lag_schema;

struct lag_form {
    enum lag_shape shape;
    const char *what; /* "a number of GPUs": stands in messages after "expected" */
    enum lag_dimension dimension;
    double min, max;            /* of NUMBER and QUANTITY; max 0: no bound but finite */
    bool above_min;             /* min itself is too small */
    uint64_t least, most;       /* of INTEGER */
    const char *choices;        /* "rendezvous|eager" */
    const struct lag_key *keys; /* ends with a NULL name */
    const char
        *one_of; /* "size|training": keys of a MAPPING_OF of which one must be there; or NULL */
    /* Further keys of a MAPPING_OF, by number; false past the last. They are read elsewhere. */
    bool (*more)(uint32_t index, struct lag_key *ret);
    const struct lag_form *item;                /* of LIST_OF and FREE */
    const struct lag_form *const *alternatives; /* ends with NULL */
    bool (*allows)(const char *key);            /* of FREE */
    /* Writes the members of the form's JSON Schema, where the shape says too little; or NULL. */
    void (*describe)(struct lag_schema *schema);
};

/* A value on the way down from the root: what error messages need to name it. They live on the
 * stack of whoever goes down. */
struct lag_at {
    const struct lag_at *parent; /* NULL at the root */
    const char *key;             /* NULL: an entry of a list */
    uint32_t index;
    const lag_node *node;
};

struct lag_key {
    const char *name;
    const struct lag_form *form;
    bool required;
    const char *default_text; /* as a user would write it; NULL: left as it is; never of a TEXT */
    size_t offset;            /* of the member in the struct */
    /* Instead of the form's own reading; `into` is the whole struct. */
    bool (*read)(const struct lag_at *at, void *into, GError **error);
    const char *help; /* one line */
};

/* Forms that many tables share. */
extern const struct lag_form lag_form_text, lag_form_count, lag_form_duration, lag_form_period;
extern const struct lag_form lag_form_factor, lag_form_rate, lag_form_size, lag_form_anything;

/* Reads a value into *into. False with LAGGARD_ERROR_INPUT and a message of lag_refuse's. */
bool lag_read_form(const struct lag_at *at, const struct lag_form *form, void *into,
                   GError **error);

/* Reads a mapping by its form's table: first unknown keys are refused, then keys are read in the
 * order of the table, so that a key's reader finds what stands before it. */
bool lag_read_mapping(const struct lag_at *at, const struct lag_form *form, void *into,
                      GError **error);

/* A key of a mapping's form by number, those of `more` last; false past the end. */
bool lag_form_key(const struct lag_form *form, uint32_t index, struct lag_key *ret);

/* A child of *at, by position. */
struct lag_at lag_at_entry(const struct lag_at *at, uint32_t entry);

/* The kind that is expected here, or a message: "expected a list of ranks". */
bool lag_expect(const struct lag_at *at, enum lag_node_kind kind, const char *what, GError **error);

/* Sets LAGGARD_ERROR_INPUT to "file:line:column: key.path: message"; always false. */
bool lag_refuse(const struct lag_at *at, GError **error, const char *format, ...)
    G_GNUC_PRINTF(3, 4);

/* The same around a message that somebody else has set: the place and path come before it. */
bool lag_refuse_prefix(const struct lag_at *at, GError **error);

/* "cluster.network.links[0]", newly allocated. */
char *lag_at_path(const struct lag_at *at);

#endif
