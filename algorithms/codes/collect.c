/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "algorithms/codes/collect.h"

#include "sim/laggard.h"

lag_code *lag_code_collecting(lag_code *code, const struct lag_code_request *request,
                              GError **error)
{
    g_autoptr(lag_code) own = code;
    uint32_t n = request->n_workers;

    if (code == NULL)
        return NULL;
    code->enough = request->collect > 0 ? request->collect : n - request->n_stragglers;
    if (code->enough <= n)
        return g_steal_pointer(&own);
    g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT,
                "a code of %u workers can collect from 1 to %u messages, got %u", n, n,
                code->enough);
    return NULL;
}

lag_code *lag_code_one_step(const struct lag_code_request *request, double step, bool step_shared,
                            GError **error)
{
    lag_code *code = lag_code_zero(request, request->n_workers, request->n_workers);

    if (!request->least_squares)
        code->rule = LAG_DECODE_ONE_STEP;
    code->step = step;
    code->step_shared = step_shared;
    return lag_code_collecting(code, request, error);
}

uint32_t lag_code_copies(const char *name, const struct lag_code_request *request, uint32_t most,
                         GError **error)
{
    uint32_t copies = request->copies > 0 ? request->copies : request->n_stragglers + 1;

    if (copies <= most)
        return copies;
    g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT,
                "code %s of %u workers needs 1 to %u copies of each part, got %u", name,
                request->n_workers, most, copies);
    return 0;
}
