// SPDX-License-Identifier: MIT
#include "base/text.h"
#include "bench/choices.h"
#include "bench/map.h"
#include "bench/values.h"
#include "cli/cli.h"

#include <string.h>

enum {
    CLOCKS_MAX = 16,
    MHZ_MAX = 100000
};

static const double apart = 1.05; // suite/map_judge.h asks for as much

static bool read_list(struct cli *cli, const struct setting *setting, const double **hz,
                      size_t *count, struct error *err)
{
    const struct param_info *param = &benchmark_find("map")->info.params[MAP_PARAM_CLOCK];
    struct value_list list = {0};
    if (!values_parse(cli->arena, param, setting->values, &list, err))
        return error_prefix(err, "--set %s", setting->text);
    uint64_t least = UINT64_MAX, most = 0;
    for (size_t i = 0; i < list.count; i++) {
        least = list.values[i].uint < least ? list.values[i].uint : least;
        most = list.values[i].uint > most ? list.values[i].uint : most;
    }
    if (least == 0 || most > MHZ_MAX || list.count > CLOCKS_MAX)
        return error_set(err, ERROR_USAGE, "--set %s: expected up to %d clocks, 1 to %d MHz",
                         setting->text, CLOCKS_MAX, MHZ_MAX);
    if ((double)most < apart * (double)least)
        return error_set(err, ERROR_USAGE,
                         "--set %s: expected clocks at least 5 %% apart: closer ones tell nothing, "
                         "as in clock=1200,1500,1980",
                         setting->text);
    double *values = ARENA_ARRAY(cli->arena, list.count, double);
    for (size_t i = 0; i < list.count; i++)
        values[i] = (double)list.values[i].uint * 1e6;
    *hz = values;
    *count = list.count;
    return true;
}

bool cli_read_clocks(struct cli *cli, const double **hz, size_t *count, struct error *err)
{
    const char **texts;
    size_t settings = options_values(cli->arena, cli->options, OPTION_SET, &texts);
    for (size_t i = 0; i < settings; i++) {
        struct setting setting;
        if (!setting_parse(cli->arena, texts[i], &setting, err))
            return false;
        if (strcmp(setting.key, "clock") != 0 ||
            (setting.benchmark && strcmp(setting.benchmark, "map") != 0))
            return error_set(err, ERROR_USAGE,
                             "--set %s: `fathom map` chooses for itself what it measures; "
                             "clock=LIST (in MHz) is all that it takes",
                             texts[i]);
        if (!read_list(cli, &setting, hz, count, err))
            return false;
    }
    return true;
}
