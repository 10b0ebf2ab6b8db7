/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Wrong scenarios, each with the one message that it must get. */
#include <string.h>

#include "scenarios/scenario.h"

#define HEAD  "laggard: 1\nname: t\n"
#define EIGHT "cluster: {gpus: 8, network: {topology: switch, bandwidth: 1 GB/s}}\n"
#define WORK  "workload: {size: 1 MiB}\n"
#define RING  "algorithms: [ring]\n"
#define GPUS(x)                                                                                    \
    HEAD "cluster: {gpus: " x ", network: {topology: switch, bandwidth: 1 GB/s}}\n" WORK RING
#define NET(x)  HEAD "cluster: {gpus: 8, network: {" x "}}\n" WORK RING
#define SIZE(x) HEAD EIGHT "workload: {size: " x "}\n" RING
#define ALGS(x) HEAD EIGHT WORK "algorithms: [" x "]\n"
#define LATE(x) HEAD EIGHT WORK RING "stragglers: [{" x "}]\n"
#define MORE(x) HEAD EIGHT WORK RING x "\n"
#define AXES(x) HEAD EIGHT WORK RING "sweep: {axes: {" x "}}\n"

struct wrong {
    const char *text;
    const char *message; /* how it starts, after "x.yaml:" */
};

/* clang-format off */
/* Not YAML, or not ours. */
static const struct wrong wrong_not_yaml[] = {
    {"",
     "1:1: is empty"},
    {"# nothing\n",
     "1:1: is empty"},
    {"42\n",
     "1:1: is a single value; expected a mapping that begins with laggard: 1"},
    {"- a\n",
     "1:1: is a list; expected a mapping that begins with laggard: 1"},
    {"lag\001\377",
     "1:5: not a text file: byte 0xff is not UTF-8 text"},
    {"\377\376a",
     "1:1: is UTF-16; save it as UTF-8"},
    {"laggard: 1\ncluster:\n\tgpus: 8\n",
     "3:1: not YAML: tab in the indentation; indent with spaces"},
    {"laggard: 1\ncluster: {gpus: 8\n",
     "3:1: not YAML: missing comma in flow mapping"},
    {"a: \"b\n",
     "1:5: not YAML: double-quoted scalar without closing quote"},
    {"laggard: 1\nname: t\n---\nb: 1\n",
     "3:1: a second document begins here; one file holds one scenario"},
    {"laggard: 1\nname: t\ncluster: {gpus: 8, gpus: 4}\n",
     "3:20: duplicate key 'gpus'; it is already given at x.yaml:3:11"},
    {"? [a]\n: 1\n",
     "1:3: a key must be a word"},
    {"laggard: !!int 1\n",
     "1:16: tags (!) mean nothing here; leave them out"},
    {"laggard: *x\n",
     "1:10: alias *x: nothing before it has the anchor &x"},
    {"<<: 3\nlaggard: 1\n",
     "1:5: << merges a mapping or a list of mappings, nothing else"},
    {"a: \"x\\0y\"\n",
     "1:4: a text may not contain control characters"},
    {"laggard: 2\nfuture: 1\n",
     "1:10: laggard: version 2 is newer than this laggard, which reads version 1"},
    {"laggard: \"1\"\n",
     "1:10: laggard: '1' is a text; expected the version of the schema, without quotes"},
    {"name: t\n",
     "1:1: the key 'laggard' is missing: the version of the schema, laggard: 1"},
    {"laggard: 1\nname: t\nclutser: {}\n",
     "3:1: unknown key 'clutser'; did you mean 'cluster'?"},
    {"laggard: 1\nname: t\ncluster: 8\n",
     "3:10: cluster: is a single value; expected a mapping with gpus and network"},
    {HEAD EIGHT RING,
     "1:1: the key 'workload' is missing: what is asked for"},
};

/* Who takes part, and what connects them. */
static const struct wrong wrong_cluster[] = {
    {GPUS("0"),
     "3:17: cluster.gpus: '0' is too small; expected a number of GPUs from 1 to 16777216"},
    {GPUS("-8"),
     "3:17: cluster.gpus: '-8' is negative; expected a number of GPUs from 1 to 16777216"},
    {GPUS("1000000000000000000000000000000"),
     "3:17: cluster.gpus: '1000000000000000000000000000000' is too large; expected a number"},
    {GPUS("8.5"),
     "3:17: cluster.gpus: '8.5' is not a whole number; expected a number of GPUs from 1 to"},
    {GPUS("33554432"),
     "3:17: cluster.gpus: '33554432' is too large; expected a number of GPUs from 1 to"},
    {GPUS("\"8\""),
     "3:17: cluster.gpus: '8' is a text; expected a number of GPUs, without quotes"},
    {GPUS(""),
     "3:11: cluster.gpus: is empty; expected a number of GPUs"},
    {GPUS("{count: 8}"),
     "3:17: cluster.gpus: is a mapping; expected a number of GPUs, or a list of classes"},
    {GPUS("[]"),
     "3:17: cluster.gpus: the list is empty; expected a number of GPUs, or a list of classes"},
    {GPUS("[{speed: 2}]"),
     "3:18: cluster.gpus[0]: the key 'count' is missing: how many GPUs are of this class"},
    {GPUS("[{count: 8, speed: 0}]"),
     "3:36: cluster.gpus[0].speed: '0' is too small; expected a factor above 0"},
    {GPUS("[{count: 4}, {count: 4, speed: 0.5}]"),
     "4:11: workload: compute is 0, so that the speed in cluster.gpus (x.yaml:3:48) has no"},
    {GPUS("8, gpus_per_node: 3"),
     "3:35: cluster.gpus_per_node: 8 GPUs are not a whole number of nodes of 3"},
    {NET("topology: switch, bandwidth: 450"),
     "3:59: cluster.network.bandwidth: '450' has no unit; write for example 450 GB/s"},
    {NET("topology: switch, bandwidth: 450 GB"),
     "3:59: cluster.network.bandwidth: '450 GB' is a size, not a bandwidth; write for example"},
    {NET("topology: switch, bandwidth: 450 GBps"),
     "3:59: cluster.network.bandwidth: '450 GBps' has the unknown unit 'GBps'; did you mean"},
    {NET("topology: switch, bandwidth: 0 GB/s"),
     "3:59: cluster.network.bandwidth: '0 GB/s' is too small; expected a bandwidth above 0"},
    {NET("topology: switch, bandwidth: .inf"),
     "3:59: cluster.network.bandwidth: '.inf' is not a bandwidth; write for example 450 GB/s"},
    {NET("topology: switch, bandwidth: 1e999 GB/s"),
     "3:59: cluster.network.bandwidth: '1e999 GB/s' is too large"},
    {NET("topology: ethernet, bandwidth: 1 GB/s"),
     "3:40: cluster.network.topology: unknown value 'ethernet'; possible: "},
    {NET("topology: switch, bandwidth: 1 GB/s, model: nccl"),
     "3:74: cluster.network.model: unknown value 'nccl'; possible: fluid, alpha-beta"},
    {NET("topology: swich, bandwidth: 1 GB/s"),
     "3:40: cluster.network.topology: unknown value 'swich'; did you mean 'switch'?"},
    {NET("topology: switch, bandwith: 1 GB/s"),
     "3:48: cluster.network: unknown key 'bandwith'; did you mean 'bandwidth'?"},
    {NET("topology: switch"),
     "3:29: cluster.network: the key 'bandwidth' is missing: per direction and link, for"},
    {NET("topology: switch, bandwidth: 1 GB/s, latency: -3 us"),
     "3:76: cluster.network.latency: '-3 us' is negative; expected a time of 0 or more"},
    {NET("topology: switch, bandwidth: 1 GB/s, latency: .nan"),
     "3:76: cluster.network.latency: '.nan' is not a time; write for example 3 us"},
    {NET("topology: switch, bandwidth: 1 GB/s, links: [{link: gpu9->switch, latency: 1 s}]"),
     "3:82: cluster.network.links[0].link: there is no link 'gpu9->switch': nothing is"},
    {NET("topology: switch, bandwidth: 1 GB/s, links: [{link: gpu3->switch}]"),
     "3:75: cluster.network.links[0]: changes nothing; give bandwidth or latency"},
};

/* What is asked for. */
static const struct wrong wrong_workload[] = {
    {SIZE("128M"),
     "4:18: workload.size: '128M' is ambiguous; write 128 MB (powers of 1000) or 128 MiB"},
    {SIZE("1 GIB"),
     "4:18: workload.size: '1 GIB' has the unknown unit 'GIB'; did you mean 'GiB'?"},
    {SIZE("10 B"),
     "4:18: workload.size: '10 B' is 10 B, not a whole number of fp32 elements of 4 B; the"},
    {SIZE("0.5 B"),
     "4:18: workload.size: '0.5 B' is not a whole number of bytes"},
    {SIZE("1e30 B"),
     "4:18: workload.size: '1e30 B' is too large for a size"},
    {SIZE("-4 B"),
     "4:18: workload.size: '-4 B' is negative; expected a size of 0 or more"},
    {SIZE("[4 B]"),
     "4:18: workload.size: is a list; expected a size"},
    {SIZE("4 B, dtype: float32"),
     "4:30: workload.dtype: unknown value 'float32'; possible: fp32, fp64, fp16, bf16, fp8,"},
    {SIZE("4 B, collective: all-reduce"),
     "4:35: workload.collective: unknown value 'all-reduce'; did you mean 'allreduce'?"},
    {SIZE("4 B, root: 1"),
     "4:29: workload.root: allreduce has no root; leave it out"},
    {SIZE("4 B, collective: broadcast, root: 8"),
     "4:52: workload.root: rank 8 is not in the cluster of 8 GPUs: 0 to 7"},
    {SIZE("4 B, steps: 0"),
     "4:30: workload.steps: '0' is too small; expected a whole number from 1 to 1000000000"},
    {SIZE("4 B, compute: 3"),
     "4:32: workload.compute: '3' has no unit; write for example 3 us"},
    {SIZE("4 B, collective: broadcast"),
     "5:14: algorithms[0]: ring does allreduce, reduce-scatter, all-gather, not broadcast"},
    {ALGS("ring, straglar"),
     "5:20: algorithms[1]: unknown algorithm 'straglar'; did you mean 'stragglar'?"},
    {ALGS(""),
     "5:13: algorithms: the list is empty; expected a list of algorithms, [ring, stragglar]"},
    {ALGS("{name: stragglar, stragler: 7}"),
     "5:32: algorithms[0]: stragglar has no parameter 'stragler'; did you mean 'straggler'?"},
    {ALGS("{name: one-shot, x: 7}"),
     "5:31: algorithms[0]: unknown parameter 'x'; one-shot has none"},
    {ALGS("{name: stragglar, straggler: 8}"),
     "5:43: algorithms[0].straggler: expected a whole number from 0 to 7, got \"8\""},
    {ALGS("{straggler: 8}"),
     "5:14: algorithms[0]: the key 'name' is missing: which algorithm it is"},
    {ALGS("ring, stragglar, {name: ring}"),
     "5:31: algorithms[2]: 'ring' is already algorithms[0]; leave one of them out"},
};

/* Who is late. */
static const struct wrong wrong_stragglers[] = {
    {LATE("ranks: [3, 9], delay: 5 ms"),
     "6:26: stragglers[0].ranks[1]: rank 9 is not in the cluster of 8 GPUs: 0 to 7"},
    {LATE("ranks: 6-8, delay: 5 ms"),
     "6:22: stragglers[0].ranks: rank 8 is not in the cluster of 8 GPUs: 0 to 7"},
    {LATE("ranks: [3, 3], delay: 5 ms"),
     "6:26: stragglers[0].ranks[1]: rank 3 is given twice"},
    {LATE("ranks: 3-1, delay: 5 ms"),
     "6:22: stragglers[0].ranks: '3-1' runs backwards"},
    {LATE("ranks: first, delay: 5 ms"),
     "6:22: stragglers[0].ranks: 'first' is no rank; expected ranks: [0, 3], 0-3, 7, all, "},
    {LATE("delay: 5 ms"),
     "6:14: stragglers[0]: the key 'ranks' is missing: who: a list of ranks, 0-3, all, or last"},
    {LATE("ranks: all"),
     "6:14: stragglers[0]: says nothing; give one of delay, slowdown, link_slowdown, throttle, fail or trace"},
    {LATE("ranks: all, delay: 1 s, fail: {at: 1 s}"),
     "6:45: stragglers[0].fail: 'delay' is already given; an entry has one effect: make two"},
    {LATE("ranks: all, slowdown: 2"),
     "6:37: stragglers[0].slowdown: workload.compute is 0, so that a slowdown has no effect;"},
    {LATE("ranks: all, delay: 5"),
     "6:34: stragglers[0].delay: '5' has no unit; write for example 3 us"},
    {LATE("ranks: all, delay: -5 ms"),
     "6:34: stragglers[0].delay: '-5 ms' is negative; expected a time of 0 or more"},
    {LATE("ranks: all, delay: {exponentail: {mean: 1 ms}}"),
     "6:35: stragglers[0].delay: there is no law 'exponentail'; did you mean 'exponential'?"},
    {LATE("ranks: all, delay: {constant: 1 s, exponential: {mean: 1 s}}"),
     "6:34: stragglers[0].delay: 2 laws in one place; expected a law, {exponential: {mean: 1"},
    {LATE("ranks: all, delay: {exponential: {}}"),
     "6:48: stragglers[0].delay.exponential: the key 'mean' is missing: the mean"},
    {LATE("ranks: all, delay: {exponential: {mean: 1}}"),
     "6:55: stragglers[0].delay.exponential.mean: '1' has no unit; write for example 3 us"},
    {LATE("ranks: all, delay:"),
     "6:27: stragglers[0].delay: is empty; expected a time"},
    {LATE("ranks: all, fail: {att: 1 ms}"),
     "6:34: stragglers[0].fail: unknown key 'att'; did you mean 'at'?"},
};

/* Seeds and points. */
static const struct wrong wrong_run_and_sweep[] = {
    {MORE("run: {seed: -1}"),
     "6:13: run.seed: '-1' is negative; expected a seed from 0 to 18446744073709551615"},
    {MORE("run: {replications: 0}"),
     "6:21: run.replications: '0' is too small; expected a whole number from 1 to 1000000000"},
    {MORE("run: {engine: algebra}"),
     "6:15: run.engine: unknown value 'algebra'; possible: auto, replay, lockstep"},
    {MORE("sweep: {zip: true}"),
     "6:8: sweep: the key 'axes' is missing: what varies, {cluster.gpus: [4, 8, 16]}"},
    {MORE("sweep: {zip: maybe, axes: {}}"),
     "6:14: sweep.zip: unknown value 'maybe'; possible: false, true"},
    {AXES("cluster.gpu: [4]"),
     "6:16: sweep.axes.cluster.gpu: there is no such key in a scenario; did you mean 'gpus'?"},
    {AXES("cluster..gpus: [4]"),
     "6:16: sweep.axes.cluster..gpus: 'cluster..gpus' is not a path; write for example"},
    {AXES("cluster.gpus: 4"),
     "6:30: sweep.axes.cluster.gpus: is a single value; expected a list of values"},
    {AXES("cluster.gpus: []"),
     "6:30: sweep.axes.cluster.gpus: the list is empty; an axis has at least one value"},
    {AXES("\"algorithms[3]\": [ring]"),
     "6:16: sweep.axes.algorithms[3]: [3] is past the end: the list has 1 entry"},
    {AXES("sweep.zip: [true]"),
     "6:16: sweep.axes.sweep.zip: 'sweep' can't be swept"},
    {AXES("laggard: [1]"),
     "6:16: sweep.axes.laggard: 'laggard' can't be swept"},
    {AXES("workload: [{size: 4 B}], workload.size: [4 B]"),
     "6:41: sweep.axes.workload.size: overlaps with the axis 'workload'"},
    {AXES("workload.size: [4 B, 3 B], cluster.gpus: [4]"),
     "6:37: workload.size: '3 B' is 3 B, not a whole number of fp32 elements of 4 B; the"},
    {MORE("sweep: {zip: true, axes: {workload.size: [4 B], cluster.gpus: [4, 8]}}"),
     "6:63: sweep.axes.cluster.gpus: has 2 values, but 'workload.size' has 1; with zip all"},
};
/* clang-format on */

/* Loads a text and all its points; NULL and an error where one of them is wrong. */
static lag_document *load(const char *text, const char *const *sets, GError **error)
{
    g_autoptr(lag_document) document =
        lag_document_parse(text, strlen(text), "x.yaml", ".", sets, error);

    for (uint32_t i = 0; document != NULL && i < lag_document_n_points(document); i++) {
        g_autoptr(lag_scenario) scenario = lag_document_point(document, i, error);
        if (scenario == NULL)
            return NULL;
    }
    return g_steal_pointer(&document);
}

/* The message must start with `place` and `message`, be one line, and be of the kind "input". */
static void assert_refused(const char *text, const char *const *sets, const char *place,
                           const char *message)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(lag_document) document = load(text, sets, &error);
    g_autofree char *expected = g_strconcat(place, message, NULL);

    g_assert_null(document);
    g_assert_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT);
    g_assert_null(strchr(error->message, '\n'));
    if (!g_str_has_prefix(error->message, expected))
        g_assert_cmpstr(error->message, ==, expected);
}

#define ROWS(table)                                                                                \
    {                                                                                              \
        table, G_N_ELEMENTS(table)                                                                 \
    }
static const struct {
    const struct wrong *rows;
    size_t n_rows;
} tables[] = {
    ROWS(wrong_not_yaml),   ROWS(wrong_cluster),       ROWS(wrong_workload),
    ROWS(wrong_stragglers), ROWS(wrong_run_and_sweep),
};

static void test_wrong(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(tables); i++)
        for (size_t j = 0; j < tables[i].n_rows; j++) {
            g_test_message("%s", tables[i].rows[j].message);
            assert_refused(tables[i].rows[j].text, NULL, "x.yaml:", tables[i].rows[j].message);
        }
}

/* What the wrong ones are made of is right: it is the change that is refused. */
static void test_right(void)
{
    static const char *const right[] = {
        HEAD EIGHT WORK RING,
        GPUS("[{count: 4}, {count: 4, speed: 1}]"),
        NET("topology: switch, bandwidth: 1 GB/s, latency: 3 us"),
        SIZE("4 B"),
        ALGS("ring, {name: stragglar, straggler: 7}"),
        LATE("ranks: all, delay: {exponential: {mean: 1 ms}}"),
        NET("topology: switch, bandwidth: 1 GB/s, model: fluid"),
        NET("topology: switch, bandwidth: 1 GB/s, model: alpha-beta"),
        MORE("run: {seed: 1}"),
        MORE("run: {engine: auto}"),
        MORE("run: {engine: replay}"),
        MORE("run: {engine: lockstep}"),
        AXES("cluster.gpus: [4]"),
    };

    for (size_t i = 0; i < G_N_ELEMENTS(right); i++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(lag_document) document = load(right[i], NULL, &error);
        g_assert_no_error(error);
        g_assert_nonnull(document);
    }
}

/* Each --set stands in its message in place of the file. */
static void test_wrong_sets(void)
{
    static const struct {
        const char *set, *message;
    } rows[] = {
        {"cluster.gpus=x",     ": cluster.gpus: 'x' is not a whole number; expected a number of GPUs"},
        {"cluster.gpus=",      ": is empty"                                                          },
        {"cluster.gpu=4",      ": cluster: unknown key 'gpu'; did you mean 'gpus'?"                  },
        {"workload.size=3",    ": workload.size: '3' has no unit; write for example 1 GiB"           },
        {"algorithms[1]=rong", ": algorithms[1]: unknown algorithm 'rong'; did you mean 'ring'?"     },
        {"algorithms[2]=ring", ": [2] is past the end: the list has 1 entry"                         },
        {"algorithms[0].x=1",  ": 'x' can't be set there: what holds it is a single value"           },
        {"cluster.gpus",       ": expected PATH=VALUE, for example cluster.gpus=8"                   },
        {"=3",                 ": '' is not a path; write for example cluster.gpus"                  },
        {"name=[a",            ": not YAML: "                                                        },
        {"run.seed=[1]",       ": run.seed: is a list; expected a seed"                              },
        {"run.sede=1",         ": run: unknown key 'sede'; did you mean 'seed'?"                     },
    };

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        const char *const sets[] = {rows[i].set, NULL};
        g_autofree char *place = g_strconcat("--set ", rows[i].set, NULL);
        assert_refused(HEAD EIGHT WORK RING, sets, place, rows[i].message);
    }
}

/* Too many points, and a sweep's point that is wrong: its coordinates are named. */
static void test_wrong_points(void)
{
    g_autoptr(GString) text = g_string_new(HEAD EIGHT WORK RING "sweep:\n  axes:\n");

    for (int i = 0; i < 2; i++) {
        g_string_append_printf(text, "    %s: [", i == 0 ? "run.seed" : "run.replications");
        for (int j = 1; j <= 1001; j++)
            g_string_append_printf(text, "%d%s", j, j < 1001 ? ", " : "]\n");
    }
    assert_refused(text->str, NULL, "x.yaml:", "8:5: sweep.axes: more than 1000000 points in all");
    assert_refused(AXES("workload.size: [4 B], cluster.gpus: [4, 6]") "algorithm: 1\n", NULL,
                   "x.yaml:7:1: ",
                   "unknown key 'algorithm'; did you mean 'algorithms'? (at the sweep's point "
                   "workload.size=4 B, cluster.gpus=4)");
}

static void assert_file_refused(const char *path, const char *message)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *expected = g_strconcat(path, ": ", message, NULL);

    g_assert_null(lag_document_load(path, NULL, &error));
    g_assert_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT);
    g_assert_cmpstr(error->message, ==, expected);
}

static void test_wrong_files(void)
{
    assert_file_refused("/nonexistent/x.yaml", "can't be read: No such file or directory");
    assert_file_refused("/", "can't be read: it is a folder");
    assert_file_refused("/dev/zero", "is larger than 32 MiB");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/document/wrong", test_wrong);
    g_test_add_func("/document/right", test_right);
    g_test_add_func("/document/wrong-sets", test_wrong_sets);
    g_test_add_func("/document/wrong-points", test_wrong_points);
    g_test_add_func("/document/wrong-files", test_wrong_files);
    return g_test_run();
}
