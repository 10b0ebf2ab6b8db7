/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/profile.h"

#include "scenarios/file.h"
#include "scenarios/gunzip.h"
#include "sim/laggard.h"

#define MOST_FILE ((size_t)1 << 30)
#define MOST_TEXT ((size_t)2000 << 20) /* of an unpacked file; what a GByteArray may hold */

#define PROFILE_READER(name) &lag_profile_##name,
static const struct lag_profile_reader *const readers[] = {
#include "scenarios/profile-readers.def"
};
#undef PROFILE_READER

GArray *lag_profile_parse(GBytes *contents, const char *name, GError **error)
{
    g_autoptr(GBytes) text = lag_gunzip(contents, MOST_TEXT, error);
    const struct lag_profile_reader *reader = readers[0];

    if (text == NULL) {
        g_prefix_error(error, "%s: ", name);
        return NULL;
    }
    if (g_bytes_get_size(text) == 0) {
        g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT, "%s: is empty", name);
        return NULL;
    }
    for (guint i = 0; i < G_N_ELEMENTS(readers); i++) {
        if (readers[i]->fits(text)) {
            reader = readers[i];
            break;
        }
    }
    return reader->read(text, name, error);
}

GArray *lag_profile_load(const char *path, GError **error)
{
    g_autoptr(GBytes) contents = lag_file_read(path, MOST_FILE, error);

    if (contents == NULL) {
        g_prefix_error(error, "%s: ", path);
        return NULL;
    }
    return lag_profile_parse(contents, path, error);
}
