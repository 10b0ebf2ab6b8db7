/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "algorithms/codes/codes.h"

#include <string.h>

#define CODE(name) extern const struct lag_code_kind lag_code_kind_##name;
#include "algorithms/codes/codes.def"
#undef CODE

#define CODE(name) &lag_code_kind_##name,
const struct lag_code_kind *const lag_code_kinds[] = {
#include "algorithms/codes/codes.def"
    NULL,
};
#undef CODE

const struct lag_code_kind *lag_code_kind_find(const char *name)
{
    for (size_t i = 0; lag_code_kinds[i] != NULL; i++)
        if (strcmp(lag_code_kinds[i]->name, name) == 0)
            return lag_code_kinds[i];
    return NULL;
}

#define MOST_CIRCULANT 30 /* workers; beyond, rounding grows by more than random weights' */

const struct lag_code_kind *lag_code_kind_recommended(uint32_t n_workers, uint32_t n_stragglers)
{
    if (n_workers % (n_stragglers + 1) == 0)
        return &lag_code_kind_fractional;
    if (n_workers <= MOST_CIRCULANT && (n_workers - n_stragglers) % 2 == 1)
        return &lag_code_kind_mds;
    return &lag_code_kind_cyclic;
}
