/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/yaml.h"

#include "scenarios/yaml-event.h"

struct builder {
    struct lag_yaml_reader reader;
    GHashTable *anchors; /* name -> node, both owned */
    uint32_t n_nodes;    /* so far, aliases expanded */
};

static lag_node *build_node(struct builder *builder, lag_yaml_event *event, uint32_t depth,
                            GError **error);

/* Counts nodes that a value at `place` adds to the tree, and how deep it reaches. */
static bool spend(struct builder *builder, struct lag_place place, uint32_t n_nodes, uint32_t depth,
                  GError **error)
{
    builder->n_nodes += MIN(n_nodes, LAG_MOST_NODES);
    if (builder->n_nodes > LAG_MOST_NODES) {
        lag_refuse_at(place, error, "more than %u values (aliases count each time)",
                      LAG_MOST_NODES);
        return false;
    }
    if (depth > LAG_MOST_NESTING) {
        lag_refuse_at(place, error, "nested deeper than %u levels", LAG_MOST_NESTING);
        return false;
    }
    return true;
}

static void append(GArray *entries, lag_node *key, lag_node *value)
{
    struct lag_entry entry = {key, value};

    g_array_append_val(entries, entry);
}

static lag_node *build_sequence(struct builder *builder, struct lag_place place, uint32_t depth,
                                GError **error)
{
    g_autoptr(GArray) entries = lag_entries_new();

    for (;;) {
        g_auto(lag_yaml_event) event = {0};
        if (!lag_yaml_next(&builder->reader, &event, error))
            return NULL;
        if (event.type == LAG_YAML_SEQUENCE_END)
            return lag_node_new_container(LAG_SEQUENCE, entries, place);
        event.place = event.place.source == NULL ? place : event.place;
        lag_node *value = build_node(builder, &event, depth + 1, error);
        if (value == NULL)
            return NULL;
        append(entries, NULL, value);
    }
}

/* A mapping in the making. */
struct mapping {
    GArray *entries;   /* borrowed */
    GHashTable *keys;  /* text -> node, borrowed from the entries */
    GPtrArray *merged; /* nodes after <<, owned */
};

/* Adds the entries of one merged mapping that are not there yet. */
static bool merge_one(struct builder *builder, struct mapping *mapping, const lag_node *from,
                      struct lag_place place, GError **error)
{
    if (from->kind != LAG_MAPPING) {
        lag_refuse_at(place, error, "<< merges a mapping or a list of mappings, nothing else");
        return false;
    }
    if (!spend(builder, place, from->n_nodes, 0, error))
        return false;
    for (uint32_t i = 0; i < from->n_entries; i++) {
        const struct lag_entry *entry = &from->entries[i];
        if (!g_hash_table_contains(mapping->keys, entry->key->text)) {
            append(mapping->entries, lag_node_ref(entry->key), lag_node_ref(entry->value));
            g_hash_table_insert(mapping->keys, entry->key->text, entry->key);
        }
    }
    return true;
}

/* The mapping's own keys win over merged ones, and earlier merged ones over later ones. */
static bool merge(struct builder *builder, struct mapping *mapping, GError **error)
{
    for (guint i = 0; i < mapping->merged->len; i++) {
        const lag_node *from = g_ptr_array_index(mapping->merged, i);
        if (from->kind != LAG_SEQUENCE) {
            if (!merge_one(builder, mapping, from, from->place, error))
                return false;
            continue;
        }
        for (uint32_t j = 0; j < from->n_entries; j++) {
            const lag_node *item = from->entries[j].value;
            if (!merge_one(builder, mapping, item, item->place, error))
                return false;
        }
    }
    return true;
}

static bool check_key(struct mapping *mapping, const lag_yaml_event *key, GError **error)
{
    const lag_node *before;

    if (key->type != LAG_YAML_SCALAR) {
        lag_refuse_at(key->place, error, "a key must be a word");
        return false;
    }
    before = g_hash_table_lookup(mapping->keys, key->text);
    if (before != NULL) {
        g_autofree char *where = lag_place_text(before->place);
        lag_refuse_at(key->place, error, "duplicate key '%s'; it is already given at %s", key->text,
                      where);
        return false;
    }
    return true;
}

/* Reads the value of a key, and puts both in the mapping. */
static bool build_entry(struct builder *builder, struct mapping *mapping, lag_yaml_event *key,
                        uint32_t depth, GError **error)
{
    bool is_merge = key->plain && g_strcmp0(key->text, "<<") == 0;
    g_auto(lag_yaml_event) event = {0};

    if (!check_key(mapping, key, error))
        return false;
    g_autoptr(lag_node) name = build_node(builder, key, depth + 1, error);
    if (name == NULL || !lag_yaml_next(&builder->reader, &event, error))
        return false;
    event.place = event.place.source == NULL ? name->place : event.place;
    g_autoptr(lag_node) value = build_node(builder, &event, depth + 1, error);
    if (value == NULL)
        return false;
    if (is_merge) {
        g_ptr_array_add(mapping->merged, g_steal_pointer(&value));
        return true;
    }
    g_hash_table_insert(mapping->keys, name->text, name);
    append(mapping->entries, g_steal_pointer(&name), g_steal_pointer(&value));
    return true;
}

static lag_node *build_mapping(struct builder *builder, struct lag_place place, uint32_t depth,
                               GError **error)
{
    g_autoptr(GArray) entries = lag_entries_new();
    g_autoptr(GHashTable) keys = g_hash_table_new(g_str_hash, g_str_equal);
    g_autoptr(GPtrArray) merged = g_ptr_array_new_with_free_func((GDestroyNotify)lag_node_unref);
    struct mapping mapping = {entries, keys, merged};

    for (;;) {
        g_auto(lag_yaml_event) key = {0};
        if (!lag_yaml_next(&builder->reader, &key, error))
            return NULL;
        if (key.type == LAG_YAML_MAPPING_END) {
            return merge(builder, &mapping, error)
                       ? lag_node_new_container(LAG_MAPPING, entries, place)
                       : NULL;
        }
        key.place = key.place.source == NULL ? place : key.place;
        if (!build_entry(builder, &mapping, &key, depth, error))
            return NULL;
    }
}

static lag_node *build_alias(struct builder *builder, const lag_yaml_event *event, uint32_t depth,
                             GError **error)
{
    const lag_node *node = g_hash_table_lookup(builder->anchors, event->text);

    if (node == NULL) {
        lag_refuse_at(event->place, error, "alias *%s: nothing before it has the anchor &%s",
                      event->text, event->text);
        return NULL;
    }
    if (!spend(builder, event->place, node->n_nodes, depth + node->height, error))
        return NULL;
    return lag_node_ref(node);
}

static lag_node *build_plain_node(struct builder *builder, const lag_yaml_event *event,
                                  uint32_t depth, GError **error)
{
    if (event->tagged) {
        lag_refuse_at(event->place, error, "tags (!) mean nothing here; leave them out");
        return NULL;
    }
    if (event->has_control) {
        lag_refuse_at(event->place, error, "a text may not contain control characters");
        return NULL;
    }
    if (!spend(builder, event->place, 1, depth, error))
        return NULL;
    if (event->type == LAG_YAML_SCALAR)
        return lag_node_new_scalar(event->text, event->plain, event->place);
    return event->type == LAG_YAML_SEQUENCE_START
               ? build_sequence(builder, event->place, depth, error)
               : build_mapping(builder, event->place, depth, error);
}

static lag_node *build_node(struct builder *builder, lag_yaml_event *event, uint32_t depth,
                            GError **error)
{
    lag_node *node;

    if (event->type == LAG_YAML_ALIAS)
        return build_alias(builder, event, depth, error);
    node = build_plain_node(builder, event, depth, error);
    if (node != NULL && event->anchor != NULL)
        g_hash_table_insert(builder->anchors, g_steal_pointer(&event->anchor), lag_node_ref(node));
    return node;
}

/* After the document: nothing but its end and the end of the stream. */
static bool check_end(struct builder *builder, GError **error)
{
    for (;;) {
        g_auto(lag_yaml_event) event = {0};
        if (!lag_yaml_next(&builder->reader, &event, error))
            return false;
        if (event.type == LAG_YAML_STREAM_END)
            return true;
        if (event.type != LAG_YAML_DOCUMENT_END) {
            struct lag_place place = event.place;
            lag_refuse_at(place.source != NULL ? place : lag_yaml_place(&builder->reader, 1, 1),
                          error, "a second document begins here; one file holds one scenario");
            return false;
        }
    }
}

static lag_node *refuse_empty(const struct lag_yaml_reader *reader, GError **error)
{
    lag_refuse_at(lag_yaml_place(reader, 1, 1), error, "is empty; expected a %s",
                  reader->numbered ? "mapping that begins with laggard: 1" : "value");
    return NULL;
}

static lag_node *build_document(struct builder *builder, GError **error)
{
    for (;;) {
        g_auto(lag_yaml_event) event = {0};
        if (!lag_yaml_next(&builder->reader, &event, error))
            return NULL;
        if (event.type == LAG_YAML_STREAM_END)
            return refuse_empty(&builder->reader, error);
        if (event.type == LAG_YAML_OTHER || event.type == LAG_YAML_DOCUMENT_START)
            continue;
        event.place =
            event.place.source == NULL ? lag_yaml_place(&builder->reader, 1, 1) : event.place;
        g_autoptr(lag_node) node = build_node(builder, &event, 0, error);
        if (node == NULL || !check_end(builder, error))
            return NULL;
        return g_steal_pointer(&node);
    }
}

lag_node *lag_yaml_parse(const char *text, size_t length, const char *source, bool numbered,
                         GError **error)
{
    g_autoptr(GHashTable) anchors =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)lag_node_unref);
    struct builder builder = {.anchors = anchors};
    lag_node *node = NULL;

    if (lag_yaml_open(&builder.reader, text, length, source, numbered, error))
        node = build_document(&builder, error);
    lag_yaml_close(&builder.reader);
    return node;
}
