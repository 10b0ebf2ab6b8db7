/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/output.h"

#include <errno.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "sim/laggard.h"

bool lag_output_check(const char *path, GError **error)
{
    if (path == NULL)
        return true;
    g_autofree char *folder = g_path_get_dirname(path);
    bool exists = g_file_test(path, G_FILE_TEST_EXISTS);
    const char *fault = NULL;
    if (g_file_test(path, G_FILE_TEST_IS_DIR))
        fault = "is a folder";
    else if (exists && g_access(path, W_OK) != 0)
        fault = g_strerror(errno);
    else if (!exists && g_access(folder, W_OK | X_OK) != 0)
        fault = g_strerror(errno);
    if (fault != NULL)
        g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT, "--output: cannot write %s: %s",
                    path, fault);
    return fault == NULL;
}

static bool fail(const struct lag_output *output, int number, GError **error)
{
    g_set_error(error, G_FILE_ERROR, (int)g_file_error_from_errno(number), "cannot write %s: %s",
                output->name, g_strerror(number));
    return false;
}

bool lag_output_open(struct lag_output *output, const char *path, GError **error)
{
    *output = (struct lag_output){stdout, "standard output"};
    if (path == NULL)
        return true;
    output->name = path;
    output->stream = g_fopen(path, "w");
    return output->stream != NULL || fail(output, errno, error);
}

bool lag_output_write(struct lag_output *output, const GString *text, GError **error)
{
    return fwrite(text->str, 1, text->len, output->stream) == text->len ||
           fail(output, errno, error);
}

bool lag_output_close(struct lag_output *output, GError **error)
{
    FILE *stream = output->stream;

    output->stream = NULL;
    bool flushed = fflush(stream) == 0;
    int number = errno;
    if (stream != stdout && fclose(stream) != 0 && flushed) {
        flushed = false;
        number = errno;
    }
    return flushed || fail(output, number, error);
}

bool lag_output_text(const char *path, const GString *text, GError **error)
{
    struct lag_output output;

    if (!lag_output_open(&output, path, error))
        return false;
    bool written = lag_output_write(&output, text, error);
    return lag_output_close(&output, written ? error : NULL) && written;
}
