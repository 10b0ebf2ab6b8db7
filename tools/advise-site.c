/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/advise-site.h"

#include <string.h>

#define BANDWIDTH "300 GB/s"
#define LATENCY   "3 us"
#define SIZE      "1 GiB"
#define MOST_GPUS (1 << 20)

void lag_site_options_clear(struct lag_site_options *options)
{
    g_free(options->cluster);
    g_free(options->bandwidth);
    g_free(options->latency);
    g_free(options->size);
    g_free(options->dtype);
    memset(options, 0, sizeof *options);
}

static bool refuse(GError **error, const char *message)
{
    g_set_error_literal(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT, message);
    return false;
}

static bool check(const struct lag_site_options *options, GError **error)
{
    if (options->cluster != NULL &&
        (options->gpus != 0 || options->bandwidth != NULL || options->latency != NULL))
        return refuse(error, "--cluster says it all: leave out --gpus, --bandwidth and --latency");
    if (options->gpus == 0 || (options->gpus > 1 && options->gpus <= MOST_GPUS))
        return true;
    g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT,
                "--gpus: expected a whole number from 2 to %d, got %d", MOST_GPUS, options->gpus);
    return false;
}

static GPtrArray *new_list(void)
{
    return g_ptr_array_new_with_free_func(g_free);
}

/* "--set workload.size=12: workload.size: ..." becomes "--size: ...": what was typed. */
static void name_option(GError **error)
{
    static const char *const options[][2] = {
        {"cluster.network.bandwidth", "--bandwidth"},
        {"cluster.network.latency",   "--latency"  },
        {"workload.size",             "--size"     },
        {"workload.dtype",            "--dtype"    }
    };

    for (size_t i = 0; error != NULL && *error != NULL && i < G_N_ELEMENTS(options); i++) {
        g_autofree char *start = g_strdup_printf("--set %s=", options[i][0]);
        g_autofree char *key = g_strdup_printf(": %s: ", options[i][0]);
        const char *at = strstr((*error)->message, key);
        if (!g_str_has_prefix((*error)->message, start) || at == NULL)
            continue;
        char *message = g_strdup_printf("%s: %s", options[i][1], at + strlen(key));
        g_free((*error)->message);
        (*error)->message = message;
    }
}

static void add_set(GPtrArray *sets, const char *key, const char *value)
{
    if (value != NULL)
        g_ptr_array_add(sets, g_strdup_printf("%s=%s", key, value));
}

/* The only point of a document; NULL with an error. Takes the document over. */
static lag_scenario *only_point(lag_document *given, GError **error)
{
    g_autoptr(lag_document) document = given;

    if (document == NULL)
        return NULL;
    if (lag_document_n_points(document) == 1)
        return lag_document_point(document, 0, error);
    g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT,
                "--cluster: the scenario is a sweep of %u points; expected one cluster",
                lag_document_n_points(document));
    return NULL;
}

static lag_scenario *load_cluster(const struct lag_site_options *options, const char *size,
                                  GError **error)
{
    g_autoptr(GPtrArray) sets = new_list();

    add_set(sets, "name", "advise");
    add_set(sets, "workload.collective", "allreduce");
    add_set(sets, "algorithms", "[ring]");
    add_set(sets, "stragglers", "[]");
    add_set(sets, "workload.size", size);
    add_set(sets, "workload.dtype", options->dtype);
    g_ptr_array_add(sets, NULL);
    return only_point(lag_document_load(options->cluster, (const char *const *)sets->pdata, error),
                      error);
}

/* The size is the option's, else the file's, else the default. */
static bool read_cluster(lag_site *site, const struct lag_site_options *options, GError **error)
{
    site->network = g_strdup(options->cluster);
    site->scenario = load_cluster(options, options->size, NULL);
    if (site->scenario != NULL)
        return true;
    site->scenario = load_cluster(options, options->size != NULL ? options->size : SIZE, error);
    g_ptr_array_add(site->assumed, g_strdup("size " SIZE " (default; --size)"));
    return site->scenario != NULL;
}

static const char *or_default(lag_site *site, const char *given, const char *stated,
                              const char *said)
{
    if (given != NULL)
        return given;
    g_ptr_array_add(site->assumed, g_strdup(said));
    return stated;
}

static bool make_cluster(lag_site *site, const struct lag_site_options *options, uint32_t n_ranks,
                         GError **error)
{
    g_autoptr(GPtrArray) sets = new_list();
    uint32_t gpus = options->gpus > 0 ? (uint32_t)options->gpus : n_ranks;
    const char *bandwidth = or_default(site, options->bandwidth, BANDWIDTH,
                                       "bandwidth " BANDWIDTH
                                       " per direction (A100, NVLink 3, data sheet; --bandwidth)");
    const char *latency = or_default(site, options->latency, LATENCY,
                                     "latency " LATENCY " (StragglAR's authors; --latency)");
    const char *size = or_default(site, options->size, SIZE, "size " SIZE " (default; --size)");
    g_autofree char *text = g_strdup_printf("laggard: 1\n"
                                            "name: advise\n"
                                            "cluster:\n"
                                            "  gpus: %u\n"
                                            "  network: {topology: switch}\n"
                                            "workload: {collective: allreduce}\n"
                                            "algorithms: [ring]\n",
                                            gpus);

    g_ptr_array_add(site->assumed, g_strdup("one switch, no contention (--cluster)"));
    site->network = g_strdup_printf("one switch, %s, %s", bandwidth, latency);
    add_set(sets, "cluster.network.bandwidth", bandwidth);
    add_set(sets, "cluster.network.latency", latency);
    add_set(sets, "workload.size", size);
    add_set(sets, "workload.dtype", options->dtype);
    g_ptr_array_add(sets, NULL);
    site->scenario = only_point(lag_document_parse(text, strlen(text), "advise", ".",
                                                   (const char *const *)sets->pdata, error),
                                error);
    return site->scenario != NULL;
}

lag_site *lag_site_new(const struct lag_site_options *options, uint32_t n_ranks, GError **error)
{
    g_autoptr(lag_site) site = g_new0(lag_site, 1);

    site->assumed = new_list();
    if (!check(options, error))
        return NULL;
    if (options->cluster != NULL ? !read_cluster(site, options, error)
                                 : !make_cluster(site, options, n_ranks, error)) {
        name_option(error);
        return NULL;
    }
    if (site->scenario->n_ranks < 2 && !refuse(error, "--cluster: one GPU has nobody to wait for"))
        return NULL;
    site->scenario->engine = LAG_ENGINE_AUTO;
    if (options->dtype == NULL)
        g_ptr_array_add(site->assumed, g_strdup_printf("elements %s", site->scenario->dtype));
    return g_steal_pointer(&site);
}

void lag_site_free(lag_site *site)
{
    if (site == NULL)
        return;
    lag_scenario_free(site->scenario);
    g_free(site->network);
    g_ptr_array_unref(site->assumed);
    g_free(site);
}
