/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The formulas of one iteration: ports and trees by hand, means against exact expectations and
 * the Monte Carlo rows of spec/coded-gradients.md 4 within 4 standard errors of both. */
#include <math.h>
#include <string.h>

#include <glib.h>
#include <gsl/gsl_errno.h>

#include "algorithms/protocols.h"
#include "sim/coding/expected.h"
#include "sim/coding/iteration.h"
#include "sim/gradient/gradient.h"
#include "sim/law-flat.h"
#include "tests/helpers.h"

static const struct lag_law *exponential(struct lag_law *law, double mean)
{
    *law = (struct lag_law){.type = lag_law_type_find("exponential"), .p = {mean}};
    return law;
}

/* Section 4: arrivals 5, 1, 9, 2, 2. */
static void port(void)
{
    static const struct {
        double message;
        uint32_t k;
        double done;
    } rows[] = {
        {0.5, 1, 1.5},
        {0.5, 3, 3  },
        {0.5, 4, 5.5},
        {0.5, 5, 9.5},
        {2,   1, 3  },
        {2,   3, 7  },
        {2,   4, 9  },
        {2,   5, 11 },
        {4,   1, 5  },
        {4,   3, 13 },
        {4,   4, 17 },
        {4,   5, 21 },
    };

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        double ready[] = {5, 1, 9, 2, 2};
        assert_near(lag_port_kth(ready, 5, rows[i].k, rows[i].message), rows[i].done, 1e-15);
    }
}

/* Section 4: (3, 2), s = 1 with compute (7 v mod 11) + 1 at node v; by ports alone. */
static void tree_by_hand(void)
{
    const double messages[] = {0, 0.5, 2}, roots[] = {8, 8.5, 12};
    const double layers[3][3] = {
        {8, 6,   11},
        {8, 6.5, 11},
        {9, 8,   11}
    };

    for (int i = 0; i < 3; i++) {
        double top[3];
        for (uint32_t v = 1; v <= 3; v++) {
            double ready[3];
            for (uint32_t c = 0; c < 3; c++)
                ready[c] = 7 * (3 * v + 1 + c) % 11 + 1;
            top[v - 1] = fmax(7 * v % 11 + 1, lag_port_kth(ready, 3, 2, messages[i]));
            assert_near(top[v - 1], layers[i][v - 1], 1e-15);
        }
        assert_near(lag_port_kth(top, 3, 2, messages[i]), roots[i], 1e-15);
    }
}

/* Nothing random: shift + depth (degree - stragglers) message (1 + kappa (degree - 1)). By groups a
 * tree with all children ready at once takes the children in order, so it needs all groups' first:
 * (4, 1), s = 1: children 0, 1, 2, so 3 messages. */
static void fixed(void)
{
    struct lag_tree_model model = {
        .tree = {12, 2, 3},
          .points = 6552, .work = {.point = 1e-4},
          .message = 1e-3
    };

    assert_near(lag_tree_model_mean(&model, 100, 1).mean, .0726, 1e-12);
    model.fan_in = 0.1;
    assert_near(lag_tree_model_mean(&model, 100, 1).mean, .0546 + 18 * 1e-3 * 2.1, 1e-12);
    model = (struct lag_tree_model){
        .tree = {4,  1, 1},
        .rule = LAG_TREE_GROUPS,
        .points = 2,
        .work = {.point = 1},
        .message = 10
    };
    assert_near(lag_tree_model_mean(&model, 1, 1).mean, 1 + 3 * 10, 1e-12);
    model.parallel = true;
    assert_near(lag_tree_model_mean(&model, 1, 1).mean, 1 + 10, 1e-12);
    struct lag_ring_model ring = {156, 6552, {.point = 1e-4}, 1e-3, 0};
    assert_prints(lag_ring_model_mean(&ring, 9, 1).mean, .006187, 1e-6);
}

/* Parallel ports against the exact integral, and groups against H_{n/(s+1)} / (s+1). */
static void means(void)
{
    const struct lag_tree trees[] = {
        {3,  2, 1},
        {12, 2, 1},
        {4,  3, 1},
        {10, 1, 2}
    };
    struct lag_law law;

    for (size_t i = 0; i < G_N_ELEMENTS(trees); i++) {
        struct lag_tree_model model = {
            .tree = trees[i],
            .points = 1000,
            .message = 0.01,
            .parallel = true,
            .work = {.point = 1e-3, .by_point = exponential(&law, 1e-3)}
        };
        double points = 1000 * lag_tree_load(&trees[i]);
        struct lag_work work = {1e-3 * points, 1e-3 * points};
        struct lag_model_mean mean = lag_tree_model_mean(&model, 4000, 7);
        double exact = lag_tree_time_parallel(&trees[i], &work, 0.01);
        g_assert_cmpfloat(fabs(mean.mean - exact), <=, 4 * mean.error);
        g_assert_cmpfloat(mean.error, <, 0.02 * exact);
    }
    struct lag_tree_model model = {
        .tree = {12, 1,                          2},
        .rule = LAG_TREE_GROUPS,
        .points = 12,
        .work = {.by_point = exponential(&law,  1)}
    };
    struct lag_model_mean mean = lag_tree_model_mean(&model, 4000, 7);
    g_assert_cmpfloat(fabs(mean.mean - 2.08333), <=, 4 * mean.error + 1e-5);
}

/* Section 4, serial ports: d = 6552, a = 1e-5, mu = 1e5, t_c = 6.3e-4. The table has 40,000 draws, we
 * few: within 4 of our standard errors, and within the bounds. */
static void serial(void)
{
    static const struct {
        struct lag_tree tree;
        double points, mean;
    } rows[] = {
        {{156, 1, 0},  6552, .0987027},
        {{156, 1, 1},  6552, .0984954},
        {{156, 1, 3},  6552, .0980808},
        {{156, 1, 12}, 6552, .0962148},
        {{156, 1, 38}, 6552, .0908244},
        {{12, 2, 0},   6552, .0155429},
        {{12, 2, 1},   6552, .0154313},
        {{12, 2, 2},   6552, .01593  },
        {{12, 2, 3},   6552, .01754  },
        {{12, 2, 5},   6552, .02454  },
        {{9, 2, 0},    6300, .01205  },
        {{9, 2, 1},    6300, .01279  },
        {{9, 2, 2},    6300, .01678  },
        {{4, 3, 0},    6552, .008400 },
        {{4, 3, 1},    6552, .01528  },
    };
    struct lag_law law;

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct lag_tree_model model = {
            .tree = rows[i].tree,
            .points = rows[i].points,
            .message = 6.3e-4,
            .work = {.point = 1e-5, .by_point = exponential(&law, 1e-5)}
        };
        double points = rows[i].points * lag_tree_load(&rows[i].tree);
        struct lag_work work = {1e-5 * points, 1e-5 * points};
        struct lag_time_bounds bounds = lag_tree_time_serial(&rows[i].tree, &work, 6.3e-4);
        struct lag_model_mean mean = lag_tree_model_mean(&model, 2000, 11);
        double digit = rows[i].mean < 0.01 ? 5e-6 : 1e-5; /* of the table's rounding and error */
        g_assert_cmpfloat(fabs(mean.mean - rows[i].mean), <=, 4 * mean.error + digit);
        g_assert_cmpfloat(mean.mean + 4 * mean.error, >=, bounds.low);
        g_assert_cmpfloat(mean.mean - 4 * mean.error, <=, bounds.high);
    }
}

/* A law of delay that knows no load: a star of (12), a d = 1, theta = 0.5: s = 5 is 1.80 times as fast as
 * s = 0 (section 3): a (s + 1) d / n + theta (H_n - H_s). */
static void additive(void)
{
    struct lag_law law;
    double time[2];

    for (int i = 0; i < 2; i++) {
        struct lag_tree_model model = {
            .tree = {12,                1,                         i == 0 ? 0 : 5},
            .points = 12,
            .parallel = true,
            .work = {.point = 1.0 / 12, .extra = exponential(&law, 0.5)          }
        };
        struct lag_model_mean mean = lag_tree_model_mean(&model, 4000, 3);
        double s = i == 0 ? 0 : 5;
        double exact = (s + 1) / 12 + 0.5 * (lag_harmonic(12) - lag_harmonic((uint32_t)s));
        g_assert_cmpfloat(fabs(mean.mean - exact), <=, 4 * mean.error);
        time[i] = exact;
    }
    assert_prints(time[0] / time[1], 1.80, 0.01);
}

/* Latency is paid once a layer: messages follow each other. 2 layers of 3 messages of 1 s, 5 s each. */
static void latency(void)
{
    struct lag_tree_model model = {
        .tree = {3,  2, 0},
          .points = 12, .work = {.point = 1},
          .message = 1, .latency = 5
    };

    assert_near(lag_tree_model_mean(&model, 1, 1).mean, 1 + 2 * (5 + 3), 1e-15);
}

/* Slow senders, section 6.5: each message spends 79 or 319 message times on its own line with probability
 * 0.05, before its parent's port takes it; t0 = 0.63 ms, a = 15 us, mu = 1 / 1.5 us. The numbers are of
 * 4,000 draws; to 4 of our standard errors (and as many of theirs, which are half of ours). */
static void slow_senders(void)
{
    static const struct {
        struct lag_tree tree;
        double line, mean, digit;
    } rows[] = {
        {{156, 1, 0}, 79,  98.9, 0.05},
        {{12, 2, 0},  79,  66.9, 0.05},
        {{12, 2, 1},  79,  40.0, 0.05},
        {{12, 2, 2},  79,  19.3, 0.05},
        {{12, 2, 3},  79,  19.7, 0.05},
        {{12, 2, 0},  319, 256,  0.5 },
        {{12, 2, 1},  319, 130,  0.5 },
        {{12, 2, 2},  319, 26.3, 0.05},
        {{12, 2, 3},  319, 20.0, 0.05},
    };
    const struct lag_law_type *constant = lag_law_type_find("constant");
    struct lag_law law;

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct lag_law_part *parts = g_new0(struct lag_law_part, 2);
        struct lag_law line = {0};
        parts[0] = (struct lag_law_part){
            0.05, {.type = constant, .p = {rows[i].line * 6.3e-4}}
        };
        parts[1] = (struct lag_law_part){0.95, {.type = constant}};
        lag_law_set_parts(&line, parts, 2);
        struct lag_tree_model model = {
            .tree = rows[i].tree,
            .points = 6552,
            .message = 6.3e-4,
            .line = &line,
            .work = {.point = 1.5e-5, .by_point = exponential(&law, 1.5e-6)}
        };
        struct lag_model_mean mean = lag_tree_model_mean(&model, 1000, 2);
        g_assert_cmpfloat(fabs(1e3 * mean.mean - rows[i].mean), <=,
                          4.5 * 1e3 * mean.error + rows[i].digit);
        lag_law_clear(&line);
    }
}

/* The protocols, event by event, on the same laws: means of 400 iterations against 4,000 draws, within 4
 * standard errors of both. (6, 2), s = 3 is told to take the cyclic code: mds, which it would take by itself,
 * may decode with fewer than n - s by luck, and did. */
static void events_agree(void)
{
    enum {
        AUTO = 0,
        CYCLIC = 2 /* among the choices of `code` */
    };
    static const struct {
        const char *protocol;
        struct lag_tree tree;
        enum lag_tree_rule rule;
        double values[4]; /* degree, depth (or workers), stragglers, code */
    } rows[] = {
        {"coded-reduce",    {6, 2, 1},  LAG_TREE_GROUPS, {6, 2, 1, AUTO}  },
        {"coded-reduce",    {6, 2, 3},  LAG_TREE_COUNT,  {6, 2, 3, CYCLIC}},
        {"coded-reduce",    {3, 3, 1},  LAG_TREE_COUNT,  {3, 3, 1, AUTO}  },
        {"gradient-coding", {12, 1, 4}, LAG_TREE_COUNT,  {12, 4, AUTO}    },
    };
    struct lag_law law;

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        const struct laggard_protocol *protocol = lag_protocol_find(rows[i].protocol);
        uint32_t n = lag_tree_workers(&rows[i].tree);
        struct lag_lateness lateness = {.n_ranks = n};
        struct lag_gradient gradient;
        double values[16];
        lag_protocol_outcome outcome;
        lag_parameters_defaults(protocol->parameters, values);
        memcpy(values, rows[i].values, (rows[i].tree.depth > 1 ? 4 : 3) * sizeof *values);
        lag_gradient_init(&gradient);
        gradient.points = 840;
        gradient.parameters = 10;
        gradient.compute.point = 1e-3;
        gradient.compute.rate = 1e3;
        gradient.message_time = 0.02;
        gradient.n_iterations = 400;
        struct lag_protocol_run run = {.n_workers = n,
                                       .n_servers = 1,
                                       .values = values,
                                       .lateness = &lateness,
                                       .seed = 5,
                                       .gradient = &gradient};
        lag_protocol_outcome_init(&outcome, n);
        g_assert_true(protocol->run(&run, &outcome, NULL));
        struct lag_tree_model model = {
            .tree = rows[i].tree,
            .rule = rows[i].rule,
            .points = 840,
            .message = 0.02,
            .work = {.point = 1e-3, .by_point = exponential(&law, 1e-3)}
        };
        struct lag_model_mean mean = lag_tree_model_mean(&model, 4000, 6);
        g_assert_cmpfloat(fabs(outcome.time / 400 - mean.mean), <=,
                          4 * mean.error * sqrt(1 + 4000.0 / 400));
        lag_protocol_outcome_clear(&outcome);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    gsl_set_error_handler_off();
    g_test_add_func("/iteration/port", port);
    g_test_add_func("/iteration/tree-by-hand", tree_by_hand);
    g_test_add_func("/iteration/fixed", fixed);
    g_test_add_func("/iteration/means", means);
    g_test_add_func("/iteration/serial", serial);
    g_test_add_func("/iteration/additive", additive);
    g_test_add_func("/iteration/events-agree", events_agree);
    g_test_add_func("/iteration/latency", latency);
    g_test_add_func("/iteration/slow-senders", slow_senders);
    return g_test_run();
}
