/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `algorithms:` who competes, and with which parameters. */
#include <math.h>
#include <string.h>

#include "algorithms/algorithms.h"
#include "scenarios/draft.h"
#include "scenarios/nearest.h"
#include "scenarios/schema-writer.h"

#define MOST_ENTRANTS 1000

static bool is_parameter(const char *key)
{
    for (uint32_t i = 0; lag_algorithms[i] != NULL; i++)
        if (lag_algorithm_parameter(lag_algorithms[i], key) >= 0)
            return true;
    return strcmp(key, "name") == 0;
}

static void describe_names(struct lag_schema *schema)
{
    lag_schema_open(schema, "enum", "[]");
    for (uint32_t i = 0; lag_algorithms[i] != NULL; i++)
        lag_schema_string(schema, NULL, lag_algorithms[i]->name);
    lag_schema_close(schema, "[]");
}

static void describe_number(struct lag_schema *schema, const struct laggard_parameter *parameter)
{
    bool bounded = parameter->type != LAGGARD_RANK;
    g_autofree char *min = g_strdup_printf("%.15g", bounded ? parameter->min : 0);
    g_autofree char *max = g_strdup_printf("%.15g", parameter->max);

    lag_schema_string(schema, "type", parameter->type == LAGGARD_NUMBER ? "number" : "integer");
    lag_schema_word(schema, "minimum", min);
    if (bounded && isfinite(parameter->max))
        lag_schema_word(schema, "maximum", max);
}

static void describe_value(struct lag_schema *schema, const struct laggard_parameter *parameter)
{
    if (parameter->type == LAGGARD_CHOICE)
        lag_schema_words(schema, "enum", parameter->choices);
    else if (parameter->type == LAGGARD_SHARE)
        lag_schema_string(schema, "pattern", "^[0-9.]+ *%$");
    else if (parameter->type == LAGGARD_TIME)
        lag_schema_form(schema, &lag_form_duration);
    else
        describe_number(schema, parameter);
}

/* The value, or a word. */
static void describe_or_word(struct lag_schema *schema, const struct laggard_parameter *parameter,
                             const char *word)
{
    lag_schema_open(schema, "anyOf", "[]");
    lag_schema_open(schema, NULL, "{}");
    lag_schema_string(schema, "const", word);
    lag_schema_close(schema, "{}");
    lag_schema_open(schema, NULL, "{}");
    describe_value(schema, parameter);
    lag_schema_close(schema, "{}");
    lag_schema_close(schema, "[]");
}

static void describe_parameter(struct lag_schema *schema, const struct laggard_parameter *parameter)
{
    lag_schema_open(schema, parameter->name, "{}");
    lag_schema_string(schema, "description", parameter->help);
    if (parameter->type == LAGGARD_COUNT)
        describe_or_word(schema, parameter, "auto");
    else if (isinf(parameter->max))
        describe_or_word(schema, parameter, "inf");
    else
        describe_value(schema, parameter);
    lag_schema_close(schema, "{}");
}

static void describe_algorithm(struct lag_schema *schema, const struct laggard_algorithm *algorithm)
{
    uint32_t n = lag_algorithm_n_parameters(algorithm);

    lag_schema_open(schema, NULL, "{}");
    lag_schema_string(schema, "type", "object");
    lag_schema_word(schema, "additionalProperties", "false");
    lag_schema_words(schema, "required", "name");
    lag_schema_open(schema, "properties", "{}");
    lag_schema_open(schema, "name", "{}");
    lag_schema_string(schema, "description", algorithm->summary);
    lag_schema_string(schema, "const", algorithm->name);
    lag_schema_close(schema, "{}");
    for (uint32_t i = 0; i < n; i++)
        describe_parameter(schema, &algorithm->parameters[i]);
    lag_schema_close(schema, "{}");
    lag_schema_close(schema, "{}");
}

static void describe_entrants(struct lag_schema *schema)
{
    lag_schema_open(schema, "anyOf", "[]");
    for (uint32_t i = 0; lag_algorithms[i] != NULL; i++)
        describe_algorithm(schema, lag_algorithms[i]);
    lag_schema_close(schema, "[]");
}

static const struct lag_form name_form = {
    .shape = LAG_TEXT, .what = "the name of an algorithm", .describe = describe_names};
static const struct lag_form number_form = {
    .shape = LAG_INTEGER, .what = "a whole number", .most = INT64_MAX};
static const struct lag_form *const value_alternatives[] = {&number_form, &lag_form_text, NULL};
static const struct lag_form value_form = {
    .shape = LAG_ONE_OF, .what = "a parameter's value", .alternatives = value_alternatives};
static const struct lag_form parameters_form = {.shape = LAG_FREE,
                                                .what = "an algorithm, {name: ring}",
                                                .item = &value_form,
                                                .allows = is_parameter,
                                                .describe = describe_entrants};
static const struct lag_form *const entrant_alternatives[] = {&name_form, &parameters_form, NULL};
static const struct lag_form entrant_form = {.shape = LAG_ONE_OF,
                                             .what = "an algorithm: ring, or {name: ring}",
                                             .alternatives = entrant_alternatives};
const struct lag_form lag_form_algorithms = {
    .shape = LAG_LIST_OF, .what = "a list of algorithms, [ring, stragglar]", .item = &entrant_form};

static const struct laggard_algorithm *find_algorithm(const struct lag_at *at, GError **error)
{
    const struct laggard_algorithm *algorithm;
    g_autoptr(GPtrArray) names = g_ptr_array_new();

    if (!lag_expect(at, LAG_SCALAR, name_form.what, error))
        return NULL;
    algorithm = lag_algorithm_find(at->node->text);
    if (algorithm != NULL)
        return algorithm;
    for (uint32_t i = 0; lag_algorithms[i] != NULL; i++)
        g_ptr_array_add(names, (gpointer)(uintptr_t)lag_algorithms[i]->name);
    g_autofree char *hint =
        lag_nearest_hint(at->node->text, (const char *const *)names->pdata, names->len);
    lag_refuse(at, error, "unknown algorithm '%s'%s", at->node->text, hint);
    return NULL;
}

static bool refuse_parameter(const struct lag_at *at, const struct lag_entry *entry,
                             const struct laggard_algorithm *algorithm, GError **error)
{
    uint32_t n = lag_algorithm_n_parameters(algorithm);
    g_autofree const char **names = g_new(const char *, n + 1);
    struct lag_at key = {at->parent, at->key, at->index, entry->key};

    for (uint32_t i = 0; i < n; i++)
        names[i] = algorithm->parameters[i].name;
    if (n == 0) {
        return lag_refuse(&key, error, "unknown parameter '%s'; %s has none", entry->key->text,
                          algorithm->name);
    }
    g_autofree char *hint = lag_nearest_hint(entry->key->text, names, n);
    return lag_refuse(&key, error, "%s has no parameter '%s'%s", algorithm->name, entry->key->text,
                      hint);
}

/* Ranks are those of the cluster, here still: labels show them. */
static bool read_parameter(const struct lag_at *at, uint32_t entry, const lag_scenario *scenario,
                           struct lag_entrant *entrant, GError **error)
{
    struct lag_at value = lag_at_entry(at, entry);
    int parameter = lag_algorithm_parameter(entrant->algorithm, value.key);
    uint32_t member;

    if (parameter < 0)
        return refuse_parameter(at, &at->node->entries[entry], entrant->algorithm, error);
    if (!lag_expect(&value, LAG_SCALAR, "a single value", error))
        return false;
    const struct laggard_parameter *p = &entrant->algorithm->parameters[parameter];
    if (!lag_parameter_parse(p, value.node->text, scenario->n_gpus, &entrant->values[parameter],
                             error))
        return lag_refuse_prefix(&value, error);
    return p->type != LAGGARD_RANK ||
           lag_find_member(&value, scenario, (uint64_t)entrant->values[parameter], &member, error);
}

static void append_value(GString *label, const struct laggard_parameter *parameter, double value)
{
    g_autofree char *text = lag_parameter_text(parameter, value);

    g_string_append_printf(label, " %s=%s", parameter->name, text);
}

/* The name, and the values that differ from their defaults. */
static char *make_label(const struct lag_entrant *entrant)
{
    uint32_t n = lag_algorithm_n_parameters(entrant->algorithm);
    g_autofree double *defaults = g_new0(double, n + 1);
    GString *label = g_string_new(entrant->algorithm->name);

    lag_algorithm_defaults(entrant->algorithm, defaults);
    for (uint32_t i = 0; i < n; i++)
        if (entrant->values[i] != defaults[i])
            append_value(label, &entrant->algorithm->parameters[i], entrant->values[i]);
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
    uint32_t n = scenario->ranks == NULL ? 0 : lag_algorithm_n_parameters(entrant->algorithm);

    for (uint32_t i = 0; i < n; i++) {
        bool is_rank = entrant->algorithm->parameters[i].type == LAGGARD_RANK;
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
    if (!lag_expect(at, LAG_MAPPING, entrant_form.what, error))
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

static bool read_entrant(const struct lag_at *at, struct lag_draft *draft, GError **error)
{
    lag_scenario *scenario = draft->scenario;
    const struct laggard_algorithm *algorithm;
    struct lag_entrant entrant = {0}, *kept;
    struct lag_at name;

    if (!find_name(at, &name, error))
        return false;
    algorithm = find_algorithm(&name, error);
    if (algorithm == NULL)
        return false;
    g_array_append_val(draft->entrants, entrant);
    kept = &g_array_index(draft->entrants, struct lag_entrant, draft->entrants->len - 1);
    kept->algorithm = algorithm;
    kept->values = g_new0(double, lag_algorithm_n_parameters(algorithm) + 1);
    lag_algorithm_defaults(algorithm, kept->values);
    if (!lag_algorithm_accepts(algorithm, scenario->collective, scenario->n_ranks, error))
        return lag_refuse_prefix(&name, error);
    if (!read_parameters(at, scenario, kept, error))
        return false;
    kept->label = make_label(kept);
    take_ranks(kept, scenario);
    return check_unique(at, draft, kept->label, error);
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
        if (!read_entrant(&entrant, draft, error))
            return false;
    }
    return true;
}
