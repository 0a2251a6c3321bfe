// SPDX-License-Identifier: MIT
// Lists the shapes that a case can have. A shape says how workgroups and threads divide the memory
// among them. METHOD.md explains the names of shapes. With shape=default, a case uses the first
// shape that the device can run.
#include "base/text.h"
#include "bench/bandwidth/work.h"
#include "gpu/kernels.h"

#include <string.h>

// Kinds of cases. The table `forms` lists the grids for each kind; shape=best uses the fastest.
enum kind {
    KIND_LOOP,
    KIND_PART,
    KIND_CACHED, // reads of a working set of at most half of the last-level cache
    // Reads of a larger working set, of which a cache may hold a part.
    KIND_BEYOND,
    // Reads of a working set that no cache can hold (bandwidth_is_dram).
    KIND_DRAM,
    KIND_WRITE,
    KIND_COPY,
    KIND_SHARED
};

// A shape without its route (64-bit address or storage buffer). The first form of a case is tried
// with both routes. Every other form is tried only with the route that is usually faster, if the
// case can use it, else with the other route.
struct form {
    enum kind kind;
    unsigned width;
    unsigned threads, loads;
    enum bandwidth_walk walk;
};

static const struct form forms[] = {
    {KIND_LOOP, 16, 1024, 8, BANDWIDTH_LOOP},   {KIND_LOOP, 16, 1024, 4, BANDWIDTH_LOOP},
    {KIND_LOOP, 16, 256, 4, BANDWIDTH_LOOP},    {KIND_LOOP, 8, 1024, 16, BANDWIDTH_LOOP},
    {KIND_LOOP, 8, 256, 16, BANDWIDTH_LOOP},    {KIND_LOOP, 4, 1024, 32, BANDWIDTH_LOOP},
    {KIND_LOOP, 4, 256, 32, BANDWIDTH_LOOP},    {KIND_PART, 16, 1024, 8, BANDWIDTH_PART},
    {KIND_PART, 16, 256, 8, BANDWIDTH_PART},    {KIND_CACHED, 16, 256, 8, BANDWIDTH_LONG},
    {KIND_CACHED, 8, 256, 16, BANDWIDTH_LONG},  {KIND_CACHED, 4, 256, 32, BANDWIDTH_LONG},
    {KIND_BEYOND, 16, 256, 8, BANDWIDTH_CHUNK}, {KIND_BEYOND, 8, 256, 16, BANDWIDTH_CHUNK},
    {KIND_BEYOND, 4, 256, 32, BANDWIDTH_CHUNK}, {KIND_DRAM, 16, 256, 8, BANDWIDTH_ONCE},
    {KIND_DRAM, 16, 256, 8, BANDWIDTH_CHUNK},   {KIND_DRAM, 16, 1024, 8, BANDWIDTH_CHUNK},
    {KIND_DRAM, 8, 256, 16, BANDWIDTH_ONCE},    {KIND_DRAM, 8, 256, 16, BANDWIDTH_CHUNK},
    {KIND_DRAM, 4, 256, 32, BANDWIDTH_ONCE},    {KIND_DRAM, 4, 256, 32, BANDWIDTH_CHUNK},
    {KIND_WRITE, 16, 512, 1, BANDWIDTH_ONCE},   {KIND_WRITE, 16, 256, 1, BANDWIDTH_ONCE},
    {KIND_WRITE, 16, 1024, 2, BANDWIDTH_ONCE},  {KIND_WRITE, 16, 256, 4, BANDWIDTH_CHUNK},
    {KIND_COPY, 16, 128, 1, BANDWIDTH_ONCE},    {KIND_COPY, 16, 256, 1, BANDWIDTH_ONCE},
    {KIND_COPY, 16, 256, 4, BANDWIDTH_CHUNK},   {KIND_SHARED, 16, 1024, 8, BANDWIDTH_LOOP},
    {KIND_SHARED, 16, 256, 8, BANDWIDTH_LOOP},  {KIND_SHARED, 8, 1024, 16, BANDWIDTH_LOOP},
    {KIND_SHARED, 8, 256, 16, BANDWIDTH_LOOP},  {KIND_SHARED, 4, 1024, 16, BANDWIDTH_LOOP},
    {KIND_SHARED, 4, 256, 16, BANDWIDTH_LOOP},
};

enum {
    FORM_COUNT = COUNT(forms)
};

static enum kind kind_of(const struct bandwidth_case *this_case,
                         const struct measure_limits *limits)
{
    if (this_case->shared)
        return KIND_SHARED;
    if (this_case->op == BANDWIDTH_WRITE)
        return KIND_WRITE;
    if (this_case->op == BANDWIDTH_COPY)
        return KIND_COPY;
    if (!this_case->apart)
        return KIND_LOOP;
    if (this_case->scope != BANDWIDTH_DEVICE)
        return KIND_PART;
    if (bandwidth_is_dram(this_case, limits))
        return KIND_DRAM;
    return this_case->bytes <= limits->last_cache_bytes / 2 ? KIND_CACHED : KIND_BEYOND;
}

// Returns true if the case can use 64-bit addresses (`address`) or a storage buffer on this device.
static bool route_exists(const struct bandwidth_case *this_case, const struct gpu_info *info,
                         bool address)
{
    const gpu_caps needed = GPU_CAP(ADDRESSES) | GPU_CAP(INT64);
    if (this_case->shared)
        return !address;
    if (address)
        return (info->caps & needed) == needed;
    uint64_t range_bytes = info->limits.storage_range_bytes;
    return !range_bytes || bandwidth_stream_bytes(this_case) <= range_bytes;
}

// Returns true for a form in laps (LOOP or PART) with smaller workgroups than the first shape. Such
// a form is left out, because the device can run the larger workgroups.
static bool is_for_small_devices(const struct form *form, const struct bandwidth_shape *first)
{
    bool loops = form->walk == BANDWIDTH_LOOP || form->walk == BANDWIDTH_PART;
    return loops && first && form->threads < first->threads;
}

size_t bandwidth_shapes(const struct bandwidth_case *this_case, const struct gpu_info *info,
                        const struct measure_limits *limits,
                        struct bandwidth_shape shapes[BANDWIDTH_SHAPES_MAX])
{
    enum kind kind = kind_of(this_case, limits);
    // On a GPU, 64-bit addresses save an addition. On a CPU, they are slower, because the compiler
    // must assume that buffers overlap.
    bool address_first = info->kind != GPU_KIND_CPU;
    uint64_t most_threads = info->limits.workgroup_threads;
    size_t count = 0;
    for (size_t i = 0; i < FORM_COUNT; i++) {
        const struct form *form = &forms[i];
        if (form->kind != kind || form->width != this_case->width ||
            (most_threads && form->threads > most_threads) ||
            is_for_small_devices(form, count ? &shapes[0] : NULL))
            continue;
        size_t had = count;
        for (int route = 0; route < 2 && count < BANDWIDTH_SHAPES_MAX; route++) {
            bool address = (route == 0) == address_first;
            if (route_exists(this_case, info, address) && (had == 0 || count == had))
                shapes[count++] =
                    (struct bandwidth_shape){address, form->threads, form->loads, form->walk};
        }
    }
    return count;
}

// ---------------------------------------------------------------- names

static const char *route_name(const struct bandwidth_shape *shape)
{
    return shape->address ? "address" : "storage";
}

const char *bandwidth_shape_name(struct arena *arena, const struct bandwidth_shape *shape)
{
    static const char *const walks[BANDWIDTH_WALK_COUNT] = {"loop", "part", "long", "chunk",
                                                            "once"};
    return arena_printf(arena, "%s-%ux%u-%s", route_name(shape), shape->threads, shape->loads,
                        walks[shape->walk]);
}

bool bandwidth_shape_known(struct arena *arena, const char *name, struct error *err)
{
    struct text_guess guess = {.typed = name};
    for (size_t i = 0; i < (size_t)2 * FORM_COUNT; i++) {
        const struct form *form = &forms[i / 2];
        const struct bandwidth_shape shape = {i % 2, form->threads, form->loads, form->walk};
        const char *known = bandwidth_shape_name(arena, &shape);
        if (strcmp(known, name) == 0)
            return true;
        text_guess_offer(&guess, known);
    }
    return error_set(err, ERROR_USAGE,
                     "bandwidth.shape=%s: expected best, default or the name of a shape%s", name,
                     text_guess_hint(arena, &guess));
}

const char *bandwidth_kernel_name(struct arena *arena, const struct bandwidth_case *this_case,
                                  const struct bandwidth_shape *shape)
{
    static const char *const read_ways[BANDWIDTH_WALK_COUNT] = {"loop", "part", "pass", "pass",
                                                                "pass"};
    if (this_case->shared)
        return arena_printf(arena, "bandwidth_shared_%u_%ux%u", this_case->width, shape->threads,
                            shape->loads);
    if (this_case->op != BANDWIDTH_READ)
        return arena_printf(arena, "bandwidth_%s_%s_%ux%u",
                            this_case->op == BANDWIDTH_COPY ? "copy" : "write", route_name(shape),
                            shape->threads, shape->loads);
    return arena_printf(arena, "bandwidth_%s_%s_%u_%s_%ux%u", read_ways[shape->walk],
                        this_case->doubles ? "double" : "float", this_case->width,
                        route_name(shape), shape->threads, shape->loads);
}

size_t bandwidth_shapes_allowed(struct arena *arena, const struct bandwidth_case *this_case,
                                const struct gpu_info *info, const struct measure_limits *limits,
                                struct bandwidth_shape shapes[BANDWIDTH_SHAPES_MAX],
                                struct error *err)
{
    size_t fitting = bandwidth_shapes(this_case, info, limits, shapes);
    size_t count = 0;
    for (size_t i = 0; i < fitting; i++)
        if (kernel_find(bandwidth_kernel_name(arena, this_case, &shapes[i])))
            shapes[count++] = shapes[i];
    if (count == 0) {
        error_set(err, ERROR_UNSUPPORTED, "no kernel fits this device's limits");
        return 0;
    }
    if (strcmp(this_case->shape, "best") == 0)
        return count;
    if (strcmp(this_case->shape, "default") == 0)
        return 1;
    for (size_t i = 0; i < count; i++)
        if (strcmp(this_case->shape, bandwidth_shape_name(arena, &shapes[i])) == 0) {
            shapes[0] = shapes[i];
            return 1;
        }
    error_set(err, ERROR_UNSUPPORTED, "the shape %s is not for this case", this_case->shape);
    return 0;
}
