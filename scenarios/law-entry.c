/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/law-entry.h"

#include <math.h>
#include <string.h>

#include "scenarios/law-form.h"
#include "scenarios/law-sample.h"
#include "scenarios/nearest.h"

#define MOST_PARTS 1000

/* What the readers share. */
struct reader {
    const struct lag_law_dialect *dialect;
    const struct lag_sources *sources;
    bool in_mixture;
};

static bool read_law(const struct lag_at *at, const struct reader *reader, struct lag_law *law,
                     GError **error);

/* At the name of a law, or of a parameter. */
static struct lag_at name_of(const struct lag_at *at, uint32_t entry)
{
    return (struct lag_at){at->parent, at->key, at->index, at->node->entries[entry].key};
}

static bool refuse_name(const struct lag_at *name, const struct lag_law_dialect *dialect,
                        GError **error)
{
    const struct lag_law_type *type = lag_law_type_find(name->node->text);
    g_autoptr(GPtrArray) names = g_ptr_array_new();

    if (type != NULL) {
        return lag_refuse(name, error,
                          "%s is a law of factors, for slowdown or link_slowdown; a delay that "
                          "comes and goes is a mixture: [{weight: 0.9, law: 0 s}, ...]",
                          type->name);
    }
    for (uint32_t i = 0; lag_law_types[i] != NULL; i++)
        if (dialect->laws->allows(lag_law_types[i]->name))
            g_ptr_array_add(names, (gpointer)(uintptr_t)lag_law_types[i]->name);
    g_autofree char *hint = lag_nearest_hint(
        name->node->text, (const char *const *)(const void *)names->pdata, names->len);
    return lag_refuse(name, error, "there is no law '%s'%s", name->node->text, hint);
}

static bool refuse_parameter(const struct lag_at *name, const struct lag_law_type *type,
                             GError **error)
{
    const char *names[LAG_LAW_PARAMETERS];
    uint32_t n = lag_law_type_n_parameters(type);

    for (uint32_t i = 0; i < n; i++)
        names[i] = type->parameters[i].name;
    g_autofree char *hint = lag_nearest_hint(name->node->text, names, n);
    return lag_refuse(name, error, "%s has no parameter '%s'%s", type->name, name->node->text,
                      hint);
}

static bool is_parameter_of(const struct lag_law_type *type, const char *name)
{
    for (uint32_t i = 0; type->parameters[i].name != NULL; i++)
        if (strcmp(type->parameters[i].name, name) == 0)
            return true;
    return false;
}

/* "{shape: ..., scale: ...}" */
static char *parameters_text(const struct lag_law_type *type)
{
    GString *text = g_string_new("{");

    for (uint32_t i = 0; type->parameters[i].name != NULL; i++)
        g_string_append_printf(text, "%s%s: ...", i > 0 ? ", " : "", type->parameters[i].name);
    g_string_append_c(text, '}');
    return g_string_free(text, FALSE);
}

static bool read_numbers(const struct lag_at *at, const struct reader *reader, struct lag_law *law,
                         GError **error)
{
    const struct lag_law_type *type = law->type;
    g_autofree char *expected = parameters_text(type);

    if (!lag_expect(at, LAG_MAPPING, expected, error))
        return false;
    for (uint32_t i = 0; i < at->node->n_entries; i++) {
        struct lag_at name = name_of(at, i);
        if (!is_parameter_of(type, name.node->text))
            return refuse_parameter(&name, type, error);
    }
    for (uint32_t i = 0; type->parameters[i].name != NULL; i++) {
        const struct lag_law_parameter *parameter = &type->parameters[i];
        struct lag_at value = {at, parameter->name, 0, lag_node_get(at->node, parameter->name)};
        if (value.node == NULL)
            return lag_refuse(at, error, "the key '%s' is missing: %s", parameter->name,
                              parameter->help);
        if (!lag_read_form(&value, lag_law_parameter_form(reader->dialect, parameter), &law->p[i],
                           error))
            return false;
    }
    return true;
}

static bool read_part(const struct lag_at *at, const struct reader *reader,
                      struct lag_law_part *part, GError **error)
{
    struct reader inner = {reader->dialect, reader->sources, true};
    struct lag_law_weight weight;

    if (!lag_read_form(at, reader->dialect->part, &weight, error))
        return false;
    struct lag_at law = {at, "law", 0, lag_node_get(at->node, "law")};
    part->weight = weight.weight;
    return read_law(&law, &inner, &part->law, error);
}

static bool read_parts(const struct lag_at *at, const struct reader *reader, struct lag_law *law,
                       GError **error)
{
    uint32_t n = at->node->n_entries;

    if (!lag_expect(at, LAG_SEQUENCE, "a list of parts, [{weight: 0.9, law: ...}, ...]", error))
        return false;
    if (n == 0 || n > MOST_PARTS)
        return lag_refuse(at, error, "has %u parts; expected 1 to %d", n, MOST_PARTS);
    law->parts = g_new0(struct lag_law_part, n);
    law->n_parts = n;
    for (uint32_t i = 0; i < n; i++) {
        struct lag_at part = lag_at_entry(at, i);
        if (!read_part(&part, reader, &law->parts[i], error))
            return false;
    }
    lag_law_set_parts(law, law->parts, n);
    return true;
}

static bool read_sample(const struct lag_at *at, const struct reader *reader, struct lag_law *law,
                        GError **error)
{
    static const char *const units[] = {"s", "ms", "us", "ns"}; /* the choices of the form */
    struct lag_law_file_entry entry = {.unit = -1};
    struct lag_at file = {at, "file", 0, lag_node_get(at->node, "file")};
    double *values;
    uint32_t n_values;

    if (at->node->kind == LAG_MAPPING) {
        if (!lag_read_form(at, &lag_form_sample, &entry, error))
            return false;
    } else {
        file = *at;
        if (!lag_expect(at, LAG_SCALAR, lag_form_sample.what, error))
            return false;
        entry.file = at->node->text;
    }
    if (reader->dialect->is_factor && entry.unit >= 0)
        return lag_refuse(at, error, "factors have no unit; leave it out");
    GBytes *contents = g_hash_table_lookup(reader->sources->files, entry.file);
    g_assert(contents != NULL); /* the document has read every file that a point can name */
    if (!lag_sample_parse(contents, entry.file, reader->dialect->is_factor,
                          entry.unit >= 0 ? units[entry.unit] : NULL, &values, &n_values, error))
        return lag_refuse_prefix(&file, error);
    lag_law_set_sample(law, values, n_values);
    return true;
}

static bool read_body(const struct lag_at *at, const struct reader *reader, struct lag_law *law,
                      GError **error)
{
    switch (law->type->made) {
    case LAG_LAW_OF_NUMBERS:
        return read_numbers(at, reader, law, error);
    case LAG_LAW_OF_VALUE:
        return lag_read_form(at, reader->dialect->value, &law->p[0], error);
    case LAG_LAW_OF_PARTS:
        return read_parts(at, reader, law, error);
    case LAG_LAW_OF_SAMPLE:
        break;
    }
    return read_sample(at, reader, law, error);
}

static bool check_place(const struct lag_at *name, const struct reader *reader,
                        const struct lag_law_type *type, GError **error)
{
    if (reader->in_mixture && type->made == LAG_LAW_OF_PARTS)
        return lag_refuse(name, error, "a mixture in a mixture; put its laws into the outer list");
    if (reader->in_mixture && type->time != LAG_EACH_STEP)
        return lag_refuse(name, error,
                          "%s is not drawn anew for each step, so that a mixture can't hold it",
                          type->name);
    return true;
}

static bool read_law(const struct lag_at *at, const struct reader *reader, struct lag_law *law,
                     GError **error)
{
    const struct lag_law_dialect *dialect = reader->dialect;
    const char *objection;

    if (at->node->kind == LAG_SCALAR) {
        law->type = lag_law_type_find("constant");
        return lag_read_form(at, dialect->value, &law->p[0], error);
    }
    if (!lag_expect(at, LAG_MAPPING, dialect->laws->what, error))
        return false;
    if (at->node->n_entries != 1)
        return lag_refuse(at, error, "%u laws in one place; expected %s", at->node->n_entries,
                          dialect->laws->what);
    struct lag_at name = name_of(at, 0), body = lag_at_entry(at, 0);
    if (!dialect->laws->allows(name.node->text))
        return refuse_name(&name, dialect, error);
    law->type = lag_law_type_find(name.node->text);
    if (!check_place(&name, reader, law->type, error) || !read_body(&body, reader, law, error))
        return false;
    objection = lag_law_objection(law);
    if (objection != NULL)
        return lag_refuse(&body, error, "impossible: %s", objection);
    return !dialect->is_factor || lag_law_mean(law) > 0 ||
           lag_refuse(&body, error, "it is always 0; a factor is above 0");
}

bool lag_law_read(const struct lag_at *at, const struct lag_form *form,
                  const struct lag_sources *sources, struct lag_law *law, GError **error)
{
    struct reader reader = {form == &lag_form_delay ? &lag_delay_laws : &lag_factor_laws, sources,
                            false};

    return read_law(at, &reader, law, error);
}

/* The files below a law, if it is one. */
static bool files_of(const struct lag_at *law, lag_law_file each, void *data, GError **error)
{
    struct lag_at sample = {law, "empirical", 0, NULL}, mixture = {law, "mixture", 0, NULL};
    struct lag_at file;

    if (law->node == NULL || law->node->kind != LAG_MAPPING)
        return true;
    sample.node = lag_node_get(law->node, "empirical");
    file = sample;
    if (sample.node != NULL && sample.node->kind == LAG_MAPPING)
        file = (struct lag_at){&sample, "file", 0, lag_node_get(sample.node, "file")};
    if (file.node != NULL && file.node->kind == LAG_SCALAR && !lag_node_is_null(file.node) &&
        !each(data, &file, error))
        return false;
    mixture.node = lag_node_get(law->node, "mixture");
    for (uint32_t i = 0; mixture.node != NULL && i < mixture.node->n_entries; i++) {
        struct lag_at part = lag_at_entry(&mixture, i);
        struct lag_at inner = {&part, "law", 0, lag_node_get(part.node, "law")};
        if (!files_of(&inner, each, data, error))
            return false;
    }
    return true;
}

bool lag_law_files(const struct lag_at *entry, lag_law_file each, void *data, GError **error)
{
    static const char *const keys[] = {"delay", "slowdown", "link_slowdown"};

    for (uint32_t i = 0; i < G_N_ELEMENTS(keys); i++) {
        struct lag_at law = {entry, keys[i], 0, lag_node_get(entry->node, keys[i])};
        if (!files_of(&law, each, data, error))
            return false;
    }
    return true;
}

uint64_t lag_law_n_values(const struct lag_law *law)
{
    uint64_t n = law->n_values;

    for (uint32_t i = 0; i < law->n_parts; i++)
        n += lag_law_n_values(&law->parts[i].law);
    return n;
}
