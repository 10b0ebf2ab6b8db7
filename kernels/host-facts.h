/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the system says of a host. */
#ifndef LAGGARD_KERNELS_HOST_FACTS_H
#define LAGGARD_KERNELS_HOST_FACTS_H

#include "kernels/backend.h"

/* All but `threads`. */
void lag_host_describe(struct lag_device *ret);
double lag_host_clock(void); /* of a processor, now [Hz]; 0: not known */

#endif
