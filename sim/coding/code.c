/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/coding/code.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "sim/coding/quality.h"
#include "sim/laggard.h"

#define CHECKED_RUNS 32 /* sets of neighbours, whose loss is worst for cyclic codes */

/* Refuses a code that rounding makes useless. */
static bool is_sound(const lag_code *code, GError **error)
{
    if (code->kind->approximate || code->rule == LAG_DECODE_GROUPS || code->inner != NULL)
        return true;
    struct lag_code_quality quality = lag_code_quality_of_runs(code, CHECKED_RUNS);
    if (quality.residual <= LAG_CODE_RESIDUAL)
        return true;
    g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT,
                "code %s for %u workers and %u stragglers can't be decoded in double precision "
                "(residual %.2g, at most %g is accepted): take fractional repetition, whose groups "
                "of stragglers + 1 must divide the workers, or code cyclic",
                code->kind->name, code->n_workers, code->n_stragglers, quality.residual,
                LAG_CODE_RESIDUAL);
    return false;
}

lag_code *lag_code_new(const struct lag_code_kind *kind, const struct lag_code_request *request,
                       GError **error)
{
    if (request->n_stragglers >= request->n_workers) {
        g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT,
                    "a code of %u workers needs 0 <= stragglers <= %d, got %u", request->n_workers,
                    (int)request->n_workers - 1, request->n_stragglers);
        return NULL;
    }
    g_autoptr(lag_code) code = kind->build(request, error);
    if (code == NULL)
        return NULL;
    code->kind = kind;
    return is_sound(code, error) ? g_steal_pointer(&code) : NULL;
}

void lag_code_free(lag_code *code)
{
    if (code == NULL)
        return;
    gsl_matrix_free(code->B);
    g_free(code->group);
    lag_code_free(code->inner);
    g_free(code);
}

lag_code *lag_code_zero(const struct lag_code_request *request, uint32_t n_messages,
                        uint32_t n_parts)
{
    lag_code *code = g_new0(lag_code, 1);

    code->n_workers = request->n_workers;
    code->n_stragglers = request->n_stragglers;
    code->n_messages = n_messages;
    code->n_parts = n_parts;
    code->B = gsl_matrix_calloc(n_messages, n_parts);
    code->rule = LAG_DECODE_LEAST_SQUARES;
    return code;
}

void lag_code_stream(const struct lag_code_request *request, uint16_t consumer,
                     struct lag_stream *ret)
{
    lag_stream_init(ret, request->seed, 0, LAG_PURPOSE_CODE, consumer, 0);
}

double lag_code_load(const lag_code *code, uint32_t worker)
{
    uint32_t held = 0;

    assert(worker < code->n_workers);
    for (uint32_t i = worker; i < code->n_messages; i += code->n_workers)
        for (uint32_t j = 0; j < code->n_parts; j++)
            held += gsl_matrix_get(code->B, i, j) != 0;
    return (double)held / code->n_parts;
}

double lag_code_largest_load(const lag_code *code)
{
    double largest = 0;

    for (uint32_t i = 0; i < code->n_workers; i++)
        largest = fmax(largest, lag_code_load(code, i));
    return largest;
}

void lag_code_encode(const lag_code *code, uint32_t message, const double *parts, size_t length,
                     double *ret)
{
    memset(ret, 0, length * sizeof *ret);
    for (uint32_t j = 0; j < code->n_parts; j++) {
        double weight = gsl_matrix_get(code->B, message, j);
        for (size_t k = 0; weight != 0 && k < length; k++)
            ret[k] += weight * parts[j * length + k];
    }
}

void lag_code_combine(const lag_code *code, const double *weights, const double *messages,
                      size_t length, double *ret)
{
    memset(ret, 0, length * sizeof *ret);
    for (uint32_t i = 0; i < code->n_messages; i++)
        for (size_t k = 0; weights[i] != 0 && k < length; k++)
            ret[k] += weights[i] * messages[i * length + k];
}
