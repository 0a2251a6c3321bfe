// SPDX-License-Identifier: MIT
// The program: parses its arguments, does what they say, prints errors, gives the exit status.
// Everything it prints goes through the two streams here.
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include "base/arena.h"
#include "cli/options.h"

#include <stdio.h>

enum exit_status {
    EXIT_MEASURED = 0,
    EXIT_CASE_FAILED = 1,
    EXIT_USAGE = 2,
    EXIT_NO_MEASUREMENT = 3,
    EXIT_INTERRUPTED = 130
};

struct cli {
    struct arena *arena;
    const struct options *options;
    int argc;
    char **argv;
    const char *const *environment; // from before drivers were loaded: workers start in it
    FILE *out, *err;
    int status; // what the command sets where it succeeds in saying more than 0
};

// main() without its exit: returns the exit status.
int cli_main(int argc, char **argv);

// One function a command. False = the error is printed and decides the exit status.
bool command_devices(struct cli *cli, struct error *err);
bool command_list(struct cli *cli, struct error *err);
bool command_run(struct cli *cli, struct error *err);
bool command_map(struct cli *cli, struct error *err);
bool command_report(struct cli *cli, struct error *err);
bool command_compare(struct cli *cli, struct error *err);
bool command_worker(struct cli *cli, struct error *err);
bool command_beside(struct cli *cli, struct error *err);
bool command_guard(struct cli *cli, struct error *err);

// Devices that -d names "model:FILE". The first checks the files (ERROR_USAGE with path and reason)
// and puts them into the environment, for the backend and for workers; the second makes ids of
// those names.
MUST_CHECK bool cli_announce_models(struct cli *cli, struct error *err);
void cli_name_models(struct cli *cli, const char **names, size_t count);

// Measures as the command line says, for `run` and `map`; `tell` (or NULL) prints what comes before
// the end of it all.
struct run;
MUST_CHECK bool cli_measure(struct cli *cli, void (*tell)(const struct run *run, FILE *out),
                            struct error *err);

// The core clocks of `fathom map --set clock=LIST` in Hz; none without it. ERROR_USAGE for another
// key, and for what makes no line.
MUST_CHECK bool cli_read_clocks(struct cli *cli, const double **hz, size_t *count,
                                struct error *err);

// The benchmark of that name; ERROR_USAGE with the nearest one.
struct benchmark;
MUST_CHECK bool cli_find_benchmark(struct cli *cli, const char *name,
                                   const struct benchmark **benchmark, struct error *err);

// Could a report be written there? ERROR_USAGE where this program has no report page, ERROR_IO
// where the file cannot be written.
MUST_CHECK bool cli_report_check(const char *path, struct error *err);

// FATHOM_VALIDATION=1 in the environment: the API's own validation is on.
bool cli_validation(void);

// Every backend, or only one.
struct gpu_system *cli_system_create(const char *only_api);

// Writes a JSON document, indented, with a newline at its end, and gives it back.
struct json_t;
bool cli_write_json(FILE *out, struct json_t *document, struct error *err);

#endif
