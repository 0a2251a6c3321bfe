// SPDX-License-Identifier: MIT
// Prints --help; its text comes from the table of commands and options (cli/table.h).
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "cli/table.h"

#include <stdio.h>

// One sentence that says what fathom is.
#define PROGRAM_SUMMARY                                                                            \
    "fathom measures what a GPU really does: every level of its memory and every unit, each "      \
    "number with its confidence interval."

// The exit statuses of fathom, each as "STATUS\tMEANING". The list ends with NULL.
extern const char *const help_exit_statuses[];

// Prints the help of a command. If `command` is COMMAND_COUNT, prints the help of the program.
void help_write(FILE *out, enum command_id command);

// Writes text in lines of at most 80 columns, each indented by `indent` blanks. A newline in the
// text begins a new line. `column` is the number of columns that the present line already uses. If
// it reaches the indent and is not 0, the text begins on a new line.
void help_wrap(FILE *out, const char *text, size_t indent, size_t column);

#endif
