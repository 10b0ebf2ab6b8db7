/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "algorithms/protocols.h"

#include <string.h>

#define PROTOCOL(name) extern const struct laggard_protocol laggard_##name;
#include "algorithms/protocols.def"
#undef PROTOCOL

#define PROTOCOL(name) &laggard_##name,
const struct laggard_protocol *const lag_protocols[] = {
#include "algorithms/protocols.def"
    NULL,
};
#undef PROTOCOL

const struct laggard_protocol *lag_protocol_find(const char *name)
{
    for (size_t i = 0; lag_protocols[i] != NULL; i++)
        if (strcmp(lag_protocols[i]->name, name) == 0)
            return lag_protocols[i];
    return NULL;
}
