/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kernels/pattern.h"

#define CHUNK (1 << 16) /* words */

void lag_pattern_fill(uint16_t *words, uint64_t n_words, uint64_t offset)
{
    for (uint64_t i = 0; i < n_words; i++) {
        uint64_t place = offset / 2 + i;
        words[i] = (uint16_t)(0x3c00 | (place * 2654435761U >> 16 & 0xff));
    }
}

bool lag_pattern_upload(struct lag_backend *backend, uint64_t bytes)
{
    uint16_t words[CHUNK];

    lag_pattern_fill(words, CHUNK, 0);
    for (uint64_t offset = 0; offset < bytes; offset += sizeof words) {
        uint64_t n = bytes - offset < sizeof words ? bytes - offset : sizeof words;
        if (!backend->upload(backend, offset, words, n))
            return false;
    }
    return true;
}
