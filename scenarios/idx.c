/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/idx.h"

#include "scenarios/file.h"
#include "scenarios/gunzip.h"
#include "sim/laggard.h"

#define MOST_BYTES    ((size_t)1 << 30) /* of a file, compressed or not */
#define UNSIGNED_BYTE 0x08
#define WORD          4

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

static uint32_t word_at(const uint8_t *data, size_t i)
{
    const uint8_t *bytes = &data[i * WORD];

    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

bool lag_idx_parse(GBytes *contents, uint32_t n_dimensions, struct lag_idx *ret, GError **error)
{
    size_t size, first = (1 + (size_t)n_dimensions) * WORD;
    const uint8_t *data = g_bytes_get_data(contents, &size);
    uint32_t wanted = UNSIGNED_BYTE << 8 | n_dimensions;
    double n_bytes = 1;

    if (size < first)
        return refuse(error, "the file is cut off: its head has %zu bytes, not %zu", size, first);
    if (word_at(data, 0) != wanted)
        return refuse(error, "not such an IDX file: it begins with 0x%08x, expected 0x%08x",
                      word_at(data, 0), wanted);
    *ret = (struct lag_idx){.n_dimensions = n_dimensions, .first = first, .n_bytes = size - first};
    for (uint32_t i = 0; i < n_dimensions; i++) {
        ret->dimensions[i] = word_at(data, 1 + i);
        n_bytes *= ret->dimensions[i];
        if (ret->dimensions[i] == 0)
            return refuse(error, "the file is empty: dimension %u is 0", i + 1);
    }
    if ((double)ret->n_bytes < n_bytes)
        return refuse(error, "the file is cut off: %.0f bytes of data are announced, %zu are there",
                      n_bytes, ret->n_bytes);
    if ((double)ret->n_bytes > n_bytes)
        return refuse(error, "%.0f bytes of data are announced, but %zu are there", n_bytes,
                      ret->n_bytes);
    return true;
}

/* Reads a file, or that with ".gz" behind where there is none; *path is which. */
static GBytes *read_bytes(const char *folder, const char *name, char **path, GError **error)
{
    g_autofree char *zipped = g_strconcat(name, ".gz", NULL);

    *path = g_build_filename(folder, name, NULL);
    if (!g_file_test(*path, G_FILE_TEST_EXISTS)) {
        g_free(*path);
        *path = g_build_filename(folder, zipped, NULL);
    }
    g_autoptr(GBytes) raw = lag_file_read(*path, MOST_BYTES, error);
    return raw == NULL ? NULL : lag_gunzip(raw, MOST_BYTES, error);
}

static GBytes *load(const char *folder, const char *name, uint32_t n_dimensions,
                    struct lag_idx *idx, GError **error)
{
    g_autofree char *path = NULL;
    g_autoptr(GBytes) contents = read_bytes(folder, name, &path, error);

    if (contents != NULL && lag_idx_parse(contents, n_dimensions, idx, error))
        return g_steal_pointer(&contents);
    g_prefix_error(error, "%s: ", path);
    return NULL;
}

static bool take_labels(struct lag_samples *samples, GBytes *contents, const struct lag_idx *idx,
                        uint32_t *n_classes, GError **error)
{
    const uint8_t *labels = (const uint8_t *)g_bytes_get_data(contents, NULL) + idx->first;

    if (idx->dimensions[0] != samples->n)
        return refuse(error, "%u labels for %u images", idx->dimensions[0], samples->n);
    samples->targets = g_new(double, samples->n);
    for (uint32_t i = 0; i < samples->n; i++) {
        samples->targets[i] = labels[i];
        *n_classes = MAX(*n_classes, labels[i] + 1u);
    }
    return true;
}

/* Images and labels of one of the two sets; the first one sets the number of features. */
static bool load_samples(lag_dataset *dataset, const char *folder, const char *prefix,
                         struct lag_samples *samples, GError **error)
{
    g_autofree char *images_name = g_strconcat(prefix, "-images-idx3-ubyte", NULL);
    g_autofree char *labels_name = g_strconcat(prefix, "-labels-idx1-ubyte", NULL);
    struct lag_idx idx;
    g_autoptr(GBytes) images = load(folder, images_name, 3, &idx, error);

    if (images == NULL)
        return false;
    uint64_t n_features = (uint64_t)idx.dimensions[1] * idx.dimensions[2];
    if (dataset->n_features != 0 && n_features != dataset->n_features)
        return refuse(error, "%s/%s: images of %u pixels, but those to train with have %u", folder,
                      images_name, (uint32_t)n_features, dataset->n_features);
    dataset->n_features = (uint32_t)n_features;
    samples->n = idx.dimensions[0];
    samples->scale = 1.0 / UINT8_MAX;
    samples->bytes =
        g_memdup2((const uint8_t *)g_bytes_get_data(images, NULL) + idx.first, idx.n_bytes);
    g_autoptr(GBytes) labels = load(folder, labels_name, 1, &idx, error);
    if (labels == NULL)
        return false;
    if (take_labels(samples, labels, &idx, &dataset->n_classes, error))
        return true;
    g_prefix_error(error, "%s/%s: ", folder, labels_name);
    return false;
}

lag_dataset *lag_idx_load(const char *folder, const char *name, GError **error)
{
    g_autoptr(lag_dataset) dataset = lag_dataset_new(name, 0, 0);

    if (!load_samples(dataset, folder, "train", &dataset->train, error) ||
        !load_samples(dataset, folder, "t10k", &dataset->test, error))
        return NULL;
    return g_steal_pointer(&dataset);
}
