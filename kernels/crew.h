/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Threads that share out one loop after the other, and sleep in between. */
#ifndef LAGGARD_KERNELS_CREW_H
#define LAGGARD_KERNELS_CREW_H

#include <stdint.h>

typedef struct lag_crew lag_crew;

/* `n` with the caller; NULL where no thread could be had. */
lag_crew *lag_crew_new(uint32_t n);
void lag_crew_free(lag_crew *crew);

/* Calls `work(data, part)` for all parts from 0 to n, one in each thread, and waits. */
void lag_crew_run(lag_crew *crew, void (*work)(void *data, uint32_t part), void *data);

#endif
