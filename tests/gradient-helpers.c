/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/gradient-helpers.h"

#include <string.h>

void tree_bed_init(struct tree_bed *bed, uint32_t degree, uint32_t depth, uint32_t stragglers,
                   const char *code)
{
    struct lag_code_request request = {
        .n_workers = degree, .n_stragglers = stragglers, .late = NAN, .seed = 7};
    g_autoptr(GError) error = NULL;

    memset(bed, 0, sizeof *bed);
    bed->setup.tree = (struct lag_tree){degree, depth, stragglers};
    bed->code =
        lag_code_new(strcmp(code, "auto") == 0 ? lag_code_kind_recommended(degree, stragglers)
                                               : lag_code_kind_find(code),
                     &request, &error);
    g_assert_no_error(error);
    bed->setup.code = bed->code;
    lag_gradient_init(&bed->gradient);
    bed->lateness.n_ranks = lag_tree_workers(&bed->setup.tree);
    bed->gradient.points = bed->lateness.n_ranks;
    bed->gradient.parameters = 1000;
    bed->gradient.message_time = 0;
    bed->run = (struct lag_protocol_run){
        .n_workers = bed->lateness.n_ranks,
        .n_servers = 1,
        .lateness = &bed->lateness,
        .seed = 1,
        .gradient = &bed->gradient,
    };
    lag_protocol_outcome_init(&bed->outcome, bed->run.n_workers);
}

void tree_bed_clear(struct tree_bed *bed)
{
    lag_protocol_outcome_clear(&bed->outcome);
    lag_code_free(bed->code);
    lag_topology_free(bed->topology);
}

void tree_bed_compute(struct tree_bed *bed, double *times, uint32_t n_steps)
{
    bed->trace = (struct lag_trace){n_steps, bed->lateness.n_ranks, times};
    bed->gradient.compute.trace = &bed->trace;
}

void tree_bed_network(struct tree_bed *bed, bool fluid, lag_rate rate, lag_seconds latency)
{
    bed->topology = lag_topology_new_switch(bed->run.n_workers + 1, rate, latency);
    bed->network = (struct lag_network){.topology = bed->topology, .fluid = fluid};
    bed->run.network = &bed->network;
    bed->gradient.message_time = NAN;
}

void tree_bed_run(struct tree_bed *bed)
{
    g_autoptr(GError) error = NULL;

    lag_protocol_outcome_begin(&bed->outcome);
    lag_tree_run_check(&bed->setup, &bed->run, &error);
    g_assert_no_error(error);
    lag_tree_run(&bed->setup, &bed->run, &bed->outcome, &error);
    g_assert_no_error(error);
}

lag_seconds tree_bed_iteration(const struct tree_bed *bed, uint32_t i)
{
    const GArray *times = bed->outcome.update_times;

    return g_array_index(times, lag_seconds, i) -
           (i > 0 ? g_array_index(times, lag_seconds, i - 1) : 0);
}
