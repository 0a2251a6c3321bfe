// SPDX-License-Identifier: MIT
#include "analysis/card.h"
#include "base/clock.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/state.h"
#include "cli/terminal.h"
#include "map/map.h"
#include "report/console.h"
#include "results/json.h"
#include "results/save.h"
#include "suite/clock_lock.h"
#include "suite/executor.h"
#include "suite/runner.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// What a command measures, and how it shows the results.
struct measuring {
    // Names of the benchmarks to measure, then NULL. If this pointer is NULL, the operands of the
    // command are the names.
    const char *const *benchmarks;
    const char *preset; // preset of a command line without --preset
    // Checks preset and settings before any driver is loaded; fails with ERROR_USAGE.
    bool (*check)(struct arena *arena, const struct choice_request *request, struct error *err);
    struct plan *(*plan)(struct arena *arena, const struct choice_request *request,
                         const struct gpu_info *device, struct run *run, struct error *err);
    // Draws the results at the end. If `draw` is NULL, show_result prints them instead.
    void (*draw)(const struct run *run, FILE *out);
};

// The state of the commands `run` and `map`, which measure.
struct running {
    struct cli *cli;
    struct gpu_system *system;
    struct run *run;
    struct device_list devices;
    struct runner_desc desc;
    struct visit_counting counting; // counters that the options --counters and --native ask for
    // Receives the user's signals, such as Ctrl-C; the results are then still shown and saved.
    struct interrupt interrupt;
    struct progress progress;
    struct live_text card; // summary card of the device, which is redrawn during the run
    struct console_desc console;
    // True if a signal came while the standard output was full. print() then drops all text.
    bool unread;
    // Error of the last save of the run file (-o); its code is ERROR_NONE if the save succeeded.
    struct error unsaved;
    // path of the run's file in the folder of kept runs; NULL if the run is not kept
    const char *kept;
    const struct measuring *measuring;
};

// ---------------------------------------------------------------- options and operands

static bool is_chosen(const struct benchmark *const *chosen, size_t count,
                      const struct benchmark *benchmark)
{
    for (size_t i = 0; i < count; i++)
        if (chosen[i] == benchmark)
            return true;
    return false;
}

// Chooses the benchmarks to measure: measuring->benchmarks if it is set, else the operands. Without
// operands, chooses all benchmarks that have no command of their own.
static bool read_benchmarks(struct running *r, struct error *err)
{
    const struct options *options = r->cli->options;
    const char *const *names = r->measuring->benchmarks;
    size_t name_count = options->operand_count, count = 0;
    if (!names)
        names = options->operands;
    else
        for (name_count = 0; names[name_count];)
            name_count++;
    while (benchmarks[count])
        count++;
    const struct benchmark **chosen =
        ARENA_ARRAY(r->cli->arena, count + name_count, const struct benchmark *);
    size_t chosen_count = 0;
    for (size_t i = 0; i < name_count; i++) {
        const struct benchmark *one;
        if (!cli_find_benchmark(r->cli, names[i], &one, err))
            return false;
        if (one->command && !r->measuring->benchmarks)
            return error_set(err, ERROR_USAGE, "run %s: use `fathom %s`, which measures it",
                             one->info.name, one->command);
        if (!is_chosen(chosen, chosen_count, one))
            chosen[chosen_count++] = one;
    }
    for (size_t i = 0; name_count == 0 && i < count; i++)
        if (!benchmarks[i]->command)
            chosen[chosen_count++] = benchmarks[i];
    r->desc.choices.benchmarks = chosen;
    r->desc.choices.benchmark_count = chosen_count;
    return true;
}

// Fails if an earlier --set has the same name before the "=", because the earlier values would be
// lost.
static bool set_once_check(const char *const *texts, size_t index, struct error *err)
{
    size_t bytes = strcspn(texts[index], "=") + 1;
    for (size_t i = 0; i < index; i++)
        if (strncmp(texts[i], texts[index], bytes) == 0)
            return error_set(err, ERROR_USAGE,
                             "--set %s: after --set %s: give all values in one --set, with commas",
                             texts[index], texts[i]);
    return true;
}

static bool read_settings(struct running *r, struct error *err)
{
    struct arena *arena = r->cli->arena;
    const char **texts;
    size_t count = options_values(arena, r->cli->options, OPTION_SET, &texts);
    struct setting *settings = ARENA_ARRAY(arena, count, struct setting);
    for (size_t i = 0; i < count; i++)
        if (!setting_parse(arena, texts[i], &settings[i], err) || !set_once_check(texts, i, err))
            return false;
    const char *preset = options_value(r->cli->options, OPTION_PRESET);
    r->desc.choices.preset = preset ? preset : r->measuring->preset;
    r->desc.choices.settings = settings;
    r->desc.choices.setting_count = count;
    return r->measuring->check(arena, &r->desc.choices, err);
}

static bool read_counters(struct running *r, struct error *err)
{
    const struct options *options = r->cli->options;
    const char **natives;
    size_t count = options_values(r->cli->arena, options, OPTION_NATIVE, &natives);
    if (!options_has(options, OPTION_COUNTERS))
        return count == 0 || error_set(err, ERROR_USAGE, "--native needs --counters");
    r->counting = (struct visit_counting){natives, count};
    r->desc.counting = &r->counting;
    return true;
}

static bool read_request(struct running *r, struct error *err)
{
    const struct options *options = r->cli->options;
    // The default seed differs from run to run. It is small, so that a user can type it.
    r->desc.seed = 1 + (clock_now_ns() / 1000 ^ (uint64_t)getpid() << 8) % 1000000;
    if (!options_number(options, OPTION_SEED, 1, UINT64_C(1) << 52, &r->desc.seed, err) ||
        !options_seconds(options, OPTION_WAIT_IDLE, &r->desc.wait_idle_ns, err) ||
        !options_seconds(options, OPTION_SILENCE, &r->desc.silence_ns, err))
        return false;
    r->desc.output = options_value(options, OPTION_OUTPUT);
    r->desc.in_process = options_has(options, OPTION_NO_ISOLATE);
    r->desc.validation = cli_validation();
    return read_counters(r, err) && read_benchmarks(r, err) && read_settings(r, err);
}

// ---------------------------------------------------------------- choosing the devices

#define UNREACHED "unreached-gpu"

// Adds a finding and prints a note for each GPU that no API can open. Without the note, a user
// might not see that only a CPU was measured.
static void note_unreached(struct running *r)
{
    struct unreached_gpu *gpus;
    size_t count = select_unreached(r->cli->arena, r->system, "", &gpus);
    for (size_t i = 0; i < count; i++) {
        struct finding *finding = run_add_finding(r->run);
        finding->code = UNREACHED;
        finding->text = arena_printf(r->run->arena, "%s is there, but no API reaches it: %s",
                                     gpus[i].text, gpus[i].remedy);
        fprintf(r->cli->err, "fathom: note: %s\n", finding->text);
    }
}

static bool is_cpu(const struct gpu_info *device)
{
    return device->kind == GPU_KIND_CPU;
}

// If the machine has no GPU, adds a finding that the figures are those of the CPU.
static void note_no_gpu(struct running *r)
{
    bool any_gpu = false;
    for (size_t i = 0; i < gpu_system_device_count(r->system); i++)
        any_gpu |= !is_cpu(gpu_system_info(r->system, i));
    for (size_t i = 0; i < r->devices.count; i++)
        any_gpu |= !is_cpu(r->devices.devices[i]);
    // A GPU that no API reaches is a GPU, too: note_unreached() has added a finding for it.
    for (size_t i = 0; i < r->run->finding_count; i++)
        any_gpu |= strcmp(r->run->findings[i].code, UNREACHED) == 0;
    if (any_gpu)
        return;
    struct finding *finding = run_add_finding(r->run);
    finding->code = CARD_NO_GPU;
    finding->text = "No GPU found: these are figures of the CPU";
}

static bool choose_devices(struct running *r, struct error *err)
{
    const struct select_request request = cli_select_request(r->cli, r->system);
    note_unreached(r);
    if (!select_devices(r->cli->arena, &request, &r->devices, err))
        return false;
    note_no_gpu(r);
    r->desc.devices = &r->devices;
    r->desc.choices.system = r->system;
    return true;
}

// ---------------------------------------------------------------- measuring and output

static int exit_status(const struct run *run, bool strict)
{
    const struct run_counts counts = run_count(run, NULL, NULL);
    for (size_t i = 0; i < run->finding_count; i++)
        if (strcmp(run->findings[i].code, CLOCK_STAYS_LOCKED) == 0)
            return EXIT_CASE_FAILED;
    if (run->status == RUN_INTERRUPTED)
        return EXIT_INTERRUPTED;
    if (counts.of[VERDICT_FAILED] || (strict && counts.of[VERDICT_OK] < counts.all))
        return EXIT_CASE_FAILED;
    return counts.measured ? EXIT_MEASURED : EXIT_NO_MEASUREMENT;
}

// Prints `text`, if tables may be printed, and destroys it. Waits if the standard output is a full
// pipe; if a signal comes meanwhile, drops this text and all later ones.
static void print(struct running *r, struct text_stream *text)
{
    text_stream_close(text);
    fflush(r->cli->out);
    if (!r->unread && cli_shows_tables(r->cli->options))
        r->unread = !terminal_write(r->cli->out, text->text, text->bytes, &r->interrupt);
    free(text->text);
}

// True if the file of -o has all results.
static bool is_saved(const struct running *r)
{
    return r->desc.output && r->unsaved.code == ERROR_NONE;
}

// Wipes the lines that are redrawn during the run. Must be called before other text is printed.
static void wipe(struct running *r)
{
    progress_wipe(&r->progress);
    live_text_wipe(&r->card);
}

static void show_head(void *context)
{
    struct running *r = context;
    struct text_stream text;
    text_stream_open(&text);
    console_head(r->run, &r->console, text.file);
    print(r, &text);
}

// Draws the summary card of a device with the figures that are known at present.
static void show_card(void *context, const char *device)
{
    struct running *r = context;
    struct text_stream text;
    struct card card;
    struct arena *arena = arena_create();
    card_build(arena, r->run, device, known_cards_builtin(arena), &card);
    text_stream_open(&text);
    console_card(&card, &r->console, text.file);
    text_stream_close(&text);
    progress_wipe(&r->progress);
    live_text_draw(&r->card, text.text);
    free(text.text);
    arena_destroy(arena);
}

// Prints the tables of a benchmark as soon as its results are final.
static void show_benchmark(void *context, const char *device, const char *benchmark)
{
    struct running *r = context;
    struct text_stream text;
    wipe(r);
    text_stream_open(&text);
    console_benchmark(r->run, device, benchmark, &r->console, text.file);
    print(r, &text);
}

static void show_progress(void *context, const struct schedule_state *state, size_t device,
                          size_t devices)
{
    struct running *r = context;
    progress_draw(&r->progress, state, device, devices);
}

// Prints which device an interrupted run is still waiting for.
static void show_waiting(void *context, const char *device)
{
    struct running *r = context;
    wipe(r);
    fprintf(r->cli->err,
            "fathom: waiting for %s to end its work, at most %d s: a second Ctrl-C ends it now\n",
            device, EXECUTOR_LEAVE_S);
}

static void show_notice(void *context, const char *text)
{
    struct running *r = context;
    wipe(r);
    fprintf(r->cli->err, "fathom: note: %s\n", text);
}

// Prepares the progress line, the summary card and the functions that the runner calls.
static void prepare_showing(struct running *r)
{
    const struct cli *cli = r->cli;
    bool tables = options_has(cli->options, OPTION_TABLES);
    bool quiet = options_has(cli->options, OPTION_QUIET);
    bool live = !quiet && !tables && !r->measuring->draw && terminal_is(cli->out);
    progress_init(&r->progress, cli->err);
    live_text_init(&r->card, cli->err);
    r->console = terminal_console(cli->out);
    r->desc.starting = show_head;
    r->desc.notice = show_notice;
    r->desc.waiting = show_waiting;
    r->desc.progress = quiet ? NULL : show_progress;
    r->desc.benchmark_done = tables ? show_benchmark : NULL;
    r->desc.refresh = live ? show_card : NULL;
    r->desc.context = r;
}

static bool measure(struct running *r, struct error *err)
{
    static const char *const worker[] = {"/proc/self/exe", "__worker", NULL};
    static const char *const guard[] = {"/proc/self/exe", "__guard", NULL};
    const struct cli *cli = r->cli;
    prepare_showing(r);
    r->desc.worker_argv = worker;
    r->desc.guard_argv = guard;
    r->desc.worker_environment = cli->environment;
    r->desc.interrupt = &r->interrupt;
    uint64_t start_ns = clock_now_ns();
    runner_describe(r->run, &r->desc, cli->argc,
                    options_recorded(cli->arena, cli->argc, cli->argv, cli->options));
    bool done = runner_run(r->run, &r->desc, &r->unsaved, err);
    wipe(r);
    if (done && !is_saved(r) && !options_has(cli->options, OPTION_JSON))
        r->kept = state_keep(cli->arena, r->run);
    r->console.elapsed_s = (double)(clock_now_ns() - start_ns) / 1e9;
    return done;
}

// Writes the outputs of the options, except the run file of -o. Returns false if an output or the
// run file could not be written; the error has all messages.
static bool save(struct running *r, struct error *err)
{
    struct error unsaved = r->unsaved, forms, json;
    if (unsaved.code != ERROR_NONE && r->kept)
        error_prefix(&unsaved, "the results are in %s instead of the run file", r->kept);
    else if (unsaved.code != ERROR_NONE)
        error_prefix(&unsaved, "the results are not in the run file");
    *err = unsaved;
    if (!cli_forms_save(r->cli, r->run, &forms))
        error_add(err, &forms);
    if (options_has(r->cli->options, OPTION_JSON) && !run_save(r->run, "-", &json)) {
        if (!is_saved(r))
            r->kept = state_keep(r->cli->arena, r->run);
        if (r->kept)
            error_prefix(&json, "the results are in %s instead", r->kept);
        error_add(err, &json);
    }
    return err->code == ERROR_NONE;
}

// Prints the headlines and the summary or, with --tables, what follows the tables (console_end).
// Then prints the summary cards.
static void show_result(const struct running *r, FILE *out)
{
    const struct run *run = r->run;
    struct arena *arena = r->cli->arena;
    struct card *cards = ARENA_ARRAY(arena, run->device_count, struct card);
    for (size_t i = 0; i < run->device_count; i++)
        card_build(arena, run, run->devices[i].id, known_cards_builtin(arena), &cards[i]);
    if (!options_has(r->cli->options, OPTION_TABLES)) {
        for (size_t i = 0; i < run->device_count; i++)
            console_headlines(&cards[i], &r->console, out);
        fputc('\n', out);
        console_summary(run, &r->console, out);
    } else {
        console_end(run, &r->console, out);
    }
    for (size_t i = 0; i < run->device_count; i++)
        if (cards[i].count > 0) {
            fputc('\n', out);
            console_card(&cards[i], &r->console, out);
        }
    if (options_has(r->cli->options, OPTION_TABLES))
        return;
    if (!is_saved(r) && !r->kept)
        fputs("\nThis run is kept nowhere; -o RUN.json keeps one.", out);
    fputs("\nEvery table and finding: ", out);
    if (is_saved(r))
        fprintf(out, "fathom show %s\n", r->desc.output);
    else
        fputs(r->kept ? "fathom show\n" : "fathom run --tables\n", out);
}

// Always fails. If the results of the interrupted run were saved, the error says where.
static bool fail_interrupted(const struct running *r, struct error *err)
{
    const char *file = r->desc.output;
    if (file)
        return error_set(err, ERROR_INTERRUPTED, "interrupted; what was measured is in %s",
                         file_save_is_standard(file) ? "the standard output" : file);
    return error_set(err, ERROR_INTERRUPTED, "interrupted%s",
                     r->kept ? "; `fathom show` prints what was measured" : "");
}

static bool tell_end(struct running *r, struct error *err)
{
    struct text_stream text;
    text_stream_open(&text);
    if (r->measuring->draw) {
        r->measuring->draw(r->run, text.file);
        console_end(r->run, &r->console, text.file);
    } else {
        show_result(r, text.file);
    }
    print(r, &text);
    if (is_saved(r) && cli_shows_tables(r->cli->options) && terminal_is(r->cli->out))
        fprintf(r->cli->out, "Run file: %s\n", r->desc.output);
    if (!save(r, err))
        return false;
    r->cli->status = exit_status(r->run, options_has(r->cli->options, OPTION_STRICT));
    return (r->cli->status != EXIT_INTERRUPTED && !r->unread) || fail_interrupted(r, err);
}

// Measures, prints the results and saves them, as the options say.
static bool measure_all(struct cli *cli, const struct measuring *measuring, struct error *err)
{
    struct running running = {.cli = cli, .measuring = measuring};
    running.desc.plan = measuring->plan;
    if (!read_request(&running, err) || !cli_output_check(cli->options, OPTION_OUTPUT, err) ||
        !cli_forms_check(cli->options, err) ||
        (options_has(cli->options, OPTION_JSON) && !file_save_check("-", err)))
        return false;
    // Signals are blocked before drivers start threads (--no-isolate), so that these threads block
    // them, too. In a thread that does not block it, a signal would end the process.
    if (!interrupt_init(&running.interrupt, err))
        return false;
    running.run = run_create();
    running.system = cli_system_create(cli, err);
    interrupt_watch(&running.interrupt);
    bool done = running.system && choose_devices(&running, err) && measure(&running, err) &&
                tell_end(&running, err);
    interrupt_fini(&running.interrupt);
    cli_system_destroy(cli, running.system);
    run_destroy(running.run);
    return done;
}

// `fathom map` works like `run`, but has its own plan and draws the memory hierarchy as a picture.
bool command_map(struct cli *cli, struct error *err)
{
    const struct measuring map = {.benchmarks = map_benchmarks,
                                  .preset = "map",
                                  .check = map_settings_check,
                                  .plan = map_plan_create,
                                  .draw = console_map};
    return measure_all(cli, &map, err);
}

bool command_run(struct cli *cli, struct error *err)
{
    const struct measuring presets = {
        .preset = PRESET_DEFAULT, .check = choices_check, .plan = plan_preset_create};
    return measure_all(cli, &presets, err);
}
