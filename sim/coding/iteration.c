/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/coding/iteration.h"

#include <math.h>
#include <stdlib.h>

#include <glib.h>

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

lag_seconds lag_port_kth(double *ready, uint32_t n, uint32_t k, lag_seconds message)
{
    lag_seconds free = -INFINITY;

    qsort(ready, n, sizeof *ready, compare);
    for (uint32_t i = 0; i < k; i++)
        free = fmax(free, ready[i]) + message;
    return free;
}

static double draw_or(const struct lag_law *law, double otherwise, const gsl_rng *rng)
{
    return law == NULL ? otherwise : lag_law_draw(law, rng);
}

static double work(const struct lag_work_law *law, double points, const gsl_rng *rng)
{
    double factor = draw_or(law->factor, 1, rng);
    double point = law->point + draw_or(law->by_point, 0, rng);

    return factor * point * points + draw_or(law->extra, 0, rng);
}

/* One child of one parent. */
struct child {
    double ready;
    uint32_t group;
};

static int compare_children(const void *a, const void *b)
{
    return compare(&((const struct child *)a)->ready, &((const struct child *)b)->ready);
}

/* When one of each group has been received. */
static lag_seconds receive_groups(const struct lag_tree_model *model, const double *ready,
                                  lag_seconds message, double *scratch)
{
    uint32_t n = model->tree.degree, size = model->tree.stragglers + 1, missing = n / size;
    struct child *children = (struct child *)(void *)scratch;
    double *seen = scratch + (size_t)2 * n, free = -INFINITY;

    for (uint32_t i = 0; i < n; i++)
        children[i] = (struct child){ready[i], i / size};
    for (uint32_t g = 0; g < missing; g++)
        seen[g] = 0;
    qsort(children, n, sizeof *children, compare_children);
    for (uint32_t i = 0; missing > 0; i++) {
        free =
            model->parallel ? children[i].ready + message : fmax(free, children[i].ready) + message;
        missing -= seen[children[i].group] == 0;
        seen[children[i].group] = 1;
    }
    return free;
}

/* When a parent has what it needs of its children. */
static lag_seconds receive(const struct lag_tree_model *model, double *ready, double *scratch)
{
    uint32_t n = model->tree.degree, k = n - model->tree.stragglers;
    lag_seconds message = model->message * (1 + model->fan_in * (n - 1));

    if (model->rule == LAG_TREE_GROUPS)
        return receive_groups(model, ready, message, scratch);
    if (!model->parallel)
        return lag_port_kth(ready, n, k, message);
    qsort(ready, n, sizeof *ready, compare);
    return ready[k - 1] + message;
}

size_t lag_tree_model_scratch(const struct lag_tree *tree)
{
    return (size_t)lag_tree_workers(tree) + 1 + (size_t)3 * tree->degree;
}

/* Nodes are numbered breadth-first, the root 0: children of v are n v + 1 .. n v + n. */
lag_seconds lag_tree_model_draw(const struct lag_tree_model *model, const gsl_rng *rng,
                                double *scratch)
{
    uint32_t n = model->tree.degree, N = lag_tree_workers(&model->tree);
    uint32_t leaves = lag_tree_layer(&model->tree, model->tree.depth);
    double points = lag_tree_load(&model->tree) * model->points;
    double *ready = scratch, *rest = scratch + N + 1;

    ready[0] = 0;
    for (uint32_t v = 1; v <= N; v++)
        ready[v] = work(&model->work, points, rng);
    for (uint32_t v = N - leaves + 1; v-- > 0;) {
        double *children = ready + (size_t)n * v + 1;
        for (uint32_t i = 0; i < n; i++)
            children[i] += model->latency + draw_or(model->line, 0, rng);
        ready[v] = fmax(ready[v], receive(model, children, rest));
    }
    return ready[0];
}

lag_seconds lag_ring_model_draw(const struct lag_ring_model *model, const gsl_rng *rng)
{
    uint32_t n = model->n_workers;
    double last = 0;

    for (uint32_t i = 0; i < n; i++)
        last = fmax(last, work(&model->work, model->points / n, rng));
    return last + 2.0 * (n - 1) * (model->message / n + model->step);
}

struct moments {
    double n, mean, squares;
};

static void add(struct moments *moments, double x)
{
    double delta = x - moments->mean;

    moments->n++;
    moments->mean += delta / moments->n;
    moments->squares += delta * (x - moments->mean);
}

static struct lag_model_mean finish(const struct moments *moments)
{
    double n = moments->n;

    return (struct lag_model_mean){
        .mean = moments->mean,
        .error = n > 1 ? sqrt(moments->squares / (n - 1) / n) : 0,
    };
}

static bool is_random(const struct lag_work_law *law)
{
    return law->factor != NULL || law->by_point != NULL || law->extra != NULL;
}

struct lag_model_mean lag_tree_model_mean(const struct lag_tree_model *model, uint32_t n_draws,
                                          uint64_t seed)
{
    struct moments moments = {0};
    g_autofree double *scratch = g_new(double, lag_tree_model_scratch(&model->tree));
    struct lag_stream stream;

    if (!is_random(&model->work) && model->line == NULL)
        n_draws = 1;
    for (uint32_t k = 0; k < n_draws; k++) {
        lag_stream_init(&stream, seed, k, LAG_PURPOSE_CODE, 0, 0);
        add(&moments, lag_tree_model_draw(model, &stream.rng, scratch));
    }
    return finish(&moments);
}

struct lag_model_mean lag_ring_model_mean(const struct lag_ring_model *model, uint32_t n_draws,
                                          uint64_t seed)
{
    struct moments moments = {0};
    struct lag_stream stream;

    if (!is_random(&model->work))
        n_draws = 1;
    for (uint32_t k = 0; k < n_draws; k++) {
        lag_stream_init(&stream, seed, k, LAG_PURPOSE_CODE, 0, 0);
        add(&moments, lag_ring_model_draw(model, &stream.rng));
    }
    return finish(&moments);
}
