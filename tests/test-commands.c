/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The program from outside: exit statuses, what goes to which stream, the same bytes again. */
#include <string.h>
#include <unistd.h>

#include <glib/gstdio.h>
#include <json-glib/json-glib.h>

struct outcome {
    int status;
    char *output, *errors;
};

static void clear_outcome(struct outcome *outcome)
{
    g_free(outcome->output);
    g_free(outcome->errors);
}

/* Runs a shell line in which $L is the program and $S the folder of scenarios. */
static struct outcome run(const char *line)
{
    g_autofree char *scenarios =
        g_build_filename(g_getenv("LAGGARD_SOURCE_ROOT"), "scenarios", NULL);
    g_autofree char *script =
        g_strdup_printf("L='%s'; S='%s'; %s", g_getenv("LAGGARD"), scenarios, line);
    char *argv[] = {(char[]){"/bin/sh"}, (char[]){"-c"}, script, NULL};
    struct outcome outcome = {0};
    g_autoptr(GError) error = NULL;
    int status;

    g_spawn_sync(NULL, argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, &outcome.output, &outcome.errors,
                 &status, &error);
    g_assert_no_error(error);
    if (!g_spawn_check_wait_status(status, &error)) {
        g_assert_true(error->domain == G_SPAWN_EXIT_ERROR); /* not a signal */
        outcome.status = error->code;
    }
    return outcome;
}

/* Succeeds, with `output` in its output and nothing but warnings beside it. */
static void assert_prints(const char *line, const char *output)
{
    struct outcome outcome = run(line);

    g_assert_cmpstr(outcome.errors, ==, "");
    g_assert_cmpint(outcome.status, ==, 0);
    if (strstr(outcome.output, output) == NULL)
        g_error("%s doesn't print %s, but: %s", line, output, outcome.output);
    clear_outcome(&outcome);
}

/* Fails, with one message that says why, and no output. */
static void assert_fails(const char *line, int status, const char *message)
{
    struct outcome outcome = run(line);

    g_test_message("%s: %s", line, outcome.errors);
    g_assert_cmpint(outcome.status, ==, status);
    g_assert_cmpstr(outcome.output, ==, "");
    g_assert_true(g_str_has_prefix(outcome.errors, "laggard: error: "));
    g_assert_nonnull(strstr(outcome.errors, message));
    g_assert_true(strchr(outcome.errors, '\n') == outcome.errors + strlen(outcome.errors) - 1);
    clear_outcome(&outcome);
}

static void test_help(void)
{
    assert_prints("$L --help", "schedule");
    assert_prints("$L -h", "Usage:");
    assert_prints("$L --version", "laggard (laggard) ");
    assert_prints("$L run --help", "--replications");
    assert_prints("$L schedule --help", "--straggler");
    assert_prints("$L explain -h", "--ranks");
    assert_prints("$L list --help", "--format");
    assert_prints("$L check --help", "--set");
}

static void test_usage(void)
{
    assert_fails("$L", 2, "a command is missing");
    assert_fails("$L runn x", 2, "did you mean 'run'");
    assert_fails("$L --foo", 2, "no option");
    assert_fails("$L run", 2, "FILE is missing");
    assert_fails("$L run --foo $S/quickstart.yaml", 2, "--foo");
    assert_fails("$L run $S/quickstart.yaml --format jsn", 2, "did you mean 'json'");
    assert_fails("$L run $S/quickstart.yaml --jobs 0", 2, "--jobs");
    assert_fails("$L run $S/quickstart.yaml --jobs x", 2, "x");
    assert_fails("$L run $S/quickstart.yaml --seed x", 2, "run.seed");
    assert_fails("$L run $S/quickstart.yaml --engine fast", 2, "run.engine");
    assert_fails("$L run $S/quickstart.yaml --set nonsense", 2, "nonsense");
    assert_fails("$L run $S/quickstart.yaml --set cluster.gpu=4", 2, "cluster.gpu");
    assert_fails("$L run no-such-file.yaml", 2, "no-such-file.yaml");
    assert_fails("$L check $S", 2, "scenarios");
    assert_fails("$L list", 2, "WHAT is missing");
    assert_fails("$L list algoritms", 2, "did you mean 'algorithms'");
    assert_fails("$L list laws topologies", 2, "too many");
    assert_fails("$L explain stragler", 2, "did you mean 'stragglar'");
    assert_fails("$L explain stragglar --ranks 6", 2, "2^k");
    assert_fails("$L schedule ring", 2, "--ranks is missing");
    assert_fails("$L schedule rin --ranks 4", 2, "did you mean 'ring'");
    assert_fails("$L schedule ring --ranks 0", 2, "--ranks");
    assert_fails("$L schedule ring --ranks 4 --collective broadcast", 2, "not broadcast");
    assert_fails("$L schedule ring --ranks 4 --root 1", 2, "no root");
    assert_fails("$L schedule ring --ranks 4 --straggler 1", 2, "no parameter");
    assert_fails("$L schedule stragglar --ranks 4 --straggler 4", 2, "straggler");
    assert_fails("$L schedule stragglar --ranks 4 --set straggler", 2, "NAME=VALUE");
    assert_fails("$L schedule stragglar --ranks 6", 2, "2^k");
}

static void test_explain_coded(void)
{
    assert_prints("$L explain coded-reduce", "1/42 = 0.0238095 of the data");
    assert_prints("$L explain coded-reduce", "a point (assumed, not published)");
    assert_prints("$L explain coded-reduce --set workload.gradient.compute.a=1us",
                  "a point; a message");
    assert_prints("$L explain coded-reduce --format json", "\"load_below\": 42");
    assert_prints("$L explain gradient-coding --set 'algorithms[0].stragglers=12'", "1/12 = ");
    assert_fails("$L explain coded-reduce --ranks 100", 2, "needs 156 workers");
    assert_fails("$L explain coded-reduce --route gpu0,gpu1", 2, "without a network's ways");
    assert_fails("$L explain coded-reduce --size 1GB", 2, "no key of this page");
}

static void test_lists(void)
{
    assert_prints("$L list algorithms", "stragglar");
    assert_prints("$L list topologies", "switch");
    assert_prints("$L list laws --format json", "{\"name\": \"exponential\"");
    assert_prints("$L list algorithms --format json", "\"name\": \"ring\"");
    assert_prints("$L list collectives", "all-gather");
    assert_prints("$L list codes", "erasure-head");
    assert_prints("$L list codes --format json", "{\"name\": \"fractional\"");
}

/* Spec, section 3.2: 3.9309 and 2.8841 ms from a delay of 1.9228 ms on. */
static void test_run(void)
{
    const char *line = "$L run $S/quickstart.yaml --set 'cluster.network.bandwidth=450 GiB/s'";

    assert_prints(line, "3.9309 ms");
    assert_prints(line, "2.8841 ms");
    assert_prints("$L check $S/quickstart.yaml", "quickstart.yaml: ok (1 point, 2 algorithms)\n");
    assert_prints("$L explain stragglar", "when rank 7 is late by more than 0.8760 ms\n");
    assert_prints("$L explain stragglar",
                  "halving-doubling when rank 7 is late by more than 0.9000");
    assert_prints("$L explain stragglar-any --ranks 3 --set 'algorithms=[{name: stragglar-any, "
                  "passes: 2}]'",
                  "7 rounds: 1 before the late rank is needed, 6 after; 1 more than the fewest");
    /* 2 x 7/8 x 100 MB / 50 GB/s = 3500 us, and a latency or 14 of them: TC2. */
    assert_prints("$L explain ring --ranks 8 --size 100MB --bandwidth '50 GB/s' --latency 10ns",
                  "lower bound  3.5000 ms without delay: 2(n-1) S / the rates of all ports, and a "
                  "latency; simulated 0.00 %");
    assert_fails("$L explain ring --size 100", 2, "workload.size");
    assert_fails("$L check $S/quickstart.yaml --set 'algorithms=[{name: stragglar, straggler: 7, "
                 "hit_rate: 90 %}]'",
                 2, "leave one of them out");
    assert_fails(
        "$L check $S/quickstart.yaml --set 'algorithms=[{name: stragglar, hit_rate: 0.9}]'", 2,
        "such as 90 %");
    assert_prints("$L run $S/quickstart.yaml --db none --set workload.size=64KiB 2>&1",
                  "recursive-doubling takes less at any delay");
    assert_prints("$L explain $S/quickstart.yaml --format json", "\"verdict\": \"until\"");
    /* Rank order is no ring of neighbours on a torus of 2 x 4; another order is, and is told. */
    assert_prints(
        "$L run $S/quickstart.yaml --db none --format json --set 'algorithms=[{name: ring, "
        "order: best}]' --set stragglers=[] --set 'cluster.network={topology: torus, dims: "
        "[2, 4], bandwidth: 1 GB/s}'",
        "\"order\": [0, ");
    /* A plain switch is one line; nodes say what is in them, and one rate for both ways is a--b. */
    assert_prints("$L explain $S/quickstart.yaml",
                  "network: switch, 8 GPUs, bisection 1.8000 TB/s per direction\n\nring");
    assert_prints("$L explain $S/network/mixed-nodes.yaml", "  inside nodes switch or mesh\n");
    assert_prints("$L explain $S/network/mixed-nodes.yaml", "busiest      gpu17--node2.switch: ");
}

/* A rank that dies: a row without numbers, and exit 1. */
static void test_stall(void)
{
    const char *line =
        "$L run $S/quickstart.yaml --set 'stragglers=[{ranks: [3], fail: {at: 1 ms}}]'";
    struct outcome outcome = run(line);

    g_assert_cmpint(outcome.status, ==, 1);
    g_assert_nonnull(strstr(outcome.output, "stalled at"));
    g_assert_nonnull(strstr(outcome.errors, "rank 3 died"));
    clear_outcome(&outcome);
    g_autofree char *json = g_strdup_printf("%s --format json 2>&-", line);
    outcome = run(json);
    g_assert_cmpint(outcome.status, ==, 1);
    g_assert_nonnull(strstr(outcome.output, "\"status\": \"stalled\""));
    g_assert_nonnull(strstr(outcome.output, "\"time_s\": {\"mean\": null"));
    clear_outcome(&outcome);
}

/* Nothing to move: a warning, exposed time 0, the end when the last rank arrives. */
static void test_zero_bytes(void)
{
    struct outcome outcome =
        run("$L run $S/quickstart.yaml --set 'workload.size=0 B' --format json");

    g_assert_cmpint(outcome.status, ==, 0);
    g_assert_true(g_str_has_prefix(outcome.errors, "laggard: warning: "));
    g_assert_nonnull(strstr(outcome.output, "\"exposed_s\": {\"mean\": 0,"));
    g_assert_nonnull(strstr(outcome.output, "\"time_s\": {\"mean\": 0.005,"));
    g_assert_nonnull(strstr(outcome.output, "\"algbw_Bps\": null"));
    clear_outcome(&outcome);
    outcome = run("$L run $S/quickstart.yaml --set 'workload.size=0 B' --quiet");
    g_assert_cmpstr(outcome.errors, ==, "");
    clear_outcome(&outcome);
}

/* Transfers of 2 us after 5 s: nothing on the network matters, and a warning says so; after 5 ms they
 * are more than a millionth. */
static void test_network_that_cannot_matter(void)
{
    const char *line = "$L run $S/quickstart.yaml --set workload.compute='5 s' --set "
                       "workload.size='1 kB' --set cluster.network.latency='1 ns' --set "
                       "'algorithms=[ring]'";
    struct outcome outcome = run(line);

    g_assert_cmpint(outcome.status, ==, 0);
    g_assert_nonnull(strstr(outcome.errors, "the network can't matter"));
    clear_outcome(&outcome);
    g_autofree char *quiet = g_strconcat(line, " --quiet", NULL);
    outcome = run(quiet);
    g_assert_cmpstr(outcome.errors, ==, "");
    clear_outcome(&outcome);
    g_autofree char *shorter = g_strconcat(line, " --set workload.compute='5 ms'", NULL);
    outcome = run(shorter);
    g_assert_cmpstr(outcome.errors, ==, "");
    clear_outcome(&outcome);
}

static void test_same_bytes(void)
{
    const char *line = "$L run $S/quickstart.yaml --replications 300 --format json --set "
                       "'stragglers=[{ranks: all, delay: {exponential: {mean: 1 ms}}}]' --jobs ";
    const char *const jobs[] = {"1", "2", "1", "2", "7"};
    g_autofree char *first = NULL;

    for (size_t i = 0; i < G_N_ELEMENTS(jobs); i++) {
        g_autofree char *with_jobs = g_strconcat(line, jobs[i], NULL);
        struct outcome outcome = run(with_jobs);
        g_assert_cmpint(outcome.status, ==, 0);
        if (first == NULL)
            first = g_strdup(outcome.output);
        g_assert_cmpstr(outcome.output, ==, first);
        clear_outcome(&outcome);
    }
}

static void test_full_disk(void)
{
    const char *const lines[] = {
        "$L run $S/quickstart.yaml >/dev/full",         "$L --help >/dev/full",
        "$L run $S/quickstart.yaml --output /dev/full", "$L list algorithms >/dev/full",
        "$L schedule ring --ranks 128 >/dev/full",      "$L explain ring >/dev/full",
        "$L schedule ring --ranks 2 >/dev/full",        "$L check $S/quickstart.yaml >/dev/full",
    };

    if (g_access("/dev/full", W_OK) != 0) {
        g_test_skip("there is no /dev/full");
        return;
    }
    for (size_t i = 0; i < G_N_ELEMENTS(lines); i++)
        assert_fails(lines[i], 1, "cannot write");
}

static void test_output(void)
{
    g_autofree char *folder = g_dir_make_tmp("laggard-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(folder, "results.json", NULL);
    g_autofree char *line =
        g_strdup_printf("$L run $S/quickstart.yaml --format json --output '%s'", path);
    g_autofree char *into_folder =
        g_strdup_printf("$L run $S/quickstart.yaml --output '%s'", folder);
    g_autofree char *nowhere =
        g_strdup_printf("$L run $S/quickstart.yaml --output '%s/no/where'", folder);
    g_autoptr(JsonParser) parser = json_parser_new();

    assert_prints(line, "");
    g_assert_true(json_parser_load_from_file(parser, path, NULL));
    assert_fails(into_folder, 2, "is a folder");
    assert_fails(nowhere, 2, "No such file");
    g_remove(path);
    g_rmdir(folder);
}

/* All commands run in a folder of their own, where results are stored. */
static int run_in_scratch(void)
{
    g_autofree char *folder = g_dir_make_tmp("laggard-XXXXXX", NULL);

    g_assert_true(folder != NULL && g_chdir(folder) == 0);
    int status = g_test_run();
    g_remove("laggard.db");
    g_assert_true(g_chdir("..") == 0 && g_rmdir(folder) == 0);
    return status;
}

int main(int argc, char **argv)
{
    g_setenv("LC_ALL", "C", TRUE); /* messages of the system */
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/commands/help", test_help);
    g_test_add_func("/commands/usage", test_usage);
    g_test_add_func("/commands/lists", test_lists);
    g_test_add_func("/commands/explain-coded", test_explain_coded);
    g_test_add_func("/commands/run", test_run);
    g_test_add_func("/commands/stall", test_stall);
    g_test_add_func("/commands/zero-bytes", test_zero_bytes);
    g_test_add_func("/commands/network-that-cannot-matter", test_network_that_cannot_matter);
    g_test_add_func("/commands/same-bytes", test_same_bytes);
    g_test_add_func("/commands/full-disk", test_full_disk);
    g_test_add_func("/commands/output", test_output);
    return run_in_scratch();
}
