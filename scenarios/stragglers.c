/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `stragglers:` who is late, slow or dead. */
#include <string.h>

#include "scenarios/draft.h"
#include "scenarios/law-entry.h"
#include "scenarios/ranks.h"
#include "scenarios/trace-entry.h"

#define MOST_ENTRIES 65535u /* each has a random stream of its own, numbered in 16 bits */
#define MOST_LATE    (4 * LAG_MOST_RANKS)
#define MOST_VALUES  (1u << 25) /* of samples */

/* One entry in the making. */
struct late {
    struct lag_draft *draft;
    struct lag_straggler straggler; /* its ranks and law are owned */
    const char *effect;             /* the key that was given, for example delay */
    const lag_node *correlated;     /* or NULL */
    uint64_t *n_values;             /* of the samples of all entries */
};

static void late_clear(struct late *late)
{
    lag_straggler_clear(&late->straggler);
}
typedef struct late late_auto;
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(late_auto, late_clear)

/* When a rank dies; what is not given is below 0. */
struct death {
    double at, mean, rate, per;
};

static const struct lag_form rate_form = {
    .shape = LAG_NUMBER, .what = "a number of failures", .above_min = true};
static const struct lag_key hazard_keys[] = {
    {.name = "mean",
     .form = &lag_form_period,
     .offset = offsetof(struct death, mean),
     .help = "the mean time to a rank's death"},
    {.name = "rate",
     .form = &rate_form,
     .offset = offsetof(struct death, rate),
     .help = "how many deaths of one rank are expected in `per`, instead of mean"},
    {.name = "per",
     .form = &lag_form_period,
     .offset = offsetof(struct death, per),
     .help = "the time that rate counts in, for example 1000 h"},
    {.name = NULL                           },
};
static const struct lag_form hazard_form = {.shape = LAG_MAPPING_OF,
                                            .what = "{mean: 1000 h}, or {rate: 2, per: 1000 h}",
                                            .keys = hazard_keys};
static const struct lag_key death_keys[] = {
    {.name = "at",
     .form = &lag_form_duration,
     .offset = offsetof(struct death, at),
     .help = "when it dies, counted from the start of the job"},
    {.name = "hazard",
     .form = &hazard_form,
     .help = "instead of at: it dies at a random time, exponential, drawn once a job"},
    {.name = NULL},
};
static const struct lag_form correlated_form = {
    .shape = LAG_CHOICE, .what = "what shares a draw", .choices = "node"};
static const struct lag_form death_form = {
    .shape = LAG_MAPPING_OF, .what = "{at: 2 ms}, or {hazard: {mean: 1000 h}}", .keys = death_keys};

static bool read_throttle_factor(const struct lag_at *at, void *into, GError **error);
static const struct lag_key throttle_keys[] = {
    {.name = "at",
     .form = &lag_form_duration,
     .required = true,
     .offset = offsetof(struct late, straggler.at),
     .help = "when, counted from the start of the job"},
    {.name = "factor",
     .form = &lag_form_slowdown,
     .required = true,
     .read = read_throttle_factor,
     .help = "multiplies the compute time from then on; a law is drawn once a job"},
    {.name = NULL  },
};
static const struct lag_form throttle_form = {
    .shape = LAG_MAPPING_OF, .what = "{at: 60 s, factor: 1.3}", .keys = throttle_keys};

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

static bool read_law(const struct lag_at *at, const struct lag_form *form, struct late *late,
                     GError **error)
{
    if (!lag_law_read(at, form, late->draft->sources, &late->straggler.law, error))
        return false;
    *late->n_values += lag_law_n_values(&late->straggler.law);
    return *late->n_values <= MOST_VALUES ||
           lag_refuse(at, error, "more than %u numbers in the files of all laws", MOST_VALUES);
}

static bool read_delay(const struct lag_at *at, void *into, GError **error)
{
    struct late *late = into;

    return claim(at, late, LAG_DELAY, error) && read_law(at, &lag_form_delay, late, error);
}

static bool expect_compute(const struct lag_at *at, const struct late *late, GError **error)
{
    const struct lag_lateness *lateness = &late->draft->scenario->lateness;

    return lateness->compute > 0 || lateness->own_compute != NULL ||
           lag_refuse(at, error,
                      "workload.compute is 0, so that a %s has no effect; give it, for "
                      "example 100 ms, or use delay",
                      late->effect);
}

static bool read_slowdown(const struct lag_at *at, void *into, GError **error)
{
    struct late *late = into;

    return claim(at, late, LAG_SLOWDOWN, error) && read_law(at, &lag_form_slowdown, late, error) &&
           expect_compute(at, late, error);
}

static bool read_throttle_factor(const struct lag_at *at, void *into, GError **error)
{
    struct late *late = into;

    if (!read_law(at, &lag_form_slowdown, late, error))
        return false;
    if (late->straggler.law.type->time == LAG_MARKOV)
        return lag_refuse(at, error,
                          "a throttle sets in once; a Markov law comes and goes: use "
                          "slowdown");
    late->straggler.once = true;
    return true;
}

/* The mapping's keys go into the entry itself. */
static bool read_throttle(const struct lag_at *at, void *into, GError **error)
{
    struct late *late = into;

    return claim(at, late, LAG_THROTTLE, error) && lag_read_form(at, &throttle_form, late, error) &&
           expect_compute(at, late, error);
}

static bool read_link_slowdown(const struct lag_at *at, void *into, GError **error)
{
    struct late *late = into;

    return claim(at, late, LAG_LINK_SLOWDOWN, error) &&
           read_law(at, &lag_form_slowdown, late, error);
}

/* The law of the time of death. */
static bool make_death(const struct lag_at *at, const struct death *death, struct lag_law *law,
                       GError **error)
{
    struct lag_at hazard = {at, "hazard", 0, lag_node_get(at->node, "hazard")};

    if ((death->at >= 0) == (hazard.node != NULL))
        return lag_refuse(at, error, "give either 'at' or 'hazard'; expected %s", death_form.what);
    if (death->at >= 0) {
        *law = (struct lag_law){.type = lag_law_type_find("constant"), .p = {death->at}};
        return true;
    }
    if ((death->mean > 0) == (death->rate > 0) || (death->rate > 0) != (death->per > 0)) {
        return lag_refuse(&hazard, error, "give either 'mean', or 'rate' and 'per'; expected %s",
                          hazard_form.what);
    }
    *law = (struct lag_law){
        .type = lag_law_type_find("exponential"),
        .p = {death->mean > 0 ? death->mean : death->per / death->rate},
    };
    const char *objection = lag_law_objection(law);
    return objection == NULL || lag_refuse(&hazard, error, "impossible: %s", objection);
}

static bool read_death(const struct lag_at *at, void *into, GError **error)
{
    struct death death = {-1, -1, -1, -1};
    struct late *late = into;

    return claim(at, late, LAG_DEATH, error) && lag_read_form(at, &death_form, &death, error) &&
           make_death(at, &death, &late->straggler.law, error);
}

static bool read_correlated(const struct lag_at *at, void *into, GError **error)
{
    struct late *late = into;
    int choice;

    if (!lag_read_form(at, &correlated_form, &choice, error))
        return false;
    if (late->draft->scenario->n_nodes == 0) {
        return lag_refuse(at, error,
                          "which ranks share a node is not said; give cluster.gpus_per_node");
    }
    late->correlated = at->node;
    late->straggler.per_node = true;
    late->draft->scenario->lateness.gpus_per_node = late->draft->scenario->gpus_per_node;
    late->draft->scenario->lateness.node_of = late->draft->scenario->node_of;
    return true;
}

static bool read_ranks(const struct lag_at *at, void *into, GError **error)
{
    struct late *late = into;

    return lag_read_ranks(at, late->draft, &late->straggler.ranks, &late->straggler.n_ranks, error);
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
    {.name = "delay",             .form = &lag_form_delay, .read = read_delay, .help = "adds to the arrival"},
    {.name = "slowdown",
     .form = &lag_form_slowdown,
     .read = read_slowdown,
     .help = "multiplies workload.compute"},
    {.name = "link_slowdown",
     .form = &lag_form_slowdown,
     .read = read_link_slowdown,
     .help = "divides the bandwidth of its links, both directions, for the step"},
    {.name = "throttle",
     .form = &throttle_form,
     .read = read_throttle,
     .help = "computes slower from a time of the job on"},
    {.name = "fail",             .form = &death_form, .read = read_death, .help = "never answers again"},
    {.name = "correlated",
     .form = &correlated_form,
     .read = read_correlated,
     .help = "node: the ranks of a node share one draw"},
    {.name = "trace",                              .form = &lag_form_trace, .read = read_trace, .help = "measured arrivals"},
    {.name = NULL    },
};
static const struct lag_form straggler_form = {
    .shape = LAG_MAPPING_OF, .what = "an entry, {ranks: [7], delay: 5 ms}", .keys = straggler_keys};
const struct lag_form lag_form_stragglers = {
    .shape = LAG_LIST_OF, .what = "a list of entries", .item = &straggler_form};

static bool read_straggler(const struct lag_at *at, struct lag_draft *draft, uint64_t *n_values,
                           GError **error)
{
    g_auto(late_auto) late = {.draft = draft, .n_values = n_values};
    bool is_trace;

    if (!lag_read_form(at, &straggler_form, &late, error))
        return false;
    if (late.effect == NULL)
        return lag_refuse(
            at, error,
            "says nothing; give one of delay, slowdown, link_slowdown, throttle, fail or trace");
    is_trace = strcmp(late.effect, "trace") == 0;
    if (is_trace && late.straggler.ranks != NULL)
        return lag_refuse(at, error, "a trace brings its own ranks; leave 'ranks' out");
    if (is_trace && late.correlated != NULL)
        return lag_refuse(at, error, "a trace draws nothing; leave 'correlated' out");
    if (is_trace)
        return true;
    if (late.straggler.ranks == NULL)
        return lag_refuse(at, error, "the key 'ranks' is missing: %s", straggler_keys[0].help);
    draft->n_late += late.straggler.n_ranks;
    if (draft->n_late > MOST_LATE)
        return lag_refuse(at, error, "the entries name more than %u ranks in all", MOST_LATE);
    g_array_append_val(draft->stragglers, late.straggler);
    memset(&late.straggler, 0, sizeof late.straggler); /* it is the list's now */
    return true;
}

bool lag_read_stragglers(const struct lag_at *at, void *into, GError **error)
{
    uint64_t n_values = 0;

    if (!lag_expect(at, LAG_SEQUENCE, lag_form_stragglers.what, error))
        return false;
    if (at->node->n_entries > MOST_ENTRIES)
        return lag_refuse(at, error, "more than %u entries", MOST_ENTRIES);
    for (uint32_t i = 0; i < at->node->n_entries; i++) {
        struct lag_at entry = lag_at_entry(at, i);
        if (!read_straggler(&entry, into, &n_values, error))
            return false;
    }
    return true;
}
