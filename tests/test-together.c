/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Groups and jobs: who takes part, by the cluster's numbers, and what they share. */
#include <string.h>

#include "tests/helpers.h"
#include "tools/campaign.h"

#define HEAD "laggard: 1\nname: t\n"

static lag_result_set *run(const char *text, unsigned n_threads, GError **error)
{
    g_autoptr(lag_document) document =
        lag_document_parse(text, strlen(text), "x.yaml", ".", NULL, error);
    g_autoptr(lag_campaign) campaign =
        document == NULL ? NULL
                         : lag_campaign_new(document, NULL, lag_document_n_points(document), error);

    return campaign == NULL ? NULL : lag_campaign_run(campaign, n_threads, error);
}

static lag_result_set *run_right(const char *text)
{
    g_autoptr(GError) error = NULL;
    lag_result_set *set = run(text, 2, &error);

    g_assert_no_error(error);
    return set;
}

/* Ranks 1, 3, 5, 7 of 8 do a ring of 4 kB over 1 GB/s and 1 us: 6 rounds of 1 us + 1 kB / B, 12 us.
 * Rank 7 is 1 ms late; rank 0 is later and doesn't count. All that is told has the cluster's
 * numbers, the algorithm's rank too. */
static void test_group(void)
{
    g_autoptr(lag_result_set) set =
        run_right(HEAD "cluster: {gpus: 8, network: {topology: switch, bandwidth: 1 GB/s, "
                       "latency: 1 us}}\n"
                       "groups: {odd: [1, 3, 5, 7], even: [0, 2]}\n"
                       "workload: {size: 4 kB, group: odd}\n"
                       "algorithms: [ring, {name: stragglar, straggler: 7}]\n"
                       "stragglers: [{ranks: [7], delay: 1 ms}, {ranks: [0], delay: 1 s}]\n");
    const struct lag_result *ring = &set->results[0], *star = &set->results[1];

    g_assert_cmpuint(ring->n_ranks, ==, 4);
    g_assert_cmpuint(ring->group[3], ==, 7);
    g_assert_cmpuint(ring->path.first_rank, ==, 7);
    g_assert_cmpfloat_with_epsilon(ring->exposed.mean, 12e-6, 12e-15);
    g_assert_cmpfloat_with_epsilon(ring->ranks_wait[2], 1e-3, 1e-12);
    g_assert_cmpfloat(ring->ranks_wait[3], ==, 0);
    g_assert_cmpfloat(ring->links[0].bytes, ==, 0);
    g_assert_cmpfloat(ring->links[1].bytes, ==, 6000); /* gpu1->switch: 2 (n - 1) / n of 4 kB */
    g_assert_cmpstr(star->label, ==, "stragglar straggler=7");
    g_assert_cmpfloat(star->parameters[0].number, ==, 7);
    g_assert_cmpuint(star->path.first_rank, ==, 7);
}

/* Two leaves with one uplink of 1 GB/s each; jobs {0, 2} and {1, 3} send 1 MB both ways over it at
 * once. A ring of 2 ranks moves half of the buffer in each of 2 rounds. Alone: 2 x 0.5 ms; with
 * another as large: 2 ms for both, all of the uplink's time. With one of half the size: until that
 * is done at 1 ms both have half, so it takes 0.5 + 0.5 ms more: rounds of the large one end at
 * 1 ms (0.5 MB at half rate), then 0.5 ms alone: 1.5 ms. */
static void test_jobs(void)
{
    static const struct {
        const char *size;
        double first, second; /* exposed [s] */
        double uplink;        /* used by both */
    } rows[] = {
        {"0 B",    1e-3,   0,    1},
        {"1 MB",   2e-3,   2e-3, 1},
        {"500 kB", 1.5e-3, 1e-3, 1},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *text = g_strdup_printf(
            HEAD "cluster: {gpus: 4, network: {topology: fat-tree, gpus_per_leaf: 2, "
                 "oversubscription: 2, bandwidth: 1 GB/s}}\n"
                 "jobs:\n"
                 "  - {name: a, ranks: [0, 2], workload: {size: 1 MB}, algorithms: [ring]}\n"
                 "  - {name: b, ranks: [1, 3], workload: {size: %s}, algorithms: [ring]}\n",
            rows[i].size);
        g_autoptr(lag_result_set) set = run_right(text);
        g_assert_cmpuint(set->n_results, ==, 2);
        g_assert_cmpstr(set->results[0].job, ==, "a");
        g_assert_cmpstr(set->results[1].job, ==, "b");
        g_assert_cmpfloat_with_epsilon(set->results[0].exposed.mean, rows[i].first, 1e-12);
        g_assert_cmpfloat_with_epsilon(set->results[1].exposed.mean, rows[i].second, 1e-12);
        for (uint32_t link = 0; link < set->results[0].n_links; link++)
            if (strcmp(set->results[0].links[link].name, "leaf0->spine0") == 0)
                g_assert_cmpfloat_with_epsilon(set->results[0].links[link].utilisation_all,
                                               rows[i].uplink, 1e-9);
    }
}

/* Algorithms walk together; the speed-up is over the job's own first. Threads change nothing. */
static void test_combinations(void)
{
    const char *text =
        HEAD "cluster: {gpus: 8, network: {topology: ring, bandwidth: 1 GB/s}}\n"
             "jobs:\n"
             "  - {name: a, ranks: 0-3, workload: {size: 1 MB, steps: 3}, algorithms: [ring]}\n"
             "  - {name: b, ranks: 4-7, workload: {size: 1 MB}, algorithms: [ring, "
             "halving-doubling]}\n"
             "stragglers: [{ranks: all, delay: {exponential: {mean: 1 ms}}}]\n"
             "run: {replications: 5}\n";
    static const char *const labels[] = {"ring", "ring", "ring", "halving-doubling"};
    g_autoptr(lag_result_set) one = run(text, 1, NULL);
    g_autoptr(lag_result_set) four = run(text, 4, NULL);

    g_assert_cmpuint(one->n_results, ==, 4);
    for (uint32_t i = 0; i < 4; i++) {
        const struct lag_result *row = &one->results[i];
        g_assert_cmpstr(row->label, ==, labels[i]);
        g_assert_cmpstr(row->job, ==, i % 2 == 0 ? "a" : "b");
        g_assert_cmpuint(row->n_steps, ==, 3);
        g_assert_cmpuint(row->n_replications, ==, 5);
        g_assert_cmpfloat_with_epsilon(row->speedup,
                                       one->results[i % 2].exposed.mean / row->exposed.mean, 1e-15);
        g_assert_cmpfloat(row->exposed.mean, ==, four->results[i].exposed.mean);
    }
}

static void test_wrong(void)
{
#define CLUSTER "cluster: {gpus: 4, network: {topology: switch, bandwidth: 1 GB/s}}\n"
#define JOB(name, more)                                                                            \
    "  - {name: " name ", workload: {size: 4 B}, algorithms: [ring], " more "}\n"
#define A "jobs:\n" JOB("a", "ranks: 0-1")
    static const struct {
        const char *text, *message;
    } rows[] = {
        {CLUSTER "workload: {size: 4 B, group: odd}\nalgorithms: [ring]\n",
         "4:30: workload.group: there are no groups; give groups: {odd: [0, 1]}"                                                                                                                                      },
        {CLUSTER "groups: {odd: [1, 3]}\nworkload: {size: 4 B, group: od}\nalgorithms: [ring]\n",
         "5:30: workload.group: there is no group 'od'; did you mean 'odd'?"                                                                                                                                          },
        {CLUSTER "groups: {odd: [1, 4]}\nworkload: {size: 4 B}\nalgorithms: [ring]\n",
         "4:19: groups.odd[1]: rank 4 is not in the cluster of 4 GPUs: 0 to 3"                                                                                                                                        },
        {CLUSTER "groups: {odd: [1, 3]}\nworkload: {size: 4 B, group: odd}\n"
                 "algorithms: [{name: stragglar, straggler: 0}]\n",                          "6:43: algorithms[0].straggler: rank 0 doesn't take part; the first that does is 1"                             },
        {CLUSTER "groups: {odd: [1, 3]}\nworkload: {size: 4 B, group: odd, collective: broadcast, "
                 "root: 2}\nalgorithms: [chain]\n",                                          "5:64: workload.root: rank 2 doesn't take part; the first that does is 1"                                       },
        {CLUSTER A "workload: {size: 4 B}\n",
         "6:11: workload: each of the jobs has its own; leave"                                                                                                                                                        },
        {CLUSTER "jobs: []\n",                                                                        "4:7: jobs: the list is empty; expected a list of jobs"                                                         },
        {CLUSTER A JOB("a",                                                                           "ranks: 2-3"),                                                                                                    "6:12: jobs[1].name: 'a' is already jobs[0]; give it"},
        {CLUSTER A JOB("b",                                                                                           "ranks: 1-3"),                                                                                                                                                                                           "6:65: jobs[1].ranks: rank 1 is in jobs[0] too; a GPU"},
        {CLUSTER A JOB("b",                                     "ranks: []"),"6:65: jobs[1].ranks: is empty; a job has at least one"},
        {CLUSTER A
         "  - {name: b, ranks: 2-3, workload: {size: 4 B, group: x}, algorithms: [ring]}\n",                                           "6:56: jobs[1].workload.group: a job has its ranks; leave 'group' out"                                                                                                                                         },
        {CLUSTER "jobs:\n  - {name: a, ranks: 0-1, workload: {size: 4 B}, algorithms: [ring, "
                 "halving-doubling, recursive-doubling]}\n"
                 "  - {name: b, ranks: 2-3, workload: {size: 4 B}, algorithms: [ring, "
                 "halving-doubling]}\n", "6:62: jobs[1].algorithms: has 2 algorithms, but another job has 3; a job has one, or as"},
        {CLUSTER "jobs:\n  - {name: a, ranks: 0-1, workload: {size: 4 B, steps: 2}, algorithms: "
                 "[ring]}\n  - {name: b, ranks: 2-3, workload: {size: 4 B, steps: 3}, algorithms: "
                 "[ring]}\n",                                                     "6:5: jobs[1]: has 3 steps, but another job has 2 (x.yaml:5:56); steps begin together"                                                                           },
        {CLUSTER A "run: {engine: lockstep}\n",
         "run.engine: lockstep can't run ring: jobs run side by side; use auto or replay"                                     },
    };

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GError) error = NULL;
        g_autofree char *text = g_strconcat(HEAD, rows[i].text, NULL);
        g_autofree char *expected = g_strconcat(
            g_ascii_isdigit(rows[i].message[0]) ? "x.yaml:" : "", rows[i].message, NULL);
        g_autoptr(lag_result_set) set = run(text, 1, &error);
        g_assert_null(set);
        g_assert_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT);
        if (!g_str_has_prefix(error->message, expected))
            g_assert_cmpstr(error->message, ==, expected);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/together/group", test_group);
    g_test_add_func("/together/jobs", test_jobs);
    g_test_add_func("/together/combinations", test_combinations);
    g_test_add_func("/together/wrong", test_wrong);
    return g_test_run();
}
