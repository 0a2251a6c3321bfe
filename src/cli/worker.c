// SPDX-License-Identifier: MIT
#include "suite/worker.h"
#include "cli/cli.h"

#include <unistd.h>

bool command_worker(struct cli *cli, struct error *err)
{
    const char *device = options_value(cli->options, OPTION_DEVICE);
    if (!device)
        return error_set(err, ERROR_USAGE, "__worker: -d is missing: only fathom itself starts it");
    const struct visitor_desc desc = {.device_id = device, .validation = cli_validation()};
    return worker_serve(&desc, STDIN_FILENO, err);
}
