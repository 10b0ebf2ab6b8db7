/* SPDX-License-Identifier: GPL-3.0-or-later */
/* "Did you mean": the word of a list that is nearest to one with a typo. */
#ifndef LAGGARD_SCENARIOS_NEAREST_H
#define LAGGARD_SCENARIOS_NEAREST_H

#include <stdint.h>

#include <glib.h>

/* Looks at words[0 .. n_words - 1]: the first of the nearest ones (insertions, deletions,
 * replacements and swaps of neighbours cost 1), better one of the same length; or NULL where all
 * are too far to be meant. */
const char *lag_nearest(const char *word, const char *const *words, uint32_t n_words);

/* "; did you mean 'bandwidth'?" where one is near, else "; possible: a, b, c" with all of them
 * (some, if there are many). Newly allocated. */
char *lag_nearest_hint(const char *word, const char *const *words, uint32_t n_words);

#endif
