/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/range.h"

#include <inttypes.h>
#include <math.h>

#include "scenarios/draft.h"

#define GRAIN   8.0    /* bytes; a multiple of every dtype's element */
#define LARGEST 0x1p53 /* whole numbers up to here are exact */
#define DIGITS  ".15g"
#define SLACK   1e-9 /* relative: so near to the end is the end */

struct range {
    const struct lag_form *form; /* a number's */
    double from, to;
    uint64_t steps;     /* 0: not given */
    double step, ratio; /* 0: not given */
    int scale;          /* 1: logarithmic */
};

static const struct lag_form steps_form = {
    .shape = LAG_INTEGER, .what = "a number of values", .least = 2, .most = LAG_MOST_VALUES};
static const struct lag_form ratio_form = {
    .shape = LAG_NUMBER, .what = "a factor above 1", .min = 1, .above_min = true};
static const struct lag_form scale_form = {
    .shape = LAG_CHOICE, .what = "a scale", .choices = "linear|log"};

static const struct lag_form value_form = {.shape = LAG_TEXT, .what = "a value of the key"};

/* The ends and the step are read by the form of what is swept. */
static const struct lag_key range_keys[] = {
    {.name = "from",
     .form = &value_form,
     .required = true,
     .read = lag_read_later,
     .help = "the first value"},
    {.name = "to",
     .form = &value_form,
     .required = true,
     .read = lag_read_later,
     .help = "the last value; with step and factor none is above it"},
    {.name = "steps",
     .form = &steps_form,
     .offset = offsetof(struct range, steps),
     .help = "how many values, both ends among them; sizes between are rounded to 8 B"},
    {.name = "scale",
     .form = &scale_form,
     .default_text = "linear",
     .offset = offsetof(struct range, scale),
     .help = "of steps: linear has equal differences, log equal ratios"},
    {.name = "step",
     .form = &value_form,
     .read = lag_read_later,
     .help = "the difference of neighbours, instead of steps"},
    {.name = "factor",
     .form = &ratio_form,
     .offset = offsetof(struct range, ratio),
     .help = "the ratio of neighbours, instead of steps"},
    {.name = NULL                                                },
};
const struct lag_form lag_form_range = {.shape = LAG_MAPPING_OF,
                                        .what = "a range, {from: 1 MiB, to: 1 GiB, steps: 11}",
                                        .keys = range_keys};

/* The number that may stand at a form, or NULL. */
static const struct lag_form *find_number(const struct lag_form *form)
{
    const struct lag_form *found = NULL;

    if (form->shape == LAG_INTEGER || form->shape == LAG_NUMBER || form->shape == LAG_QUANTITY)
        return form;
    for (uint32_t i = 0; form->shape == LAG_ONE_OF && found == NULL; i++) {
        if (form->alternatives[i] == NULL)
            break;
        found = find_number(form->alternatives[i]);
    }
    return found;
}

/* Reads the value of `key`, which must be there, as a number of the form. */
static bool read_number(const struct lag_at *at, const char *key, const struct lag_form *form,
                        double *ret, GError **error)
{
    struct lag_at child = {at, key, 0, lag_node_get(at->node, key)};
    uint64_t whole;

    if (form->shape != LAG_INTEGER)
        return lag_read_form(&child, form, ret, error);
    if (!lag_read_form(&child, form, &whole, error))
        return false;
    *ret = (double)whole;
    return *ret <= LARGEST ||
           lag_refuse(&child, error, "'%s' is too large for a range; give a list of values",
                      child.node->text);
}

static bool check_ends(const struct lag_at *at, const struct range *range, GError **error)
{
    struct lag_at from = {at, "from", 0, lag_node_get(at->node, "from")};
    struct lag_at to = {at, "to", 0, lag_node_get(at->node, "to")};

    if (range->to <= range->from)
        return lag_refuse(&to, error, "'%s' is not above from, '%s'", to.node->text,
                          from.node->text);
    if (range->from <= 0 && (range->scale == 1 || range->ratio > 0))
        return lag_refuse(&from, error, "'%s' is not above 0, where equal ratios need to start",
                          from.node->text);
    if (range->from > 0 && !isfinite(range->to / range->from))
        return lag_refuse(&to, error, "'%s' is too far from '%s'", to.node->text, from.node->text);
    return true;
}

/* A step or a factor may be too small for the way that it has to go. */
static bool check_count(const struct lag_at *at, const struct range *range, GError **error)
{
    double n_steps = 0;

    if (range->step > 0)
        n_steps = (range->to - range->from) / range->step;
    else if (range->ratio > 0)
        n_steps = log(range->to / range->from) / log(range->ratio);
    return n_steps < LAG_MOST_VALUES ||
           lag_refuse(at, error, "more than %u values", LAG_MOST_VALUES);
}

static bool read_range(const struct lag_at *at, const struct lag_form *form, struct range *range,
                       GError **error)
{
    struct lag_form step_form;
    int n_given;

    range->form = find_number(form);
    if (range->form == NULL) {
        return lag_refuse(at, error, "there is %s, not a number; give a list of values",
                          form->what);
    }
    if (!lag_read_form(at, &lag_form_range, range, error) ||
        !read_number(at, "from", range->form, &range->from, error) ||
        !read_number(at, "to", range->form, &range->to, error))
        return false;
    step_form = *range->form;
    step_form.above_min = true;
    step_form.least = 1;
    if (lag_node_get(at->node, "step") != NULL &&
        !read_number(at, "step", &step_form, &range->step, error))
        return false;
    n_given = (range->steps > 0) + (range->step > 0) + (range->ratio > 0);
    if (n_given != 1)
        return lag_refuse(at, error, "give one of steps, step and factor, not %d of them", n_given);
    if (range->steps == 0 && lag_node_get(at->node, "scale") != NULL)
        return lag_refuse(at, error, "a scale belongs to steps; leave it out");
    return check_ends(at, range, error) && check_count(at, range, error);
}

/* The i-th value, of so many as `steps` says, before it is rounded. */
static double value_of_steps(const struct range *range, uint32_t i)
{
    double share = i / (double)(range->steps - 1);

    if (i + 1 == range->steps)
        return range->to;
    return range->scale == 1 ? range->from * pow(range->to / range->from, share)
                             : range->from + share * (range->to - range->from);
}

/* The same; more than `to` where there is none. */
static double value_at(const struct range *range, uint32_t i)
{
    double value;

    if (range->steps > 0)
        return value_of_steps(range, i);
    value = range->step > 0 ? range->from + i * range->step : range->from * pow(range->ratio, i);
    return i > 0 && fabs(value - range->to) <= SLACK * range->to ? range->to : value;
}

/* A whole number of bytes in the largest binary unit that takes no fraction. */
static char *size_text(uint64_t bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    size_t i = 0;

    while (bytes > 0 && bytes % 1024 == 0 && i + 1 < G_N_ELEMENTS(units)) {
        bytes /= 1024;
        i++;
    }
    return g_strdup_printf("%" PRIu64 " %s", bytes, units[i]);
}

/* A value as it is written: rounded where it is not an end; a time in seconds, a size in a binary
 * unit. */
static char *value_text(const struct range *range, double value)
{
    bool is_size = range->form->shape == LAG_QUANTITY && range->form->dimension == LAG_SIZE;
    bool is_end = value == range->from || value == range->to;
    char digits[G_ASCII_DTOSTR_BUF_SIZE];

    if (range->form->shape == LAG_INTEGER)
        value = round(value);
    else if (is_size && !is_end)
        value = CLAMP(round(value / GRAIN) * GRAIN, range->from, range->to);
    if (is_size && value == round(value))
        return size_text((uint64_t)value);
    if (range->form->shape == LAG_INTEGER)
        g_ascii_formatd(digits, sizeof(digits), "%.0f", value);
    else
        g_ascii_formatd(digits, sizeof(digits), "%" DIGITS, value);
    if (range->form->shape != LAG_QUANTITY)
        return g_strdup(digits);
    return g_strdup_printf("%s %s", digits, lag_unit_at(range->form->dimension, 0)->name);
}

/* Values rise, so that equal ones are neighbours. */
static bool append_value(const struct lag_at *at, const struct range *range, double value,
                         GArray *entries, GError **error)
{
    g_autofree char *text = value_text(range, value);
    struct lag_entry entry = {NULL, NULL};

    if (entries->len > 0) {
        const lag_node *last = g_array_index(entries, struct lag_entry, entries->len - 1).value;
        if (g_str_equal(last->text, text))
            return lag_refuse(at, error, "the value %s comes twice, rounded; give fewer values",
                              text);
    }
    entry.value = lag_node_new_scalar(text, true, at->node->place);
    g_array_append_val(entries, entry);
    return true;
}

lag_node *lag_range_expand(const struct lag_at *at, const struct lag_form *form, GError **error)
{
    g_autoptr(GArray) entries = lag_entries_new();
    struct range range = {0};
    double value;

    if (!read_range(at, form, &range, error))
        return NULL;
    for (uint32_t i = 0; (value = value_at(&range, i)) <= range.to; i++) {
        if (!append_value(at, &range, value, entries, error))
            return NULL;
        if (value == range.to)
            break;
    }
    return lag_node_new_container(LAG_SEQUENCE, entries, at->node->place);
}
