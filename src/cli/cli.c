// SPDX-License-Identifier: MIT
#include "cli/cli.h"
#include "base/crash.h"

#include "base/child.h"
#include "base/text.h"
#include "base/version.h"
#include "cli/help.h"
#include "report/export.h"

static bool run_program(struct cli *cli, struct error *err)
{
    const char *what = options_value(cli->options, OPTION_GENERATE);
    if (what)
        return generate_write(cli->out, what, err);
    if (options_has(cli->options, OPTION_VERSION)) {
        fprintf(cli->out, "fathom %s (%s, %s)\n", fathom_version.version, fathom_version.commit,
                fathom_version.build);
        return true;
    }
    if (options_has(cli->options, OPTION_HELP)) {
        help_write(cli->out, COMMAND_COUNT);
        return true;
    }
    return error_set(err, ERROR_USAGE,
                     "no command: try `fathom run --preset quick` (`fathom --help` shows all)");
}

static bool command_help(struct cli *cli, struct error *err)
{
    struct options named = {.command = COMMAND_COUNT};
    char *words[] = {cli->argv[0], NULL};
    // options_parse finds the command that the operand names, or suggests a similar one.
    if (cli->options->operand_count) {
        words[1] = arena_strdup(cli->arena, cli->options->operands[0]);
        if (!options_parse(cli->arena, 2, words, &named, err))
            return false;
    }
    help_write(cli->out, named.command);
    return true;
}

static bool run_command(struct cli *cli, struct error *err)
{
    static bool (*const commands[COMMAND_COUNT])(struct cli *, struct error *) = {
        [COMMAND_DEVICES] = command_devices, [COMMAND_LIST] = command_list,
        [COMMAND_RUN] = command_run,         [COMMAND_MAP] = command_map,
        [COMMAND_SHOW] = command_show,       [COMMAND_REPORT] = command_report,
        [COMMAND_COMPARE] = command_compare, [COMMAND_SHARE] = command_share,
        [COMMAND_FLEET] = command_fleet,     [COMMAND_SERVE] = command_serve,
        [COMMAND_HELP] = command_help,       [COMMAND_WORKER] = command_worker,
        [COMMAND_BESIDE] = command_beside,   [COMMAND_ENUMERATE] = command_enumerate,
        [COMMAND_GUARD] = command_guard,     [COMMAND_COUNTERS] = command_counters,
        [COMMAND_CHECK] = command_check,     [COMMAND_CHECK_DEVICE] = command_check_device,
    };
    enum command_id command = cli->options->command;
    if (command == COMMAND_COUNT)
        return run_program(cli, err);
    if (options_has(cli->options, OPTION_HELP)) {
        help_write(cli->out, command);
        return true;
    }
    return commands[command](cli, err);
}

static int status_of(enum error_code code)
{
    switch (code) {
    case ERROR_USAGE:
    case ERROR_IO:
        return EXIT_USAGE;
    case ERROR_NO_DEVICE:
        return EXIT_NO_MEASUREMENT;
    case ERROR_INTERRUPTED:
        return EXIT_INTERRUPTED;
    case ERROR_NONE:
    case ERROR_UNSUPPORTED:
    case ERROR_OUT_OF_MEMORY:
    case ERROR_TIMEOUT:
    case ERROR_DEVICE_LOST:
    case ERROR_MISMATCH:
    case ERROR_INTERNAL:
    case ERROR_CODE_COUNT:
        break;
    }
    return EXIT_CASE_FAILED;
}

static bool start_command(struct cli *cli, struct error *err)
{
    enum command_id command = cli->options->command;
    // A hidden command runs in a child process. Its parent says in which driver it crashed.
    if (command < COMMAND_COUNT && command_table[command].hidden)
        crash_announce();
    if (!cli_announce_models(cli, err))
        return false;
    cli->environment = child_environment_copy(cli->arena);
    return run_command(cli, err);
}

int cli_main(int argc, char **argv)
{
    struct arena *arena = arena_create();
    struct options options;
    struct error err = {.code = ERROR_NONE};
    struct cli cli = {.arena = arena,
                      .options = &options,
                      .argc = argc,
                      .argv = argv,
                      .out = stdout,
                      .err = stderr};
    // Some writes fail only at the end, for example on a full disk. export_end reports them.
    bool done = options_parse(arena, argc, argv, &options, &err) && start_command(&cli, &err) &&
                export_end(cli.out, "to the standard output", &err);
    if (!done)
        fprintf(cli.err, "fathom: %s\n", text_printable(arena, err.message, SIZE_MAX));
    int status = done ? cli.status : status_of(err.code);
    if (cli.has_drivers)
        crash_evade(status);
    arena_destroy(arena);
    return status;
}
