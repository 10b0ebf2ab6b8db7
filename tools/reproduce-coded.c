/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/reproduce-coded.h"

#include <string.h>

#include "scenarios/nearest.h"
#include "sim/laggard.h"
#include "tools/coded-case.h"

/* Which page tells of a label. */
static const struct label {
    const char *name, *page;
    bool no_stragglers;
} labels[] = {
    {"coded-reduce",    "coded-reduce",    false},
    {"gradient-coding", "gradient-coding", false},
    {"uncoded-tree",    "coded-reduce",    true },
    {"master-worker",   "gradient-coding", true },
    {"ring",            "coded-reduce",    false},
};

static const struct label *find_label(const char *name, GError **error)
{
    const char *names[G_N_ELEMENTS(labels)];

    for (size_t i = 0; i < G_N_ELEMENTS(labels); i++) {
        names[i] = labels[i].name;
        if (strcmp(labels[i].name, name) == 0)
            return &labels[i];
    }
    g_autofree char *hint = lag_nearest_hint(name, names, G_N_ELEMENTS(names));
    g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT, "{%s}: not on explain's page%s", name,
                hint);
    return NULL;
}

static void add_sets(GPtrArray *sets, const char *point)
{
    g_auto(GStrv) parts = g_strsplit(point, ";", -1);

    for (char **part = parts; *part != NULL; part++)
        if (g_strstrip(*part)[0] != '\0')
            g_ptr_array_add(sets, g_strdup(*part));
}

/* The ring where that is asked for, else the first. */
static const struct lag_coded_way *find_way(const lag_coded_answer *answer, const char *name)
{
    bool is_ring = strcmp(name, "ring") == 0;

    return &answer->ways[is_ring ? answer->n_ways - 1 : 0];
}

/* A number of the page, by its name in the page's JSON. */
static bool find_number(const lag_coded_answer *answer, const struct lag_coded_way *way,
                        const char *metric, double *ret)
{
    const struct {
        const char *name;
        double value;
    } numbers[] = {
        {"mean_s",                     way->time.mean                      },
        {"standard_error_s",           way->time.error                     },
        {"bound_low_s",                way->bounds.low                     },
        {"bound_high_s",               way->bounds.high                    },
        {"load",                       way->load                           },
        {"workers",                    answer->n_workers                   },
        {"points",                     answer->load * answer->asked->points},
        {"least_points",               (double)answer->exact.least_points  },
        {"points_each",                (double)answer->exact.points_each   },
        {"smallest_fatal_set",         answer->fatal                       },
        {"largest_tolerable_set",      answer->tolerable                   },
        {"gradient_coding_stragglers", answer->star_stragglers             },
        {"completion[0]",              answer->completion[0]               },
        {"completion[1]",              answer->completion[1]               },
        {"completion[2]",              answer->completion[2]               },
        {"completion[3]",              answer->completion[3]               },
    };

    for (size_t i = 0; i < G_N_ELEMENTS(numbers); i++)
        if (strcmp(numbers[i].name, metric) == 0) {
            *ret = numbers[i].value;
            return true;
        }
    return false;
}

bool lag_coded_reference(const struct lag_reference *reference, const char *point,
                         double *ret_value, GError **error)
{
    const struct label *label = find_label(reference->label, error);
    g_autoptr(GPtrArray) sets = g_ptr_array_new_with_free_func(g_free);
    g_auto(lag_coded_input) input = {0};

    if (label == NULL)
        return false;
    add_sets(sets, point);
    add_sets(sets, reference->point);
    if (label->no_stragglers)
        g_ptr_array_add(sets, g_strdup("algorithms[0].stragglers=0"));
    g_ptr_array_add(sets, NULL);
    if (!lag_coded_input_read(&input, label->page, (const char *const *)sets->pdata, error))
        return false;
    input.asked.brief = true;
    g_autoptr(lag_coded_answer) answer = lag_coded_answer_new(&input.asked, error);
    if (answer == NULL)
        return false;
    const struct lag_coded_way *way = find_way(answer, label->name);
    if (find_number(answer, way, reference->metric, ret_value))
        return true;
    g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT, "\"%s\" is no number of explain's page",
                reference->metric);
    return false;
}
