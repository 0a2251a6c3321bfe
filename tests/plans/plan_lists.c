// SPDX-License-Identifier: MIT
// Plans every benchmark in every preset, and with settings of users, for recorded devices. Prints
// one line for each plan. test_plans.py compares these lines with plans.txt.
//
//   plan_lists ROOT [DEVICE [BENCHMARK]]
//
// ROOT is the source tree. If a device is named, also prints the values of each case.
#include "base/host_memory.h"
#include "bench/bench.h"
#include "bench/choices.h"
#include "gpu/gpu.h"
#include "gpu/model.h"
#include "results/json.h"
#include "results/names.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---------------------------------------------------------------- devices

// A run file records limits, but no capabilities and no queues. These are what a current driver of
// the API has. They need not be exact, but must stay the same.
#define KERNELS_ANYWHERE                                                                           \
    (GPU_CAP(INT64) | GPU_CAP(INT8) | GPU_CAP(STORAGE16) | GPU_CAP(STORAGE8) | GPU_CAP(FLOAT64) |  \
     GPU_CAP(ATOMICS64) | GPU_CAP(CONSTANT) | GPU_CAP(IMAGES) | GPU_CAP(TYPED) |                   \
     GPU_CAP(SAMPLERS) | GPU_CAP(UNORDERED))
#define KERNELS_CLOCKED                                                                            \
    (KERNELS_ANYWHERE | GPU_CAP(CORE_CLOCK) | GPU_CAP(DEVICE_CLOCK) | GPU_CAP(STAMPS_INSIDE) |     \
     GPU_CAP(ADDRESSES) | GPU_CAP(SUBGROUPS) | GPU_CAP(SHUFFLE) | GPU_CAP(DOT4) | GPU_CAP(HOLDS))

static const gpu_caps vulkan_caps = KERNELS_CLOCKED | GPU_CAP(CORE_ID) | GPU_CAP(FLOAT16) |
                                    GPU_CAP(SUBGROUP_CHOICE) | GPU_CAP(SPLITS) | GPU_CAP(PRIORITY) |
                                    GPU_CAP(PRIORITY_GLOBAL) | GPU_CAP(CONTEXTS) |
                                    GPU_CAP(GRAPHICS) | GPU_CAP(MATRIX) | GPU_CAP(KERNEL_STATS);
static const gpu_caps cuda_caps = KERNELS_CLOCKED | GPU_CAP(CORE_ID) | GPU_CAP(FLOAT16) |
                                  GPU_CAP(REPLAY) | GPU_CAP(PRIORITY) | GPU_CAP(MANAGED) |
                                  GPU_CAP(PEERS) | GPU_CAP(PAGEABLE) | GPU_CAP(SHARED_CHOICE) |
                                  GPU_CAP(L1_CHOICE);
static const gpu_caps opencl_caps = KERNELS_ANYWHERE;
static const gpu_caps lavapipe_caps =
    KERNELS_CLOCKED | GPU_CAP(SPLITS) | GPU_CAP(GRAPHICS) | GPU_CAP(CONTEXTS);

static const struct recorded_device {
    const char *name, *file;
    const gpu_caps *caps; // NULL: none
    unsigned queues;      // of each kind of queue
} recorded[] = {
    {"h200-vulkan", "reference/h200-vulkan-quick.json", &vulkan_caps, 8},
    {"h200-cuda", "reference/h200-cuda-map.json", &cuda_caps, 4},
    {"h200-opencl", "reference/h200-opencl-map.json", &opencl_caps, 1},
    {"lavapipe", "reference/lavapipe-quick.json", &lavapipe_caps, 1},
    {"two-limits", "tests/golden/rich.json", &vulkan_caps, 2},
    {"fake", "tests/golden/fake_quick.json", NULL, 1},
};

// A model itself states what it has. There are several, because transfer plans pairs of devices.
static const char *const models[] = {"h200", "mi300x", "rx6900xt"};

// In the plans, lavapipe runs on this processor, whatever computer makes them.
long __real_sysconf(int name);
long __wrap_sysconf(int name);

long __wrap_sysconf(int name)
{
    switch (name) {
    case _SC_NPROCESSORS_ONLN:
        return 2;
    case _SC_LEVEL1_DCACHE_SIZE:
        return 32 << 10;
    case _SC_LEVEL2_CACHE_SIZE:
        return 1 << 20;
    case _SC_LEVEL3_CACHE_SIZE:
        return 32 << 20;
    default:
        return __real_sysconf(name);
    }
}

static void set_limit(struct gpu_limits *limits, const char *name, uint64_t value)
{
#define X(limit)                                                                                   \
    if (strcmp(name, #limit) == 0)                                                                 \
        limits->limit = value;
    GPU_LIMITS(X)
#undef X
}

static enum gpu_kind kind_of(const char *name)
{
    int kind = GPU_KIND_CPU;
    while (kind > GPU_KIND_OTHER && strcmp(gpu_kind_name((enum gpu_kind)kind), name) != 0)
        kind--;
    return (enum gpu_kind)kind;
}

static bool device_read(struct arena *arena, const char *root, const struct recorded_device *of,
                        struct gpu_info *info, struct error *err)
{
    struct run *run = run_read(arena_printf(arena, "%s/%s", root, of->file), err);
    if (!run)
        return false;
    const struct run_device *device = &run->devices[0];
    char *api = arena_strdup(arena, device->id);
    *strchr(api, ':') = '\0';
    *info = (struct gpu_info){.api = api, .kind = kind_of(device->kind), .family_count = 3};
    snprintf(info->id, sizeof info->id, "%s:0", api);
    snprintf(info->name, sizeof info->name, "%s", device->name);
    snprintf(info->vendor, sizeof info->vendor, "%s", device->vendor);
    info->vendor_id = strcmp(device->vendor, "NVIDIA") == 0 ? GPU_VENDOR_NVIDIA : 0;
    info->caps = of->caps ? *of->caps : 0;
    for (size_t i = 0; i < device->limit_count; i++)
        set_limit(&info->limits, device->limits[i].name, (uint64_t)device->limits[i].value);
    for (unsigned kind = 0; kind < info->family_count; kind++)
        info->families[kind] = (struct gpu_queue_family){.kind = (enum gpu_queue_kind)kind,
                                                         .graphics = kind == GPU_QUEUE_UNIVERSAL,
                                                         .count = of->queues,
                                                         .stamp_bits = 64};
    run_destroy(run);
    return true;
}

// Replaces base/host_memory.c, because plans must not depend on the machine of the test.
uint64_t host_memory_available_bytes(const char *root)
{
    (void)root;
    return UINT64_C(64) << 30;
}

// ---------------------------------------------------------------- what users set

// Values that a preset reduces or drops, that a device or all devices cannot have, or that exclude
// each other. The presets quick and standard take turns.
static const struct user_choice {
    const char *benchmark, *settings; // several are separated by blanks
} chosen[] = {
    // clang-format off
    {"latency", "path=vector,image"},
    {"latency", "order=page"},
    {"latency", "order=page pitch=256 page=64KiB"},
    {"latency", "order=page pitch=96"},
    {"latency", "order=page page=3KiB"},
    {"latency", "pitch=8"},
    {"latency", "pitch=256"},
    {"latency", "page=0"},
    {"latency", "path=image pitch=256"},
    {"latency", "path=constant chain=pointer"},
    {"latency", "path=image order=plru"},
    {"latency", "chain=index order=plru"},
    {"latency", "bytes=4KiB,64KiB,8GiB"},
    {"latency", "bytes=1KiB..max/1"},
    {"latency", "bytes=16KiB..max/2 path=shared,constant,texel order=random"},
    {"latency", "load=idle,keep-awake path=vector bytes=1MiB"},
    {"latency", "chain=pointer path=atomic,texel"},
    {"bandwidth", "op=copy"},
    {"bandwidth", "op=copy bytes=1MiB,3MiB,8GiB"},
    {"bandwidth", "bytes=1KiB,100000,64MiB"},
    {"bandwidth", "bytes=max"},
    {"bandwidth", "bytes=64KiB,max access=apart"},
    {"bandwidth", "scope=scaling"},
    {"bandwidth", "scope=scaling bytes=1MiB workgroups=1,100,5000"},
    {"bandwidth", "workgroups=max"},
    {"bandwidth", "workgroups=0"},
    {"bandwidth", "width=4,8"},
    {"bandwidth", "width=12"},
    {"bandwidth", "width=32"},
    {"bandwidth", "type=double width=4"},
    {"bandwidth", "type=double"},
    {"bandwidth", "path=shared width=8"},
    {"bandwidth", "path=shared op=write"},
    {"bandwidth", "shape=default"},
    {"bandwidth", "shape=best,default"},
    {"bandwidth", "shape=nonsense"},
    {"bandwidth", "access=same bytes=64MiB"},
    {"loads", "load=Buffer<RGBA8>.Load"},
    {"loads", "pattern=scattered"},
    {"loads", "pattern=linear,uniform"},
    {"loads", "fidelity=original"},
    {"loads", "fidelity=peak,original"},
    {"loads", "subgroup=32"},
    {"loads", "subgroup=8,32"},
    {"loads", "layout=published"},
    {"loads", "layout=table,published"},
    {"stream", "kernel=occupancy"},
    {"stream", "kernel=occupancy type=double op=triad"},
    {"stream", "kernel=occupancy op=dot"},
    {"stream", "op=dot,triad type=double"},
    {"stream", "threads=64,100000"},
    {"stream", "threads=128,256,max kernel=occupancy"},
    {"stream", "threads=5000000000"},
    {"stream", "bytes=1MiB,max"},
    {"stream", "bytes=128KiB,512GiB"},
    {"stream", "bytes=100000"},
    {"stream", "bytes=0"},
    {"stream", "shape=best,default"},
    {"stream", "shape=default"},
    {"strides", "pattern=banks stride=1..128+1"},
    {"strides", "pattern=banks"},
    {"strides", "stride=0,3,1024"},
    {"strides", "stride=1025"},
    {"strides", "across=64,1024"},
    {"strides", "across=0"},
    {"strides", "across=1025"},
    {"strides", "width=4,12"},
    {"strides", "width=8"},
    {"strides", "width=16,4 pattern=block,stride"},
    {"strides", "route=address"},
    {"strides", "route=auto,storage"},
    {"launch", "work=scale"},
    {"launch", "work=scale elements=1,1000000000"},
    {"launch", "work=scale mode=round-trip"},
    {"launch", "elements=0"},
    {"launch", "elements=5000000000"},
    {"launch", "between=split,order"},
    {"launch", "between=memory mode=replay"},
    {"launch", "between=memory mode=batch,submit"},
    {"launch", "mode=one-way,replay"},
    {"launch", "mode=queues"},
    {"launch", "mode=queues,signal queues=1,2,16"},
    {"launch", "queues=0"},
    {"launch", "queues=17"},
    {"launch", "mode=queues queues=1"},
    {"transfer", "direction=both"},
    {"transfer", "direction=both memory=mapped by=kernel"},
    {"transfer", "direction=both by=kernel"},
    {"transfer", "direction=local by=queue,kernel,host"},
    {"transfer", "direction=peer"},
    {"transfer", "direction=peer from=model:1"},
    {"transfer", "direction=peer from=model:0,model:2 to=model:1 bytes=1MiB"},
    {"transfer", "memory=mapped,pageable"},
    {"transfer", "memory=pinned by=host"},
    {"transfer", "by=queue"},
    {"transfer", "by=kernel mode=single"},
    {"transfer", "by=kernel,copy mode=row direction=h2d"},
    {"transfer", "mode=single message=4KiB"},
    {"transfer", "mode=row message=4KiB"},
    {"transfer", "bytes=1MiB,64GiB"},
    {"transfer", "bytes=32GiB,16"},
    {"transfer", "bytes=max"},
    {"transfer", "bytes=4KiB memory=mapped direction=d2h"},
    {"transfer", "bytes=100"},
    {"transfer", "message=7"},
    {"transfer", "message=max mode=single"},
    {"managed", "touch=device"},
    {"managed", "advise=device,read-mostly"},
    {"managed", "advise=host pages=prefetched"},
    {"managed", "bytes=1MiB,128GiB"},
    {"managed", "bytes=max"},
    {"managed", "bytes=1KiB"},
    {"managed", "bytes=256GiB"},
    {"managed", "oversubscribe=1"},
    {"managed", "oversubscribe=1 touch=host"},
    {"managed", "oversubscribe=0,1 bytes=24MiB"},
    {"managed", "oversubscribe=2"},
    {"managed", "bytes=1KiB"},
    {"managed", "bytes=1GiB,2GiB"},
    {"overlap", "scenario=draws"},
    {"overlap", "scenario=cross-queue,no-barriers,three-split"},
    {"overlap", "scenario=default barrier=split,target"},
    {"overlap", "scenario=draws barrier=target,none place=after"},
    {"overlap", "barrier=execution"},
    {"overlap", "barrier=semaphore,full place=before,after"},
    {"overlap", "place=after"},
    {"overlap", "scenario=high-priority barrier=memory,full place=before,after"},
    {"overlap", "scenario=missing.json"},
    {"preempt", "hog=many-draws"},
    {"preempt", "hog=none,slow-shader setting=nearest"},
    {"preempt", "setting=nearest,queues,devices"},
    {"preempt", "setting=processes victim=draw"},
    {"preempt", "victim=draw"},
    {"preempt", "victim=dispatch priority=realtime,low"},
    {"preempt", "priority=highest"},
    {"preempt", "samples=0"},
    {"preempt", "samples=257"},
    {"preempt", "samples=256"},
    {"preempt", "samples=8,16"},
    {"incore", "op=fp64-fma,fp16-wgmma"},
    {"incore", "op=barrier"},
    {"incore", "op=barrier ilp=2 scope=core"},
    {"incore", "op=subgroup-vote scope=device"},
    {"incore", "op=fp32-fma scope=device"},
    {"incore", "op=fp32-nonsense"},
    {"incore", "ilp=3"},
    {"incore", "ilp=16"},
    {"incore", "ilp=8,1"},
    {"incore", "subgroups=0"},
    {"incore", "subgroups=33"},
    {"incore", "subgroups=3,32 op=fp32-add"},
    {"incore", "subgroups=64"},
    {"roofline", "type=fp64"},
    {"roofline", "type=fp16x2,fp32 intensity=1"},
    {"roofline", "intensity=0.0625,0.75"},
    {"roofline", "intensity=0.3"},
    {"roofline", "intensity=0"},
    {"roofline", "energy=0"},
    {"roofline", "energy=2.5"},
    {"roofline", "together=no"},
    {"raster", "work=triangles side=0,1024"},
    {"raster", "side=1025"},
    {"raster", "work=pixels format=r32_float,rg8_unorm"},
    {"raster", "format=bc1_unorm"},
    {"raster", "format=nonsense"},
    {"raster", "work=depth,draws"},
    {"raster", "work=cores side=3"},
    {"raster", "depth=off change=program"},
    {"raster", "facing=culled blend=add"},
    {"occupancy", "by=registers"},
    {"occupancy", "by=registers values=8,240 subgroup=32"},
    {"occupancy", "values=9"},
    {"occupancy", "threads=128"},
    {"occupancy", "threads=1024 by=threads"},
    {"occupancy", "by=shared shared=1KiB,256KiB"},
    {"occupancy", "by=shared shared=6"},
    {"occupancy", "by=shared shared=0"},
    {"occupancy", "by=threads,shared subgroup=16,64"},
    {"occupancy", "subgroup=4..128/1"},
    {"occupancy", "subgroup=1"},
    // clang-format on
};

// ---------------------------------------------------------------- plans

struct planner {
    struct arena *arena;
    const char *device;
    const struct gpu_info *info;
    const struct gpu_system *system;
    bool keys;
};

// The FNV-1a hash.
static uint64_t hash_of(const char *text)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return hash;
}

// All values of a case as text, also those that are not in its key.
static const char *spell(struct arena *arena, const struct bench_case *c)
{
    const char *text = "";
    for (size_t i = 0; i < c->value_count; i++)
        text = arena_printf(arena, "%s%s%s=%s", text, i ? " " : "", c->values[i].key,
                            case_value_text(arena, &c->values[i]));
    return text;
}

// Prints the number of cases, a hash that ignores their order, and a hash that depends on it. Of
// several cases with one key, only the first counts, because a run measures only that one.
static void print_list(const struct planner *p, const struct benchmark *benchmark,
                       const struct bench_case_list *list)
{
    enum {
        SHORT = 1
    };
    uint64_t *seen = ARENA_ARRAY(p->arena, list->count, uint64_t), sum = 0, order = 0;
    const char **texts = ARENA_ARRAY(p->arena, list->count, const char *);
    size_t count = 0;
    for (size_t i = 0; i < list->count; i++) {
        uint64_t key = hash_of(case_key(p->arena, benchmark->info.name, &list->cases[i]));
        size_t at = 0;
        while (at < count && seen[at] != key)
            at++;
        if (at < count)
            continue;
        seen[count] = key;
        texts[count] = spell(p->arena, &list->cases[i]);
        sum += hash_of(texts[count]);
        order = order * 31 + hash_of(texts[count++]);
    }
    printf(" %zu %08x %08x", count, (unsigned)(sum >> 32), (unsigned)(order >> 32));
    for (size_t i = 0; i < count && (p->keys || count <= SHORT); i++)
        printf("%s%s", p->keys ? "\n    " : " | ", texts[i]);
}

static void print_plan(const struct planner *p, const struct benchmark *benchmark,
                       const char *preset, const char *settings)
{
    enum {
        SETTINGS_MAX = 8
    };
    struct error err = {.code = ERROR_NONE};
    struct setting set[SETTINGS_MAX];
    size_t count = 0;
    char *rest = arena_strdup(p->arena, settings);
    for (char *word = strtok_r(rest, " ", &rest); word && count < SETTINGS_MAX;
         word = strtok_r(NULL, " ", &rest))
        if (!setting_parse(p->arena, word, &set[count++], &err))
            abort();
    const struct choice_request asked = {.benchmarks = &benchmark,
                                         .benchmark_count = 1,
                                         .preset = preset,
                                         .settings = set,
                                         .setting_count = count,
                                         .system = p->system};
    struct bench_request request = {.arena = p->arena,
                                    .device = p->info,
                                    .system = p->system,
                                    .preset = preset,
                                    .choice_count = benchmark->info.param_count};
    struct bench_choice *choices;
    struct bench_case_list list = {0};
    printf("%s %s %s%s%s:", p->device, benchmark->info.name, preset, *settings ? " " : "",
           settings);
    bool made = choices_make(p->arena, &asked, benchmark, &choices, &err);
    request.choices = choices;
    if (made && bench_plan(benchmark, &request, &list, &err))
        print_list(p, benchmark, &list);
    else
        printf(" error %d", err.code);
    putchar('\n');
    if (p->keys && err.code)
        printf("    %s\n", err.message);
}

static void print_benchmark(struct planner *p, const struct benchmark *benchmark)
{
    static const char *const presets[] = {"quick", "standard", "full"};
    for (size_t i = 0; i < sizeof presets / sizeof *presets; i++) {
        p->arena = arena_create();
        print_plan(p, benchmark, presets[i], "");
        arena_destroy(p->arena);
    }
    for (size_t i = 0; i < sizeof chosen / sizeof *chosen; i++)
        if (strcmp(chosen[i].benchmark, benchmark->info.name) == 0) {
            p->arena = arena_create();
            print_plan(p, benchmark, presets[i % 2], chosen[i].settings);
            arena_destroy(p->arena);
        }
}

static void print_device(struct planner *p, const char *const *only)
{
    if (only[0] && strcmp(only[0], p->device) != 0)
        return;
    p->keys = only[0] != NULL;
    for (size_t i = 0; benchmarks[i]; i++) // a benchmark with a command plans while it measures
        if (!benchmarks[i]->command &&
            (!only[0] || !only[1] || strcmp(only[1], benchmarks[i]->info.name) == 0))
            print_benchmark(p, benchmarks[i]);
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    const char *const only[] = {argc > 2 ? argv[2] : NULL, argc > 3 ? argv[3] : NULL};
    struct arena *arena = arena_create();
    struct error err;
    for (size_t i = 0; i < sizeof recorded / sizeof *recorded; i++) {
        struct gpu_info info;
        struct planner p = {.device = recorded[i].name, .info = &info};
        if (!device_read(arena, argv[1], &recorded[i], &info, &err)) {
            fprintf(stderr, "%s\n", err.message);
            return 1;
        }
        print_device(&p, only);
    }
    const char *files = "";
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        files = arena_printf(arena, "%s%s/models/%s.json\n", files, argv[1], models[i]);
    setenv(GPU_MODEL_VARIABLE, files, 1);
    struct gpu_system *system = gpu_system_create(&(struct gpu_system_desc){.only_api = "model"});
    for (size_t i = 0; i < gpu_system_device_count(system); i++) {
        const struct gpu_info *info = gpu_system_info(system, i);
        print_device(&(struct planner){.device = info->id, .info = info, .system = system}, only);
    }
    gpu_system_destroy(system);
    arena_destroy(arena);
    return 0;
}
