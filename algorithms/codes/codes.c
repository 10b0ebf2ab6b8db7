/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "algorithms/codes/codes.h"

#include <string.h>

#define CODE(name) extern const struct lag_code_kind lag_code_##name;
#include "algorithms/codes/codes.def"
#undef CODE

#define CODE(name) &lag_code_##name,
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
