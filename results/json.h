/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Results as JSON: the document of DESIGN section 6. Units stand in the names of the keys. */
#ifndef LAGGARD_RESULTS_JSON_H
#define LAGGARD_RESULTS_JSON_H

#include "results/json-writer.h"
#include "results/summary.h"

/* Appends the document of one scenario; an array of documents where there are several. `version`
 * is the program's. */
void lag_json_documents(GString *text, lag_result_set *const *sets, uint32_t n_sets,
                        const char *version);

/* Writes a critical path as a member; null where it wasn't recorded. */
void lag_json_path(struct lag_json *json, const char *key, const struct lag_critical_path *path);

/* Writes named values as an object. */
void lag_json_fields(struct lag_json *json, const char *key, const struct lag_field *fields,
                     uint32_t n_fields);

#endif
