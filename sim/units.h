/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The one unit system below the scenario loader: seconds, bytes, bytes per second. Other units
 * exist only at the border, in scenarios/quantity.c (reading) and results/render.c (printing). */
#ifndef LAGGARD_SIM_UNITS_H
#define LAGGARD_SIM_UNITS_H

#include <stdint.h>

typedef double lag_seconds; /* a time or a duration [s] */
typedef uint64_t lag_bytes; /* a size [B] */
typedef double lag_rate;    /* a bandwidth, per direction [B/s] */

#endif
