/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kernels/nvml.h"

#include <string.h>

#include <dlfcn.h>

#define SUCCESS  0
#define CLOCK_SM 1

/* ISO C has no pointer that is both data and function; POSIX says that this one is. */
static bool find(void *library, const char *name, void *ret_function)
{
    void *symbol = dlsym(library, name);

    memcpy(ret_function, &symbol, sizeof symbol);
    return symbol != NULL;
}

void lag_nvml_open(struct lag_nvml *nvml, const char *uuid, char *ret_driver, uint32_t size)
{
    int (*init)(void);
    int (*by_uuid)(const char *uuid, void **ret_device);
    int (*driver_version)(char *version, unsigned length);

    memset(nvml, 0, sizeof *nvml);
    void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        return;
    if (!find(library, "nvmlInit_v2", &init) || !find(library, "nvmlShutdown", &nvml->shutdown) ||
        !find(library, "nvmlDeviceGetHandleByUUID", &by_uuid) ||
        !find(library, "nvmlDeviceGetClockInfo", &nvml->clock_info) ||
        !find(library, "nvmlSystemGetDriverVersion", &driver_version) || init() != SUCCESS) {
        dlclose(library);
        return;
    }
    nvml->library = library;
    if (driver_version(ret_driver, size) != SUCCESS)
        ret_driver[0] = '\0';
    if (by_uuid(uuid, &nvml->device) != SUCCESS)
        nvml->device = NULL;
}

void lag_nvml_close(struct lag_nvml *nvml)
{
    if (nvml->library == NULL)
        return;
    nvml->shutdown();
    dlclose(nvml->library);
    nvml->library = NULL;
}

double lag_nvml_clock(const struct lag_nvml *nvml)
{
    unsigned clock;

    if (nvml->library == NULL || nvml->device == NULL ||
        nvml->clock_info(nvml->device, CLOCK_SM, &clock) != SUCCESS)
        return 0;
    return clock * 1e6;
}
