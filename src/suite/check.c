// SPDX-License-Identifier: MIT
#include "suite/check.h"

#include "base/child.h"
#include "base/clock.h"
#include "results/json.h"
#include "suite/runner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct checking {
    const struct check_desc *desc;
    struct run *run;
    struct check_parts *parts;
    // children[i]: process that measures device i; NULL if no such process runs.
    struct child *children[CHECK_DEVICES_MAX];
    // waiting[i]: process of device i that waits to send the card's state once more, or NULL
    struct child *waiting[CHECK_DEVICES_MAX];
    // silent_until_ns[i]: time at which the process of device i is ended, unless it sends a line
    // earlier
    uint64_t silent_until_ns[CHECK_DEVICES_MAX];
    const struct gpu_info *infos[CHECK_DEVICES_MAX];
    size_t count;
    uint64_t planned_ns; // time at which the check should end
};

// ---------------------------------------------------------------- processes of the devices

static void break_check(struct checking *c, size_t i, enum check_code code, const char *cause)
{
    struct check *check = &c->run->checks[i];
    check->verdict = CHECK_BROKEN;
    check->code = code;
    check->cause = cause;
    child_destroy(c->children[i], 0);
    c->children[i] = NULL;
}

static void start(struct checking *c, size_t i)
{
    struct error err;
    const struct child_desc desc = {
        .argv = runner_worker_argv(c->run->arena, c->desc->argv, c->desc->system, c->infos[i]),
        .environment = c->desc->environment,
    };
    c->children[i] = child_create(&desc, &err);
    if (!c->children[i])
        c->run->checks[i].cause = arena_strdup(c->run->arena, err.message);
}

// Takes the run that a device's process sent. If the run is COMPLETE, ends the process; if several
// devices will be measured at once, lets the process wait instead.
static void take_line(struct checking *c, size_t i, const char *line)
{
    struct error err;
    struct run *sent = run_read_text(line, strlen(line), "the process of a device", &err);
    if (!sent || sent->check_count != 1) {
        run_destroy(sent);
        break_check(c, i, CHECK_LOST, "its process sent what is no run");
        return;
    }
    run_destroy(c->parts->runs[i]);
    c->parts->runs[i] = sent;
    c->silent_until_ns[i] = clock_deadline_ns(c->desc->silence_ns);
    if (sent->status != RUN_COMPLETE)
        return;
    if (c->desc->worker_argv)
        c->waiting[i] = c->children[i];
    else
        // kills the process, because a driver may crash or hang while it is unloaded
        child_destroy(c->children[i], 0);
    c->children[i] = NULL;
}

static void take_end(struct checking *c, size_t i)
{
    break_check(c, i, CHECK_LOST,
                arena_printf(c->run->arena, "the process that measured it died: %s",
                             child_end_text(c->children[i])));
}

// Ends the processes that were silent for too long; after deadline_ns, ends all processes. Returns
// the number of processes that still run. Sets *next_ns to the time when the next process must be
// ended.
static size_t end_late(struct checking *c, uint64_t deadline_ns, uint64_t *next_ns)
{
    size_t left = 0;
    *next_ns = deadline_ns;
    for (size_t i = 0; i < c->count; i++) {
        uint64_t until_ns =
            c->silent_until_ns[i] < deadline_ns ? c->silent_until_ns[i] : deadline_ns;
        if (c->children[i] && clock_left_ns(until_ns) == 0)
            break_check(c, i, CHECK_HUNG, "no answer in time: the device or its driver hangs");
        left += c->children[i] != NULL;
        if (c->children[i] && until_ns < *next_ns)
            *next_ns = until_ns;
    }
    return left;
}

// Receives lines from the processes until no process measures any more; returns false after a
// signal.
static bool receive_all(struct checking *c, uint64_t deadline_ns)
{
    struct interrupt *interrupt = c->desc->interrupt;
    uint64_t next_ns;
    while (end_late(c, deadline_ns, &next_ns)) {
        size_t from;
        const char *line;
        if (interrupt_count(interrupt) > 0)
            return false;
        switch (child_receive_any(c->children, c->count, clock_left_ns(next_ns),
                                  interrupt ? interrupt->fd : -1, &from, &line)) {
        case CHILD_LINE:
            take_line(c, from, line);
            break;
        case CHILD_GONE:
            take_end(c, from);
            break;
        case CHILD_MALFORMED:
            break_check(c, from, CHECK_LOST, "its process sent what is no run");
            break;
        case CHILD_TIMEOUT:
        case CHILD_WOKEN:
            break;
        }
    }
    return true;
}

// ---------------------------------------------------------------- several devices at once

// Returns the devices to measure together: the devices that work, if at least two do.
static struct device_list working(const struct checking *c)
{
    struct device_list list = {.devices =
                                   ARENA_ARRAY(c->run->arena, c->count, const struct gpu_info *)};
    for (size_t i = 0; i < c->count; i++)
        if (c->run->checks[i].verdict != CHECK_BROKEN && c->parts->runs[i])
            list.devices[list.count++] = c->infos[i];
    list.count = list.count > 1 ? list.count : 0;
    return list;
}

// Sets limits for measuring several devices at once. Each benchmark gets the time until the planned
// end of the check, but at least 1 s. Returns false if too little time is left until deadline_ns.
static bool set_limits(const struct checking *c, uint64_t deadline_ns, struct runner_desc *runner)
{
    static const uint64_t start_ns = CHECK_START_S * NS_PER_S;
    uint64_t planned_ns = clock_left_ns(c->planned_ns), left_ns = clock_left_ns(deadline_ns);
    runner->time_most_ns = planned_ns > start_ns + NS_PER_S ? planned_ns - start_ns : NS_PER_S;
    // A worker that hangs uses up the benchmark's time, so usually no other case is measured.
    runner->silence_ns = c->desc->silence_ns < left_ns / 2 ? c->desc->silence_ns : left_ns / 2;
    return (double)left_ns > 2 * NS_PER_S * check_plan_s(2, CHECK_AT_ONCE);
}

// Measures several devices at the same time, a worker for each; returns false after a signal.
static bool measure_at_once(struct checking *c, uint64_t deadline_ns)
{
    struct error unsaved, err;
    const struct device_list list = working(c);
    if (!c->desc->worker_argv || list.count == 0)
        return true;
    struct runner_desc runner = {
        .devices = &list,
        .choices = {.system = c->desc->system},
        .worker_argv = c->desc->worker_argv,
        .worker_environment = c->desc->environment,
        .seed = clock_now_ns() % 1000000,
        .plan = check_plan_at_once,
        .interrupt = c->desc->interrupt,
    };
    if (!set_limits(c, deadline_ns, &runner)) {
        run_add_note(c->run, "left-out", NULL,
                     "no time was left to measure several devices at once");
        return true;
    }
    c->parts->at_once = run_create();
    runner_describe(c->parts->at_once, &runner, 0, NULL);
    check_choose(c->parts->at_once, CHECK_AT_ONCE, &runner.choices);
    if (!runner_run(c->parts->at_once, &runner, &unsaved, &err))
        run_add_note(c->run, "left-out", NULL, arena_strdup(c->run->arena, err.message));
    return c->parts->at_once->status != RUN_INTERRUPTED;
}

// Asks the waiting processes for the states of their cards after all measurements, for at most 2 s.
// Without an answer, the earlier state is kept.
static void take_last_states(struct checking *c)
{
    static const uint64_t patience_ns = 2 * NS_PER_S;
    uint64_t until_ns = clock_deadline_ns(patience_ns);
    for (size_t i = 0; i < c->count; i++) {
        struct error err;
        const char *line;
        if (!c->waiting[i])
            continue;
        c->children[i] = c->waiting[i];
        c->waiting[i] = NULL;
        if (child_send(c->children[i], "end", clock_left_ns(until_ns), &err) &&
            child_receive(c->children[i], clock_left_ns(until_ns), -1, &line) == CHILD_LINE)
            take_line(c, i, line);
    }
}

// ---------------------------------------------------------------- filling the run

static void add_check(struct checking *c, const struct gpu_info *info)
{
    const struct run_device *device = &c->run->devices[c->count];
    struct check *check = run_add_check(c->run);
    const char *number = strchr(device->id, ':');
    check->device = device->id;
    check->index = number ? strtoul(number + 1, NULL, 10) : c->count;
    check->uuid = device->uuid;
    check->pci = device->pci;
    c->infos[c->count++] = info;
}

static void merge_results(struct run *run, const struct run *sent, const char *device)
{
    for (size_t r = 0; sent && r < sent->result_count; r++) {
        struct result *result = run_add_result(run);
        *result = *sent->results[r];
        if (device)
            result->device = device;
    }
}

// Copies the card's state, results and findings that the process of device `i` sent into the run.
static void merge(struct checking *c, size_t i)
{
    const struct run *sent = c->parts->runs[i];
    if (!sent)
        return;
    const char *device = c->run->devices[i].id;
    c->run->checks[i].state = sent->checks[0].state;
    merge_results(c->run, sent, device);
    for (size_t f = 0; f < sent->finding_count; f++) {
        struct finding *finding = run_add_finding(c->run);
        *finding = sent->findings[f];
        finding->device = device;
    }
}

// Returns how long the check may take, without soak_ns. If all devices are simulated, this time is
// ten times as long, because other programs may use the processors that the simulation needs.
static uint64_t most_ns(const struct device_list *devices)
{
    uint64_t times = 10;
    for (size_t i = 0; i < devices->count; i++)
        if (!(devices->devices[i]->caps & GPU_CAP(VIRTUAL_TIME)))
            times = 1;
    return times * CHECK_DEADLINE_S * NS_PER_S;
}

bool check_measure(struct run *run, const struct check_desc *asked, struct check_parts *parts,
                   struct error *err)
{
    struct check_desc desc = *asked;
    struct checking c = {.desc = &desc, .run = run, .parts = parts};
    if (desc.devices->count > CHECK_DEVICES_MAX)
        return error_set(err, ERROR_USAGE,
                         "%zu devices are more than one check takes (%d): choose some with -d",
                         desc.devices->count, CHECK_DEVICES_MAX);
    uint64_t deadline_ns = clock_deadline_ns(desc.soak_ns + most_ns(desc.devices));
    double plan_s = check_plan_s(desc.devices->count, CHECK_ALONE) +
                    check_plan_s(desc.devices->count, CHECK_AT_ONCE);
    c.planned_ns = clock_deadline_ns(desc.soak_ns + (uint64_t)(plan_s * NS_PER_S));
    if (!desc.silence_ns)
        desc.silence_ns = most_ns(desc.devices);
    *parts = (struct check_parts){.count = desc.devices->count};
    for (size_t i = 0; i < desc.devices->count; i++)
        add_check(&c, desc.devices->devices[i]);
    for (size_t i = 0; i < c.count; i++) {
        start(&c, i);
        c.silent_until_ns[i] = clock_deadline_ns(desc.silence_ns);
    }
    bool done = receive_all(&c, deadline_ns) && measure_at_once(&c, deadline_ns);
    if (done)
        take_last_states(&c);
    for (size_t i = 0; i < c.count; i++) {
        child_destroy(c.children[i], 0);
        child_destroy(c.waiting[i], 0);
        merge(&c, i);
    }
    merge_results(run, parts->at_once, NULL);
    run->status = done ? RUN_COMPLETE : RUN_INTERRUPTED;
    return true;
}

void check_parts_destroy(struct check_parts *parts)
{
    for (size_t i = 0; i < parts->count; i++)
        run_destroy(parts->runs[i]);
    run_destroy(parts->at_once);
    *parts = (struct check_parts){.count = 0};
}
