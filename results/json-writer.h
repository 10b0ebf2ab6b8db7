/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes JSON text as it goes, without a tree in memory: a sweep's document has millions of
 * numbers. (json-glib's generator writes 1e22 as "1e+22.0", infinity as "inf.0", and 5 ms as
 * 0.0050000000000000001.) Numbers are the shortest that read back exactly; what is not finite is
 * null; strings that aren't UTF-8 are made so. */
#ifndef LAGGARD_RESULTS_JSON_WRITER_H
#define LAGGARD_RESULTS_JSON_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include <glib.h>

enum lag_json_layout {
    LAG_JSON_LINES,   /* each member on a line of its own */
    LAG_JSON_ONE_LINE /* this one and all inside it on one line */
};

#define LAG_JSON_MAX_DEPTH 16

struct lag_json {
    GString *text; /* borrowed; may be flushed and emptied between calls */
    uint32_t depth;
    struct {
        char closing;
        bool empty;
        enum lag_json_layout layout;
    } open[LAG_JSON_MAX_DEPTH];
};
void lag_json_init(struct lag_json *json, GString *text);

/* Members. `key` is NULL in an array and at the top. */
void lag_json_open_object(struct lag_json *json, const char *key, enum lag_json_layout layout);
void lag_json_open_array(struct lag_json *json, const char *key, enum lag_json_layout layout);
void lag_json_close(struct lag_json *json);
void lag_json_string(struct lag_json *json, const char *key, const char *value); /* NULL: null */
void lag_json_number(struct lag_json *json, const char *key, double value);
void lag_json_integer(struct lag_json *json, const char *key, int64_t value);
void lag_json_count(struct lag_json *json, const char *key, uint64_t value);
void lag_json_boolean(struct lag_json *json, const char *key, bool value);
void lag_json_null(struct lag_json *json, const char *key);

#endif
