// SPDX-License-Identifier: MIT
#include "cli/terminal.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

bool terminal_is(FILE *stream)
{
    return isatty(fileno(stream)) == 1;
}

bool terminal_has_colour(FILE *stream)
{
    const char *refused = getenv("NO_COLOR");
    return terminal_is(stream) && !(refused && *refused);
}

unsigned terminal_columns(FILE *stream, unsigned most)
{
    struct winsize size;
    if (ioctl(fileno(stream), TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_col > most)
        return most;
    return size.ws_col;
}
