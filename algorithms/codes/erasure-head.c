/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ErasureHead: fractional repetition that stops after so many messages; a group of which none has
 * come counts as 0. With m = n - collect random workers late each part is lost with probability
 * C(n - s - 1, m - s - 1) / C(n, m), which is the error |1 - a B|^2 / n. */
#include "algorithms/codes/collect.h"
#include "algorithms/codes/groups.h"

static lag_code *build(const struct lag_code_request *request, GError **error)
{
    return lag_code_collecting(lag_code_of_groups("erasure-head", request, error), request, error);
}

const struct lag_code_kind lag_code_kind_erasure_head = {
    .name = "erasure-head",
    .summary = "fractional repetition that stops after so many messages, missing groups left out",
    .source = "Wang, Charles, Papailiopoulos: ErasureHead, arXiv 1901.09671",
    .uses = LAG_CODE_COLLECT,
    .approximate = true,
    .by_groups = true,
    .build = build,
};
