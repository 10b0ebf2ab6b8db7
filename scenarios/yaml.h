/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the text of a YAML 1.2 or JSON file to a tree (tree.h), with bounded time and memory. */
#ifndef LAGGARD_SCENARIOS_YAML_H
#define LAGGARD_SCENARIOS_YAML_H

#include "scenarios/tree.h"

/* Parses one document; aliases and merge keys (<<) are resolved. Places say `source`, and line
 * and column where `numbered`, else nothing more. NULL with LAGGARD_ERROR_INPUT, whose message
 * starts with the place. Caller owns the reference. */
lag_node *lag_yaml_parse(const char *text, size_t length, const char *source, bool numbered,
                         GError **error);

#endif
