/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/row.h"

#include <math.h>

#include "algorithms/algorithms.h"

static struct lag_field parameter_field(const struct laggard_parameter *parameter, double value)
{
    struct lag_field field = {.name = g_strdup(parameter->name)};
    bool is_word = parameter->type == LAGGARD_CHOICE ||
                   (parameter->type == LAGGARD_COUNT && value == LAGGARD_AUTO) || isinf(value);

    if (lag_parameter_missing(parameter, value))
        return field;
    field.text = lag_parameter_text(parameter, value);
    field.is_number = !is_word;
    field.number = is_word ? 0 : value;
    return field;
}

/* As a user writes it: ranks by their numbers in the cluster. */
static double value_of(const lag_scenario *scenario, const struct lag_entrant *entrant, uint32_t i)
{
    double value = entrant->values[i];
    bool is_rank = lag_entrant_parameters(entrant)[i].type == LAGGARD_RANK;

    return is_rank && value != LAGGARD_NONE ? lag_scenario_rank(scenario, (uint32_t)value) : value;
}

static void fill_parameters(struct lag_result *row, const lag_scenario *scenario,
                            const struct lag_entrant *entrant)
{
    const struct laggard_parameter *parameters = lag_entrant_parameters(entrant);
    uint32_t n = lag_parameters_count(parameters);

    row->n_parameters = n;
    row->parameters = g_new0(struct lag_field, n);
    for (uint32_t i = 0; i < n; i++)
        row->parameters[i] = parameter_field(&parameters[i], value_of(scenario, entrant, i));
}

static void fill_point(struct lag_result *row, const lag_document *document, uint32_t point)
{
    row->n_coordinates = lag_document_n_axes(document);
    row->point = g_new0(struct lag_field, row->n_coordinates);
    for (uint32_t axis = 0; axis < row->n_coordinates; axis++) {
        struct lag_coordinate at = lag_document_coordinate(document, point, axis);
        row->point[axis] = (struct lag_field){
            .name = g_strdup(lag_document_axis(document, axis)),
            .text = g_strdup(at.text),
            .is_number = at.is_number,
            .number = at.number,
        };
    }
}

void lag_row_describe(struct lag_result *row, const lag_document *document, uint32_t point,
                      const lag_scenario *scenario, uint32_t entrant)
{
    const struct lag_entrant *e = &scenario->entrants[entrant];

    row->job = g_strdup(scenario->job);
    row->algorithm = g_strdup(lag_entrant_name(e));
    row->label = g_strdup(e->label);
    fill_parameters(row, scenario, e);
    fill_point(row, document, point);
    row->engine = scenario->engine == LAG_ENGINE_LOCKSTEP ? "lockstep" : "replay";
    row->transfers = scenario->network.eager ? "eager" : "rendezvous";
    row->collective = scenario->collective;
    row->n_ranks = scenario->n_ranks;
    if (scenario->ranks != NULL)
        row->group = g_memdup2(scenario->ranks, scenario->n_ranks * sizeof *scenario->ranks);
    row->n_steps = scenario->n_steps;
    row->n_replications = scenario->n_replications;
    row->size = scenario->size;
    row->source_of_times = scenario->source_of_times;
}

static void fill_without_numbers(struct lag_result *row, const GError *error)
{
    bool stalled = g_error_matches(error, LAGGARD_ERROR, LAGGARD_ERROR_STALLED);

    row->status = stalled ? LAG_STALLED : LAG_FAILED;
    row->message = g_strdup(error->message);
    row->time = row->exposed = lag_statistics_of(NULL, 0);
    row->algbw = row->busbw = NAN;
}

void lag_row_of_invalid(struct lag_result *row, const lag_document *document, uint32_t point,
                        const GError *error)
{
    *row = (struct lag_result){.engine = "", .transfers = "", .speedup = NAN};
    row->algorithm = g_strdup("");
    row->label = g_strdup("");
    fill_point(row, document, point);
    fill_without_numbers(row, error);
    row->status = LAG_FAILED;
}

static void summarise(struct lag_result *row, const lag_scenario *scenario,
                      const struct lag_tally *tally, const struct lag_subject *subject)
{
    lag_tally_summarise(tally, subject, row);
    row->n_replications = (uint32_t)(tally->n_runs / scenario->n_steps);
    if (scenario->samples > 0)
        row->throughput = scenario->samples / row->time.mean;
    if (lag_lateness_has_variance(&scenario->lateness))
        return;
    row->time.ci95_low = row->time.ci95_high = NAN;
    row->exposed.ci95_low = row->exposed.ci95_high = NAN;
}

void lag_row_fill(struct lag_result *row, const lag_scenario *scenario, const lag_plan *plan,
                  const struct lag_tally *tally, const GError *error)
{
    struct lag_chunks chunks = lag_plan_chunks(plan, scenario->size, scenario->element_bytes);

    row->n_rounds = plan->n_rounds;
    row->n_chunks = plan->n_chunks;
    row->order = plan->order != NULL ? g_new(uint32_t, plan->n_ranks) : NULL;
    for (uint32_t i = 0; plan->order != NULL && i < plan->n_ranks; i++)
        row->order[i] = lag_scenario_rank(scenario, plan->order[i]);
    if (error != NULL)
        fill_without_numbers(row, error);
    else
        summarise(row, scenario, tally,
                  &(struct lag_subject){plan, scenario->topology, &chunks, scenario->ranks});
}

void lag_row_share_links(struct lag_result *rows, const lag_scenario *scenario,
                         struct lag_tally *const *tallies)
{
    const lag_topology *topology = scenario->topology;
    lag_seconds span = tallies[0]->span_all / (double)tallies[0]->n_runs;

    for (uint32_t i = 0; i < scenario->n_jobs; i++)
        if (rows[i].status != LAG_OK)
            return;
    for (uint32_t link = 0; link < topology->n_links; link++) {
        double bytes = 0;
        for (uint32_t i = 0; i < scenario->n_jobs; i++)
            bytes += rows[i].links[link].bytes;
        for (uint32_t i = 0; i < scenario->n_jobs; i++)
            rows[i].links[link].utilisation_all = bytes / (topology->links[link].rate * span);
    }
}
