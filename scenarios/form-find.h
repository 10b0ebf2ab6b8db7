/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which paths a scenario can have, and what stands there: for sweeps and --set. */
#ifndef LAGGARD_SCENARIOS_FORM_FIND_H
#define LAGGARD_SCENARIOS_FORM_FIND_H

#include "scenarios/form.h"

/* The form at the end of a path below `form`, or NULL where a scenario can have nothing there. */
const struct lag_form *lag_form_find(const struct lag_form *form, const lag_keypath *path);

/* For a path that leads to nothing: "; did you mean 'gpus'?" about its first wrong key. Newly
 * allocated. */
char *lag_form_hint(const struct lag_form *form, const lag_keypath *path);

/* True where a scalar that stands at a form is a number or a quantity: then *ret_number is its
 * value in base units. */
bool lag_form_number(const struct lag_form *form, const char *text, double *ret_number);

#endif
