// SPDX-License-Identifier: MIT
#include "measure/clock.h"

#include "base/clock.h"
#include "gpu/kernels.h"
#include "measure/clock_evidence.h"

enum {
    STAMPS = 128,
    TURNS_MAX = CLOCK_LOOPS_MAX / STAMPS - 9,
    BRIEF_RUNS = 8, // at either end, so that the host sees some of them end at once
    LONG_RUNS = 3,
    RUNS_MAX = 60
};
static const double long_run_ns = 4e6;
static const uint64_t pause_ns = 30 * NS_PER_MS; // makes the device clock's unit precise
static const uint64_t timeout_ns = 5 * NS_PER_S;

struct probe {
    struct gpu_program *program;
    struct gpu_buffer *buffer;
    struct gpu_batch *batch;
    struct arena *arena;
    bool virtual_time; // the host's clock says nothing of the device's
    double virtual_ns; // spans so far
    struct clock_run runs[RUNS_MAX];
    size_t count;
};

uint64_t measure_clock_delta(uint64_t a, uint64_t b, unsigned bits)
{
    uint64_t mask = bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    return (b - a) & mask;
}

unsigned measure_clock_low_bits(const struct measure_clock *clock)
{
    return clock->counter_bits == 0 || clock->counter_bits > 32 ? 32 : clock->counter_bits;
}

uint64_t measure_clock_stamp(const uint32_t words[2])
{
    return words[0] | (uint64_t)words[1] << 32;
}

double measure_clock_elapsed_ns(const struct measure_clock *clock, uint64_t from, uint64_t to)
{
    return (double)measure_clock_delta(from, to, clock->device_bits) * clock->device_tick_ns;
}

double measure_clock_offset_ns(const struct measure_clock *clock, uint64_t from, uint64_t to)
{
    uint64_t ticks = measure_clock_delta(from, to, clock->device_bits);
    uint64_t back = measure_clock_delta(to, from, clock->device_bits);
    return (ticks <= back ? (double)ticks : -(double)back) * clock->device_tick_ns;
}

static bool probe_run(struct probe *probe, uint32_t turns, struct error *err)
{
    struct clock_run *run = &probe->runs[probe->count];
    if (!gpu_batch_reset(probe->batch, err))
        return false;
    gpu_batch_span_begin(probe->batch, 0);
    clock_kernel_dispatch(probe->batch, &(struct clock_dispatch){.program = probe->program,
                                                                 .buffer = probe->buffer,
                                                                 .groups = 1,
                                                                 .stamps = STAMPS,
                                                                 .turns = turns});
    gpu_batch_span_end(probe->batch, 0);
    if (!gpu_batch_end(probe->batch, err) || !gpu_batch_run(probe->batch, timeout_ns, err) ||
        !gpu_batch_span_ns(probe->batch, 0, &run->span_ns, err))
        return false;
    probe->virtual_ns += run->span_ns;
    run->seen_ns = probe->virtual_time ? probe->virtual_ns : (double)clock_now_ns();
    struct clock_stamp *stamps = ARENA_ARRAY(probe->arena, STAMPS, struct clock_stamp);
    const uint32_t *words = gpu_buffer_map(probe->buffer);
    for (uint32_t s = 0; s < STAMPS; s++)
        stamps[s] = clock_kernel_stamp(words, STAMPS, 0, s);
    run->stamps = stamps;
    run->count = STAMPS;
    run->turns = turns;
    probe->count++;
    return true;
}

static bool probe_runs(struct probe *probe, int runs, uint32_t turns, struct error *err)
{
    for (int i = 0; i < runs; i++)
        if (!probe_run(probe, turns, err))
            return false;
    return true;
}

static double last_span_ns(const struct probe *probe)
{
    return probe->runs[probe->count - 1].span_ns;
}

// Runs without turns, longer and longer ones, enough of the longest for certainty, and again runs
// without turns.
static bool probe_all_runs(struct probe *probe, bool has_counter, struct error *err)
{
    if (!probe_runs(probe, BRIEF_RUNS, 0, err))
        return false;
    uint32_t turns = 1;
    do {
        turns = turns * 3 < TURNS_MAX ? turns * 3 : TURNS_MAX;
        if (!probe_run(probe, turns, err))
            return false;
    } while (last_span_ns(probe) < long_run_ns && turns < TURNS_MAX);
    if (!probe_runs(probe, LONG_RUNS - 1, turns, err))
        return false;
    while (has_counter && probe->count < RUNS_MAX - BRIEF_RUNS &&
           clock_evidence_bits(probe->runs, probe->count) == 0)
        if (!probe_run(probe, turns, err))
            return false;
    clock_sleep_ns(pause_ns);
    return probe_runs(probe, BRIEF_RUNS, 0, err);
}

static bool probe_in_scope(struct gpu_scope *scope, struct probe *probe, bool has_counter,
                           struct error *err)
{
    const struct gpu_buffer_desc buffer = {.bytes = clock_kernel_bytes(1, STAMPS),
                                           .memory = GPU_MEMORY_READBACK};
    probe->buffer = gpu_buffer_create(scope, &buffer, err);
    if (!probe->buffer)
        return false;
    probe->batch = gpu_batch_create(scope, &(struct gpu_batch_desc){.span_count = 1}, err);
    return probe->batch && probe_all_runs(probe, has_counter, err);
}

static bool probe_with(struct gpu_scope *scope, struct measure_clock *clock, struct error *err)
{
    const struct gpu_info *info = gpu_device_info(gpu_scope_device(scope));
    struct probe probe = {.program = clock->program,
                          .arena = arena_create(),
                          .virtual_time = info->caps & GPU_CAP(VIRTUAL_TIME)};
    struct gpu_scope *own = gpu_scope_open(gpu_scope_device(scope));
    bool ok = probe_in_scope(own, &probe, clock->has_counter, err);
    if (ok)
        clock_evidence_judge(probe.arena, probe.runs, probe.count,
                             (double)info->limits.stamp_step_ps / 1000, clock);
    gpu_scope_close(own);
    arena_destroy(probe.arena);
    return ok;
}

// Two stamps a workgroup, before a span and after it: more than any span takes.
static bool make_stamps(struct gpu_scope *scope, struct measure_clock *clock, struct error *err)
{
    uint32_t groups = clock_kernel_groups(gpu_device_info(gpu_scope_device(scope)));
    clock->stamps =
        gpu_buffer_create(scope,
                          &(struct gpu_buffer_desc){.bytes = 2 * clock_kernel_pitch(groups, 2),
                                                    .memory = GPU_MEMORY_READBACK},
                          err);
    return clock->stamps != NULL;
}

bool measure_clock_probe(struct gpu_scope *scope, struct measure_clock *clock, struct error *err)
{
    const struct gpu_info *info = gpu_device_info(gpu_scope_device(scope));
    const char *name = clock_kernel_name(info);
    *clock = (struct measure_clock){0};
    if (!name)
        return true;
    clock->has_counter = info->caps & GPU_CAP(CORE_CLOCK);
    clock->has_device_clock = info->caps & GPU_CAP(DEVICE_CLOCK);
    const struct gpu_kernel *kernel = kernel_find(name);
    if (!kernel)
        return error_set(err, ERROR_INTERNAL, "kernel %s is not in this build", name);
    clock->program = gpu_program_create(scope, &(struct gpu_program_desc){.kernel = kernel}, err);
    return (clock->program && probe_with(scope, clock, err) && make_stamps(scope, clock, err)) ||
           error_prefix(err, "probing the clocks");
}
