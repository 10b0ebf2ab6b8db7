/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text tables: columns as wide as their widest cell, two blanks between them. */
#ifndef LAGGARD_RESULTS_TABLE_H
#define LAGGARD_RESULTS_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include <glib.h>

typedef struct lag_table lag_table;
lag_table *lag_table_new(void);
void lag_table_free(lag_table *table);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(lag_table, lag_table_free)

/* All columns first, from left to right; then cells, row after row. */
void lag_table_column(lag_table *table, const char *heading, bool numbers_to_the_right);
void lag_table_cell(lag_table *table, const char *text);
/* The same, taking `text` over. */
void lag_table_take_cell(lag_table *table, char *text);

/* Appends the heading and the rows; the last one must be complete. */
void lag_table_print(const lag_table *table, GString *text);

#endif
