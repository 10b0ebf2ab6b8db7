/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/nearest.h"

#include <string.h>

/* Longer words are nobody's typo of ours; the bound keeps the work and the stack small. */
#define LONGEST    40
#define MOST_SHOWN 24

/* One cell of the table of optimal string alignment: rows[0] is the newest row. */
static uint32_t cheapest(const char *a, const char *b, size_t i, size_t j,
                         uint32_t rows[3][LONGEST + 1])
{
    uint32_t cost = rows[1][j - 1] + (a[i - 1] != b[j - 1]);

    cost = MIN(cost, rows[1][j] + 1);
    cost = MIN(cost, rows[0][j - 1] + 1);
    if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        cost = MIN(cost, rows[2][j - 2] + 1);
    return cost;
}

/* Edit distance; LONGEST where one of the words is too long to compare. */
static uint32_t distance(const char *a, const char *b)
{
    size_t n_a = strlen(a), n_b = strlen(b);
    uint32_t rows[3][LONGEST + 1] = {0};

    if (n_a > LONGEST || n_b > LONGEST)
        return LONGEST;
    for (uint32_t j = 0; j <= n_b; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= n_a; i++) {
        memcpy(rows[2], rows[1], sizeof(rows[0]));
        memcpy(rows[1], rows[0], sizeof(rows[0]));
        rows[0][0] = (uint32_t)i;
        for (size_t j = 1; j <= n_b; j++)
            rows[0][j] = cheapest(a, b, i, j, rows);
    }
    return rows[0][n_b];
}

const char *lag_nearest(const char *word, const char *const *words, uint32_t n_words)
{
    size_t length = strlen(word);
    uint32_t farthest = length < 3 ? 1 : length < 6 ? 2 : 3; /* that may be meant */
    uint32_t best = UINT32_MAX;
    const char *nearest = NULL;

    for (uint32_t i = 0; i < n_words; i++) {
        uint32_t d = distance(word, words[i]);
        uint32_t rank = 2 * d + (strlen(words[i]) != length);
        if (d <= farthest && d < strlen(words[i]) && rank < best) {
            best = rank;
            nearest = words[i];
        }
    }
    return nearest;
}

char *lag_nearest_hint(const char *word, const char *const *words, uint32_t n_words)
{
    const char *nearest = lag_nearest(word, words, n_words);
    GString *text = g_string_new("; possible: ");

    if (nearest != NULL) {
        g_string_printf(text, "; did you mean '%s'?", nearest);
        return g_string_free(text, FALSE);
    }
    for (uint32_t i = 0; i < MIN(n_words, MOST_SHOWN); i++)
        g_string_append_printf(text, "%s%s", i > 0 ? ", " : "", words[i]);
    g_string_append(text, n_words > MOST_SHOWN ? ", ..." : "");
    return g_string_free(text, FALSE);
}
