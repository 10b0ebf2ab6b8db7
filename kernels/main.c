/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program of kernels: laggard-host-kernels or laggard-cuda-kernels, by the back end that it is
 * linked with. `laggard calibrate` runs it and reads its lines. */
#include "kernels/course.h"

int main(int argc, char **argv)
{
    struct lag_backend backend;
    struct lag_options options;

    if (!lag_options_parse(argc, argv, &options))
        return 2;
    lag_backend_init(&backend);
    return lag_course_run(&backend, &options);
}
