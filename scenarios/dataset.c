/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/dataset.h"

#include <string.h>

#include <gio/gio.h>

#include "scenarios/csv-samples.h"
#include "scenarios/file.h"
#include "scenarios/gunzip.h"
#include "scenarios/idx.h"
#include "scenarios/nearest.h"
#include "sim/laggard.h"

#define MOST_BYTES    ((size_t)1 << 30) /* of a table */
#define MOST_NUMBERS  1e8               /* of a generated data set */
#define FASHION_MNIST "/usr/share/datasets/fashion-mnist"
#define DIGITS        "/laggard/data/digits.csv.gz"
#define DIGITS_INK    16.0 /* the most of a pixel */

/* The built-in files (scenarios/catalogue.xml), made by glib-compile-resources. */
GResource *laggard_catalogue_get_resource(void);

static lag_dataset *load_digits(const struct lag_dataset_source *source, GError **error)
{
    const struct lag_csv_samples how = {
        .name = "digits", .label = "last", .classes = true, .scale = 1 / DIGITS_INK};
    g_autoptr(GBytes) zipped =
        g_resource_lookup_data(laggard_catalogue_get_resource(), DIGITS, 0, error);
    g_autoptr(GBytes) contents = zipped == NULL ? NULL : lag_gunzip(zipped, MOST_BYTES, error);

    (void)source;
    return contents == NULL ? NULL : lag_csv_samples_parse(contents, &how, error);
}

static lag_dataset *load_fashion_mnist(const struct lag_dataset_source *source, GError **error)
{
    (void)source;
    if (!g_file_test(FASHION_MNIST, G_FILE_TEST_IS_DIR)) {
        g_set_error_literal(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT,
                            "fashion-mnist is not installed: there is no " FASHION_MNIST
                            "; Debian's package dataset-fashion-mnist brings it, and {folder: ...} "
                            "reads its files elsewhere");
        return NULL;
    }
    return lag_idx_load(FASHION_MNIST, "fashion-mnist", error);
}

static lag_dataset *generate(const struct lag_dataset_source *source, GError **error)
{
    uint32_t n = source->n_samples > 0 ? source->n_samples : 256;
    uint32_t n_features = source->n_features > 0 ? source->n_features : 8;
    uint32_t n_classes = source->n_classes > 0 ? source->n_classes : 2;
    uint64_t seed = source->seed > 0 ? source->seed : 1;
    double noise = source->noise > 0 ? source->noise : 0.5;

    if ((double)MAX(n, n_classes) * n_features > MOST_NUMBERS || n < 5) {
        g_set_error(
            error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT,
            "%u samples of %u features; expected 5 samples or more, of 10^8 numbers at most", n,
            n_features);
        return NULL;
    }
    if (source->classes)
        return lag_dataset_generate_clouds(n, n_features, n_classes, seed, noise);
    return lag_dataset_generate_line(n, n_features, seed, noise);
}

const struct lag_dataset_kind lag_dataset_kinds[] = {
    {"digits",           "1,797 images of digits, 8 x 8, in 10 classes (UCI), built in", load_digits},
    {"fashion-mnist",       "70,000 images of clothes, 28 x 28, in 10 classes (dataset-fashion-mnist)",
     load_fashion_mnist},
    {"generated",    "least squares with noise, or clouds of points in classes", generate},
    {0}
};

static lag_dataset *load_table(const struct lag_dataset_source *source, GError **error)
{
    const struct lag_csv_samples how = {.name = source->file,
                                        .label = source->label != NULL ? source->label : "last",
                                        .classes = source->classes,
                                        .scale = 1};
    g_autoptr(GBytes) raw = lag_file_read(source->file, MOST_BYTES, error);
    g_autoptr(GBytes) contents = raw == NULL ? NULL : lag_gunzip(raw, MOST_BYTES, error);

    if (contents == NULL) {
        g_prefix_error(error, "%s: ", source->file);
        return NULL;
    }
    return lag_csv_samples_parse(contents, &how, error);
}

lag_dataset *lag_dataset_load(const struct lag_dataset_source *source, GError **error)
{
    const char *names[G_N_ELEMENTS(lag_dataset_kinds)];
    uint32_t n = 0;

    if (source->file != NULL)
        return load_table(source, error);
    if (source->folder != NULL)
        return lag_idx_load(source->folder, source->folder, error);
    for (; lag_dataset_kinds[n].name != NULL; n++) {
        names[n] = lag_dataset_kinds[n].name;
        if (strcmp(names[n], source->name) == 0)
            return lag_dataset_kinds[n].load(source, error);
    }
    g_autofree char *hint = lag_nearest_hint(source->name, names, n);
    g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT, "there is no data set '%s'%s",
                source->name, hint);
    return NULL;
}
