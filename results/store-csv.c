/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "results/store-csv.h"

#include <string.h>

#include "results/column.h"
#include "results/csv.h"

#define CHUNK 65536 /* of text that is handed on [B] */

struct printer {
    const lag_database *database;
    int64_t run;
    sqlite3_stmt *rows, *fields; /* `fields`: an object's members */
    GString *text;
    GString *head;                /* the columns that are the run's */
    GPtrArray *axes, *parameters; /* names, owned */
    lag_text_sink sink;
    void *data;
};

static void append_value(GString *text, sqlite3_stmt *statement, int column)
{
    int type = sqlite3_column_type(statement, column);

    if (type == SQLITE_TEXT)
        lag_csv_text(text, (const char *)sqlite3_column_text(statement, column));
    else if (type == SQLITE_INTEGER)
        g_string_append_printf(text, "%lld", sqlite3_column_int64(statement, column));
    else if (type == SQLITE_FLOAT)
        lag_csv_number(text, sqlite3_column_double(statement, column));
}

/* Adds the names of an object's members that aren't known yet. */
static bool add_names(struct printer *printer, GPtrArray *names, const char *object, GError **error)
{
    int status;

    lag_bind_text(printer->fields, 1, object);
    while ((status = sqlite3_step(printer->fields)) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(printer->fields, 0);
        if (!g_ptr_array_find_with_equal_func(names, name, g_str_equal, NULL))
            g_ptr_array_add(names, g_strdup(name));
    }
    if (status != SQLITE_DONE)
        lag_database_fail(printer->database, error);
    sqlite3_reset(printer->fields);
    return status == SQLITE_DONE;
}

/* All names of fields, in the order in which they occur. `query` yields the objects, ?1 the run. */
static bool collect_names(struct printer *printer, GPtrArray *names, const char *query,
                          GError **error)
{
    sqlite3_stmt *select = lag_database_prepare(printer->database, query, error);
    int status = SQLITE_ROW;
    bool good = select != NULL;

    if (!good)
        return false;
    sqlite3_bind_int64(select, 1, printer->run);
    while (good && (status = sqlite3_step(select)) == SQLITE_ROW)
        good = add_names(printer, names, (const char *)sqlite3_column_text(select, 0), error);
    if (good && status != SQLITE_DONE)
        good = lag_database_fail(printer->database, error);
    sqlite3_finalize(select);
    return good;
}

/* "version,scenario,seed,fingerprint" of the run. */
static bool read_head(struct printer *printer, GError **error)
{
    sqlite3_stmt *select = lag_database_prepare(
        printer->database, "SELECT version, scenario, seed, fingerprint FROM run WHERE id = ?",
        error);

    if (select == NULL)
        return false;
    sqlite3_bind_int64(select, 1, printer->run);
    bool found = sqlite3_step(select) == SQLITE_ROW;
    for (int i = 0; found && i < 4; i++) {
        if (i > 0)
            g_string_append_c(printer->head, ',');
        append_value(printer->head, select, i);
    }
    if (!found)
        lag_database_fail(printer->database, error);
    sqlite3_finalize(select);
    return found;
}

/* The query of all rows: the columns of CSV, then coordinates and parameters. */
static bool prepare_rows(struct printer *printer, GError **error)
{
    g_autoptr(GString) sql = g_string_new("SELECT ");

    for (const struct lag_column *column = lag_columns; column->name != NULL; column++) {
        g_autofree char *name = g_strdelimit(g_strdup(column->name), ".", '_');
        if (column->place == LAG_OF_JOB)
            g_string_append_printf(sql, "coalesce(result.%s, point.%s), ", name, name);
        else
            g_string_append_printf(sql, "%s.%s, ",
                                   column->place == LAG_OF_POINT ? "point" : "result", name);
    }
    g_string_append(sql, "coordinates, parameters FROM point JOIN result"
                         " ON result.run = point.run AND result.point = number"
                         " WHERE point.run = ? ORDER BY number, entrant");
    printer->rows = lag_database_prepare(printer->database, sql->str, error);
    return printer->rows != NULL && sqlite3_bind_int64(printer->rows, 1, printer->run) == SQLITE_OK;
}

static void append_names(GString *text, const char *prefix, const GPtrArray *names)
{
    for (guint i = 0; i < names->len; i++) {
        g_autofree char *name = g_strconcat(prefix, g_ptr_array_index(names, i), NULL);
        g_string_append_c(text, ',');
        lag_csv_text(text, name);
    }
}

static void append_header(struct printer *printer)
{
    g_string_append(printer->text, "laggard,scenario,seed,fingerprint");
    for (const struct lag_column *column = lag_columns; column->name != NULL; column++) {
        g_string_append_c(printer->text, ',');
        g_string_append(printer->text, column->name);
    }
    append_names(printer->text, "point.", printer->axes);
    append_names(printer->text, "parameters.", printer->parameters);
    g_string_append(printer->text, "\r\n");
}

/* The members of an object, each in its column. */
static void append_fields(struct printer *printer, GPtrArray *names, const char *object)
{
    g_autofree char **values = g_new0(char *, names->len + 1);
    g_autoptr(GString) value = g_string_new(NULL);
    guint index;

    lag_bind_text(printer->fields, 1, object);
    while (sqlite3_step(printer->fields) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(printer->fields, 0);
        g_string_truncate(value, 0);
        append_value(value, printer->fields, 1);
        if (g_ptr_array_find_with_equal_func(names, name, g_str_equal, &index))
            values[index] = g_strdup(value->str);
    }
    sqlite3_reset(printer->fields);
    for (guint i = 0; i < names->len; i++) {
        g_string_append_c(printer->text, ',');
        g_string_append(printer->text, values[i] != NULL ? values[i] : "");
        g_free(values[i]);
    }
}

static void append_row(struct printer *printer)
{
    int column = 0;

    g_string_append(printer->text, printer->head->str);
    for (; lag_columns[column].name != NULL; column++) {
        g_string_append_c(printer->text, ',');
        append_value(printer->text, printer->rows, column);
    }
    append_fields(printer, printer->axes, (const char *)sqlite3_column_text(printer->rows, column));
    append_fields(printer, printer->parameters,
                  (const char *)sqlite3_column_text(printer->rows, column + 1));
    g_string_append(printer->text, "\r\n");
}

static bool hand_on(struct printer *printer, GError **error)
{
    bool good = printer->sink(printer->data, printer->text, error);

    g_string_truncate(printer->text, 0);
    return good;
}

static bool print_all(struct printer *printer, GError **error)
{
    int status;

    append_header(printer);
    while ((status = sqlite3_step(printer->rows)) == SQLITE_ROW) {
        append_row(printer);
        if (printer->text->len > CHUNK && !hand_on(printer, error))
            return false;
    }
    if (status != SQLITE_DONE)
        return lag_database_fail(printer->database, error);
    return hand_on(printer, error);
}

bool lag_store_csv(const lag_database *database, int64_t run, lag_text_sink sink, void *data,
                   GError **error)
{
    g_autoptr(GString) text = g_string_new(NULL);
    g_autoptr(GString) head = g_string_new(NULL);
    g_autoptr(GPtrArray) axes = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GPtrArray) parameters = g_ptr_array_new_with_free_func(g_free);
    struct printer printer = {.database = database,
                              .run = run,
                              .text = text,
                              .head = head,
                              .axes = axes,
                              .parameters = parameters,
                              .sink = sink,
                              .data = data};

    printer.fields = lag_database_prepare(database, "SELECT key, atom FROM json_each(?)", error);
    bool good =
        printer.fields != NULL && read_head(&printer, error) &&
        collect_names(&printer, axes,
                      "SELECT coordinates FROM point WHERE run = ?1 ORDER BY number LIMIT 1",
                      error) &&
        collect_names(&printer, parameters,
                      "SELECT parameters FROM result WHERE run = ?1 GROUP BY parameters"
                      " ORDER BY min(point * 1000000 + entrant)",
                      error) &&
        prepare_rows(&printer, error) && print_all(&printer, error);
    sqlite3_finalize(printer.rows);
    sqlite3_finalize(printer.fields);
    return good;
}
