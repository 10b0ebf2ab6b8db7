/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `trace:` of an entry of `stragglers:`. */
#ifndef LAGGARD_SCENARIOS_TRACE_ENTRY_H
#define LAGGARD_SCENARIOS_TRACE_ENTRY_H

#include "scenarios/draft.h"

extern const struct lag_form lag_form_trace;

/* Reads the table that `at` names into draft->scenario->trace, and takes its number of steps. */
bool lag_read_trace(const struct lag_at *at, struct lag_draft *draft, GError **error);

#endif
