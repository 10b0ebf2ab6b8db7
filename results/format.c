/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "results/format.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#define DIGITS  5     /* significant */
#define NOTHING 5e-14 /* a time that is 0 to all digits of the smallest unit [s] */

struct unit {
    const char *name;
    double size;
};

static const struct unit times[] = {
    {"s",  1   },
    {"ms", 1e-3},
    {"us", 1e-6},
    {"ns", 1e-9},
    {NULL, 0   }
};
static const struct unit rates[] = {
    {"TB/s", 1e12},
    {"GB/s", 1e9 },
    {"MB/s", 1e6 },
    {"kB/s", 1e3 },
    {"B/s",  1   },
    {NULL,   0   },
};
static const struct unit binary_sizes[] = {
    {"TiB", 0x1p40},
    {"GiB", 0x1p30},
    {"MiB", 0x1p20},
    {"KiB", 0x1p10},
    {NULL,  0     },
};
static const struct unit sizes[] = {
    {"TB", 1e12},
    {"GB", 1e9 },
    {"MB", 1e6 },
    {"kB", 1e3 },
    {"B",  1   },
    {NULL, 0   },
};

/* The largest unit in which `value`, rounded to DIGITS, is at least 1; else the smallest. */
static const struct unit *choose(const struct unit *units, double value)
{
    while (units[1].name != NULL && fabs(value) / units->size < 1 - 0.5 * pow(10, -DIGITS))
        units++;
    return units;
}

static char *with_decimals(double value, int decimals)
{
    char format[8], buffer[G_ASCII_DTOSTR_BUF_SIZE + 310];

    g_snprintf(format, sizeof format, "%%.%df", decimals);
    return g_strdup(g_ascii_formatd(buffer, sizeof buffer, format, value));
}

static char *in_unit(double value, const struct unit *unit, bool keep_zeros)
{
    double v = value / unit->size;
    int before = fabs(v) < 1 ? 1 : (int)floor(log10(fabs(v) * (1 + 1e-12))) + 1;
    g_autofree char *number = with_decimals(v, CLAMP(DIGITS - before, 0, DIGITS - 1));

    if (!keep_zeros && strchr(number, '.') != NULL) {
        size_t n = strlen(number);
        while (number[n - 1] == '0')
            n--;
        number[number[n - 1] == '.' ? n - 1 : n] = '\0';
    }
    return g_strdup_printf("%s %s", number, unit->name);
}

char *lag_format_seconds(lag_seconds time)
{
    if (!isfinite(time))
        return g_strdup("-");
    if (fabs(time) < NOTHING)
        return g_strdup("0 s");
    return in_unit(time, choose(times, time), true);
}

char *lag_format_seconds_like(lag_seconds time, lag_seconds like)
{
    if (!isfinite(time) || !isfinite(like))
        return g_strdup("-");
    const struct unit *unit = choose(times, like == 0 ? 1 : like);
    g_autofree char *number = with_decimals(time / unit->size, DIGITS - 1);
    return g_strdup_printf("%s %s", number, unit->name);
}

char *lag_format_rate(lag_rate rate)
{
    return isfinite(rate) ? in_unit(rate, choose(rates, rate), true) : g_strdup("-");
}

char *lag_format_bytes(double bytes)
{
    if (!isfinite(bytes))
        return g_strdup("-");
    bool binary = bytes >= 1024 && fmod(bytes, 1024) == 0;
    return in_unit(bytes, choose(binary ? binary_sizes : sizes, bytes), false);
}

void lag_append_count(GString *text, uint64_t value)
{
    char digits[20];
    size_t n = sizeof digits;

    do
        digits[--n] = (char)('0' + value % 10);
    while ((value /= 10) > 0);
    g_string_append_len(text, digits + n, (gssize)(sizeof digits - n));
}

void lag_append_integer(GString *text, int64_t value)
{
    if (value < 0)
        g_string_append_c(text, '-');
    lag_append_count(text, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}
