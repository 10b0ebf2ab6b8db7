/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parameter server: the buffer in p parts, one for each server; every worker sends each server its
 * part, which adds them up, then sends all of them the sum. The servers are ranks of their own,
 * the last ones, or workers as well, the first ones. */
#include "sim/laggard.h"

enum {
    SERVERS,
    PLACEMENT
};
enum {
    COLOCATED,
    DEDICATED
};
static const struct laggard_parameter parameters[] = {
    [SERVERS] = {.name = "servers",
                 .help = "how many servers share the buffer; colocated ones are no more than the "
                         "ranks", .type = LAGGARD_INTEGER,
                 .default_text = "1",
                 .min = 1,
                 .max = 1 << 16},
    [PLACEMENT] = {.name = "placement",
                 .help = "colocated: the first ranks serve, too; dedicated: the last GPUs of the "
                           "cluster only serve, and all others are workers", .type = LAGGARD_CHOICE,
                 .default_text = "colocated",
                 .choices = "colocated|dedicated"},
    {.name = NULL                },
};

static void step(const struct laggard_plan *plan, uint32_t lane, uint32_t rank, uint32_t round,
                 struct laggard_step *ret)
{
    uint32_t n_workers = plan->n_ranks - plan->n_servers, p = plan->n_chunks;
    uint32_t first = plan->n_servers > 0 ? n_workers : 0; /* server */
    enum laggard_kind kind = round == 0 ? LAGGARD_REDUCE : LAGGARD_STORE;

    (void)lane;
    for (uint32_t part = 0; rank < n_workers && part < p; part++) {
        if (first + part == rank)
            continue;
        if (round == 0)
            laggard_send(ret, rank, first + part, part, 1, kind);
        else
            laggard_receive(ret, first + part, rank, part, 1, kind);
    }
    for (uint32_t worker = 0; rank >= first && rank - first < p && worker < n_workers; worker++) {
        if (worker == rank)
            continue;
        if (round == 0)
            laggard_receive(ret, worker, rank, rank - first, 1, kind);
        else
            laggard_send(ret, rank, worker, rank - first, 1, kind);
    }
}

static bool describe(const struct laggard_request *request, struct laggard_plan *plan,
                     GError **error)
{
    static const struct laggard_plan_ops ops = {.step = step};
    bool dedicated = request->values[PLACEMENT] == DEDICATED;
    uint32_t n = request->n_ranks, p = (uint32_t)request->values[SERVERS];

    if (p > n || (dedicated && p == n)) {
        g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT,
                    "parameter-server needs %s, got %u ranks with %u servers",
                    dedicated ? "a rank that is no server" : "no more servers than ranks", n, p);
        return false;
    }
    plan->ops = &ops;
    plan->n_chunks = p;
    plan->n_servers = dedicated ? p : 0;
    plan->n_rounds = n - plan->n_servers > 1 ? 2 : 0;
    plan->degree = MAX(n - 1, 1);
    return true;
}

const struct laggard_algorithm laggard_parameter_server = {
    .name = "parameter-server",
    .summary = "every worker pushes each part to its server, and pulls the sum",
    .formula =
        "2 latency + 2 n S / (p B) for n workers and p <= n dedicated servers; 2 latency + 2 "
        "(n - 1) S / (p B) for p servers among n workers",
    .source = "Li et al., OSDI 2014; colocated as in Jiang et al. (BytePS), OSDI 2020",
    .collectives = LAGGARD_BIT(LAGGARD_ALLREDUCE),
    .parameters = parameters,
    .describe = describe,
};
