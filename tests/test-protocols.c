/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The contract of every entry of algorithms/protocols.def. */
#include <string.h>

#include "algorithms/algorithms.h"
#include "algorithms/protocols.h"

/* Names are words with dashes: the file's name, and what a scenario says. */
static void names(void)
{
    for (size_t i = 0; lag_protocols[i] != NULL; i++) {
        const struct laggard_protocol *p = lag_protocols[i];
        if (i > 0)
            g_assert_cmpstr(lag_protocols[i - 1]->name, <, p->name);
        g_assert_cmpuint(strspn(p->name, "abcdefghijklmnopqrstuvwxyz0123456789-"), ==,
                         strlen(p->name));
        g_assert_true(lag_protocol_find(p->name) == p);
        g_assert_null(lag_algorithm_find(p->name)); /* one name space */
    }
    g_assert_null(lag_protocol_find("no such protocol"));
    g_assert_null(lag_protocol_find("ring"));
}

static void expect_line(const char *text)
{
    g_assert_nonnull(text);
    g_assert_true(text[0] != '\0' && strchr(text, '\n') == NULL);
}

static void expect_parameter(const struct laggard_protocol *protocol, uint32_t k)
{
    const struct laggard_parameter *p = &protocol->parameters[k];
    double value;

    expect_line(p->help);
    g_assert_cmpstr(p->name, !=, "name"); /* which says who it is */
    g_assert_cmpint(lag_parameters_find(protocol->parameters, p->name), ==, (int)k);
    g_assert_nonnull(p->default_text);
    g_assert_true((p->choices != NULL) == (p->type == LAGGARD_CHOICE));
    if (p->default_text[0] == '\0')
        return;
    g_assert_true(lag_parameter_parse(p, p->default_text, 1 << 20, &value, NULL));
    g_autofree char *text = lag_parameter_text(p, value);
    g_assert_cmpstr(text, ==, p->default_text);
}

/* Each says all that lists and help show; defaults are values, as laggard would print them. */
static void complete(void)
{
    for (size_t i = 0; lag_protocols[i] != NULL; i++) {
        const struct laggard_protocol *p = lag_protocols[i];
        expect_line(p->summary);
        expect_line(p->formula);
        expect_line(p->source);
        g_assert_cmpuint(strlen(p->summary), <=, 100);
        g_assert_true(p->workload == LAGGARD_TRAINING || p->workload == LAGGARD_GRADIENT);
        g_assert_nonnull(p->run);
        for (uint32_t k = 0; k < lag_parameters_count(p->parameters); k++)
            expect_parameter(p, k);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/protocols/names", names);
    g_test_add_func("/protocols/complete", complete);
    return g_test_run();
}
