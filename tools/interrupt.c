/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/interrupt.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

static atomic_int received;

static void receive(int signal)
{
    static const char message[] = "\nlaggard: interrupted: finishes the points that are under way; "
                                  "once more ends it at once\n";

    atomic_store(&received, signal);
    ssize_t n = write(STDERR_FILENO, message, sizeof message - 1);
    (void)n;
}

static void watch(int signal)
{
    struct sigaction action = {.sa_handler = receive, .sa_flags = (int)(SA_RESETHAND | SA_RESTART)};
    struct sigaction before;

    sigemptyset(&action.sa_mask);
    if (sigaction(signal, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
        sigaction(signal, &action, NULL);
}

void lag_interrupt_watch(void)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN};

    watch(SIGINT);
    watch(SIGTERM);
    sigemptyset(&ignore.sa_mask);
    sigaction(SIGXFSZ, &ignore, NULL);
}

int lag_interrupt_signal(void)
{
    return atomic_load(&received);
}
