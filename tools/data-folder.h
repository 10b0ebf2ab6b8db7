/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the program's own data are: the papers' numbers and their scenarios. */
#ifndef LAGGARD_TOOLS_DATA_FOLDER_H
#define LAGGARD_TOOLS_DATA_FOLDER_H

/* The folder that holds results/published: `wanted` if it isn't NULL, else that of the environment
 * variable LAGGARD_DATA, else the source tree that the program was built from, else where it is
 * installed. Newly allocated; the last of these where none of them has it. */
char *lag_data_folder(const char *wanted);

#endif
