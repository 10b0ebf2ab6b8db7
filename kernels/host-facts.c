/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kernels/host-facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "kernels/matrix.h"

#define CPUFREQ "/sys/devices/system/cpu/cpu0/cpufreq/"

/* The first line of a file, without its end; false where there is none. */
static bool read_line(const char *path, char *line, int size)
{
    FILE *file = fopen(path, "r");
    bool read = file != NULL && fgets(line, size, file) != NULL;

    if (file != NULL)
        fclose(file);
    if (read)
        line[strcspn(line, "\n")] = '\0';
    return read;
}

/* The value of the first "key : value" of /proc/cpuinfo. */
static bool processor_says(const char *key, char *value)
{
    FILE *file = fopen("/proc/cpuinfo", "r");
    char line[LAG_TEXT];
    bool found = false;

    if (file == NULL)
        return false;
    while (!found && fgets(line, sizeof line, file) != NULL) {
        const char *colon = strchr(line, ':');
        found = colon != NULL && strncmp(line, key, strlen(key)) == 0;
        if (found)
            snprintf(value, LAG_TEXT, "%s", colon + 1 + (colon[1] == ' '));
    }
    fclose(file);
    value[found ? strcspn(value, "\n") : 0] = '\0';
    return found;
}

double lag_host_clock(void)
{
    char text[LAG_TEXT];

    if (read_line(CPUFREQ "scaling_cur_freq", text, sizeof text))
        return strtod(text, NULL) * 1e3;
    return processor_says("cpu MHz", text) ? strtod(text, NULL) * 1e6 : 0;
}

/* What this process may use: of the machine, or of its control group. */
static uint64_t memory_size(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    uint64_t memory = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : 0;
    char text[LAG_TEXT];

    if (read_line("/sys/fs/cgroup/memory.max", text, sizeof text)) {
        uint64_t most = strtoull(text, NULL, 10); /* "max" is 0 */
        if (most > 0 && most < memory)
            memory = most;
    }
    return memory;
}

static uint64_t cache_size(void)
{
    static const int levels[] = {_SC_LEVEL4_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE,
                                 _SC_LEVEL2_CACHE_SIZE};

    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
        long size = sysconf(levels[i]);
        if (size > 0)
            return (uint64_t)size;
    }
    return 0;
}

static void name_compiler(char *text, uint32_t size)
{
    char blas[LAG_TEXT / 2];

    lag_matrix_describe(blas, sizeof blas);
#ifdef __clang__
    snprintf(text, size, "clang %d.%d.%d, %s", __clang_major__, __clang_minor__,
             __clang_patchlevel__, blas);
#else
    snprintf(text, size, "gcc %d.%d.%d, %s", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__, blas);
#endif
}

void lag_host_describe(struct lag_device *ret)
{
    struct utsname system;
    char text[LAG_TEXT];

    *ret = (struct lag_device){.memory = memory_size(), .cache = cache_size()};
    if (uname(&system) == 0)
        snprintf(ret->driver, LAG_TEXT, "%.60s %.100s", system.sysname, system.release);
    if (!processor_says("model name", ret->name))
        snprintf(ret->name, LAG_TEXT, "%.60s processor", system.machine);
    name_compiler(ret->toolkit, LAG_TEXT);
    ret->clock = read_line(CPUFREQ "cpuinfo_max_freq", text, sizeof text) ? strtod(text, NULL) * 1e3
                                                                          : lag_host_clock();
    ret->most_flops = 20000000000;
}
