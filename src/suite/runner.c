// SPDX-License-Identifier: MIT
#include "suite/runner.h"

#include "analysis/audit.h"
#include "analysis/cross.h"
#include "base/clock.h"
#include "base/text.h"
#include "base/version.h"
#include "measure/limits.h"
#include "results/json.h"
#include "results/save.h"
#include "suite/clock_lock.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

static const uint64_t save_ns = NS_PER_S;

enum {
    HOST_ENTRIES_MAX = 8,
    WORKER_ARGS_MAX = 16,
    // a worker is assumed to hang if it is silent for this many times budget.timeout_ns
    SILENT_WAITS = 6
};

struct runner {
    const struct runner_desc *desc;
    struct run *run;
    struct arena *arena;
    struct device_slot *slots; // devices of the run, with their plans and executors
    // Clock lock of each device; NULL if the device's plan asks for no core clock.
    struct clock_lock **clocks;
    size_t device; // index of the device that is being measured
    struct error *unsaved;
    // Identity of the run that was in the file desc->output at the start, or that this process
    // saved last. "" if the file has no run, NULL if the run is not known.
    const char *in_file;
};

// ---------------------------------------------------------------- the head of the run

static void add_host(struct run *run, const char *name, const char *text)
{
    if (text && *text)
        run->host[run->host_count++] = (struct named_text){.name = name, .text = text};
}

static const char *read_field(struct arena *arena, const char *path, const char *key)
{
    char field[256];
    return text_read_field(field, sizeof field, key, "%s", path) ? arena_strdup(arena, field)
                                                                 : NULL;
}

static const char *number(struct arena *arena, long value)
{
    return value > 0 ? arena_printf(arena, "%ld", value) : NULL;
}

// Describes the host: system, kernel, CPU and memory. No entry identifies the machine's owner.
static void describe_host(struct run *run)
{
    struct arena *arena = run->arena;
    struct utsname names;
    run->host = ARENA_ARRAY(arena, HOST_ENTRIES_MAX, struct named_text);
    run->host_count = 0;
    add_host(run, "os", read_field(arena, "/etc/os-release", "PRETTY_NAME"));
    if (uname(&names) == 0) {
        add_host(run, "kernel", arena_printf(arena, "%s %s", names.sysname, names.release));
        add_host(run, "architecture", arena_strdup(arena, names.machine));
    }
    add_host(run, "cpu", read_field(arena, "/proc/cpuinfo", "model name"));
    add_host(run, "cpu_threads", number(arena, sysconf(_SC_NPROCESSORS_ONLN)));
    add_host(run, "memory", read_field(arena, "/proc/meminfo", "MemTotal"));
}

static const char *utc_now(struct arena *arena)
{
    char text[sizeof "2026-01-31T12:00:00Z"];
    time_t now = time(NULL);
    struct tm utc;
    if (!gmtime_r(&now, &utc) || strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc) == 0)
        return "1970-01-01T00:00:00Z";
    return arena_strdup(arena, text);
}

static enum unit limit_unit(const char *name)
{
    const char *end = strrchr(name, '_');
    if (end && strcmp(end, "_bytes") == 0)
        return UNIT_BYTE;
    return end && strcmp(end, "_hz") == 0 ? UNIT_HZ : UNIT_NONE;
}

static void describe_device(struct run *run, const struct gpu_info *info)
{
    struct arena *arena = run->arena;
    struct run_device *device = run_add_device(run);
    struct measure_limits limits;
    measure_limits_of(info, &limits);
    device->id = arena_strdup(arena, info->id);
    device->name = arena_strdup(arena, info->name);
    device->vendor = arena_strdup(arena, info->vendor);
    device->driver = arena_strdup(arena, info->driver);
    device->api_version = arena_strdup(arena, info->api_version);
    device->kind = gpu_kind_name(info->kind);
    device->architecture = limits.architecture;
    device->uuid = gpu_info_uuid(arena, info);
    device->pci = select_pci(arena, info);
    unsigned count = 0;
    while (gpu_limit_name(count))
        count++;
    device->limits = ARENA_ARRAY(arena, count, struct named_number);
    for (unsigned i = 0; i < count; i++) {
        uint64_t value = gpu_limit_value(&info->limits, i);
        if (value) // the API reports 0 for a limit that it does not know
            device->limits[device->limit_count++] =
                (struct named_number){.name = gpu_limit_name(i),
                                      .unit = limit_unit(gpu_limit_name(i)),
                                      .value = (double)value};
    }
}

void runner_describe(struct run *run, const struct runner_desc *desc, int argc, char **argv)
{
    run->status = RUN_RUNNING;
    run->tool_version = fathom_version.version;
    run->tool_commit = fathom_version.commit;
    run->tool_build = fathom_version.build;
    run->started = utc_now(run->arena);
    run->preset = desc->choices.preset;
    run->seed = desc->seed;
    run->command = ARENA_ARRAY(run->arena, (size_t)argc, const char *);
    for (int i = 0; i < argc; i++)
        run->command[run->command_count++] = arena_strdup(run->arena, argv[i]);
    describe_host(run);
    for (size_t i = 0; i < desc->devices->count; i++)
        describe_device(run, desc->devices->devices[i]);
    for (size_t i = 0; i < desc->choices.benchmark_count; i++)
        run_add_benchmark(run, &desc->choices.benchmarks[i]->info);
}

// ---------------------------------------------------------------- measuring the devices

static bool saves_often(const struct runner *runner)
{
    return runner->desc->output && file_save_replaces(runner->desc->output);
}

// Returns a text that identifies a run: its start and its seed.
static const char *identity_of(struct arena *arena, const struct run *run)
{
    return arena_printf(arena, "%s %llu", run->started ? run->started : "",
                        (unsigned long long)run->seed);
}

// Returns the identity of the run in the file desc->output; "" if there is no such run, NULL if the
// file cannot be read.
static const char *run_in_file(const struct runner *runner)
{
    struct error err;
    if (!saves_often(runner) || access(runner->desc->output, F_OK) != 0)
        return "";
    struct run *run = run_read_head(runner->desc->output, &err);
    const char *identity = run                       ? identity_of(runner->arena, run)
                           : err.code == ERROR_USAGE ? ""
                                                     : NULL;
    run_destroy(run);
    return identity;
}

// Fails if another process has written its run into the file since this process last read or wrote
// the file. The run of that process must not be lost.
static bool check_writer(const struct runner *runner, struct error *err)
{
    const char *before = runner->in_file, *now = run_in_file(runner);
    return !before || !now || !*now || strcmp(now, before) == 0 ||
           error_set(err, ERROR_IO, "another fathom has written its run to %s: name another file",
                     runner->desc->output);
}

// Saves the run if desc->output is set. The run goes on after a failure, because the next save may
// succeed, for example when the disk has room again. `unsaved` has the error of the last save only.
static void save(void *context)
{
    struct runner *runner = context;
    if (!runner->desc->output) {
        runner->unsaved->code = ERROR_NONE;
    } else if (check_writer(runner, runner->unsaved) &&
               run_save(runner->run, runner->desc->output, runner->unsaved)) {
        runner->unsaved->code = ERROR_NONE;
        runner->in_file = identity_of(runner->arena, runner->run);
    }
}

static void save_and_refresh(void *context)
{
    const struct runner *runner = context;
    if (saves_often(runner))
        save(context);
    if (runner->desc->refresh)
        runner->desc->refresh(runner->desc->context,
                              runner->desc->devices->devices[runner->device]->id);
}

static void progress(void *context, const struct schedule_state *state)
{
    const struct runner *runner = context;
    runner->desc->progress(runner->desc->context, state, runner->device,
                           runner->desc->devices->count);
}

static void benchmark_done(void *context, const char *device, const char *benchmark)
{
    const struct runner *runner = context;
    runner->desc->benchmark_done(runner->desc->context, device, benchmark);
}

static void notice(void *context, const char *text)
{
    const struct runner *runner = context;
    runner->desc->notice(runner->desc->context, text);
}

const char *const *runner_worker_argv(struct arena *arena, const char *const *command,
                                      const struct gpu_system *system, const struct gpu_info *own)
{
    size_t devices = system ? gpu_system_device_count(system) : 0, count = 0;
    const char **argv = ARENA_ARRAY(arena, WORKER_ARGS_MAX + 2 * (devices + 1) + 1, const char *);
    while (command && command[count] && count < WORKER_ARGS_MAX) {
        argv[count] = command[count];
        count++;
    }
    argv[count++] = "-d";
    argv[count++] = gpu_info_identity(arena, own);
    for (size_t i = 0; i < devices; i++) {
        const struct gpu_info *other = gpu_system_info(system, i);
        if (other == own || strcmp(other->api, own->api) != 0)
            continue;
        argv[count++] = "-d";
        argv[count++] = gpu_info_identity(arena, other);
    }
    return argv;
}

static void budget_for(const struct runner *runner, const struct gpu_info *device,
                       struct budget *budget)
{
    uint64_t most_ns = runner->desc->time_most_ns;
    budget_of(runner->desc->choices.preset, device, budget);
    if (!most_ns || !budget->time_most_ns || budget->time_most_ns <= most_ns)
        return;
    budget->time_ns = most_ns * budget->time_ns / budget->time_most_ns;
    budget->time_most_ns = most_ns;
}

static struct executor *make_executor(struct runner *runner, size_t index)
{
    const struct runner_desc *desc = runner->desc;
    const struct gpu_info *device = desc->devices->devices[index];
    struct budget budget;
    budget_for(runner, device, &budget);
    return executor_create(
        runner->arena,
        &(struct executor_desc){
            .device_id = device->id,
            .in_process = desc->in_process,
            .family_pid = desc->family_pid,
            .worker_argv =
                runner_worker_argv(runner->arena, desc->worker_argv, desc->choices.system, device),
            .worker_environment = desc->worker_environment,
            .silence_ns = desc->silence_ns ? desc->silence_ns : SILENT_WAITS * budget.timeout_ns,
            .validation = desc->validation,
            .interrupt = desc->interrupt,
            .waiting = desc->waiting,
            .context = desc->context,
            .clocks = runner->clocks[index],
        });
}

// Measures the plan of the current device. Later devices may take part in its co-runs, but not with
// --no-isolate.
static bool run_device(struct runner *runner)
{
    const struct runner_desc *desc = runner->desc;
    struct device_slot *slot = &runner->slots[runner->device];
    size_t left = desc->in_process ? 1 : desc->devices->count - runner->device;
    struct budget budget;
    budget_for(runner, slot->device, &budget);
    const struct schedule_desc schedule = {
        .run = runner->run,
        .slots = slot,
        .slot_count = left < 1 + PLAN_PEERS_MAX ? left : 1 + PLAN_PEERS_MAX,
        .budget = &budget,
        .preset = desc->choices.preset,
        .seed = desc->seed + runner->device,
        .interrupt = desc->interrupt,
        .counting = desc->counting,
        .wait_idle_ns = desc->wait_idle_ns,
        .notice = desc->notice ? notice : NULL,
        .progress = desc->progress ? progress : NULL,
        .save = saves_often(runner) || desc->refresh ? save_and_refresh : NULL,
        .save_ns = save_ns,
        .benchmark_done = desc->benchmark_done ? benchmark_done : NULL,
        .context = runner,
    };
    bool done = schedule_run(&schedule);
    executor_destroy(slot->executor);
    clock_lock_end(runner->clocks[runner->device], runner->run);
    if (slot->plan->conclude)
        slot->plan->conclude(slot->plan, runner->run);
    return done;
}

// Lets each benchmark add its findings about each device, when all results are final.
static void conclude(const struct runner *runner)
{
    const struct choice_request *choices = &runner->desc->choices;
    for (size_t b = 0; b < choices->benchmark_count; b++)
        for (size_t d = 0; choices->benchmarks[b]->conclude && d < runner->run->device_count; d++)
            choices->benchmarks[b]->conclude(runner->run, runner->run->devices[d].id);
}

static void measure(struct runner *runner)
{
    const struct device_list *devices = runner->desc->devices;
    bool done = true;
    for (size_t i = 0; i < devices->count; i++)
        runner->slots[i].executor = make_executor(runner, i);
    for (; done && runner->device < runner->desc->devices->count; runner->device++)
        done = run_device(runner);
    for (size_t i = runner->device; i < devices->count; i++)
        executor_destroy(runner->slots[i].executor);
    runner->run->status = done ? RUN_COMPLETE : RUN_INTERRUPTED;
    conclude(runner);
    cross_add_findings(runner->run);
    audit_add_findings(runner->run);
    for (size_t d = 0; d < runner->run->device_count; d++)
        hits_add_findings(runner->run, runner->run->devices[d].id);
    save(runner);
}

// Makes a plan for each device, and a clock lock for each plan that asks for core clocks. Counts
// the known cases.
static bool make_plans(struct runner *runner, size_t *cases, struct error *err)
{
    const struct runner_desc *desc = runner->desc;
    runner->slots = ARENA_ARRAY(runner->arena, desc->devices->count, struct device_slot);
    runner->clocks = ARENA_ARRAY(runner->arena, desc->devices->count, struct clock_lock *);
    for (size_t i = 0; i < desc->devices->count; i++) {
        const struct gpu_info *device = desc->devices->devices[i];
        struct plan *plan = desc->plan(runner->arena, &desc->choices, device, runner->run, err);
        if (!plan)
            return false;
        runner->slots[i] = (struct device_slot){.device = device, .plan = plan};
        *cases += plan->total;
        if (plan->clock_count == 0)
            continue;
        runner->clocks[i] =
            clock_lock_create(runner->arena,
                              &(struct clock_lock_desc){.device = device,
                                                        .hz = plan->clocks_hz,
                                                        .count = plan->clock_count,
                                                        .guard_argv = desc->guard_argv,
                                                        .environment = desc->worker_environment},
                              err);
        if (!runner->clocks[i])
            return false;
    }
    return true;
}

static void end_clocks(const struct runner *runner)
{
    for (size_t i = 0; i < runner->desc->devices->count; i++)
        clock_lock_end(runner->clocks[i], NULL);
}

bool runner_run(struct run *run, const struct runner_desc *desc, struct error *unsaved,
                struct error *err)
{
    *unsaved = (struct error){.code = ERROR_NONE};
    if (desc->output && !file_save_check(desc->output, err))
        return false;
    struct runner runner = {.desc = desc, .run = run, .arena = run->arena, .unsaved = unsaved};
    runner.in_file = run_in_file(&runner);
    size_t cases = 0;
    bool planned = make_plans(&runner, &cases, err);
    if (planned && cases == 0)
        planned = error_set(err, ERROR_NO_DEVICE,
                            "no case to measure on %s: `fathom list` shows "
                            "what there is, --set chooses other values",
                            desc->devices->devices[0]->id);
    if (!planned) {
        end_clocks(&runner);
        return false;
    }
    if (desc->starting)
        desc->starting(desc->context);
    measure(&runner);
    // after an interrupt, some devices were not measured, and their guard processes still run
    end_clocks(&runner);
    return true;
}
