/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/coded-case.h"

#include <math.h>
#include <string.h>

#include "algorithms/codes/codes.h"
#include "algorithms/protocols.h"
#include "results/format.h"
#include "scenarios/nearest.h"
#include "scenarios/quantity.h"
#include "sim/laggard.h"

/* Protocols that have a page, and their shape where nothing is said. */
static const struct page {
    const char *name;
    double degree, depth;
} pages[] = {
    {"coded-reduce",    12,  2},
    {"gradient-coding", 156, 1},
};

bool lag_coded_is_known(const char *name)
{
    for (size_t i = 0; i < G_N_ELEMENTS(pages); i++)
        if (strcmp(pages[i].name, name) == 0)
            return true;
    return false;
}

/* Assumed, not published: docs/CODED.md. */
#define ASSUMED_A  15e-6        /* [s] */
#define ASSUMED_MU (1 / 1.5e-6) /* [points/s] */

/* How a key's value is written. */
enum sort {
    WHOLE,    /* least .. most */
    POSITIVE, /* a number, or "inf" where `most` says so */
    QUANTITY,
    PORTS,
    CODE,
};
static const struct key {
    const char *path;
    enum sort sort;
    enum lag_dimension dimension;
    double least, most;
    size_t offset; /* of a double in lag_coded_input; of CODE: unused */
} keys[] = {
#define AT(member) offsetof(lag_coded_input, member)
    {"cluster.gpus",                          WHOLE,    0,             1,    1 << 24,            AT(gpus)                     },
    {"cluster.network.bandwidth",             QUANTITY, LAG_BANDWIDTH, 1,    0,                  AT(bandwidth)                },
    {"cluster.network.latency",               QUANTITY, LAG_TIME,      0,    0,                  AT(asked.latency)            },
    {"cluster.network.ports",                 PORTS,    0,             0,    0,                  AT(serial)                   },
    {"workload.gradient.points",              POSITIVE, 0,             1,    1e15,               AT(asked.points)             },
    {"workload.gradient.parameters",          POSITIVE, 0,             1,    1e15,               AT(asked.parameters)         },
    {"workload.gradient.bytes_per_parameter", POSITIVE, 0,             0,    1e6,                AT(asked.bytes_per_parameter)},
    {"workload.gradient.bytes_per_point",     QUANTITY, LAG_SIZE,      0,    0,                  AT(asked.bytes_per_point)    },
    {"workload.gradient.compute.a",           QUANTITY, LAG_TIME,      0,    0,                  AT(a)                        },
    {"workload.gradient.compute.mu",          POSITIVE, 0,             1e-9, INFINITY,           AT(mu)                       },
    {"workload.gradient.compute.extra",       QUANTITY, LAG_TIME,      0,    0,                  AT(extra_mean)               },
    {"workload.gradient.compute.share",       QUANTITY, LAG_SHARE,     0,    1,                  AT(slow_share)               },
    {"workload.gradient.compute.factor",      POSITIVE, 0,             0,    1e6,                AT(slow_factor)              },
    {"workload.gradient.message_time",        QUANTITY, LAG_TIME,      0,    0,                  AT(message_time)             },
    {"workload.gradient.step_latency",        QUANTITY, LAG_TIME,      0,    0,                  AT(asked.step)               },
    {"workload.gradient.fan_in",              POSITIVE, 0,             0,    1e6,                AT(asked.fan_in)             },
    {"algorithms[0].degree",                  WHOLE,    0,             1,    1 << 24,            AT(degree)                   },
    {"algorithms[0].workers",                 WHOLE,    0,             1,    1 << 24,            AT(degree)                   },
    {"algorithms[0].depth",                   WHOLE,    0,             1,    24,                 AT(depth)                    },
    {"algorithms[0].stragglers",              WHOLE,    0,             0,    1 << 24,            AT(stragglers)               },
    {"algorithms[0].code",                    CODE,     0,             0,    0,                  0                            },
    {"algorithms[0].candidates",              WHOLE,    0,             1,    60000,              AT(candidates)               },
    {"run.replications",                      WHOLE,    0,             1,    1000000,            AT(draws)                    },
    {"run.seed",                              WHOLE,    0,             0,    9007199254740992.0, AT(seed)                     },
#undef AT
};

static bool refuse(GError **error, const char *path, const char *format, ...) G_GNUC_PRINTF(3, 4);
static bool refuse(GError **error, const char *path, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    g_autofree char *message = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT, "--set %s: %s", path, message);
    return false;
}

static bool read_number(const struct key *key, const char *text, double *ret, GError **error)
{
    g_autoptr(GError) why = NULL;
    bool is_infinite = key->sort == POSITIVE && isinf(key->most) && strcmp(text, "inf") == 0;
    bool ok;

    if (is_infinite) {
        *ret = INFINITY;
        return true;
    }
    if (key->sort == QUANTITY)
        ok = lag_quantity_parse(text, key->dimension, ret, &why);
    else
        ok = lag_number_parse(text, ret, &why);
    if (!ok)
        return refuse(error, key->path, "%s", why->message);
    if (key->sort == WHOLE && (*ret != floor(*ret) || *ret < key->least || *ret > key->most))
        return refuse(error, key->path, "expected a whole number from %.0f to %.0f, got \"%s\"",
                      key->least, key->most, text);
    if (*ret < key->least || (key->most > 0 && *ret > key->most)) {
        g_autofree char *most = g_strdup_printf(" and up to %g", key->most);
        return refuse(error, key->path, "expected %g or more%s, got \"%s\"", key->least,
                      key->most > 0 && isfinite(key->most) ? most : "", text);
    }
    return true;
}

/* Exact codes whose workers send one message each are what a parent can decode. */
static bool is_one_message(const struct lag_code_kind *kind)
{
    return !kind->approximate && !(kind->uses & LAG_CODE_PARTS);
}

static bool read_code(lag_coded_input *input, const char *path, const char *text, GError **error)
{
    g_autoptr(GString) names = g_string_new("auto");

    input->code = lag_code_kind_find(text);
    if (strcmp(text, "auto") == 0 || (input->code != NULL && is_one_message(input->code)))
        return true;
    for (size_t i = 0; lag_code_kinds[i] != NULL; i++)
        if (is_one_message(lag_code_kinds[i]))
            g_string_append_printf(names, ", %s", lag_code_kinds[i]->name);
    return refuse(error, path, "expected an exact code (%s), got \"%s\"", names->str, text);
}

static bool read_value(lag_coded_input *input, const struct key *key, const char *text,
                       GError **error)
{
    double *value = (double *)(void *)((char *)input + key->offset);

    if (key->sort == CODE)
        return read_code(input, key->path, text, error);
    if (key->sort != PORTS)
        return read_number(key, text, value, error);
    *value = strcmp(text, "serial") == 0;
    return *value == 1 || strcmp(text, "shared") == 0 ||
           refuse(error, key->path, "expected serial or shared, got \"%s\"", text);
}

static bool read_set(lag_coded_input *input, const char *set, GError **error)
{
    g_auto(GStrv) halves = g_strsplit(set, "=", 2);
    const char *names[G_N_ELEMENTS(keys)];

    if (g_strv_length(halves) != 2)
        return refuse(error, set, "expected PATH=VALUE");
    for (size_t i = 0; i < G_N_ELEMENTS(keys); i++) {
        names[i] = keys[i].path;
        if (strcmp(keys[i].path, g_strstrip(halves[0])) == 0)
            return read_value(input, &keys[i], g_strstrip(halves[1]), error);
    }
    g_autofree char *hint = lag_nearest_hint(halves[0], names, G_N_ELEMENTS(keys));
    return refuse(error, halves[0], "no key of this page%s", hint);
}

static const struct lag_law *exponential(struct lag_law *law, double mean)
{
    *law = (struct lag_law){.type = lag_law_type_find("exponential"), .p = {mean}};
    return mean > 0 ? law : NULL;
}

/* The law of work, and its words. */
static void set_work(lag_coded_input *input)
{
    struct lag_work_law *work = &input->asked.work;
    GString *words = g_string_new(NULL);
    g_autofree char *a = lag_format_seconds(input->a);

    work->point = input->a;
    work->by_point = exponential(&input->by_point, 1 / input->mu);
    work->extra = exponential(&input->extra, input->extra_mean);
    g_string_append_printf(words, "%s a point", a);
    if (work->by_point != NULL) {
        g_autofree char *mean = lag_format_seconds(1 / input->mu);
        g_string_append_printf(words, " + an exponential of %s a point", mean);
    }
    if (input->slow_share > 0) {
        input->factor = (struct lag_law){
            .type = lag_law_type_find("bernoulli"), .p = {input->slow_share, input->slow_factor}
        };
        work->factor = &input->factor;
        g_string_append_printf(words, ", %.4g %% of workers %.4g times slower",
                               100 * input->slow_share, input->slow_factor);
    }
    if (work->extra != NULL) {
        g_autofree char *mean = lag_format_seconds(input->extra_mean);
        g_string_append_printf(words, " + an exponential of %s whatever the load", mean);
    }
    if (input->a == ASSUMED_A && input->mu == ASSUMED_MU)
        g_string_append(words, " (assumed, not published)");
    input->law = g_string_free(words, FALSE);
}

/* Experiment 1 of the authors' programs, with assumed compute times. */
static void set_defaults(lag_coded_input *input, const struct page *page)
{
    const struct laggard_protocol *protocol = lag_protocol_find(page->name);

    *input = (lag_coded_input){
        .asked = {.name = protocol->name,
                  .summary = protocol->summary,
                  .formula = protocol->formula,
                  .source = protocol->source,
                  .request = {.late = NAN},
                  .points = 6552,
                  .parameters = 5000,
                  .bytes_per_parameter = 8},
        .gpus = 0,
        .degree = page->degree,
        .depth = page->depth,
        .stragglers = 1,
        .draws = 1000,
        .seed = 1,
        .bandwidth = 62.5e6,
        .message_time = NAN,
        .a = ASSUMED_A,
        .mu = ASSUMED_MU,
        .slow_factor = 1,
        .serial = 1,
    };
}

static bool settle(lag_coded_input *input, GError **error)
{
    struct lag_coded_case *asked = &input->asked;

    asked->tree = (struct lag_tree){(uint32_t)input->degree, (uint32_t)input->depth,
                                    (uint32_t)input->stragglers};
    if (!lag_tree_check(&asked->tree, error))
        return false;
    asked->n_workers = input->gpus > 0 ? (uint32_t)input->gpus : lag_tree_workers(&asked->tree);
    asked->code = input->code != NULL
                      ? input->code
                      : lag_code_kind_recommended(asked->tree.degree, asked->tree.stragglers);
    asked->request.candidates = (uint32_t)input->candidates;
    asked->request.seed = asked->seed = (uint64_t)input->seed;
    asked->message = isnan(input->message_time)
                         ? asked->parameters * asked->bytes_per_parameter / input->bandwidth
                         : input->message_time;
    asked->parallel = input->serial == 0;
    asked->n_draws = (uint32_t)input->draws;
    set_work(input);
    asked->law = input->law;
    return true;
}

bool lag_coded_input_read(lag_coded_input *input, const char *name, const char *const *sets,
                          GError **error)
{
    const struct page *page = pages;

    while (strcmp(page->name, name) != 0)
        page++;
    set_defaults(input, page);
    for (; *sets != NULL; sets++)
        if (!read_set(input, *sets, error))
            return false;
    return settle(input, error);
}

void lag_coded_input_clear(lag_coded_input *input)
{
    g_clear_pointer(&input->law, g_free);
}
