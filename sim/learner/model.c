/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/learner/model.h"

#include <math.h>
#include <string.h>

#include "sim/laggard.h"

#define MOST_PARAMETERS ((uint32_t)1 << 26)

#define MODEL(name) extern const struct lag_model_kind lag_model_kind_##name;
#include "sim/learner/models.def"
#undef MODEL

#define MODEL(name) &lag_model_kind_##name,
const struct lag_model_kind *const lag_model_kinds[] = {
#include "sim/learner/models.def"
    NULL,
};
#undef MODEL

const struct lag_model_kind *lag_model_kind_find(const char *name)
{
    for (size_t i = 0; lag_model_kinds[i] != NULL; i++)
        if (strcmp(lag_model_kinds[i]->name, name) == 0)
            return lag_model_kinds[i];
    return NULL;
}

static bool refuse(GError **error, const char *format, ...) G_GNUC_PRINTF(2, 3);
static bool refuse(GError **error, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    g_propagate_error(error,
                      g_error_new_valist(LAGGARD_ERROR, LAGGARD_ERROR_INPUT, format, arguments));
    va_end(arguments);
    return false;
}

static bool check(const struct lag_model_kind *kind, const lag_dataset *dataset, uint32_t n_hidden,
                  GError **error)
{
    uint32_t n_classes = dataset->n_classes;
    double width = kind->has_hidden ? n_hidden : n_classes + 1.0;

    if (n_classes < kind->min_classes || n_classes > kind->max_classes) {
        if (n_classes == 0)
            return refuse(error, "%s learns classes, but the targets of %s are numbers", kind->name,
                          dataset->name);
        if (kind->max_classes == 0)
            return refuse(error, "%s learns numbers, but the targets of %s are %u classes",
                          kind->name, dataset->name, n_classes);
        return refuse(error, "%s learns %u classes, but %s has %u", kind->name, kind->max_classes,
                      dataset->name, n_classes);
    }
    if (kind->has_hidden && n_hidden == 0)
        return refuse(error, "%s needs at least one hidden unit", kind->name);
    if ((dataset->n_features + 1.0 + n_classes) * width > MOST_PARAMETERS)
        return refuse(error, "%s on %s has more than %u parameters", kind->name, dataset->name,
                      MOST_PARAMETERS);
    return true;
}

lag_model *lag_model_new(const struct lag_model_kind *kind, lag_dataset *dataset, uint32_t n_hidden,
                         GError **error)
{
    if (!check(kind, dataset, n_hidden, error))
        return NULL;
    lag_model *model = g_new0(lag_model, 1);
    model->kind = kind;
    model->dataset = lag_dataset_ref(dataset);
    model->n_hidden = kind->has_hidden ? n_hidden : 0;
    model->n_parameters = kind->n_parameters(model);
    return model;
}

void lag_model_free(lag_model *model)
{
    if (model == NULL)
        return;
    lag_dataset_unref(model->dataset);
    g_free(model);
}

static size_t rows_scratch(const lag_model *model)
{
    return (size_t)LAG_MOST_ROWS * model->dataset->n_features;
}

size_t lag_model_n_scratch(const lag_model *model)
{
    return rows_scratch(model) + model->kind->n_scratch(model);
}

void lag_model_start(const lag_model *model, uint64_t seed, double *x)
{
    memset(x, 0, model->n_parameters * sizeof *x);
    if (model->kind->start != NULL)
        model->kind->start(model, seed, x);
}

static void add_row(const lag_model *model, const struct lag_samples *samples, uint32_t row,
                    double weight, struct lag_rows *rows, double *scratch)
{
    uint32_t n_features = model->dataset->n_features, i = rows->n++;

    rows->features[i] = lag_samples_row(samples, n_features, row, &scratch[(size_t)i * n_features]);
    rows->targets[i] = samples->targets[row];
    rows->weights[i] = weight;
}

void lag_model_add_gradient(const lag_model *model, const double *x, const uint32_t *indices,
                            const double *weights, uint32_t n, double *sum, double *scratch)
{
    const struct lag_samples *train = &model->dataset->train;

    for (uint32_t done = 0; done < n;) {
        struct lag_rows rows = {.n = 0};
        for (; rows.n < LAG_MOST_ROWS && done < n; done++)
            add_row(model, train, indices[done], weights != NULL ? weights[done] : 1, &rows,
                    scratch);
        model->kind->add_gradient(model, x, &rows, sum, scratch + rows_scratch(model));
    }
}

/* The sum of the losses, and how many are told right, of rows first .. first + n - 1. */
static double add_losses(const lag_model *model, const struct lag_samples *samples, const double *x,
                         uint32_t first, uint32_t n, uint32_t *n_right, double *scratch)
{
    double sum = 0, loss[LAG_MOST_ROWS];
    bool right[LAG_MOST_ROWS] = {false};

    for (uint32_t done = 0; done < n;) {
        struct lag_rows rows = {.n = 0};
        for (; rows.n < LAG_MOST_ROWS && done < n; done++)
            add_row(model, samples, first + done, 1, &rows, scratch);
        model->kind->losses(model, x, &rows, loss, right, scratch + rows_scratch(model));
        for (uint32_t i = 0; i < rows.n; i++) {
            sum += loss[i];
            *n_right += right[i];
        }
    }
    return sum;
}

double lag_model_loss(const lag_model *model, const double *x, uint32_t first, uint32_t n,
                      double *scratch)
{
    uint32_t n_right = 0;

    return add_losses(model, &model->dataset->train, x, first, n, &n_right, scratch);
}

void lag_model_test(const lag_model *model, const double *x, double *ret_loss, double *ret_accuracy,
                    double *scratch)
{
    const struct lag_samples *test = &model->dataset->test;
    uint32_t n_right = 0;
    double sum = add_losses(model, test, x, 0, test->n, &n_right, scratch);

    *ret_loss = sum / test->n;
    *ret_accuracy = model->dataset->n_classes > 0 ? (double)n_right / test->n : NAN;
}
