// SPDX-License-Identifier: MIT
// Writes what is made from the table of commands and options (cli/table.h): --help, the manual page
// and the shell completions.
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "base/error.h"
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

// Writes text in lines of at most 80 columns. A newline in the text begins a new line.
void help_text(FILE *out, const char *text);

// Writes a label and, beside it, text in lines of at most 80 columns. The text is indented by
// `indent` blanks. If the label has `indent` or more columns, the text begins on the next line.
void help_entry(FILE *out, size_t indent, const char *text, const char *label, ...)
    PRINTF_LIKE(4, 5);

// Writes the document `what`: "man" (roff, section 1), "bash", "zsh" or "fish". Fails with
// ERROR_USAGE if `what` is another word.
MUST_CHECK bool generate_write(FILE *out, const char *what, struct error *err);
void generate_manual(FILE *out);

#endif
