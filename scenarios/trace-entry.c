/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/trace-entry.h"

#include <inttypes.h>
#include <string.h>

#include "scenarios/trace.h"

struct entry {
    const char *file, *step, *rank, *wait, *unit;
};

static bool read_unit(const struct lag_at *at, void *into, GError **error);

static const struct lag_form unit_form = {
    .shape = LAG_CHOICE, .what = "a unit of time", .choices = "s|ms|us|ns"};
static const struct lag_form columns_form = {
    .shape = LAG_LIST_OF, .what = "a list of columns", .item = &lag_form_text};
static const struct lag_form *const arrival_alternatives[] = {&lag_form_text, &columns_form, NULL};
static const struct lag_form arrival_form = {.shape = LAG_ONE_OF,
                                             .what = "a column, or a list of columns",
                                             .alternatives = arrival_alternatives};

static const struct lag_key trace_keys[] = {
    {.name = "file",
     .form = &lag_form_text,
     .required = true,
     .offset = offsetof(struct entry, file),
     .help = "a CSV file; its folder is the scenario's"},
    {.name = "step",
     .form = &lag_form_text,
     .required = true,
     .offset = offsetof(struct entry, step),
     .help = "the column that numbers the steps"},
    {.name = "rank",
     .form = &lag_form_text,
     .required = true,
     .offset = offsetof(struct entry, rank),
     .help = "the column with the rank"},
    {.name = "wait",
     .form = &lag_form_text,
     .offset = offsetof(struct entry, wait),
     .help = "the column with the time that a rank waited for the last"},
    {.name = "arrival",
     .form = &arrival_form,
     .read = lag_read_later,
     .help = "the column, or columns to add, with the time of arrival"},
    {.name = "unit",
     .form = &unit_form,
     .read = read_unit,
     .help = "of the columns, where their names don't end in _s, _ms or _us"},
    {.name = NULL},
};
const struct lag_form lag_form_trace = {
    .shape = LAG_MAPPING_OF,
    .what = "{file: steps.csv, step: step, rank: rank, wait: wait_ms}",
    .keys = trace_keys};

static bool read_unit(const struct lag_at *at, void *into, GError **error)
{
    struct entry *entry = into;
    int choice;

    entry->unit = at->node->text;
    return lag_read_form(at, &unit_form, &choice, error);
}

/* The names of the columns with times, borrowed from the tree. */
static bool read_times(const struct lag_at *at, const struct entry *entry, GPtrArray *times,
                       GError **error)
{
    struct lag_at arrival = {at, "arrival", 0, lag_node_get(at->node, "arrival")};
    const char *name;

    if ((arrival.node != NULL) == (entry->wait != NULL))
        return lag_refuse(at, error, "give either 'arrival' or 'wait': the columns with times");
    if (entry->wait != NULL) {
        g_ptr_array_add(times, (gpointer)(uintptr_t)entry->wait);
        return true;
    }
    if (arrival.node->kind == LAG_SCALAR) {
        bool read = lag_read_form(&arrival, &lag_form_text, &name, error);
        g_ptr_array_add(times, (gpointer)(uintptr_t)(read ? name : NULL));
        return read;
    }
    if (!lag_expect(&arrival, LAG_SEQUENCE, arrival_form.what, error))
        return false;
    for (uint32_t i = 0; i < arrival.node->n_entries; i++) {
        struct lag_at column = lag_at_entry(&arrival, i);
        if (!lag_read_form(&column, &lag_form_text, &name, error))
            return false;
        g_ptr_array_add(times, (gpointer)(uintptr_t)name);
    }
    return times->len > 0 ||
           lag_refuse(&arrival, error, "the list is empty; expected %s", arrival_form.what);
}

static bool parse(const struct lag_at *file, const struct lag_draft *draft,
                  const struct lag_trace_columns *columns, GError **error)
{
    GBytes *contents = g_hash_table_lookup(draft->sources->files, file->node->text);

    g_assert(contents != NULL); /* the document has read every file that a point can name */
    draft->scenario->trace = lag_trace_parse(contents, file->node->text, columns, error);
    return draft->scenario->trace != NULL || lag_refuse_prefix(file, error);
}

static bool check_counts(const struct lag_at *file, const struct lag_draft *draft, GError **error)
{
    const struct lag_trace *trace = draft->scenario->trace;

    if (trace->n_ranks != draft->scenario->n_gpus) {
        g_autofree char *where = lag_place_text(draft->gpus->place);
        return lag_refuse(
            file, error, "%s has %u ranks, but cluster.gpus (%s) has %u; set cluster.gpus to %u",
            file->node->text, trace->n_ranks, where, draft->scenario->n_gpus, trace->n_ranks);
    }
    if (draft->workload.steps > trace->n_steps) {
        g_autofree char *where = lag_place_text(draft->steps->place);
        return lag_refuse(file, error,
                          "%s has %u steps, but workload.steps (%s) is %" PRIu64
                          "; set it to at most %u, or leave it out",
                          file->node->text, trace->n_steps, where, draft->workload.steps,
                          trace->n_steps);
    }
    return true;
}

bool lag_read_trace(const struct lag_at *at, struct lag_draft *draft, GError **error)
{
    g_autoptr(GPtrArray) times = g_ptr_array_new();
    struct lag_at file = {at, "file", 0, NULL};
    struct entry entry = {0};
    struct lag_trace_columns columns;

    if (draft->trace != NULL) {
        g_autofree char *where = lag_place_text(draft->trace->place);
        return lag_refuse(at, error, "a second trace; the first is at %s", where);
    }
    draft->trace = at->node;
    if (!lag_read_form(at, &lag_form_trace, &entry, error) || !read_times(at, &entry, times, error))
        return false;
    g_ptr_array_add(times, NULL);
    columns = (struct lag_trace_columns){
        .step = entry.step,
        .rank = entry.rank,
        .times = (const char *const *)times->pdata,
        .is_wait = entry.wait != NULL,
        .unit = entry.unit,
    };
    file.node = lag_node_get(at->node, "file");
    if (!parse(&file, draft, &columns, error) || !check_counts(&file, draft, error))
        return false;
    draft->scenario->lateness.trace = draft->scenario->trace;
    if (draft->workload.steps == 0)
        draft->scenario->n_steps = draft->scenario->trace->n_steps;
    return true;
}
