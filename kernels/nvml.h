/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What NVIDIA's management library says of a device, where it can be loaded: the runtime knows
 * neither the driver's version nor the clock of now. */
#ifndef LAGGARD_KERNELS_NVML_H
#define LAGGARD_KERNELS_NVML_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct lag_nvml {
    void *library; /* NULL: not loaded */
    void *device;
    int (*clock_info)(void *device, unsigned type, unsigned *ret_MHz);
    int (*shutdown)(void);
};

/* `uuid` is "GPU-..."; writes the driver's version where it is known. */
void lag_nvml_open(struct lag_nvml *nvml, const char *uuid, char *ret_driver, uint32_t size);
void lag_nvml_close(struct lag_nvml *nvml);

/* Of the multiprocessors, now [Hz]; 0: not known. */
double lag_nvml_clock(const struct lag_nvml *nvml);

#ifdef __cplusplus
}
#endif

#endif
