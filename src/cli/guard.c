// SPDX-License-Identifier: MIT
#include "sensors/guard.h"
#include "cli/cli.h"

#include <unistd.h>

bool command_guard(struct cli *cli, struct error *err)
{
    (void)cli;
    return clock_guard_serve(STDIN_FILENO, err);
}
