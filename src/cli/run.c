// SPDX-License-Identifier: MIT
#include "base/clock.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/progress.h"
#include "gpu/backend.h"
#include "suite/runner.h"

#include <string.h>
#include <unistd.h>

// What a run needs from its start to its end.
struct running {
    struct cli *cli;
    struct gpu_system *system;
    struct run *run;
    struct device_list devices;
    struct runner_desc desc;
};

// ---------------------------------------------------------------- from options to a request

static bool read_benchmarks(struct running *r, struct error *err)
{
    const struct options *options = r->cli->options;
    size_t count = 0;
    while (benchmarks[count])
        count++;
    const struct benchmark **chosen =
        ARENA_ARRAY(r->cli->arena, count + options->operand_count, const struct benchmark *);
    size_t chosen_count = 0;
    for (size_t i = 0; i < options->operand_count; i++)
        if (!cli_find_benchmark(r->cli, options->operands[i], &chosen[chosen_count++], err))
            return false;
    if (options->operand_count == 0)
        while (chosen_count < count) {
            chosen[chosen_count] = benchmarks[chosen_count];
            chosen_count++;
        }
    r->desc.choices.benchmarks = chosen;
    r->desc.choices.benchmark_count = chosen_count;
    return true;
}

static bool read_settings(struct running *r, struct error *err)
{
    struct arena *arena = r->cli->arena;
    const char **texts;
    size_t count = options_values(arena, r->cli->options, OPTION_SET, &texts);
    struct setting *settings = ARENA_ARRAY(arena, count, struct setting);
    for (size_t i = 0; i < count; i++)
        if (!setting_parse(arena, texts[i], &settings[i], err))
            return false;
    const char *preset = options_value(r->cli->options, OPTION_PRESET);
    r->desc.choices.preset = preset ? preset : PRESET_DEFAULT;
    r->desc.choices.settings = settings;
    r->desc.choices.setting_count = count;
    return choices_check(arena, &r->desc.choices, err);
}

static bool read_number(const struct options *options, enum option_id id, uint64_t limit,
                        uint64_t *value, struct error *err)
{
    const char *text = options_value(options, id);
    if (!text || (text_parse_uint(text, value) && *value > 0 && *value <= limit))
        return true;
    return error_set(err, ERROR_USAGE, "--%s %s: expected a whole number from 1 to %llu",
                     option_table[id].name, text, (unsigned long long)limit);
}

static bool read_request(struct running *r, struct error *err)
{
    const struct options *options = r->cli->options;
    // Enough to tell runs apart; short, because people type it again.
    r->desc.seed = 1 + (clock_now_ns() / 1000 ^ (uint64_t)getpid() << 8) % 1000000;
    uint64_t silence_s = 0;
    if (!read_number(options, OPTION_SEED, UINT64_C(1) << 52, &r->desc.seed, err) ||
        !read_number(options, OPTION_SILENCE, 86400, &silence_s, err))
        return false;
    r->desc.silence_ns = silence_s * NS_PER_S;
    r->desc.output = options_value(options, OPTION_OUTPUT);
    r->desc.in_process = options_has(options, OPTION_NO_ISOLATE);
    r->desc.validation = cli_validation();
    return read_benchmarks(r, err) && read_settings(r, err);
}

// ---------------------------------------------------------------- devices

static bool api_check(struct cli *cli, const char *api, struct error *err)
{
    if (!api || strcmp(api, "all") == 0)
        return true;
    struct text_guess guess = {.typed = api};
    for (size_t i = 0; gpu_backends[i]; i++) {
        if (strcmp(gpu_backends[i]->name, api) == 0)
            return true;
        text_guess_offer(&guess, gpu_backends[i]->name);
    }
    return error_set(err, ERROR_USAGE, "--api %s: no such API%s", api,
                     text_guess_hint(cli->arena, &guess));
}

// A GPU that nobody reaches must not be replaced by a CPU without a word.
static void note_unreached(struct running *r)
{
    struct unreached_gpu *gpus;
    size_t count = select_unreached(r->cli->arena, r->system, "", &gpus);
    for (size_t i = 0; i < count; i++) {
        struct finding *finding = run_add_finding(r->run);
        finding->code = "unreached-gpu";
        finding->text = arena_printf(r->run->arena, "%s is there, but no API reaches it: %s",
                                     gpus[i].text, gpus[i].remedy);
        fprintf(r->cli->err, "fathom: note: %s\n", finding->text);
    }
}

static bool choose_devices(struct running *r, struct error *err)
{
    struct cli *cli = r->cli;
    const char **names;
    struct select_request request = {.system = r->system,
                                     .api = options_value(cli->options, OPTION_API)};
    request.name_count = options_values(cli->arena, cli->options, OPTION_DEVICE, &names);
    request.names = names;
    note_unreached(r);
    if (!select_devices(cli->arena, &request, &r->devices, err))
        return false;
    r->desc.devices = &r->devices;
    return true;
}

// ---------------------------------------------------------------- measuring and telling

static int exit_status(const struct run *run, bool strict)
{
    size_t counts[VERDICT_FAILED + 1] = {0};
    for (size_t i = 0; i < run->result_count; i++)
        counts[run->results[i]->verdict]++;
    if (run->status == RUN_INTERRUPTED)
        return EXIT_INTERRUPTED;
    if (counts[VERDICT_FAILED] || (strict && counts[VERDICT_SUSPECT] + counts[VERDICT_SKIPPED]))
        return EXIT_CASE_FAILED;
    return counts[VERDICT_OK] + counts[VERDICT_SUSPECT] ? EXIT_MEASURED : EXIT_NO_MEASUREMENT;
}

static bool measure(struct running *r, struct error *err)
{
    static const char *const worker[] = {"/proc/self/exe", "__worker", NULL};
    struct interrupt interrupt;
    struct progress progress;
    if (!interrupt_init(&interrupt, err))
        return false;
    progress_init(&progress, r->cli->err);
    r->desc.worker_argv = worker;
    r->desc.interrupt = &interrupt;
    r->desc.progress = progress.out ? progress_draw : NULL;
    r->desc.context = &progress;
    runner_describe(r->run, &r->desc, r->cli->argc, r->cli->argv);
    bool done = runner_run(r->run, &r->desc, err);
    progress_fini(&progress);
    interrupt_fini(&interrupt);
    return done;
}

static void write_result(FILE *out, const struct result *result)
{
    char value[32], low[32], high[32];
    fprintf(out, "%-9s %s %s", verdict_name(result->verdict), result->device, result->key);
    for (size_t i = 0; i < result->metric_count; i++) {
        const struct metric *metric = &result->metrics[i];
        fprintf(out, "  %s %s [%s, %s]", metric->name,
                unit_format(metric->median, metric->unit, value, sizeof value),
                unit_format(metric->ci95[0], metric->unit, low, sizeof low),
                unit_format(metric->ci95[1], metric->unit, high, sizeof high));
    }
    fputc('\n', out);
    for (size_t i = 0; i < result->reason_count; i++)
        fprintf(out, "          %s: %s\n", result->reasons[i].code, result->reasons[i].text);
}

static bool tell(struct running *r, struct error *err)
{
    const struct run *run = r->run;
    for (size_t i = 0; i < run->result_count; i++)
        write_result(r->cli->out, run->results[i]);
    if (r->desc.output && isatty(fileno(r->cli->out)))
        fprintf(r->cli->out, "Run file: %s\n", r->desc.output);
    r->cli->status = exit_status(run, options_has(r->cli->options, OPTION_STRICT));
    if (r->cli->status == EXIT_INTERRUPTED)
        return error_set(err, ERROR_INTERRUPTED, "interrupted%s%s",
                         r->desc.output ? "; what was measured is in " : "",
                         r->desc.output ? r->desc.output : "");
    return true;
}

bool command_run(struct cli *cli, struct error *err)
{
    struct running running = {.cli = cli};
    if (!read_request(&running, err) ||
        !api_check(cli, options_value(cli->options, OPTION_API), err))
        return false;
    running.run = run_create();
    running.system = cli_system_create(NULL);
    bool done = choose_devices(&running, err) && measure(&running, err) && tell(&running, err);
    gpu_system_destroy(running.system);
    run_destroy(running.run);
    return done;
}
