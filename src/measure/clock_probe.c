// SPDX-License-Identifier: MIT
// Runs the clock kernel at the beginning of a session, and judges the stamps that it stored.
#include "measure/clock_kernel.h"

#include "base/clock.h"
#include "gpu/kernels.h"

enum {
    STAMPS = 128,
    // Number of runs with 0 iterations at each end of the probe. With so many runs, the host
    // notices the end of one of them without delay.
    BRIEF_RUNS = 8,
    LONG_RUNS = 3,
    // Number of long runs without a device clock. The host then measures them, and notices the end
    // of one of so many without delay.
    LONG_RUNS_HOST = 16,
    RUNS_MAX = 60
};
static const double long_run_ns = 4e6;
// Pause before the last runs, because a longer probe measures the device clock's tick more
// precisely.
static const uint64_t pause_ns = 30 * NS_PER_MS;
static const uint64_t timeout_ns = 5 * NS_PER_S;

struct probe {
    struct gpu_program *program;
    struct gpu_buffer *buffer;
    struct gpu_batch *batch;
    struct arena *arena;
    // True if the device's time is simulated and does not follow the host's clock.
    bool virtual_time;
    double virtual_ns; // simulated time in ns of all runs so far together
    struct clock_run runs[RUNS_MAX];
    size_t count;
};

// Returns the time of the host's clock or, if the device's time is simulated, of the device's.
static double host_ns(const struct probe *probe)
{
    return probe->virtual_time ? probe->virtual_ns : (double)clock_now_ns();
}

static bool probe_run(struct probe *probe, uint32_t iterations, struct error *err)
{
    struct clock_run *run = &probe->runs[probe->count];
    if (!gpu_batch_reset(probe->batch, err))
        return false;
    gpu_batch_span_begin(probe->batch, 0);
    clock_kernel_dispatch(probe->batch, &(struct clock_dispatch){.program = probe->program,
                                                                 .buffer = probe->buffer,
                                                                 .groups = 1,
                                                                 .stamps = STAMPS,
                                                                 .iterations = iterations});
    gpu_batch_span_end(probe->batch, 0);
    if (!gpu_batch_end(probe->batch, err))
        return false;
    run->asked_ns = host_ns(probe);
    if (!gpu_batch_run(probe->batch, timeout_ns, err) ||
        !gpu_batch_span_ns(probe->batch, 0, &run->span_ns, err))
        return false;
    probe->virtual_ns += run->span_ns;
    run->seen_ns = host_ns(probe);
    struct clock_stamp *stamps = ARENA_ARRAY(probe->arena, STAMPS, struct clock_stamp);
    const uint32_t *words = gpu_buffer_map(probe->buffer);
    for (uint32_t s = 0; s < STAMPS; s++)
        stamps[s] = clock_kernel_stamp(words, STAMPS, 0, s);
    run->stamps = stamps;
    run->count = STAMPS;
    run->iterations = iterations;
    probe->count++;
    return true;
}

static bool probe_runs(struct probe *probe, int runs, uint32_t iterations, struct error *err)
{
    for (int i = 0; i < runs; i++)
        if (!probe_run(probe, iterations, err))
            return false;
    return true;
}

// Runs the clock kernel with 0 iterations, then with more and more, and at last with 0 again. The
// longest run is repeated until the counter's width is known.
static bool probe_all_runs(struct probe *probe, const struct measure_clock *clock,
                           struct error *err)
{
    if (!probe_runs(probe, BRIEF_RUNS, 0, err))
        return false;
    uint32_t iterations = 1, most = clock_kernel_iterations(STAMPS);
    do {
        iterations = iterations * 3 < most ? iterations * 3 : most;
        if (!probe_run(probe, iterations, err))
            return false;
    } while (probe->runs[probe->count - 1].span_ns < long_run_ns && iterations < most);
    int runs = clock->has_device_clock ? LONG_RUNS : LONG_RUNS_HOST;
    if (!probe_runs(probe, runs - 1, iterations, err))
        return false;
    while (clock->has_counter && probe->count < RUNS_MAX - BRIEF_RUNS &&
           clock_evidence_bits(probe->runs, probe->count) == 0)
        if (!probe_run(probe, iterations, err))
            return false;
    clock_sleep_ns(pause_ns);
    return probe_runs(probe, BRIEF_RUNS, 0, err);
}

static bool probe_in_scope(struct gpu_scope *scope, struct probe *probe,
                           const struct measure_clock *clock, struct error *err)
{
    const struct gpu_buffer_desc buffer = {.bytes = clock_kernel_bytes(1, STAMPS),
                                           .memory = GPU_MEMORY_READBACK};
    probe->buffer = gpu_buffer_create(scope, &buffer, err);
    if (!probe->buffer)
        return false;
    probe->batch = gpu_batch_create(scope, &(struct gpu_batch_desc){.span_count = 1}, err);
    return probe->batch && probe_all_runs(probe, clock, err);
}

static bool probe_with(struct gpu_scope *scope, struct gpu_program *program,
                       struct measure_clock *clock, struct error *err)
{
    const struct gpu_info *info = gpu_device_info(gpu_scope_device(scope));
    struct probe probe = {.program = program,
                          .arena = arena_create(),
                          .virtual_time = info->caps & GPU_CAP(VIRTUAL_TIME)};
    struct gpu_scope *own = gpu_scope_open(gpu_scope_device(scope));
    bool ok = probe_in_scope(own, &probe, clock, err);
    if (ok)
        clock_evidence_judge(probe.arena, probe.runs, probe.count,
                             (double)info->limits.stamp_step_ps / 1000, clock);
    if (info->kind == GPU_KIND_CPU)
        clock->stamps_off = 0;
    // Simulated time has the step that the model states; runs without noise have few lengths.
    if (probe.virtual_time)
        clock->stamp_step_ns = 0;
    gpu_scope_close(own);
    arena_destroy(probe.arena);
    return ok;
}

// Creates the clock kernel's variant `name`. Returns NULL with an error.
static struct gpu_program *make_program(struct gpu_scope *scope, const char *name,
                                        struct error *err)
{
    const struct gpu_kernel *kernel = kernel_find(name);
    if (kernel)
        return gpu_program_create(scope, &(struct gpu_program_desc){.kernel = kernel}, err);
    error_set(err, ERROR_INTERNAL, "kernel %s is not in this build", name);
    return NULL;
}

// Measures stamps_off and iteration_ns of a device whose kernels can read no clock.
static bool probe_without_clock(struct gpu_scope *scope, struct measure_clock *clock,
                                struct error *err)
{
    struct gpu_scope *own = gpu_scope_open(gpu_scope_device(scope));
    struct gpu_program *program = make_program(own, "measure_clock_none", err);
    bool ok = program && probe_with(scope, program, clock, err);
    gpu_scope_close(own);
    return ok;
}

// Returns the name of the kernel variant for the clocks that the device has; NULL if it has none.
static const char *kernel_name(const struct gpu_info *info)
{
    bool core = info->caps & GPU_CAP(CORE_CLOCK), device = info->caps & GPU_CAP(DEVICE_CLOCK);
    if (core && device)
        return info->caps & GPU_CAP(CORE_ID) ? "measure_clock_core_device_id"
                                             : "measure_clock_core_device";
    return core ? "measure_clock_core" : device ? "measure_clock_device" : NULL;
}

// The buffer has room for two stamps per workgroup before a sample, and two after it.
static bool make_stamps(struct gpu_scope *scope, struct measure_clock *clock, struct error *err)
{
    uint32_t groups = clock_kernel_groups(gpu_device_info(gpu_scope_device(scope)));
    clock->stamps =
        gpu_buffer_create(scope,
                          &(struct gpu_buffer_desc){.bytes = 2 * clock_kernel_bytes(groups, 2),
                                                    .memory = GPU_MEMORY_READBACK},
                          err);
    return clock->stamps != NULL;
}

bool measure_clock_probe(struct gpu_scope *scope, const struct measure_clock *known,
                         struct measure_clock *clock, struct error *err)
{
    const struct gpu_info *info = gpu_device_info(gpu_scope_device(scope));
    const char *name = kernel_name(info);
    bool is_known = known && known->iteration_ns > 0;
    *clock = is_known ? *known : (struct measure_clock){0};
    clock->program = NULL;
    clock->stamps = NULL;
    if (!name)
        return is_known || info->kind == GPU_KIND_CPU || info->caps & GPU_CAP(VIRTUAL_TIME) ||
               probe_without_clock(scope, clock, err) ||
               error_prefix(err, "probing the time stamps");
    if (!is_known) {
        clock->has_counter = info->caps & GPU_CAP(CORE_CLOCK);
        clock->has_device_clock = info->caps & GPU_CAP(DEVICE_CLOCK);
    }
    clock->program = make_program(scope, name, err);
    return (clock->program && (is_known || probe_with(scope, clock->program, clock, err)) &&
            make_stamps(scope, clock, err)) ||
           error_prefix(err, "probing the clocks");
}
