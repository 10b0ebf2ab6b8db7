/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Max-min fair rates, by hand and against their definition. */
#include "sim/network/flow.h"
#include "tests/helpers.h"

struct flows {
    GArray *first, *links; /* struct lag_routes */
    lag_rate rate[64], capacity[64];
    uint32_t n_links;
};

static void flows_init(struct flows *flows, uint32_t n_links)
{
    uint32_t zero = 0;

    flows->first = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    flows->links = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    flows->n_links = n_links;
    g_array_append_val(flows->first, zero);
}

static void flows_clear(struct flows *flows)
{
    g_array_unref(flows->first);
    g_array_unref(flows->links);
}

static void flows_add(struct flows *flows, const uint32_t *links, uint32_t n)
{
    g_array_append_vals(flows->links, links, n);
    g_array_append_val(flows->first, flows->links->len);
}

static void flows_solve(struct flows *flows)
{
    lag_flow_solver *solver = lag_flow_solver_new();
    struct lag_routes routes = {
        .n_flows = flows->first->len - 1,
        .first = &g_array_index(flows->first, uint32_t, 0),
        .links = &g_array_index(flows->links, uint32_t, 0),
    };

    lag_flow_solve(solver, flows->n_links, flows->capacity, &routes, flows->rate);
    lag_flow_solver_free(solver);
}

static bool crosses(const struct flows *flows, uint32_t flow, uint32_t link)
{
    uint32_t begin = g_array_index(flows->first, uint32_t, flow);
    uint32_t end = g_array_index(flows->first, uint32_t, flow + 1);

    for (uint32_t i = begin; i < end; i++)
        if (g_array_index(flows->links, uint32_t, i) == link)
            return true;
    return false;
}

/* K18: L1 = 10 {A, B}, L2 = 4 {A, C}: A = C = 2, B = 8. */
static void k18(void)
{
    struct flows flows;

    flows_init(&flows, 2);
    flows.capacity[0] = 10;
    flows.capacity[1] = 4;
    flows_add(&flows, (const uint32_t[]){0, 1}, 2);
    flows_add(&flows, (const uint32_t[]){0}, 1);
    flows_add(&flows, (const uint32_t[]){1}, 1);
    flows_solve(&flows);
    assert_near(flows.rate[0], 2, 1e-15);
    assert_near(flows.rate[1], 8, 1e-15);
    assert_near(flows.rate[2], 2, 1e-15);
    flows_clear(&flows);
}

static void nothing(void)
{
    struct flows flows;

    flows_init(&flows, 3);
    for (int i = 0; i < 3; i++)
        flows.capacity[i] = 1;
    flows_solve(&flows);
    flows_clear(&flows);
}

static double sum_on(const struct flows *flows, uint32_t link, double *ret_fastest)
{
    double sum = 0;

    *ret_fastest = 0;
    for (uint32_t f = 0; f + 1 < flows->first->len; f++)
        if (crosses(flows, f, link)) {
            sum += flows->rate[f];
            *ret_fastest = fmax(*ret_fastest, flows->rate[f]);
        }
    return sum;
}

/* The definition: no link carries more than its capacity, and every flow crosses a link that is
 * full and on which no flow is faster. */
static void check_definition(const struct flows *flows)
{
    for (uint32_t f = 0; f + 1 < flows->first->len; f++) {
        bool has_bottleneck = false;
        for (uint32_t link = 0; link < flows->n_links; link++) {
            double fastest, sum = sum_on(flows, link, &fastest);
            g_assert_cmpfloat(sum, <=, flows->capacity[link] * (1 + 1e-12));
            has_bottleneck |= crosses(flows, f, link) &&
                              sum >= flows->capacity[link] * (1 - 1e-12) &&
                              flows->rate[f] >= fastest * (1 - 1e-12);
        }
        g_assert_true(has_bottleneck);
    }
}

static void definition(void)
{
    g_autoptr(gsl_rng) rng = test_rng(18);

    for (int i = 0; i < 3000; i++) {
        struct flows flows;
        flows_init(&flows, 1 + below(rng, 12));
        for (uint32_t link = 0; link < flows.n_links; link++)
            flows.capacity[link] = below(rng, 2) ? 1 + below(rng, 4) : gsl_rng_uniform_pos(rng);
        uint32_t n_flows = 1 + below(rng, 40);
        for (uint32_t f = 0; f < n_flows; f++) {
            uint32_t route[12], n = 0;
            for (uint32_t link = 0; link < flows.n_links; link++)
                if (below(rng, 3) == 0)
                    route[n++] = link;
            if (n == 0)
                route[n++] = below(rng, flows.n_links);
            flows_add(&flows, route, n);
        }
        flows_solve(&flows);
        check_definition(&flows);
        flows_clear(&flows);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/flow/k18", k18);
    g_test_add_func("/flow/nothing", nothing);
    g_test_add_func("/flow/definition", definition);
    return g_test_run();
}
