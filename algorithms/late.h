/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the algorithms that are made for one late rank have in common. */
#ifndef LAGGARD_ALGORITHMS_LATE_H
#define LAGGARD_ALGORITHMS_LATE_H

#include "sim/laggard.h"

/* The parameter `straggler`, as an element of an algorithm's parameters. */
#define LAGGARD_STRAGGLER_PARAMETER                                                                \
    {                                                                                              \
        .name = "straggler",                                                                       \
        .help = "the rank that will be late; without it, whoever is missing when all others have " \
                "arrived",                                                                         \
        .type = LAGGARD_RANK, .default_text = "",                                                  \
    }

#endif
