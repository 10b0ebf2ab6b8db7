/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "algorithms/pipeline.h"

#include <math.h>

#define MOST_AUTO    4096 /* chunks that auto takes at most: each costs every engine a round */
#define UNKNOWN_AUTO 16   /* chunks where there is no estimate */

uint32_t laggard_pipeline_chunks(const struct laggard_request *request, double value, double drain,
                                 double share)
{
    const struct laggard_estimate *e = &request->estimate;

    if (value != LAGGARD_AUTO)
        return (uint32_t)value;
    if (e->size == 0 || !(e->rate > 0))
        return UNKNOWN_AUTO;
    double drained = drain * share * (double)e->size / e->rate; /* [s] with one chunk */
    double most = fmin(MOST_AUTO, fmax(1, share * (double)e->size));
    if (drained >= most * most * e->latency)
        return (uint32_t)most;
    double m = fmax(1, floor(sqrt(drained / e->latency)));
    /* The next one is better where it costs a latency less than it saves. */
    return (uint32_t)(drained / (m * (m + 1)) > e->latency ? m + 1 : m);
}

uint32_t laggard_pipeline_rounds(enum laggard_collective collective, uint32_t height, uint32_t m)
{
    uint32_t ways = collective == LAGGARD_ALLREDUCE ? 2 : 1;

    return height == 0 ? 0 : ways * height + m - 1;
}

/* Chunk round - start, where the lane has it. */
static bool chunk_at(uint32_t round, uint32_t start, uint32_t m, uint32_t *ret)
{
    *ret = round - start;
    return round >= start && *ret < m;
}

void laggard_pipeline_step(enum laggard_collective collective, const struct laggard_place *place,
                           uint32_t height, uint32_t round, uint32_t first, uint32_t m,
                           struct laggard_step *ret)
{
    bool up = collective != LAGGARD_BROADCAST, down = collective != LAGGARD_REDUCE_TO_ROOT;
    uint32_t rank = place->rank;
    uint32_t back = height - place->depth;                   /* rounds that its subtree may need */
    uint32_t away = (up ? height : 0) + place->depth, chunk; /* round in which it sends down */

    if (up && place->parent != LAGGARD_NONE && chunk_at(round, back, m, &chunk))
        laggard_send(ret, rank, place->parent, first + chunk, 1, LAGGARD_REDUCE);
    if (down && place->parent != LAGGARD_NONE && chunk_at(round, away - 1, m, &chunk))
        laggard_receive(ret, place->parent, rank, first + chunk, 1, LAGGARD_STORE);
    for (uint32_t i = 0; i < place->n_children; i++) {
        if (up && chunk_at(round, back - 1, m, &chunk))
            laggard_receive(ret, place->children[i], rank, first + chunk, 1, LAGGARD_REDUCE);
        if (down && chunk_at(round, away, m, &chunk))
            laggard_send(ret, rank, place->children[i], first + chunk, 1, LAGGARD_STORE);
    }
}
