/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `stragglers:` who is late, slow or dead. */
#include <string.h>

#include "scenarios/draft.h"
#include "scenarios/ranks.h"
#include "scenarios/trace-entry.h"

#define MOST_ENTRIES 65535u /* each has a random stream of its own, numbered in 16 bits */
#define MOST_LATE    (4 * LAG_MOST_RANKS)

/* One entry in the making. */
struct late {
    struct lag_draft *draft;
    struct lag_straggler straggler; /* its ranks are owned */
    const char *effect;             /* the key that was given: delay, slowdown, fail or trace */
};

static void late_clear(struct late *late)
{
    g_free(late->straggler.ranks);
}
typedef struct late late_auto;
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(late_auto, late_clear)

/* Laws: one row each in both tables, at its kind; the offsets are those of struct lag_law. */
static const struct lag_key mean_delay[] = {
    {.name = "mean",
     .form = &lag_form_duration,
     .required = true,
     .offset = offsetof(struct lag_law, parameter[0]),
     .help = "the mean, for example 1 ms"},
    {.name = NULL},
};
static const struct lag_form exponential_delay = {
    .shape = LAG_MAPPING_OF, .what = "{mean: 1 ms}", .keys = mean_delay};
static const struct lag_key delay_laws[] = {
    [LAG_LAW_CONSTANT] = {.name = "constant",
                          .form = &lag_form_duration,
                          .offset = offsetof(struct lag_law, parameter[0]),
                          .help = "always the same"},
    [LAG_LAW_EXPONENTIAL] = {.name = "exponential",
                          .form = &exponential_delay,
                          .help = "exponential: {mean}"},
    {.name = NULL        },
};

static const struct lag_key mean_factor[] = {
    {.name = "mean",
     .form = &lag_form_factor,
     .required = true,
     .offset = offsetof(struct lag_law, parameter[0]),
     .help = "the mean, for example 1.5"},
    {.name = NULL},
};
static const struct lag_form exponential_factor = {
    .shape = LAG_MAPPING_OF, .what = "{mean: 1.5}", .keys = mean_factor};
static const struct lag_key factor_laws[] = {
    [LAG_LAW_CONSTANT] = {.name = "constant",
                          .form = &lag_form_factor,
                          .offset = offsetof(struct lag_law, parameter[0]),
                          .help = "always the same"},
    [LAG_LAW_EXPONENTIAL] = {.name = "exponential",
                          .form = &exponential_factor,
                          .help = "exponential: {mean}"},
    {.name = NULL        },
};

static const struct lag_form delay_law_form = {
    .shape = LAG_MAPPING_OF, .what = "a law, {exponential: {mean: 1 ms}}", .keys = delay_laws};
static const struct lag_form *const delay_alternatives[] = {&lag_form_duration, &delay_law_form,
                                                            NULL};
static const struct lag_form delay_form = {
    .shape = LAG_ONE_OF, .what = "a time or a law", .alternatives = delay_alternatives};
static const struct lag_form factor_law_form = {
    .shape = LAG_MAPPING_OF, .what = "a law, {exponential: {mean: 1.5}}", .keys = factor_laws};
static const struct lag_form *const factor_alternatives[] = {&lag_form_factor, &factor_law_form,
                                                             NULL};
static const struct lag_form factor_form = {
    .shape = LAG_ONE_OF, .what = "a factor or a law", .alternatives = factor_alternatives};

static const struct lag_key death_keys[] = {
    {.name = "at",
     .form = &lag_form_duration,
     .required = true,
     .offset = offsetof(struct late, straggler.law.parameter[0]),
     .help = "when it dies, counted from the start of the step"},
    {.name = NULL},
};
static const struct lag_form death_form = {
    .shape = LAG_MAPPING_OF, .what = "{at: 2 ms}", .keys = death_keys};

/* An entry has one effect. */
static bool claim(const struct lag_at *at, struct late *late, enum lag_effect effect,
                  GError **error)
{
    if (late->effect != NULL) {
        return lag_refuse(at, error, "'%s' is already given; an entry has one effect: make two",
                          late->effect);
    }
    late->effect = at->key;
    late->straggler.effect = effect;
    return true;
}

static bool read_law(const struct lag_at *at, const struct lag_form *constant,
                     const struct lag_form *laws, struct lag_law *law, GError **error)
{
    int kind;

    if (at->node->kind == LAG_SCALAR) {
        law->kind = LAG_LAW_CONSTANT;
        return lag_read_form(at, constant, &law->parameter[0], error);
    }
    if (!lag_expect(at, LAG_MAPPING, laws->what, error))
        return false;
    if (at->node->n_entries != 1) {
        return lag_refuse(at, error, "%u laws in one place; expected %s", at->node->n_entries,
                          laws->what);
    }
    kind = lag_key_find(at, laws->keys, at->node->entries[0].key->text, error);
    law->kind = (enum lag_law_kind)kind;
    return kind >= 0 && lag_read_mapping(at, laws->keys, law, error);
}

static bool read_delay(const struct lag_at *at, void *into, GError **error)
{
    struct late *late = into;

    return claim(at, late, LAG_DELAY, error) &&
           read_law(at, &lag_form_duration, &delay_law_form, &late->straggler.law, error);
}

static bool read_slowdown(const struct lag_at *at, void *into, GError **error)
{
    struct late *late = into;

    if (!claim(at, late, LAG_SLOWDOWN, error) ||
        !read_law(at, &lag_form_factor, &factor_law_form, &late->straggler.law, error)) {
        return false;
    }
    return late->draft->scenario->lateness.compute > 0 ||
           lag_refuse(at, error,
                      "workload.compute is 0, so that a slowdown has no effect; give it, for "
                      "example 100 ms, or use delay");
}

static bool read_death(const struct lag_at *at, void *into, GError **error)
{
    return claim(at, into, LAG_DEATH, error) && lag_read_form(at, &death_form, into, error);
}

static bool read_ranks(const struct lag_at *at, void *into, GError **error)
{
    struct late *late = into;

    return lag_ranks_read(at, late->draft->scenario->n_ranks, &late->straggler.ranks,
                          &late->straggler.n_ranks, error);
}

static bool read_trace(const struct lag_at *at, void *into, GError **error)
{
    struct late *late = into;

    return claim(at, late, LAG_DELAY, error) && lag_read_trace(at, late->draft, error);
}

static const struct lag_key straggler_keys[] = {
    {.name = "ranks",
     .form = &lag_form_ranks,
     .read = read_ranks,
     .help = "who: a list of ranks, 0-3, all, or last"},
    {.name = "delay",             .form = &delay_form, .read = read_delay, .help = "adds to the arrival"},
    {.name = "slowdown",
     .form = &factor_form,
     .read = read_slowdown,
     .help = "multiplies workload.compute"},
    {.name = "fail",.form = &death_form, .read = read_death, .help = "never answers again"},
    {.name = "trace", .form = &lag_form_trace, .read = read_trace, .help = "measured arrivals"},
    {.name = NULL            },
};
static const struct lag_form straggler_form = {
    .shape = LAG_MAPPING_OF, .what = "an entry, {ranks: [7], delay: 5 ms}", .keys = straggler_keys};
const struct lag_form lag_form_stragglers = {
    .shape = LAG_LIST_OF, .what = "a list of entries", .item = &straggler_form};

static bool read_straggler(const struct lag_at *at, struct lag_draft *draft, GError **error)
{
    g_auto(late_auto) late = {.draft = draft};
    bool is_trace;

    if (!lag_read_form(at, &straggler_form, &late, error))
        return false;
    if (late.effect == NULL)
        return lag_refuse(at, error, "says nothing; give one of delay, slowdown, fail or trace");
    is_trace = strcmp(late.effect, "trace") == 0;
    if (is_trace && late.straggler.ranks != NULL)
        return lag_refuse(at, error, "a trace brings its own ranks; leave 'ranks' out");
    if (is_trace)
        return true;
    if (late.straggler.ranks == NULL)
        return lag_refuse(at, error, "the key 'ranks' is missing: %s", straggler_keys[0].help);
    draft->n_late += late.straggler.n_ranks;
    if (draft->n_late > MOST_LATE)
        return lag_refuse(at, error, "the entries name more than %u ranks in all", MOST_LATE);
    g_array_append_val(draft->stragglers, late.straggler);
    late.straggler.ranks = NULL;
    return true;
}

bool lag_read_stragglers(const struct lag_at *at, void *into, GError **error)
{
    if (!lag_expect(at, LAG_SEQUENCE, lag_form_stragglers.what, error))
        return false;
    if (at->node->n_entries > MOST_ENTRIES)
        return lag_refuse(at, error, "more than %u entries", MOST_ENTRIES);
    for (uint32_t i = 0; i < at->node->n_entries; i++) {
        struct lag_at entry = lag_at_entry(at, i);
        if (!read_straggler(&entry, into, error))
            return false;
    }
    return true;
}
