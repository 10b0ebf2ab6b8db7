/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The loader: any text is a scenario whose points resolve, or gets one message of the right form. */
#include <stdint.h>
#include <string.h>

#include "scenarios/scenario.h"

#define MOST_INPUT   65536
#define MOST_POINTS  8
#define MOST_DIGITS  4 /* of a number: large clusters are right, and slow */
#define MOST_MESSAGE 2000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool has_long_number(const char *text, size_t size)
{
    size_t n_digits = 0;

    for (size_t i = 0; i < size && n_digits <= MOST_DIGITS; i++)
        n_digits = g_ascii_isdigit(text[i]) ? n_digits + 1 : 0;
    return n_digits > MOST_DIGITS;
}

/* Names of files that don't end, or answer late. */
static bool names_device(const char *text, size_t size)
{
    return g_strstr_len(text, (gssize)size, "/dev") != NULL ||
           g_strstr_len(text, (gssize)size, "/proc") != NULL;
}

static void check_error(const GError *error)
{
    g_assert_true(error != NULL && error->domain == LAGGARD_ERROR);
    g_assert_cmpint(error->code, ==, LAGGARD_ERROR_INPUT);
    g_assert_true(g_str_has_prefix(error->message, "x.yaml:"));
    g_assert_true(g_utf8_validate(error->message, -1, NULL));
    g_assert_null(strchr(error->message, '\n'));
    g_assert_cmpuint(strlen(error->message), <, MOST_MESSAGE);
}

/* Who takes part is in the cluster, and every pair of them has a way. */
static void check_scenario(const lag_scenario *scenario)
{
    g_autoptr(GArray) links = g_array_new(FALSE, FALSE, sizeof(uint32_t));

    g_assert_cmpuint(scenario->n_entrants, >, 0);
    g_assert_cmpuint(scenario->topology->n_ranks, ==, scenario->n_gpus);
    for (uint32_t i = 0; i < lag_scenario_n_parts(scenario); i++) {
        const lag_scenario *part = lag_scenario_part(scenario, i);
        g_assert_cmpuint(part->size % part->element_bytes, ==, 0);
        g_assert_cmpuint(part->n_ranks, >, 0);
        g_assert_cmpuint(lag_scenario_rank(part, part->n_ranks - 1), <, scenario->n_gpus);
        g_assert_nonnull(part->entrants[0].label);
        lag_topology_route(scenario->topology, lag_scenario_rank(part, 0),
                           lag_scenario_rank(part, part->n_ranks - 1), links);
        g_assert_true(links->len > 0 || part->n_ranks == 1);
    }
}

static void check_points(const lag_document *document)
{
    uint32_t n_points = lag_document_n_points(document);

    g_assert_cmpuint(n_points, >, 0);
    for (uint32_t i = 0; i < MIN(n_points, MOST_POINTS); i++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(lag_scenario) scenario = lag_document_point(document, i, &error);
        if (scenario == NULL) {
            check_error(error);
            continue;
        }
        check_scenario(scenario);
        for (uint32_t axis = 0; axis < lag_document_n_axes(document); axis++)
            g_assert_nonnull(lag_document_coordinate(document, i, axis).text);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    g_autoptr(GError) error = NULL;

    if (size > MOST_INPUT || names_device(text, size))
        return 0;
    g_autoptr(lag_document) document =
        lag_document_parse(text, size, "x.yaml", "/nonexistent", NULL, &error);
    if (document == NULL)
        check_error(error);
    else if (!has_long_number(text, size))
        check_points(document);
    return 0;
}
