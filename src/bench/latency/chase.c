// SPDX-License-Identifier: MIT
// Makes the programs and the memory of one visit of the benchmark latency, builds the chain in that
// memory, and runs chases over the chain.
#include "bench/latency/session.h"
#include "measure/count.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum {
    // Maximum number of nodes that one submission builds: so few that no watchdog stops it, even on
    // a CPU.
    BUILD_NODES = 1 << 22,
    NAME_BYTES = 64,
    // Before a chase, the workgroup reads a word per TOUCH_BYTES: one in each page of 64 KiB.
    TOUCH_BYTES = 65536,
    // Maximum number of times that the kernel of load=keep-awake checks whether the chase has
    // ended. A check (poll) takes about 1 µs.
    AWAKE_POLLS_MAX = 1 << 18,
    AWAKE_REPEATS = 64,
    FILL_CACHES = 2
};

struct params { // parameters that every kernel of the benchmark latency takes
#define X(name) uint32_t name;
    LATENCY_PARAMS(X)
#undef X
};

// Returns the parameters that describe the chain; all other parameters are 0.
static struct params chain_params(const struct latency_chase *chase)
{
    const struct latency_chain *chain = &chase->chain;
    return (struct params){
        .order = chain->order,
        .nodes = chain->nodes,
        .block_bytes = chain->block_bytes,
        .slots = chain->slots,
        .slot_bytes = chain->slot_bytes,
        .key = chain->key,
        .link_shift = chain->link_shift,
        .image_columns = chain->image_columns,
        .turns = chain->turns,
        .chunk_shift = chain->chunk_shift,
    };
}

// ---------------------------------------------------------------- programs

static struct gpu_program *chase_program(struct latency_chase *chase, struct error *err)
{
    const struct latency_case *this_case = &chase->this_case;
    char name[NAME_BYTES], kind[16] = "index";
    if (this_case->pointer)
        snprintf(kind, sizeof kind, "pointer");
    // The name contains the size in KiB of the smallest shared array that holds the region.
    else if (latency_on_chip(this_case->path))
        snprintf(kind, sizeof kind, "%uk", (unsigned)((chase->chain.bytes + 16383) / 16384 * 16));
    const char *path = this_case->path == LATENCY_ATOMIC_SHARED
                           ? "atomic_shared"
                           : latency_path_name(this_case->path);
    snprintf(name, sizeof name, "latency_%s_%s%s", path, kind,
             chase->session->clocked ? "_clock" : "");
    return latency_program(chase->session, name, err);
}

static struct gpu_program *control_program(const struct latency_chase *chase, const char *control,
                                           struct error *err)
{
    char name[NAME_BYTES];
    snprintf(name, sizeof name, "latency_control_%s%s", control,
             chase->session->clocked ? "_clock" : "");
    return latency_program(chase->session, name, err);
}

static const char *builder_name(const struct latency_case *this_case)
{
    if (this_case->pointer)
        return "latency_chain_pointer";
    return this_case->path == LATENCY_IMAGE ? "latency_chain_image" : "latency_chain_index";
}

static bool find_programs(struct latency_chase *chase, struct error *err)
{
    chase->program = chase_program(chase, err);
    if (!chase->program)
        return false;
    const char *control = latency_control_name(&chase->this_case);
    if (control) {
        chase->control = control_program(chase, control, err);
        if (!chase->control)
            return false;
    }
    if (!chase->this_case.keep_awake)
        return true;
    chase->awake = latency_program(chase->session, "latency_awake", err);
    return chase->awake && latency_stream(chase->session, err);
}

void latency_programs(struct bench_session *bench, const struct bench_case *c)
{
    struct latency_chase chase = {.session = bench->state};
    struct error unused;
    latency_case_read(c, &chase.this_case);
    if (!latency_chain_of(&chase.this_case, 1, &chase.chain, &unused))
        return;
    (void)chase_program(&chase, &unused);
    const char *control = latency_control_name(&chase.this_case);
    if (control)
        (void)control_program(&chase, control, &unused);
    if (!latency_on_chip(chase.this_case.path))
        (void)latency_program(chase.session, builder_name(&chase.this_case), &unused);
}

// ---------------------------------------------------------------- building

// Builds the chain on the device, in memory that find_memory has found.
static bool build(const struct latency_chase *chase, struct error *err)
{
    const struct bench_visit *visit = chase->visit;
    struct gpu_program *builder =
        latency_program(chase->session, builder_name(&chase->this_case), err);
    struct gpu_batch *batch =
        builder ? gpu_batch_create(visit->scope, &(struct gpu_batch_desc){0}, err) : NULL;
    if (!batch)
        return false;
    struct params params = chain_params(chase);
    for (uint32_t left = params.nodes; left > 0; left = params.nodes - params.start) {
        uint32_t count = left < BUILD_NODES ? left : BUILD_NODES;
        struct gpu_dispatch dispatch = {
            .program = builder,
            .groups = {(count + LATENCY_WORKGROUP - 1) / LATENCY_WORKGROUP},
            .args = {chase->region},
            .params = &params,
            .params_bytes = sizeof params,
        };
        if (params.start > 0 && !gpu_batch_reset(batch, err))
            return false;
        gpu_batch_dispatch(batch, &dispatch);
        if (!gpu_batch_end(batch, err) || !gpu_batch_run(batch, visit->request->timeout_ns, err))
            return false;
        params.start += count;
    }
    return true;
}

// Returns true if each round should put the chain at another address, so that the interval includes
// the effect of the address on the time of an L2 load. A chain that an L1 may hold keeps its
// address. Elsewhere it could fill the sets unevenly, and the L1 would look smaller.
static bool is_moved(const struct latency_case *this_case)
{
    return this_case->path == LATENCY_ATOMIC || this_case->bytes >= LATENCY_PAGE_LAP_BYTES;
}

// Finds the memory for the chain, chooses the chain's address if it moves (is_moved), and sets the
// kernels' argument.
static bool find_memory(struct latency_chase *chase, struct error *err)
{
    struct latency_session *session = chase->session;
    const struct latency_case *this_case = &chase->this_case;
    struct latency_chain *chain = &chase->chain;
    if (this_case->path == LATENCY_CONSTANT) {
        chase->region = (struct gpu_arg){.buffer = latency_constants(session, err)};
        return chase->region.buffer != NULL;
    }
    bool chunks = this_case->pointer && this_case->order == LATENCY_ORDER_PAGE;
    if (chunks && this_case->page > latency_chunk_bytes(session->bench->info))
        return error_set(err, ERROR_UNSUPPORTED,
                         "a page of %" PRIu32 " bytes is too large: at most %" PRIu64,
                         this_case->page, latency_chunk_bytes(session->bench->info));
    struct latency_region *memory = latency_region(session, this_case, chain->bytes, err);
    if (!memory)
        return false;
    chase->memory = memory;
    uint64_t offset = 0;
    if (chunks) {
        chain->chunk_shift = latency_log2(memory->chunk_bytes / chain->block_bytes);
    } else {
        chase->moves =
            is_moved(this_case) && memory->chunk_bytes - chain->bytes >= BENCH_PLACE_BYTES;
        uint32_t key = chase->moves ? chain->key : 0;
        if (!latency_region_place(memory, session, chain->bytes, key, &offset, err))
            return false;
    }
    if (this_case->pointer)
        chase->region = (struct gpu_arg){.buffer = memory->directory};
    else
        chase->region =
            (struct gpu_arg){.buffer = memory->chunks[0], .offset = offset, .bytes = chain->bytes};
    return true;
}

// Allocates a buffer that nothing uses, with another size than in the round before. The driver may
// then put the image that follows at another address.
static bool occupy(const struct latency_chase *chase, struct error *err)
{
    static const uint64_t sizes = 32, unit_bytes = UINT64_C(2) << 20;
    uint64_t bytes = (chase->chain.key % sizes + 1) * unit_bytes;
    return bench_buffer(chase->visit->scope, bytes, GPU_MEMORY_DEVICE, err) != NULL;
}

// Makes a typed view for path=texel, or copies the chain into an image for path=image.
static bool make_views(struct latency_chase *chase, struct error *err)
{
    struct gpu_scope *scope = chase->visit->scope;
    struct gpu_arg *region = &chase->region;
    if (chase->this_case.path == LATENCY_TEXEL) {
        region->typed = gpu_typed_create(scope, region->buffer, GPU_FORMAT_R32_UINT, region->offset,
                                         chase->chain.bytes / 4, err);
        return region->typed != NULL;
    }
    if (chase->this_case.path != LATENCY_IMAGE)
        return true;
    uint32_t columns = chase->chain.image_columns;
    struct gpu_image_desc desc = {
        .format = GPU_FORMAT_RG32_UINT,
        .width = columns * LATENCY_IMAGE_SIDE,
        .height = chase->chain.nodes / columns * LATENCY_IMAGE_SIDE,
    };
    if (chase->moves && !occupy(chase, err))
        return false;
    region->image = gpu_image_create(scope, &desc, err);
    return region->image && gpu_image_copy_from(region->image, region->buffer, region->offset, err);
}

bool latency_chase_init(struct latency_chase *chase, struct latency_session *session,
                        const struct bench_visit *visit, struct error *err)
{
    *chase = (struct latency_chase){.session = session, .visit = visit};
    struct latency_case *this_case = &chase->this_case;
    latency_case_read(visit->bench_case, this_case);
    const char *name = NULL;
    uint64_t bytes_max = latency_bytes_max(session->bench->info, this_case, &name);
    if (!latency_path_has(this_case->path, this_case->pointer, this_case->order))
        return error_set(err, ERROR_USAGE, "path %s has no such chain",
                         latency_path_name(this_case->path));
    gpu_caps needed = latency_caps(this_case->path, this_case->pointer) |
                      (this_case->keep_awake ? GPU_CAP(UNORDERED) : 0);
    if (!gpu_require(session->bench->info, needed, err))
        return false;
    if (this_case->bytes > bytes_max)
        return error_set(err, ERROR_UNSUPPORTED,
                         "%" PRIu64 " bytes are too many: path %s reaches %" PRIu64
                         " on this device (%s)",
                         this_case->bytes, latency_path_name(this_case->path), bytes_max, name);
    // Each round has another permutation of the nodes, so that the confidence interval includes its
    // effect.
    uint32_t key = bench_round_key(visit->request->round);
    if (!latency_chain_of(this_case, key, &chase->chain, err) || !find_programs(chase, err))
        return false;
    return latency_on_chip(this_case->path) ||
           (find_memory(chase, err) && build(chase, err) && make_views(chase, err));
}

// ---------------------------------------------------------------- running

uint64_t latency_run_hops(const struct latency_run *run)
{
    return LATENCY_UNROLL * ((uint64_t)run->untimed + (uint64_t)run->windows * run->repeats);
}

static struct params run_params(const struct latency_chase *chase, uint32_t token)
{
    struct params params = chain_params(chase);
    params.mask = UINT32_MAX >> (32 - measure_clock_low_bits(&chase->session->bench->clock));
    params.never = UINT32_MAX;
    params.token = token;
    return params;
}

// Records the kernel of load=keep-awake, which keeps the device busy until the chase beside it has
// ended, or for AWAKE_POLLS_MAX polls.
static void record_awake(struct latency_chase *chase, struct gpu_batch *batch,
                         const struct gpu_arg *out, uint32_t token)
{
    struct params params = run_params(chase, token);
    params.nodes = LATENCY_STREAM_BYTES / LATENCY_STRIDE_BYTES;
    params.windows = AWAKE_POLLS_MAX;
    params.repeats = AWAKE_REPEATS;
    struct gpu_dispatch dispatch = {
        .program = chase->awake,
        .args = {*out, {.buffer = chase->session->stream}},
        .params = &params,
        .params_bytes = sizeof params,
    };
    gpu_batch_dispatch(batch, &dispatch);
}

static void record_run(struct latency_chase *chase, struct gpu_batch *batch, unsigned slot,
                       const struct latency_run *run)
{
    struct latency_session *session = chase->session;
    struct params params = run_params(chase, ++session->token);
    params.start = run->start;
    params.warm = run->warm;
    if (run->touch) {
        params.touch_step =
            chase->chain.block_bytes < TOUCH_BYTES ? TOUCH_BYTES / chase->chain.block_bytes : 1;
        params.touch =
            (uint32_t)(chase->chain.bytes / chase->chain.block_bytes / params.touch_step);
    }
    params.lead = run->untimed;
    params.windows = run->windows;
    params.repeats = run->repeats;
    struct gpu_arg out = {.buffer = session->out,
                          .offset = (uint64_t)slot * LATENCY_OUT_STRIDE,
                          .bytes = (uint64_t)LATENCY_OUT_WORDS * 4};
    struct gpu_dispatch dispatch = {
        .program = run->control ? chase->control : chase->program,
        .params = &params,
        .params_bytes = sizeof params,
    };
    bool region = !run->control && !latency_on_chip(chase->this_case.path);
    if (region)
        dispatch.args[0] = chase->region;
    dispatch.args[region ? 1 : 0] = out;
    gpu_batch_dispatch(batch, &dispatch);
    if (chase->awake && !run->control)
        record_awake(chase, batch, &out, params.token);
}

static bool record(struct latency_chase *chase, struct gpu_batch *batch,
                   const struct latency_run *runs, unsigned count, struct error *err)
{
    measure_clock_lead(&chase->session->bench->clock, batch, chase->lead_ns);
    for (unsigned i = 0; i < count; i++) {
        gpu_batch_span_begin(batch, i);
        record_run(chase, batch, i, &runs[i]);
        gpu_batch_span_end(batch, i);
        if (chase->awake)
            gpu_batch_barrier(batch, GPU_BARRIER_MEMORY);
    }
    gpu_batch_copy(batch, chase->session->readback, 0, chase->session->out, 0,
                   (uint64_t)count * LATENCY_OUT_STRIDE);
    return gpu_batch_end(batch, err);
}

// ---------------------------------------------------------------- counting

static struct gpu_batch *batch_of_run(struct latency_chase *chase, const struct latency_run *run,
                                      struct error *err)
{
    const struct gpu_batch_desc desc = {.unordered = chase->awake != NULL};
    struct gpu_batch *batch = gpu_batch_create(chase->visit->scope, &desc, err);
    if (!batch)
        return NULL;
    record_run(chase, batch, 0, run);
    return gpu_batch_end(batch, err) ? batch : NULL;
}

// Returns a batch that fills a buffer of FILL_CACHES times the largest possible cache, to remove
// other data from the caches; NULL with `err` on failure.
static struct gpu_batch *batch_of_fill(const struct latency_chase *chase, struct error *err)
{
    struct gpu_scope *scope = chase->visit->scope;
    uint64_t bytes =
        FILL_CACHES * measure_limits_cache_most(&chase->session->bench->limits) / 4 * 4;
    struct gpu_buffer *memory = bench_buffer(scope, bytes, GPU_MEMORY_DEVICE, err);
    struct gpu_batch *batch =
        memory ? gpu_batch_create(scope, &(struct gpu_batch_desc){0}, err) : NULL;
    if (!batch)
        return NULL;
    gpu_batch_fill(batch, memory, 0, bytes, 0);
    return gpu_batch_end(batch, err) ? batch : NULL;
}

bool latency_chase_count(struct latency_chase *chase, const struct latency_run *run,
                         struct error *err)
{
    const struct measure_request *request = chase->visit->request;
    struct latency_run longer = *run;
    longer.repeats = 2 * run->repeats;
    struct measure_count_desc desc = {.units = (double)run->windows * run->repeats * LATENCY_UNROLL,
                                      .timeout_ns = request->timeout_ns};
    if (!(desc.once = batch_of_run(chase, run, err)))
        return false;
    // With warm-up laps, `run` warms the caches for both chases, because it leaves less of the
    // chain in the caches than `longer` does.
    desc.before = run->warm == 0 ? batch_of_fill(chase, err) : desc.once;
    return desc.before && (desc.twice = batch_of_run(chase, &longer, err)) &&
           measure_count_run(request->count, &desc, err);
}

// ---------------------------------------------------------------- checking

// Returns the link at which the control kernel ends. Two hops change the link x to (x + (x <<
// shift)) ^ key.
static uint32_t control_end(const struct latency_chase *chase, const struct latency_run *run)
{
    uint32_t link = run->start, shift = 2 + chase->chain.link_shift;
    for (uint64_t hop = 0; hop < latency_run_hops(run); hop += 2)
        link = (link + (link << shift)) ^ chase->chain.key;
    return link;
}

static bool check_run(const struct latency_chase *chase, const struct latency_run *run,
                      const uint32_t *words, uint32_t token, struct error *err)
{
    if (words[LATENCY_OUT_DONE] != token)
        return error_set(err, ERROR_MISMATCH, "the kernel did not end");
    uint32_t expected[2] = {0};
    uint32_t hop = (uint32_t)((run->start + latency_run_hops(run)) % chase->chain.nodes);
    if (run->control)
        expected[0] = control_end(chase, run);
    else
        latency_link(&chase->this_case, &chase->chain,
                     chase->memory ? chase->memory->addresses : NULL, hop, expected);
    const uint32_t *seen = words + LATENCY_OUT_LINK;
    if (seen[0] == expected[0] && seen[1] == expected[1])
        return true;
    return error_set(err, ERROR_MISMATCH,
                     "after %" PRIu64 " hops from number %" PRIu32 " the chase is at %08" PRIx32
                     "%08" PRIx32 " instead of %08" PRIx32 "%08" PRIx32 ", where hop %" PRIu32
                     " of %" PRIu32 " is",
                     latency_run_hops(run), run->start, seen[1], seen[0], expected[1], expected[0],
                     hop, chase->chain.nodes);
}

bool latency_chase_run(struct latency_chase *chase, struct latency_run *runs, unsigned count,
                       struct error *err)
{
    const struct bench_visit *visit = chase->visit;
    const struct measure_clock *clock = &chase->session->bench->clock;
    struct gpu_batch_desc desc = {.span_count = count, .unordered = chase->awake != NULL};
    struct gpu_batch *batch = gpu_batch_create(visit->scope, &desc, err);
    uint32_t token = chase->session->token;
    if (!batch || !record(chase, batch, runs, count, err) ||
        !gpu_batch_run(batch, visit->request->timeout_ns, err))
        return false;
    const uint32_t *map = gpu_buffer_map(chase->session->readback);
    for (unsigned i = 0; i < count; i++) {
        const uint32_t *words = &map[(size_t)i * LATENCY_OUT_STRIDE / sizeof *map];
        if (!gpu_batch_span_ns(batch, i, &runs[i].span_ns, err) ||
            !check_run(chase, &runs[i], words, token + i + 1, err))
            return false;
        const uint32_t *device = words + LATENCY_OUT_DEVICE;
        runs[i].counts = words + LATENCY_OUT_WINDOWS;
        runs[i].count = words[LATENCY_OUT_COUNT];
        // The clock may not move during a chase that is shorter than its step.
        runs[i].device_ns =
            fmax(clock->device_step_ns, measure_clock_elapsed_ns(clock, measure_clock_stamp(device),
                                                                 measure_clock_stamp(device + 2)));
    }
    return true;
}
