/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What laws look like, as forms: shared by their reader and their schema. */
#ifndef LAGGARD_SCENARIOS_LAW_FORM_H
#define LAGGARD_SCENARIOS_LAW_FORM_H

#include "scenarios/form.h"
#include "sim/law.h"

/* Of one kind of law: of delays, or of factors. */
struct lag_law_dialect {
    bool is_factor;
    const struct lag_form *whole; /* a value or a law */
    const struct lag_form *value; /* of a constant */
    const struct lag_form *own;   /* what has the law's own unit */
    const struct lag_form *laws;  /* {NAME: ...} */
    const struct lag_form *part;  /* of a mixture: struct lag_law_weight */
};
extern const struct lag_law_dialect lag_delay_laws, lag_factor_laws;

struct lag_law_weight {
    double weight;
};

/* {file: F, unit: ms}; the unit is its place among the choices, or -1. */
struct lag_law_file_entry {
    const char *file;
    int unit;
};
extern const struct lag_form lag_form_sample;

/* The form of a parameter. */
const struct lag_form *lag_law_parameter_form(const struct lag_law_dialect *dialect,
                                              const struct lag_law_parameter *parameter);

/* Writes the members of the JSON Schema of {NAME: ...}. */
void lag_law_describe(struct lag_schema *schema, const struct lag_law_dialect *dialect);

#endif
