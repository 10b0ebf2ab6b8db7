/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What any-search.c knows while it searches: who has which chunks, and what the rules of its head
 * let each position receive in a round. */
#ifndef LAGGARD_ALGORITHMS_ANY_STATE_H
#define LAGGARD_ALGORITHMS_ANY_STATE_H

#include "algorithms/class-match.h"
#include "algorithms/late-cells.h"

#define LAGGARD_ANY_NONE UINT32_MAX

struct laggard_any {
    uint32_t n, m, log_n, n_chunks, n_words, passes;
    int32_t *tag;    /* [m] */
    uint64_t *have;  /* [m][n_words] bit c: has finished chunk c */
    uint32_t *low;   /* [m] all chunks below it are there */
    uint32_t *place; /* [n] scratch: who gets an old chunk from a sender */
    bool *seen;      /* [n] scratch */
    /* The round: */
    uint32_t round, busy,
        next; /* positions that meet S now and in the next round, or LAGGARD_ANY_NONE */
    int32_t oldest;
    bool last;           /* anybody sends anything */
    uint32_t *first_old; /* [m] the first old chunk that it lacks, or LAGGARD_ANY_NONE */
    uint32_t lacks;      /* chunks up to this one count as old ones; LAGGARD_ANY_NONE: none does */
    uint8_t s_class;     /* of S, if it is free */
    uint8_t *class;      /* [n] of each sender, or LAGGARD_NO_CLASS */
    uint32_t *tag_mask;  /* [m] classes that may send their tag */
    uint32_t *order;     /* [m] receivers, by who needs what first */
    uint32_t *senders;   /* [n] scratch */
    /* Lists of each class's senders and receivers: */
    uint32_t first_sender[LAGGARD_MAX_CLASSES], first_receiver[LAGGARD_MAX_CLASSES];
    uint32_t *next_sender, *next_receiver; /* [n] */
    struct laggard_match match;
    struct laggard_cell *cells; /* [n] */
};

void laggard_any_init(struct laggard_any *s, uint32_t n, uint32_t passes);
void laggard_any_clear(struct laggard_any *s);

/* Starts a round: classes, capacities, masks, and nobody matched. `last`: anybody may send
 * anything. */
void laggard_any_begin_round(struct laggard_any *s, uint32_t round, bool last);

/* The next old chunk from `from` on that g lacks, or LAGGARD_ANY_NONE. */
uint32_t laggard_any_next_lacking(const struct laggard_any *s, uint32_t g, uint32_t from);

/* The oldest chunk that g lacks and `src` has, or LAGGARD_ANY_NONE. */
uint32_t laggard_any_chunk_between(const struct laggard_any *s, uint32_t src, uint32_t g);

/* g has a finished chunk more. */
void laggard_any_receive(struct laggard_any *s, uint32_t g, uint32_t chunk);

/* Every position has every chunk. */
bool laggard_any_is_done(struct laggard_any *s);

#endif
