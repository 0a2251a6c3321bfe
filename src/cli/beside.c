// SPDX-License-Identifier: MIT
#include "bench/bench.h"
#include "cli/cli.h"

#include <unistd.h>

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
