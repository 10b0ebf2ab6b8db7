/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recursive descent: sum = product {(+|-) product}, product = atom {(*|/) atom}. */
#include "results/arithmetic.h"

#include <math.h>
#include <string.h>

#include "sim/laggard.h"

#define MAX_DEPTH 50

struct parser {
    const char *text, *at;
    lag_reference_find find;
    void *data;
    int depth;
    GError **error;
};

static bool parse_sum(struct parser *parser, double *ret);

static bool refuse(struct parser *parser, const char *expected)
{
    g_set_error(parser->error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT,
                "at character %zu of \"%s\": expected %s", (size_t)(parser->at - parser->text) + 1,
                parser->text, expected);
    return false;
}

/* The next character that is not blank; it stays. */
static char peek(struct parser *parser)
{
    while (g_ascii_isspace(*parser->at))
        parser->at++;
    return *parser->at;
}

static bool take(struct parser *parser, char wanted)
{
    if (peek(parser) != wanted)
        return false;
    parser->at++;
    return true;
}

static bool parse_reference(struct parser *parser, double *ret)
{
    const char *end = strchr(parser->at, '}');

    if (end == NULL)
        return refuse(parser, "} behind the label");
    g_autofree char *inside = g_strndup(parser->at, (gsize)(end - parser->at));
    char *bar = strchr(inside, '|');
    parser->at = end + 1;
    if (bar != NULL)
        *bar++ = '\0';
    if (!take(parser, '.'))
        return refuse(parser, "a point and a metric, {ring}.exposed_s");
    size_t length = strspn(parser->at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                       "0123456789_.[]");
    if (length == 0)
        return refuse(parser, "a metric, {ring}.exposed_s");
    g_autofree char *metric = g_strndup(parser->at, length);
    struct lag_reference reference = {g_strstrip(inside), bar == NULL ? "" : g_strstrip(bar),
                                      metric};
    parser->at += length;
    return parser->find(&reference, parser->data, ret, parser->error);
}

/* What stands behind an opening parenthesis. */
static bool parse_parenthesis(struct parser *parser, double *ret)
{
    if (++parser->depth > MAX_DEPTH)
        return refuse(parser, "fewer parentheses in each other");
    if (!parse_sum(parser, ret))
        return false;
    parser->depth--;
    return take(parser, ')') || refuse(parser, ")");
}

static double log_2(double a, double b)
{
    (void)b;
    return log2(a);
}

static double square_root(double a, double b)
{
    (void)b;
    return sqrt(a);
}

static double add(double a, double b)
{
    return a + b;
}

/* Of one number, or of any number of them, which `of` takes in turn. fmin and fmax pass over NAN. */
static const struct function {
    const char *name;
    double (*of)(double a, double b);
    bool many, is_mean;
} functions[] = {
    {"log2", log_2,       false, false},
    {"max",  fmax,        true,  false},
    {"mean", add,         true,  true },
    {"min",  fmin,        true,  false},
    {"sqrt", square_root, false, false},
};

static bool parse_arguments(struct parser *parser, const struct function *function, double *ret)
{
    double other;
    int n = 1;

    if (++parser->depth > MAX_DEPTH)
        return refuse(parser, "fewer parentheses in each other");
    if (!parse_sum(parser, ret))
        return false;
    if (!function->many)
        *ret = function->of(*ret, 0);
    for (; function->many && take(parser, ','); n++) {
        if (!parse_sum(parser, &other))
            return false;
        *ret = function->of(*ret, other);
    }
    if (function->is_mean)
        *ret /= n;
    parser->depth--;
    return take(parser, ')') || refuse(parser, function->many ? ", or )" : ")");
}

static bool parse_function(struct parser *parser, double *ret)
{
    size_t length = strspn(parser->at, "abcdefghijklmnopqrstuvwxyz0123456789");

    for (size_t i = 0; i < G_N_ELEMENTS(functions); i++) {
        if (strlen(functions[i].name) != length ||
            strncmp(functions[i].name, parser->at, length) != 0)
            continue;
        parser->at += length;
        if (!take(parser, '('))
            return refuse(parser, "( behind the function");
        return parse_arguments(parser, &functions[i], ret);
    }
    return refuse(parser,
                  "a number, a reference {label}.metric, log2(..), max(..), mean(..), min(..), "
                  "sqrt(..) or (");
}

static bool parse_atom(struct parser *parser, double *ret)
{
    char next = peek(parser);
    char *end;

    if (take(parser, '('))
        return parse_parenthesis(parser, ret);
    if (take(parser, '{'))
        return parse_reference(parser, ret);
    if (!g_ascii_isdigit(next))
        return parse_function(parser, ret);
    *ret = g_ascii_strtod(parser->at, &end);
    parser->at = end;
    return true;
}

static bool parse_product(struct parser *parser, double *ret)
{
    double other;

    if (!parse_atom(parser, ret))
        return false;
    for (;;) {
        bool times = take(parser, '*');
        if (!times && !take(parser, '/'))
            return true;
        if (!parse_atom(parser, &other))
            return false;
        *ret = times ? *ret * other : *ret / other;
    }
}

static bool parse_sum(struct parser *parser, double *ret)
{
    double other;

    if (!parse_product(parser, ret))
        return false;
    for (;;) {
        bool plus = take(parser, '+');
        if (!plus && !take(parser, '-'))
            return true;
        if (!parse_product(parser, &other))
            return false;
        *ret = plus ? *ret + other : *ret - other;
    }
}

bool lag_arithmetic(const char *text, lag_reference_find find, void *data, double *ret_value,
                    GError **error)
{
    struct parser parser = {text, text, find, data, 0, error};
    double value;

    if (!parse_sum(&parser, &value))
        return false;
    if (peek(&parser) != '\0')
        return refuse(&parser, "+, -, *, / or the end");
    *ret_value = value;
    return true;
}
