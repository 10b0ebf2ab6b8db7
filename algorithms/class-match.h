/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who sends to whom in a round, where senders that have the same to give are one class: a matching
 * of receivers and classes with capacities. Augmenting paths go from class to class, of which there
 * are a few, so that a match costs little more than finding its receiver. */
#ifndef LAGGARD_ALGORITHMS_CLASS_MATCH_H
#define LAGGARD_ALGORITHMS_CLASS_MATCH_H

#include <stdbool.h>
#include <stdint.h>

#define LAGGARD_MAX_CLASSES 32u
#define LAGGARD_NO_CLASS    UINT8_MAX

/* The caller owns the arrays, and fills mask and capacity; all `of` are LAGGARD_NO_CLASS and all
 * the rest 0 at first. */
struct laggard_match {
    uint32_t n_receivers, n_classes;
    uint32_t *mask; /* [n_receivers] bit c: class c may send to it */
    uint8_t *of;    /* [n_receivers] its class, or LAGGARD_NO_CLASS */
    uint32_t capacity[LAGGARD_MAX_CLASSES], used[LAGGARD_MAX_CLASSES];
    uint32_t moves[LAGGARD_MAX_CLASSES]
                  [LAGGARD_MAX_CLASSES]; /* receivers of [a] that [b] may have */
};

/* Gives an unmatched receiver to a class that may have it and has room. */
void laggard_match_set(struct laggard_match *match, uint32_t receiver, uint32_t class);

/* Adds bits to a receiver's mask, matched or not. */
void laggard_match_allow(struct laggard_match *match, uint32_t receiver, uint32_t mask);

/* Finds a class for an unmatched receiver, the lowest that has room, else by moving others; whoever
 * is matched stays so. False where there is none. */
bool laggard_match_receiver(struct laggard_match *match, uint32_t receiver);

/* Makes a class that has room send once more, if that is possible; whoever is matched stays so.
 * Unmatched receivers are tried in `order` (n of them); cursor[c], 0 at first, is how far class c
 * has got in it. */
struct laggard_match_order {
    const uint32_t *order;
    uint32_t n;
    uint32_t cursor[LAGGARD_MAX_CLASSES];
};
bool laggard_match_sender(struct laggard_match *match, uint32_t class,
                          struct laggard_match_order *order);

#endif
