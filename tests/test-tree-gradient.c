/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the root of a coded tree decodes is the sum of all points' gradients, whoever was late: the 16
 * configurations of spec/coded-gradients.md 2.4 (coded_ref.py, section B2), both models, whole parts
 * and not, all patterns of a small tree, and who holds what (vectors/coded.json). */
#include <string.h>

#include "sim/gradient/tree-gradient.h"
#include "sim/laggard.h"
#include "tests/gradient-helpers.h"

#define P 6

/* n samples of random features in [-1, 1), targets numbers or one of two classes. */
static lag_dataset *random_data(uint32_t n, bool classes)
{
    lag_dataset *line = lag_dataset_generate_line(n, P, 11, 0.5);
    lag_dataset *data = line;

    if (classes) {
        data = lag_dataset_new("classes", P, 2);
        data->train.n = n;
        data->train.scale = 1;
        data->train.numbers = g_memdup2(line->train.numbers, sizeof(double) * n * P);
        data->train.targets = g_new(double, n);
        for (uint32_t i = 0; i < n; i++)
            data->train.targets[i] = line->train.targets[i] > 0;
        lag_dataset_unref(line);
    }
    return data;
}

/* A bed that really learns. */
struct school {
    struct tree_bed bed;
    lag_model *model;
    struct lag_learner_setup learner;
};

static void school_init(struct school *school, uint32_t n, uint32_t depth, uint32_t s,
                        const char *code, uint32_t points, const char *model)
{
    g_autoptr(lag_dataset) data = random_data(points, strcmp(model, "logistic") == 0);
    g_autoptr(GError) error = NULL;

    tree_bed_init(&school->bed, n, depth, s, code);
    school->model = lag_model_new(lag_model_kind_find(model), data, 0, &error);
    g_assert_no_error(error);
    school->learner = (struct lag_learner_setup){
        .model = school->model, .optimizer = {.rate = 0.05}, .shards = LAG_SHARDS_IID};
    school->bed.gradient.points = points;
    school->bed.gradient.learner = &school->learner;
}

static void school_clear(struct school *school)
{
    tree_bed_clear(&school->bed);
    lag_model_free(school->model);
}

static const struct {
    uint32_t n, depth, s;
    const char *code;
} configurations[] = {
    {3,  2, 1, "cyclic"    },
    {3,  2, 1, "cyclic"    },
    {4,  2, 1, "fractional"},
    {4,  3, 1, "cyclic"    },
    {4,  3, 1, "fractional"},
    {4,  3, 2, "cyclic"    },
    {3,  3, 2, "cyclic"    },
    {5,  2, 2, "cyclic"    },
    {5,  2, 2, "mds"       },
    {6,  2, 3, "mds"       },
    {12, 2, 1, "mds"       },
    {12, 2, 3, "fractional"},
    {9,  2, 2, "fractional"},
    {7,  1, 3, "cyclic"    },
    {5,  2, 0, "cyclic"    },
    {3,  4, 1, "cyclic"    },
};

/* s of each parent's children are late at random: compute times are, and nobody waits for more than
 * n - s. Six iterations each, at the parameters that the ones before led to. */
static void recovery(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(configurations); i++) {
        struct lag_tree tree = {configurations[i].n, configurations[i].depth, configurations[i].s};
        struct lag_tree_exact exact;
        g_assert_true(lag_tree_exact(&tree, &exact));
        uint32_t d = (uint32_t)exact.least_points;
        const uint32_t sizes[] = {d, 2 * d, d > 7 ? d + 7 : 53};
        for (int j = 0; j < 6; j++) {
            struct school school;
            school_init(&school, tree.degree, tree.depth, tree.stragglers, configurations[i].code,
                        sizes[j / 2], j % 2 == 0 ? "least-squares" : "logistic");
            school.bed.setup.by_count = true;
            school.bed.gradient.compute.extra = 1;
            school.bed.gradient.n_iterations = 6;
            tree_bed_run(&school.bed);
            g_assert_cmpint(school.bed.outcome.end, ==, LAG_END_OK);
            g_assert_cmpfloat(school.bed.outcome.residual, <, 1e-9);
            g_assert_cmpuint(school.bed.outcome.n_approximate, ==, 0);
            /* Whole parts: each worker has the same number of points, as the formula says. */
            if (j < 4)
                assert_near(school.bed.outcome.load, lag_tree_load(&tree), 1e-12);
            school_clear(&school);
        }
    }
}

/* (3,2), s = 1: one child of each of four parents is late, 81 ways, and d is 15 (whole parts) or
 * 16. */
static void all_patterns(void)
{
    static double times[81][12];

    for (uint32_t pattern = 0; pattern < 81; pattern++) {
        uint32_t digits = pattern;
        for (uint32_t v = 0; v < 12; v++)
            times[pattern][v] = 1;
        for (uint32_t parent = 0; parent < 4; parent++, digits /= 3)
            times[pattern][3 * parent + digits % 3] = 10;
    }
    for (uint32_t points = 15; points <= 16; points++) {
        struct school school;
        school_init(&school, 3, 2, 1, "cyclic", points, "least-squares");
        tree_bed_compute(&school.bed, times[0], 81);
        school.bed.gradient.n_iterations = 81;
        tree_bed_run(&school.bed);
        g_assert_cmpuint(school.bed.outcome.n_iterations, ==, 81);
        g_assert_cmpfloat(school.bed.outcome.residual, <, 1e-9);
        for (uint32_t i = 0; i < 81; i++)
            assert_near(tree_bed_iteration(&school.bed, i), 1, 1e-12);
        school_clear(&school);
    }
}

/* Nodes 1 .. 12 of (3,2) with the published code of three workers and 15 points: what each holds,
 * with which weights, and its message where g_j = j + 1 (vectors/coded.json, tree_3_2_1). */
static const struct {
    uint32_t points[4];
    double weights[4], message;
} published[] = {
    {{0, 1, 2, 3},     {.5, .5, .5, .5},  47.5 },
    {{5, 6, 7, 8},     {1, 1, 1, 1},      -25  },
    {{0, 1, 2, 3},     {.5, .5, .5, .5},  72.5 },
    {{4, 5, 6, 7},     {.25, .5, 1, 1},   19.25},
    {{6, 7, 8, 9},     {1, 1, -1, -1},    -4   },
    {{4, 5, 8, 9},     {.25, .5, 1, 1},   23.25},
    {{9, 10, 11, 12},  {.5, -.5, -1, -1}, -25.5},
    {{11, 12, 13, 14}, {-1, -1, 1, 1},    4    },
    {{9, 10, 13, 14},  {.5, -.5, -1, -1}, -29.5},
    {{4, 10, 11, 12},  {.25, .5, 1, 1},   31.75},
    {{11, 12, 13, 14}, {1, 1, -1, -1},    -4   },
    {{4, 10, 13, 14},  {.25, .5, 1, 1},   35.75},
};

static double weigh(const struct lag_allocation *allocation, uint32_t v)
{
    double sum = 0;

    for (uint32_t k = allocation->first[v]; k < allocation->first[v + 1]; k++)
        sum += allocation->weights[k] * (allocation->points[k] + 1);
    return sum;
}

/* Whichever child is dropped, everywhere, inner messages and the root's 120 are the same. */
static void who_holds_what(void)
{
    const double B[] = {0.5, 1, 0, 0, 1, -1, 0.5, 0, 1};
    const double a[3][3] = {
        {0, 1,  2},
        {1, 0,  1},
        {2, -1, 0}
    };
    struct lag_code_request request = {.n_workers = 3, .n_stragglers = 1, .late = NAN};
    struct lag_tree tree = {3, 2, 1};
    struct lag_allocation allocation;
    g_autoptr(lag_code) code = lag_code_new(lag_code_kind_find("cyclic"), &request, NULL);

    for (uint32_t i = 0; i < 9; i++)
        gsl_matrix_set(code->B, i / 3, i % 3, B[i]);
    lag_allocation_init_whole(&allocation, &tree, code, 15);
    for (uint32_t v = 1; v <= 12; v++) {
        uint32_t at = allocation.first[v];
        g_assert_cmpuint(allocation.first[v + 1] - at, ==, 4);
        for (uint32_t k = 0; k < 4; k++) {
            g_assert_cmpuint(allocation.points[at + k], ==, published[v - 1].points[k]);
            g_assert_cmpfloat(allocation.weights[at + k], ==, published[v - 1].weights[k]);
        }
    }
    for (uint32_t late = 0; late < 3; late++) {
        double root = 0;
        for (uint32_t v = 1; v <= 3; v++) {
            double message = weigh(&allocation, v);
            for (uint32_t i = 0; i < 3; i++) {
                assert_near(weigh(&allocation, 3 * v + 1 + i), published[3 * v + i].message, 1e-14);
                message += a[late][i] * weigh(&allocation, 3 * v + 1 + i);
            }
            assert_near(message, published[v - 1].message, 1e-14);
            root += a[late][v - 1] * message;
        }
        assert_near(root, 120, 1e-14);
    }
    lag_allocation_clear(&allocation);
}

/* Fewer points than parts: some workers have none, take no time, and nothing is lost. */
static void few_points(void)
{
    for (uint32_t points = 1; points <= 9; points++) {
        struct school school;
        school_init(&school, 4, 2, 1, "fractional", points, "least-squares");
        school.bed.gradient.compute.point = 1;
        school.bed.gradient.compute.extra = 1;
        school.bed.gradient.n_iterations = 20;
        tree_bed_run(&school.bed);
        g_assert_cmpuint(school.bed.outcome.n_iterations, ==, 20);
        g_assert_cmpfloat(school.bed.outcome.residual, <, 1e-9);
        school_clear(&school);
    }
}

/* Without the ones that are always late the sum is another one: the test can fail. */
static void without_a_code(void)
{
    double times[] = {1, 1, 1, 9};
    struct school school;

    school_init(&school, 4, 1, 1, "ignore", 40, "least-squares");
    tree_bed_compute(&school.bed, times, 1);
    school.bed.gradient.n_iterations = 3;
    tree_bed_run(&school.bed);
    g_assert_cmpfloat(school.bed.outcome.residual, >, 1e-3);
    g_assert_cmpuint(school.bed.outcome.n_approximate, ==, 3);
    /* Three parts have 4/3, one has 0. */
    assert_near(school.bed.outcome.code_residual, 1, 1e-12);
    school_clear(&school);
}

int main(int argc, char *argv[])
{
    gsl_set_error_handler_off();
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/tree-gradient/recovery", recovery);
    g_test_add_func("/tree-gradient/all-patterns", all_patterns);
    g_test_add_func("/tree-gradient/who-holds-what", who_holds_what);
    g_test_add_func("/tree-gradient/few-points", few_points);
    g_test_add_func("/tree-gradient/without-a-code", without_a_code);
    return g_test_run();
}
