// SPDX-License-Identifier: MIT
// What --help prints, from the table.
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "cli/table.h"

#include <stdio.h>

// One sentence: what the program is.
#define PROGRAM_SUMMARY                                                                            \
    "fathom measures what a GPU really does: every level of its memory, every unit, and every "    \
    "number with its interval."

// What the exit statuses mean, one a line, "STATUS\tMEANING"; NULL-terminated.
extern const char *const help_exit_statuses[];

// The help of a command; of the program for COMMAND_COUNT.
void help_write(FILE *out, enum command_id command);

// Writes text wrapped to 80 columns, every line after `indent` blanks; a newline in it begins a
// new line. `column` is where the cursor stands already.
void help_wrap(FILE *out, const char *text, size_t indent, size_t column);

// "-d, --device DEVICE".
void help_option_name(FILE *out, const struct option_info *option);

#endif
