/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/advise-follow.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "scenarios/csv.h"
#include "scenarios/file.h"
#include "scenarios/quantity.h"
#include "sim/laggard.h"
#include "tools/trace-columns.h"

#define MOST_BYTES  ((size_t)1 << 30)
#define BETWEEN     G_TIME_SPAN_SECOND /* two looks at the file [us] */
#define LEAST_PAUSE (2 * G_TIME_SPAN_SECOND)

typedef struct lag_csv csv_auto;
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(csv_auto, lag_csv_clear)

/* A line of the table. */
struct row {
    uint64_t step, rank;
    uint32_t line;
};

/* The index of a column, named or guessed; -1 where that isn't clear. */
static int column_of(const GPtrArray *header, const char *given, enum lag_column_role role,
                     const char *option)
{
    g_autoptr(GPtrArray) found = g_ptr_array_new();
    const char *name = given;

    if (name == NULL && lag_columns_guess(header, role, option, found, NULL) && found->len == 1)
        name = g_ptr_array_index(found, 0);
    for (guint i = 0; name != NULL && i < header->len; i++)
        if (strcmp(g_ptr_array_index(header, i), name) == 0)
            return (int)i;
    return -1;
}

static bool read_number(const GPtrArray *fields, int column, uint64_t *ret)
{
    return (guint)column < fields->len &&
           lag_integer_parse(g_ptr_array_index(fields, (guint)column), ret, NULL);
}

/* NULL where the table can't be understood. */
static GArray *read_rows(GBytes *contents, const struct lag_trace_options *options)
{
    g_auto(csv_auto) csv;
    g_autoptr(GArray) rows = g_array_new(FALSE, FALSE, sizeof(struct row));

    lag_csv_init(&csv, contents);
    if (!lag_csv_next(&csv))
        return g_steal_pointer(&rows);
    int step = column_of(csv.fields, options->step, LAG_COLUMN_STEP, "--step");
    int rank = column_of(csv.fields, options->rank, LAG_COLUMN_RANK, "--rank");
    if (step < 0 || rank < 0)
        return NULL;
    while (lag_csv_next(&csv)) {
        struct row row = {.line = csv.line};
        if (!read_number(csv.fields, step, &row.step) || !read_number(csv.fields, rank, &row.rank))
            return NULL;
        g_array_append_val(rows, row);
    }
    return g_steal_pointer(&rows);
}

static int by_step(const void *a, const void *b)
{
    const struct row *first = a, *second = b;

    return (first->step > second->step) - (first->step < second->step);
}

/* Sorts the rows by step and returns how many belong to steps up to the last complete one. */
static guint count_complete(GArray *rows, uint32_t *ret_n_steps)
{
    const struct row *row = (const struct row *)(const void *)rows->data;
    uint64_t n_ranks = 0;
    guint n_complete = 0, n_steps = 0;

    g_array_sort(rows, by_step);
    for (guint i = 0; i < rows->len; i++)
        n_ranks = MAX(n_ranks, row[i].rank + 1);
    for (guint first = 0, next; first < rows->len; first = next) {
        for (next = first; next < rows->len && row[next].step == row[first].step;)
            next++;
        n_steps++;
        if (n_ranks > 1 && next - first >= n_ranks) {
            n_complete = next;
            *ret_n_steps = n_steps;
        }
    }
    return n_complete;
}

GString *lag_follow_complete(const char *text, size_t length,
                             const struct lag_trace_options *options, uint32_t *ret_n_steps)
{
    while (length > 0 && text[length - 1] != '\n')
        length--;
    GString *kept = g_string_new_len(text, (gssize)length);
    g_autoptr(GBytes) contents = g_bytes_new_static(text, length);
    g_autoptr(GArray) rows = read_rows(contents, options);
    *ret_n_steps = rows == NULL ? 1 : 0;
    if (rows == NULL)
        return kept;
    guint n_complete = count_complete(rows, ret_n_steps);
    g_autoptr(GHashTable) dropped = g_hash_table_new(NULL, NULL);
    for (guint i = n_complete; i < rows->len; i++)
        g_hash_table_add(dropped, GUINT_TO_POINTER(g_array_index(rows, struct row, i).line));
    uint32_t line = 1;
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\n')
            line++;
        else if (g_hash_table_contains(dropped, GUINT_TO_POINTER(line)))
            kept->str[i] = ' ';
    }
    return kept;
}

/* What a follower remembers. */
struct follower {
    const char *path;
    const struct lag_trace_options *options;
    lag_follow_action action;
    void *data;
    size_t length;    /* of the log, when it was read last */
    uint32_t n_steps; /* that were acted on */
    int64_t next;     /* not before this time [us] */
};

static bool act_on(struct follower *follower, const GString *text, GError **error)
{
    g_autofree char *copy = NULL;
    g_autoptr(GError) problem = NULL;
    int file = g_file_open_tmp("laggard-XXXXXX.csv", &copy, error);

    if (file < 0)
        return false;
    close(file);
    bool done = g_file_set_contents(copy, text->str, (gssize)text->len, &problem) &&
                follower->action(copy, follower->data, &problem);
    g_unlink(copy);
    if (done)
        return true;
    g_autoptr(GString) message = g_string_new(problem->message);
    g_string_replace(message, copy, follower->path, 0);
    g_set_error_literal(error, problem->domain, problem->code, message->str);
    return false;
}

static bool look(struct follower *follower, GError **error)
{
    int64_t began = g_get_monotonic_time();
    uint32_t n_steps = 0;
    g_autoptr(GBytes) contents = lag_file_read(follower->path, MOST_BYTES, error);

    if (contents == NULL) {
        g_prefix_error(error, "%s: ", follower->path);
        return false;
    }
    if (g_bytes_get_size(contents) == follower->length)
        return true;
    follower->length = g_bytes_get_size(contents);
    g_autoptr(GString) text = lag_follow_complete(g_bytes_get_data(contents, NULL),
                                                  follower->length, follower->options, &n_steps);
    if (n_steps == 0 || n_steps == follower->n_steps)
        return true;
    follower->n_steps = n_steps;
    if (!act_on(follower, text, error))
        return false;
    int64_t now = g_get_monotonic_time();
    follower->next = now + MAX(LEAST_PAUSE, now - began);
    return true;
}

/* SIGINT and SIGTERM, but for those that are ignored. */
static sigset_t signals_to_await(void)
{
    static const int candidates[] = {SIGINT, SIGTERM};
    struct sigaction before;
    sigset_t set;

    sigemptyset(&set);
    for (size_t i = 0; i < G_N_ELEMENTS(candidates); i++)
        if (sigaction(candidates[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaddset(&set, candidates[i]);
    return set;
}

int lag_follow(const char *path, const struct lag_trace_options *options, lag_follow_action action,
               void *data, GError **error)
{
    struct follower follower = {path, options, action, data, 0, 0, 0};
    sigset_t signals = signals_to_await();

    sigprocmask(SIG_BLOCK, &signals, NULL);
    for (;;) {
        if (g_get_monotonic_time() >= follower.next && !look(&follower, error))
            return 0;
        const struct timespec pause = {BETWEEN / G_USEC_PER_SEC, 0};
        int signal = sigtimedwait(&signals, NULL, &pause);
        if (signal > 0)
            return signal;
    }
}
