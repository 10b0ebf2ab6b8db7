/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Laws as people write them: 5 ms, {exponential: {mean: 1 ms}}, {mixture: [{weight, law}]},
 * {empirical: file}. Names, parameters and their units are those of sim/law.h's table: of delays
 * with units of time, of factors without. */
#ifndef LAGGARD_SCENARIOS_LAW_ENTRY_H
#define LAGGARD_SCENARIOS_LAW_ENTRY_H

#include "scenarios/draft.h"
#include "sim/law.h"

/* A time or a law of times; a factor or a law of factors. */
extern const struct lag_form lag_form_delay, lag_form_slowdown;

/* Reads a law by one of the two forms into *law, which is zeroed before and to be cleared even
 * after a failure. */
bool lag_law_read(const struct lag_at *at, const struct lag_form *form,
                  const struct lag_sources *sources, struct lag_law *law, GError **error);

/* Calls `each` for all names of files below an entry of `stragglers:`, whatever else is wrong with
 * it, until one returns false. */
typedef bool (*lag_law_file)(void *data, const struct lag_at *file, GError **error);
bool lag_law_files(const struct lag_at *entry, lag_law_file each, void *data, GError **error);

/* How many values a law's samples have in all. */
uint64_t lag_law_n_values(const struct lag_law *law);

#endif
