/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/form-find.h"

#include <string.h>

#include "scenarios/nearest.h"

static const struct lag_form *find_from(const struct lag_form *form, const lag_keypath *path,
                                        guint at, guint end);

static const struct lag_form *find_in_keys(const struct lag_form *form, const lag_keypath *path,
                                           guint at, guint end)
{
    const char *name = g_array_index(path, struct lag_stride, at).key;
    struct lag_key key;

    for (uint32_t i = 0; name != NULL && lag_form_key(form, i, &key); i++)
        if (strcmp(key.name, name) == 0)
            return find_from(key.form, path, at + 1, end);
    return NULL;
}

static const struct lag_form *find_alternative(const struct lag_form *form, const lag_keypath *path,
                                               guint at, guint end)
{
    for (uint32_t i = 0; form->alternatives[i] != NULL; i++) {
        const struct lag_form *found = find_from(form->alternatives[i], path, at, end);
        if (found != NULL)
            return found;
    }
    return NULL;
}

static const struct lag_form *find_from(const struct lag_form *form, const lag_keypath *path,
                                        guint at, guint end)
{
    const struct lag_stride *stride = &g_array_index(path, struct lag_stride, at);

    if (at == end)
        return form;
    switch (form->shape) {
    case LAG_MAPPING_OF:
        return find_in_keys(form, path, at, end);
    case LAG_LIST_OF:
        return stride->key == NULL ? find_from(form->item, path, at + 1, end) : NULL;
    case LAG_ONE_OF:
        return find_alternative(form, path, at, end);
    case LAG_FREE:
        return stride->key != NULL && form->allows(stride->key)
                   ? find_from(form->item, path, at + 1, end)
                   : NULL;
    case LAG_TEXT:
    case LAG_INTEGER:
    case LAG_NUMBER:
    case LAG_QUANTITY:
    case LAG_CHOICE:
    case LAG_ANYTHING:
        break;
    }
    return NULL;
}

const struct lag_form *lag_form_find(const struct lag_form *form, const lag_keypath *path)
{
    return find_from(form, path, 0, path->len);
}

char *lag_form_hint(const struct lag_form *form, const lag_keypath *path)
{
    const struct lag_form *last = NULL;
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    const char *wrong;
    guint length = path->len; /* of a part of the path that leads to `last` */

    while (last == NULL && length > 0) {
        length--;
        last = find_from(form, path, 0, length);
    }
    wrong = g_array_index(path, struct lag_stride, length).key;
    if (last == NULL || last->shape != LAG_MAPPING_OF || wrong == NULL)
        return g_strdup("");
    struct lag_key key;
    for (uint32_t i = 0; lag_form_key(last, i, &key); i++)
        g_ptr_array_add(names, (gpointer)(uintptr_t)key.name);
    return lag_nearest_hint(wrong, (const char *const *)names->pdata, names->len);
}

bool lag_form_number(const struct lag_form *form, const char *text, double *ret_number)
{
    switch (form->shape) {
    case LAG_QUANTITY:
        return lag_quantity_parse(text, form->dimension, ret_number, NULL);
    case LAG_INTEGER:
    case LAG_NUMBER:
        return lag_number_parse(text, ret_number, NULL);
    case LAG_ONE_OF:
        for (uint32_t i = 0; form->alternatives[i] != NULL; i++)
            if (lag_form_number(form->alternatives[i], text, ret_number))
                return true;
        return false;
    case LAG_TEXT:
    case LAG_CHOICE:
    case LAG_ANYTHING:
    case LAG_MAPPING_OF:
    case LAG_LIST_OF:
    case LAG_FREE:
        break;
    }
    return false;
}
