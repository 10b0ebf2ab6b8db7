/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/dataset-shelf.h"

#include <inttypes.h>
#include <string.h>

struct lag_dataset_shelf {
    GMutex mutex;
    GHashTable *datasets; /* what key_of() says -> lag_dataset; never walked */
};

static void unref_dataset(void *dataset)
{
    lag_dataset_unref(dataset);
}

lag_dataset_shelf *lag_dataset_shelf_new(void)
{
    lag_dataset_shelf *shelf = g_new0(lag_dataset_shelf, 1);

    g_mutex_init(&shelf->mutex);
    shelf->datasets = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, unref_dataset);
    return shelf;
}

void lag_dataset_shelf_free(lag_dataset_shelf *shelf)
{
    if (shelf == NULL)
        return;
    g_hash_table_unref(shelf->datasets);
    g_mutex_clear(&shelf->mutex);
    g_free(shelf);
}

/* All that is wanted, in one text: lengths keep its parts apart. */
static char *key_of(const struct lag_dataset_source *source)
{
    const char *texts[] = {source->name, source->file, source->label, source->folder};
    GString *key = g_string_new(NULL);

    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++)
        g_string_append_printf(key, "%zu %s\n", texts[i] != NULL ? strlen(texts[i]) + 1 : 0,
                               texts[i] != NULL ? texts[i] : "");
    g_string_append_printf(key, "%d %u %u %u %" PRIu64 " %a", source->classes, source->n_samples,
                           source->n_features, source->n_classes, source->seed, source->noise);
    return g_string_free(key, FALSE);
}

lag_dataset *lag_dataset_shelf_load(lag_dataset_shelf *shelf,
                                    const struct lag_dataset_source *source, GError **error)
{
    g_autofree char *key = key_of(source);
    g_autoptr(GMutexLocker) locker = g_mutex_locker_new(&shelf->mutex);
    lag_dataset *dataset = g_hash_table_lookup(shelf->datasets, key);

    (void)locker;
    if (dataset == NULL) {
        dataset = lag_dataset_load(source, error);
        if (dataset == NULL)
            return NULL;
        g_hash_table_insert(shelf->datasets, g_steal_pointer(&key), dataset);
    }
    return lag_dataset_ref(dataset);
}
