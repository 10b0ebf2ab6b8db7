/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Data sets are read once. */
#include "scenarios/dataset-shelf.h"
#include "sim/laggard.h"

static lag_dataset *load(lag_dataset_shelf *shelf, const struct lag_dataset_source *source)
{
    g_autoptr(GError) error = NULL;
    lag_dataset *dataset = lag_dataset_shelf_load(shelf, source, &error);

    g_assert_no_error(error);
    return dataset;
}

/* The same wish gives the same data, any other wish other data. */
static void once(void)
{
    static const struct lag_dataset_source wishes[] = {
        {.name = "generated"},
        {                .name = "generated",    .classes = true},
        {                .name = "generated",          .seed = 2},
        {                .name = "generated",      .noise = 0.25},
        {                .name = "generated",    .n_samples = 11},
        {                .name = "generated",   .n_features = 11},
        {                .name = "generated",     .n_classes = 3, .classes = true},
        { .name = "digits",    .classes = true},
    };
    g_autoptr(lag_dataset_shelf) shelf = lag_dataset_shelf_new();
    lag_dataset *found[G_N_ELEMENTS(wishes)];

    for (size_t i = 0; i < G_N_ELEMENTS(wishes); i++) {
        found[i] = load(shelf, &wishes[i]);
        for (size_t j = 0; j < i; j++)
            g_assert_true(found[i] != found[j]);
    }
    for (size_t i = 0; i < G_N_ELEMENTS(wishes); i++) {
        g_autoptr(lag_dataset) again = load(shelf, &wishes[i]);
        g_assert_true(again == found[i]);
        lag_dataset_unref(found[i]);
    }
}

/* A data set outlives its shelf. */
static void kept(void)
{
    lag_dataset_shelf *shelf = lag_dataset_shelf_new();
    g_autoptr(lag_dataset) dataset = load(shelf, &(struct lag_dataset_source){.name = "digits"});

    lag_dataset_shelf_free(shelf);
    g_assert_cmpuint(dataset->n_features, ==, 64);
}

/* What can't be read is refused each time. */
static void refused(void)
{
    g_autoptr(lag_dataset_shelf) shelf = lag_dataset_shelf_new();

    for (int i = 0; i < 2; i++) {
        g_autoptr(GError) error = NULL;
        g_assert_null(lag_dataset_shelf_load(
            shelf, &(struct lag_dataset_source){.folder = "/nonexistent"}, &error));
        g_assert_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT);
    }
}

static void *load_digits(void *shelf)
{
    return load(shelf, &(struct lag_dataset_source){.name = "digits", .classes = true});
}

static void threads(void)
{
    g_autoptr(lag_dataset_shelf) shelf = lag_dataset_shelf_new();
    GThread *thread[8];
    lag_dataset *found[8];

    for (int i = 0; i < 8; i++)
        thread[i] = g_thread_new("reader", load_digits, shelf);
    for (int i = 0; i < 8; i++) {
        found[i] = g_thread_join(thread[i]);
        g_assert_true(found[i] == found[0]);
    }
    for (int i = 0; i < 8; i++)
        lag_dataset_unref(found[i]);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/dataset-shelf/once", once);
    g_test_add_func("/dataset-shelf/kept", kept);
    g_test_add_func("/dataset-shelf/refused", refused);
    g_test_add_func("/dataset-shelf/threads", threads);
    return g_test_run();
}
