/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/laggard.h"

#include <assert.h>

GQuark laggard_error_quark(void)
{
    return g_quark_from_static_string("laggard-error-quark");
}

const char *laggard_collective_name(enum laggard_collective collective)
{
    static const char *const names[LAGGARD_N_COLLECTIVES] = {
        [LAGGARD_ALLREDUCE] = "allreduce",   [LAGGARD_REDUCE_SCATTER] = "reduce-scatter",
        [LAGGARD_ALL_GATHER] = "all-gather", [LAGGARD_BROADCAST] = "broadcast",
        [LAGGARD_REDUCE_TO_ROOT] = "reduce",
    };

    assert(collective < LAGGARD_N_COLLECTIVES);
    return names[collective];
}

bool laggard_collective_has_root(enum laggard_collective collective)
{
    return collective == LAGGARD_BROADCAST || collective == LAGGARD_REDUCE_TO_ROOT;
}
