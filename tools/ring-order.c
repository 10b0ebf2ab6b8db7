/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/ring-order.h"

#include <string.h>

#include "algorithms/algorithms.h"

static bool wants_best(const struct lag_entrant *entrant)
{
    int order = lag_algorithm_parameter(entrant->algorithm, "order");

    if (order < 0)
        return false;
    g_autofree char *text =
        lag_parameter_text(&entrant->algorithm->parameters[order], entrant->values[order]);
    return strcmp(text, "best") == 0;
}

bool lag_ring_order(const struct lag_entrant *entrant, const struct lag_ring_members *members,
                    uint32_t **ret_order, GError **error)
{
    struct lag_ring ring;

    *ret_order = NULL;
    if (!wants_best(entrant))
        return true;
    if (members->n > LAG_BEST_RING_MOST) {
        g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT,
                    "order: best is looked for among up to %d ranks, not %u", LAG_BEST_RING_MOST,
                    members->n);
        return false;
    }
    lag_best_ring_find(members, &ring);
    *ret_order = ring.order;
    return true;
}
