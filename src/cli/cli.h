// SPDX-License-Identifier: MIT
// The program: parses the arguments, runs the command, prints its error and returns the exit
// status. All output goes to the streams `out` and `err` of struct cli.
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
    EXIT_BROKEN = 4,  // only of `check`: a card is broken
    EXIT_UNKNOWN = 5, // only of `check`: a card cannot be judged, and none is slow or broken
    EXIT_INTERRUPTED = 130
};

enum {
    CLI_COLUMNS = 100 // maximum width of printed tables in columns, even if the terminal is wider
};

struct cli {
    struct arena *arena;
    const struct options *options;
    int argc;
    char **argv;
    const char *const *environment; // environment for child processes, copied before drivers were
                                    // loaded
    FILE *out, *err;
    bool has_drivers; // true: this process has loaded drivers (--no-isolate)
    int status;       // exit status of a successful command; EXIT_MEASURED unless the command sets
                      // another
};

// Runs the program and returns the exit status.
int cli_main(int argc, char **argv);

// The functions of the commands. If a function returns false, cli_main prints the error, whose code
// decides the exit status.
bool command_devices(struct cli *cli, struct error *err);
bool command_list(struct cli *cli, struct error *err);
bool command_run(struct cli *cli, struct error *err);
bool command_map(struct cli *cli, struct error *err);
bool command_show(struct cli *cli, struct error *err);
bool command_report(struct cli *cli, struct error *err);
bool command_compare(struct cli *cli, struct error *err);
bool command_share(struct cli *cli, struct error *err);
bool command_fleet(struct cli *cli, struct error *err);
bool command_serve(struct cli *cli, struct error *err);
bool command_worker(struct cli *cli, struct error *err);
bool command_enumerate(struct cli *cli, struct error *err);
bool command_beside(struct cli *cli, struct error *err);
bool command_guard(struct cli *cli, struct error *err);
bool command_counters(struct cli *cli, struct error *err);
bool command_check(struct cli *cli, struct error *err);
bool command_check_device(struct cli *cli, struct error *err);

// These two functions handle each -d "model:FILE". cli_announce_models checks each file
// (ERROR_USAGE with its path and the reason) and lists the paths in an environment variable, which
// the model backend and the workers read. cli_name_models replaces each "model:FILE" in `names` by
// the id of the simulated device: "model:0", "model:1" …
MUST_CHECK bool cli_announce_models(struct cli *cli, struct error *err);
void cli_name_models(struct cli *cli, const char **names, size_t count);

// What a command measures, and how it shows the results.
struct cli_measuring {
    // Names of the benchmarks to measure; the element after the last name is NULL. If `benchmarks`
    // itself is NULL, the operands of the command name the benchmarks.
    const char *const *benchmarks;
    const char *preset; // preset that is used if --preset is not given
    // Checks the preset and the settings before any driver is loaded. Fails with ERROR_USAGE if
    // they are wrong.
    bool (*check)(struct arena *arena, const struct choice_request *request, struct error *err);
    struct plan *(*plan)(struct arena *arena, const struct choice_request *request,
                         const struct gpu_info *device, struct run *run, struct error *err);
    // Draws the results at the end. NULL: the headlines and the summary cards of the devices are
    // printed instead.
    void (*draw)(const struct run *run, FILE *out);
};

// Measures, and prints and saves the results, according to the options. The commands `run` and
// `map` use this function.
MUST_CHECK bool cli_measure(struct cli *cli, const struct cli_measuring *measuring,
                            struct error *err);

// Sets *benchmark to the benchmark with the name `name`. Fails with ERROR_USAGE if there is none;
// the message suggests the nearest name.
struct benchmark;
MUST_CHECK bool cli_find_benchmark(struct cli *cli, const char *name,
                                   const struct benchmark **benchmark, struct error *err);

// True if an HTML report can be written to `path`. Fails with ERROR_USAGE if this build has no
// report page, or with ERROR_IO if the file cannot be written.
MUST_CHECK bool cli_report_check(const char *path, struct error *err);

// Reads a run file like run_read (results/json.h). If an early version of fathom wrote it, adds
// what is missing: findings about cache levels and cache hits, the headlines of which a device's
// summary card consists, and the marks of floating-point operations.
struct run *cli_read_run(const char *path, struct error *err);

// The forms in which a run can be written besides the run file: the options --csv, --html, --trace,
// --svg and --markdown, of which each command takes some (cli/table_options.c).
//
// cli_form_asked returns the name of the first such option that was given, except --html; NULL if
// there is none.
//
// cli_forms_check tests, before the run is measured or read, whether the file of every form can be
// written, and whether no two outputs are the same file.
//
// cli_forms_save writes all forms that were asked for, even if one of them fails. It does not write
// a trace or SVG that would show nothing, and prints a note instead. Returns false with the
// messages of all failures.
const char *cli_form_asked(const struct options *options);
MUST_CHECK bool cli_forms_check(const struct options *options, struct error *err);
MUST_CHECK bool cli_forms_save(const struct cli *cli, const struct run *run, struct error *err);

// Fails with ERROR_USAGE if two outputs are the same file, as in `-o run.json --csv run.json`.
MUST_CHECK bool cli_check_apart(const struct options *options, struct error *err);

// True if tables may be printed: neither --quiet nor --json is given, and no output is "-" (the
// standard output).
bool cli_shows_tables(const struct options *options);

// Fails with ERROR_USAGE if an output would replace the run file `input`, as in `report -o run.json
// run.json`. The message begins with the command's name. If `input` is "-", the run is read from
// the standard input, and no output can replace it.
MUST_CHECK bool cli_outputs_spare(const struct options *options, const char *command,
                                  const char *input, struct error *err);

// True if the environment has FATHOM_VALIDATION=1, which turns on the API's own validation.
bool cli_validation(void);

// Creates the system that lists the devices of every backend, with validation if cli_validation
// says so. With --no-isolate the drivers are loaded into this process. Otherwise no driver is
// loaded, and cli->environment becomes the environment of the processes that open devices. Fails
// with ERROR_USAGE if the value of --silence-limit is wrong.
struct gpu_system *cli_system_create(struct cli *cli, struct error *err);

// Sets *silence_ns to the value of --silence-limit in ns, or to 0 if it was not given.
MUST_CHECK bool cli_silence(const struct cli *cli, uint64_t *silence_ns, struct error *err);

// The hardware counters of a device.
struct cli_counters {
    // Text: why there are no counters, and what to do; NULL: there are counters.
    const char *missing;
    // Counters for which fathom has its own name: this name, and the vendor's name.
    struct named_text *neutral;
    size_t neutral_count;
    const char **natives; // vendor's names of all counters
    size_t native_count;
};

// Lists the counters of a device. A child process opens the device for that.
void cli_counters_of(struct cli *cli, const struct gpu_info *device, struct cli_counters *counters);

// Destroys the system, unless drivers are loaded into this process (--no-isolate). Drivers may
// crash when they are unloaded, so they then stay loaded until cli_main ends the process.
void cli_system_destroy(struct cli *cli, struct gpu_system *system);

#endif
