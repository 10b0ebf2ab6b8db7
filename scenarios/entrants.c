/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `algorithms:` who competes, and with which parameters. */
#include <inttypes.h>
#include <string.h>

#include "algorithms/algorithms.h"
#include "algorithms/protocols.h"
#include "scenarios/draft.h"
#include "scenarios/nearest.h"

#define MOST_ENTRANTS 1000

/* Who may compete in a workload: collectives in one of them and, where they sum, for gradients;
 * protocols in the workload that they are made for. */
static bool is_collective_for(const struct laggard_algorithm *algorithm,
                              enum laggard_workload workload)
{
    return workload == LAGGARD_COMMUNICATION ||
           (workload == LAGGARD_GRADIENT &&
            algorithm->collectives & LAGGARD_BIT(LAGGARD_ALLREDUCE));
}

/* What stands in the way of a name that is known, but not here. */
static bool refuse_misplaced(const struct lag_at *at, const struct lag_entrant *entrant,
                             enum laggard_workload workload, GError **error)
{
    const char *name = lag_entrant_name(entrant);
    const char *here = laggard_workload_name(workload);

    if (entrant->protocol != NULL) {
        const char *wants = laggard_workload_name(entrant->protocol->workload);
        return lag_refuse(at, error,
                          "%s is a protocol for workload.%s, and this workload's is %s; leave it "
                          "out",
                          name, wants, here);
    }
    if (workload == LAGGARD_TRAINING)
        return lag_refuse(at, error,
                          "%s is a collective; under training, protocols compete (`laggard list "
                          "algorithms`), and workload.training.collective says what they sum by",
                          name);
    return lag_refuse(at, error, "%s doesn't do an allreduce, which sums gradients; leave it out",
                      name);
}

static bool refuse_unknown(const struct lag_at *at, enum laggard_workload workload, GError **error)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new();

    for (uint32_t i = 0; lag_algorithms[i] != NULL; i++)
        if (is_collective_for(lag_algorithms[i], workload))
            g_ptr_array_add(names, (gpointer)(uintptr_t)lag_algorithms[i]->name);
    for (uint32_t i = 0; lag_protocols[i] != NULL; i++)
        if (lag_protocols[i]->workload == workload)
            g_ptr_array_add(names, (gpointer)(uintptr_t)lag_protocols[i]->name);
    g_autofree char *hint =
        lag_nearest_hint(at->node->text, (const char *const *)names->pdata, names->len);
    return lag_refuse(at, error, "unknown algorithm '%s'%s", at->node->text, hint);
}

/* Fills the entrant's algorithm or protocol. */
static bool find_entrant(const struct lag_at *at, enum laggard_workload workload,
                         struct lag_entrant *entrant, GError **error)
{
    if (!lag_expect(at, LAG_SCALAR, "the name of an algorithm", error))
        return false;
    entrant->algorithm = lag_algorithm_find(at->node->text);
    entrant->protocol = lag_protocol_find(at->node->text);
    if (entrant->algorithm == NULL && entrant->protocol == NULL)
        return refuse_unknown(at, workload, error);
    bool fits = entrant->protocol != NULL ? entrant->protocol->workload == workload
                                          : is_collective_for(entrant->algorithm, workload);
    return fits || refuse_misplaced(at, entrant, workload, error);
}

static bool refuse_parameter(const struct lag_at *at, const struct lag_entry *entry,
                             const struct lag_entrant *entrant, GError **error)
{
    const struct laggard_parameter *parameters = lag_entrant_parameters(entrant);
    uint32_t n = lag_parameters_count(parameters);
    g_autofree const char **names = g_new(const char *, n + 1);
    struct lag_at key = {at->parent, at->key, at->index, entry->key};

    for (uint32_t i = 0; i < n; i++)
        names[i] = parameters[i].name;
    if (n == 0) {
        return lag_refuse(&key, error, "unknown parameter '%s'; %s has none", entry->key->text,
                          lag_entrant_name(entrant));
    }
    g_autofree char *hint = lag_nearest_hint(entry->key->text, names, n);
    return lag_refuse(&key, error, "%s has no parameter '%s'%s", lag_entrant_name(entrant),
                      entry->key->text, hint);
}

/* Ranks are those of the cluster, here still: labels show them. */
static bool read_parameter(const struct lag_at *at, uint32_t entry, const lag_scenario *scenario,
                           struct lag_entrant *entrant, GError **error)
{
    struct lag_at value = lag_at_entry(at, entry);
    const struct laggard_parameter *parameters = lag_entrant_parameters(entrant);
    int index = lag_parameters_find(parameters, value.key);
    uint32_t member;

    if (index < 0)
        return refuse_parameter(at, &at->node->entries[entry], entrant, error);
    if (!lag_expect(&value, LAG_SCALAR, "a single value", error))
        return false;
    const struct laggard_parameter *p = &parameters[index];
    if (!lag_parameter_parse(p, value.node->text, scenario->n_gpus, &entrant->values[index], error))
        return lag_refuse_prefix(&value, error);
    return p->type != LAGGARD_RANK ||
           lag_find_member(&value, scenario, (uint64_t)entrant->values[index], &member, error);
}

static void append_value(GString *label, const struct laggard_parameter *parameter, double value)
{
    g_autofree char *text = lag_parameter_text(parameter, value);

    g_string_append_printf(label, " %s=%s", parameter->name, text);
}

/* The name, and the values that differ from their defaults. */
static char *make_label(const struct lag_entrant *entrant)
{
    const struct laggard_parameter *parameters = lag_entrant_parameters(entrant);
    uint32_t n = lag_parameters_count(parameters);
    g_autofree double *defaults = g_new0(double, n + 1);
    GString *label = g_string_new(lag_entrant_name(entrant));

    lag_parameters_defaults(parameters, defaults);
    for (uint32_t i = 0; i < n; i++)
        if (entrant->values[i] != defaults[i])
            append_value(label, &parameters[i], entrant->values[i]);
    return g_string_free(label, FALSE);
}

static bool read_parameters(const struct lag_at *at, const lag_scenario *scenario,
                            struct lag_entrant *entrant, GError **error)
{
    for (uint32_t i = 0; at->node->kind == LAG_MAPPING && i < at->node->n_entries; i++) {
        bool is_name = strcmp(at->node->entries[i].key->text, "name") == 0;
        if (!is_name && !read_parameter(at, i, scenario, entrant, error))
            return false;
    }
    return true;
}

/* From here on ranks are the collective's own. */
static void take_ranks(struct lag_entrant *entrant, const lag_scenario *scenario)
{
    const struct laggard_parameter *parameters = lag_entrant_parameters(entrant);
    uint32_t n = scenario->ranks == NULL ? 0 : lag_parameters_count(parameters);

    for (uint32_t i = 0; i < n; i++) {
        bool is_rank = parameters[i].type == LAGGARD_RANK;
        double rank = entrant->values[i];
        if (!is_rank || rank == LAGGARD_NONE)
            continue;
        for (uint32_t own = 0; own < scenario->n_ranks; own++)
            if (scenario->ranks[own] == rank)
                entrant->values[i] = own;
    }
}

/* The value that names the algorithm: the entry itself, or its `name`. */
static bool find_name(const struct lag_at *at, struct lag_at *ret, GError **error)
{
    if (at->node->kind == LAG_SCALAR) {
        *ret = *at;
        return true;
    }
    if (!lag_expect(at, LAG_MAPPING, lag_form_entrant.what, error))
        return false;
    *ret = (struct lag_at){at, "name", 0, lag_node_get(at->node, "name")};
    return ret->node != NULL ||
           lag_refuse(at, error, "the key 'name' is missing: which algorithm it is");
}

static bool check_unique(const struct lag_at *at, const struct lag_draft *draft, const char *label,
                         GError **error)
{
    for (guint i = 0; i + 1 < draft->entrants->len; i++) { /* the last is the entrant itself */
        if (strcmp(g_array_index(draft->entrants, struct lag_entrant, i).label, label) == 0) {
            return lag_refuse(at, error, "'%s' is already algorithms[%u]; leave one of them out",
                              label, i);
        }
    }
    return true;
}

void lag_entrant_clear(struct lag_entrant *entrant)
{
    g_clear_pointer(&entrant->values, g_free);
    g_clear_pointer(&entrant->label, g_free);
}

bool lag_read_entrant(const struct lag_at *at, const lag_scenario *scenario,
                      enum laggard_workload workload, struct lag_entrant *entrant, GError **error)
{
    struct lag_at name;

    if (!find_name(at, &name, error) || !find_entrant(&name, workload, entrant, error))
        return false;
    const struct laggard_parameter *parameters = lag_entrant_parameters(entrant);
    entrant->values = g_new0(double, lag_parameters_count(parameters) + 1);
    lag_parameters_defaults(parameters, entrant->values);
    if (entrant->algorithm != NULL &&
        !lag_algorithm_accepts(entrant->algorithm, scenario->collective, scenario->n_ranks, error))
        return lag_refuse_prefix(&name, error);
    if (!read_parameters(at, scenario, entrant, error))
        return false;
    entrant->label = make_label(entrant);
    take_ranks(entrant, scenario);
    return true;
}

static bool add_entrant(const struct lag_at *at, struct lag_draft *draft, GError **error)
{
    struct lag_entrant none = {0}, *entrant;

    g_array_append_val(draft->entrants, none);
    entrant = &g_array_index(draft->entrants, struct lag_entrant, draft->entrants->len - 1);
    return lag_read_entrant(at, draft->scenario, draft->scenario->workload, entrant, error) &&
           check_unique(at, draft, entrant->label, error);
}

bool lag_read_algorithms(const struct lag_at *at, void *into, GError **error)
{
    struct lag_draft *draft = into;

    if (!lag_expect(at, LAG_SEQUENCE, lag_form_algorithms.what, error))
        return false;
    if (at->node->n_entries == 0)
        return lag_refuse(at, error, "the list is empty; expected %s", lag_form_algorithms.what);
    if (at->node->n_entries > MOST_ENTRANTS)
        return lag_refuse(at, error, "more than %d algorithms", MOST_ENTRANTS);
    for (uint32_t i = 0; i < at->node->n_entries; i++) {
        struct lag_at entrant = lag_at_entry(at, i);
        if (!add_entrant(&entrant, draft, error))
            return false;
    }
    return true;
}
