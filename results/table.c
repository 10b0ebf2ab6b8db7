/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "results/table.h"

#include <assert.h>

struct column {
    char *heading;
    bool right;
};

struct lag_table {
    GArray *columns;  /* of struct column */
    GPtrArray *cells; /* of char *, row after row */
};

static void clear_column(gpointer column)
{
    g_free(((struct column *)column)->heading);
}

lag_table *lag_table_new(void)
{
    lag_table *table = g_new(lag_table, 1);

    table->columns = g_array_new(FALSE, FALSE, sizeof(struct column));
    g_array_set_clear_func(table->columns, clear_column);
    table->cells = g_ptr_array_new_with_free_func(g_free);
    return table;
}

void lag_table_free(lag_table *table)
{
    if (table == NULL)
        return;
    g_array_unref(table->columns);
    g_ptr_array_unref(table->cells);
    g_free(table);
}

void lag_table_column(lag_table *table, const char *heading, bool numbers_to_the_right)
{
    struct column column = {g_strdup(heading), numbers_to_the_right};

    assert(table->cells->len == 0);
    g_array_append_val(table->columns, column);
}

void lag_table_take_cell(lag_table *table, char *text)
{
    g_ptr_array_add(table->cells, text);
}

void lag_table_cell(lag_table *table, const char *text)
{
    lag_table_take_cell(table, g_strdup(text));
}

static void append_blanks(GString *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        g_string_append_c(text, ' ');
}

/* Appends a cell; blanks at the end of a line are left out. */
static void append_cell(GString *text, const char *cell, size_t width, bool right, bool last)
{
    size_t blanks = width - (size_t)g_utf8_strlen(cell, -1);

    if (right)
        append_blanks(text, blanks);
    g_string_append(text, cell);
    if (!right && !last)
        append_blanks(text, blanks);
    g_string_append(text, last ? "\n" : "  ");
}

void lag_table_print(const lag_table *table, GString *text)
{
    guint n = table->columns->len;
    g_autofree size_t *widths = g_new(size_t, n);

    assert(n > 0 && table->cells->len % n == 0);
    for (guint i = 0; i < n; i++)
        widths[i] =
            (size_t)g_utf8_strlen(g_array_index(table->columns, struct column, i).heading, -1);
    for (guint i = 0; i < table->cells->len; i++) {
        size_t width = (size_t)g_utf8_strlen(g_ptr_array_index(table->cells, i), -1);
        widths[i % n] = MAX(widths[i % n], width);
    }
    for (guint i = 0; i < n + table->cells->len; i++) {
        const struct column *column = &g_array_index(table->columns, struct column, i % n);
        const char *cell = i < n ? column->heading : g_ptr_array_index(table->cells, i - n);
        append_cell(text, cell, widths[i % n], column->right, i % n == n - 1);
    }
}
