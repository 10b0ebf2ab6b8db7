/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SIGINT and SIGTERM: the first is a wish that a command asks for now and then, the second of the
 * same kind ends the program at once. */
#ifndef LAGGARD_TOOLS_INTERRUPT_H
#define LAGGARD_TOOLS_INTERRUPT_H

/* From here on. A signal that was ignored stays ignored. Too large a file becomes an error of the
 * system call instead of a signal. */
void lag_interrupt_watch(void);

/* The signal that has come, or 0. From any thread. */
int lag_interrupt_signal(void);

#endif
