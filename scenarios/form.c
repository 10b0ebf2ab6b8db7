/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/form.h"

#include <inttypes.h>
#include <string.h>

#include "scenarios/nearest.h"
#include "sim/laggard.h"

#define MOST_COUNT 1000000000u

const struct lag_form lag_form_text = {.shape = LAG_TEXT, .what = "a text"};
const struct lag_form lag_form_count = {
    .shape = LAG_INTEGER, .what = "a whole number", .least = 1, .most = MOST_COUNT};
const struct lag_form lag_form_duration = {
    .shape = LAG_QUANTITY, .what = "a time", .dimension = LAG_TIME};
const struct lag_form lag_form_period = {
    .shape = LAG_QUANTITY, .what = "a time", .dimension = LAG_TIME, .above_min = true};
const struct lag_form lag_form_factor = {
    .shape = LAG_NUMBER, .what = "a factor", .above_min = true};
const struct lag_form lag_form_rate = {
    .shape = LAG_QUANTITY, .what = "a bandwidth", .dimension = LAG_BANDWIDTH, .above_min = true};
const struct lag_form lag_form_size = {
    .shape = LAG_QUANTITY, .what = "a size", .dimension = LAG_SIZE, .max = 0x1p53};
const struct lag_form lag_form_anything = {.shape = LAG_ANYTHING, .what = "anything"};

static void append_path(const struct lag_at *at, GString *text)
{
    if (at == NULL || at->parent == NULL)
        return;
    append_path(at->parent, text);
    if (at->key == NULL)
        g_string_append_printf(text, "[%u]", at->index);
    else
        g_string_append_printf(text, "%s%s", text->len > 0 ? "." : "", at->key);
}

char *lag_at_path(const struct lag_at *at)
{
    GString *text = g_string_new(NULL);

    append_path(at, text);
    return g_string_free(text, FALSE);
}

static bool refuse(const struct lag_at *at, struct lag_place place, const char *message,
                   GError **error)
{
    g_autofree char *where = lag_place_text(place);
    g_autofree char *path = lag_at_path(at);

    g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT, "%s: %s%s%s", where, path,
                *path != '\0' ? ": " : "", message);
    return false;
}

bool lag_refuse(const struct lag_at *at, GError **error, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    g_autofree char *message = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    return refuse(at, at->node->place, message, error);
}

bool lag_refuse_prefix(const struct lag_at *at, GError **error)
{
    g_autofree char *where = lag_place_text(at->node->place);
    g_autofree char *path = lag_at_path(at);

    g_prefix_error(error, "%s: %s: ", where, path);
    return false;
}

struct lag_at lag_at_entry(const struct lag_at *at, uint32_t entry)
{
    const struct lag_entry *child = &at->node->entries[entry];

    return (struct lag_at){at, child->key != NULL ? child->key->text : NULL, entry, child->value};
}

bool lag_expect(const struct lag_at *at, enum lag_node_kind kind, const char *what, GError **error)
{
    static const char *const kinds[] = {
        [LAG_SCALAR] = "a single value", [LAG_SEQUENCE] = "a list", [LAG_MAPPING] = "a mapping"};

    if (at->node->kind == kind && !lag_node_is_null(at->node))
        return true;
    return lag_refuse(at, error, "is %s; expected %s",
                      lag_node_is_null(at->node) ? "empty" : kinds[at->node->kind], what);
}

static bool check_range(const struct lag_at *at, const struct lag_form *form, double value,
                        GError **error)
{
    bool too_small = form->above_min ? value <= form->min : value < form->min;
    bool too_large = form->max > 0 && value > form->max;

    if (too_small && form->min == 0) {
        return lag_refuse(at, error, "'%s' is %s; expected %s %s", at->node->text,
                          value < 0 ? "negative" : "too small", form->what,
                          form->above_min ? "above 0" : "of 0 or more");
    }
    if (too_small || too_large)
        return lag_refuse(at, error, "'%s' is too %s for %s", at->node->text,
                          too_small ? "small" : "large", form->what);
    return true;
}

static bool read_integer(const struct lag_at *at, const struct lag_form *form, uint64_t *into,
                         GError **error)
{
    const char *text = at->node->text;
    g_autoptr(GError) cause = NULL;
    uint64_t value;

    if (!lag_integer_parse(text, &value, &cause)) {
        return lag_refuse(at, error, "%s; expected %s from %" PRIu64 " to %" PRIu64, cause->message,
                          form->what, form->least, form->most);
    }
    if (value < form->least || value > form->most) {
        return lag_refuse(at, error, "'%s' is too %s; expected %s from %" PRIu64 " to %" PRIu64,
                          text, value < form->least ? "small" : "large", form->what, form->least,
                          form->most);
    }
    *into = value;
    return true;
}

static bool read_choice(const struct lag_at *at, const struct lag_form *form, int *into,
                        GError **error)
{
    g_auto(GStrv) choices = g_strsplit(form->choices, "|", -1);

    for (int i = 0; choices[i] != NULL; i++) {
        if (strcmp(choices[i], at->node->text) == 0) {
            *into = i;
            return true;
        }
    }
    g_autofree char *hint =
        lag_nearest_hint(at->node->text, (const char *const *)choices, g_strv_length(choices));
    return lag_refuse(at, error, "unknown value '%s'%s", at->node->text, hint);
}

static bool read_real(const struct lag_at *at, const struct lag_form *form, double *into,
                      GError **error)
{
    const char *text = at->node->text;
    double value;
    bool valid = form->shape == LAG_NUMBER
                     ? lag_number_parse(text, &value, error)
                     : lag_quantity_parse(text, form->dimension, &value, error);

    if (!valid)
        return lag_refuse_prefix(at, error);
    if (!check_range(at, form, value, error))
        return false;
    *into = value;
    return true;
}

static bool read_scalar(const struct lag_at *at, const struct lag_form *form, void *into,
                        GError **error)
{
    bool is_number = form->shape == LAG_INTEGER || form->shape == LAG_NUMBER;

    if (!lag_expect(at, LAG_SCALAR, form->what, error))
        return false;
    if (is_number && !at->node->plain) {
        return lag_refuse(at, error, "'%s' is a text; expected %s, without quotes", at->node->text,
                          form->what);
    }
    if (form->shape == LAG_INTEGER)
        return read_integer(at, form, into, error);
    if (form->shape == LAG_CHOICE)
        return read_choice(at, form, into, error);
    if (form->shape == LAG_TEXT) {
        *(const char **)into = at->node->text;
        return true;
    }
    return read_real(at, form, into, error);
}

bool lag_read_form(const struct lag_at *at, const struct lag_form *form, void *into, GError **error)
{
    switch (form->shape) {
    case LAG_MAPPING_OF:
        return lag_expect(at, LAG_MAPPING, form->what, error) &&
               lag_read_mapping(at, form, into, error);
    case LAG_TEXT:
    case LAG_INTEGER:
    case LAG_NUMBER:
    case LAG_QUANTITY:
    case LAG_CHOICE:
        return read_scalar(at, form, into, error);
    case LAG_LIST_OF:
    case LAG_ONE_OF:
    case LAG_FREE:
    case LAG_ANYTHING:
        break;
    }
    g_assert_not_reached(); /* these have readers of their own */
}

bool lag_form_key(const struct lag_form *form, uint32_t index, struct lag_key *ret)
{
    for (const struct lag_key *key = form->keys; key->name != NULL; key++, index--) {
        if (index == 0) {
            *ret = *key;
            return true;
        }
    }
    return form->more != NULL && form->more(index, ret);
}

/* Refuses a key that the form doesn't have, and knows the nearest. */
static bool check_key(const struct lag_at *at, const struct lag_form *form, const char *name,
                      GError **error)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    struct lag_key key;

    for (uint32_t i = 0; lag_form_key(form, i, &key); i++) {
        if (strcmp(key.name, name) == 0)
            return true;
        g_ptr_array_add(names, (gpointer)(uintptr_t)key.name);
    }
    g_autofree char *hint = lag_nearest_hint(name, (const char *const *)names->pdata, names->len);
    return lag_refuse(at, error, "unknown key '%s'%s", name, hint);
}

static bool refuse_missing(const struct lag_at *at, const struct lag_key *key, GError **error)
{
    return lag_refuse(at, error, "the key '%s' is missing: %s", key->name, key->help);
}

/* The value that a key has where the file says nothing. */
static bool read_default(const struct lag_at *at, const struct lag_key *key, void *into,
                         GError **error)
{
    g_autoptr(lag_node) node = lag_node_new_scalar(key->default_text, true, at->node->place);
    struct lag_at child = {at, key->name, 0, node};

    return lag_read_form(&child, key->form, (char *)into + key->offset, error);
}

static bool read_key(const struct lag_at *at, const struct lag_key *key, void *into, GError **error)
{
    struct lag_at child = {at, key->name, 0, lag_node_get(at->node, key->name)};

    if (child.node == NULL && key->required)
        return refuse_missing(at, key, error);
    if (child.node == NULL)
        return key->default_text == NULL || read_default(at, key, into, error);
    if (key->read != NULL)
        return key->read(&child, into, error);
    return lag_read_form(&child, key->form, (char *)into + key->offset, error);
}

/* Where none of those keys is there, the first of them is missing. */
static bool check_one_of(const struct lag_at *at, const struct lag_form *form, GError **error)
{
    g_auto(GStrv) names = g_strsplit(form->one_of, "|", -1);
    const struct lag_key *key = form->keys;

    for (size_t i = 0; names[i] != NULL; i++)
        if (lag_node_get(at->node, names[i]) != NULL)
            return true;
    while (strcmp(key->name, names[0]) != 0)
        key++;
    return refuse_missing(at, key, error);
}

bool lag_read_mapping(const struct lag_at *at, const struct lag_form *form, void *into,
                      GError **error)
{
    for (uint32_t i = 0; i < at->node->n_entries; i++) {
        const lag_node *name = at->node->entries[i].key;
        struct lag_at place = {at->parent, at->key, at->index, name};
        if (!check_key(&place, form, name->text, error))
            return false;
    }
    if (form->one_of != NULL && !check_one_of(at, form, error))
        return false;
    for (const struct lag_key *key = form->keys; key->name != NULL; key++)
        if (!read_key(at, key, into, error))
            return false;
    return true;
}
