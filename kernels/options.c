/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/course.h"
#include "kernels/lines.h"

#define MOST_THREADS 1024

static bool refuse(const char *what, const char *word)
{
    char text[4 * LAG_TEXT];
    size_t used = (size_t)snprintf(text, sizeof text, "no %s \"%.40s\"; there are:", what, word);

    for (size_t i = 0; strcmp(what, "kernel") == 0 && i < lag_n_kernels; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s %s", i > 0 ? "," : "",
                                 lag_kernels[i].name);
    if (strcmp(what, "kernel") != 0)
        snprintf(text + used, sizeof text - used,
                 " --quick, --kernels=LIST, --threads=N, --device=N, --most-bytes=N");
    lag_line_error(text);
    return false;
}

static bool is_kernel(const char *name, size_t length)
{
    for (size_t i = 0; i < lag_n_kernels; i++)
        if (strlen(lag_kernels[i].name) == length &&
            strncmp(lag_kernels[i].name, name, length) == 0)
            return true;
    return false;
}

static bool check_list(const char *list)
{
    while (list != NULL) {
        size_t length = strcspn(list, ",");
        if (!is_kernel(list, length)) {
            char name[LAG_TEXT];
            snprintf(name, sizeof name, "%.*s", length < 40 ? (int)length : 40, list);
            return refuse("kernel", name);
        }
        list = list[length] == ',' ? list + length + 1 : NULL;
    }
    return true;
}

/* The number of "--key=number", if the word is one up to `most`. */
static bool read_number(const char *word, const char *key, uint64_t most, uint64_t *ret)
{
    size_t length = strlen(key);
    char *end;

    if (strncmp(word, key, length) != 0 || word[length] < '0' || word[length] > '9')
        return false;
    unsigned long long value = strtoull(word + length, &end, 10);
    *ret = value;
    return *end == '\0' && value <= most;
}

bool lag_options_parse(int argc, char **argv, struct lag_options *ret)
{
    uint64_t number;

    *ret = (struct lag_options){0};
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--quick") == 0)
            ret->quick = true;
        else if (strncmp(argv[i], "--kernels=", 10) == 0)
            ret->kernels = argv[i] + 10;
        else if (read_number(argv[i], "--threads=", MOST_THREADS, &number))
            ret->threads = (uint32_t)number;
        else if (read_number(argv[i], "--device=", UINT16_MAX, &number))
            ret->device = (uint32_t)number;
        else if (read_number(argv[i], "--most-bytes=", UINT64_MAX / 2, &number))
            ret->most_bytes = number;
        else
            return refuse("option", argv[i]);
    }
    return ret->kernels == NULL || check_list(ret->kernels);
}
