// SPDX-License-Identifier: MIT
// The hidden commands: processes that fathom starts itself. Each talks to its parent over a socket,
// which is its standard input.
#include "bench/bench.h"
#include "cli/cli.h"
#include "sensors/guard.h"
#include "suite/visitor.h"

#include <unistd.h>

bool command_worker(struct cli *cli, struct error *err)
{
    const char *device = options_value(cli->options, OPTION_DEVICE);
    if (!device)
        return error_set(err, ERROR_USAGE, "__worker: -d is missing: only fathom itself starts it");
    const struct visitor_desc desc = {.device_id = device, .validation = cli_validation()};
    return visitor_serve(&desc, STDIN_FILENO, err);
}

bool command_beside(struct cli *cli, struct error *err)
{
    const struct options *options = cli->options;
    const char *device = options_value(options, OPTION_DEVICE);
    const struct benchmark *benchmark =
        options->operand_count == 1 ? benchmark_find(options->operands[0]) : NULL;
    if (!device || !benchmark || !benchmark->serve)
        return error_set(err, ERROR_USAGE,
                         "__beside: expected a benchmark that has a second process, and -d: only "
                         "fathom itself starts it");
    return benchmark->serve(device, STDIN_FILENO, err);
}

bool command_guard(struct cli *cli, struct error *err)
{
    (void)cli;
    return clock_guard_serve(STDIN_FILENO, err);
}
