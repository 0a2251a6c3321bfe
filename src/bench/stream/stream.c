// SPDX-License-Identifier: MIT
#include "bench/stream/session.h"

#include <string.h>

static const struct param_info params[] = {
    {.key = "kernel",
     .type = PARAM_TEXT,
     .quick = "tuned",
     .standard = "tuned,occupancy",
     .choices = "tuned|occupancy",
     .help =
         "one step a thread with several loads in flight, or workgroups that loop, so many a core"},
    {.key = "op",
     .type = PARAM_TEXT,
     .quick = "init,read,copy,triad",
     .standard = "init,read,copy,scale,add,triad,dot,3pt,5pt",
     .choices = "init|read|copy|scale|add|triad|dot|3pt|5pt",
     .help = "what is done; with kernel=occupancy init, read, scale and triad"},
    {.key = "type",
     .type = PARAM_TEXT,
     .quick = "float",
     .standard = "float,double",
     .choices = "float|double",
     .help = "element type; with kernel=occupancy float"},
    {.key = "bytes",
     .type = PARAM_BYTES,
     .unit = UNIT_BYTE,
     .quick = "256MiB",
     .standard = "1GiB",
     .help = "of each array; by default at least 4 last-level caches, and not more than fits"},
    {.key = "threads",
     .type = PARAM_UINT,
     .standard = "32..max",
     .help = "with kernel=occupancy: threads at work on each core"},
    {.key = "shape",
     .type = PARAM_TEXT,
     .quick = "default",
     .standard = "best",
     .role = PARAM_METHOD,
     .choices = "best|default",
     .help = "threads of a workgroup × loads in flight: best tries several and keeps the fastest"},
};

static const struct metric_info metrics[] = {
    {.name = "bandwidth",
     .unit = UNIT_BYTE_PER_S,
     .better = BETTER_HIGHER,
     .help =
         "bytes read and written over device time; what a write may fetch first is not counted"},
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
};

static const struct headline_info headlines[] = {
    {.kind = HEADLINE_BEST,
     .title = "DRAM read",
     .metric = "bandwidth",
     .where = "kernel=tuned,op=read"},
    {.kind = HEADLINE_BEST,
     .title = "DRAM copy",
     .metric = "bandwidth",
     .where = "kernel=tuned,op=copy"},
    {.kind = HEADLINE_BEST,
     .title = "DRAM triad",
     .metric = "bandwidth",
     .where = "kernel=tuned,op=triad"},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

// ---------------------------------------------------------------- the plan

enum {
    THREADS_UNKNOWN = 2048,
    CPU_BYTES_UNKNOWN = 64 << 20,
    MEMORY_SHARE = 8 // of the device's memory for one of three arrays
};

struct planner {
    const struct bench_request *request;
    struct bench_case_list *list;
    const struct bench_choice *kernel, *op, *type, *bytes, *threads, *shape;
    struct measure_limits limits;
};

// An array of the preset's: large enough to be DRAM, where that fits.
static uint64_t usual_bytes(const struct planner *p, uint64_t given)
{
    const struct gpu_info *device = p->request->device;
    uint64_t grain = STREAM_GRAIN_BYTES, cache = p->limits.last_cache_bytes;
    uint64_t least = (STREAM_CACHES * cache + grain - 1) / grain * grain;
    uint64_t bytes = given > least ? given : least;
    if (device->kind == GPU_KIND_CPU) // its memory is slow to fill
        bytes = least ? least : CPU_BYTES_UNKNOWN;
    bytes = measure_limits_buffer(&device->limits, bytes, MEMORY_SHARE);
    if (bytes % grain == 0 &&
        (bytes == device->limits.storage_range_bytes || bytes == device->limits.allocation_bytes))
        bytes -= grain; // there is a pad behind it
    return bytes < grain ? grain : bytes / grain * grain;
}

static void add_case(const struct planner *p, const struct case_value *const *chosen, size_t count)
{
    struct case_value *values = ARENA_ARRAY(p->request->arena, count + 1, struct case_value);
    for (size_t i = 0; i < count; i++)
        values[i] = *chosen[i];
    values[count] = p->shape->values[0];
    bench_case_add(p->request->arena, p->list,
                   (struct bench_case){.values = values, .value_count = count + 1});
}

static void add_tuned(const struct planner *p, const struct case_value *kernel,
                      const struct case_value *bytes)
{
    for (size_t t = 0; t < p->type->value_count; t++)
        for (size_t o = 0; o < p->op->value_count; o++) {
            const struct case_value *chosen[] = {kernel, &p->op->values[o], &p->type->values[t],
                                                 bytes};
            add_case(p, chosen, COUNT(chosen));
        }
}

static void add_occupancy(const struct planner *p, const struct case_value *kernel,
                          const struct case_value *bytes, const struct case_value *threads)
{
    struct case_value type = p->type->values[0];
    type.text = "float";
    for (size_t o = 0; o < p->op->value_count; o++) {
        const struct case_value *chosen[] = {kernel, &p->op->values[o], &type, bytes, threads};
        if (stream_op_find(p->op->values[o].text)->resident)
            add_case(p, chosen, COUNT(chosen));
    }
}

// All occupancies that the device has workgroups for.
static void add_occupancies(const struct planner *p, const struct case_value *kernel,
                            const struct case_value *bytes)
{
    const struct gpu_info *device = p->request->device;
    uint64_t most = device->limits.core_threads ? device->limits.core_threads : THREADS_UNKNOWN;
    bool full = false;
    for (size_t i = 0; i < p->threads->value_count; i++) {
        struct case_value threads = p->threads->values[i];
        struct stream_shape shape;
        struct error none;
        if (threads.uint == UINT64_MAX || (!p->threads->from_user && threads.uint > most))
            threads.uint = most;
        const struct stream_case this_case = {.core_threads = (unsigned)threads.uint};
        bool known = stream_resident_shape(&this_case, device, p->limits.cores, &shape, &none);
        if ((known && !full) || p->threads->from_user)
            add_occupancy(p, kernel, bytes, &threads);
        full = threads.uint == most;
    }
}

static bool check_choices(const struct planner *p, struct error *err)
{
    for (size_t i = 0; i < p->bytes->value_count; i++) {
        uint64_t bytes = p->bytes->values[i].uint;
        if (p->bytes->from_user && bytes != UINT64_MAX &&
            (bytes == 0 || bytes % STREAM_GRAIN_BYTES != 0))
            return error_set(err, ERROR_USAGE, "stream.bytes=%llu: take a multiple of 128KiB",
                             (unsigned long long)bytes);
    }
    for (size_t i = 0; i < p->threads->value_count; i++)
        if (p->threads->from_user && p->threads->values[i].uint > UINT32_MAX &&
            p->threads->values[i].uint != UINT64_MAX)
            return error_set(err, ERROR_USAGE, "stream.threads: no core has so many");
    return p->shape->value_count == 1 ||
           error_set(err, ERROR_USAGE, "stream.shape takes one value, not a list");
}

bool stream_plan(const struct bench_request *request, struct bench_case_list *list,
                 struct error *err)
{
    struct planner p = {.request = request,
                        .list = list,
                        .kernel = bench_choice_find(request, "kernel"),
                        .op = bench_choice_find(request, "op"),
                        .type = bench_choice_find(request, "type"),
                        .bytes = bench_choice_find(request, "bytes"),
                        .threads = bench_choice_find(request, "threads"),
                        .shape = bench_choice_find(request, "shape")};
    size_t before = list->count;
    measure_limits_of(request->device, &p.limits);
    if (!check_choices(&p, err))
        return false;
    for (size_t k = 0; k < p.kernel->value_count; k++)
        for (size_t b = 0; b < p.bytes->value_count; b++) {
            struct case_value *bytes = ARENA_NEW(request->arena, struct case_value);
            *bytes = p.bytes->values[b];
            if (!p.bytes->from_user || bytes->uint == UINT64_MAX)
                bytes->uint = usual_bytes(&p, bytes->uint);
            if (strcmp(p.kernel->values[k].text, "tuned") == 0)
                add_tuned(&p, &p.kernel->values[k], bytes);
            else
                add_occupancies(&p, &p.kernel->values[k], bytes);
        }
    return list->count > before ||
           error_set(err, ERROR_USAGE,
                     "stream: these values do not go together; see `fathom list stream`");
}

const struct benchmark bench_stream = {
    .info =
        {
            .name = "stream",
            .version = 1,
            .title = "Bandwidth of DRAM by operation and by occupancy",
            .params = params,
            .param_count = COUNT(params),
            .metrics = metrics,
            .metric_count = COUNT(metrics),
            .views = views,
            .view_count = COUNT(views),
            .headlines = headlines,
            .headline_count = COUNT(headlines),
        },
    .description =
        "Operations on arrays far larger than all caches: init, read, copy, scale, add, triad, dot "
        "product, stencils of 3 and 5 points, in floats and doubles, each by the best of a few "
        "kernels that go once through memory; and how many threads a core it takes, by workgroups "
        "that stay and loop. Every number that is written is checked, and the bits of all that is "
        "read.",
    .plan = stream_plan,
    .open = stream_open,
    .close = stream_close,
    .visit = stream_visit,
};
