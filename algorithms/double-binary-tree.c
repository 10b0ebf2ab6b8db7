/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Double binary tree: two binary trees over the same ranks, each for one half of the buffer, a rank
 * that has children in one being a leaf in the other, so that every port works in both directions.
 * Sanders, Speck, Traeff: Two-tree algorithms for full bandwidth broadcast, reduction and scan,
 * Parallel Computing 2009. The trees are NCCL's: over the nodes, with a chain of its ranks inside
 * each; the second tree's is the other way round, so that two ranks of a node share the work of
 * its head. */
#include "algorithms/pipeline.h"
#include "algorithms/powers.h"

/* A node of the first tree: even ones are inside, odd ones leaves (2^k has k zeros below). */
struct vertex {
    uint32_t parent, children[2], n_children;
};

static void add_child(struct vertex *vertex, uint32_t child)
{
    vertex->children[vertex->n_children++] = child;
}

/* NCCL's tree of m nodes (ncclGetBtree): node v of lowest bit b has the children v - b / 2 and v +
 * b / 2, or if there is no such node v + b / 4 ..; 0 is the root, above the largest power of two. */
static struct vertex first_tree(uint32_t m, uint32_t v)
{
    struct vertex vertex = {.parent = LAGGARD_NONE};
    uint32_t bit = v & (~v + 1);

    if (v == 0) {
        if (m > 1)
            add_child(&vertex, laggard_floor_power(m - 1));
        return vertex;
    }
    vertex.parent = (v ^ bit) | bit << 1;
    if (vertex.parent >= m)
        vertex.parent = v ^ bit;
    if (bit > 1)
        add_child(&vertex, v - bit / 2);
    for (uint32_t step = bit / 2; step > 0; step /= 2)
        if (v + step < m) {
            add_child(&vertex, v + step);
            break;
        }
    return vertex;
}

/* The second tree's name for a node: mirrored if m is even, else the next one. */
static uint32_t renamed(uint32_t m, uint32_t tree, uint32_t v)
{
    if (tree == 0)
        return v;
    return m % 2 == 0 ? m - 1 - v : (v + m - 1) % m;
}

static uint32_t named_back(uint32_t m, uint32_t tree, uint32_t v)
{
    if (tree == 0)
        return v;
    return m % 2 == 0 ? m - 1 - v : (v + 1) % m;
}

/* Nodes of so many ranks, the last of which may have fewer. */
struct nodes {
    uint32_t n_ranks, size, m;
};

/* The rank at a place of a node's chain, whose head is at place 0. */
static uint32_t rank_at(const struct nodes *nodes, uint32_t tree, uint32_t node, uint32_t place)
{
    uint32_t first = node * nodes->size, size = MIN(nodes->size, nodes->n_ranks - first);

    return first + (tree == 0 ? place : size - 1 - place);
}

static uint32_t depth_of(uint32_t m, uint32_t v)
{
    uint32_t depth = 0;

    for (; v != 0; v = first_tree(m, v).parent)
        depth++;
    return depth;
}

/* Fills the places of one node's ranks in a tree; returns the depth of the last of its chain. */
static uint32_t place_node(const struct nodes *nodes, uint32_t tree, uint32_t node,
                           struct laggard_place *places)
{
    uint32_t m = nodes->m, v = renamed(m, tree, node), head_depth = depth_of(m, v);
    uint32_t size = MIN(nodes->size, nodes->n_ranks - node * nodes->size);
    struct vertex vertex = first_tree(m, v);

    for (uint32_t j = 0; j < size; j++) {
        uint32_t rank = rank_at(nodes, tree, node, j);
        struct laggard_place *place = &places[rank];
        *place = (struct laggard_place){.rank = rank, .depth = head_depth + j};
        if (j + 1 < size)
            place->children[place->n_children++] = rank_at(nodes, tree, node, j + 1);
        if (j > 0)
            place->parent = rank_at(nodes, tree, node, j - 1);
        else
            place->parent =
                v == 0 ? LAGGARD_NONE : rank_at(nodes, tree, named_back(m, tree, vertex.parent), 0);
    }
    struct laggard_place *head = &places[rank_at(nodes, tree, node, 0)];
    for (uint32_t i = 0; i < vertex.n_children; i++)
        head->children[head->n_children++] =
            rank_at(nodes, tree, named_back(m, tree, vertex.children[i]), 0);
    return head_depth + size - 1;
}

static void step(const struct laggard_plan *plan, uint32_t lane, uint32_t rank, uint32_t round,
                 struct laggard_step *ret)
{
    const struct laggard_place *places = plan->schedule;
    uint32_t height = (uint32_t)plan->variant, m = plan->n_chunks / 2;

    laggard_pipeline_step(plan->collective, &places[lane * plan->n_ranks + rank], height, round,
                          lane * m, m, ret);
}

enum {
    CHUNKS,
    OVER
};
enum {
    NODES,
    RANKS
};
static const struct laggard_parameter parameters[] = {
    [CHUNKS] = LAGGARD_CHUNKS_PARAMETER("each half of the buffer"),
    [OVER] = {.name = "over",
              .help = "what the trees are built over: the nodes, with a chain inside each, where "
                      "there are several; or all ranks", .type = LAGGARD_CHOICE,
              .default_text = "nodes",
              .choices = "nodes|ranks"},
    {.name = NULL},
};

static struct nodes nodes_of(const struct laggard_request *request)
{
    uint32_t n = request->n_ranks, size = request->ranks_per_node;

    if (request->values[OVER] == RANKS || size == 0 || size >= n)
        size = 1;
    return (struct nodes){n, size, (n + size - 1) / size};
}

/* Where the trees are full a port takes four chunks a round: three of one tree, one of the other; h
 * rounds before and after take about one. */
static bool describe(const struct laggard_request *request, struct laggard_plan *plan,
                     GError **error)
{
    static const struct laggard_plan_ops ops = {.step = step};
    struct nodes nodes = nodes_of(request);
    uint32_t n = request->n_ranks, height = 0;
    struct laggard_place *places = g_new0(struct laggard_place, 2 * n);

    (void)error;
    for (uint32_t tree = 0; tree < 2; tree++)
        for (uint32_t node = 0; node < nodes.m; node++) {
            uint32_t depth = place_node(&nodes, tree, node, places + tree * n);
            height = MAX(height, depth);
        }
    for (uint32_t i = 0; i < 2 * n; i++)
        plan->degree = MAX(plan->degree, places[i].n_children + 1);
    uint32_t m = laggard_pipeline_chunks(request, request->values[CHUNKS], 2.0 * height, 0.5);
    plan->ops = &ops;
    plan->schedule = places;
    plan->free_schedule = g_free;
    plan->variant = height;
    plan->n_lanes = 2;
    plan->n_chunks = 2 * m;
    plan->n_rounds = laggard_pipeline_rounds(request->collective, height, m);
    return true;
}

const struct laggard_algorithm laggard_double_binary_tree = {
    .name = "double-binary-tree",
    .summary = "two trees for half of the buffer each, a rank inside one is a leaf of the other",
    .formula =
        "about (2 h - 1 + m) latency + (2 h + 4 m) S / (2 m B), h = ceil(log2 n), m chunks a "
        "tree; 2 S / B for many chunks",
    .source = "Sanders, Speck, Traeff, Parallel Computing 2009; the trees as NCCL builds them",
    .collectives = LAGGARD_BIT(LAGGARD_ALLREDUCE),
    .parameters = parameters,
    .describe = describe,
};
