/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/catalogue.h"
#include "sim/laggard.h"
#include "tests/helpers.h"

/* Three lines of the table, read by hand, one of each kind of trust. */
static void known(void)
{
    g_autoptr(lag_catalogue) catalogue = lag_catalogue_new();
    const struct lag_gpu *h100 = lag_catalogue_find_gpu(catalogue, "H100 SXM5 80GB", NULL);
    const struct lag_gpu *k80 = lag_catalogue_find_gpu(catalogue, "K80", NULL);
    const struct lag_link_type *ndr = lag_catalogue_find_link(catalogue, "infiniband ndr", NULL);

    assert_near(h100->peak[LAG_FP16], 989e12, 1e-15);
    assert_near(h100->memory_rate, 3350e9, 1e-15);
    assert_near(h100->link_rate, 450e9, 1e-15);
    g_assert_cmpfloat(h100->power, ==, 700);
    g_assert_cmpint(h100->trust, ==, LAG_VERIFIED);
    g_assert_cmpint(k80->trust, ==, LAG_PARTLY_RECALLED);
    g_assert_cmpfloat(k80->peak[LAG_FP16], ==, 0); /* the table leaves it empty */
    assert_near(ndr->nominal, 50e9, 1e-15);
    assert_near(ndr->latency, 14e-6, 1e-15);
    g_assert_cmpint(lag_catalogue_find_gpu(catalogue, "B100", NULL)->trust, ==, LAG_RECALLED);
}

/* Every entry is found by its name, and has what a prediction needs or says that it is unknown. */
static void all(void)
{
    g_autoptr(lag_catalogue) catalogue = lag_catalogue_new();

    g_assert_cmpuint(catalogue->gpus->len, >=, 30);
    g_assert_cmpuint(catalogue->links->len, >=, 30);
    for (guint i = 0; i < catalogue->gpus->len; i++) {
        const struct lag_gpu *gpu = &g_array_index(catalogue->gpus, struct lag_gpu, i);
        g_assert_true(lag_catalogue_find_gpu(catalogue, gpu->name, NULL) == gpu);
        g_assert_cmpfloat(gpu->memory_rate, >, 0);
        g_assert_cmpfloat(gpu->peak[LAG_FP16] + gpu->peak[LAG_FP32], >, 0);
        g_assert_true(gpu->source[0] != '\0');
    }
}

static void names(void)
{
    static const struct {
        const char *wanted, *found, *message;
    } rows[] = {
        {"H100-SXM",       "H100 SXM5 80GB",         NULL},
        {"h100_sxm5_80gb", "H100 SXM5 80GB",         NULL},
        {"A100-SXM4-80GB", "A100 SXM4 80GB",         NULL},
        {"K80",            "K80 (one GK210 of two)", NULL},
        {"A10",            "A10",                    NULL},
        {"A100 SXM",       NULL,
         "'A100 SXM' may be any of: A100 SXM4 40GB, "
         "A100 SXM4 80GB"                                },
        {"H10O SXM5 80GB", NULL,
         "there is no GPU 'H10O SXM5 80GB'; did you "
         "mean 'H100 SXM5 80GB'?"                        },
    };
    g_autoptr(lag_catalogue) catalogue = lag_catalogue_new();

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GError) error = NULL;
        const struct lag_gpu *gpu = lag_catalogue_find_gpu(catalogue, rows[i].wanted, &error);
        if (rows[i].found != NULL) {
            g_assert_no_error(error);
            g_assert_cmpstr(gpu->name, ==, rows[i].found);
        } else {
            g_assert_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT);
            g_assert_cmpstr(error->message, ==, rows[i].message);
        }
    }
    g_assert_null(lag_catalogue_find_gpu(catalogue, "", NULL));
}

/* A user's own entry joins the others; one of a known name takes its place. */
static void own(void)
{
    g_autoptr(lag_catalogue) catalogue = lag_catalogue_new();
    guint n = catalogue->gpus->len;
    struct lag_gpu mine = {.name = g_strdup("my chip"), .power = 5};
    struct lag_gpu better = {.name = g_strdup("t4"), .power = 7};

    lag_catalogue_add_gpu(catalogue, &mine);
    lag_catalogue_add_gpu(catalogue, &better);
    g_assert_null(mine.name);
    g_assert_cmpuint(catalogue->gpus->len, ==, n + 1);
    g_assert_cmpfloat(lag_catalogue_find_gpu(catalogue, "My-Chip", NULL)->power, ==, 5);
    g_assert_cmpfloat(lag_catalogue_find_gpu(catalogue, "T4", NULL)->power, ==, 7);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/catalogue/known", known);
    g_test_add_func("/catalogue/all", all);
    g_test_add_func("/catalogue/names", names);
    g_test_add_func("/catalogue/own", own);
    return g_test_run();
}
