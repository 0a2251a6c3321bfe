// SPDX-License-Identifier: MIT
// The program: parses the arguments, runs the command, prints its error and returns the exit
// status. All output goes to the two streams in struct cli.
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include "bench/plan.h"
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
    const char *const *environment; // copied before drivers were loaded; workers are started in it
    FILE *out, *err;
    int status; // the exit status of a command that returned true
};

// Runs the program and returns the exit status.
int cli_main(int argc, char **argv);

// One function for each command. If it returns false, cli_main prints the error, whose code decides
// the exit status.
bool command_devices(struct cli *cli, struct error *err);
bool command_list(struct cli *cli, struct error *err);
bool command_run(struct cli *cli, struct error *err);
bool command_map(struct cli *cli, struct error *err);
bool command_report(struct cli *cli, struct error *err);
bool command_compare(struct cli *cli, struct error *err);
bool command_worker(struct cli *cli, struct error *err);
bool command_beside(struct cli *cli, struct error *err);
bool command_guard(struct cli *cli, struct error *err);

// For each -d "model:FILE": cli_announce_models checks the file (ERROR_USAGE with path and reason)
// and puts its path into the environment, where the model backend and the workers find it.
// cli_name_models replaces these names by the ids of the devices, "model:0", "model:1" …
MUST_CHECK bool cli_announce_models(struct cli *cli, struct error *err);
void cli_name_models(struct cli *cli, const char **names, size_t count);

// What a command measures.
struct cli_measuring {
    const char *const *benchmarks; // NULL-ended; NULL: those that the arguments name
    const char *preset;            // unless --preset names one
    // Tests preset and settings before a driver is loaded: ERROR_USAGE.
    bool (*check)(struct arena *arena, const struct choice_request *request, struct error *err);
    struct plan *(*plan)(struct arena *arena, const struct choice_request *request,
                         const struct gpu_info *device, struct run *run, struct error *err);
    // Draws what was measured, at the end; NULL: one table for each benchmark as soon as it is
    // done.
    void (*draw)(const struct run *run, FILE *out);
};

// Measures, reports and saves as the command line says, for `run` and `map`.
MUST_CHECK bool cli_measure(struct cli *cli, const struct cli_measuring *measuring,
                            struct error *err);

// Finds a benchmark by its name. ERROR_USAGE if there is none; the message suggests the nearest.
struct benchmark;
MUST_CHECK bool cli_find_benchmark(struct cli *cli, const char *name,
                                   const struct benchmark **benchmark, struct error *err);

// True if a report can be written to `path`. ERROR_USAGE if this build has no report page, ERROR_IO
// if the file cannot be written.
MUST_CHECK bool cli_report_check(const char *path, struct error *err);

// True if the environment has FATHOM_VALIDATION=1, which turns the API's own validation on.
bool cli_validation(void);

// Loads every backend.
struct gpu_system *cli_system_create(void);

#endif
