/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Is what a kernel computes right? Compared with a reference in double precision, within what its
 * format may round; whatever isn't an arithmetic kernel must match to the bit. */
#ifndef LAGGARD_KERNELS_CHECK_H
#define LAGGARD_KERNELS_CHECK_H

#include "kernels/backend.h"

/* With odd sizes, so that tails count. The arena has at least a MiB. */
bool lag_check(struct lag_backend *backend, const struct lag_kernel *kernel, enum lag_dtype dtype);

#endif
