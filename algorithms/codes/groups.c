/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "algorithms/codes/groups.h"

#include "sim/laggard.h"

lag_code *lag_code_of_groups(const char *name, const struct lag_code_request *request,
                             GError **error)
{
    uint32_t n = request->n_workers, size = request->n_stragglers + 1;

    if (n % size != 0) {
        g_set_error(
            error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT,
            "code %s needs stragglers + 1 to divide the workers, and %u does not divide %u: "
            "take code cyclic, whose load is the same",
            name, size, n);
        return NULL;
    }
    lag_code *code = lag_code_zero(request, n, n);
    code->rule = LAG_DECODE_GROUPS;
    code->n_groups = code->fewest = n / size;
    code->group = g_new(uint32_t, n);
    for (uint32_t i = 0; i < n; i++) {
        code->group[i] = i / size;
        for (uint32_t j = 0; j < size; j++)
            gsl_matrix_set(code->B, i, i / size * size + j, 1);
    }
    return code;
}
