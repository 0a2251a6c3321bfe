// SPDX-License-Identifier: MIT
#include "bench/bandwidth/work.h"

#include "base/divisor.h"
#include "measure/unit.h"

enum {
    // Up to this many bytes of working set per core, the device may merge loads of the same bytes
    // by several cores. On an H200, 1 to 85 % fewer loads then reach the L2. A core of 2048 threads
    // with 128 bytes each loads twice this many bytes at a time.
    MERGED_CORE_BYTES = 128 << 10,
    // Maximum iterations of a loop over several passes, because lavapipe stops longer loops.
    STEPS_MAX = 65535,
    GROUPS_MAX = 1 << 28, // maximum number of workgroups in a dispatch of several passes of reads
    // Workgroups in laps if the number of cores is unknown; more than any device runs at once.
    GROUPS_UNKNOWN = 1024,
    LOOP_CORE_THREADS = 1024
};

void bandwidth_case_read(const struct bench_case *c, struct bandwidth_case *this_case)
{
    const struct case_value *workgroups = case_find(c, "workgroups");
    *this_case = (struct bandwidth_case){
        .op = (enum bandwidth_op)case_choice(c, "op"),
        .scope = (enum bandwidth_scope)case_choice(c, "scope"),
        .shared = case_choice(c, "path") == 1,
        .apart = case_choice(c, "access") == 1,
        .doubles = case_choice(c, "type") == 1,
        .bytes = case_uint(c, "bytes"),
        .width = (unsigned)case_uint(c, "width"),
        .workgroups = workgroups ? (unsigned)workgroups->uint : 0,
        .shape = case_text(c, "shape"),
    };
}

uint64_t bandwidth_stream_bytes(const struct bandwidth_case *this_case)
{
    return this_case->op == BANDWIDTH_COPY ? this_case->bytes / 2 : this_case->bytes;
}

// ---------------------------------------------------------------- units of work

static uint64_t at_most(uint64_t value, uint64_t limit)
{
    return value < limit ? value : limit;
}

static uint64_t at_least_one(uint64_t value)
{
    return value ? value : 1;
}

// How a shape divides a buffer of the case into blocks (bandwidth.h explains them).
struct layout {
    uint64_t block_bytes, blocks;
    uint64_t rows; // number of blocks that a workgroup accesses in one iteration of its loop
    // number of blocks that a workgroup accesses in all, with the walks LONG, CHUNK and ONCE
    uint64_t chunk;
};

static bool divide(const struct bandwidth_work_desc *desc, struct layout *layout, struct error *err)
{
    const struct bandwidth_shape *shape = desc->shape;
    uint64_t bytes = bandwidth_stream_bytes(desc->this_case);
    layout->block_bytes = (uint64_t)BANDWIDTH_LANES * shape->loads * desc->this_case->width;
    layout->rows = shape->threads / BANDWIDTH_LANES;
    layout->blocks = bytes / layout->block_bytes;
    layout->chunk = layout->rows;
    if (shape->walk == BANDWIDTH_LONG)
        layout->chunk = BANDWIDTH_LONG_BYTES / layout->block_bytes;
    if (shape->walk == BANDWIDTH_CHUNK)
        layout->chunk =
            (uint64_t)BANDWIDTH_CHUNK_THREAD_BYTES * shape->threads / layout->block_bytes;
    bool loops = shape->walk == BANDWIDTH_LOOP || shape->walk == BANDWIDTH_PART;
    uint64_t grain = layout->block_bytes * (loops ? 1 : layout->chunk);
    if (bytes == 0 || bytes % grain != 0)
        return error_set(err, ERROR_UNSUPPORTED,
                         "%llu bytes do not divide into pieces of %llu: take a multiple",
                         (unsigned long long)bytes, (unsigned long long)grain);
    if (bytes / desc->this_case->width > UINT32_MAX)
        return error_set(err, ERROR_UNSUPPORTED, "%llu bytes are 2^32 elements or more",
                         (unsigned long long)bytes);
    return true;
}

// Returns the number of workgroups for a walk in laps. Each core gets one large workgroup, or small
// workgroups with as many threads. A second large workgroup would hit lines that the first one
// loaded, which would hide the end of the L1.
static uint64_t loop_groups(const struct bandwidth_work_desc *desc)
{
    if (desc->this_case->scope == BANDWIDTH_WORKGROUP)
        return 1;
    if (desc->this_case->scope == BANDWIDTH_SCALING)
        return desc->this_case->workgroups;
    uint64_t threads = desc->info->limits.core_threads;
    if (!threads || threads > LOOP_CORE_THREADS)
        threads = LOOP_CORE_THREADS;
    return desc->cores ? desc->cores * at_least_one(threads / desc->shape->threads)
                       : GROUPS_UNKNOWN;
}

// Makes a dispatch of whole laps. With the walk LOOP, a lap is the whole working set, and
// workgroups start at different places. With PART, a lap is a workgroup's own part. All parts are
// equally large; blocks that are left over are not read.
static bool loop(const struct bandwidth_work_desc *desc, const struct layout *layout,
                 struct bandwidth_work *work, struct error *err)
{
    uint64_t groups = loop_groups(desc), share = layout->blocks / groups;
    bool parts = desc->shape->walk == BANDWIDTH_PART;
    uint64_t extent = parts ? share : layout->blocks;
    if (extent == 0)
        return error_set(err, ERROR_UNSUPPORTED, "the working set is too small for %llu workgroups",
                         (unsigned long long)groups);
    uint64_t lap_steps = extent / divisor_common(extent, layout->rows);
    work->passes = at_least_one(at_most(work->passes, STEPS_MAX / lap_steps));
    uint64_t steps = work->passes * lap_steps, laps = steps * layout->rows / extent;
    work->groups = groups;
    work->grid[2] = 1;
    work->params = (struct bandwidth_params){
        .groups = (uint32_t)groups,
        .chunks = parts ? (uint32_t)groups : 1,
        .pitch = parts ? (uint32_t)share : 0,
        .turn = parts ? 0 : (uint32_t)at_least_one(share),
        .extent = (uint32_t)extent,
        .advance = (uint32_t)(layout->rows % extent),
        .steps = (uint32_t)steps,
    };
    work->stream_bytes = layout->block_bytes * extent * (parts ? groups : 1);
    work->times = parts ? laps : laps * groups;
    return true;
}

// Makes a dispatch of several passes, each with its own workgroups. A workgroup walks once through
// its own part of the working set (a "chunk").
static void pass(const struct bandwidth_work_desc *desc, const struct layout *layout,
                 struct bandwidth_work *work)
{
    bool in_z = desc->this_case->op != BANDWIDTH_READ;
    uint64_t limit = desc->info->limits.workgroup_count_z, chunks = layout->blocks / layout->chunk;
    if (!in_z)
        work->passes = at_least_one(at_most(work->passes, GROUPS_MAX / chunks));
    else if (limit)
        work->passes = at_most(work->passes, limit);
    work->groups = chunks * work->passes;
    work->params = (struct bandwidth_params){
        .groups = (uint32_t)(in_z ? chunks : work->groups),
        .chunks = (uint32_t)chunks,
        .pitch = (uint32_t)layout->chunk,
        .extent = (uint32_t)layout->chunk,
        .advance = (uint32_t)(in_z ? layout->rows : layout->rows % layout->chunk),
        .steps = (uint32_t)(layout->chunk / layout->rows),
    };
    work->grid[2] = in_z ? (uint32_t)work->passes : 1;
    work->stream_bytes = layout->block_bytes * layout->blocks;
    work->times = work->passes;
}

bool bandwidth_work_make(const struct bandwidth_work_desc *desc, struct bandwidth_work *work,
                         struct error *err)
{
    struct layout layout;
    if (!divide(desc, &layout, err))
        return false;
    *work = (struct bandwidth_work){.passes = at_least_one(desc->passes)};
    bool loops = desc->shape->walk == BANDWIDTH_LOOP || desc->shape->walk == BANDWIDTH_PART;
    if (!loops)
        pass(desc, &layout, work);
    else if (!loop(desc, &layout, work, err))
        return false;
    work->moved_bytes =
        work->stream_bytes * work->times * (desc->this_case->op == BANDWIDTH_COPY ? 2 : 1);

    // Workgroups beyond params.groups, which the grid may have, end at once.
    measure_unit_grid(work->params.groups, desc->info->limits.workgroup_count_x, work->grid);
    return true;
}

// ---------------------------------------------------------------- what the hardware could do

// Returns the number of cores that the case's workgroups occupy; 0 if the number is not known.
static unsigned cores_busy(const struct bandwidth_case *this_case,
                           const struct measure_limits *limits)
{
    if (this_case->scope == BANDWIDTH_DEVICE)
        return limits->cores;
    unsigned groups = this_case->scope == BANDWIDTH_WORKGROUP ? 1 : this_case->workgroups;
    unsigned cores = groups * limits->group_cores;
    return limits->cores && limits->cores < cores ? limits->cores : cores;
}

bool bandwidth_is_dram(const struct bandwidth_case *this_case, const struct measure_limits *limits)
{
    return this_case->apart && measure_limits_is_dram(limits, this_case->bytes);
}

struct measure_claim bandwidth_claim_of(const struct bandwidth_case *this_case,
                                        const struct measure_limits *limits, double bytes)
{
    struct measure_claim claim = {.cores = cores_busy(this_case, limits)};
    bool is_l1 = !this_case->apart && this_case->bytes <= limits->l1_bytes;
    enum measure_level level = this_case->shared                      ? MEASURE_SHARED
                               : is_l1                                ? MEASURE_CORE_CACHE
                               : bandwidth_is_dram(this_case, limits) ? MEASURE_DRAM
                                                                      : MEASURE_CACHE;
    // These workgroups read the same memory, so the L1 may serve their reads. If its size is
    // unknown, nobody knows which level serves them. So no hardware counts are predicted.
    if (!this_case->apart && !this_case->shared && limits->l1_bytes == 0)
        claim.counts = &measure_count_no_claims;
    if (level != MEASURE_DRAM && this_case->op != BANDWIDTH_WRITE)
        claim.set_bytes = this_case->bytes;
    claim.merges = claim.cores > 1 && this_case->bytes <= (uint64_t)claim.cores * MERGED_CORE_BYTES;
    if (this_case->op == BANDWIDTH_READ)
        claim.read_bytes[level] = bytes;
    else if (this_case->op == BANDWIDTH_WRITE)
        claim.written_bytes[level] = bytes;
    else
        claim.read_bytes[level] = claim.written_bytes[level] = bytes / 2;
    return claim;
}
