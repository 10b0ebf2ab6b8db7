/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kinds of topology and their parameters, which become keys of the mapping that names the kind. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "scenarios/nearest.h"
#include "scenarios/network-form.h"
#include "scenarios/schema-writer.h"

#define MOST_NUMBERS 64 /* of a list */

static void describe_kinds(struct lag_schema *schema)
{
    lag_schema_open(schema, "enum", "[]");
    for (uint32_t i = 0; lag_topologies[i] != NULL; i++)
        lag_schema_string(schema, NULL, lag_topologies[i]->name);
    lag_schema_close(schema, "[]");
}

const struct lag_form lag_form_topology = {
    .shape = LAG_TEXT, .what = "a topology", .describe = describe_kinds};
const struct lag_form lag_form_duplex = {
    .shape = LAG_CHOICE, .what = "a kind of duplex", .choices = "full|half"};

static const struct lag_form integer_form = {
    .shape = LAG_INTEGER, .what = "a whole number", .most = UINT32_MAX};
static const struct lag_form number_form = {.shape = LAG_NUMBER, .what = "a number"};
static const struct lag_form integers_form = {
    .shape = LAG_LIST_OF, .what = "a list of whole numbers, [2, 8]", .item = &integer_form};
static const struct lag_form numbers_form = {
    .shape = LAG_LIST_OF, .what = "a list of numbers, [1, 4]", .item = &number_form};
static const struct lag_form *const numbers_alternatives[] = {&number_form, &numbers_form, NULL};
static const struct lag_form number_or_list_form = {.shape = LAG_ONE_OF,
                                                    .what = "a number, or one for each level",
                                                    .alternatives = numbers_alternatives};
static const struct lag_form *const value_alternatives[] = {&number_form, &numbers_form, NULL};
static const struct lag_form value_form = {
    .shape = LAG_ONE_OF, .what = "a parameter's value", .alternatives = value_alternatives};

static bool is_parameter(const char *key)
{
    for (uint32_t i = 0; lag_topologies[i] != NULL; i++)
        if (lag_topology_kind_parameter(lag_topologies[i], key) >= 0)
            return true;
    return false;
}

static const struct lag_form block_form = {.shape = LAG_FREE,
                                           .what = "keys of that topology",
                                           .item = &value_form,
                                           .allows = is_parameter};

static const struct lag_form *form_of(enum lag_topology_type type)
{
    static const struct lag_form *const forms[] = {
        [LAG_TOPOLOGY_INTEGER] = &integer_form,
        [LAG_TOPOLOGY_INTEGERS] = &integers_form,
        [LAG_TOPOLOGY_NUMBERS] = &number_or_list_form,
    };

    return forms[type];
}

/* True for the first kind that has a parameter of this name. */
static bool is_first(uint32_t kind, const char *name)
{
    for (uint32_t i = 0; i < kind; i++)
        if (lag_topology_kind_parameter(lag_topologies[i], name) >= 0)
            return false;
    return true;
}

/* "fat-tree, rail": who has a parameter. */
static char *owners_of(const char *name)
{
    GString *owners = g_string_new(NULL);

    for (uint32_t i = 0; lag_topologies[i] != NULL; i++)
        if (lag_topology_kind_parameter(lag_topologies[i], name) >= 0)
            g_string_append_printf(owners, "%s%s", owners->len > 0 ? ", " : "",
                                   lag_topologies[i]->name);
    return g_string_free(owners, FALSE);
}

static struct lag_key parameter_key(const struct lag_topology_parameter *parameter)
{
    g_autofree char *owners = owners_of(parameter->name);
    g_autofree char *help = g_strdup_printf("of %s: %s", owners, parameter->help);

    return (struct lag_key){
        .name = parameter->name,
        .form = form_of(parameter->type),
        .help = g_intern_string(help),
    };
}

bool lag_kind_keys(uint32_t index, struct lag_key *ret)
{
    for (uint32_t i = 0; lag_topologies[i] != NULL; i++) {
        const struct lag_topology_kind *kind = lag_topologies[i];
        for (uint32_t p = 0; p < lag_topology_kind_n_parameters(kind); p++) {
            if (!is_first(i, kind->parameters[p].name) || index-- > 0)
                continue;
            *ret = parameter_key(&kind->parameters[p]);
            return true;
        }
    }
    for (uint32_t i = 0; lag_topologies[i] != NULL; i++) {
        if (lag_topology_kind_n_parameters(lag_topologies[i]) == 0 || index-- > 0)
            continue;
        *ret = (struct lag_key){
            .name = lag_topologies[i]->name,
            .form = &block_form,
            .help = "its keys for points of a sweep in which it is the topology",
        };
        return true;
    }
    return false;
}

static const struct lag_topology_kind *find_kind(const struct lag_at *at, GError **error)
{
    const struct lag_topology_kind *kind = lag_topology_kind_find(at->node->text);
    g_autoptr(GPtrArray) names = g_ptr_array_new();

    if (kind != NULL)
        return kind;
    for (uint32_t i = 0; lag_topologies[i] != NULL; i++)
        g_ptr_array_add(names, (gpointer)(uintptr_t)lag_topologies[i]->name);
    g_autofree char *hint =
        lag_nearest_hint(at->node->text, (const char *const *)names->pdata, names->len);
    lag_refuse(at, error, "unknown value '%s'%s", at->node->text, hint);
    return NULL;
}

static bool read_number(const struct lag_at *at, const struct lag_topology_parameter *parameter,
                        double *ret, GError **error)
{
    bool whole = parameter->type != LAG_TOPOLOGY_NUMBERS;
    uint64_t integer;

    if (whole && !lag_read_form(at, &integer_form, &integer, error))
        return false;
    if (!whole && !lag_read_form(at, &number_form, ret, error))
        return false;
    if (whole)
        *ret = (double)integer;
    if (*ret >= parameter->min && *ret <= parameter->max)
        return true;
    return lag_refuse(at, error, "'%s' is too %s; expected %s from %.15g to %.15g", at->node->text,
                      *ret < parameter->min ? "small" : "large",
                      whole ? "a whole number" : "a number", parameter->min, parameter->max);
}

static bool read_value(const struct lag_at *at, const struct lag_topology_parameter *parameter,
                       GPtrArray *keep, struct lag_topology_value *ret, GError **error)
{
    bool is_list = at->node->kind == LAG_SEQUENCE;
    uint32_t n = is_list ? at->node->n_entries : 1;
    double *numbers;

    if (is_list && parameter->type == LAG_TOPOLOGY_INTEGER)
        return lag_expect(at, LAG_SCALAR, integer_form.what, error);
    if (!is_list && parameter->type == LAG_TOPOLOGY_INTEGERS)
        return lag_expect(at, LAG_SEQUENCE, integers_form.what, error);
    if (n == 0 || n > MOST_NUMBERS)
        return lag_refuse(at, error, "has %u entries; expected 1 to %d", n, MOST_NUMBERS);
    numbers = g_new0(double, n);
    g_ptr_array_add(keep, numbers);
    for (uint32_t i = 0; i < n; i++) {
        struct lag_at entry = is_list ? lag_at_entry(at, i) : *at;
        if (!read_number(&entry, parameter, &numbers[i], error))
            return false;
    }
    *ret = (struct lag_topology_value){n, numbers};
    return true;
}

/* A parameter of a kind that isn't the one. */
static bool refuse_foreign(const struct lag_at *at, const lag_node *key,
                           const struct lag_topology_kind *kind, GError **error)
{
    struct lag_at place = {at->parent, at->key, at->index, key};
    g_autofree char *owners = owners_of(key->text);

    if (kind == NULL)
        return lag_refuse(&place, error, "'%s' is a key of %s, and no topology is given", key->text,
                          owners);
    return lag_refuse(
        &place, error,
        "'%s' is a key of %s, and the topology is %s; in a sweep of topologies put it "
        "into a block, %s: {%s: ...}",
        key->text, owners, kind->name, g_strstr_len(owners, -1, ",") != NULL ? "KIND" : owners,
        key->text);
}

/* The parameters of a kind in a mapping: all of its keys that are some kind's. */
static bool read_values(const struct lag_at *at, const struct lag_topology_kind *kind,
                        GPtrArray *keep, struct lag_topology_value *values, GError **error)
{
    for (uint32_t i = 0; i < at->node->n_entries; i++) {
        struct lag_at value = lag_at_entry(at, i);
        int p = kind == NULL ? -1 : lag_topology_kind_parameter(kind, value.key);
        if (p < 0 && is_parameter(value.key))
            return refuse_foreign(at, at->node->entries[i].key, kind, error);
        if (p < 0)
            continue;
        if (values[p].n > 0)
            return lag_refuse(&value, error, "'%s' is given twice, outside of the block %s too",
                              value.key, kind->name);
        if (!read_value(&value, &kind->parameters[p], keep, &values[p], error))
            return false;
    }
    return true;
}

/* The block of a kind; other kinds' blocks wait for their point of a sweep. */
static bool read_block(const struct lag_at *at, const struct lag_topology_kind *block,
                       const struct lag_topology_kind *kind, GPtrArray *keep,
                       struct lag_topology_value *values, GError **error)
{
    uint32_t n = lag_topology_kind_n_parameters(block);
    g_autofree const char **names = g_new0(const char *, n + 1);

    if (!lag_expect(at, LAG_MAPPING, block_form.what, error))
        return false;
    for (uint32_t i = 0; i < n; i++)
        names[i] = block->parameters[i].name;
    for (uint32_t i = 0; i < at->node->n_entries; i++) {
        const lag_node *key = at->node->entries[i].key;
        struct lag_at place = {at->parent, at->key, at->index, key};
        if (lag_topology_kind_parameter(block, key->text) >= 0)
            continue;
        g_autofree char *hint = lag_nearest_hint(key->text, names, n);
        return lag_refuse(&place, error, "%s has no key '%s'%s", block->name, key->text, hint);
    }
    return block != kind || read_values(at, kind, keep, values, error);
}

static bool read_blocks(const struct lag_at *at, const struct lag_topology_kind *kind,
                        GPtrArray *keep, struct lag_topology_value *values, GError **error)
{
    for (uint32_t i = 0; lag_topologies[i] != NULL; i++) {
        const struct lag_topology_kind *block = lag_topologies[i];
        struct lag_at in = {at, block->name, 0, lag_node_get(at->node, block->name)};
        if (in.node != NULL && !read_block(&in, block, kind, keep, values, error))
            return false;
    }
    return true;
}

static bool check_required(const struct lag_at *at, const struct lag_topology_kind *kind,
                           const struct lag_topology_value *values, GError **error)
{
    for (uint32_t i = 0; i < lag_topology_kind_n_parameters(kind); i++) {
        const struct lag_topology_parameter *parameter = &kind->parameters[i];
        if (parameter->required && values[i].n == 0)
            return lag_refuse(at, error, "the key '%s' is missing: %s", parameter->name,
                              parameter->help);
    }
    return true;
}

bool lag_read_part(const struct lag_at *at, const struct lag_part_draft *draft, GPtrArray *keep,
                   struct lag_part *ret, GError **error)
{
    struct lag_at topology = {at, "topology", 0, lag_node_get(at->node, "topology")};
    const struct lag_topology_kind *kind = NULL;
    struct lag_topology_value *values = NULL;

    if (draft->topology != NULL) {
        kind = find_kind(&topology, error);
        if (kind == NULL)
            return false;
        values = g_new0(struct lag_topology_value, lag_topology_kind_n_parameters(kind) + 1);
        g_ptr_array_add(keep, values);
    }
    *ret = (struct lag_part){
        .at = *at,
        .part =
            {
                   .kind = kind,
                   .values = values,
                   .rate = MAX(draft->bandwidth, 0),
                   .latency = MAX(draft->latency, 0),
                   .half_duplex = draft->duplex == 1,
                   },
    };
    if (!read_blocks(at, kind, keep, values, error) || !read_values(at, kind, keep, values, error))
        return false;
    return kind == NULL ||
           (check_required(at, kind, values, error) && lag_read_graph(at, draft, keep, ret, error));
}

/* Where a parameter stands: in the mapping, in its block, or nowhere. */
static struct lag_at place_of(const struct lag_at *at, const struct lag_topology_kind *kind,
                              const char *name, struct lag_at *block)
{
    struct lag_at place = {at, name, 0, lag_node_get(at->node, name)};

    if (place.node != NULL)
        return place;
    *block = (struct lag_at){at, kind->name, 0, lag_node_get(at->node, kind->name)};
    place = (struct lag_at){block, name, 0, lag_node_get(block->node, name)};
    return place.node != NULL ? place : *at;
}

bool lag_refuse_part(const struct lag_part *part, const struct lag_topology_fault *fault,
                     const GError *cause, GError **error)
{
    struct lag_at place = part->at, block;
    struct lag_at links = {&part->at, "links", 0, lag_node_get(part->at.node, "links")};

    if (fault->what == LAG_FAULT_PARAMETER)
        place = place_of(&part->at, part->part.kind, part->part.kind->parameters[fault->index].name,
                         &block);
    else if (fault->what == LAG_FAULT_LINK)
        place = lag_at_entry(&links, part->entries[fault->index]);
    return lag_refuse(&place, error, "%s", cause->message);
}
