/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages quote files, and files may hold anything. */
#ifndef LAGGARD_SCENARIOS_MESSAGE_H
#define LAGGARD_SCENARIOS_MESSAGE_H

#include <glib.h>

/* Makes a message fit to be printed: one line of UTF-8 without control characters (they become
 * \n, \x1b), and not endless: its place and its remedy stay, at both ends. */
void lag_message_tidy(GError *error);

#endif
