/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gives each file of a folder to a fuzz target once: its corpus as a plain test. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <glib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int main(int argc, char **argv)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GDir) folder = argc == 2 ? g_dir_open(argv[1], 0, &error) : NULL;
    if (folder == NULL) {
        fprintf(stderr, "%s\n", error != NULL ? error->message : "usage: fuzz-NAME FOLDER");
        return EXIT_FAILURE;
    }
    unsigned n_files = 0;
    for (const char *name; (name = g_dir_read_name(folder)) != NULL; n_files++) {
        g_autofree char *path = g_build_filename(argv[1], name, NULL);
        g_autofree char *data = NULL;
        gsize size = 0;
        if (!g_file_get_contents(path, &data, &size, &error)) {
            fprintf(stderr, "%s\n", error->message);
            return EXIT_FAILURE;
        }
        LLVMFuzzerTestOneInput((const uint8_t *)data, size);
    }
    printf("%u inputs\n", n_files);
    return n_files > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
