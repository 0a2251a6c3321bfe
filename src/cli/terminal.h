// SPDX-License-Identifier: MIT
// Asks about the terminal behind a stream.
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

// True if the stream is a terminal.
bool terminal_is(FILE *stream);

// True if the stream is a terminal and NO_COLOR (no-color.org) is not set in the environment.
bool terminal_has_colour(FILE *stream);

// The terminal's width in columns, at most `most`. Returns `most` if the width is unknown.
unsigned terminal_columns(FILE *stream, unsigned most);

#endif
