/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/data-folder.h"

#include <stdbool.h>

#include <glib.h>

static bool has_data(const char *folder)
{
    g_autofree char *published = g_build_filename(folder, "results", "published", NULL);

    return g_file_test(published, G_FILE_TEST_IS_DIR);
}

char *lag_data_folder(const char *wanted)
{
    const char *set = g_getenv("LAGGARD_DATA");

    if (wanted != NULL)
        return g_strdup(wanted);
    if (set != NULL && set[0] != '\0')
        return g_strdup(set);
    return g_strdup(has_data(LAGGARD_SOURCE_FOLDER) ? LAGGARD_SOURCE_FOLDER : LAGGARD_DATA_FOLDER);
}
