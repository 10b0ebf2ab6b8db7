/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/op-kind.h"

#include <string.h>

const struct lag_op_type lag_op_types[LAG_N_OP_KINDS] = {
    [LAG_OP_FORWARD] = {"forward-compute",            "forward-compute",            false, false},
    [LAG_OP_BACKWARD] = {"backward-compute",           "backward-compute",           false, false},
    [LAG_OP_FORWARD_SEND] = {"forward-send",               "forward-pp-comm",            true,  false},
    [LAG_OP_FORWARD_RECV] = {"forward-recv",               "forward-pp-comm",            true,  false},
    [LAG_OP_BACKWARD_SEND] = {"backward-send",              "backward-pp-comm",           true,  false},
    [LAG_OP_BACKWARD_RECV] = {"backward-recv",              "backward-pp-comm",           true,  false},
    [LAG_OP_PARAMS_GATHER] = {"params-all-gather",          "params-all-gather",          true,  true },
    [LAG_OP_GRADS_SCATTER] = {"grads-reduce-scatter",       "grads-reduce-scatter",       true,  true },
    [LAG_OP_SEPARATE_GRADS] = {"separate-grads-all-reduce",  "separate-grads-all-reduce",  true,
                        true                                                                    },
    [LAG_OP_LAYERNORM] = {"layernorm-grads-all-reduce", "layernorm-grads-all-reduce", true,  false},
    [LAG_OP_EMBEDDING] = {"embedding-grads-all-reduce", "embedding-grads-all-reduce", true,  false},
    [LAG_OP_CLIP] = {"optimizer-clip-main-grad",   "optimizer-clip-main-grad",   true,  true },
    [LAG_OP_OPTIMIZER] = {"optimizer",                  "optimizer",                  false, false},
    [LAG_OP_GC] = {"gc",                         "gc",                         false, false},
};

enum lag_op_kind lag_op_kind_find(const char *name)
{
    enum lag_op_kind kind = 0;

    while (kind < LAG_N_OP_KINDS && strcmp(lag_op_types[kind].name, name) != 0)
        kind++;
    return kind;
}
