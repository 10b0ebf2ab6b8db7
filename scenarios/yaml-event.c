/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/yaml-event.h"

#include <string.h>

#include <libfyaml.h>

#include "sim/laggard.h"

bool lag_refuse_at(struct lag_place place, GError **error, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    g_autofree char *message = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    g_autofree char *where = lag_place_text(place);
    g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT, "%s: %s", where, message);
    return false;
}

void lag_yaml_event_clear(lag_yaml_event *event)
{
    g_clear_pointer(&event->text, g_free);
    g_clear_pointer(&event->anchor, g_free);
}

struct lag_place lag_yaml_place(const struct lag_yaml_reader *reader, uint32_t line,
                                uint32_t column)
{
    bool numbered = reader->numbered;

    return (struct lag_place){reader->source, numbered ? line : 0, numbered ? column : 0};
}

/* True where the indentation of a line (from 1), or of the next one, has a tab. */
static bool has_tab(const struct lag_yaml_reader *reader, uint32_t line)
{
    const char *c = reader->text, *end = reader->text + reader->length;

    for (uint32_t i = 1; i <= line + 1 && c < end; i++) {
        const char *newline = memchr(c, '\n', (size_t)(end - c));
        while (c < end && *c == ' ')
            c++;
        if (i >= line && c < end && *c == '\t')
            return true;
        c = newline != NULL ? newline + 1 : end;
    }
    return false;
}

/* The parser has stopped: the first of its complaints is the cause of the others. */
static bool refuse_syntax(const struct lag_yaml_reader *reader, GError **error)
{
    void *iterator = NULL;
    const struct fy_diag_error *first = fy_diag_errors_iterate(reader->diag, &iterator);
    uint32_t line, column;

    if (first == NULL)
        return lag_refuse_at(lag_yaml_place(reader, 1, 1), error,
                             "not YAML 1.2; leave directives (%%) out");
    line = (uint32_t)MAX(first->line, 1);
    column = (uint32_t)MAX(first->column, 1);
    if (has_tab(reader, line)) {
        return lag_refuse_at(lag_yaml_place(reader, line, column), error,
                             "not YAML: tab in the indentation; indent with spaces");
    }
    return lag_refuse_at(lag_yaml_place(reader, line, column), error, "not YAML: %s", first->msg);
}

/* Only UTF-8 without zeros reaches the parser. */
static bool check_text(const struct lag_yaml_reader *reader, GError **error)
{
    const char *text = reader->text, *bad = NULL, *start = text;
    uint32_t line = 1;

    if (reader->length == 0 || g_utf8_validate_len(text, reader->length, &bad))
        return true;
    if (reader->length >= 2 &&
        (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0))
        return lag_refuse_at(lag_yaml_place(reader, 1, 1), error, "is UTF-16; save it as UTF-8");
    for (const char *c = text; c < bad; c++) {
        if (*c == '\n') {
            line++;
            start = c + 1;
        }
    }
    return lag_refuse_at(lag_yaml_place(reader, line, (uint32_t)(bad - start) + 1), error,
                         "not a text file: byte 0x%02x is not UTF-8 text", (unsigned char)*bad);
}

bool lag_yaml_open(struct lag_yaml_reader *reader, const char *text, size_t length,
                   const char *source, bool numbered, GError **error)
{
    struct fy_parse_cfg configuration = {
        .flags = FYPCF_QUIET | FYPCF_COLLECT_DIAG | FYPCF_JSON_NONE |
                 FYPCF_SLOPPY_FLOW_INDENTATION | FYPCF_DEFAULT_VERSION_1_2,
    };
    struct fy_diag_cfg quiet;

    *reader = (struct lag_yaml_reader){
        .text = text, .length = length, .source = g_ref_string_new(source), .numbered = numbered};
    if (!check_text(reader, error))
        return false;
    fy_diag_cfg_default(&quiet);
    quiet.fp = NULL;
    reader->diag = configuration.diag = fy_diag_create(&quiet);
    fy_diag_set_collect_errors(reader->diag, true);
    reader->parser = fy_parser_create(&configuration);
    if (fy_parser_set_string(reader->parser, text, length) != 0)
        return refuse_syntax(reader, error);
    return true;
}

void lag_yaml_close(struct lag_yaml_reader *reader)
{
    if (reader->parser != NULL)
        fy_parser_destroy(reader->parser);
    if (reader->diag != NULL)
        fy_diag_destroy(reader->diag);
    g_clear_pointer(&reader->source, g_ref_string_release);
    *reader = (struct lag_yaml_reader){0};
}

static char *token_text(struct fy_token *token, bool *ret_has_control)
{
    size_t length = 0;
    const char *text = token != NULL ? fy_token_get_text(token, &length) : NULL;

    if (text == NULL)
        return g_strdup("");
    for (size_t i = 0; i < length && !*ret_has_control; i++)
        *ret_has_control = g_ascii_iscntrl(text[i]) && text[i] != '\n' && text[i] != '\t';
    return g_strndup(text, length);
}

static enum lag_yaml_kind kind_of(enum fy_event_type type)
{
    static const enum lag_yaml_kind kinds[] = {
        [FYET_DOCUMENT_START] = LAG_YAML_DOCUMENT_START,
        [FYET_DOCUMENT_END] = LAG_YAML_DOCUMENT_END,
        [FYET_STREAM_END] = LAG_YAML_STREAM_END,
        [FYET_SCALAR] = LAG_YAML_SCALAR,
        [FYET_ALIAS] = LAG_YAML_ALIAS,
        [FYET_SEQUENCE_START] = LAG_YAML_SEQUENCE_START,
        [FYET_SEQUENCE_END] = LAG_YAML_SEQUENCE_END,
        [FYET_MAPPING_START] = LAG_YAML_MAPPING_START,
        [FYET_MAPPING_END] = LAG_YAML_MAPPING_END,
    };

    return (size_t)type < G_N_ELEMENTS(kinds) ? kinds[type] : LAG_YAML_OTHER;
}

static void copy_event(const struct lag_yaml_reader *reader, struct fy_event *event,
                       lag_yaml_event *ret)
{
    const struct fy_mark *mark = fy_event_start_mark(event);
    struct fy_token *anchor = NULL;

    *ret = (lag_yaml_event){.type = kind_of(event->type)};
    if (mark != NULL) /* behind the opening quote, or the star of an alias */
        ret->place = lag_yaml_place(reader, (uint32_t)mark->line + 1, (uint32_t)mark->column + 1);
    if (event->type == FYET_SCALAR) {
        struct fy_token *value = event->scalar.value;
        enum fy_scalar_style style = value != NULL ? fy_token_scalar_style(value) : FYSS_PLAIN;
        ret->place.column -= style == FYSS_SINGLE_QUOTED || style == FYSS_DOUBLE_QUOTED;
        ret->text = token_text(value, &ret->has_control);
        ret->plain = style == FYSS_PLAIN;
        ret->tagged = event->scalar.tag != NULL;
        anchor = event->scalar.anchor;
    } else if (event->type == FYET_ALIAS) {
        ret->place.column -= 1;
        ret->text = token_text(event->alias.anchor, &ret->has_control);
    } else if (event->type == FYET_SEQUENCE_START) {
        ret->tagged = event->sequence_start.tag != NULL;
        anchor = event->sequence_start.anchor;
    } else if (event->type == FYET_MAPPING_START) {
        ret->tagged = event->mapping_start.tag != NULL;
        anchor = event->mapping_start.anchor;
    }
    if (anchor != NULL)
        ret->anchor = token_text(anchor, &ret->has_control);
}

bool lag_yaml_next(struct lag_yaml_reader *reader, lag_yaml_event *ret_event, GError **error)
{
    struct fy_event *event = fy_parser_parse(reader->parser);

    if (event == NULL)
        return refuse_syntax(reader, error);
    copy_event(reader, event, ret_event);
    fy_parser_event_free(reader->parser, event);
    return true;
}
