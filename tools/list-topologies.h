/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `laggard list topologies`: kinds of network with their drawings and keys. */
#ifndef LAGGARD_TOOLS_LIST_TOPOLOGIES_H
#define LAGGARD_TOOLS_LIST_TOPOLOGIES_H

#include <stdbool.h>

#include <glib.h>

void lag_list_topologies(bool json_wanted, GString *text);

#endif
