// SPDX-License-Identifier: MIT
// `fathom map` works like `run`, but has its own plan and draws the memory hierarchy as a picture.
#include "map/map.h"
#include "cli/cli.h"
#include "report/console.h"

bool command_map(struct cli *cli, struct error *err)
{
    const struct cli_measuring map = {.benchmarks = map_benchmarks,
                                      .preset = "map",
                                      .check = map_settings_check,
                                      .plan = map_plan_create,
                                      .draw = console_map};
    return cli_measure(cli, &map, err);
}
