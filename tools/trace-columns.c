/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/trace-columns.h"

#include <string.h>

#include "sim/laggard.h"

#define MOST_WORDS 12

/* Words that a column's name may have, the more telling ones first: the first row that fits any
 * column decides. */
static const struct hint {
    enum lag_column_role role;
    bool several; /* columns that are parts of one time */
    const char *words[MOST_WORDS];
} hints[] = {
    {LAG_COLUMN_STEP,    false, {"step"}                                                     },
    {LAG_COLUMN_STEP,    false, {"iteration", "iter"}                                        },
    {LAG_COLUMN_RANK,    false, {"rank"}                                                     },
    {LAG_COLUMN_RANK,    false, {"worker", "gpu", "device"}                                  },
    {LAG_COLUMN_WAIT,    false, {"wait", "waiting"}                                          },
    {LAG_COLUMN_WAIT,    false, {"allreduce", "collective", "comm", "communication", "nccl"} },
    {LAG_COLUMN_ARRIVAL, false, {"arrival", "lateness"}                                      },
    {LAG_COLUMN_ARRIVAL, true,  {"forward", "fwd", "backward", "bwd", "fw", "bw", "dataload"}},
    {LAG_COLUMN_ARRIVAL, false, {"compute"}                                                  },
};

static bool is_word(const struct hint *hint, const char *word)
{
    for (size_t i = 0; i < MOST_WORDS && hint->words[i] != NULL; i++)
        if (strcmp(hint->words[i], word) == 0)
            return true;
    return false;
}

/* "global_rank" and "AllReduce (ms)" have the words global and rank, allreduce and ms. */
static bool fits(const struct hint *hint, const char *name)
{
    g_autofree char *lower = g_ascii_strdown(name, -1);
    g_auto(GStrv) words = g_strsplit_set(g_strdelimit(lower, " .-/()[]:", '_'), "_", -1);

    for (size_t i = 0; words[i] != NULL; i++) {
        bool last = words[i + 1] == NULL;
        g_autofree char *joined = g_strconcat(words[i], last ? NULL : words[i + 1], NULL);
        if (is_word(hint, words[i]) || is_word(hint, joined))
            return true;
    }
    return false;
}

static bool refuse(const GPtrArray *found, const char *option, GError **error)
{
    g_autoptr(GString) names = g_string_new(NULL);

    for (guint i = 0; i < found->len; i++)
        g_string_append_printf(names, "%s'%s'", i > 0 ? ", " : "",
                               (const char *)g_ptr_array_index(found, i));
    g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT, "which column is meant? %s: say %s",
                names->str, option);
    return false;
}

/* A name that is the hint's word and nothing else beats longer ones. */
static void prefer_plain(const struct hint *hint, GPtrArray *found)
{
    for (guint i = 0; i < found->len; i++) {
        char *name = g_ptr_array_index(found, i);
        g_autofree char *lower = g_ascii_strdown(name, -1);
        if (is_word(hint, lower)) {
            g_ptr_array_set_size(found, 0);
            g_ptr_array_add(found, name);
            return;
        }
    }
}

bool lag_columns_guess(const GPtrArray *header, enum lag_column_role role, const char *option,
                       GPtrArray *found, GError **error)
{
    for (size_t i = 0; i < G_N_ELEMENTS(hints); i++) {
        const struct hint *hint = &hints[i];
        if (hint->role != role)
            continue;
        for (guint k = 0; k < header->len; k++)
            if (fits(hint, g_ptr_array_index(header, k)))
                g_ptr_array_add(found, g_ptr_array_index(header, k));
        if (found->len > 1 && !hint->several)
            prefer_plain(hint, found);
        if (found->len > 1 && !hint->several)
            return refuse(found, option, error);
        if (found->len > 0)
            return true;
    }
    return true;
}
