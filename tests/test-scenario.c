/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Right scenarios, and what becomes of them. The wrong ones are in test-document.c. */
#include <string.h>

#include <glib/gstdio.h>

#include "algorithms/algorithms.h"
#include "scenarios/scenario.h"

#define HEAD  "laggard: 1\nname: t\n"
#define EIGHT "cluster: {gpus: 8, network: {topology: switch, bandwidth: 1 GB/s}}\n"
#define WORK  "workload: {size: 1 MiB}\n"
#define RING  "algorithms: [ring]\n"

static lag_document *load(const char *text, const char *const *sets)
{
    g_autoptr(GError) error = NULL;
    lag_document *document =
        lag_document_parse(text, strlen(text), "x.yaml", g_get_tmp_dir(), sets, &error);

    g_assert_no_error(error);
    return document;
}

static lag_scenario *point_of(const lag_document *document, uint32_t point)
{
    g_autoptr(GError) error = NULL;
    lag_scenario *scenario = lag_document_point(document, point, &error);

    g_assert_no_error(error);
    return scenario;
}

static lag_scenario *read_one(const char *text, const char *const *sets)
{
    g_autoptr(lag_document) document = load(text, sets);

    g_assert_cmpuint(lag_document_n_points(document), ==, 1);
    g_assert_cmpuint(lag_document_n_axes(document), ==, 0);
    return point_of(document, 0);
}

/* What is not said has its default. */
static void test_defaults(void)
{
    g_autoptr(lag_scenario) scenario = read_one(HEAD EIGHT WORK RING, NULL);

    g_assert_cmpstr(scenario->name, ==, "t");
    g_assert_cmpuint(scenario->n_ranks, ==, 8);
    g_assert_cmpuint(scenario->topology->n_ranks, ==, 8);
    g_assert_cmpfloat(scenario->topology->links[15].rate, ==, 1e9);
    g_assert_cmpfloat(scenario->topology->links[15].latency, ==, 0);
    g_assert_true(scenario->network.topology == scenario->topology);
    g_assert_cmpfloat(scenario->network.overhead, ==, 0);
    g_assert_false(scenario->network.eager);
    g_assert_cmpint(scenario->collective, ==, LAGGARD_ALLREDUCE);
    g_assert_cmpuint(scenario->size, ==, 1048576);
    g_assert_cmpstr(scenario->dtype, ==, "fp32");
    g_assert_cmpuint(scenario->element_bytes, ==, 4);
    g_assert_cmpuint(scenario->n_steps, ==, 1);
    g_assert_cmpuint(scenario->n_replications, ==, 1);
    g_assert_cmpuint(scenario->seed, ==, 1);
    g_assert_cmpint(scenario->engine, ==, LAG_ENGINE_AUTO);
    g_assert_cmpuint(scenario->lateness.n_ranks, ==, 8);
    g_assert_cmpfloat(scenario->lateness.compute, ==, 0);
    g_assert_null(scenario->lateness.speed);
    g_assert_null(scenario->lateness.trace);
    g_assert_cmpuint(scenario->lateness.n_stragglers, ==, 0);
    g_assert_cmpuint(scenario->n_entrants, ==, 1);
    g_assert_cmpstr(scenario->entrants[0].label, ==, "ring");
    g_assert_cmpuint(scenario->warnings->len, ==, 0);
}

/* Everything at once, in JSON. */
static void test_everything(void)
{
    g_autoptr(lag_scenario) scenario = read_one(
        "{\"laggard\": 1, \"name\": \"all\",\n"
        "\t\"cluster\": {\"gpus\": [{\"count\": 3}, {\"count\": 1, \"speed\": 0.5}],\n"
        "\t\t\"gpus_per_node\": 2, \"network\": {\"topology\": \"switch\",\n"
        "\t\t\"model\": \"alpha-beta\", \"bandwidth\": \"400 Gbps\", \"latency\": \"3 us\",\n"
        "\t\t\"overhead\": \"1 us\", \"transfers\": \"eager\", \"links\": [\n"
        "\t\t{\"link\": \"gpu3--switch\", \"bandwidth\": \"1 GB/s\"},\n"
        "\t\t{\"link\": \"gpu1->switch\", \"latency\": \"5 us\"}]}},\n"
        "\t\"workload\": {\"collective\": \"reduce-scatter\", \"size\": \"4 kB\",\n"
        "\t\t\"dtype\": \"bf16\", \"compute\": \"2 s\", \"steps\": 5},\n"
        "\t\"algorithms\": [\"ring\"],\n"
        "\t\"stragglers\": [{\"ranks\": [2, 0], \"delay\": \"5 ms\"},\n"
        "\t\t{\"ranks\": \"1-2\", \"slowdown\": {\"exponential\": {\"mean\": 2}}},\n"
        "\t\t{\"ranks\": 3, \"fail\": {\"at\": \"1 s\"}},\n"
        "\t\t{\"ranks\": \"all\", \"delay\": {\"exponential\": {\"mean\": \"1 ms\"}}},\n"
        "\t\t{\"ranks\": \"last\", \"slowdown\": {\"constant\": 3}}],\n"
        "\t\"run\": {\"seed\": 18446744073709551615, \"replications\": 7,\n"
        "\t\t\"engine\": \"replay\"}}\n",
        NULL);
    const struct lag_link *links = scenario->topology->links;
    const struct lag_straggler *straggler = scenario->lateness.stragglers;

    g_assert_cmpuint(scenario->n_ranks, ==, 4);
    g_assert_cmpfloat(scenario->lateness.speed[2], ==, 1);
    g_assert_cmpfloat(scenario->lateness.speed[3], ==, 0.5);
    g_assert_cmpfloat(scenario->network.overhead, ==, 1e-6);
    g_assert_true(scenario->network.eager);
    g_assert_cmpfloat(links[lag_topology_egress(scenario->topology, 0)].rate, ==, 50e9);
    g_assert_cmpfloat(links[lag_topology_egress(scenario->topology, 3)].rate, ==, 1e9);
    g_assert_cmpfloat(links[lag_topology_ingress(scenario->topology, 3)].rate, ==, 1e9);
    g_assert_cmpfloat(links[lag_topology_egress(scenario->topology, 1)].latency, ==, 5e-6);
    g_assert_cmpfloat(links[lag_topology_ingress(scenario->topology, 1)].latency, ==, 1.5e-6);
    g_assert_cmpint(scenario->collective, ==, LAGGARD_REDUCE_SCATTER);
    g_assert_cmpuint(scenario->size, ==, 4000);
    g_assert_cmpuint(scenario->element_bytes, ==, 2);
    g_assert_cmpfloat(scenario->lateness.compute, ==, 2);
    g_assert_cmpuint(scenario->n_steps, ==, 5);
    g_assert_cmpuint(scenario->seed, ==, UINT64_MAX);
    g_assert_cmpuint(scenario->n_replications, ==, 7);
    g_assert_cmpint(scenario->engine, ==, LAG_ENGINE_REPLAY);
    g_assert_cmpuint(scenario->lateness.n_stragglers, ==, 5);
    g_assert_cmpint(straggler[0].effect, ==, LAG_DELAY);
    g_assert_cmpstr(straggler[0].law.type->name, ==, "constant");
    g_assert_cmpfloat(straggler[0].law.p[0], ==, 5e-3);
    g_assert_cmpuint(straggler[0].n_ranks, ==, 2);
    g_assert_cmpuint(straggler[0].ranks[1], ==, 0);
    g_assert_cmpint(straggler[1].effect, ==, LAG_SLOWDOWN);
    g_assert_cmpstr(straggler[1].law.type->name, ==, "exponential");
    g_assert_cmpfloat(straggler[1].law.p[0], ==, 2);
    g_assert_cmpuint(straggler[1].ranks[1], ==, 2);
    g_assert_cmpint(straggler[2].effect, ==, LAG_DEATH);
    g_assert_cmpfloat(straggler[2].law.p[0], ==, 1);
    g_assert_cmpuint(straggler[2].ranks[0], ==, 3);
    g_assert_cmpuint(straggler[3].n_ranks, ==, 4);
    g_assert_cmpfloat(straggler[3].law.p[0], ==, 1e-3);
    g_assert_cmpuint(straggler[4].ranks[0], ==, 3);
    g_assert_cmpfloat(straggler[4].law.p[0], ==, 3);
}

/* The loader's list of collectives is in the order of the enum. */
static void test_collectives(void)
{
    for (unsigned c = 0; c < LAGGARD_N_COLLECTIVES; c++) {
        const char *name = laggard_collective_name((enum laggard_collective)c);
        g_autofree char *collective = g_strdup_printf("workload.collective=%s", name);
        bool rooted = laggard_collective_has_root(c);
        const char *const sets[] = {collective, rooted ? "algorithms=[chain]" : NULL,
                                    "workload.root=5", NULL};
        g_autoptr(lag_scenario) scenario = read_one(HEAD EIGHT WORK RING, sets);
        g_assert_cmpint(scenario->collective, ==, c);
        g_assert_cmpuint(scenario->root, ==, rooted ? 5 : 0);
    }
}

/* Labels say what differs from the defaults. */
static void test_entrants(void)
{
    g_autoptr(lag_scenario) scenario = read_one(
        HEAD EIGHT WORK "algorithms: [stragglar, {name: stragglar, straggler: 7}, {name: ring}]\n",
        NULL);

    g_assert_cmpuint(scenario->n_entrants, ==, 3);
    g_assert_true(scenario->entrants[1].algorithm == lag_algorithm_find("stragglar"));
    g_assert_cmpstr(scenario->entrants[0].label, ==, "stragglar");
    g_assert_cmpstr(scenario->entrants[1].label, ==, "stragglar straggler=7");
    g_assert_cmpfloat(scenario->entrants[1].values[0], ==, 7);
    g_assert_cmpstr(scenario->entrants[2].label, ==, "ring");
}

static void test_zero_bytes(void)
{
    g_autoptr(lag_scenario) scenario = read_one(HEAD EIGHT "workload: {size: 0 B}\n" RING, NULL);

    g_assert_cmpuint(scenario->size, ==, 0);
    g_assert_cmpuint(scenario->warnings->len, ==, 1);
    g_assert_cmpstr(g_ptr_array_index(scenario->warnings, 0), ==,
                    "x.yaml:4:18: workload.size: a collective of 0 bytes takes no time");
}

/* --set changes what is there, adds what is not, and may take a sweep away. */
static void test_sets(void)
{
    const char *const sets[] = {"cluster.gpus=4",
                                "run.seed=9",
                                "algorithms[1]={name: stragglar, straggler: 1}",
                                "stragglers=[{ranks: last, delay: 1 ms}]",
                                "stragglers[0].delay=2 ms",
                                "sweep={}",
                                NULL};
    g_autoptr(lag_scenario) scenario =
        read_one(HEAD EIGHT WORK RING "sweep: {axes: {run.seed: [1, 2]}}\n", sets);

    g_assert_cmpuint(scenario->n_ranks, ==, 4);
    g_assert_cmpuint(scenario->seed, ==, 9);
    g_assert_cmpstr(scenario->entrants[1].label, ==, "stragglar straggler=1");
    g_assert_cmpuint(scenario->lateness.stragglers[0].ranks[0], ==, 3);
    g_assert_cmpfloat(scenario->lateness.stragglers[0].law.p[0], ==, 2e-3);
}

/* 3 x 2 points: the last axis is the fastest. */
static void test_product(void)
{
    g_autoptr(lag_document) document =
        load(HEAD EIGHT WORK RING "stragglers: [{ranks: last, delay: 1 ms}]\n"
                                  "sweep: {axes: {cluster.gpus: [2, 4, 8], workload.size: [1 KiB, "
                                  "2 MiB]}}\n",
             NULL);

    g_assert_cmpuint(lag_document_n_points(document), ==, 6);
    g_assert_cmpuint(lag_document_n_axes(document), ==, 2);
    g_assert_cmpstr(lag_document_axis(document, 0), ==, "cluster.gpus");
    g_assert_cmpstr(lag_document_axis(document, 1), ==, "workload.size");
    for (uint32_t i = 0; i < 6; i++) {
        g_autoptr(lag_scenario) scenario = point_of(document, i);
        struct lag_coordinate gpus = lag_document_coordinate(document, i, 0);
        struct lag_coordinate size = lag_document_coordinate(document, i, 1);
        g_assert_cmpuint(scenario->n_ranks, ==, 2u << i / 2);
        g_assert_cmpuint(scenario->size, ==, i % 2 == 0 ? 1024 : 2097152);
        g_assert_cmpuint(scenario->lateness.stragglers[0].ranks[0], ==, scenario->n_ranks - 1);
        g_assert_true(gpus.is_number && size.is_number);
        g_assert_cmpfloat(gpus.number, ==, scenario->n_ranks);
        g_assert_cmpfloat(size.number, ==, (double)scenario->size);
        g_assert_cmpstr(size.text, ==, i % 2 == 0 ? "1 KiB" : "2 MiB");
    }
}

/* Axes that walk together, also into lists, with values that are no numbers. */
static void test_zip(void)
{
    g_autoptr(lag_document) document =
        load(HEAD EIGHT WORK "algorithms: [{name: stragglar, straggler: 0}]\n"
                             "stragglers: [{ranks: [0], delay: 1 ms}]\n"
                             "sweep:\n"
                             "  zip: true\n"
                             "  axes:\n"
                             "    algorithms[0].straggler: [5, 6]\n"
                             "    stragglers[0].ranks: [[5], 6-7]\n"
                             "    stragglers[0].delay: [3 ms, {exponential: {mean: 1 s}}]\n"
                             "    cluster.network.transfers: [eager, rendezvous]\n",
             NULL);
    static const char *const texts[2][4] = {
        {"5", "[\"5\"]", "3 ms",                                 "eager"     },
        {"6", "6-7",     "{\"exponential\":{\"mean\":\"1 s\"}}", "rendezvous"},
    };
    static const bool numbers[2][4] = {
        {true, false, true,  false},
        {true, false, false, false}
    };

    g_assert_cmpuint(lag_document_n_points(document), ==, 2);
    for (uint32_t i = 0; i < 2; i++) {
        g_autoptr(lag_scenario) scenario = point_of(document, i);
        g_assert_cmpfloat(scenario->entrants[0].values[0], ==, 5 + i);
        g_assert_cmpuint(scenario->lateness.stragglers[0].n_ranks, ==, 1 + i);
        g_assert_true(scenario->network.eager == (i == 0));
        for (uint32_t axis = 0; axis < 4; axis++) {
            struct lag_coordinate at = lag_document_coordinate(document, i, axis);
            g_assert_cmpstr(at.text, ==, texts[i][axis]);
            g_assert_true(at.is_number == numbers[i][axis]);
        }
    }
    g_assert_cmpfloat(lag_document_coordinate(document, 0, 2).number, ==, 3e-3);
}

/* A table beside the scenario, of two steps and two ranks, in the folder for temporary files. */
static char *write_table(const char *text)
{
    g_autoptr(GError) error = NULL;
    char *path = NULL;
    int file = g_file_open_tmp("laggard-XXXXXX.csv", &path, &error);

    g_assert_no_error(error);
    g_close(file, NULL);
    g_file_set_contents(path, text, -1, &error);
    g_assert_no_error(error);
    return path;
}

static char *trace_text(const char *gpus, const char *path, const char *more)
{
    g_autofree char *file = g_path_get_basename(path); /* relative to the document's folder */

    return g_strdup_printf(HEAD "cluster: {gpus: %s, network: {topology: switch, bandwidth: 1 "
                                "GB/s}}\nworkload: {size: 4 B%s}\n" RING "stragglers:\n"
                                "  - trace: {file: %s, step: step, rank: rank, wait: wait_ms}\n",
                           gpus, more, file);
}

static void test_trace(void)
{
    g_autofree char *path = write_table("step,rank,wait_ms\n0,0,5\n0,1,0\n1,0,0\n1,1,2\n");
    g_autofree char *text = trace_text("2", path, ""), *one = trace_text("2", path, ", steps: 1");
    g_autofree char *four = trace_text("4", path, ""), *nine = trace_text("2", path, ", steps: 9");
    g_autofree char *file = g_path_get_basename(path);
    g_autofree char *ranks = g_strdup_printf("x.yaml:7:19: stragglers[0].trace.file: %s has 2 "
                                             "ranks, but cluster.gpus (x.yaml:3:17) has 4; set "
                                             "cluster.gpus to 2",
                                             file);
    g_autofree char *steps = g_strdup_printf("x.yaml:7:19: stragglers[0].trace.file: %s has 2 "
                                             "steps, but workload.steps (x.yaml:4:30) is 9; set "
                                             "it to at most 2, or leave it out",
                                             file);
    g_autoptr(lag_scenario) scenario = read_one(text, NULL);
    g_autoptr(lag_scenario) first = read_one(one, NULL);
    g_autoptr(lag_document) wrong_ranks = load(four, NULL);
    g_autoptr(lag_document) wrong_steps = load(nine, NULL);
    g_autoptr(GError) error = NULL;

    g_assert_cmpuint(scenario->n_steps, ==, 2);
    g_assert_true(scenario->lateness.trace == scenario->trace);
    g_assert_cmpfloat(scenario->trace->arrival[1], ==, 5e-3);
    g_assert_cmpfloat(scenario->trace->arrival[2], ==, 2e-3);
    g_assert_cmpuint(first->n_steps, ==, 1);
    g_assert_null(lag_document_point(wrong_ranks, 0, &error));
    g_assert_cmpstr(error->message, ==, ranks); /* TC16: both counts, both places */
    g_clear_error(&error);
    g_assert_null(lag_document_point(wrong_steps, 0, &error));
    g_assert_cmpstr(error->message, ==, steps);
    g_unlink(path);
}

static char *fingerprint(const char *text, const char *const *sets)
{
    g_autoptr(lag_document) document = load(text, sets);

    return g_strdup(lag_document_fingerprint(document));
}

/* Layout, comments, order and aliases are no part of it; values, --set and tables are. */
static void test_fingerprint(void)
{
    const char *const sets[] = {"run.seed=2", NULL};
    g_autofree char *a = fingerprint(HEAD EIGHT WORK RING, NULL);
    g_autofree char *b =
        fingerprint("# comment\n" RING "workload: &w\n  size: 1 MiB\n" EIGHT HEAD, NULL);
    g_autofree char *c = fingerprint(HEAD EIGHT WORK RING, sets);
    g_autofree char *d = fingerprint(HEAD EIGHT WORK RING "run: {seed: 2}\n", NULL);
    g_autofree char *path = write_table("step,rank,wait_ms\n0,0,5\n0,1,0\n");
    g_autofree char *text = trace_text("2", path, "");
    g_autofree char *e = fingerprint(text, NULL), *f = NULL;

    g_assert_true(g_str_has_prefix(a, "sha256:") && strlen(a) == 7 + 64);
    g_assert_cmpstr(a, ==, b);
    g_assert_cmpstr(a, !=, c);
    g_assert_cmpstr(c, ==, d);
    g_assert_true(g_file_set_contents(path, "step,rank,wait_ms\n0,0,6\n0,1,0\n", -1, NULL));
    f = fingerprint(text, NULL);
    g_assert_cmpstr(e, !=, f);
    g_unlink(path);
}

/* The files that come with laggard are right; the log's first step by hand: rank 2 waited longest,
 * 1753.16 ms, so that it came first and rank 0 came 1753.16 - 1002.45 = 750.71 ms later. */
static void test_shipped(void)
{
    static const char *const names[] = {"quickstart.yaml", "paper/stragglar.yaml",
                                        "stragglar-4xA100-log.yaml"};
    const char *root = g_getenv("LAGGARD_SOURCE_ROOT");

    if (root == NULL) {
        g_test_skip("LAGGARD_SOURCE_ROOT is not set");
        return;
    }
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autoptr(GError) error = NULL;
        g_autofree char *path = g_build_filename(root, "scenarios", names[i], NULL);
        g_autoptr(lag_document) document = lag_document_load(path, NULL, &error);
        g_assert_no_error(error);
        g_assert_cmpuint(lag_document_n_points(document), ==, i == 1 ? 7 : 1);
        for (uint32_t j = 0; j < lag_document_n_points(document); j++) {
            g_autoptr(lag_scenario) scenario = point_of(document, j);
            g_assert_cmpuint(scenario->n_entrants, ==, 2);
            if (i == 2) {
                g_assert_cmpuint(scenario->n_steps, ==, 50);
                g_assert_cmpfloat_with_epsilon(scenario->trace->arrival[0], 0.75071, 1e-12);
                g_assert_cmpfloat(scenario->trace->arrival[2], ==, 0);
            }
        }
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/scenario/defaults", test_defaults);
    g_test_add_func("/scenario/everything", test_everything);
    g_test_add_func("/scenario/collectives", test_collectives);
    g_test_add_func("/scenario/entrants", test_entrants);
    g_test_add_func("/scenario/zero-bytes", test_zero_bytes);
    g_test_add_func("/scenario/sets", test_sets);
    g_test_add_func("/scenario/product", test_product);
    g_test_add_func("/scenario/zip", test_zip);
    g_test_add_func("/scenario/trace", test_trace);
    g_test_add_func("/scenario/fingerprint", test_fingerprint);
    g_test_add_func("/scenario/shipped", test_shipped);
    return g_test_run();
}
