/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Data sets: those that come with the program, those of Debian's package, and broken files. */
#include <string.h>

#include <gio/gio.h>
#include <glib/gstdio.h>

#include "scenarios/csv-samples.h"
#include "scenarios/dataset.h"
#include "scenarios/idx.h"
#include "sim/laggard.h"

static lag_dataset *load(const struct lag_dataset_source *source)
{
    g_autoptr(GError) error = NULL;
    lag_dataset *dataset = lag_dataset_load(source, &error);

    g_assert_no_error(error);
    return dataset;
}

/* 1,797 lines, of which every fifth is for the test. The first line is the image of a 0, whose
 * third pixel is 5 of 16; the fifth, a 4, is the first test sample. */
static void digits(void)
{
    g_autoptr(lag_dataset) d = load(&(struct lag_dataset_source){.name = "digits"});

    g_assert_cmpuint(d->n_features, ==, 64);
    g_assert_cmpuint(d->n_classes, ==, 10);
    g_assert_cmpuint(d->train.n, ==, 1438);
    g_assert_cmpuint(d->test.n, ==, 359);
    g_assert_cmpfloat(d->train.numbers[2], ==, 5 / 16.0);
    g_assert_cmpfloat(d->train.targets[0], ==, 0);
    g_assert_cmpfloat(d->test.targets[0], ==, 4);
}

/* Section 6 of the specification: sizes, 6,000 and 1,000 of each class, first ten labels 9 0 0 3 0
 * 2 7 2 5 5. */
static void fashion_mnist(void)
{
    static const double first[] = {9, 0, 0, 3, 0, 2, 7, 2, 5, 5};
    uint32_t counts[2][10] = {{0}};

    if (!g_file_test("/usr/share/datasets/fashion-mnist", G_FILE_TEST_IS_DIR)) {
        g_autoptr(GError) error = NULL;
        g_assert_null(
            lag_dataset_load(&(struct lag_dataset_source){.name = "fashion-mnist"}, &error));
        g_assert_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT);
        g_assert_nonnull(strstr(error->message, "dataset-fashion-mnist"));
        g_test_skip("Debian's package dataset-fashion-mnist is not installed");
        return;
    }
    g_autoptr(lag_dataset) d = load(&(struct lag_dataset_source){.name = "fashion-mnist"});
    g_assert_cmpuint(d->n_features, ==, 784);
    g_assert_cmpuint(d->n_classes, ==, 10);
    g_assert_cmpuint(d->train.n, ==, 60000);
    g_assert_cmpuint(d->test.n, ==, 10000);
    g_assert_true(memcmp(d->train.targets, first, sizeof first) == 0);
    for (uint32_t i = 0; i < d->train.n; i++)
        counts[0][(int)d->train.targets[i]]++;
    for (uint32_t i = 0; i < d->test.n; i++)
        counts[1][(int)d->test.targets[i]]++;
    for (int label = 0; label < 10; label++) {
        g_assert_cmpuint(counts[0][label], ==, 6000);
        g_assert_cmpuint(counts[1][label], ==, 1000);
    }
}

static void generated(void)
{
    g_autoptr(lag_dataset) line = load(&(struct lag_dataset_source){.name = "generated"});
    g_autoptr(lag_dataset) clouds = load(&(struct lag_dataset_source){
        .name = "generated", .classes = true, .n_classes = 3, .n_samples = 50});
    g_autoptr(GError) error = NULL;

    g_assert_cmpuint(line->train.n, ==, 256);
    g_assert_cmpuint(line->n_classes, ==, 0);
    g_assert_cmpuint(clouds->n_classes, ==, 3);
    g_assert_cmpuint(clouds->train.n, ==, 40);
    g_assert_cmpuint(clouds->test.n, ==, 10);
    g_assert_null(lag_dataset_load(&(struct lag_dataset_source){.name = "digit"}, &error));
    g_assert_cmpstr(error->message, ==, "there is no data set 'digit'; did you mean 'digits'?");
}

/* A small IDX data set: 5 images of 2 x 2 to train with, 2 for the test. */
static const uint8_t train_images[] = {0, 0, 8, 3, 0, 0, 0, 5, 0, 0, 0, 2, 0,  0,  0,  2,  1,  2,
                                       3, 4, 5, 6, 7, 8, 9, 0, 0, 0, 0, 0, 51, 51, 51, 51, 51, 255};
static const uint8_t train_labels[] = {0, 0, 8, 1, 0, 0, 0, 5, 0, 1, 2, 0, 1};
static const uint8_t test_images[] = {0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 2,
                                      0, 0, 0, 2, 1, 2, 3, 4, 5, 6, 7, 8};
static const uint8_t test_labels[] = {0, 0, 8, 1, 0, 0, 0, 2, 2, 1};

struct content {
    const char *name;
    const uint8_t *data;
    size_t n;
};

static void write_file(const char *folder, const struct content *content)
{
    g_autofree char *path = g_build_filename(folder, content->name, NULL);
    g_autoptr(GError) error = NULL;

    g_file_set_contents(path, (const char *)content->data, (gssize)content->n, &error);
    g_assert_no_error(error);
}

/* A folder with the four files, of which one, where `other` isn't NULL, is another (n = 0: none).
 * Removed by remove_folder(). */
static char *make_folder(const struct content *other)
{
    g_autoptr(GError) error = NULL;
    char *folder = g_dir_make_tmp("laggard-XXXXXX", &error);
    const struct content contents[] = {
        {"train-images-idx3-ubyte", train_images, sizeof train_images},
        {"train-labels-idx1-ubyte", train_labels, sizeof train_labels},
        {"t10k-images-idx3-ubyte",  test_images,  sizeof test_images },
        {"t10k-labels-idx1-ubyte",  test_labels,  sizeof test_labels },
    };

    g_assert_no_error(error);
    for (size_t i = 0; i < G_N_ELEMENTS(contents); i++) {
        bool is_other = other != NULL && strcmp(other->name, contents[i].name) == 0;
        if (!is_other || other->n > 0)
            write_file(folder, is_other ? other : &contents[i]);
    }
    return folder;
}

static void remove_folder(char *folder)
{
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);

    for (const char *name; (name = g_dir_read_name(dir)) != NULL;) {
        g_autofree char *path = g_build_filename(folder, name, NULL);
        g_remove(path);
    }
    g_rmdir(folder);
    g_free(folder);
}

static void idx(void)
{
    char *folder = make_folder(NULL);
    g_autoptr(lag_dataset) d = load(&(struct lag_dataset_source){.folder = folder});
    double scratch[4];

    g_assert_cmpuint(d->n_features, ==, 4);
    g_assert_cmpuint(d->n_classes, ==, 3);
    g_assert_cmpuint(d->train.n, ==, 5);
    g_assert_cmpuint(d->test.n, ==, 2);
    g_assert_cmpfloat(lag_samples_row(&d->train, 4, 4, scratch)[3], ==, 1);
    g_assert_cmpfloat(lag_samples_row(&d->test, 4, 1, scratch)[0], ==, 5 * (1 / 255.0));
    g_assert_cmpfloat(d->test.targets[0], ==, 2);
    remove_folder(folder);
}

/* Each way to break a file, and the end of what is said of it. */
static void broken_idx(void)
{
    static const uint8_t huge[] = {0, 0, 8, 3, 128, 0, 0, 0, 128, 0, 0, 0, 128, 0, 0, 0, 1};
    static const uint8_t none[] = {0, 0, 8, 1, 0, 0, 0, 0};
    static const uint8_t zipped[] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 1};
    static const uint8_t wide[] = {0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0,
                                   1, 0, 0, 0, 3, 1, 2, 3, 4, 5, 6};
    const struct {
        struct content content;
        const char *message;
    } cases[] = {
        {{"train-images-idx3-ubyte", train_images, 9},
         "train-images-idx3-ubyte: the file is cut off: its head has 9 bytes, not 16"},
        {{"train-images-idx3-ubyte", train_images, sizeof train_images - 1},
         "train-images-idx3-ubyte: the file is cut off: 20 bytes of data are announced, 19 are "
         "there"                                                                     },
        {{"t10k-images-idx3-ubyte", huge, sizeof huge},
         "t10k-images-idx3-ubyte: the file is cut off: 9903520314283042199192993792 bytes of data "
         "are announced, 1 are there"                                                },
        {{"train-labels-idx1-ubyte", train_images, sizeof train_images},
         "train-labels-idx1-ubyte: not such an IDX file: it begins with 0x00000803, expected "
         "0x00000801"                                                                },
        {{"train-labels-idx1-ubyte", none, sizeof none},
         "train-labels-idx1-ubyte: the file is empty: dimension 1 is 0"              },
        {{"train-labels-idx1-ubyte", test_labels, sizeof test_labels},
         "train-labels-idx1-ubyte: 2 labels for 5 images"                            },
        {{"t10k-images-idx3-ubyte", wide, sizeof wide},
         "t10k-images-idx3-ubyte: images of 3 pixels, but those to train with have 4"},
        {{"t10k-labels-idx1-ubyte", zipped, sizeof zipped},
         "t10k-labels-idx1-ubyte: the gzip data ends early: the file is cut off"     },
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        char *folder = make_folder(&cases[i].content);
        g_autoptr(GError) error = NULL;
        g_assert_null(lag_dataset_load(&(struct lag_dataset_source){.folder = folder}, &error));
        g_assert_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT);
        if (!g_str_has_suffix(error->message, cases[i].message))
            g_error("'%s' doesn't end in '%s'", error->message, cases[i].message);
        remove_folder(folder);
    }
}

/* The name that is missing is said, with the ending that was tried last. */
static void missing_idx(void)
{
    char *folder = make_folder(&(struct content){"t10k-labels-idx1-ubyte", NULL, 0});
    g_autoptr(GError) error = NULL;

    g_assert_null(lag_dataset_load(&(struct lag_dataset_source){.folder = folder}, &error));
    g_assert_nonnull(strstr(error->message, "t10k-labels-idx1-ubyte.gz: "));
    remove_folder(folder);
}

static lag_dataset *parse(const char *text, const char *label, bool classes, GError **error)
{
    const struct lag_csv_samples how = {
        .name = "x.csv", .label = label, .classes = classes, .scale = 1};
    g_autoptr(GBytes) contents = g_bytes_new(text, strlen(text));

    return lag_csv_samples_parse(contents, &how, error);
}

static void tables(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(lag_dataset) named =
        parse("a,kind,b\n1,cat,2\n3,dog,4\n5,cat,6\n7,ox,8\n9,dog,10\n", "kind", true, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(named->n_features, ==, 2);
    g_assert_cmpuint(named->n_classes, ==, 3);
    g_assert_cmpuint(named->train.n, ==, 4);
    g_assert_cmpfloat(named->train.numbers[3], ==, 4);
    g_assert_cmpfloat(named->train.targets[3], ==, 2);
    g_assert_cmpfloat(named->test.targets[0], ==, 1);
    g_autoptr(lag_dataset) bare = parse("7,1\n2,1\n3,1\n4,1\n5,0.5\n6,1\n", "first", false, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(bare->n_classes, ==, 0);
    g_assert_cmpuint(bare->train.n, ==, 5);
    g_assert_cmpfloat(bare->train.targets[0], ==, 7);
    g_assert_cmpfloat(bare->test.numbers[0], ==, 0.5);
    g_autoptr(lag_dataset) words = parse("1,x\n2,y\n3,x\n4,y\n5,x\n", "last", true, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(words->train.n, ==, 4);
}

static void broken_tables(void)
{
    static const struct {
        const char *text, *label, *message;
        bool classes;
    } cases[] = {
        {"",                   "last",  "x.csv:0: the file is empty",                                  false},
        {"1\n2\n",             "last",  "x.csv:1: 1 columns; expected at least a feature and a label", false},
        {"a,b\n",              "last",  "x.csv:1: no line follows the names of the columns",           false},
        {"a,b\n1,2\n",         "last",  "x.csv:2: 1 samples; expected at least 5",                     false},
        {"1,2\n1,2,3\n",       "last",  "x.csv:2: 3 fields, but the first line has 2",                 false},
        {"1,2\n1,nan\n",       "last",  "x.csv:2: field 2 is 'nan'; expected a number",                false},
        {"1,2\n1,\n",          "last",  "x.csv:2: the label is empty",                                 true },
        {"1,2\n1,2\n",         "kind",
         "x.csv:1: no names of columns to find 'kind' in; label may be first or last",                 true },
        {"size,colour\n1,2\n", "color", "x.csv:1: no column 'color'; did you mean 'colour'?",          true },
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GError) error = NULL;
        g_assert_null(parse(cases[i].text, cases[i].label, cases[i].classes, &error));
        g_assert_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT);
        g_assert_cmpstr(error->message, ==, cases[i].message);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/dataset/digits", digits);
    g_test_add_func("/dataset/fashion-mnist", fashion_mnist);
    g_test_add_func("/dataset/generated", generated);
    g_test_add_func("/dataset/idx", idx);
    g_test_add_func("/dataset/broken-idx", broken_idx);
    g_test_add_func("/dataset/missing-idx", missing_idx);
    g_test_add_func("/dataset/tables", tables);
    g_test_add_func("/dataset/broken-tables", broken_tables);
    return g_test_run();
}
