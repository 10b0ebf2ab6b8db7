/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/edits.h"

#include <string.h>

#include "scenarios/draft.h"
#include "scenarios/file.h"
#include "scenarios/message.h"
#include "scenarios/nearest.h"
#include "scenarios/yaml.h"
#include "sim/laggard.h"

#define MOST_TEXT  ((size_t)1 << 20)
#define MOST_EDITS 256
#define MOST_COUNT 65536

/* An edit as it is written. */
struct draft {
    uint64_t rank, dp, stage, count;
    double factor;
    int link;
};

static const struct lag_form rank_form = {
    .shape = LAG_INTEGER, .what = "a rank of the trace", .most = UINT32_MAX - 1};
static const struct lag_form place_form = {
    .shape = LAG_INTEGER, .what = "a number from 0", .most = UINT32_MAX - 1};
static const struct lag_form size_form = {
    .shape = LAG_INTEGER, .what = "a whole number", .least = 1, .most = MOST_COUNT};
/* In the order of enum lag_link_kind. */
static const struct lag_form link_form = {
    .shape = LAG_CHOICE, .what = "a kind of link", .choices = "pipeline|data"};

static const struct lag_key speed_up_keys[] = {
    {.name = "rank",
     .form = &rank_form,
     .required = true,
     .offset = offsetof(struct draft, rank),
     .help = "the worker, as the trace numbers it"},
    {.name = "factor",
     .form = &lag_form_factor,
     .offset = offsetof(struct draft, factor),
     .help = "how many times faster; left out: as fast as its stage's median"},
    {.name = NULL          },
};
static const struct lag_key link_keys[] = {
    {.name = "link",
     .form = &link_form,
     .default_text = "pipeline",
     .offset = offsetof(struct draft, link),
     .help = "pipeline: from a stage to the next; data: between data-parallel ranks"},
    {.name = "dp",
     .form = &place_form,
     .offset = offsetof(struct draft, dp),
     .help = "of that data-parallel rank; left out: of all"},
    {.name = "stage",
     .form = &place_form,
     .offset = offsetof(struct draft, stage),
     .help = "from that stage to the next, or in it; left out: all"},
    {.name = "factor",
     .form = &lag_form_factor,
     .required = true,
     .offset = offsetof(struct draft, factor),
     .help = "how many times its bandwidth"},
    {.name = NULL       },
};
static const struct lag_key ranks_keys[] = {
    {.name = "ranks",
     .form = &size_form,
     .required = true,
     .offset = offsetof(struct draft, count),
     .help = "how many data-parallel ranks"},
    {.name = NULL},
};
static const struct lag_key count_keys[] = {
    {.name = "count",
     .form = &size_form,
     .required = true,
     .offset = offsetof(struct draft, count),
     .help = "how many micro-batches a step"},
    {.name = NULL},
};

/* What an edit may say; NULL: its name alone. */
static const struct lag_form forms[LAG_N_EDIT_KINDS] = {
    [LAG_EDIT_SPEED_UP] = {.shape = LAG_MAPPING_OF,
                           .what = "{rank: 5, factor: 2}",
                           .keys = speed_up_keys                                              },
    [LAG_EDIT_LINK] = {.shape = LAG_MAPPING_OF,
                           .what = "{link: pipeline, stage: 0, factor: 2}",
                           .keys = link_keys                                                  },
    [LAG_EDIT_DATA_PARALLEL] = {.shape = LAG_MAPPING_OF, .what = "{ranks: 16}",  .keys = ranks_keys},
    [LAG_EDIT_BATCHES] = {.shape = LAG_MAPPING_OF, .what = "{count: 8}",   .keys = count_keys},
};

static bool find_kind(const struct lag_at *at, enum lag_edit_kind *ret, GError **error)
{
    const char *names[LAG_N_EDIT_KINDS];

    for (int i = 0; i < LAG_N_EDIT_KINDS; i++) {
        names[i] = lag_edit_types[i].name;
        if (strcmp(names[i], at->node->text) == 0) {
            *ret = (enum lag_edit_kind)i;
            return true;
        }
    }
    g_autofree char *hint = lag_nearest_hint(at->node->text, names, LAG_N_EDIT_KINDS);
    return lag_refuse(at, error, "no edit '%s'%s", at->node->text, hint);
}

static bool read_arguments(const struct lag_at *at, enum lag_edit_kind kind,
                           struct lag_job_edit *edit, GError **error)
{
    struct draft draft = {.dp = LAG_EVERY, .stage = LAG_EVERY};

    if (forms[kind].keys == NULL)
        return lag_refuse(at, error, "has no arguments; write %s alone", lag_edit_types[kind].name);
    if (!lag_read_form(at, &forms[kind], &draft, error))
        return false;
    if (draft.link == LAG_LINK_DATA && draft.dp != LAG_EVERY)
        return lag_refuse(at, error, "a data link belongs to a stage; leave out dp");
    *edit = (struct lag_job_edit){
        .kind = kind,
        .rank = (uint32_t)draft.rank,
        .link = {(enum lag_link_kind)draft.link, (uint32_t)draft.dp, (uint32_t)draft.stage},
        .factor = draft.factor,
        .count = (uint32_t)draft.count
    };
    return true;
}

/* "balance-stages", or {speed-up: {rank: 5}}. */
static bool read_edit(const struct lag_at *at, GArray *edits, GError **error)
{
    struct lag_job_edit edit = {0};
    enum lag_edit_kind kind = LAG_EDIT_BALANCE;

    if (edits->len == MOST_EDITS)
        return lag_refuse(at, error, "more than %d edits", MOST_EDITS);
    if (at->node->kind == LAG_SCALAR) {
        if (!find_kind(at, &kind, error))
            return false;
        if (forms[kind].keys != NULL)
            return lag_refuse(at, error, "%s needs its arguments: {%s: %s}",
                              lag_edit_types[kind].name, lag_edit_types[kind].name,
                              forms[kind].what);
        edit.kind = kind;
    } else {
        if (!lag_expect(at, LAG_MAPPING, "an edit: balance-stages, or {speed-up: {rank: 5}}",
                        error))
            return false;
        if (at->node->n_entries != 1)
            return lag_refuse(at, error, "has %u keys; expected one edit an entry",
                              at->node->n_entries);
        struct lag_at name = {at->parent, at->key, at->index, at->node->entries[0].key};
        struct lag_at arguments = lag_at_entry(at, 0);
        if (!find_kind(&name, &kind, error) || !read_arguments(&arguments, kind, &edit, error))
            return false;
    }
    g_array_append_val(edits, edit);
    return true;
}

/* A whole file. */
struct file_draft {
    const char *trace;
    GArray *edits;
};

static bool read_list(const struct lag_at *at, void *into, GError **error)
{
    struct file_draft *draft = into;

    if (!lag_expect(at, LAG_SEQUENCE, "a list of edits, [balance-stages]", error))
        return false;
    for (uint32_t i = 0; i < at->node->n_entries; i++) {
        struct lag_at entry = lag_at_entry(at, i);
        if (!read_edit(&entry, draft->edits, error))
            return false;
    }
    return true;
}

static const struct lag_key root_keys[] = {
    {.name = "laggard",
     .form = &lag_form_anything,
     .required = true,
     .read = lag_read_later,
     .help = "the version of the schema, laggard: 1"},
    {.name = "trace",
     .form = &lag_form_text,
     .offset = offsetof(struct file_draft, trace),
     .help = "the profiled job; its folder is this file's"},
    {.name = "edits",
     .form = &lag_form_anything,
     .required = true,
     .read = read_list,
     .help = "a list of edits, [balance-stages, {speed-up: {rank: 5}}]"},
    {.name = NULL                                },
};
static const struct lag_form root_form = {
    .shape = LAG_MAPPING_OF, .what = "a mapping that begins with laggard: 1", .keys = root_keys};

/* Hands an error on that is fit to be printed. */
static bool hand_on(bool done, GError *cause, GError **error)
{
    if (!done) {
        lag_message_tidy(cause);
        g_propagate_error(error, cause);
    }
    return done;
}

bool lag_edits_parse(const char *text, const char *source, GArray *edits, GError **error)
{
    GError *cause = NULL;
    g_autofree char *place = g_strdup_printf("%s '%s'", source, text);
    g_autoptr(lag_node) node = lag_yaml_parse(text, strlen(text), place, false, &cause);
    struct lag_at at = {NULL, NULL, 0, node};

    bool read = node != NULL && read_edit(&at, edits, &cause);
    return hand_on(read, cause, error);
}

static bool read_file(const lag_node *root, struct file_draft *draft, GError **error)
{
    struct lag_at at = {NULL, NULL, 0, root};

    return lag_expect(&at, LAG_MAPPING, root_form.what, error) && lag_check_version(&at, error) &&
           lag_read_mapping(&at, &root_form, draft, error);
}

bool lag_edits_load(const char *path, GArray *edits, char **ret_trace, GError **error)
{
    struct file_draft draft = {.edits = edits};
    GError *cause = NULL;
    g_autoptr(GBytes) contents = lag_file_read(path, MOST_TEXT, &cause);
    size_t length = 0;

    if (contents == NULL) {
        g_prefix_error(&cause, "%s: ", path);
        return hand_on(false, cause, error);
    }
    const char *text = g_bytes_get_data(contents, &length);
    g_autoptr(lag_node) root = lag_yaml_parse(text != NULL ? text : "", length, path, true, &cause);
    bool read = root != NULL && read_file(root, &draft, &cause);
    if (read && draft.trace != NULL) {
        g_autofree char *folder = g_path_get_dirname(path);
        *ret_trace = g_path_is_absolute(draft.trace) ? g_strdup(draft.trace)
                                                     : g_build_filename(folder, draft.trace, NULL);
    }
    return hand_on(read, cause, error);
}
