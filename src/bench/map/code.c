// SPDX-License-Identifier: MIT
#include "base/clock.h"
#include "bench/map.h"
#include "bench/map/code_kernels.h"
#include "bench/map/probes.h"
#include "math/stats.h"
#include "measure/claim.h"
#include "measure/pace.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    WINDOWS = 16,
    // Minimum number of instructions between two readings of the core's counter.
    WINDOW_INSTRUCTIONS = 16384,
    // Laps before the clocks are first read; the first one loads the code.
    LEAD_LAPS = 2,
    EMPTY_LAPS = 1024,
    // Without the core's counter, a run of 2 N laps should take this many ns longer than a run of N
    // laps.
    SLOPE_NS = 300 * 1000,
    // Without the core's counter, the maximum number of instructions by which 2 N laps exceed N
    // laps.
    SLOPE_INSTRUCTIONS_MAX = 1 << 22,
    PAIRS = 3,    // number of pairs of runs in a visit, if kernels cannot read the core's counter
    RUNS_MAX = 2, // number of different runs of a case: one with N laps, and one with 2 N laps
    // Minimum length of a run, in steps of the device's clock, if this clock should show the rate
    // of the core's counter.
    STEPS_MIN = 100
};

// An empty lap only branches over all the code. If it takes at least this share of a full lap, the
// branches cost too much, and the case is skipped.
static const double empty_most = 0.7;

// Data of one case that the session keeps from round to round.
struct memory {
    uint32_t laps; // number of laps in a window
    bool fused;
    struct code_ends ends[RUNS_MAX];
    bool known[RUNS_MAX];
};

struct code {
    struct map_code *kept;
    struct bench_visit *visit;
    const struct measure_clock *clock;
    struct map_code_program *program;
    struct memory *memory;
    // A lap has `steps` stretches of code (CODE_LEG), with `instructions` multiply-adds in all.
    uint32_t steps, instructions;
    struct gpu_buffer *result;
    double span_ns;   // duration in ns of the last run, by time stamps
    uint64_t lead_ns; // duration in ns of the light work before a run (measure/pace.h)
};

struct params {
#define X(name) uint32_t name;
    CODE_PARAMS(X)
#undef X
};

// ---------------------------------------------------------------- kernels of three lengths

static const struct {
    const char *name;
    uint32_t steps;
} lengths[MAP_CODE_KERNELS] = {{"map_code_1k", CODE_STEPS_1K},
                               {"map_code_8k", CODE_STEPS_8K},
                               {"map_code_32k", CODE_STEPS_32K}};

// If the driver takes longer than this (1.5 s) to compile a kernel, longer kernels are not tried.
static const uint64_t compile_most_ns = UINT64_C(1500000000);

// Returns the number of stretches (CODE_LEG) that together have `instructions` instructions; 0 if
// there is no such number.
static uint32_t steps_of(uint64_t instructions)
{
    for (uint32_t steps = MAP_CODE_STEPS; steps > 0; steps--)
        if (map_code_length(steps) == instructions)
            return steps;
    return 0;
}

// Returns the bytes that the driver's text gives after "Code Size:" or "Binary Size:"; 0 if it
// gives none.
static double code_bytes(const char *text)
{
    static const char name[] = "size: ";
    for (const char *line = text; line && *line;
         line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        bool code = strncmp(line, "Code", 4) == 0 || strncmp(line, "Binary", 6) == 0;
        const char *space = strchr(line, ' ');
        if (!code || !space || tolower((unsigned char)space[1]) != name[0] ||
            strncmp(space + 2, name + 1, sizeof name - 2) != 0)
            continue;
        return strtod(space + 1 + sizeof name - 1, NULL);
    }
    return 0;
}

static void describe_program(struct map_code_program *own, uint32_t steps, struct arena *arena)
{
    struct measure_visit *visit = measure_visit_create(arena);
    struct gpu_program_stats stats = {0};
    visit_kernel(visit, own->program);
    own->kernel = visit->kernel;
    // Many drivers do not report the size of the code, which is no error.
    if (gpu_program_stats(own->program, arena, &stats, NULL))
        own->instruction_bytes =
            code_bytes(stats.text) / (map_code_length(steps) + MAP_CODE_QUESTION * steps);
}

static bool program_make(struct map_code_program *programs, const struct bench_session *session,
                         size_t i, struct error *err)
{
    struct map_code_program *own = &programs[i];
    if (own->program)
        return true;
    const struct gpu_kernel *kernel = kernel_find(lengths[i].name);
    if (!kernel)
        return error_set(err, ERROR_UNSUPPORTED, "kernel %s is not in this build", lengths[i].name);
    uint64_t before_ns = clock_now_ns();
    own->program =
        gpu_program_create(session->scope, &(struct gpu_program_desc){.kernel = kernel}, err);
    own->compile_ns = clock_now_ns() - before_ns;
    if (!own->program)
        return false;
    describe_program(own, lengths[i].steps, session->arena);
    return true;
}

// Returns the shortest kernel that can run `steps` stretches of code (CODE_LEG), and compiles this
// kernel and all shorter ones. Fails with ERROR_UNSUPPORTED if this build lacks one of these
// kernels, or if a shorter kernel took more than compile_most_ns to compile.
static struct map_code_program *program_for(struct map_code_program programs[MAP_CODE_KERNELS],
                                            const struct bench_session *session, uint32_t steps,
                                            struct error *err)
{
    for (size_t i = 0; program_make(programs, session, i, err); i++) {
        const struct map_code_program *own = &programs[i];
        if (steps <= lengths[i].steps)
            return &programs[i];
        if (own->compile_ns > compile_most_ns) {
            error_set(err, ERROR_UNSUPPORTED,
                      "the driver compiled code of %" PRIu32
                      " instructions for %.1f s: longer code was not tried",
                      map_code_length(lengths[i].steps), (double)own->compile_ns / 1e9);
            return NULL;
        }
    }
    return NULL;
}

// ---------------------------------------------------------------- a run, and its proof

static bool prepare(struct code *c, struct error *err)
{
    const struct bench_session *session = c->visit->session;
    // Only kernels for Vulkan need both clocks.
    const gpu_caps clocks = GPU_CAP(CORE_CLOCK) | GPU_CAP(DEVICE_CLOCK);
    if (strcmp(session->info->api, "vulkan") == 0 && !gpu_require(session->info, clocks, err))
        return false;
    c->clock = &session->clock;
    c->program = program_for(c->kept->programs, session, c->steps, err);
    c->memory = *c->visit->memory;
    if (!c->memory)
        *c->visit->memory = c->memory = ARENA_NEW(session->arena, struct memory);
    const struct gpu_buffer_desc result = {.bytes = UINT64_C(4) * CODE_WORDS,
                                           .memory = GPU_MEMORY_READBACK};
    c->result = c->program ? gpu_buffer_create(c->visit->scope, &result, err) : NULL;
    return c->result != NULL;
}

static bool is_counted(const struct code *c)
{
    return c->clock->has_counter && c->clock->counter_hz > 0;
}

// Runs the kernel after a lead of c->lead_ns.
static bool execute(struct code *c, const struct params *params, struct error *err)
{
    struct gpu_batch *batch =
        gpu_batch_create(c->visit->scope, &(struct gpu_batch_desc){.span_count = 1}, err);
    if (!batch)
        return false;
    measure_clock_lead(c->clock, batch, c->lead_ns);
    gpu_batch_span_begin(batch, 0);
    gpu_batch_dispatch(batch, &(struct gpu_dispatch){.program = c->program->program,
                                                     .groups = {1},
                                                     .args = {{.buffer = c->result}},
                                                     .params = params,
                                                     .params_bytes = sizeof *params});
    gpu_batch_span_end(batch, 0);
    return gpu_batch_end(batch, err) && gpu_batch_run(batch, c->visit->request->timeout_ns, err) &&
           gpu_batch_span_ns(batch, 0, &c->span_ns, err);
}

static bool is_as(const uint32_t *words, const struct code_ends *ends)
{
    for (unsigned thread = 0; thread < CODE_WORKGROUP; thread++)
        if (memcmp(words + CODE_ENDS + (size_t)thread * CODE_KEPT, ends->words[thread & 1],
                   sizeof ends->words[0]) != 0)
            return false;
    return true;
}

// Compares the chains' end values with the host's values, and keeps the host's values in *kept.
static bool verify(struct code *c, const struct params *p, struct code_ends *kept, bool *known,
                   struct error *err)
{
    const uint32_t *words = gpu_buffer_map(c->result);
    uint64_t laps = p->lead + (uint64_t)p->windows * p->laps;
    if (words[CODE_DONE] != p->token)
        return error_set(err, ERROR_MISMATCH, "the kernel left no results of this run");
    if (*known && is_as(words, kept))
        return true;
    for (int fused = 1; fused >= 0 && !*known; fused--) {
        code_replay(p->steps ? c->instructions : 0, laps, fused, kept);
        if (is_as(words, kept)) {
            c->memory->fused = fused;
            return *known = true;
        }
    }
    return error_set(err, ERROR_MISMATCH,
                     "after %" PRIu64 " laps of %" PRIu32
                     " instructions the chains have wrong values",
                     laps, p->steps ? c->instructions : 0);
}

static bool run_kernel(struct code *c, const struct params *params, unsigned which,
                       struct error *err)
{
    return execute(c, params, err) &&
           verify(c, params, &c->memory->ends[which], &c->memory->known[which], err);
}

// Runs the same kernel with empty laps, which branch over all the code, and checks its results.
static bool run_empty(struct code *c, struct params *params, struct error *err)
{
    struct code_ends ends;
    bool known = false, fused = c->memory->fused;
    params->steps = 0;
    bool ok = execute(c, params, err) && verify(c, params, &ends, &known, err);
    c->memory->fused = fused;
    return ok;
}

static struct params params_of(const struct code *c)
{
    return (struct params){.steps = c->steps,
                           .lead = LEAD_LAPS,
                           .windows = WINDOWS,
                           .laps = c->memory->laps,
                           .never = UINT32_MAX,
                           .token = c->visit->request->round + 1};
}

static bool is_left_out(const struct code *c, double lap, struct error *err)
{
    if (c->kept->empty < empty_most * lap)
        return true;
    return error_set(err, ERROR_UNSUPPORTED,
                     "a lap without instructions takes %.0f %% of the time of one of %" PRIu32
                     ": what is branched over takes time too",
                     100 * c->kept->empty / lap, c->instructions);
}

// ---------------------------------------------------------------- by the core's counter

// Sets laps[i] to the mean duration of a lap in window i, in counts of the core's counter.
static void read_windows(const struct code *c, uint32_t of_laps, double laps[WINDOWS])
{
    const uint32_t *stamps = (const uint32_t *)gpu_buffer_map(c->result) + CODE_STAMPS;
    unsigned bits = measure_clock_low_bits(c->clock);
    for (unsigned i = 0; i < WINDOWS; i++)
        laps[i] = (double)measure_clock_delta(stamps[i], stamps[i + 1], bits) / of_laps;
}

static bool count_empty(struct code *c, struct error *err)
{
    struct params params = params_of(c);
    double laps[WINDOWS];
    params.laps = EMPTY_LAPS;
    if (!run_empty(c, &params, err))
        return false;
    read_windows(c, params.laps, laps);
    stats_sort(laps, WINDOWS);
    c->kept->empty = laps[WINDOWS / 2];
    return true;
}

// Returns the rate in Hz of the core's counter in the last run, by the device's clock, and its
// relative error in *error. If the device's clock cannot be read, or the run was too short, returns
// NaN.
static double counter_hz(const struct code *c, const double counts[WINDOWS], double *error)
{
    const struct measure_clock *clock = c->clock;
    const uint32_t *now = (const uint32_t *)gpu_buffer_map(c->result) + CODE_CLOCKS;
    double sum = 0, ns = 0;
    for (unsigned i = 0; i < WINDOWS; i++)
        sum += counts[i] * c->memory->laps;
    if (clock->has_device_clock)
        ns =
            measure_clock_elapsed_ns(clock, measure_clock_stamp(now), measure_clock_stamp(now + 2));
    *error = clock->device_step_ns / ns;
    return ns > 0 && *error <= 1.0 / STEPS_MIN ? 1e9 * sum / ns : NAN;
}

// Repeats the run while the core clock is too low, because the clock falls while the driver
// compiles a kernel for seconds. Returns the clock in *hz; NaN if it is not known.
static bool run_paced(struct code *c, double counts[WINDOWS], double *hz, double *error,
                      struct error *err)
{
    const struct params params = params_of(c);
    struct measure_pace *pace = c->visit->request->pace;
    do {
        c->lead_ns = pace_lead_ns(pace, true);
        if (!run_kernel(c, &params, 0, err))
            return false;
        read_windows(c, params.laps, counts);
        *hz = counter_hz(c, counts, error);
    } while (c->clock->counts_core_clock && pace_again(pace, *hz, *error));
    c->lead_ns = 0;
    return true;
}

static bool measure_by_counter(struct code *c, struct measure_visit *visit, struct error *err)
{
    const struct measure_clock *clock = c->clock;
    double values[WINDOWS], instructions = c->instructions, hz, error;
    c->memory->laps = (WINDOW_INSTRUCTIONS + c->instructions - 1) / c->instructions;
    if (!run_paced(c, values, &hz, &error, err))
        return false;
    visit->device_time_ns += (uint64_t)c->span_ns;
    if (!count_empty(c, err) || !is_left_out(c, values[WINDOWS - 1], err))
        return false;
    for (unsigned i = 0; i < WINDOWS; i++)
        values[i] = (values[i] - c->kept->empty) / instructions;
    double step = clock->counter_step / (instructions * c->memory->laps);
    if (clock->counts_core_clock) {
        visit_samples(visit, MAP_METRIC_FETCH_CYCLES, values, WINDOWS, step);
        visit_core_clock(visit, &hz, 1, error);
        visit->clock.load = MEASURE_ONE_CORE;
    }
    if (!isfinite(hz))
        hz = clock->counter_hz; // the rate that bench_clock_probe measured
    for (unsigned i = 0; i < WINDOWS; i++)
        values[i] *= 1e9 / hz;
    visit_samples(visit, MAP_METRIC_FETCH, values, WINDOWS, step * 1e9 / hz);
    visit_detail(visit, "empty lap", "%.1f counts, taken off", c->kept->empty);
    return true;
}

// ---------------------------------------------------------------- by time stamps alone

// Sets *lap_ns to the time of a lap in ns: (T(2 N) − T(N)) / N, where T(N) is the time of N laps.
static bool time_lap(struct code *c, struct params params, double *lap_ns, struct error *err)
{
    double ns[RUNS_MAX];
    params.windows = 1;
    for (unsigned i = 0; i < RUNS_MAX; i++) {
        bool ok = params.steps ? run_kernel(c, &params, i, err) : run_empty(c, &params, err);
        if (!ok)
            return false;
        ns[i] = c->span_ns;
        params.laps *= 2;
    }
    *lap_ns = (ns[1] - ns[0]) / (params.laps / 4.0);
    return true;
}

// Doubles the number of laps of a run until the run takes SLOPE_NS, or has half of
// SLOPE_INSTRUCTIONS_MAX instructions.
static bool size_slope(struct code *c, struct error *err)
{
    uint32_t most = SLOPE_INSTRUCTIONS_MAX / c->instructions;
    double lap_ns = 0;
    c->memory->laps = 1 + WINDOW_INSTRUCTIONS / c->instructions;
    for (;;) {
        c->memory->known[0] = c->memory->known[1] = false;
        if (!time_lap(c, params_of(c), &lap_ns, err))
            return false;
        if (lap_ns * c->memory->laps >= SLOPE_NS || c->memory->laps > most / 2)
            return true;
        c->memory->laps *= 2;
    }
}

static bool measure_by_stamps(struct code *c, struct measure_visit *visit, struct error *err)
{
    double values[PAIRS], instructions = c->instructions;
    if (!c->memory->laps && !size_slope(c, err))
        return false;
    struct params empty = params_of(c);
    empty.steps = 0;
    empty.laps = SLOPE_INSTRUCTIONS_MAX / EMPTY_LAPS * 8;
    if (!time_lap(c, empty, &c->kept->empty, err))
        return false;
    for (unsigned i = 0; i < PAIRS; i++) {
        double lap_ns;
        if (!time_lap(c, params_of(c), &lap_ns, err) || !is_left_out(c, lap_ns, err))
            return false;
        values[i] = (lap_ns - c->kept->empty) / instructions;
        visit->device_time_ns += (uint64_t)(3 * lap_ns * c->memory->laps);
    }
    double step_ns = (double)c->visit->session->info->limits.stamp_step_ps / 1000;
    visit_samples(visit, MAP_METRIC_FETCH, values, PAIRS,
                  2 * step_ns / (instructions * c->memory->laps));
    visit_detail(visit, "empty lap", "%.1f ns, taken off", c->kept->empty);
    return true;
}

// ---------------------------------------------------------------- the visit

bool map_code_visit(struct map_code *kept, struct bench_visit *run, struct measure_visit *visit,
                    struct error *err)
{
    struct code c = {.kept = kept, .visit = run};
    c.instructions = (uint32_t)case_uint(run->bench_case, "instructions");
    c.steps = steps_of(c.instructions);
    if (c.steps == 0)
        return error_set(err, ERROR_USAGE,
                         "no lap has %" PRIu32 " instructions: 64 to 2048 in steps of 64, then "
                         "16 lengths an octave to 32768",
                         c.instructions);
    if (!prepare(&c, err))
        return false;
    visit->kernel = c.program->kernel;
    if (c.program->instruction_bytes > 0)
        visit_sensor(visit, MAP_CODE_SENSOR, UNIT_BYTE, c.program->instruction_bytes);
    visit_detail(visit, "compiler", "%.2f s", (double)c.program->compile_ns / 1e9);
    bool ok =
        is_counted(&c) ? measure_by_counter(&c, visit, err) : measure_by_stamps(&c, visit, err);
    if (ok && !c.memory->fused)
        visit_detail(visit, "rounding", "a product, then a sum");
    return ok;
}
