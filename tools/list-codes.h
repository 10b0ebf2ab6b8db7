/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `laggard list codes`: gradient codes, and what each reads. */
#ifndef LAGGARD_TOOLS_LIST_CODES_H
#define LAGGARD_TOOLS_LIST_CODES_H

#include <stdbool.h>

#include <glib.h>

void lag_list_codes(bool json_wanted, GString *text);

#endif
