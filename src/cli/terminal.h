// SPDX-License-Identifier: MIT
// What a stream leads to.
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

bool terminal_is(FILE *stream);

// A terminal, and NO_COLOR (no-color.org) is not set in the environment.
bool terminal_has_colour(FILE *stream);

// Its width in columns, at most `most`; `most` where it is no terminal or does not say.
unsigned terminal_columns(FILE *stream, unsigned most);

#endif
