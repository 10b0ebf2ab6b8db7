/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The columns of arXiv:2505.05713's traces as CSV, times in seconds. Columns that have no name here
 * are passed over. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "scenarios/csv.h"
#include "scenarios/nearest.h"
#include "scenarios/profile.h"
#include "scenarios/quantity.h"
#include "sim/laggard.h"

#define MOST_OPS   (1u << 25)
#define MOST_RANK  (1u << 24)
#define MOST_ID    INT32_MAX
#define MOST_TIME  1e12 /* [s] */
#define NO_ID_TEXT "-1"

enum form {
    NUMBERED,     /* a whole number, at most `most` */
    MAYBE_NUMBER, /* the same, or -1 or nothing where it has none */
    TIME,         /* [s] */
    LENGTH,       /* [s] not negative */
    KIND
};

static const struct column {
    const char *name;
    enum form form;
    uint32_t most;
    size_t offset; /* in struct lag_op */
} columns[] = {
    {"dp_rank",  NUMBERED,     MOST_RANK, offsetof(struct lag_op, dp)         },
    {"stage",    NUMBERED,     MOST_RANK, offsetof(struct lag_op, stage)      },
    {"rank",     NUMBERED,     MOST_RANK, offsetof(struct lag_op, rank)       },
    {"step",     NUMBERED,     MOST_ID,   offsetof(struct lag_op, step)       },
    {"optype",   KIND,         0,         offsetof(struct lag_op, kind)       },
    {"start_ts", TIME,         0,         offsetof(struct lag_op, start)      },
    {"duration", LENGTH,       0,         offsetof(struct lag_op, duration)   },
    {"seq_id",   NUMBERED,     MOST_ID,   offsetof(struct lag_op, seq)        },
    {"mc",       MAYBE_NUMBER, MOST_RANK, offsetof(struct lag_op, chunk)      },
    {"mb_id",    MAYBE_NUMBER, MOST_ID,   offsetof(struct lag_op, batch)      },
    {"gmc",      MAYBE_NUMBER, MOST_RANK, offsetof(struct lag_op, model_chunk)},
};

struct table {
    struct lag_csv csv;
    const char *name;
    guint n_fields;
    guint field[G_N_ELEMENTS(columns)];
};

static bool refuse(const struct table *table, GError **error, const char *format, ...)
    G_GNUC_PRINTF(3, 4);
static bool refuse(const struct table *table, GError **error, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    g_autofree char *message = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT, "%s:%u: %s", table->name,
                table->csv.line, message);
    return false;
}

static bool find_columns(struct table *table, GError **error)
{
    const char *const *fields = (const char *const *)table->csv.fields->pdata;

    table->n_fields = table->csv.fields->len;
    for (size_t i = 0; i < G_N_ELEMENTS(columns); i++) {
        guint n_found = 0;
        for (guint j = 0; j < table->n_fields; j++) {
            if (strcmp(fields[j], columns[i].name) == 0) {
                table->field[i] = j;
                n_found++;
            }
        }
        if (n_found > 1)
            return refuse(table, error, "has %u columns '%s'", n_found, columns[i].name);
        if (n_found == 0) {
            g_autofree char *hint = lag_nearest_hint(columns[i].name, fields, table->n_fields);
            return refuse(table, error,
                          "has no column '%s'%s (a profiled job needs dp_rank, stage, rank, step, "
                          "optype, start_ts, duration, seq_id, mc, mb_id and gmc)",
                          columns[i].name, hint);
        }
    }
    return true;
}

static bool read_number(const struct table *table, const struct column *column, const char *text,
                        uint32_t *into, GError **error)
{
    g_autoptr(GError) cause = NULL;
    uint64_t value;

    if (!lag_integer_parse(text, &value, &cause))
        return refuse(table, error, "%s: %s; expected a whole number", column->name,
                      cause->message);
    if (value > column->most)
        return refuse(table, error, "%s: %s is too large; expected at most %u", column->name, text,
                      column->most);
    *into = (uint32_t)value;
    return true;
}

static bool read_time(const struct table *table, const struct column *column, const char *text,
                      double *into, GError **error)
{
    g_autoptr(GError) cause = NULL;

    if (!lag_number_parse(text, into, &cause))
        return refuse(table, error, "%s: %s; expected seconds", column->name, cause->message);
    if (fabs(*into) > MOST_TIME)
        return refuse(table, error, "%s: %s is too large; expected seconds", column->name, text);
    if (column->form == LENGTH && *into < 0)
        return refuse(table, error, "%s: %s is negative; expected seconds of 0 or more",
                      column->name, text);
    return true;
}

static bool read_kind(const struct table *table, const char *text, enum lag_op_kind *into,
                      GError **error)
{
    const char *names[LAG_N_OP_KINDS];

    *into = lag_op_kind_find(text);
    if (*into != LAG_N_OP_KINDS)
        return true;
    for (int i = 0; i < LAG_N_OP_KINDS; i++)
        names[i] = lag_op_types[i].name;
    g_autofree char *hint = lag_nearest_hint(text, names, LAG_N_OP_KINDS);
    return refuse(table, error, "optype: no '%s'%s", text, hint);
}

static bool read_field(const struct table *table, const struct column *column, const char *text,
                       struct lag_op *op, GError **error)
{
    void *into = (char *)op + column->offset;
    uint32_t number = 0;

    switch (column->form) {
    case KIND:
        return read_kind(table, text, into, error);
    case TIME:
    case LENGTH:
        return read_time(table, column, text, into, error);
    case MAYBE_NUMBER:
        *(int32_t *)into = -1;
        if (*text == '\0' || strcmp(text, NO_ID_TEXT) == 0)
            return true;
        if (!read_number(table, column, text, &number, error))
            return false;
        *(int32_t *)into = (int32_t)number;
        return true;
    case NUMBERED:
        return read_number(table, column, text, into, error);
    }
    g_assert_not_reached();
}

static bool read_row(const struct table *table, GArray *ops, GError **error)
{
    struct lag_op op = {.line = table->csv.line};

    if (table->csv.fields->len != table->n_fields)
        return refuse(table, error, "has %u fields; the header has %u", table->csv.fields->len,
                      table->n_fields);
    for (size_t i = 0; i < G_N_ELEMENTS(columns); i++)
        if (!read_field(table, &columns[i], g_ptr_array_index(table->csv.fields, table->field[i]),
                        &op, error))
            return false;
    if (lag_op_is_compute(op.kind) && op.model_chunk < 0)
        return refuse(table, error, "gmc: %s needs its chunk of the model; expected a whole number",
                      lag_op_types[op.kind].name);
    g_array_append_val(ops, op);
    return ops->len <= MOST_OPS || refuse(table, error, "more than %u operations", MOST_OPS);
}

static bool read_table(struct table *table, GArray *ops, GError **error)
{
    if (!lag_csv_next(&table->csv)) {
        g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT, "%s: has no header line",
                    table->name);
        return false;
    }
    if (!find_columns(table, error))
        return false;
    while (lag_csv_next(&table->csv))
        if (!read_row(table, ops, error))
            return false;
    return ops->len > 0 || refuse(table, error, "has no operations below the header");
}

static GArray *read_csv(GBytes *contents, const char *name, GError **error)
{
    g_autoptr(GArray) ops = g_array_new(FALSE, FALSE, sizeof(struct lag_op));
    struct table table = {.name = name};

    lag_csv_init(&table.csv, contents);
    bool read = read_table(&table, ops, error);
    lag_csv_clear(&table.csv);
    return read ? g_steal_pointer(&ops) : NULL;
}

static bool fits_csv(GBytes *contents)
{
    (void)contents;
    return true;
}

const struct lag_profile_reader lag_profile_csv = {
    .name = "csv",
    .summary = "one operation a line, with the columns of arXiv:2505.05713's traces",
    .fits = fits_csv,
    .read = read_csv,
};
