// SPDX-License-Identifier: MIT
// The hidden commands except __counters (cli/counters.c). Child processes of fathom run them. The
// standard input of such a process is a socket, over which it talks to its parent.
#include "bench/bench.h"
#include "cli/cli.h"
#include "sensors/guard.h"
#include "suite/check.h"
#include "suite/enumerate.h"
#include "suite/visitor.h"

#include <unistd.h>

bool command_worker(struct cli *cli, struct error *err)
{
    const char **devices;
    size_t count = options_values(cli->arena, cli->options, OPTION_DEVICE, &devices);
    if (count == 0)
        return error_set(err, ERROR_USAGE, "__worker: -d is missing: only fathom itself starts it");
    const struct visitor_desc desc = {.device = devices[0],
                                      .known = devices,
                                      .known_count = count,
                                      .near = options_has(cli->options, OPTION_TOGETHER),
                                      .validation = cli_validation()};
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

bool command_enumerate(struct cli *cli, struct error *err)
{
    if (cli->options->operand_count != 1)
        return error_set(err, ERROR_USAGE,
                         "__enumerate: expected an API: only fathom itself starts it");
    const struct gpu_system_desc desc = {.only_api = cli->options->operands[0],
                                         .validation = cli_validation()};
    return enumerate_serve(&desc, STDIN_FILENO, err);
}

bool command_guard(struct cli *cli, struct error *err)
{
    (void)cli;
    return clock_guard_serve(STDIN_FILENO, err);
}

bool command_check_device(struct cli *cli, struct error *err)
{
    const char **devices;
    size_t count = options_values(cli->arena, cli->options, OPTION_DEVICE, &devices);
    uint64_t soak_ns;
    if (!options_seconds(cli->options, OPTION_SOAK, &soak_ns, err))
        return false;
    if (count == 0)
        return error_set(err, ERROR_USAGE, "__check: -d is missing: only fathom itself starts it");
    const struct check_serve_desc desc = {.known = devices,
                                          .known_count = count,
                                          .quick = options_has(cli->options, OPTION_QUICK),
                                          .stays = options_has(cli->options, OPTION_TOGETHER),
                                          .soak_ns = soak_ns,
                                          .validation = cli_validation()};
    return check_serve(&desc, STDIN_FILENO, err);
}
