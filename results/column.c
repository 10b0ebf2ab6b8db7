/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "results/column.h"

#include <assert.h>
#include <math.h>

enum kind {
    TEXT,
    COUNT32,
    COUNT64,
    NUMBER,
    STATUS,
    COLLECTIVE,
    PATH_COUNT32, /* these three only where the critical path is recorded */
    PATH_NUMBER,
    POSITIVE, /* 0 is not known */
    SLOPE,    /* only where no link is shared: else it is no derivative */
};

#define ROW(name, kind, field)                                                                     \
    {                                                                                              \
        name, LAG_OF_ROW, kind, offsetof(struct lag_result, field)                                 \
    }
#define POINT(name, kind, field)                                                                   \
    {                                                                                              \
        name, LAG_OF_POINT, kind, offsetof(struct lag_result, field)                               \
    }
#define JOB(name, kind, field)                                                                     \
    {                                                                                              \
        name, LAG_OF_JOB, kind, offsetof(struct lag_result, field)                                 \
    }
#define STATISTIC(name, field, part)                                                               \
    {                                                                                              \
        name, LAG_OF_ROW, NUMBER,                                                                  \
            offsetof(struct lag_result, field) + offsetof(struct lag_statistics, part)             \
    }
#define STATISTICS(name, field)                                                                    \
    STATISTIC(name ".mean", field, mean), STATISTIC(name ".stddev", field, stddev),                \
        STATISTIC(name ".min", field, min), STATISTIC(name ".p50", field, p50),                    \
        STATISTIC(name ".p95", field, p95), STATISTIC(name ".p99", field, p99),                    \
        STATISTIC(name ".max", field, max), STATISTIC(name ".ci95_low", field, ci95_low),          \
        STATISTIC(name ".ci95_high", field, ci95_high)

const struct lag_column lag_columns[] = {
    ROW("algorithm", TEXT, algorithm),
    ROW("label", TEXT, label),
    ROW("status", STATUS, status),
    ROW("message", TEXT, message),
    ROW("engine", TEXT, engine),
    POINT("transfers", TEXT, transfers),
    JOB("collective", COLLECTIVE, collective),
    JOB("ranks", COUNT32, n_ranks),
    JOB("size_bytes", COUNT64, size),
    POINT("steps", COUNT32, n_steps),
    ROW("replications", COUNT32, n_replications),
    ROW("rounds", COUNT32, n_rounds),
    ROW("messages", COUNT64, n_messages),
    ROW("wire_bytes", COUNT64, wire_bytes),
    STATISTICS("time_s", time),
    STATISTICS("exposed_s", exposed),
    ROW("algbw_Bps", NUMBER, algbw),
    ROW("busbw_Bps", NUMBER, busbw),
    ROW("speedup_vs_first", NUMBER, speedup),
    ROW("bottleneck", TEXT, bottleneck),
    ROW("source_of_times", TEXT, source_of_times),
    ROW("throughput_samples_per_s", POSITIVE, throughput),
    ROW("critical_path.first_rank", PATH_COUNT32, path.first_rank),
    ROW("critical_path.last_rank", PATH_COUNT32, path.last_rank),
    ROW("critical_path.compute_s", PATH_NUMBER, path.compute),
    ROW("critical_path.wait_s", PATH_NUMBER, path.wait),
    ROW("critical_path.latency_s", PATH_NUMBER, path.latency),
    ROW("critical_path.bandwidth_s", PATH_NUMBER, path.bandwidth),
    ROW("critical_path.overhead_s", PATH_NUMBER, path.overhead),
    ROW("critical_path.adding_s", PATH_NUMBER, path.adding),
    ROW("critical_path.contention_s", PATH_NUMBER, path.contention),
    ROW("sensitivity.latency", SLOPE, path.latencies),
    ROW("sensitivity.inverse_bandwidth_B", SLOPE, path.bytes),
    ROW("job", TEXT, job),
    {NULL, 0, 0, 0},
};

static struct lag_value of_text(const char *text)
{
    struct lag_value value = {.kind = LAG_VALUE_NONE};

    if (text != NULL) {
        value.kind = LAG_VALUE_TEXT;
        value.text = text;
    }
    return value;
}

static struct lag_value of_count(uint64_t count)
{
    return (struct lag_value){.kind = LAG_VALUE_COUNT, .count = count};
}

static struct lag_value of_number(double number)
{
    struct lag_value value = {.kind = LAG_VALUE_NONE};

    if (isfinite(number)) {
        value.kind = LAG_VALUE_NUMBER;
        value.number = number == 0 ? 0 : number; /* no "-0" */
    }
    return value;
}

static bool is_known(const struct lag_column *column, const struct lag_result *row)
{
    if (column->kind == PATH_COUNT32 || column->kind == PATH_NUMBER)
        return row->path.recorded;
    return column->kind != SLOPE || (row->path.recorded && !(row->path.contention > 0));
}

struct lag_value lag_column_value(const struct lag_column *column, const struct lag_result *row)
{
    const void *field = (const char *)row + column->offset;

    if (!is_known(column, row))
        return (struct lag_value){.kind = LAG_VALUE_NONE};
    switch ((enum kind)column->kind) {
    case TEXT:
        return of_text(*(const char *const *)field);
    case COUNT32:
    case PATH_COUNT32:
        return of_count(*(const uint32_t *)field);
    case COUNT64:
        return of_count(*(const uint64_t *)field);
    case POSITIVE:
        return of_number(*(const double *)field > 0 ? *(const double *)field : NAN);
    case NUMBER:
    case PATH_NUMBER:
    case SLOPE:
        return of_number(*(const double *)field);
    case STATUS:
        return of_text(lag_status_name(*(const enum lag_status *)field));
    case COLLECTIVE:
        if (row->n_ranks == 0) /* the point isn't valid */
            return of_text("");
        return of_text(laggard_collective_name(*(const enum laggard_collective *)field));
    }
    assert(!"a kind without a value");
    return (struct lag_value){.kind = LAG_VALUE_NONE};
}
