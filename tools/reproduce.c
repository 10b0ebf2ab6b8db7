/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/reproduce.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "results/arithmetic.h"
#include "results/column.h"
#include "scenarios/file.h"
#include "scenarios/nearest.h"
#include "tools/campaign.h"
#include "tools/reproduce-coded.h"

#define MOST_BYTES ((size_t)16 << 20) /* of a paper's file */

static bool refuse(GError **error, const char *format, ...) G_GNUC_PRINTF(2, 3);
static bool refuse(GError **error, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    if (error != NULL)
        *error = g_error_new_valist(LAGGARD_ERROR, LAGGARD_ERROR_INPUT, format, arguments);
    va_end(arguments);
    return false;
}

static int compare_names(gconstpointer a, gconstpointer b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

char **lag_papers(const char *folder, GError **error)
{
    g_autofree char *path = g_build_filename(folder, "results", "published", NULL);
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GError) why = NULL;
    g_autoptr(GDir) dir = g_dir_open(path, 0, &why);

    if (dir == NULL) {
        refuse(error,
               "no papers: %s; set LAGGARD_DATA, or --data, to the folder that has "
               "results/published",
               why->message);
        return NULL;
    }
    for (const char *file; (file = g_dir_read_name(dir)) != NULL;)
        if (g_str_has_suffix(file, ".tsv"))
            g_ptr_array_add(names, g_strndup(file, strlen(file) - strlen(".tsv")));
    g_ptr_array_sort(names, compare_names);
    g_ptr_array_add(names, NULL);
    return (char **)g_ptr_array_free(g_steal_pointer(&names), FALSE);
}

static bool check_name(const char *folder, const char *name, GError **error)
{
    g_auto(GStrv) papers = lag_papers(folder, error);

    if (papers == NULL)
        return false;
    if (g_strv_contains((const char *const *)papers, name))
        return true;
    g_autofree char *hint =
        lag_nearest_hint(name, (const char *const *)papers, g_strv_length(papers));
    return refuse(error, "no paper \"%s\"%s; laggard list papers has them", name, hint);
}

lag_published *lag_paper_load(const char *folder, const char *name, GError **error)
{
    g_autofree char *file = g_strdup_printf("%s.tsv", name);
    g_autofree char *path = g_build_filename(folder, "results", "published", file, NULL);

    if (!check_name(folder, name, error))
        return NULL;
    g_autoptr(GBytes) bytes = lag_file_read(path, MOST_BYTES, error);
    if (bytes == NULL) {
        g_prefix_error(error, "%s: ", path);
        return NULL;
    }
    gsize size;
    const char *data = g_bytes_get_data(bytes, &size);
    g_autofree char *text = g_strndup(data, size);
    return lag_published_parse(name, path, text, error);
}

/* Scenarios that have run: path -> lag_result_set. */
struct lab {
    const char *folder;
    unsigned n_jobs;
    GHashTable *sets;
};

/* What a row's references are looked up in. */
struct desk {
    const lag_result_set *set;
    const struct lag_published_row *row;
    GString *failure; /* of a simulation */
};

static const lag_result_set *run_scenario(struct lab *lab, const char *name, GError **error)
{
    lag_result_set *set = g_hash_table_lookup(lab->sets, name);
    g_autofree char *path = g_build_filename(lab->folder, name, NULL);

    if (set != NULL)
        return set;
    g_autoptr(lag_document) document = lag_document_load(path, NULL, error);
    g_autoptr(lag_campaign) campaign =
        document == NULL ? NULL
                         : lag_campaign_new(document, NULL, lag_document_n_points(document), error);
    set = campaign == NULL ? NULL : lag_campaign_run(campaign, lab->n_jobs, error);
    if (set != NULL)
        g_hash_table_insert(lab->sets, g_strdup(name), set);
    return set;
}

/* What `axis` is to be, in the first of two texts that says it: "a=1; b=2 ms". Newly allocated, or
 * NULL. */
static char *wanted_at(const char *axis, const char *first, const char *second)
{
    const char *texts[] = {first, second};

    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        g_auto(GStrv) parts = g_strsplit(texts[i], ";", -1);
        for (char **part = parts; *part != NULL; part++) {
            char *equals = strchr(*part, '=');
            if (equals == NULL)
                continue;
            *equals = '\0';
            if (strcmp(g_strstrip(*part), axis) == 0)
                return g_strdup(g_strstrip(equals + 1));
        }
    }
    return NULL;
}

static bool is_axis(const struct lag_result *row, const char *name)
{
    for (uint32_t i = 0; i < row->n_coordinates; i++)
        if (strcmp(row->point[i].name, name) == 0)
            return true;
    return false;
}

/* Each part of "a=1; b=2 ms" names an axis of the scenario. */
static bool check_point(const struct lag_result *any, const char *point, GError **error)
{
    g_auto(GStrv) parts = g_strsplit(point, ";", -1);

    for (char **part = parts; *part != NULL; part++) {
        char *equals = strchr(*part, '=');
        if (equals != NULL)
            *equals = '\0';
        if (g_strstrip(*part)[0] == '\0' && equals == NULL)
            continue;
        if (equals == NULL || !is_axis(any, *part))
            return refuse(error, "\"%s\" is no axis of the scenario; expected axis=value", *part);
    }
    return true;
}

static bool is_at(const struct lag_result *row, const struct lag_reference *reference,
                  const char *point)
{
    if (strcmp(row->label, reference->label) != 0)
        return false;
    for (uint32_t i = 0; i < row->n_coordinates; i++) {
        g_autofree char *wanted = wanted_at(row->point[i].name, reference->point, point);
        if (wanted != NULL && g_strcmp0(wanted, row->point[i].text) != 0)
            return false;
    }
    return true;
}

/* The one row that a reference means, or NULL. */
static const struct lag_result *find_row(const struct desk *desk,
                                         const struct lag_reference *reference, GError **error)
{
    const struct lag_result *found = NULL;

    for (uint32_t i = 0; i < desk->set->n_results; i++) {
        const struct lag_result *row = &desk->set->results[i];
        if (!is_at(row, reference, desk->row->point))
            continue;
        if (found != NULL) {
            refuse(error, "{%s}: several points match; say more of the point", reference->label);
            return NULL;
        }
        found = row;
    }
    if (found == NULL)
        refuse(error, "{%s}: no result of that label at \"%s\"%s%s", reference->label,
               desk->row->point, reference->point[0] != '\0' ? ", " : "", reference->point);
    return found;
}

/* An entry of an array that is no column: "ranks_wait_s[2]". */
static bool find_entry(const struct lag_result *row, const char *metric, double *ret)
{
    const struct {
        const char *name;
        const double *numbers;
        const uint64_t *counts;
    } arrays[] = {
        {"ranks_wait_s[", row->ranks_wait, NULL             },
        {"ranks_idle_s[", row->ranks_idle, NULL             },
        {"ranks_done_s[", row->ranks_done, NULL             },
        {"arrived_last[", NULL,            row->arrived_last},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(arrays); i++) {
        char *end;
        if (!g_str_has_prefix(metric, arrays[i].name))
            continue;
        guint64 rank = g_ascii_strtoull(metric + strlen(arrays[i].name), &end, 10);
        if (strcmp(end, "]") != 0 || rank >= row->n_ranks)
            return false;
        if (arrays[i].numbers == NULL && arrays[i].counts == NULL)
            return false;
        *ret = arrays[i].numbers != NULL ? arrays[i].numbers[rank] : (double)arrays[i].counts[rank];
        return true;
    }
    return false;
}

/* A column by its name, or by that with ".mean" behind it. */
static const struct lag_column *find_column(const char *metric)
{
    for (const struct lag_column *column = lag_columns; column->name != NULL; column++) {
        size_t length = strlen(metric);
        if (strncmp(column->name, metric, length) == 0 &&
            (column->name[length] == '\0' || strcmp(column->name + length, ".mean") == 0))
            return column;
    }
    return NULL;
}

static bool find_value(const struct lag_reference *reference, void *data, double *ret,
                       GError **error)
{
    struct desk *desk = data;

    if (!check_point(&desk->set->results[0], reference->point, error))
        return false;
    const struct lag_result *row = find_row(desk, reference, error);
    if (row == NULL)
        return false;
    if (row->status != LAG_OK) {
        g_string_printf(desk->failure, "{%s}: %s", reference->label, row->message);
        *ret = NAN;
        return true;
    }
    if (find_entry(row, reference->metric, ret))
        return true;
    const struct lag_column *column = find_column(reference->metric);
    struct lag_value value =
        column == NULL ? (struct lag_value){.kind = LAG_VALUE_TEXT} : lag_column_value(column, row);
    if (value.kind == LAG_VALUE_TEXT)
        return refuse(error, "\"%s\" is no number of a result", reference->metric);
    *ret = value.kind == LAG_VALUE_NUMBER  ? value.number
           : value.kind == LAG_VALUE_COUNT ? (double)value.count
                                           : NAN;
    return true;
}

/* Less is better but for ratios and rates. */
static bool is_better(const struct lag_reproduced_row *row)
{
    const char *unit = row->published->unit;
    bool more_is = strcmp(unit, "x") == 0 || g_str_has_suffix(unit, "/s");

    return (row->simulated > row->published->value) == more_is;
}

static enum lag_reproduced_verdict judge(const struct lag_reproduced_row *row)
{
    const struct lag_published_row *published = row->published;
    bool within = fabs(row->simulated - published->value) <= published->tolerance;

    if (published->expression == NULL)
        return LAG_NOT_SIMULATED;
    if (!isfinite(row->simulated))
        return LAG_NO_RESULT;
    if (published->kind == LAG_MEASURED)
        return LAG_AS_MEASURED;
    if (published->kind == LAG_EXPLORED)
        return LAG_SHOWN;
    if (published->kind == LAG_OURS)
        return within ? LAG_SAME : is_better(row) ? LAG_BETTER : LAG_WORSE;
    if (published->kind == LAG_CALIBRATED && within)
        return LAG_FITTED;
    return within ? LAG_REPRODUCED : LAG_NOT_REPRODUCED;
}

static bool find_explained(const struct lag_reference *reference, void *data, double *ret,
                           GError **error)
{
    const struct desk *desk = data;

    return lag_coded_reference(reference, desk->row->point, ret, error);
}

/* The value of a row's expression: of a page of explain, or of a scenario's results. */
static bool evaluate(struct lab *lab, const struct lag_published_row *published, GString *failure,
                     double *ret, GError **error)
{
    struct desk desk = {NULL, published, failure};

    if (strcmp(published->scenario, LAG_REPRODUCE_EXPLAIN) == 0)
        return lag_arithmetic(published->expression, find_explained, &desk, ret, error);
    desk.set = run_scenario(lab, published->scenario, error);
    return desk.set != NULL && check_point(&desk.set->results[0], published->point, error) &&
           lag_arithmetic(published->expression, find_value, &desk, ret, error);
}

static bool simulate(struct lab *lab, struct lag_reproduced_row *row, GError **error)
{
    const struct lag_published_row *published = row->published;
    g_autoptr(GString) failure = g_string_new(NULL);
    double value;

    row->simulated = row->deviation = NAN;
    if (published->expression != NULL) {
        if (!evaluate(lab, published, failure, &value, error))
            return false;
        row->simulated = value / published->scale;
        row->deviation = row->simulated / published->value - 1;
    }
    row->verdict = judge(row);
    if (row->verdict == LAG_NO_RESULT)
        row->message = g_strdup(failure->len > 0 ? failure->str : "the value isn't finite");
    return true;
}

static bool is_failure(enum lag_reproduced_verdict verdict)
{
    return verdict == LAG_NOT_REPRODUCED || verdict == LAG_NO_RESULT || verdict == LAG_WORSE;
}

lag_reproduction *lag_reproduce(const char *folder, lag_published *paper, unsigned n_jobs,
                                GError **error)
{
    g_autoptr(lag_reproduction) reproduction = g_new0(lag_reproduction, 1);
    g_autoptr(GHashTable) sets =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)lag_result_set_free);
    struct lab lab = {folder, n_jobs, sets};

    reproduction->paper = paper;
    reproduction->rows = g_new0(struct lag_reproduced_row, paper->n_rows);
    for (uint32_t i = 0; i < paper->n_rows; i++) {
        reproduction->rows[i].published = &paper->rows[i];
        if (!simulate(&lab, &reproduction->rows[i], error)) {
            g_prefix_error(error, "results/published/%s.tsv:%u: %s: ", paper->name,
                           paper->rows[i].line, paper->rows[i].id);
            return NULL;
        }
        reproduction->n_failed += is_failure(reproduction->rows[i].verdict);
    }
    return g_steal_pointer(&reproduction);
}

void lag_reproduction_free(lag_reproduction *reproduction)
{
    if (reproduction == NULL)
        return;
    for (uint32_t i = 0; i < reproduction->paper->n_rows; i++)
        g_free(reproduction->rows[i].message);
    g_free(reproduction->rows);
    lag_published_free(reproduction->paper);
    g_free(reproduction);
}
