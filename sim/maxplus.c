/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/maxplus.h"

#include <assert.h>
#include <string.h>

#include "sim/busy.h"
#include "sim/vector.h"

/* Positions instead of ranks. */
static const struct lag_names own_names = {0, 0};

static inline double later(double a, double b)
{
    return a > b ? a : b;
}

void lag_maxplus_init(struct lag_maxplus *system)
{
    *system = (struct lag_maxplus){0};
}

static double **vectors_of(struct lag_maxplus *system, size_t i)
{
    double **vectors[] = {
        &system->now,         &system->next,       &system->out,        &system->in,
        &system->out_latency, &system->in_latency, &system->edges.d[0], &system->edges.d[1],
        &system->edges.c[0],  &system->edges.c[1],
    };

    return i < G_N_ELEMENTS(vectors) ? vectors[i] : NULL;
}

void lag_maxplus_clear(struct lag_maxplus *system)
{
    if (system == NULL)
        return;
    for (size_t i = 0; vectors_of(system, i) != NULL; i++)
        g_free(*vectors_of(system, i));
    lag_step_clear(&system->step);
    *system = (struct lag_maxplus){0};
}

static void make_room(struct lag_maxplus *system)
{
    if (system->n <= system->room)
        return;
    for (size_t i = 0; vectors_of(system, i) != NULL; i++) {
        g_free(*vectors_of(system, i));
        *vectors_of(system, i) = g_new(double, system->n);
    }
    system->room = system->n;
}

static void look_up_ports(struct lag_maxplus *system)
{
    const lag_topology *topology = system->network->topology;
    uint32_t width = system->width;

    for (uint32_t p = 0; p < system->plan->n_ranks; p++)
        for (uint32_t run = 0; run < width; run++) {
            uint32_t rank = lag_name(system->names[run], p);
            const struct lag_link *out = &topology->links[lag_topology_egress(topology, rank)];
            const struct lag_link *in = &topology->links[lag_topology_ingress(topology, rank)];
            size_t i = (size_t)p * width + run;
            system->out[i] = 1 / out->rate;
            system->in[i] = 1 / in->rate;
            system->out_latency[i] = out->latency;
            system->in_latency[i] = in->latency;
        }
}

void lag_maxplus_prepare(struct lag_maxplus *system, const struct lag_run *run, uint32_t width,
                         const struct lag_names *names)
{
    system->plan = run->plan;
    system->network = run->network;
    system->chunks = run->chunks;
    system->width = width;
    system->names = names;
    system->n = (size_t)run->plan->n_ranks * width;
    make_room(system);
    if (run->plan->degree > system->degree) {
        lag_step_clear(&system->step);
        system->step = lag_step_new(run->plan);
        system->degree = run->plan->degree;
    }
    system->edges.valid = false;
    system->window_first = system->window_count = 0;
    look_up_ports(system);
}

struct lag_edge lag_maxplus_edge(const struct lag_maxplus *system, uint32_t src, uint32_t dst,
                                 uint32_t run, lag_bytes bytes)
{
    size_t a = (size_t)src * system->width + run, b = (size_t)dst * system->width + run;
    double wire = (double)bytes * later(system->out[a], system->in[b]);
    double d = system->network->overhead + wire;

    return (struct lag_edge){d, d + system->out_latency[a] + system->in_latency[b]};
}

/* Whom the i-th of a pattern sends to. */
static uint32_t receiver(const struct laggard_pattern *pattern, uint32_t i)
{
    if (pattern->shape == LAGGARD_EXCHANGE)
        return i ^ pattern->hop;
    return i + pattern->hop < pattern->count ? i + pattern->hop : i + pattern->hop - pattern->count;
}

static bool is_same_move(const struct laggard_pattern *a, const struct laggard_pattern *b)
{
    return a->shape == b->shape && a->first == b->first && a->count == b->count &&
           a->hop == b->hop && a->n_chunks == b->n_chunks;
}

/* The costs of a pattern's transfers, kept from round to round while the move is the same. */
static void compute_edges(struct lag_maxplus *system, const struct laggard_pattern *pattern)
{
    struct lag_edges *edges = &system->edges;
    const struct lag_chunks *chunks = &system->chunks;
    lag_bytes shorter = pattern->n_chunks * chunks->elements * chunks->element_bytes;

    if (edges->valid && is_same_move(&edges->pattern, pattern))
        return;
    edges->pattern = *pattern;
    edges->valid = true;
    for (uint32_t i = 0; i < pattern->count; i++)
        for (uint32_t run = 0; run < system->width; run++) {
            uint32_t src = pattern->first + i, dst = pattern->first + receiver(pattern, i);
            size_t k = (size_t)i * system->width + run;
            for (int longer = 0; longer < 2; longer++) {
                lag_bytes bytes = shorter + (longer ? chunks->element_bytes : 0);
                struct lag_edge edge = lag_maxplus_edge(system, src, dst, run, bytes);
                edges->d[longer][k] = edge.d;
                edges->c[longer][k] = edge.c;
            }
        }
}

/* True where the i-th of a shift sends one of the longer chunks. */
static bool sends_longer(const struct lag_maxplus *system, const struct laggard_pattern *pattern,
                         uint32_t i)
{
    uint32_t chunk = i + pattern->offset;

    chunk = chunk < system->plan->n_chunks ? chunk : chunk - system->plan->n_chunks;
    return chunk < system->chunks.longer;
}

/* Positions begin .. end - 1 of a shift, whose partners and costs are contiguous too. */
static void shift_segment(struct lag_maxplus *system, const struct laggard_pattern *pattern,
                          uint32_t begin, uint32_t end)
{
    size_t width = system->width, x = (pattern->first + begin) * width;
    uint32_t to = receiver(pattern, begin);
    uint32_t from =
        begin >= pattern->hop ? begin - pattern->hop : begin + pattern->count - pattern->hop;
    const double *d = system->edges.d[sends_longer(system, pattern, begin)];
    const double *c = system->edges.c[sends_longer(system, pattern, from)];

    struct lag_stretch s = {
        .n = (end - begin) * width,
        .x = system->now + x,
        .to = system->now + (pattern->first + to) * width,
        .from = system->now + (pattern->first + from) * width,
        .d = d + begin * width,
        .d_from = system->edges.d[sends_longer(system, pattern, from)] + from * width,
        .c_from = c + from * width,
        .overhead = system->network->overhead,
    };

    bool eager = system->network->eager;
    (eager ? lag_vector_shift_eager : lag_vector_shift_rendezvous)(&s, system->next + x);
    if (system->busy != NULL)
        lag_vector_busy(&s, system->busy + x);
}

static void add_cut(uint32_t *cuts, uint32_t *n, uint32_t cut)
{
    uint32_t i = (*n)++;

    for (; i > 0 && cuts[i - 1] > cut; i--)
        cuts[i] = cuts[i - 1];
    cuts[i] = cut;
}

/* A shift is contiguous between the places where a partner wraps round, and where a chunk's
 * length changes for the sender or for whom it receives from. */
static void shift_round(struct lag_maxplus *system, const struct laggard_pattern *pattern)
{
    uint32_t count = pattern->count, hop = pattern->hop, longer = system->chunks.longer;
    uint32_t cuts[10], n = 0;
    uint32_t window = system->window_count > 0 ? system->window_count : count;

    add_cut(cuts, &n, 0);
    add_cut(cuts, &n, hop);
    add_cut(cuts, &n, count - hop);
    add_cut(cuts, &n, count);
    if (longer > 0) {
        uint32_t wraps = (count - pattern->offset) % count; /* who sends chunk 0 */
        uint32_t ends = (wraps + longer) % count;           /* who sends the first shorter one */
        add_cut(cuts, &n, wraps);
        add_cut(cuts, &n, ends);
        add_cut(cuts, &n, (wraps + hop) % count);
        add_cut(cuts, &n, (ends + hop) % count);
    }
    add_cut(cuts, &n, system->window_first);
    add_cut(cuts, &n, (system->window_first + window) % count);
    for (uint32_t i = 0; i + 1 < n; i++)
        if (cuts[i] < cuts[i + 1] && (cuts[i] + count - system->window_first) % count < window)
            shift_segment(system, pattern, cuts[i], cuts[i + 1]);
}

/* Blocks of `hop` positions swap with the blocks behind them. */
static void exchange_round(struct lag_maxplus *system, const struct laggard_pattern *pattern)
{
    const double *d = system->edges.d[0], *c = system->edges.c[0];
    size_t width = system->width, block = pattern->hop * width, first = pattern->first * width;

    for (size_t a = 0; a < pattern->count * width; a += 2 * block) {
        size_t b = a + block;
        struct lag_block low = {system->now + first + a, d + a, c + a};
        struct lag_block high = {system->now + first + b, d + b, c + b};
        lag_vector_exchange(block, &low, &high, system->next + first + a, system->next + first + b);
    }
}

/* When a transfer of the round starts, in one of the runs. */
static double start_of(const struct lag_maxplus *system, const struct laggard_transfer *t,
                       uint32_t run)
{
    double src = system->now[(size_t)t->src * system->width + run];
    double dst = system->now[(size_t)t->dst * system->width + run];

    return system->network->eager ? src : later(src, dst);
}

/* One transfer of a round that is a list. */
static void transfer(struct lag_maxplus *system, const struct laggard_transfer *t)
{
    size_t width = system->width;
    double *src = system->next + t->src * width, *dst = system->next + t->dst * width;
    lag_bytes bytes = lag_chunks_bytes(&system->chunks, t->first_chunk, t->n_chunks);

    for (uint32_t run = 0; run < system->width; run++) {
        struct lag_edge edge = lag_maxplus_edge(system, t->src, t->dst, run, bytes);
        double start = start_of(system, t, run);
        src[run] = later(src[run], start + edge.d);
        dst[run] = later(dst[run], start + edge.c);
    }
}

/* When the data of a transfer leave, and when they come in. */
static void find_intervals(const struct lag_maxplus *system, const struct laggard_transfer *t,
                           uint32_t run, struct lag_interval *leave, struct lag_interval *come)
{
    lag_bytes bytes = lag_chunks_bytes(&system->chunks, t->first_chunk, t->n_chunks);
    struct lag_edge edge = lag_maxplus_edge(system, t->src, t->dst, run, bytes);
    double start = start_of(system, t, run), overhead = system->network->overhead;

    *leave = (struct lag_interval){start + overhead, start + edge.d};
    *come = (struct lag_interval){start + edge.c - (edge.d - overhead), start + edge.c};
}

/* Adds a step's busy time, as lag_vector_busy does for a stretch. */
static void step_busy(struct lag_maxplus *system, uint32_t position, uint32_t run,
                      const struct laggard_step *step)
{
    struct lag_interval leave = {0, 0}, come = {0, 0}, other;

    if (step->n_sends > 0)
        find_intervals(system, &step->sends[0], run, &leave, &other);
    if (step->n_recvs > 0)
        find_intervals(system, &step->recvs[0], run, &other, &come);
    system->busy[(size_t)position * system->width + run] += lag_busy_two(leave, come);
}

static void tally_busy(struct lag_maxplus *system, uint32_t round)
{
    struct laggard_step *step = &system->step;

    for (uint32_t p = 0; p < system->plan->n_ranks; p++) {
        lag_plan_step(system->plan, own_names, 0, p, round, step);
        for (uint32_t run = 0; run < system->width; run++)
            step_busy(system, p, run, step);
    }
}

static void list_round(struct lag_maxplus *system, uint32_t round)
{
    struct laggard_step *step = &system->step;

    for (uint32_t p = 0; p < system->plan->n_ranks; p++) {
        lag_plan_step(system->plan, own_names, 0, p, round, step);
        for (uint32_t i = 0; i < step->n_sends; i++)
            transfer(system, &step->sends[i]);
    }
}

/* Whether the vector forms above hold for a pattern; else its round is done as a list. */
static bool is_vector(const struct lag_maxplus *system, const struct laggard_pattern *pattern)
{
    if (pattern->shape == LAGGARD_EXCHANGE)
        return system->chunks.longer == 0 && !system->network->eager &&
               (pattern->hop & (pattern->hop - 1)) == 0 && pattern->count % (2 * pattern->hop) == 0;
    return system->chunks.longer == 0 ||
           (pattern->n_chunks == 1 && pattern->count == system->plan->n_chunks);
}

/* The round's pattern, if it has one that can be done as vectors. */
static bool find_pattern(const struct lag_maxplus *system, uint32_t round,
                         struct laggard_pattern *ret)
{
    const struct laggard_plan_ops *ops = system->plan->ops;

    return ops->pattern != NULL && ops->pattern(system->plan, 0, round, ret) &&
           is_vector(system, ret);
}

bool lag_maxplus_is_shift(const struct lag_maxplus *system, uint32_t round, uint32_t *ret_hop)
{
    struct laggard_pattern pattern;

    if (!find_pattern(system, round, &pattern) || pattern.shape != LAGGARD_SHIFT ||
        pattern.count != system->plan->n_ranks)
        return false;
    *ret_hop = MIN(pattern.hop, pattern.count - pattern.hop);
    return true;
}

void lag_maxplus_advance(struct lag_maxplus *system, uint32_t round)
{
    struct laggard_pattern pattern;
    double *swap = system->now;

    bool vector = find_pattern(system, round, &pattern);
    if (!vector || pattern.count < system->plan->n_ranks)
        memcpy(system->next, system->now, system->n * sizeof *system->now);
    if (!vector) {
        list_round(system, round);
    } else {
        compute_edges(system, &pattern);
        (pattern.shape == LAGGARD_SHIFT ? shift_round : exchange_round)(system, &pattern);
    }
    if (system->busy != NULL && !(vector && pattern.shape == LAGGARD_SHIFT))
        tally_busy(system, round);
    system->now = system->next;
    system->next = swap;
}
