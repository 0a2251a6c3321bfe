// SPDX-License-Identifier: MIT
// `fathom check` says whether the GPUs of this machine are as fast as they should be.
#include "suite/check.h"
#include "analysis/expectation.h"
#include "analysis/reference.h"
#include "base/clock.h"
#include "base/text.h"
#include "bench/bench.h"
#include "cli/cli.h"
#include "report/console.h"
#include "report/export.h"
#include "results/json.h"
#include "results/save.h"
#include "suite/host_lock.h"
#include "suite/runner.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

enum {
    FILE_BYTES_MAX = 100000, // size in bytes above which a check's run file is shortened
    EXPECTED_MAX = 1024      // maximum value of --expect-count, the number of expected GPUs
};

struct checking {
    struct cli *cli;
    struct interrupt interrupt;
    struct gpu_system *system;
    struct device_list devices;
    size_t others; // number of devices that other ranks check; 0 without --local-rank
    struct check_desc desc;
    struct check_parts parts;
    struct expectation expectation;
    // runs with the expected figures, from --expect or from the built-in references
    struct run **expected;
    const char *output, *prometheus;
    uint64_t expected_count;
    struct run *run;
    double began_s;        // when this process began, in seconds since 1970
    struct host_lock lock; // lock that lets one check of this user run at a time on this host
};

// ---------------------------------------------------------------- reading the options

static const char *host_name(struct arena *arena)
{
    struct utsname names;
    return uname(&names) == 0 ? arena_strdup(arena, names.nodename) : "localhost";
}

// Returns the value of the first environment variable in `names` that is set; NULL if none is set.
static const char *first_set(const char *const *names)
{
    const char *value = NULL;
    for (; *names && !value; names++)
        value = getenv(*names);
    return value;
}

// Returns the name of the output file: in `pattern`, %h becomes the host's name, %r this process's
// rank in a parallel job (0 without a job), and %% a percent sign.
static const char *output_name(struct arena *arena, const char *pattern)
{
    static const char *const variables[] = {"SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "PMI_RANK",
                                            NULL};
    const char *rank = first_set(variables), *name = "";
    for (const char *at = pattern; *at; at++) {
        bool known = *at == '%' && (at[1] == 'h' || at[1] == 'r' || at[1] == '%');
        if (!known) {
            name = arena_printf(arena, "%s%c", name, *at);
            continue;
        }
        at++;
        name = arena_printf(arena, "%s%s", name,
                            *at == 'h'   ? host_name(arena)
                            : *at == '%' ? "%"
                            : rank       ? rank
                                         : "0");
    }
    return name;
}

// Returns a copy of the options, in which -o has the output file's name in place of its pattern.
static const struct options *with_output_name(struct arena *arena, const struct options *options)
{
    struct options *named = ARENA_NEW(arena, struct options);
    *named = *options;
    named->uses = ARENA_ARRAY(arena, options->use_count + 1, struct option_use);
    for (size_t i = 0; i < options->use_count; i++) {
        named->uses[i] = options->uses[i];
        if (named->uses[i].option == OPTION_CHECK_OUTPUT)
            named->uses[i].value = output_name(arena, named->uses[i].value);
    }
    return named;
}

static bool read_expectation(struct checking *c, const struct options *options, struct error *err)
{
    const char **paths;
    size_t count = options_values(c->cli->arena, options, OPTION_EXPECT, &paths);
    c->expected = ARENA_ARRAY(c->cli->arena, count + 1, struct run *);
    c->expectation = (struct expectation){.runs = c->expected, .basis = CHECK_BASIS_OWN};
    for (size_t i = 0; i < count; i++) {
        if (!cli_outputs_spare(options, "check", paths[i], err))
            return false;
        c->expected[i] = run_read(paths[i], err);
        if (!c->expected[i])
            return false;
        c->expectation.run_count++;
    }
    struct run *references = reference_checks_run();
    if (count > 0) {
        c->expectation.references = references;
        return true;
    }
    c->expected[0] = references;
    c->expectation.run_count = references != NULL;
    c->expectation.basis = CHECK_BASIS_REFERENCE;
    return true;
}

// Fails if output_name() would leave a percent sign, because the processes of a job might then
// write one file.
static bool pattern_check(const char *pattern, struct error *err)
{
    for (const char *at = pattern; at && (at = strchr(at, '%')) != NULL; at += 2)
        if (at[1] == '\0' || !strchr("hr%", at[1]))
            return error_set(err, ERROR_USAGE,
                             "--output %s: expected after %%: h (the host), r (the rank) or %%",
                             pattern);
    return true;
}

static bool read_request(struct checking *c, struct error *err)
{
    const struct options *options = with_output_name(c->cli->arena, c->cli->options);
    if (!pattern_check(options_value(c->cli->options, OPTION_CHECK_OUTPUT), err) ||
        !cli_check_apart(options, err) ||
        !options_seconds(options, OPTION_SOAK, &c->desc.soak_ns, err) ||
        !options_number(options, OPTION_EXPECT_COUNT, 1, EXPECTED_MAX, &c->expected_count, err) ||
        !options_seconds(options, OPTION_SILENCE, &c->desc.silence_ns, err))
        return false;
    c->output = options_value(options, OPTION_CHECK_OUTPUT);
    c->prometheus = options_value(options, OPTION_PROMETHEUS);
    return read_expectation(c, options, err) &&
           cli_output_check(options, OPTION_CHECK_OUTPUT, err) &&
           cli_output_check(options, OPTION_PROMETHEUS, err);
}

// ---------------------------------------------------------------- choosing the devices

static void leave_cpus_out(struct device_list *list)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++)
        if (list->devices[i]->kind != GPU_KIND_CPU)
            list->devices[kept++] = list->devices[i];
    list->count = kept;
}

// True if this process may use only some of the machine's NVIDIA cards, for example those of a job.
static bool has_part_of_the_cards(const struct checking *c)
{
    return select_cards_hidden(c->cli->arena, "", getenv("CUDA_VISIBLE_DEVICES"));
}

// Keeps only the card whose index is this process's local rank. A single card that
// CUDA_VISIBLE_DEVICES selected stays.
static bool take_own_card(struct checking *c, struct error *err)
{
    struct device_list *list = &c->devices;
    static const char *const variables[] = {"SLURM_LOCALID", "OMPI_COMM_WORLD_LOCAL_RANK",
                                            "MPI_LOCALRANKID", NULL};
    const char *text = first_set(variables);
    uint64_t rank;
    if (!text || !text_parse_uint(text, &rank))
        return error_set(err, ERROR_USAGE,
                         "--local-rank: no rank in SLURM_LOCALID, OMPI_COMM_WORLD_LOCAL_RANK or "
                         "MPI_LOCALRANKID: start it with srun or mpirun");
    if (list->count == 1 && getenv("CUDA_VISIBLE_DEVICES"))
        return true;
    if (rank >= list->count)
        return error_set(err, ERROR_NO_DEVICE, "--local-rank: rank %llu, but %s",
                         (unsigned long long)rank, text_count(c->cli->arena, list->count, "GPU"));
    list->devices[0] = list->devices[rank];
    c->others = list->count - 1;
    list->count = 1;
    return true;
}

// Fails if two devices of the list are the same chip, because they would disturb each other.
static bool are_apart(const struct device_list *list, struct error *err)
{
    for (size_t i = 0; i < list->count; i++)
        for (size_t k = 0; k < i; k++)
            if (select_same_chip(list->devices[i], list->devices[k]))
                return error_set(err, ERROR_USAGE, "check: %s and %s are one card: choose one API",
                                 list->devices[k]->id, list->devices[i]->id);
    return true;
}

// Chooses the devices of -d; without -d, all GPUs. The list may be empty with --expect-count, or if
// the machine has GPUs that no API reaches.
static bool choose_devices(struct checking *c, struct error *err)
{
    static const char *const all[] = {"all"};
    struct cli *cli = c->cli;
    struct unreached_gpu *gpus;
    struct select_request request = cli_select_request(cli, c->system);
    request.prefer = GPU_CAP(PEERS);
    bool every = request.name_count == 0;
    if (every) {
        request.names = all;
        request.name_count = 1;
    }
    bool chosen = select_devices(cli->arena, &request, &c->devices, err);
    if (every)
        leave_cpus_out(&c->devices);
    if (every && has_part_of_the_cards(c))
        select_leave_hidden_out(&c->devices);
    if ((!chosen && err->code != ERROR_NO_DEVICE) || !are_apart(&c->devices, err))
        return false;
    if (options_has(cli->options, OPTION_LOCAL_RANK))
        return take_own_card(c, err);
    if (c->devices.count > 0 || c->expected_count > 0 ||
        (every && !has_part_of_the_cards(c) &&
         select_unreached(cli->arena, c->system, "", &gpus) > 0))
        return true;
    return chosen
               ? error_set(err, ERROR_NO_DEVICE, "no GPU found: -d checks a CPU as if it were one")
               : false;
}

// Adds a check for each GPU that no API reaches, unless only some of the cards are wanted.
static void add_unreached(struct checking *c)
{
    struct unreached_gpu *gpus;
    if (options_has(c->cli->options, OPTION_DEVICE) ||
        options_has(c->cli->options, OPTION_LOCAL_RANK) || has_part_of_the_cards(c))
        return;
    size_t count = select_unreached(c->run->arena, c->system, "", &gpus);
    for (size_t i = 0; i < count; i++) {
        struct check *check = run_add_check(c->run);
        check->index = c->run->check_count - 1;
        check->code = gpus[i].forbidden ? CHECK_NO_PERMISSION : CHECK_NOT_MEASURED;
        check->cause = arena_printf(c->run->arena, "%s: %s", gpus[i].text, gpus[i].remedy);
    }
}

static void add_missing(struct checking *c)
{
    size_t found = c->run->check_count + c->others;
    for (size_t i = found; i < c->expected_count; i++) {
        struct check *check = run_add_check(c->run);
        check->index = c->run->check_count - 1;
        check->verdict = CHECK_BROKEN;
        check->code = CHECK_MISSING;
        check->cause = arena_printf(c->run->arena, "missing: %zu of %llu GPUs are there", found,
                                    (unsigned long long)c->expected_count);
    }
}

// ---------------------------------------------------------------- measuring and judging

static void describe(struct checking *c)
{
    const struct cli *cli = c->cli;
    struct run *run = c->run;
    const struct benchmark **used =
        ARENA_ARRAY(run->arena, check_case_count, const struct benchmark *);
    struct runner_desc desc = {.devices = &c->devices};
    desc.choices.preset = options_has(cli->options, OPTION_QUICK) ? "check-quick" : "check";
    desc.choices.benchmarks = used;
    for (size_t i = 0; i < check_case_count; i++) {
        const struct benchmark *one = benchmark_find(check_cases[i].benchmark);
        size_t *count = &desc.choices.benchmark_count;
        // The cases of a benchmark are neighbours in check_cases, so each benchmark is added once.
        if (one && (*count == 0 || used[*count - 1] != one))
            used[(*count)++] = one;
    }
    runner_describe(run, &desc, cli->argc,
                    options_recorded(cli->arena, cli->argc, cli->argv, cli->options));
    struct named_text *host = ARENA_ARRAY(run->arena, run->host_count + 1, struct named_text);
    host[0] = (struct named_text){"name", host_name(run->arena)};
    for (size_t i = 0; i < run->host_count; i++)
        host[i + 1] = run->host[i];
    run->host = host;
    run->host_count++;
}

static bool measure(struct checking *c, struct error *err)
{
    const char *soak = options_value(c->cli->options, OPTION_SOAK);
    static const char *const worker[] = {"/proc/self/exe", "__worker", "--together", NULL};
    const char *argv[] = {"/proc/self/exe", "__check", NULL, NULL, NULL, NULL, NULL};
    size_t count = 2;
    if (options_has(c->cli->options, OPTION_QUICK)) {
        argv[count++] = "--quick";
    } else if (c->devices.count > 1) {
        argv[count++] = "--together";
        c->desc.worker_argv = worker;
    }
    if (soak) {
        argv[count++] = "--soak";
        argv[count] = soak;
    }
    c->desc.devices = &c->devices;
    c->desc.system = c->system;
    c->desc.argv = argv;
    c->desc.environment = c->cli->environment;
    c->desc.interrupt = &c->interrupt;
    c->run = run_create();
    describe(c);
    if (!check_measure(c->run, &c->desc, &c->parts, err))
        return false;
    for (size_t i = 0; i < c->run->check_count; i++) {
        check_take_figures(c->run, &c->run->checks[i]);
        expectation_judge(c->run, &c->expectation, &c->run->checks[i]);
    }
    add_unreached(c);
    add_missing(c);
    return true;
}

// ---------------------------------------------------------------- one check at a time per host

static bool is_long(const struct run *run, bool *done, struct error *err)
{
    struct text_stream stream;
    text_stream_open(&stream);
    *done = run_write(run, stream.file, err);
    text_stream_close(&stream);
    free(stream.text);
    return *done && stream.bytes > FILE_BYTES_MAX;
}

// Shortens the run if its file has more than FILE_BYTES_MAX bytes. Keeps only what a later --expect
// can use. If the file is still too long, keeps no results.
static bool shorten(struct run *run, struct error *err)
{
    bool done;
    if (!is_long(run, &done, err))
        return done;
    size_t kept = 0;
    for (size_t i = 0; i < run->result_count; i++)
        if (check_shorten(run->arena, run->results[i]))
            run->results[kept++] = run->results[i];
    run->result_count = kept;
    run->finding_count = run->benchmark_count = 0;
    if (is_long(run, &done, err))
        run->result_count = 0;
    return done;
}

// Takes the lock, after waiting for a check in another process. If that process made the same
// check, takes over its run. Otherwise returns false, and this process must measure.
static bool take_shared(struct checking *c)
{
    static const uint64_t patience_ns = UINT64_C(2) * CHECK_DEADLINE_S * NS_PER_S;
    const char *request = cli_check_request(c->cli);
    struct error err;
    if (options_has(c->cli->options, OPTION_LOCAL_RANK) ||
        !host_lock_take(&c->lock, "check", c->desc.soak_ns + patience_ns))
        return false;
    const char *text = host_lock_read(&c->lock, c->cli->arena, c->began_s);
    if (!text || !text_begins(text, request))
        return false;
    text += strlen(request);
    c->run = run_read_text(text, strlen(text), "the check of another process", &err);
    for (size_t i = 0; c->run && i < c->run->check_count; i++)
        c->run->checks[i].shared_check = true;
    return c->run != NULL;
}

static void leave_shared(struct checking *c)
{
    struct text_stream stream;
    struct error err;
    text_stream_open(&stream);
    fputs(cli_check_request(c->cli), stream.file);
    bool written = c->run->status == RUN_COMPLETE && run_write(c->run, stream.file, &err);
    text_stream_close(&stream);
    if (written)
        host_lock_write(&c->lock, stream.text);
    free(stream.text);
}

// Takes over another process's run (take_shared). If there is no such run, measures, and offers the
// new run to other processes.
static bool check_once(struct checking *c, struct error *err)
{
    if (take_shared(c))
        return true;
    c->system = cli_system_create(c->cli, err);
    // from here on, a signal is counted; it does not end the process
    interrupt_watch(&c->interrupt);
    if (!c->system || !choose_devices(c, err) || !measure(c, err) || !shorten(c->run, err))
        return false;
    leave_shared(c);
    return true;
}

// ---------------------------------------------------------------- writing the outputs

static bool write_prometheus(void *context, FILE *stream, struct error *err)
{
    const struct checking *c = context;
    static const char last[] = "fathom_check_last_success_seconds ";
    double now_s = (double)time(NULL), success_s = 0;
    char line[256];
    // A pipe or a terminal has no former content, and reading it would wait for its other end.
    FILE *former = file_save_replaces(c->prometheus) ? fopen(c->prometheus, "r") : NULL;
    (void)err;
    while (former && fgets(line, sizeof line, former))
        if (text_begins(line, last))
            success_s = strtod(line + strlen(last), NULL);
    if (former)
        fclose(former);
    if (check_worst(c->run->checks, c->run->check_count) == CHECK_HEALTHY)
        success_s = now_s;
    check_prometheus(c->run, now_s, success_s, stream);
    return true;
}

static bool tell(struct checking *c, struct error *err)
{
    static const int statuses[CHECK_VERDICT_COUNT] = {[CHECK_HEALTHY] = EXIT_MEASURED,
                                                      [CHECK_SLOW] = EXIT_CASE_FAILED,
                                                      [CHECK_BROKEN] = EXIT_BROKEN,
                                                      [CHECK_UNKNOWN] = EXIT_UNKNOWN};
    struct cli *cli = c->cli;
    struct error one;
    if (cli_shows_tables(cli->options))
        check_console(c->run, cli->out);
    fflush(cli->out);
    *err = (struct error){.code = ERROR_NONE};
    if (c->output && !run_save(c->run, c->output, &one))
        error_add(err, &one);
    if (options_has(cli->options, OPTION_JSON) && !run_save(c->run, "-", &one))
        error_add(err, &one);
    if (c->prometheus && !file_save(c->prometheus, write_prometheus, c, &one))
        error_add(err, &one);
    if (err->code != ERROR_NONE)
        return false;
    cli->status = statuses[check_worst(c->run->checks, c->run->check_count)];
    if (c->run->status == RUN_INTERRUPTED)
        return error_set(err, ERROR_INTERRUPTED, "interrupted");
    return true;
}

static void finish(struct checking *c)
{
    host_lock_end(&c->lock);
    if (c->system)
        cli_system_destroy(c->cli, c->system);
    run_destroy(c->run);
    check_parts_destroy(&c->parts);
    for (size_t i = 0; i < c->expectation.run_count; i++)
        run_destroy(c->expected[i]);
    run_destroy(c->expectation.references);
}

bool command_check(struct cli *cli, struct error *err)
{
    struct timespec began;
    struct checking c = {.cli = cli, .lock = {.fd = -1}};
    clock_gettime(CLOCK_REALTIME, &began);
    c.began_s = (double)began.tv_sec + (double)began.tv_nsec * 1e-9;
    bool done = read_request(&c, err) && interrupt_init(&c.interrupt, err);
    if (done) {
        done = check_once(&c, err) && tell(&c, err);
        interrupt_fini(&c.interrupt);
    }
    finish(&c);
    return done;
}
