/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The collective that the protocols of a training workload sum by. */
#include "scenarios/draft.h"

static bool read_algorithm(const struct lag_at *at, void *into, GError **error)
{
    struct lag_draft *draft = into;
    lag_scenario *scenario = draft->scenario;

    scenario->collective = LAGGARD_ALLREDUCE;
    scenario->aggregation = g_new0(struct lag_entrant, 1);
    return lag_read_entrant(at, scenario, LAGGARD_COMMUNICATION, scenario->aggregation, error);
}

static const struct lag_key aggregation_keys[] = {
    {.name = "algorithm",
     .form = &lag_form_entrant,
     .required = true,
     .read = read_algorithm,
     .help = "which allreduce, for example ring, or {name: ring, lanes: 2}"},
    {.name = "size",
     .form = &lag_form_size,
     .required = true,
     .offset = offsetof(struct lag_draft, workload.size),
     .help = "of the gradient, for example 44.7 MB"},
    {.name = "dtype",
     .form = &lag_form_dtype,
     .default_text = "fp32",
     .offset = offsetof(struct lag_draft, workload.dtype),
     .help = "its elements"},
    {.name = NULL                                                        },
};
const struct lag_form lag_form_aggregation = {.shape = LAG_MAPPING_OF,
                                              .what =
                                                  "a collective, {algorithm: ring, size: 44.7 MB}",
                                              .keys = aggregation_keys};

bool lag_read_aggregation(const struct lag_at *at, void *into, GError **error)
{
    return lag_read_form(at, &lag_form_aggregation, into, error) && lag_take_size(at, into, error);
}
