/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plans run to millions of lines: text is made by hand in a buffer that is written when full. */
#include "tools/schedule.h"

#include "results/format.h"
#include "results/json-writer.h"

#define BUFFER_BYTES ((gsize)1 << 18)

struct printer {
    GString *text;
    struct lag_json json;
    void (*print)(struct printer *printer, int64_t round, const struct laggard_transfer *transfer);
};

static const char *kind_letter(int64_t round, enum laggard_kind kind)
{
    if (round < 0)
        return "R";
    return kind == LAGGARD_REDUCE ? "P" : "F";
}

static void print_text(struct printer *printer, int64_t round, const struct laggard_transfer *t)
{
    GString *text = printer->text;

    lag_append_integer(text, round);
    g_string_append_c(text, ' ');
    lag_append_integer(text, t->src);
    g_string_append_c(text, ' ');
    lag_append_integer(text, t->dst);
    g_string_append_c(text, ' ');
    lag_append_integer(text, t->first_chunk);
    if (t->n_chunks != 1) {
        g_string_append_c(text, '-');
        lag_append_integer(text, (int64_t)t->first_chunk + t->n_chunks - 1);
    }
    g_string_append_c(text, ' ');
    g_string_append(text, kind_letter(round, t->kind));
    g_string_append_c(text, '\n');
}

static void print_json(struct printer *printer, int64_t round, const struct laggard_transfer *t)
{
    struct lag_json *json = &printer->json;

    lag_json_open_object(json, NULL, LAG_JSON_ONE_LINE);
    lag_json_integer(json, "round", round);
    lag_json_count(json, "src", t->src);
    lag_json_count(json, "dst", t->dst);
    lag_json_count(json, "chunk", t->first_chunk);
    lag_json_count(json, "chunks", t->n_chunks);
    lag_json_string(json, "kind", kind_letter(round, t->kind));
    lag_json_close(json);
}

static int by_source(gconstpointer left, gconstpointer right)
{
    const struct laggard_transfer *a = left, *b = right;

    if (a->src != b->src)
        return a->src < b->src ? -1 : 1;
    return (a->dst > b->dst) - (a->dst < b->dst);
}

static bool write_if_full(GString *text, struct lag_output *output, GError **error)
{
    if (text->len < BUFFER_BYTES)
        return true;
    bool written = lag_output_write(output, text, error);
    g_string_truncate(text, 0);
    return written;
}

static void print_round(const struct lag_schedule *schedule, uint32_t round,
                        struct printer *printer, GArray *list)
{
    const lag_plan *plan = schedule->plan;

    g_array_set_size(list, 0);
    for (uint32_t lane = 0; lane < plan->n_lanes; lane++)
        lag_plan_round(plan, schedule->names, lane, round, list);
    if (plan->n_lanes > 1 || plan->degree > 1)
        g_array_sort(list, by_source);
    for (guint i = 0; i < list->len; i++)
        printer->print(printer, (int64_t)round - plan->n_rounds_before,
                       &g_array_index(list, struct laggard_transfer, i));
}

static bool print_rounds(const struct lag_schedule *schedule, struct printer *printer,
                         struct lag_output *output, GError **error)
{
    g_autoptr(GArray) list = g_array_new(FALSE, FALSE, sizeof(struct laggard_transfer));

    for (uint32_t round = 0; round < schedule->plan->n_rounds; round++) {
        print_round(schedule, round, printer, list);
        if (!write_if_full(printer->text, output, error))
            return false;
    }
    return true;
}

bool lag_schedule_text(const struct lag_schedule *schedule, struct lag_output *output,
                       GError **error)
{
    g_autoptr(GString) text = g_string_sized_new(BUFFER_BYTES);
    struct printer printer = {.text = text, .print = print_text};

    return print_rounds(schedule, &printer, output, error) && lag_output_write(output, text, error);
}

bool lag_schedule_json(const struct lag_schedule *schedule, struct lag_output *output,
                       GError **error)
{
    const lag_plan *plan = schedule->plan;
    g_autoptr(GString) text = g_string_sized_new(BUFFER_BYTES);
    struct printer printer = {.text = text, .print = print_json};
    struct lag_json *json = &printer.json;

    lag_json_init(json, text);
    lag_json_open_object(json, NULL, LAG_JSON_LINES);
    lag_json_string(json, "algorithm", schedule->algorithm);
    lag_json_string(json, "collective", laggard_collective_name(plan->collective));
    lag_json_count(json, "ranks", plan->n_ranks);
    lag_json_count(json, "rounds", plan->n_rounds);
    lag_json_count(json, "rounds_after_arrival", plan->n_rounds - plan->n_rounds_before);
    lag_json_count(json, "rounds_missed", plan->n_rounds_missed);
    lag_json_count(json, "chunks", plan->n_chunks);
    if (schedule->verified == NULL)
        lag_json_null(json, "verified");
    else
        lag_json_boolean(json, "verified", *schedule->verified);
    lag_json_boolean(json, "one_port", lag_plan_is_one_port(plan));
    lag_json_open_array(json, "transfers", LAG_JSON_LINES);
    if (!print_rounds(schedule, &printer, output, error))
        return false;
    lag_json_close(json);
    lag_json_close(json);
    return lag_output_write(output, text, error);
}
