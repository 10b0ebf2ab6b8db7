/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/csv-samples.h"

#include <math.h>
#include <string.h>

#include "scenarios/csv.h"
#include "scenarios/nearest.h"
#include "sim/laggard.h"

#define TEST_EVERY   5u
#define MOST_CLASSES 1000u
#define MOST_COLUMNS 1000000u

/* A table on its way to a data set. */
struct reader {
    const struct lag_csv_samples *how;
    struct lag_csv csv;
    guint n_fields, label;            /* columns, and which has the label */
    GPtrArray *classes;               /* of char * */
    GHashTable *numbers;              /* of the classes: char * -> 1 + index */
    GArray *features[2], *targets[2]; /* of double: to train with, and for the test */
};

static bool refuse(const struct reader *reader, GError **error, const char *format, ...)
    G_GNUC_PRINTF(3, 4);
static bool refuse(const struct reader *reader, GError **error, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    g_autofree char *message = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT, "%s:%u: %s", reader->how->name,
                reader->csv.line, message);
    return false;
}

static bool number_of(const char *text, double *ret)
{
    char *end;

    *ret = g_ascii_strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*ret);
}

static bool names_columns(const struct reader *reader, bool has_label)
{
    double ignored;

    for (guint i = 0; i < reader->csv.fields->len; i++)
        if (!(has_label && reader->how->classes && i == reader->label) &&
            !number_of(g_ptr_array_index(reader->csv.fields, i), &ignored))
            return true;
    return false;
}

/* Which column has the label, from the first line. */
static bool find_label(struct reader *reader, bool *ret_is_header, GError **error)
{
    const char *wanted = reader->how->label;
    const char *const *fields = (const char *const *)reader->csv.fields->pdata;
    bool by_place = strcmp(wanted, "first") == 0 || strcmp(wanted, "last") == 0;

    reader->n_fields = reader->csv.fields->len;
    if (reader->n_fields < 2 || reader->n_fields > MOST_COLUMNS)
        return refuse(reader, error, "%u columns; expected at least a feature and a label",
                      reader->n_fields);
    reader->label = strcmp(wanted, "first") == 0 ? 0 : reader->n_fields - 1;
    *ret_is_header = names_columns(reader, by_place);
    if (by_place)
        return true;
    for (guint i = 0; *ret_is_header && i < reader->n_fields; i++)
        if (strcmp(fields[i], wanted) == 0) {
            reader->label = i;
            return true;
        }
    if (!*ret_is_header)
        return refuse(reader, error,
                      "no names of columns to find '%s' in; label may be first or last", wanted);
    g_autofree char *hint = lag_nearest_hint(wanted, fields, reader->n_fields);
    return refuse(reader, error, "no column '%s'%s", wanted, hint);
}

static bool read_class(struct reader *reader, const char *text, double *ret, GError **error)
{
    guint number = GPOINTER_TO_UINT(g_hash_table_lookup(reader->numbers, text));

    if (*text == '\0')
        return refuse(reader, error, "the label is empty");
    if (number == 0) {
        char *own = g_strdup(text);
        if (reader->classes->len == MOST_CLASSES)
            return refuse(reader, error, "more than %u classes", MOST_CLASSES);
        g_ptr_array_add(reader->classes, own);
        number = reader->classes->len;
        g_hash_table_insert(reader->numbers, own, GUINT_TO_POINTER(number));
    }
    *ret = number - 1;
    return true;
}

static bool read_line(struct reader *reader, GArray *features, GArray *targets, GError **error)
{
    if (reader->csv.fields->len != reader->n_fields)
        return refuse(reader, error, "%u fields, but the first line has %u",
                      reader->csv.fields->len, reader->n_fields);
    for (guint i = 0; i < reader->n_fields; i++) {
        const char *text = g_ptr_array_index(reader->csv.fields, i);
        double value;
        if (i == reader->label && reader->how->classes) {
            if (!read_class(reader, text, &value, error))
                return false;
        } else if (!number_of(text, &value)) {
            return refuse(reader, error, "field %u is '%s'; expected a number", i + 1, text);
        }
        if (i != reader->label)
            value *= reader->how->scale;
        g_array_append_val(i == reader->label ? targets : features, value);
    }
    return true;
}

static bool read_all(struct reader *reader, GError **error)
{
    bool is_header = false;

    if (!lag_csv_next(&reader->csv))
        return refuse(reader, error, "the file is empty");
    if (!find_label(reader, &is_header, error))
        return false;
    if (is_header && !lag_csv_next(&reader->csv))
        return refuse(reader, error, "no line follows the names of the columns");
    uint32_t row = 0;
    do {
        bool test = row++ % TEST_EVERY == TEST_EVERY - 1;
        if (!read_line(reader, reader->features[test], reader->targets[test], error))
            return false;
    } while (lag_csv_next(&reader->csv));
    if (row < TEST_EVERY)
        return refuse(reader, error, "%u samples; expected at least %u", row, TEST_EVERY);
    return true;
}

static void take(struct lag_samples *samples, GArray *features, GArray *targets)
{
    samples->n = targets->len;
    samples->numbers = (double *)(void *)g_array_free(features, FALSE);
    samples->targets = (double *)(void *)g_array_free(targets, FALSE);
}

lag_dataset *lag_csv_samples_parse(GBytes *contents, const struct lag_csv_samples *how,
                                   GError **error)
{
    struct reader reader = {.how = how};
    lag_dataset *dataset = NULL;

    reader.classes = g_ptr_array_new_with_free_func(g_free);
    reader.numbers = g_hash_table_new(g_str_hash, g_str_equal);
    for (int i = 0; i < 2; i++) {
        reader.features[i] = g_array_new(FALSE, FALSE, sizeof(double));
        reader.targets[i] = g_array_new(FALSE, FALSE, sizeof(double));
    }
    lag_csv_init(&reader.csv, contents);
    if (read_all(&reader, error))
        dataset = lag_dataset_new(how->name, reader.n_fields - 1, reader.classes->len);
    for (int i = 0; i < 2; i++) {
        struct lag_samples unused = {0}, *set = dataset == NULL ? &unused
                                                : i == 0        ? &dataset->train
                                                                : &dataset->test;
        take(set, reader.features[i], reader.targets[i]);
        g_free(unused.numbers);
        g_free(unused.targets);
    }
    lag_csv_clear(&reader.csv);
    g_hash_table_unref(reader.numbers);
    g_ptr_array_unref(reader.classes);
    return dataset;
}
