/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kernels/lines.h"

#include <inttypes.h>
#include <stdio.h>

/* ASCII only: what else a driver may say becomes '?'. */
static void print_text(const char *key, const char *text)
{
    printf("\"%s\": \"", key);
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            printf("\\%c", c);
        else
            putchar(c >= 0x20 && c < 0x7f ? c : '?');
    }
    putchar('"');
}

static void print_key(const struct lag_job *job, bool cold)
{
    print_text("kernel", job->kernel->name);
    printf(", \"dtype\": \"%s\", \"cache\": \"%s\", \"unit\": \"%s\"", lag_dtype_name(job->dtype),
           cold ? "cold" : "warm", job->kernel->unit);
}

static void end_line(void)
{
    putchar('\n');
    fflush(stdout);
}

void lag_line_plan(uint32_t n_timings)
{
    printf("{\"plan\": %" PRIu32 "}", n_timings);
    end_line();
}

void lag_line_device(const char *backend, const struct lag_device *device)
{
    printf("{\"device\": {");
    print_text("backend", backend);
    printf(", ");
    print_text("name", device->name);
    printf(", ");
    print_text("uuid", device->uuid);
    printf(", ");
    print_text("driver", device->driver);
    printf(", ");
    print_text("toolkit", device->toolkit);
    printf(", \"threads\": %" PRIu32 ", \"memory_bytes\": %" PRIu64 ", \"cache_bytes\": %" PRIu64
           ", \"clock_Hz\": %.9g, \"memory_clock_Hz\": %.9g}}",
           device->threads, device->memory, device->cache, device->clock, device->memory_clock);
    end_line();
}

void lag_line_timing(const struct lag_job *job, bool cold, const struct lag_measured *measured)
{
    const struct lag_samples_summary *s = &measured->summary;

    printf("{\"timing\": {");
    print_key(job, cold);
    printf(", \"amount\": %" PRIu64 ", \"traffic_bytes\": %" PRIu64 ", \"flops\": %" PRIu64
           ", \"repetitions\": %" PRIu32 ", \"batch\": %" PRIu32 ", \"outliers\": %" PRIu32,
           lag_job_amount(job), lag_job_traffic(job), lag_job_flops(job), measured->repetitions,
           measured->batch, measured->outliers);
    printf(", \"median_s\": %.9g, \"min_s\": %.9g, \"p05_s\": %.9g, \"p25_s\": %.9g, \"p75_s\": "
           "%.9g, \"p95_s\": %.9g, \"max_s\": %.9g, \"interval\": %.9g, \"clock_Hz\": %.9g}}",
           s->median, s->min, s->p05, s->p25, s->p75, s->p95, s->max, s->interval, measured->clock);
    end_line();
}

void lag_line_timed(const struct lag_job *job, bool cold)
{
    printf("{\"timed\": {");
    print_key(job, cold);
    printf("}}");
    end_line();
}

void lag_line_skipped(const struct lag_kernel *kernel, enum lag_dtype dtype, const char *reason)
{
    const struct lag_job job = {kernel, dtype, 0};

    printf("{\"skipped\": {");
    print_key(&job, false);
    printf(", ");
    print_text("reason", reason);
    printf("}}");
    end_line();
}

void lag_line_end(void)
{
    printf("{\"end\": true}");
    end_line();
}

void lag_line_error(const char *what)
{
    printf("{");
    print_text("error", what);
    printf("}");
    end_line();
}
