/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Images and labels in the IDX format of the MNIST database: big-endian words (magic 0x00000800 +
 * number of dimensions, for unsigned bytes; then the dimensions), then the bytes. Files may be
 * compressed with gzip. */
#ifndef LAGGARD_SCENARIOS_IDX_H
#define LAGGARD_SCENARIOS_IDX_H

#include "sim/learner/dataset.h"

/* One file: its dimensions (1 to 3), and its bytes in `contents`, from `first` on. */
struct lag_idx {
    uint32_t n_dimensions, dimensions[3];
    size_t first, n_bytes;
};

/* Checks contents, which are not compressed, against what they say of themselves. False with
 * LAGGARD_ERROR_INPUT: "the file is cut off: ...", without the file's name. */
bool lag_idx_parse(GBytes *contents, uint32_t n_dimensions, struct lag_idx *ret, GError **error);

/* The four files of such a data set in a folder: train-images-idx3-ubyte, train-labels-idx1-ubyte,
 * t10k-images-idx3-ubyte, t10k-labels-idx1-ubyte, each also with ".gz" behind. Pixels become
 * 0 .. 1, labels classes. NULL with LAGGARD_ERROR_INPUT that names the file. */
lag_dataset *lag_idx_load(const char *folder, const char *name, GError **error);

#endif
