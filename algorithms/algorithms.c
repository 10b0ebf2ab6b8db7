/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "algorithms/algorithms.h"

#include <string.h>

#define ALGORITHM(name) extern const struct laggard_algorithm laggard_##name;
#include "algorithms/algorithms.def"
#undef ALGORITHM

#define ALGORITHM(name) &laggard_##name,
const struct laggard_algorithm *const lag_algorithms[] = {
#include "algorithms/algorithms.def"
    NULL,
};
#undef ALGORITHM

const struct laggard_algorithm *lag_algorithm_find(const char *name)
{
    for (size_t i = 0; lag_algorithms[i] != NULL; i++)
        if (strcmp(lag_algorithms[i]->name, name) == 0)
            return lag_algorithms[i];
    return NULL;
}

/* "allreduce, all-gather" */
static char *list_collectives(unsigned collectives)
{
    g_autoptr(GString) text = g_string_new(NULL);

    for (unsigned c = 0; c < LAGGARD_N_COLLECTIVES; c++)
        if (collectives & LAGGARD_BIT(c))
            g_string_append_printf(text, "%s%s", text->len > 0 ? ", " : "",
                                   laggard_collective_name(c));
    return g_strdup(text->str);
}

bool lag_algorithm_accepts(const struct laggard_algorithm *algorithm,
                           enum laggard_collective collective, uint32_t n_ranks, GError **error)
{
    if (!(algorithm->collectives & LAGGARD_BIT(collective))) {
        g_autofree char *list = list_collectives(algorithm->collectives);
        g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT, "%s does %s, not %s",
                    algorithm->name, list, laggard_collective_name(collective));
        return false;
    }
    if (algorithm->needs & LAGGARD_POWER_OF_TWO && (n_ranks & (n_ranks - 1)) != 0) {
        g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT, "%s needs 2^k ranks, got %u",
                    algorithm->name, n_ranks);
        return false;
    }
    return true;
}
