/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of protocols: protocols.def, as data. */
#ifndef LAGGARD_ALGORITHMS_PROTOCOLS_H
#define LAGGARD_ALGORITHMS_PROTOCOLS_H

#include "algorithms/parameter.h"
#include "sim/protocol.h"

/* All protocols by name; ends with NULL. */
extern const struct laggard_protocol *const lag_protocols[];

/* NULL where there is none of that name. */
const struct laggard_protocol *lag_protocol_find(const char *name);

#endif
