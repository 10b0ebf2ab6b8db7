/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The events of a YAML text, one after the other: libfyaml's parser behind a smaller face. */
#ifndef LAGGARD_SCENARIOS_YAML_EVENT_H
#define LAGGARD_SCENARIOS_YAML_EVENT_H

#include "scenarios/tree.h"

struct lag_yaml_reader {
    struct fy_parser *parser;
    struct fy_diag *diag;
    const char *text; /* borrowed */
    size_t length;
    char *source;  /* a GRefString */
    bool numbered; /* places have line and column */
};

enum lag_yaml_kind {
    LAG_YAML_OTHER, /* the start of the stream, and what never comes */
    LAG_YAML_DOCUMENT_START,
    LAG_YAML_DOCUMENT_END,
    LAG_YAML_STREAM_END,
    LAG_YAML_SCALAR,
    LAG_YAML_ALIAS,
    LAG_YAML_SEQUENCE_START,
    LAG_YAML_SEQUENCE_END,
    LAG_YAML_MAPPING_START,
    LAG_YAML_MAPPING_END,
};

typedef struct lag_yaml_event {
    enum lag_yaml_kind type;
    struct lag_place place; /* source is NULL where the text holds nothing for it */
    bool plain;             /* a scalar without quotes */
    bool tagged;            /* it has a tag, !!str */
    bool has_control;       /* its text has a control character, and is cut at the first 0 */
    char *text;             /* of a scalar; the name of an alias */
    char *anchor;           /* or NULL */
} lag_yaml_event;
void lag_yaml_event_clear(lag_yaml_event *event);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(lag_yaml_event, lag_yaml_event_clear)

/* Starts on a text, after a check that it is text at all. Close also after a failure. */
bool lag_yaml_open(struct lag_yaml_reader *reader, const char *text, size_t length,
                   const char *source, bool numbered, GError **error);
void lag_yaml_close(struct lag_yaml_reader *reader);

/* The next event, for the caller to clear. After the end of the stream there is none: don't ask.
 * False with LAGGARD_ERROR_INPUT where the text is not YAML. */
bool lag_yaml_next(struct lag_yaml_reader *reader, lag_yaml_event *ret_event, GError **error);

/* A place in the reader's text. */
struct lag_place lag_yaml_place(const struct lag_yaml_reader *reader, uint32_t line,
                                uint32_t column);

/* Sets LAGGARD_ERROR_INPUT with "place: message"; always false. */
bool lag_refuse_at(struct lag_place place, GError **error, const char *format, ...)
    G_GNUC_PRINTF(3, 4);

#endif
