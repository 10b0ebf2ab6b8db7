/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kinds of operations in a profiled training job, by the names of arXiv:2505.05713's traces. */
#ifndef LAGGARD_SIM_OP_KIND_H
#define LAGGARD_SIM_OP_KIND_H

#include <stdbool.h>
#include <stdint.h>

enum lag_op_kind {
    LAG_OP_FORWARD,
    LAG_OP_BACKWARD,
    LAG_OP_FORWARD_SEND, /* the four between stages, in this order */
    LAG_OP_FORWARD_RECV,
    LAG_OP_BACKWARD_SEND,
    LAG_OP_BACKWARD_RECV,
    LAG_OP_PARAMS_GATHER,
    LAG_OP_GRADS_SCATTER,
    LAG_OP_SEPARATE_GRADS,
    LAG_OP_LAYERNORM,
    LAG_OP_EMBEDDING,
    LAG_OP_CLIP,
    LAG_OP_OPTIMIZER,
    LAG_OP_GC,
    LAG_N_OP_KINDS
};

struct lag_op_type {
    const char *name;   /* in traces */
    const char *family; /* in reports: both ends of a transfer count as one */
    bool communicates;  /* its ideal is the median, not the mean */
    bool across_dp;     /* all data-parallel ranks take part */
};
extern const struct lag_op_type lag_op_types[LAG_N_OP_KINDS];

/* The kind of that name, or LAG_N_OP_KINDS. */
enum lag_op_kind lag_op_kind_find(const char *name);

static inline bool lag_op_is_compute(enum lag_op_kind kind)
{
    return kind <= LAG_OP_BACKWARD;
}
static inline bool lag_op_is_p2p(enum lag_op_kind kind)
{
    return kind >= LAG_OP_FORWARD_SEND && kind <= LAG_OP_BACKWARD_RECV;
}

#endif
