// SPDX-License-Identifier: MIT
// Creates the system that lists the devices. It depends on the environment variable
// FATHOM_VALIDATION, on --silence-limit and --no-isolate, and on the files of `-d model:FILE`.
#include "base/text.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "gpu/backend.h"
#include "gpu/model.h"
#include "suite/enumerate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool cli_validation(void)
{
    const char *set = getenv("FATHOM_VALIDATION");
    return set && strcmp(set, "1") == 0;
}

static void tell_waiting(void *context, const char *apis)
{
    const struct cli *cli = context;
    fprintf(cli->err, "fathom: note: waiting for the drivers of %s\n", apis);
}

static bool api_check(const struct cli *cli, struct error *err)
{
    const char *api = options_value(cli->options, OPTION_API);
    if (!api || strcmp(api, "all") == 0)
        return true;
    struct text_guess guess = {.typed = api};
    for (size_t i = 0; gpu_backends[i]; i++) {
        if (strcmp(gpu_backends[i]->name, api) == 0)
            return true;
        text_guess_offer(&guess, gpu_backends[i]->name);
    }
    return error_set(err, ERROR_USAGE,
                     "--api %s: no such API%s (`fathom devices` shows them; all: each of them)",
                     api, text_guess_hint(cli->arena, &guess));
}

struct gpu_system *cli_system_create(struct cli *cli, struct error *err)
{
    static const char *const argv[] = {"/proc/self/exe", "__enumerate", NULL};
    struct enumerate_desc desc = {.argv = argv,
                                  .environment = cli->environment,
                                  .validation = cli_validation(),
                                  .waiting = tell_waiting,
                                  .context = cli};
    if (!api_check(cli, err) ||
        !options_seconds(cli->options, OPTION_SILENCE, &desc.silence_ns, err))
        return NULL;
    cli->has_drivers = options_has(cli->options, OPTION_NO_ISOLATE);
    if (cli->has_drivers)
        return gpu_system_create(&(struct gpu_system_desc){.validation = desc.validation});
    return enumerate_devices(cli->arena, &desc, &cli->environment);
}

void cli_system_destroy(struct cli *cli, struct gpu_system *system)
{
    if (!cli->has_drivers)
        gpu_system_destroy(system);
}

// Returns FILE of a name "model:FILE"; NULL for any other name, such as the device id "model:0".
static const char *file_of(const char *name)
{
    if (!text_begins(name, "model:"))
        return NULL;
    const char *file = strchr(name, ':') + 1;
    return strspn(file, "0123456789") == strlen(file) ? NULL : file;
}

bool cli_announce_models(struct cli *cli, struct error *err)
{
    const char **names, *files = "";
    size_t count = options_values(cli->arena, cli->options, OPTION_DEVICE, &names);
    for (size_t i = 0; i < count; i++) {
        const char *file = file_of(names[i]);
        if (file && !gpu_model_check(file, err))
            return false;
        files = text_join(cli->arena, files, "\n", file ? file : "");
    }
    if (*files && setenv(GPU_MODEL_VARIABLE, files, 1) != 0)
        return error_set(err, ERROR_IO, "cannot set the environment variable %s: %s",
                         GPU_MODEL_VARIABLE, strerror(errno));
    return true;
}

struct select_request cli_select_request(struct cli *cli, const struct gpu_system *system)
{
    const char **names;
    size_t count = options_values(cli->arena, cli->options, OPTION_DEVICE, &names);
    unsigned models = 0;
    for (size_t i = 0; i < count; i++)
        if (file_of(names[i]))
            names[i] = arena_printf(cli->arena, "model:%u", models++);
    return (struct select_request){.system = system,
                                   .names = names,
                                   .name_count = count,
                                   .api = options_value(cli->options, OPTION_API)};
}
