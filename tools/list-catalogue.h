/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `laggard list gpus` and `laggard list links`. */
#ifndef LAGGARD_TOOLS_LIST_CATALOGUE_H
#define LAGGARD_TOOLS_LIST_CATALOGUE_H

#include <stdbool.h>

#include <glib.h>

/* Append the built-in catalogue, as a table or as JSON. */
void lag_list_gpus(bool json, GString *text);
void lag_list_links(bool json, GString *text);

#endif
