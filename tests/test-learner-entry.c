/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `learner:` in scenarios: what is right and what becomes of it, what is wrong and what is said. */
#include <string.h>

#include <glib/gstdio.h>
#include <gsl/gsl_errno.h>

#include "scenarios/dataset-shelf.h"
#include "scenarios/learner-entry.h"
#include "scenarios/yaml.h"
#include "tests/helpers.h"

static lag_learner_entry *try(const char *text, const char *folder, GError **error)
{
    g_autoptr(lag_node) root = lag_yaml_parse(text, strlen(text), "x.yaml", true, error);
    g_autoptr(lag_dataset_shelf) shelf = lag_dataset_shelf_new();
    g_autofree char *where = g_strdup(folder);
    struct lag_sources sources = {.folder = where, .shelf = shelf};
    struct lag_draft draft = {.sources = &sources};

    g_assert_no_error(*error);
    struct lag_at at = {NULL, NULL, 0, root};
    return lag_learner_entry_read(&at, &draft, error);
}

/* All keys arrive. */
static void all_keys(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(lag_learner_entry) entry =
        try("{dataset: {name: generated, samples: 100, features: 3, classes: 4, seed: 9, noise: 2},"
            " model: mlp, hidden: 5, learning_rate: 0.25, momentum: 0.5, rate_rule: sqrt,"
            " reference: 16, most_scale: 8, drops: [{samples: 10, factor: 0.1}, {samples: 20,"
            " factor: 2}], shards: queue, test_every: 1000}",
            ".", &error);

    g_assert_no_error(error);
    g_assert_cmpstr(entry->model->kind->name, ==, "mlp");
    g_assert_cmpuint(entry->model->n_hidden, ==, 5);
    g_assert_cmpuint(entry->model->dataset->n_features, ==, 3);
    g_assert_cmpuint(entry->model->dataset->n_classes, ==, 4);
    g_assert_cmpuint(entry->model->dataset->train.n, ==, 80);
    const struct lag_optimizer_setup *optimizer = &entry->setup.optimizer;
    g_assert_cmpfloat(optimizer->rate, ==, 0.25);
    g_assert_cmpfloat(optimizer->momentum, ==, 0.5);
    g_assert_cmpint(optimizer->rule, ==, LAG_RATE_SQRT);
    g_assert_cmpfloat(optimizer->reference, ==, 16);
    g_assert_cmpfloat(optimizer->most_scale, ==, 8);
    g_assert_cmpuint(optimizer->n_drops, ==, 2);
    g_assert_cmpfloat(optimizer->drops[1].factor, ==, 2);
    g_assert_cmpint(entry->setup.shards, ==, LAG_SHARDS_QUEUE);
    g_assert_cmpfloat(entry->setup.test_every, ==, 1000);
}

/* Every word of the table of models, of rules and of shards means itself. */
static void words(void)
{
    for (size_t i = 0; lag_model_kinds[i] != NULL; i++) {
        g_autoptr(GError) error = NULL;
        g_autofree char *text = g_strdup_printf(
            "{dataset: generated, model: %s, learning_rate: 1%s}", lag_model_kinds[i]->name,
            lag_model_kinds[i]->has_hidden ? ", hidden: 2" : "");
        g_autoptr(lag_learner_entry) entry = try(text, ".", &error);
        g_assert_no_error(error);
        g_assert_true(entry->model->kind == lag_model_kinds[i]);
    }
    for (int i = 0; i < LAG_N_RATE_RULES + LAG_N_SHARDS; i++) {
        bool rule = i < LAG_N_RATE_RULES;
        g_autoptr(GError) error = NULL;
        g_autofree char *text =
            g_strdup_printf("{dataset: generated, model: logistic, learning_rate: 1, %s: %s}",
                            rule ? "rate_rule" : "shards",
                            rule ? lag_rate_rule_names[i] : lag_shards_names[i - LAG_N_RATE_RULES]);
        g_autoptr(lag_learner_entry) entry = try(text, ".", &error);
        g_assert_no_error(error);
        g_assert_cmpint(rule ? (int)entry->setup.optimizer.rule
                             : (int)entry->setup.shards + LAG_N_RATE_RULES,
                        ==, i);
    }
}

/* A table in the scenario's folder: numbers, the last column is learnt, every fifth row is the
 * test. */
static void table(void)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *folder = g_dir_make_tmp("laggard-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(folder, "t.csv", NULL);

    g_file_set_contents(path, "x,y,label\n1,2,3\n2,3,4\n3,4,5\n4,5,6\n5,6,7\n", -1, NULL);
    g_autoptr(lag_learner_entry) entry =
        try("{dataset: {file: t.csv}, model: least-squares, learning_rate: 0.1}", folder, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(entry->model->dataset->n_features, ==, 2);
    g_assert_cmpuint(entry->model->dataset->train.n, ==, 4);
    g_unlink(path);
    g_rmdir(folder);
}

static void refusals(void)
{
    const struct {
        const char *text, *message;
    } rows[] = {
        {"{dataset: digit, model: softmax, learning_rate: 1}",                         "unknown data set 'digit'"},
        {"{dataset: {name: digits, file: x.csv}, model: softmax, learning_rate: 1}",
         "expected one of name, file and folder"                                                                 },
        {"{dataset: {seed: 1}, model: softmax, learning_rate: 1}",
         "expected one of name, file and folder"                                                                 },
        {"{dataset: digits, model: softmx, learning_rate: 1}",                         "softmx"                  },
        {"{dataset: digits, model: logistic, learning_rate: 1}",                       "x.yaml:1:26: model: "    },
        {"{dataset: digits, model: softmax}",                                          "learning_rate"           },
        {"{dataset: digits, model: softmax, learning_rate: 0}",                        "learning_rate: "         },
        {"{dataset: digits, model: softmax, learning_rate: 1, momentum: 2}",           "from 0 to 1"             },
        {"{dataset: digits, model: softmax, learning_rate: 1, drops: [{samples: 1}]}", "factor"                  },
        {"{dataset: {file: no-such.csv}, model: softmax, learning_rate: 1}",           "no-such.csv"             },
        {"{dataset: digits, model: softmax, learning_rate: 1, rate: 2}",               "rate"                    },
        {"7",                                                                          "expected"                },
    };

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GError) error = NULL;
        g_assert_null(try(rows[i].text, "/nowhere", &error));
        g_assert_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT);
        if (strstr(error->message, rows[i].message) == NULL)
            g_error("'%s' doesn't say '%s'", error->message, rows[i].message);
    }
}

int main(int argc, char *argv[])
{
    gsl_set_error_handler_off();
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/learner-entry/all-keys", all_keys);
    g_test_add_func("/learner-entry/words", words);
    g_test_add_func("/learner-entry/table", table);
    g_test_add_func("/learner-entry/refusals", refusals);
    return g_test_run();
}
