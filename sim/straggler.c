/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/straggler.h"

#include <assert.h>
#include <math.h>

/* Who draws for an entry: each of its ranks, or each node that has one of them. */
struct drawer {
    uint32_t n_units;
    uint32_t *unit_of; /* [index into the entry's ranks], or NULL: each is its own */
    struct unit {
        struct lag_stream stream;
        double value; /* what was drawn last */
    } * units;
};

struct lag_arrivals {
    const struct lag_lateness *lateness;
    struct drawer *drawers; /* [n_stragglers] */
    lag_seconds *death;     /* [n_ranks] or NULL */
    double *factor;         /* [n_ranks] scratch: slow-down of the step, then its compute time */
    double *link_factor;    /* [n_ranks] or NULL */
    GArray *throttles;      /* of uint32_t: which of the stragglers, by their times */
    lag_seconds clock;      /* of the job: when the step starts */
    uint32_t step;
};

void lag_straggler_clear(struct lag_straggler *straggler)
{
    lag_law_clear(&straggler->law);
    g_clear_pointer(&straggler->ranks, g_free);
}

bool lag_lateness_has_variance(const struct lag_lateness *lateness)
{
    for (uint32_t s = 0; s < lateness->n_stragglers; s++) {
        const struct lag_straggler *straggler = &lateness->stragglers[s];
        if (straggler->effect != LAG_DEATH && isinf(lag_law_variance(&straggler->law)))
            return false;
    }
    return true;
}

/* Numbers the nodes of an entry's ranks in the order of the ranks, and finds each rank's. */
static GArray *find_nodes(const struct lag_straggler *straggler,
                          const struct lag_lateness *lateness, uint32_t *unit_of)
{
    GArray *nodes = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    g_autofree uint32_t *unit_of_node = g_new0(uint32_t, lateness->n_ranks); /* by node */

    for (uint32_t i = 0; i < straggler->n_ranks; i++) {
        uint32_t rank = straggler->ranks[i];
        uint32_t node =
            lateness->node_of != NULL ? lateness->node_of[rank] : rank / lateness->gpus_per_node;
        if (unit_of_node[node] == 0) { /* its number + 1 */
            g_array_append_val(nodes, node);
            unit_of_node[node] = nodes->len;
        }
        unit_of[i] = unit_of_node[node] - 1;
    }
    return nodes;
}

static void drawer_init(struct drawer *drawer, const struct lag_lateness *lateness, uint32_t entry,
                        uint64_t seed, uint32_t replication)
{
    const struct lag_straggler *straggler = &lateness->stragglers[entry];
    const uint32_t *names = straggler->ranks; /* of the streams */
    g_autoptr(GArray) nodes = NULL;

    *drawer = (struct drawer){.n_units = straggler->n_ranks};
    if (straggler->per_node) {
        assert(lateness->gpus_per_node > 0 || lateness->node_of != NULL);
        drawer->unit_of = g_new(uint32_t, straggler->n_ranks);
        nodes = find_nodes(straggler, lateness, drawer->unit_of);
        drawer->n_units = nodes->len;
        names = (const uint32_t *)(const void *)nodes->data;
    }
    drawer->units = g_new(struct unit, drawer->n_units);
    for (uint32_t i = 0; i < drawer->n_units; i++)
        lag_stream_init(&drawer->units[i].stream, seed, replication, LAG_PURPOSE_STRAGGLER,
                        (uint16_t)entry, names[i]);
}

/* Draws what a step needs. What lasts for the job, and where a chain starts, is drawn in the first
 * step. */
static void drawer_draw(struct drawer *drawer, const struct lag_straggler *straggler, bool is_first)
{
    const struct lag_law *law = &straggler->law;
    enum lag_law_time time = law->type->time;

    if ((time == LAG_ONCE_A_JOB || straggler->once) && !is_first)
        return;
    for (uint32_t i = 0; i < drawer->n_units; i++) {
        struct unit *unit = &drawer->units[i];
        if (time == LAG_MARKOV && !is_first)
            unit->value = lag_law_move(law, unit->value, &unit->stream.rng);
        else
            unit->value = lag_law_draw(law, &unit->stream.rng);
    }
}

static double drawn(const struct drawer *drawer, uint32_t i)
{
    return drawer->units[drawer->unit_of == NULL ? i : drawer->unit_of[i]].value;
}

static double *new_vector(uint32_t n, double value)
{
    double *vector = g_new(double, n);

    for (uint32_t i = 0; i < n; i++)
        vector[i] = value;
    return vector;
}

static void note_deaths(lag_arrivals *arrivals, uint32_t s)
{
    const struct lag_straggler *straggler = &arrivals->lateness->stragglers[s];

    if (arrivals->death == NULL)
        arrivals->death = new_vector(arrivals->lateness->n_ranks, INFINITY);
    drawer_draw(&arrivals->drawers[s], straggler, true);
    for (uint32_t i = 0; i < straggler->n_ranks; i++) {
        lag_seconds *death = &arrivals->death[straggler->ranks[i]];
        *death = fmin(*death, drawn(&arrivals->drawers[s], i));
    }
}

/* Draws a throttle's factors, and puts it behind those of earlier times. */
static void note_throttle(lag_arrivals *arrivals, uint32_t s)
{
    const struct lag_straggler *stragglers = arrivals->lateness->stragglers;
    GArray *list = arrivals->throttles;
    guint place = list->len;

    drawer_draw(&arrivals->drawers[s], &stragglers[s], true);
    while (place > 0 && stragglers[g_array_index(list, uint32_t, place - 1)].at > stragglers[s].at)
        place--;
    g_array_insert_val(list, place, s);
}

lag_arrivals *lag_arrivals_new(const struct lag_lateness *lateness, uint64_t seed,
                               uint32_t replication)
{
    lag_arrivals *arrivals = g_new0(lag_arrivals, 1);

    arrivals->lateness = lateness;
    arrivals->throttles = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    arrivals->factor = g_new(double, lateness->n_ranks);
    arrivals->drawers = g_new0(struct drawer, lateness->n_stragglers);
    for (uint32_t s = 0; s < lateness->n_stragglers; s++) {
        enum lag_effect effect = lateness->stragglers[s].effect;
        drawer_init(&arrivals->drawers[s], lateness, s, seed, replication);
        if (effect == LAG_DEATH)
            note_deaths(arrivals, s);
        else if (effect == LAG_THROTTLE)
            note_throttle(arrivals, s);
        else if (effect == LAG_LINK_SLOWDOWN && arrivals->link_factor == NULL)
            arrivals->link_factor = new_vector(lateness->n_ranks, 1);
    }
    return arrivals;
}

void lag_arrivals_free(lag_arrivals *arrivals)
{
    if (arrivals == NULL)
        return;
    for (uint32_t s = 0; s < arrivals->lateness->n_stragglers; s++) {
        g_free(arrivals->drawers[s].units);
        g_free(arrivals->drawers[s].unit_of);
    }
    g_array_unref(arrivals->throttles);
    g_free(arrivals->drawers);
    g_free(arrivals->death);
    g_free(arrivals->factor);
    g_free(arrivals->link_factor);
    g_free(arrivals);
}

/* Draws one straggler's numbers into the step. */
static void apply(lag_arrivals *arrivals, uint32_t s, lag_seconds *delay)
{
    const struct lag_straggler *straggler = &arrivals->lateness->stragglers[s];
    struct drawer *drawer = &arrivals->drawers[s];

    if (straggler->effect == LAG_DEATH || straggler->effect == LAG_THROTTLE)
        return;
    drawer_draw(drawer, straggler, arrivals->step == 0);
    for (uint32_t i = 0; i < straggler->n_ranks; i++) {
        uint32_t rank = straggler->ranks[i];
        if (straggler->effect == LAG_DELAY)
            delay[rank] += drawn(drawer, i);
        else if (straggler->effect == LAG_SLOWDOWN)
            arrivals->factor[rank] *= drawn(drawer, i);
        else
            arrivals->link_factor[rank] *= drawn(drawer, i);
    }
}

/* Nobody is late yet. */
static void begin_step(lag_arrivals *arrivals, lag_seconds *delay)
{
    for (uint32_t rank = 0; rank < arrivals->lateness->n_ranks; rank++) {
        delay[rank] = 0;
        arrivals->factor[rank] = 1;
        if (arrivals->link_factor != NULL)
            arrivals->link_factor[rank] = 1;
    }
}

/* Stretches what is left of each rank's compute time when a throttle sets in. */
static void apply_throttle(const lag_arrivals *arrivals, uint32_t s, lag_seconds *busy)
{
    const struct lag_straggler *straggler = &arrivals->lateness->stragglers[s];
    lag_seconds before = fmax(straggler->at - arrivals->clock, 0);

    for (uint32_t i = 0; i < straggler->n_ranks; i++) {
        lag_seconds *time = &busy[straggler->ranks[i]];
        if (*time > before)
            *time = before + (*time - before) * drawn(&arrivals->drawers[s], i);
    }
}

/* compute[rank] at the rank's own speed; *busy what it takes with slow-downs and throttles. */
static void time_compute(const lag_arrivals *arrivals, lag_seconds *compute, lag_seconds *busy)
{
    const struct lag_lateness *lateness = arrivals->lateness;

    for (uint32_t rank = 0; rank < lateness->n_ranks; rank++) {
        double speed = lateness->speed == NULL ? 1 : lateness->speed[rank];
        lag_seconds time =
            lateness->own_compute == NULL ? lateness->compute : lateness->own_compute[rank];
        compute[rank] = time / speed;
        busy[rank] *= compute[rank];
    }
    for (guint i = 0; i < arrivals->throttles->len; i++)
        apply_throttle(arrivals, g_array_index(arrivals->throttles, uint32_t, i), busy);
}

void lag_arrivals_next(lag_arrivals *arrivals, lag_seconds *arrival, lag_seconds *compute)
{
    const struct lag_lateness *lateness = arrivals->lateness;
    const struct lag_trace *trace = lateness->trace;

    assert(trace == NULL || arrivals->step < trace->n_steps);
    begin_step(arrivals, arrival);
    for (uint32_t s = 0; s < lateness->n_stragglers; s++)
        apply(arrivals, s, arrival);
    time_compute(arrivals, compute, arrivals->factor);
    for (uint32_t rank = 0; rank < lateness->n_ranks; rank++) {
        arrival[rank] += arrivals->factor[rank];
        if (trace != NULL)
            arrival[rank] += trace->arrival[(size_t)arrivals->step * trace->n_ranks + rank];
        if (arrivals->death != NULL && arrival[rank] > arrivals->death[rank])
            arrival[rank] = INFINITY;
        compute[rank] = fmin(compute[rank], arrival[rank]);
        if (arrivals->link_factor != NULL)
            arrivals->link_factor[rank] = fmax(arrivals->link_factor[rank], LAG_LEAST_LINK_FACTOR);
    }
    arrivals->step++;
}

const double *lag_arrivals_link_factors(const lag_arrivals *arrivals)
{
    return arrivals->link_factor;
}

const lag_seconds *lag_arrivals_death(const lag_arrivals *arrivals)
{
    return arrivals->death;
}

bool lag_arrivals_need_clock(const lag_arrivals *arrivals)
{
    return arrivals->death != NULL || arrivals->throttles->len > 0;
}

void lag_arrivals_elapse(lag_arrivals *arrivals, lag_seconds duration)
{
    arrivals->clock += duration;
    for (uint32_t rank = 0; arrivals->death != NULL && rank < arrivals->lateness->n_ranks; rank++)
        arrivals->death[rank] -= duration;
}
