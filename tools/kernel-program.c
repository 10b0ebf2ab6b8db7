/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/kernel-program.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/laggard.h"
#include "tools/interrupt.h"

struct lag_kernel_program {
    char *name;
    GPid pid; /* 0: it has ended */
    int status;
    FILE *lines;
    char *line; /* of getline */
    size_t size;
    JsonParser *parser;
    bool ended; /* as it should */
};

/* Where laggard itself lies; NULL where the system doesn't say. */
static char *own_folder(void)
{
    g_autofree char *self = g_file_read_link("/proc/self/exe", NULL);

    return self != NULL ? g_path_get_dirname(self) : NULL;
}

static char *find(const char *name, GError **error)
{
    g_autofree char *folder = own_folder();
    g_autofree char *here = g_build_filename(folder != NULL ? folder : ".", name, NULL);
    g_autofree char *beside =
        g_build_filename(folder != NULL ? folder : ".", "..", "kernels", name, NULL);

    if (g_file_test(here, G_FILE_TEST_IS_EXECUTABLE))
        return g_steal_pointer(&here);
    if (g_file_test(beside, G_FILE_TEST_IS_EXECUTABLE))
        return g_steal_pointer(&beside);
    g_set_error(error, G_SPAWN_ERROR, G_SPAWN_ERROR_NOENT, "%s was not built with this laggard",
                name);
    return NULL;
}

static char **command_line(const char *path, char *const *arguments)
{
    GPtrArray *words = g_ptr_array_new();

    g_ptr_array_add(words, g_strdup(path));
    for (; *arguments != NULL; arguments++)
        g_ptr_array_add(words, g_strdup(*arguments));
    g_ptr_array_add(words, NULL);
    return (char **)g_ptr_array_free(words, FALSE);
}

lag_kernel_program *lag_kernel_program_start(const char *backend, char *const *arguments,
                                             GError **error)
{
    g_autoptr(lag_kernel_program) program = g_new0(lag_kernel_program, 1);
    int output;

    program->name = g_strdup_printf("laggard-%s-kernels", backend);
    g_autofree char *path = find(program->name, error);
    if (path == NULL)
        return NULL;
    g_auto(GStrv) words = command_line(path, arguments);
    if (!g_spawn_async_with_pipes(NULL, words, NULL, G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL,
                                  &program->pid, NULL, &output, NULL, error))
        return NULL;
    program->lines = fdopen(output, "r");
    program->parser = json_parser_new();
    return g_steal_pointer(&program);
}

static void wait_for(lag_kernel_program *program)
{
    while (program->pid != 0 && waitpid(program->pid, &program->status, 0) < 0 && errno == EINTR)
        ;
    program->pid = 0;
}

/* What it says of itself: LAGGARD_ERROR_INPUT where its status is 2. */
static bool fail(lag_kernel_program *program, const char *message, GError **error)
{
    wait_for(program);
    if (WIFEXITED(program->status) && WEXITSTATUS(program->status) == 2)
        g_set_error(error, LAGGARD_ERROR, LAGGARD_ERROR_INPUT, "%s", message);
    else
        g_set_error(error, G_SPAWN_ERROR, G_SPAWN_ERROR_FAILED, "%s", message);
    return false;
}

static bool parse(lag_kernel_program *program, const char **ret_name, JsonNode **ret_value,
                  GError **error)
{
    JsonNode *root = NULL;

    if (json_parser_load_from_data(program->parser, program->line, -1, NULL))
        root = json_parser_get_root(program->parser);
    if (root == NULL || !JSON_NODE_HOLDS_OBJECT(root) ||
        json_object_get_size(json_node_get_object(root)) != 1) {
        g_set_error(error, G_SPAWN_ERROR, G_SPAWN_ERROR_FAILED, "%s: no line of JSON: %s",
                    program->name, g_strchomp(program->line));
        return false;
    }
    JsonObjectIter iter;
    json_object_iter_init(&iter, json_node_get_object(root));
    return json_object_iter_next(&iter, ret_name, ret_value);
}

/* It has closed its output. A signal that reached us reached it too, maybe. */
static bool end(lag_kernel_program *program, GError **error)
{
    wait_for(program);
    if (program->ended || lag_interrupt_signal() != 0)
        return false;
    if (WIFSIGNALED(program->status))
        g_set_error(error, G_SPAWN_ERROR, G_SPAWN_ERROR_FAILED, "%s was ended by signal %d",
                    program->name, WTERMSIG(program->status));
    else
        g_set_error(error, G_SPAWN_ERROR, G_SPAWN_ERROR_FAILED,
                    "%s ended early, with exit status %d", program->name,
                    WEXITSTATUS(program->status));
    return false;
}

bool lag_kernel_program_next(lag_kernel_program *program, const char **ret_name,
                             JsonNode **ret_value, GError **error)
{
    if (lag_interrupt_signal() != 0)
        return false;
    if (program->lines == NULL || getline(&program->line, &program->size, program->lines) < 0)
        return end(program, error);
    if (!parse(program, ret_name, ret_value, error))
        return false;
    if (strcmp(*ret_name, "error") == 0 && JSON_NODE_HOLDS_VALUE(*ret_value)) {
        const char *message = json_node_get_string(*ret_value);
        return fail(program, message != NULL ? message : "unknown error", error);
    }
    program->ended = strcmp(*ret_name, "end") == 0;
    return true;
}

void lag_kernel_program_free(lag_kernel_program *program)
{
    if (program == NULL)
        return;
    if (program->pid != 0) {
        kill(program->pid, SIGTERM);
        wait_for(program);
    }
    if (program->lines != NULL)
        fclose(program->lines);
    g_clear_object(&program->parser);
    free(program->line);
    g_free(program->name);
    g_free(program);
}
