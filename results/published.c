/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "results/published.h"

#include <math.h>
#include <string.h>

#include "sim/laggard.h"

enum column {
    ID,
    WHAT,
    KIND,
    VALUE,
    UNIT,
    TOLERANCE,
    SCENARIO,
    POINT,
    EXPRESSION,
    SOURCE,
    N_COLUMNS
};
static const char *const columns[] = {
    [ID] = "id",
    [WHAT] = "what",
    [KIND] = "kind",
    [VALUE] = "value",
    [UNIT] = "unit",
    [TOLERANCE] = "tolerance",
    [SCENARIO] = "scenario",
    [POINT] = "point",
    [EXPRESSION] = "expression",
    [SOURCE] = "source",
};
static const char *const kinds[] = {
    [LAG_DERIVED] = "derived",       [LAG_PUBLISHED] = "published", [LAG_MEASURED] = "measured",
    [LAG_CALIBRATED] = "calibrated", [LAG_OURS] = "ours",           [LAG_EXPLORED] = "explored",
};
static const struct {
    const char *name;
    double scale;
} units[] = {
    {"x",     1   },
    {"s",     1   },
    {"ms",    1e-3},
    {"us",    1e-6},
    {"h",     3600},
    {"%",     1e-2},
    {"count", 1   },
    {"GB/s",  1e9 },
    {"MB/s",  1e6 },
    {"B",     1   },
    {"1/s",   1   },
};

const char *lag_published_kind_name(enum lag_published_kind kind)
{
    return kinds[kind];
}

struct reader {
    lag_published *published;
    GArray *rows;
    const char *path;
    uint32_t line;
};

static bool refuse(const struct reader *reader, GError **error, const char *format, ...)
    G_GNUC_PRINTF(3, 4);
static bool refuse(const struct reader *reader, GError **error, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    g_autofree char *message = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT, "%s:%u: %s", reader->path,
                MAX(reader->line, 1), message);
    return false;
}

static bool read_number(const struct reader *reader, enum column column, const char *text,
                        double *ret, GError **error)
{
    char *end;

    *ret = g_ascii_strtod(text, &end);
    if (end != text && *end == '\0' && isfinite(*ret))
        return true;
    return refuse(reader, error, "%s: expected a number, got \"%s\"", columns[column], text);
}

/* "-" where nothing is published. */
static bool read_value(const struct reader *reader, const char *text, struct lag_published_row *row,
                       GError **error)
{
    if (row->kind != LAG_EXPLORED)
        return read_number(reader, VALUE, text, &row->value, error);
    row->value = NAN;
    return strcmp(text, "-") == 0 ||
           refuse(reader, error, "value: what is explored has none; expected -");
}

/* "0.0005", in units, or "3 %" of the value. */
static bool read_tolerance(const struct reader *reader, const char *text,
                           struct lag_published_row *row, GError **error)
{
    g_autofree char *number = g_strdup(text);
    size_t length = strlen(number);

    if (row->kind == LAG_MEASURED || row->kind == LAG_EXPLORED) {
        row->tolerance = NAN;
        return strcmp(text, "-") == 0 ||
               refuse(reader, error, "tolerance: what is %s has none; expected -",
                      kinds[row->kind]);
    }
    bool relative = length > 0 && number[length - 1] == '%';
    if (relative) {
        number[length - 1] = '\0';
        g_strchomp(number);
    }
    if (!read_number(reader, TOLERANCE, number, &row->tolerance, error))
        return false;
    if (relative)
        row->tolerance *= fabs(row->value) / 100;
    return row->tolerance >= 0 || refuse(reader, error, "tolerance: expected 0 or more");
}

static bool read_kind(const struct reader *reader, const char *text, struct lag_published_row *row,
                      GError **error)
{
    for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++)
        if (strcmp(kinds[i], text) == 0) {
            row->kind = (enum lag_published_kind)i;
            return true;
        }
    return refuse(reader, error,
                  "kind: expected derived, published, measured, ours or explored, got \"%s\"",
                  text);
}

static bool read_unit(const struct reader *reader, const char *text, struct lag_published_row *row,
                      GError **error)
{
    for (size_t i = 0; i < G_N_ELEMENTS(units); i++)
        if (strcmp(units[i].name, text) == 0) {
            row->unit = g_strdup(text);
            row->scale = units[i].scale;
            return true;
        }
    g_autoptr(GString) all = g_string_new(NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(units); i++)
        g_string_append_printf(all, "%s%s", i > 0 ? " " : "", units[i].name);
    return refuse(reader, error, "unit: expected one of %s, got \"%s\"", all->str, text);
}

/* NULL for "-". */
static char *optional(const char *text)
{
    return strcmp(text, "-") == 0 ? NULL : g_strdup(text);
}

static bool check_row(const struct reader *reader, const struct lag_published_row *row,
                      GError **error)
{
    if ((row->scenario == NULL) != (row->expression == NULL))
        return refuse(reader, error, "scenario and expression: both, or - for both");
    if (row->expression == NULL && row->kind != LAG_MEASURED)
        return refuse(reader, error, "expression: only a measured value may have none (-)");
    for (guint i = 0; i + 1 < reader->rows->len; i++)
        if (strcmp(g_array_index(reader->rows, struct lag_published_row, i).id, row->id) == 0)
            return refuse(reader, error, "id: \"%s\" stands already in line %u", row->id,
                          g_array_index(reader->rows, struct lag_published_row, i).line);
    return true;
}

static bool read_row(struct reader *reader, char *const *fields, GError **error)
{
    struct lag_published_row empty = {.line = reader->line};

    if (g_strv_length((char **)(uintptr_t)fields) != N_COLUMNS)
        return refuse(reader, error, "expected %d fields between tabs, got %u", N_COLUMNS,
                      g_strv_length((char **)(uintptr_t)fields));
    g_array_append_val(reader->rows, empty);
    struct lag_published_row *row =
        &g_array_index(reader->rows, struct lag_published_row, reader->rows->len - 1);
    row->id = g_strdup(fields[ID]);
    row->what = g_strdup(fields[WHAT]);
    row->scenario = optional(fields[SCENARIO]);
    row->point = g_strdup(strcmp(fields[POINT], "-") == 0 ? "" : fields[POINT]);
    row->expression = optional(fields[EXPRESSION]);
    row->source = g_strdup(fields[SOURCE]);
    return read_kind(reader, fields[KIND], row, error) &&
           read_value(reader, fields[VALUE], row, error) &&
           read_unit(reader, fields[UNIT], row, error) &&
           read_tolerance(reader, fields[TOLERANCE], row, error) && check_row(reader, row, error);
}

/* "title: ..." and "source: ...", before the rows; then the names of the columns. */
static bool read_head(struct reader *reader, char *const *fields, bool *ret_is_end, GError **error)
{
    lag_published *published = reader->published;

    *ret_is_end = false;
    if (g_str_has_prefix(fields[0], "title:")) {
        g_free(published->title);
        published->title = g_strstrip(g_strdup(fields[0] + strlen("title:")));
        return true;
    }
    if (g_str_has_prefix(fields[0], "source:")) {
        g_free(published->source);
        published->source = g_strstrip(g_strdup(fields[0] + strlen("source:")));
        return true;
    }
    *ret_is_end = true;
    for (int i = 0; i < N_COLUMNS; i++)
        if (fields[i] == NULL || strcmp(fields[i], columns[i]) != 0)
            return refuse(reader, error,
                          "expected title:, source: or the columns' names, of which "
                          "number %d is \"%s\"",
                          i + 1, columns[i]);
    return (published->title != NULL && published->source != NULL) ||
           refuse(reader, error, "title: and source: must stand above the columns");
}

static bool read_lines(struct reader *reader, const char *text, GError **error)
{
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    bool in_rows = false;

    for (; lines[reader->line] != NULL; reader->line++) {
        char *line = g_strchomp(lines[reader->line]);
        if (line[0] == '\0' || line[0] == '#')
            continue;
        g_auto(GStrv) fields = g_strsplit(line, "\t", -1);
        for (char **field = fields; *field != NULL; field++)
            g_strstrip(*field);
        reader->line++; /* messages count from 1 */
        bool read =
            in_rows ? read_row(reader, fields, error) : read_head(reader, fields, &in_rows, error);
        reader->line--;
        if (!read)
            return false;
    }
    return in_rows || refuse(reader, error, "has no rows");
}

static void row_clear(struct lag_published_row *row)
{
    g_free(row->id);
    g_free(row->what);
    g_free(row->unit);
    g_free(row->scenario);
    g_free(row->point);
    g_free(row->expression);
    g_free(row->source);
}

lag_published *lag_published_parse(const char *name, const char *path, const char *text,
                                   GError **error)
{
    g_autoptr(lag_published) published = g_new0(lag_published, 1);
    struct reader reader = {.published = published, .path = path};

    published->name = g_strdup(name);
    reader.rows = g_array_new(FALSE, TRUE, sizeof(struct lag_published_row));
    bool read = read_lines(&reader, text, error);
    published->n_rows = reader.rows->len;
    published->rows =
        (struct lag_published_row *)(void *)g_array_free(g_steal_pointer(&reader.rows), FALSE);
    return read ? g_steal_pointer(&published) : NULL;
}

void lag_published_free(lag_published *published)
{
    if (published == NULL)
        return;
    for (uint32_t i = 0; i < published->n_rows; i++)
        row_clear(&published->rows[i]);
    g_free(published->rows);
    g_free(published->name);
    g_free(published->title);
    g_free(published->source);
    g_free(published);
}
