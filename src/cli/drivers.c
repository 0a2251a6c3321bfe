// SPDX-License-Identifier: MIT
// Settings that commands read before they load drivers: FATHOM_VALIDATION of the environment, and
// the files of `-d model:FILE`.
#include "cli/cli.h"
#include "cli/options.h"
#include "gpu/model.h"

#include <stdlib.h>
#include <string.h>

bool cli_validation(void)
{
    const char *set = getenv("FATHOM_VALIDATION");
    return set && strcmp(set, "1") == 0;
}

struct gpu_system *cli_system_create(void)
{
    return gpu_system_create(&(struct gpu_system_desc){.validation = cli_validation()});
}

// The file of "model:FILE"; NULL for any other name, such as "model:0", the id of a device.
static const char *file_of(const char *name)
{
    static const char prefix[] = "model:";
    if (strncmp(name, prefix, strlen(prefix)) != 0)
        return NULL;
    const char *file = name + strlen(prefix);
    return strspn(file, "0123456789") == strlen(file) ? NULL : file;
}

bool cli_announce_models(struct cli *cli, struct error *err)
{
    const char **names, *files = "";
    size_t count = options_values(cli->arena, cli->options, OPTION_DEVICE, &names);
    for (size_t i = 0; i < count; i++) {
        const char *file = file_of(names[i]);
        if (!file)
            continue;
        if (!gpu_model_check(file, err))
            return false;
        files = arena_printf(cli->arena, "%s%s%s", files, *files ? "\n" : "", file);
    }
    if (*files && setenv(GPU_MODEL_VARIABLE, files, 1) != 0)
        return error_set(err, ERROR_INTERNAL, "cannot set the environment variable %s",
                         GPU_MODEL_VARIABLE);
    return true;
}

void cli_name_models(struct cli *cli, const char **names, size_t count)
{
    unsigned models = 0;
    for (size_t i = 0; i < count; i++)
        if (file_of(names[i]))
            names[i] = arena_printf(cli->arena, "model:%u", models++);
}
