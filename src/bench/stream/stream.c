// SPDX-License-Identifier: MIT
#include "bench/stream/session.h"

static const struct param_info params[] = {
    {.key = "kernel",
     .type = PARAM_TEXT,
     .quick = "tuned",
     .standard = "tuned,occupancy",
     .full = "tuned,occupancy,single",
     .choices = "tuned|occupancy|single",
     .help = "tuned: each thread makes a few steps, with several loads in flight; occupancy: "
             "workgroups loop, a fixed number on each core; single: each thread takes one element, "
             "as in gpu-stream, and a core holds two workgroups of half the threads"},
    {.key = "op",
     .type = PARAM_TEXT,
     .quick = "init,read,copy,triad",
     .standard = "init,read,copy,scale,add,triad,dot,3pt,5pt",
     .choices = "init|read|copy|scale|add|triad|dot|3pt|5pt",
     .help = "the operation; kernel=occupancy has init, read, scale and triad, kernel=single also "
             "3pt and 5pt"},
    {.key = "type",
     .type = PARAM_TEXT,
     .quick = "float",
     .standard = "float,double",
     .choices = "float|double",
     .help = "element type; kernel=occupancy has only float"},
    {.key = "bytes",
     .type = PARAM_BYTES,
     .unit = UNIT_BYTE,
     .quick = "256MiB",
     .standard = "1GiB",
     .least = STREAM_GRAIN_BYTES,
     .multiple = STREAM_GRAIN_BYTES,
     .takes_max = true,
     .help =
         "size of each array; presets take at least 4 last-level caches, and not more than fits"},
    {.key = "threads",
     .type = PARAM_UINT,
     .standard = "32,64..2048+64,max",
     .when = "kernel=occupancy|single",
     .least = 1,
     .most = UINT32_MAX,
     .takes_max = true,
     .help =
         "threads at work on each core; of a preset's values kernel=occupancy has the powers of "
         "two, kernel=single 64 and multiples of 128"},
    {.key = "shape",
     .type = PARAM_TEXT,
     .quick = "default",
     .standard = "best",
     .role = PARAM_METHOD,
     .choices = "best|default",
     .help = "threads of a workgroup × loads in flight; best: tries several and keeps the fastest"},
};

static const struct metric_info metrics[] = {
    {.name = "bandwidth",
     .unit = UNIT_BYTE_PER_S,
     .better = BETTER_HIGHER,
     .help = "bytes read and written per second of device time; reads that a write causes are not "
             "counted"},
};

static const struct view_info views[] = {
    {.kind = VIEW_BARS,
     .title = "Bandwidth of DRAM by operation",
     .x = "op",
     .metric = "bandwidth",
     .group = "type",
     .scale = "linear",
     .where = "kernel=tuned"},
    {.kind = VIEW_CURVE,
     .title = "Bandwidth of DRAM by threads at work on each core",
     .x = "threads",
     .metric = "bandwidth",
     .group = "op",
     .scale = "log2-log10",
     .where = "kernel=occupancy"},
    {.kind = VIEW_CURVE,
     .title = "Bandwidth of DRAM by threads at work on each core, an element a thread",
     .x = "threads",
     .metric = "bandwidth",
     .group = "op,type",
     .scale = "log2-log10",
     .where = "kernel=single"},
};

static const struct headline_info headlines[] = {
    {.kind = HEADLINE_BEST,
     .title = "DRAM read",
     .metric = "bandwidth",
     .where = "kernel=tuned,op=read",
     .section = CARD_BANDWIDTH,
     .row = "DRAM",
     .name = "read"},
    {.kind = HEADLINE_BEST,
     .title = "DRAM copy",
     .metric = "bandwidth",
     .where = "kernel=tuned,op=copy",
     .section = CARD_BANDWIDTH,
     .row = "DRAM",
     .name = "copy"},
    {.kind = HEADLINE_BEST,
     .title = "DRAM triad",
     .metric = "bandwidth",
     .where = "kernel=tuned,op=triad"},
};

// ---------------------------------------------------------------- the plan

enum {
    THREADS_UNKNOWN = 2048,
    CPU_BYTES_UNKNOWN = 64 << 20,
    MEMORY_SHARE = 8 // each of three arrays takes at most 1/8 of the device's memory
};

enum stream_param { // indices of the array `params`
    STREAM_PARAM_KERNEL,
    STREAM_PARAM_OP,
    STREAM_PARAM_TYPE,
    STREAM_PARAM_BYTES,
    STREAM_PARAM_THREADS
};

// Returns the size in bytes of an array for presets and for the word "max". A GPU uses `given`, but
// at least STREAM_CACHES times the largest possible cache. A CPU uses STREAM_CACHES times this
// cache or, if no cache is known, CPU_BYTES_UNKNOWN. The device's memory and limits may lower the
// size.
static uint64_t usual_bytes(const struct gpu_info *device, const struct measure_limits *limits,
                            uint64_t given)
{
    uint64_t grain = STREAM_GRAIN_BYTES, cache = measure_limits_cache_most(limits);
    uint64_t least = (STREAM_CACHES * cache + grain - 1) / grain * grain;
    uint64_t bytes = given > least ? given : least;
    if (device->kind == GPU_KIND_CPU) // a CPU fills memory slowly, so `given` is not used
        bytes = least ? least : CPU_BYTES_UNKNOWN;
    bytes = measure_limits_buffer(&device->limits, bytes, MEMORY_SHARE);
    if (bytes % grain == 0 &&
        (bytes == device->limits.storage_range_bytes || bytes == device->limits.allocation_bytes))
        bytes -= grain; // leaves room for STREAM_PAD_BYTES behind the array
    return bytes < grain ? grain : bytes / grain * grain;
}

static void replace(const struct bench_pick *pick)
{
    if (pick->param == STREAM_PARAM_TYPE && case_choice(&pick->c, "kernel") == STREAM_OCCUPANCY)
        (void)case_value_set_text(pick->value, &params[pick->param], "float");
}

// Adapts a value of a parameter to the device. Returns false if the plan leaves the value out.
// - `bytes`: a preset's value or "max" becomes the size of usual_bytes().
// - `kernel`: "single" needs a device that can reserve shared memory.
// - `threads`: the value is lowered to the number of threads that a core holds (if not known,
//   THREADS_UNKNOWN). It must divide into a kernel's workgroups. With kernel=occupancy, it must be
//   a power of two or all threads of a core.
static bool reach(const struct bench_pick *pick)
{
    const struct gpu_info *device = pick->request->device;
    struct measure_limits limits;
    const struct bench_choice *choice = &pick->request->choices[pick->param];
    struct stream_shape shape;
    measure_limits_of(device, &limits);
    if (pick->param == STREAM_PARAM_BYTES &&
        (!choice->from_user || pick->value->uint == UINT64_MAX))
        pick->value->uint = usual_bytes(device, &limits, pick->value->uint);
    if (pick->param == STREAM_PARAM_KERNEL)
        return pick->value->choice != STREAM_SINGLE || device->caps & GPU_CAP(SHARED_CHOICE);
    if (pick->param != STREAM_PARAM_THREADS)
        return true;
    uint64_t most = device->limits.core_threads ? device->limits.core_threads : THREADS_UNKNOWN;
    uint64_t threads = pick->value->uint = pick->value->uint < most ? pick->value->uint : most;
    const struct stream_case this_case = {.core_threads = (unsigned)threads};
    if (case_choice(&pick->c, "kernel") == STREAM_SINGLE)
        return stream_single_shape(&this_case, device, &shape, NULL);
    return (threads == most || (threads & (threads - 1)) == 0) &&
           stream_resident_shape(&this_case, device, limits.cores, &shape, NULL);
}

static bool has_kernel(const struct bench_pick *pick, struct error *err)
{
    (void)err;
    const struct stream_op *op = &stream_ops[case_choice(&pick->c, "op")];
    const bool has[] = {
        [STREAM_TUNED] = true, [STREAM_OCCUPANCY] = op->resident, [STREAM_SINGLE] = op->single};
    return has[case_choice(&pick->c, "kernel")];
}

static unsigned counted(const struct bench_case *c)
{
    (void)c;
    return MEASURE_COUNT_MEMORY;
}

const struct benchmark bench_stream = {
    .info = {.name = "stream",
             .version = 2,
             .title = "Bandwidth of DRAM by operation and by occupancy",
             BENCHMARK_TABLE(param, params),
             BENCHMARK_TABLE(metric, metrics),
             BENCHMARK_TABLE(view, views),
             BENCHMARK_TABLE(headline, headlines)},
    .description =
        "Operations on arrays far larger than all caches: init, read, copy, scale, add, triad, dot "
        "product, and stencils of 3 and 5 points, in floats and doubles. Each operation uses the "
        "fastest of a few kernels that pass once through memory. Workgroups that stay on a core "
        "and loop show how many threads a core needs to reach that bandwidth; threads that take "
        "one element each repeat the measurement of gpu-stream. What is written and read is "
        "checked.",
    .product = {.replace = replace, .reach = reach, .keep = has_kernel},
    .open = stream_open,
    .close = stream_close,
    .counted = counted,
    .visit = stream_visit,
};
