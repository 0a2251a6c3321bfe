// SPDX-License-Identifier: MIT
#include "bench/stream/session.h"
#include "measure/unit.h"

enum {
    // Maximum number of workgroups per core with kernel=occupancy. Every known core holds so many.
    RESIDENT_GROUPS_MAX = 16,
    SMALL_THREADS = 32,
    LARGE_THREADS = 128,
    SINGLE_GROUPS = 2, // number of workgroups per core with kernel=single
    // Threads per workgroup with kernel=single: SINGLE_LEAST, or multiples of SINGLE_STEP.
    SINGLE_LEAST = 32,
    SINGLE_STEP = 64,
    SINGLE_MOST = 1024,
    DRIVER_SHARED_BYTES = 1024,
    GRID_X_UNKNOWN = 65535,
    CORE_IDS_MAX = 4096
};

const struct stream_op stream_ops[STREAM_OPS] = {
    [STREAM_INIT] = {.name = "init",
                     .writes = 1,
                     .resident = true,
                     .single = true,
                     .shapes = {{512, 1, 1}, {256, 1, 1}}},
    [STREAM_READ] = {.name = "read",
                     .reads = 1,
                     .resident = true,
                     .weights = {0, 0, 1},
                     .single = true,
                     .shapes = {{256, 8, 4}, {256, 8, 1}}},
    [STREAM_COPY] = {.name = "copy",
                     .reads = 1,
                     .writes = 1,
                     .weights = {0, 0, 1},
                     .shapes = {{128, 1, 1}, {256, 1, 1}}},
    [STREAM_SCALE] = {.name = "scale",
                      .reads = 1,
                      .writes = 1,
                      .resident = true,
                      .weights = {0, 0, STREAM_FACTOR},
                      .single = true,
                      .shapes = {{128, 1, 1}, {256, 1, 1}}},
    [STREAM_ADD] = {.name = "add",
                    .reads = 2,
                    .writes = 1,
                    .weights = {0, 0, 1, 0, 0, 1},
                    .shapes = {{128, 1, 1}, {256, 1, 1}}},
    [STREAM_TRIAD] = {.name = "triad",
                      .reads = 2,
                      .writes = 1,
                      .resident = true,
                      .weights = {0, 0, 1, 0, 0, STREAM_FACTOR},
                      .single = true,
                      .shapes = {{128, 1, 1}, {256, 1, 1}}},
    [STREAM_DOT] = {.name = "dot",
                    .reads = 2,
                    .weights = {0, 0, 1},
                    .shapes = {{256, 8, 4}, {256, 4, 1}}},
    [STREAM_STAR3] = {.name = "3pt",
                      .reads = 1,
                      .writes = 1,
                      .weights = {0, 0.5f, -1, 0.5f, 0},
                      .shift = 1,
                      .single = true,
                      .shapes = {{128, 1, 1}, {256, 1, 1}}},
    [STREAM_STAR5] = {.name = "5pt",
                      .reads = 1,
                      .writes = 1,
                      .weights = {0.25f, 0.25f, -1, 0.5f, 0.5f},
                      .shift = 1,
                      .single = true,
                      .shapes = {{128, 1, 1}, {256, 1, 1}}},
};

void stream_case_read(const struct bench_case *c, struct stream_case *this_case)
{
    const struct case_value *threads = case_find(c, "threads");
    *this_case = (struct stream_case){
        .op = &stream_ops[case_choice(c, "op")],
        .doubles = case_choice(c, "type") == 1,
        .bytes = case_uint(c, "bytes"),
        .kernel = (enum stream_kernel)case_choice(c, "kernel"),
        .core_threads = threads ? (unsigned)threads->uint : 0,
        .best = case_choice(c, "shape") == 0,
    };
}

// ---------------------------------------------------------------- shapes

size_t stream_shapes(const struct stream_case *this_case, const struct gpu_info *info,
                     struct stream_shape shapes[STREAM_SHAPES_MAX])
{
    size_t count = 0;
    uint64_t most = info->limits.workgroup_threads;
    for (int i = 0; i < STREAM_SHAPES_MAX; i++)
        if (!most || this_case->op->shapes[i].threads <= most)
            shapes[count++] = (struct stream_shape){.threads = this_case->op->shapes[i].threads,
                                                    .loads = this_case->op->shapes[i].loads,
                                                    .steps = this_case->op->shapes[i].steps};
    return count;
}

bool stream_resident_shape(const struct stream_case *this_case, const struct gpu_info *info,
                           unsigned cores, struct stream_shape *shape, struct error *err)
{
    const gpu_caps both = GPU_CAP(CORE_ID) | GPU_CAP(DEVICE_CLOCK);
    uint64_t most = info->limits.core_threads, subgroup = info->limits.subgroup_threads;
    unsigned threads =
        this_case->core_threads <= SMALL_THREADS * RESIDENT_GROUPS_MAX && subgroup <= SMALL_THREADS
            ? SMALL_THREADS
            : LARGE_THREADS;
    if (!cores)
        return error_set(err, ERROR_UNSUPPORTED, "the number of cores of this device is not known");
    if (most && this_case->core_threads > most)
        return error_set(err, ERROR_UNSUPPORTED,
                         "a core of this device holds at most %llu threads, not %u",
                         (unsigned long long)most, this_case->core_threads);
    if (this_case->core_threads % threads != 0 ||
        this_case->core_threads / threads > RESIDENT_GROUPS_MAX)
        return error_set(err, ERROR_UNSUPPORTED,
                         "%u threads a core are not 1 to %d workgroups of %u",
                         this_case->core_threads, RESIDENT_GROUPS_MAX, threads);
    *shape = (struct stream_shape){.threads = threads,
                                   .loads = 1,
                                   .core_groups = this_case->core_threads / threads,
                                   .placed = (info->caps & both) == both};
    return true;
}

// Returns the size in bytes of an element, which is a block with kernel=single.
static unsigned element_bytes(const struct stream_case *this_case)
{
    return this_case->doubles ? sizeof(double) : sizeof(float);
}

bool stream_single_shape(const struct stream_case *this_case, const struct gpu_info *info,
                         struct stream_shape *shape, struct error *err)
{
    const struct gpu_limits *limits = &info->limits;
    const unsigned threads = this_case->core_threads / SINGLE_GROUPS;
    // Each workgroup reserves half of the core's shared memory minus 1 KiB, which drivers may add.
    const uint64_t half = limits->core_shared_bytes / SINGLE_GROUPS;
    if (!gpu_require(info, GPU_CAP(SHARED_CHOICE), err))
        return false;
    if (half <= DRIVER_SHARED_BYTES || half - DRIVER_SHARED_BYTES > limits->shared_choice_bytes)
        return error_set(err, ERROR_UNSUPPORTED,
                         "a workgroup cannot reserve half of the %llu bytes of shared memory that "
                         "a core of this device is known to have",
                         (unsigned long long)limits->core_shared_bytes);
    if (!limits->core_threads)
        return error_set(err, ERROR_UNSUPPORTED,
                         "it is not known how many threads a core of this device holds");
    if (this_case->core_threads > limits->core_threads)
        return error_set(err, ERROR_UNSUPPORTED,
                         "a core of this device holds at most %llu threads, not %u",
                         (unsigned long long)limits->core_threads, this_case->core_threads);
    if (this_case->core_threads % SINGLE_GROUPS != 0 ||
        (threads != SINGLE_LEAST && (threads % SINGLE_STEP != 0 || threads > SINGLE_MOST)))
        return error_set(err, ERROR_UNSUPPORTED,
                         "%u threads a core are not two workgroups of %d, or of a multiple of %d "
                         "threads up to %d",
                         this_case->core_threads, SINGLE_LEAST, SINGLE_STEP, SINGLE_MOST);
    // Threads number elements with 32 bits.
    if (this_case->bytes / element_bytes(this_case) > UINT32_MAX)
        return error_set(err, ERROR_UNSUPPORTED, "an array has %u GiB or more",
                         4 * element_bytes(this_case));
    *shape = (struct stream_shape){.threads = threads,
                                   .loads = 1,
                                   .steps = 1,
                                   .single = true,
                                   .reserved_bytes = (unsigned)(half - DRIVER_SHARED_BYTES)};
    return true;
}

// ---------------------------------------------------------------- the dispatch

// Returns the number of blocks in an array.
static uint64_t blocks_of(const struct stream_case *this_case, const struct stream_shape *shape)
{
    if (shape->single)
        return this_case->bytes / element_bytes(this_case);
    return this_case->bytes / ((uint64_t)shape->threads * shape->loads * STREAM_VECTOR_BYTES);
}

void stream_work_make(const struct stream_case *this_case, const struct stream_shape *shape,
                      const struct gpu_info *info, unsigned cores, uint64_t passes,
                      struct stream_work *work)
{
    uint64_t blocks = blocks_of(this_case, shape);
    unsigned pitch = shape->single ? shape->threads : shape->core_groups ? 1 : shape->steps;
    uint64_t groups =
        shape->core_groups ? (uint64_t)cores * shape->core_groups : (blocks + pitch - 1) / pitch;
    uint64_t most_x = info->limits.workgroup_count_x, most_z = info->limits.workgroup_count_z;
    if (groups > blocks)
        groups = blocks;
    if (!shape->core_groups && most_z && passes > most_z)
        passes = most_z;
    uint64_t steps = (blocks + groups - 1) / groups, loops = info->limits.loop_iterations;
    if (shape->core_groups && loops && passes * (steps + 1) > loops)
        passes = loops / (steps + 1);
    passes = passes > STREAM_PASSES_MAX ? STREAM_PASSES_MAX : passes ? passes : 1;
    *work = (struct stream_work){
        .params = {.blocks = (uint32_t)blocks,
                   .groups = (uint32_t)groups,
                   .passes = (uint32_t)passes,
                   .pitch = pitch,
                   .advance = shape->core_groups ? (uint32_t)groups : 1,
                   .reach = shape->core_groups ? (uint32_t)blocks : shape->steps,
                   .factor = STREAM_FACTOR,
                   .op = (uint32_t)(this_case->op - stream_ops)},
        .grid = {[2] = shape->core_groups ? 1 : (uint32_t)passes},
        .passes = passes,
        .moved_bytes = (this_case->op->reads + this_case->op->writes) * this_case->bytes * passes,
    };
    measure_unit_grid(groups, most_x ? most_x : GRID_X_UNKNOWN, work->grid);
}

uint64_t stream_set_bytes(const struct stream_case *this_case)
{
    const struct stream_op *op = this_case->op;
    return (uint64_t)(op->reads + op->writes) * this_case->bytes;
}

bool stream_refuse_cached(const struct stream_case *this_case, const struct measure_limits *limits,
                          struct error *err)
{
    uint64_t set = stream_set_bytes(this_case);
    uint64_t least = STREAM_CACHES * limits->last_cache_bytes;
    return set >= least ||
           error_set(err, ERROR_UNSUPPORTED,
                     "the arrays of %s have %llu bytes together, less than %d times the last-level "
                     "cache (%llu bytes): this would measure the cache; use `bandwidth` for that",
                     this_case->op->name, (unsigned long long)set, STREAM_CACHES,
                     (unsigned long long)limits->last_cache_bytes);
}

// ---------------------------------------------------------------- residency

void stream_residency_judge(struct arena *scratch, const struct stream_place *places,
                            uint32_t groups, unsigned core_groups, struct stream_residency *found)
{
    unsigned *counts = ARENA_ARRAY(scratch, CORE_IDS_MAX, unsigned);
    int32_t last_begin = INT32_MIN, first_end = INT32_MAX;
    for (uint32_t g = 0; g < groups; g++) {
        // Times count from the start of workgroup 0, because the clock's low words wrap around.
        int32_t begin = (int32_t)(places[g].begin - places[0].begin);
        int32_t end = (int32_t)(places[g].end - places[0].begin);
        last_begin = begin > last_begin ? begin : last_begin;
        first_end = end < first_end ? end : first_end;
        counts[places[g].core % CORE_IDS_MAX]++;
    }
    *found = (struct stream_residency){.at_once = last_begin < first_end};
    for (unsigned i = 0; i < CORE_IDS_MAX; i++) {
        found->cores += counts[i] > 0;
        found->uneven += counts[i] > 0 && counts[i] != core_groups;
    }
}
