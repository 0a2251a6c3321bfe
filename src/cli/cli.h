// SPDX-License-Identifier: MIT
// The program: parses the arguments, runs the command, prints the command's error and returns the
// exit status. Printed text goes to the streams `out` and `err` of struct cli. Output files, also
// "-", are written by results/save.h.
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include "bench/plan.h"
#include "cli/options.h"
#include "suite/select.h"

#include <stdio.h>

enum exit_status {
    EXIT_MEASURED = 0,
    EXIT_CASE_FAILED = 1,
    EXIT_USAGE = 2,
    EXIT_NO_MEASUREMENT = 3,
    EXIT_BROKEN = 4, // exit status of `fathom check`: a card is broken
    // exit status of `fathom check`: a card cannot be judged, and no card is slow or broken
    EXIT_UNKNOWN = 5,
    EXIT_INTERRUPTED = 130
};

struct cli {
    struct arena *arena;
    const struct options *options;
    int argc;
    char **argv;
    // environment for child processes; drivers in this process do not change it
    const char *const *environment;
    FILE *out, *err;
    // true if this process, not a child, has loaded drivers (--no-isolate)
    bool has_drivers;
    // exit status if the command succeeds; EXIT_MEASURED unless the command sets another
    int status;
};

// Runs the program and returns the exit status.
int cli_main(int argc, char **argv);

// Each command_… function runs one command. If it returns false, cli_main prints the error, whose
// code decides the exit status.
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

// Checks the files of all simulated devices (-d "model:FILE"). Puts their paths into an environment
// variable, which the model backend reads. Fails with ERROR_USAGE if a file is wrong, and with
// ERROR_IO if the variable cannot be set.
MUST_CHECK bool cli_announce_models(struct cli *cli, struct error *err);

// Returns a request for the devices that -d and --api name. "model:FILE" becomes the id of the
// simulated device: "model:0", "model:1" …
struct select_request cli_select_request(struct cli *cli, const struct gpu_system *system);

// Sets *benchmark to the benchmark that is called `name`. If there is no such benchmark, fails with
// ERROR_USAGE; the message suggests a similar name, if there is one.
struct benchmark;
MUST_CHECK bool cli_find_benchmark(struct cli *cli, const char *name,
                                   const struct benchmark **benchmark, struct error *err);

// Reads a run file like run_read (results/json.h). Adds what the files of early versions of fathom
// lack, if this file lacks it: findings about cache levels and cache hits, headlines for the
// summary card, and marks of metrics that count floating-point operations.
struct run *cli_read_run(const char *path, struct error *err);

// The options --csv, --html, --trace, --svg and --markdown write a run in another form than the run
// file. Not every command takes all of them (cli/table_options.c).
// - cli_form_asked returns the name of one of these options, not --html, that was given; else NULL.
// - cli_forms_check is called before the run is measured or read. It fails if one of these files or
//   the page of `report -o` cannot be written, or if two outputs are the same file.
// - cli_forms_save writes all these files, even if writing one of them fails; the error then has
//   all messages. It prints a note instead of a trace or an SVG that would show nothing.
const char *cli_form_asked(const struct options *options);
MUST_CHECK bool cli_forms_check(const struct options *options, struct error *err);
MUST_CHECK bool cli_forms_save(const struct cli *cli, const struct run *run, struct error *err);

// Returns true if the file that an option writes can be written, or if the option was not given.
// Fails with ERROR_USAGE if the name of the file has the ending of another form, as with `report -o
// run.pdf`.
MUST_CHECK bool cli_output_check(const struct options *options, enum option_id option,
                                 struct error *err);

// Fails with ERROR_USAGE if two outputs are one file, as with `-o run.json --csv run.json`.
MUST_CHECK bool cli_check_apart(const struct options *options, struct error *err);

// Returns true if tables may be printed. Returns false with --quiet, with --json, or if an output
// is "-", the standard output.
bool cli_shows_tables(const struct options *options);

// Fails with ERROR_USAGE if an output would replace the run file `input`, as with `report -o
// run.json run.json`. The message begins with the command's name. If `input` is "-", the standard
// input, never fails.
MUST_CHECK bool cli_outputs_spare(const struct options *options, const char *command,
                                  const char *input, struct error *err);

// Returns one line that identifies the request of a `fathom check`. A process takes over another
// process's check only if the requests are the same: what is checked, and on which cards. The line
// lives in cli->arena.
const char *cli_check_request(const struct cli *cli);

// Returns true if the environment has FATHOM_VALIDATION=1, which turns on the validation of the
// APIs, such as Vulkan's validation layer.
bool cli_validation(void);

// Creates the system, which lists the devices of all backends. It turns on the validation of the
// APIs if cli_validation() is true. Child processes load the drivers, and cli->environment becomes
// the environment of child processes. With --no-isolate, this process loads the drivers instead.
// Fails with ERROR_USAGE if the value of --api or --silence-limit is wrong.
struct gpu_system *cli_system_create(struct cli *cli, struct error *err);

// The hardware counters of a device.
struct cli_counters {
    // why the device has no counters, and what the user can do; NULL if it has counters
    const char *missing;
    // Counters for which fathom has its own name. Each pair has fathom's and the vendor's name.
    struct named_text *neutral;
    size_t neutral_count;
    const char **natives; // the vendor's names of all counters
    size_t native_count;
};

// Lists the hardware counters of a device. A child process opens the device.
void cli_counters_of(struct cli *cli, const struct gpu_info *device, struct cli_counters *counters);

// Destroys the system. If this process has loaded drivers (--no-isolate), does nothing, because
// drivers may crash while they are unloaded.
void cli_system_destroy(struct cli *cli, struct gpu_system *system);

#endif
