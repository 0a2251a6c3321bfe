// SPDX-License-Identifier: MIT
// Writes the manual page and the shell completions for `fathom --generate WHAT`. They are made from
// the table of commands and options (cli/table.h).
#ifndef CLI_GENERATE_H
#define CLI_GENERATE_H

#include "base/error.h"

#include <stdio.h>

// Writes the document `what`: "man" (roff, section 1), "bash", "zsh" or "fish". Fails with
// ERROR_USAGE if `what` is another word.
MUST_CHECK bool generate_write(FILE *out, const char *what, struct error *err);

void generate_manual(FILE *out);
void generate_bash(FILE *out);
void generate_zsh(FILE *out);
void generate_fish(FILE *out);

#endif
