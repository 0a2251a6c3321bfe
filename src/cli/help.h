// SPDX-License-Identifier: MIT
// Prints --help from the table of commands and options (cli/table.h).
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "cli/table.h"

#include <stdio.h>

// One sentence that says what the program is.
#define PROGRAM_SUMMARY                                                                            \
    "fathom measures what a GPU really does: every level of its memory and every unit, each "      \
    "number with its confidence interval."

// The exit statuses, each as "STATUS\tMEANING". The list ends with NULL.
extern const char *const help_exit_statuses[];

// Prints the help of a command, or of the program if `command` is COMMAND_COUNT.
void help_write(FILE *out, enum command_id command);

// Writes text in lines of at most 80 columns. Every line begins with `indent` blanks; a newline in
// the text begins a new line. `column` is the column of the cursor: if the indent would leave no
// blank between the text and what is already on the line, the text begins on a new line.
void help_wrap(FILE *out, const char *text, size_t indent, size_t column);

#endif
