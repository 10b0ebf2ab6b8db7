/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/catalogue.h"

#include <string.h>

#include <gio/gio.h>

#include "scenarios/csv.h"
#include "scenarios/nearest.h"
#include "sim/laggard.h"

/* The built-in files (scenarios/catalogue.xml), made by glib-compile-resources. */
GResource *laggard_catalogue_get_resource(void);

/* A number column of a table, as a member of a struct. */
struct column {
    const char *name;
    size_t offset;
    double scale; /* to base units */
};

#define PEAK(precision) (offsetof(struct lag_gpu, peak) + (precision) * sizeof(double))

/* clang-format off */
static const struct column gpu_numbers[] = {
    {"fp32_tflops", PEAK(LAG_FP32), 1e12},
    {"tf32_dense_tflops", PEAK(LAG_TF32), 1e12},
    {"fp16_bf16_dense_tflops", PEAK(LAG_FP16), 1e12},
    {"fp8_dense_tflops", PEAK(LAG_FP8), 1e12},
    {"mem_gb", offsetof(struct lag_gpu, memory), 1e9},
    {"mem_gbs", offsetof(struct lag_gpu, memory_rate), 1e9},
    {"nvlink_per_dir_gbs", offsetof(struct lag_gpu, link_rate), 1e9},
    {"tdp_w", offsetof(struct lag_gpu, power), 1},
    {"measured_matmul_bf16_tflops", offsetof(struct lag_gpu, measured_matmul), 1e12},
};
static const struct column gpu_texts[] = {
    {"gpu", offsetof(struct lag_gpu, name), 0},
    {"arch", offsetof(struct lag_gpu, architecture), 0},
    {"link_gen", offsetof(struct lag_gpu, links), 0},
    {"pcie", offsetof(struct lag_gpu, host_link), 0},
    {"source", offsetof(struct lag_gpu, source), 0},
    {"notes", offsetof(struct lag_gpu, notes), 0},
};
static const struct column link_numbers[] = {
    {"nominal_gbs_per_dir", offsetof(struct lag_link_type, nominal), 1e9},
    {"achievable_gbs", offsetof(struct lag_link_type, achievable), 1e9},
    {"alpha_us", offsetof(struct lag_link_type, latency), 1e-6},
};
static const struct column link_texts[] = {
    {"link", offsetof(struct lag_link_type, name), 0},
    {"kind", offsetof(struct lag_link_type, kind), 0},
    {"scope", offsetof(struct lag_link_type, scope), 0},
    {"source", offsetof(struct lag_link_type, source), 0},
    {"notes", offsetof(struct lag_link_type, notes), 0},
};
/* clang-format on */

/* One line of a table, by column name. */
struct row {
    const GPtrArray *header, *fields; /* of char * */
};

static const char *field(const struct row *row, const char *name)
{
    for (guint i = 0; i < row->header->len && i < row->fields->len; i++)
        if (strcmp(g_ptr_array_index(row->header, i), name) == 0)
            return g_ptr_array_index(row->fields, i);
    g_error("the built-in table has no column %s", name);
}

static void fill(const struct row *row, const struct column *numbers, size_t n_numbers,
                 const struct column *texts, size_t n_texts, void *into)
{
    for (size_t i = 0; i < n_numbers; i++) {
        double value = g_ascii_strtod(field(row, numbers[i].name), NULL) * numbers[i].scale;
        memcpy((char *)into + numbers[i].offset, &value, sizeof value);
    }
    for (size_t i = 0; i < n_texts; i++) {
        char *text = g_strdup(field(row, texts[i].name));
        memcpy((char *)into + texts[i].offset, &text, sizeof text);
    }
}

/* "V", "V (what)": all of it is verified; "K": nothing; "V latency", "V this; rest K": some. */
static enum lag_trust trust_of(const char *status)
{
    bool alone = status[1] == '\0' || g_str_has_prefix(&status[1], " (");

    if (status[0] == 'V' && alone && strstr(status, "; ") == NULL)
        return LAG_VERIFIED;
    return strcmp(status, "K") == 0 ? LAG_RECALLED : LAG_PARTLY_RECALLED;
}

static void append_gpu(lag_catalogue *catalogue, const struct row *row)
{
    struct lag_gpu gpu = {.trust = trust_of(field(row, "status"))};

    gpu.year = (uint32_t)g_ascii_strtoull(field(row, "year"), NULL, 10);
    fill(row, gpu_numbers, G_N_ELEMENTS(gpu_numbers), gpu_texts, G_N_ELEMENTS(gpu_texts), &gpu);
    g_array_append_val(catalogue->gpus, gpu);
}

static void append_link(lag_catalogue *catalogue, const struct row *row)
{
    struct lag_link_type link = {.trust = trust_of(field(row, "status"))};

    fill(row, link_numbers, G_N_ELEMENTS(link_numbers), link_texts, G_N_ELEMENTS(link_texts),
         &link);
    g_array_append_val(catalogue->links, link);
}

/* Reads a built-in table, line by line. */
static void read_table(lag_catalogue *catalogue, const char *path,
                       void (*append)(lag_catalogue *catalogue, const struct row *row))
{
    g_autoptr(GBytes) contents =
        g_resource_lookup_data(laggard_catalogue_get_resource(), path, 0, NULL);
    g_autoptr(GPtrArray) header = g_ptr_array_new_with_free_func(g_free);
    struct lag_csv csv;

    lag_csv_init(&csv, contents);
    lag_csv_next(&csv);
    for (guint i = 0; i < csv.fields->len; i++)
        g_ptr_array_add(header, g_strdup(g_ptr_array_index(csv.fields, i)));
    while (lag_csv_next(&csv))
        append(catalogue, &(struct row){header, csv.fields});
    lag_csv_clear(&csv);
}

static void clear_gpu(void *gpu)
{
    lag_gpu_clear(gpu);
}

static void clear_link(void *of)
{
    struct lag_link_type *link = of;

    g_free(link->name);
    g_free(link->kind);
    g_free(link->scope);
    g_free(link->source);
    g_free(link->notes);
}

lag_catalogue *lag_catalogue_new(void)
{
    lag_catalogue *catalogue = g_new(lag_catalogue, 1);

    catalogue->gpus = g_array_new(FALSE, FALSE, sizeof(struct lag_gpu));
    catalogue->links = g_array_new(FALSE, FALSE, sizeof(struct lag_link_type));
    g_array_set_clear_func(catalogue->gpus, clear_gpu);
    g_array_set_clear_func(catalogue->links, clear_link);
    read_table(catalogue, "/laggard/data/gpus.csv", append_gpu);
    read_table(catalogue, "/laggard/data/links.csv", append_link);
    return catalogue;
}

void lag_catalogue_free(lag_catalogue *catalogue)
{
    if (catalogue == NULL)
        return;
    g_array_unref(catalogue->gpus);
    g_array_unref(catalogue->links);
    g_free(catalogue);
}

/* A name without what doesn't matter: "h100sxm580gb". */
static char *plain(const char *name)
{
    GString *text = g_string_new(NULL);

    for (; *name != '\0'; name++)
        if (strchr(" -_", *name) == NULL)
            g_string_append_c(text, g_ascii_tolower(*name));
    return g_string_free(text, FALSE);
}

/* The names, as a list for messages. */
static char *join(const GPtrArray *names)
{
    g_autoptr(GString) text = g_string_new(NULL);

    for (guint i = 0; i < names->len; i++)
        g_string_append_printf(text, "%s%s", i > 0 ? ", " : "",
                               (const char *)g_ptr_array_index(names, i));
    return g_strdup(text->str);
}

/* The index of the entry whose name, the first member of each, is or begins with `name`; or -1. */
static int find(GArray *entries, const char *what, const char *name, GError **error)
{
    g_autoptr(GPtrArray) all = g_ptr_array_new(), near = g_ptr_array_new();
    g_autofree char *wanted = plain(name);
    size_t size = g_array_get_element_size(entries);
    int found = -1;

    for (guint i = 0; i < entries->len; i++) {
        char *own;
        memcpy(&own, entries->data + i * size, sizeof own);
        g_autofree char *ours = plain(own);
        if (strcmp(ours, wanted) == 0)
            return (int)i;
        g_ptr_array_add(all, own);
        if (*wanted == '\0' || !g_str_has_prefix(ours, wanted))
            continue;
        g_ptr_array_add(near, own);
        found = (int)i;
    }
    if (near->len == 1)
        return found;
    g_autofree char *hint =
        lag_nearest_hint(name, (const char *const *)all->pdata, near->len > 0 ? 0 : all->len);
    g_autofree char *list = join(near);
    if (near->len > 0)
        g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT, "'%s' may be any of: %s", name,
                    list);
    else
        g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT, "there is no %s '%s'%s", what, name,
                    hint);
    return -1;
}

void lag_catalogue_add_gpu(lag_catalogue *catalogue, struct lag_gpu *gpu)
{
    g_autofree char *wanted = plain(gpu->name);

    for (guint i = 0; i < catalogue->gpus->len; i++) {
        struct lag_gpu *old = &g_array_index(catalogue->gpus, struct lag_gpu, i);
        g_autofree char *ours = plain(old->name);
        if (strcmp(ours, wanted) != 0)
            continue;
        lag_gpu_clear(old);
        *old = *gpu;
        *gpu = (struct lag_gpu){0};
        return;
    }
    g_array_append_vals(catalogue->gpus, gpu, 1);
    *gpu = (struct lag_gpu){0};
}

const struct lag_gpu *lag_catalogue_find_gpu(const lag_catalogue *catalogue, const char *name,
                                             GError **error)
{
    int i = find(catalogue->gpus, "GPU", name, error);

    return i < 0 ? NULL : &g_array_index(catalogue->gpus, struct lag_gpu, i);
}

const struct lag_link_type *lag_catalogue_find_link(const lag_catalogue *catalogue,
                                                    const char *name, GError **error)
{
    int i = find(catalogue->links, "link", name, error);

    return i < 0 ? NULL : &g_array_index(catalogue->links, struct lag_link_type, i);
}

const char *lag_trust_name(enum lag_trust trust)
{
    static const char *const names[] = {
        [LAG_VERIFIED] = "verified",
        [LAG_PARTLY_RECALLED] = "partly recalled",
        [LAG_RECALLED] = "recalled",
    };

    return names[trust];
}
