/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The search is Nelder and Mead's simplex over the logarithms of the parameters, which are all
 * positive where it is needed; standard errors are the inverse of the observed information, second
 * differences of the log-likelihood in the parameters themselves. */
#include "results/fit.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include <gsl/gsl_linalg.h>
#include <gsl/gsl_multimin.h>

#define FIRST_STEP 0.02 /* of the simplex, in logarithms */
#define LAST_SIZE  1e-5
#define MOST_STEPS 200
#define DIFFERENCE 1e-3 /* of the second differences, relative */

static double log_likelihood(const struct lag_law *law, const lag_sample *sample)
{
    double sum = 0;

    for (uint32_t i = 0; i < sample->n_nodes; i++)
        sum += sample->nodes[i].weight * lag_law_log_density(law, sample->nodes[i].value);
    return sum;
}

/* A search in progress. */
struct search {
    const lag_sample *sample;
    struct lag_law law;
};

static double cost(const gsl_vector *logs, void *data)
{
    struct search *search = data;

    for (size_t i = 0; i < logs->size; i++)
        search->law.p[i] = exp(gsl_vector_get(logs, i));
    double value = -log_likelihood(&search->law, search->sample) / (double)search->sample->n;
    return isfinite(value) ? value : GSL_DBL_MAX;
}

/* Moves the law's parameters to the maximum nearby. */
static void climb(struct lag_law *law, const lag_sample *sample)
{
    size_t k = lag_law_type_n_parameters(law->type);
    struct search search = {sample, *law};
    gsl_multimin_function function = {cost, k, &search};
    gsl_vector *start = gsl_vector_alloc(k), *step = gsl_vector_alloc(k);
    gsl_multimin_fminimizer *simplex =
        gsl_multimin_fminimizer_alloc(gsl_multimin_fminimizer_nmsimplex2, k);

    for (size_t i = 0; i < k; i++)
        gsl_vector_set(start, i, log(law->p[i]));
    gsl_vector_set_all(step, FIRST_STEP);
    gsl_multimin_fminimizer_set(simplex, &function, start, step);
    for (int i = 0; i < MOST_STEPS && gsl_multimin_fminimizer_size(simplex) > LAST_SIZE; i++)
        if (gsl_multimin_fminimizer_iterate(simplex) != GSL_SUCCESS)
            break;
    for (size_t i = 0; i < k; i++)
        law->p[i] = exp(gsl_vector_get(gsl_multimin_fminimizer_x(simplex), i));
    gsl_multimin_fminimizer_free(simplex);
    gsl_vector_free(step);
    gsl_vector_free(start);
}

/* The log-likelihood with two parameters moved. */
static double moved(const struct lag_law *law, const lag_sample *sample, uint32_t i, double di,
                    uint32_t j, double dj)
{
    struct lag_law other = *law;

    other.p[i] += di;
    other.p[j] += dj;
    return log_likelihood(&other, sample);
}

/* - d2 log L / dp_i dp_j */
static double information(const struct lag_law *law, const lag_sample *sample, const double *step,
                          uint32_t i, uint32_t j)
{
    double di = step[i], dj = step[j];

    return -(moved(law, sample, i, di, j, dj) - moved(law, sample, i, di, j, -dj) -
             moved(law, sample, i, -di, j, dj) + moved(law, sample, i, -di, j, -dj)) /
           (4 * di * dj);
}

/* Fills ret->error of the regular parameters; leaves NAN where the information is not positive. */
static void find_errors(const lag_sample *sample, struct lag_fit *ret)
{
    uint32_t regular[LAG_LAW_PARAMETERS], k = 0;
    double step[LAG_LAW_PARAMETERS];
    double matrix[LAG_LAW_PARAMETERS * LAG_LAW_PARAMETERS];

    for (uint32_t i = 0; i < LAG_LAW_PARAMETERS; i++) {
        ret->error[i] = NAN;
        step[i] = DIFFERENCE * fabs(ret->law.p[i]);
        if (ret->law.type->parameters[i].unit == LAG_LAW_REAL)
            step[i] = DIFFERENCE * sample->log_sd; /* a logarithm may be 0 */
        if (i < lag_law_type_n_parameters(ret->law.type) && ret->family->role[i] == LAG_FIT_REGULAR)
            regular[k++] = i;
    }
    if (k == 0)
        return;
    for (uint32_t i = 0; i < k; i++)
        for (uint32_t j = 0; j < k; j++)
            matrix[i * k + j] = information(&ret->law, sample, step, regular[i], regular[j]);
    gsl_matrix_view view = gsl_matrix_view_array(matrix, k, k);
    if (gsl_linalg_cholesky_decomp1(&view.matrix) != GSL_SUCCESS ||
        gsl_linalg_cholesky_invert(&view.matrix) != GSL_SUCCESS)
        return;
    for (uint32_t i = 0; i < k; i++)
        ret->error[regular[i]] = sqrt(matrix[i * k + i]);
}

/* The largest difference between the sample's steps and the law; a block counts at its middle. */
static double find_distance(const struct lag_law *law, const lag_sample *sample)
{
    double n = (double)sample->n, below = 0, largest = 0;

    for (uint32_t i = 0; i < sample->n_nodes; i++) {
        double weight = sample->nodes[i].weight, p = lag_law_cdf(law, sample->nodes[i].value);
        double low = weight > 1 ? below + weight / 2 : below;
        double high = weight > 1 ? low : below + 1;
        largest = fmax(largest, fmax(fabs(p - low / n), fabs(p - high / n)));
        below += weight;
    }
    return largest;
}

bool lag_fit_family(const struct lag_family *family, const lag_sample *sample, struct lag_fit *ret)
{
    struct lag_law law = {.type = lag_law_type_find(family->law)};
    uint32_t k = lag_law_type_n_parameters(law.type);

    family->guess(sample, law.p);
    for (uint32_t i = 0; i < k; i++)
        if (!isfinite(law.p[i]))
            return false;
    if (!family->closed)
        climb(&law, sample);
    if (lag_law_objection(&law) != NULL)
        return false;
    *ret = (struct lag_fit){.family = family, .law = law};
    ret->log_likelihood = log_likelihood(&law, sample);
    if (!isfinite(ret->log_likelihood))
        return false;
    ret->bic = k * log((double)sample->n) - 2 * ret->log_likelihood;
    ret->distance = find_distance(&law, sample);
    find_errors(sample, ret);
    return true;
}

static int compare_fits(const void *a, const void *b)
{
    const struct lag_fit *x = a, *y = b;

    if (x->bic != y->bic)
        return x->bic < y->bic ? -1 : 1;
    return x->family < y->family ? -1 : x->family > y->family;
}

uint32_t lag_fit_all(const lag_sample *sample, struct lag_fit ret[LAG_FAMILIES])
{
    uint32_t n = 0;

    if (sample->n < LAG_FIT_LEAST || !(sample->max > sample->min))
        return 0;
    for (const struct lag_family *family = lag_families; family->law != NULL; family++) {
        assert(n < LAG_FAMILIES);
        n += lag_fit_family(family, sample, &ret[n]);
    }
    qsort(ret, n, sizeof *ret, compare_fits);
    return n;
}
