// SPDX-License-Identifier: MIT
#include "bench/map.h"
#include "bench/map/map_kernels.h"
#include "bench/map/probes.h"
#include "math/permute.h"

#include <inttypes.h>

enum {
    HOPS_MIN = 2048, // minimum number of timed hops
    HOPS_MAX = 4096,
    // Maximum number of untimed hops, in which all other workgroups begin their chains, and the
    // contents of shared caches settle. With only 8192 hops, a model of chiplets showed half of the
    // sharers.
    LEAD_MAX = 32768
};

struct neighbours {
    struct map_neighbours *kept;
    const struct bench_visit *visit;
    uint32_t groups, nodes, stride;
    struct gpu_buffer *words, *result;
    double span_ns;
};

struct params {
#define X(name) uint32_t name;
    NEIGHBOURS_PARAMS(X)
#undef X
};

static uint32_t iterations_for(uint32_t hops)
{
    return (hops + NEIGHBOURS_UNROLL - 1) / NEIGHBOURS_UNROLL;
}

static struct params params_of(const struct neighbours *n)
{
    uint32_t hops = n->nodes < HOPS_MIN ? HOPS_MIN : n->nodes > HOPS_MAX ? HOPS_MAX : n->nodes;
    uint32_t round = n->visit->request->round;
    return (struct params){.nodes = n->nodes,
                           .pitch_words = n->stride / 4,
                           .key = UINT32_C(0x9e3779b9) * (round + 1),
                           .lead = iterations_for(n->nodes < LEAD_MAX ? n->nodes : LEAD_MAX),
                           .turns = iterations_for(hops),
                           .tail = iterations_for(hops),
                           .never = UINT32_MAX,
                           .token = round + 1};
}

static bool init(struct neighbours *n, struct error *err)
{
    const struct gpu_info *info = n->visit->session->info;
    const struct bench_case *this_case = n->visit->bench_case;
    struct gpu_scope *scope = n->visit->scope;
    const struct case_value *chains = case_find(this_case, "chains");
    n->groups = (uint32_t)(chains ? chains->uint : info->limits.cores);
    n->stride = (uint32_t)case_uint(this_case, "pitch");
    n->nodes = n->stride ? (uint32_t)(case_uint(this_case, "bytes") / n->stride) : 0;
    if (n->groups < 2 || n->nodes < 2)
        return error_set(err, ERROR_UNSUPPORTED, "%" PRIu32 " chains, regions of %" PRIu32 " nodes",
                         n->groups, n->nodes);
    struct gpu_buffer_desc words = {.bytes = (uint64_t)n->groups * n->nodes * n->stride};
    struct gpu_buffer_desc result = {.bytes = UINT64_C(4) * NEIGHBOURS_WORDS * n->groups,
                                     .memory = GPU_MEMORY_READBACK};
    if (words.bytes > info->limits.storage_range_bytes)
        return error_set(err, ERROR_UNSUPPORTED, "%" PRIu64 " bytes for all chains", words.bytes);
    n->words = gpu_buffer_create(scope, &words, err);
    n->result = n->words ? gpu_buffer_create(scope, &result, err) : NULL;
    return n->result != NULL;
}

static bool execute(struct neighbours *n, const struct params *params, struct error *err)
{
    struct gpu_batch *batch =
        gpu_batch_create(n->visit->scope, &(struct gpu_batch_desc){.span_count = 1}, err);
    if (!batch)
        return false;
    gpu_batch_span_begin(batch, 0);
    gpu_batch_dispatch(batch,
                       &(struct gpu_dispatch){.program = n->kept->program,
                                              .groups = {n->groups},
                                              .args = {{.buffer = n->words}, {.buffer = n->result}},
                                              .params = params,
                                              .params_bytes = sizeof *params});
    gpu_batch_span_end(batch, 0);
    return gpu_batch_end(batch, err) && gpu_batch_run(batch, n->visit->request->timeout_ns, err) &&
           gpu_batch_span_ns(batch, 0, &n->span_ns, err);
}

// Fails with ERROR_MISMATCH if a chain did not end at the link that the host computes, and with
// ERROR_UNSUPPORTED if two workgroups ran on the same core.
static bool verify(const struct neighbours *n, const struct params *p, struct error *err)
{
    const uint32_t *words = gpu_buffer_map(n->result);
    uint64_t hops = ((uint64_t)p->lead + p->turns + p->tail) * NEIGHBOURS_UNROLL;
    uint32_t place = permute_index((uint32_t)(hops % n->nodes), n->nodes, p->key) * p->pitch_words;
    for (uint32_t g = 0; g < n->groups; g++) {
        const uint32_t *mine = words + (size_t)g * NEIGHBOURS_WORDS;
        uint32_t wanted = g * n->nodes * p->pitch_words + place;
        if (mine[NEIGHBOURS_DONE] != p->token || mine[NEIGHBOURS_LINK] != wanted)
            return error_set(err, ERROR_MISMATCH,
                             "workgroup %" PRIu32 " ended at word %" PRIu32 ", not %" PRIu32, g,
                             mine[NEIGHBOURS_LINK], wanted);
        for (uint32_t other = 0; other < g; other++)
            if (words[(size_t)other * NEIGHBOURS_WORDS + NEIGHBOURS_CORE] == mine[NEIGHBOURS_CORE])
                return error_set(err, ERROR_UNSUPPORTED,
                                 "workgroups %" PRIu32 " and %" PRIu32 " ran on one core", other,
                                 g);
    }
    return true;
}

static void report(const struct neighbours *n, const struct params *p, struct measure_visit *visit)
{
    const struct measure_clock *clock = &n->visit->session->clock;
    const uint32_t *words = gpu_buffer_map(n->result);
    double *values = ARENA_ARRAY(visit->arena, n->groups, double);
    double hops = (double)p->turns * NEIGHBOURS_UNROLL, ns = 1e9 / clock->counter_hz;
    unsigned bits = measure_clock_low_bits(clock);
    for (uint32_t g = 0; g < n->groups; g++) {
        const uint32_t *mine = words + (size_t)g * NEIGHBOURS_WORDS;
        values[g] =
            (double)measure_clock_delta(mine[NEIGHBOURS_BEGIN], mine[NEIGHBOURS_END], bits) / hops;
    }
    double step = clock->counter_step / hops;
    if (clock->counts_core_clock)
        visit_samples(visit, MAP_METRIC_CYCLES, values, n->groups, step);
    for (uint32_t g = 0; g < n->groups; g++)
        values[g] *= ns;
    visit_samples(visit, MAP_METRIC_LATENCY, values, n->groups, step * ns);
    visit_detail(visit, "cores", "%" PRIu32 " workgroups, each on a core of its own", n->groups);
    visit->device_time_ns += (uint64_t)n->span_ns;
}

// Creates the program at the first call. Fails if kernels cannot read the core's counter or number,
// or the counter's rate is not known.
static bool prepare(struct map_neighbours *kept, const struct bench_session *session,
                    struct error *err)
{
    if (kept->program)
        return true;
    const struct gpu_kernel *kernel = kernel_find("map_neighbours");
    if (!kernel)
        return error_set(err, ERROR_UNSUPPORTED, "kernel map_neighbours is not in this build");
    if (!gpu_require(session->info, GPU_CAP(CORE_CLOCK) | GPU_CAP(CORE_ID), err))
        return false;
    if (!session->clock.has_counter || !(session->clock.counter_hz > 0))
        return error_set(err, ERROR_UNSUPPORTED, "kernels read no clock whose rate is known");
    const struct gpu_program_desc desc = {.kernel = kernel, .l1_percent = 100};
    kept->program = gpu_program_create(session->scope, &desc, err);
    return kept->program != NULL;
}

bool map_neighbours_visit(struct map_neighbours *kept, struct bench_visit *run,
                          struct measure_visit *visit, struct error *err)
{
    struct neighbours n = {.kept = kept, .visit = run};
    if (!prepare(kept, run->session, err) || !init(&n, err))
        return false;
    const struct params params = params_of(&n);
    if (!execute(&n, &params, err) || !verify(&n, &params, err))
        return false;
    report(&n, &params, visit);
    return true;
}
