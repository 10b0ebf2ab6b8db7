/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table and the JSON document of rows made by hand, against tests/golden/. UPDATE_GOLDEN=1
 * writes the golden files anew: read the difference before it is kept. */
#include <math.h>

#include <json-glib/json-glib.h>

#include "results/json.h"
#include "results/render.h"

static void assert_golden(const char *name, const GString *text)
{
    g_autofree char *path =
        g_build_filename(g_getenv("LAGGARD_SOURCE_ROOT"), "tests", "golden", name, NULL);
    g_autofree char *expected = NULL;
    g_autoptr(GError) error = NULL;

    if (g_getenv("UPDATE_GOLDEN") != NULL)
        g_file_set_contents(path, text->str, (gssize)text->len, &error);
    g_assert_no_error(error);
    g_file_get_contents(path, &expected, NULL, &error);
    g_assert_no_error(error);
    g_assert_cmpstr(text->str, ==, expected);
}

static struct lag_field field(const char *name, const char *text, double number)
{
    return (struct lag_field){g_strdup(name), g_strdup(text), !isnan(number), number};
}

/* What all rows have. */
static void fill_row(struct lag_result *row, const char *algorithm, const char *label)
{
    row->algorithm = g_strdup(algorithm);
    row->label = g_strdup(label);
    row->engine = "replay";
    row->transfers = "rendezvous";
    row->n_ranks = 2;
    row->n_steps = 1;
    row->n_replications = 3;
    row->n_rounds = 2;
}

static void fill_numbers(struct lag_result *row, double scale)
{
    const double time[] = {scale * 6e-3, scale * 7e-3, scale * 8e-3};
    const double exposed[] = {scale * 1e-3, scale * 2e-3, scale * 3e-3};

    row->n_messages = 4;
    row->wire_bytes = 2 * row->size;
    row->time = lag_statistics_of(time, 3);
    row->exposed = lag_statistics_of(exposed, 3);
    row->algbw = (double)row->size / row->exposed.mean;
    row->busbw = row->algbw;
    row->speedup = scale < 1 ? 1 / scale : 1;
    row->path = (struct lag_critical_path){
        .recorded = true,
        .first_rank = 1,
        .first_share = 1,
        .wait = scale * 5e-3,
        .latency = scale * 0.5e-3,
        .bandwidth = scale * 1.5e-3,
        .latencies = 1,
        .bytes = 1048576,
        .n_ranks = 2,
        .ranks = g_memdup2((uint32_t[]){0, 1}, 2 * sizeof(uint32_t)),
        .n_links = 1,
        .links = g_new0(struct lag_link_share, 1),
    };
    row->path.links[0] = (struct lag_link_share){g_strdup("gpu0->switch"), 1, false};
    row->bottleneck = lag_bottleneck(&row->path);
    row->ranks_wait = g_memdup2((double[]){5e-3, 0}, 2 * sizeof(double));
    row->ranks_idle = g_memdup2((double[]){5.5e-3, 0.25e-3}, 2 * sizeof(double));
    row->ranks_done = g_memdup2((double[]){6.5e-3, 7e-3}, 2 * sizeof(double));
    row->arrived_last = g_memdup2((uint64_t[]){0, 3}, 2 * sizeof(uint64_t));
    row->n_links = 1;
    row->links = g_new0(struct lag_link_use, 1);
    row->links[0] = (struct lag_link_use){g_strdup("gpu0->switch"), (double)row->size, 0.5, NAN};
}

static void fill_nothing(struct lag_result *row)
{
    row->status = LAG_STALLED;
    row->message = g_strdup("stalled at 1 s with 1 of 2 ranks not done; rank 0 waits");
    row->time = row->exposed = lag_statistics_of(NULL, 0);
    row->algbw = row->busbw = row->speedup = NAN;
}

/* Two sizes and two algorithms; the last row has stalled. */
static lag_result_set *make_sweep(void)
{
    lag_result_set *set = lag_result_set_new(4);

    set->scenario = g_strdup("made-by-hand");
    set->fingerprint = g_strdup("sha256:0123");
    set->seed = G_MAXUINT64;
    for (uint32_t i = 0; i < 4; i++) {
        struct lag_result *row = &set->results[i];
        bool second = i % 2 == 1;
        fill_row(row, second ? "stragglar" : "ring", second ? "stragglar straggler=1" : "ring");
        row->size = i < 2 ? 1 << 20 : 1 << 30;
        row->n_coordinates = 2;
        row->point = g_new(struct lag_field, 2);
        row->point[0] = field("workload.size", i < 2 ? "1 MiB" : "1 GiB", (double)row->size);
        row->point[1] = field("cluster.network.transfers", "rendezvous", NAN);
        row->n_parameters = second ? 2 : 0;
        row->parameters = g_new0(struct lag_field, row->n_parameters);
        if (second) {
            row->parameters[0] = field("straggler", "1", 1);
            row->parameters[1] = field("other", NULL, NAN);
        }
        if (i < 3)
            fill_numbers(row, second ? 0.5 : i < 2 ? 1 : 1001);
        else
            fill_nothing(row);
    }
    return set;
}

/* One run of one row: no columns of samples, all settings in the heading. */
static lag_result_set *make_single(void)
{
    lag_result_set *set = lag_result_set_new(1);

    set->scenario = g_strdup("single");
    set->fingerprint = g_strdup("sha256:4567");
    set->seed = 1;
    fill_row(&set->results[0], "ring", "ring");
    set->results[0].n_replications = 1;
    set->results[0].size = 100000000;
    fill_numbers(&set->results[0], 1);
    return set;
}

static void test_tables(void)
{
    g_autoptr(lag_result_set) sweep = make_sweep();
    g_autoptr(lag_result_set) single = make_single();
    lag_result_set *sets[] = {sweep, single};
    g_autoptr(GString) text = g_string_new(NULL);

    lag_render_tables(text, sets, 2, "0.0.0");
    assert_golden("results.txt", text);
}

static void test_document(void)
{
    g_autoptr(lag_result_set) sweep = make_sweep();
    g_autoptr(GString) text = g_string_new(NULL);
    g_autoptr(JsonParser) parser = json_parser_new();

    lag_json_documents(text, &sweep, 1, "0.0.0");
    assert_golden("results.json", text);
    g_assert_true(json_parser_load_from_data(parser, text->str, -1, NULL));
    JsonObject *document = json_node_get_object(json_parser_get_root(parser));
    g_assert_cmpuint(json_array_get_length(json_object_get_array_member(document, "results")), ==,
                     4);
}

/* Several scenarios make an array of documents. */
static void test_documents(void)
{
    g_autoptr(lag_result_set) sweep = make_sweep();
    g_autoptr(lag_result_set) single = make_single();
    lag_result_set *sets[] = {sweep, single};
    g_autoptr(GString) text = g_string_new(NULL);
    g_autoptr(JsonParser) parser = json_parser_new();

    lag_json_documents(text, sets, 2, "0.0.0");
    g_assert_true(json_parser_load_from_data(parser, text->str, -1, NULL));
    JsonArray *documents = json_node_get_array(json_parser_get_root(parser));
    g_assert_cmpuint(json_array_get_length(documents), ==, 2);
    g_assert_cmpstr(
        json_object_get_string_member(json_array_get_object_element(documents, 1), "scenario"), ==,
        "single");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/render/tables", test_tables);
    g_test_add_func("/render/document", test_document);
    g_test_add_func("/render/documents", test_documents);
    return g_test_run();
}
