// SPDX-License-Identifier: MIT
// Looks on the GPU that is there for what the published tables show of NVIDIA's GPUs since Volta.
// Each line says whether that holds, and gives the figure. The test fails only if a figure is
// missing, not if a claim does not hold. Exit status 77: no GPU, or one of another maker.
#include "bench/loads/session.h"
#include "case_text.h"
#include "device_api.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

extern const struct benchmark bench_loads;

enum {
    RATE = 0,
    PER_CORE = 2,
    NVIDIA = 0x10de,
    CASES_MAX = 128
};

// A bound on a rate relative to a base case, or (base NULL) on loads per texture unit and clock.
struct check {
    const char *claim;
    const char *load, *pattern, *base, *base_pattern;
    double least, most;
};

#define TYPED(format)                                                                              \
    {                                                                                              \
        "1 typed buffers of up to 64 bits load alike", "Buffer<" format ">.Load", "linear",        \
            "Buffer<RGBA8>.Load", "linear", 0.8, 1.2                                               \
    }
#define TEXEL(format)                                                                              \
    {                                                                                              \
        "1 textures of up to 64 bits load alike", "Texture2D<" format ">.Load", "linear",          \
            "Texture2D<RGBA8>.Load", "linear", 0.8, 1.2                                            \
    }
#define APART(format, least, most)                                                                 \
    {                                                                                              \
        "2 in blocks of 4 × 4 apart, wide texels are half",                                        \
            "Texture2D<" format ">.Sample(nearest)", "random", "Texture2D<R8>.Sample(nearest)",    \
            "random", least, most                                                                  \
    }
#define FILTERED(format)                                                                           \
    {                                                                                              \
        "7 bilinear is as fast as nearest up to 64 bits",                                          \
            "Texture2D<" format ">.Sample(bilinear)", "linear",                                    \
            "Texture2D<" format ">.Sample(nearest)", "linear", 0.95, 1.05                          \
    }

static const struct check checks[] = {
    TYPED("R8"),
    TYPED("RG8"),
    TYPED("R16f"),
    TYPED("RG16f"),
    TYPED("RGBA16f"),
    TYPED("R32f"),
    TYPED("RG32f"),
    {"1 typed buffers of 128 bits are half", "Buffer<RGBA32f>.Load", "linear", "Buffer<RGBA8>.Load",
     "linear", 0.4, 0.6},
    TEXEL("R8"),
    TEXEL("RG8"),
    TEXEL("R16F"),
    TEXEL("RG16F"),
    TEXEL("RGBA16F"),
    TEXEL("R32F"),
    TEXEL("RG32F"),
    {"1 textures of 128 bits are half", "Texture2D<RGBA32F>.Load", "linear",
     "Texture2D<RGBA8>.Load", "linear", 0.4, 0.6},
    APART("RGBA8", 0.9, 1.1),
    APART("R32F", 0.9, 1.1),
    APART("RGBA16F", 0.4, 0.6),
    APART("RG32F", 0.4, 0.6),
    APART("RGBA32F", 0.4, 0.6),
    {"3 structured floats are 2.0 to 2.8 typed RGBA8", "StructuredBuffer<float>.Load", "linear",
     "Buffer<RGBA8>.Load", "linear", 2.0, 2.8},
    {"4 structured float4 beats raw Load4 of unknown alignment", "StructuredBuffer<float4>.Load",
     "linear", "ByteAddressBuffer.Load4", "linear", 1, INFINITY},
    {"4 equal where the alignment is known", "StructuredBuffer<float4>.Load", "linear",
     "ByteAddressBuffer.Load4 natural", "linear", 0.95, 1.05},
    {"5 unaligned is as fast as aligned", "ByteAddressBuffer.Load2 unaligned", "linear",
     "ByteAddressBuffer.Load2", "linear", 0.95, 1.05},
    {"5 unaligned is as fast as aligned", "ByteAddressBuffer.Load4 unaligned", "linear",
     "ByteAddressBuffer.Load4", "linear", 0.95, 1.05},
    {"6 constants by 32 indices: 0.04 to 0.06 of the baseline", "cbuffer{float4} load", "linear",
     "Buffer<RGBA8>.Load", "random", 0.04, 0.06},
    {"6 by 16 indices: 0.10 to 0.13", "cbuffer{float4} load", "random", "Buffer<RGBA8>.Load",
     "random", 0.10, 0.13},
    {"6 by one index: far above", "cbuffer{float4} load", "uniform", "Buffer<RGBA8>.Load", "random",
     1, INFINITY},
    FILTERED("R8"),
    FILTERED("RGBA8"),
    FILTERED("RGBA16F"),
    FILTERED("RG32F"),
    {"7 nearest of 128 bits is half", "Texture2D<RGBA32F>.Sample(nearest)", "linear",
     "Texture2D<RGBA8>.Sample(nearest)", "linear", 0.45, 0.55},
    {"7 bilinear of 128 bits is a quarter", "Texture2D<RGBA32F>.Sample(bilinear)", "linear",
     "Texture2D<RGBA8>.Sample(bilinear)", "linear", 0.22, 0.28},
    {"8 uniform sampling is not optimised away", "Texture2D<RGBA8>.Sample(nearest)", "uniform",
     "Texture2D<RGBA8>.Sample(nearest)", "linear", 0.8, 1.2},
    {"9 filtered loads a texture unit and clock", "Texture2D<RGBA8>.Sample(bilinear)", "linear",
     NULL, NULL, 0.95, 1.01},
    {"9 typed loads a texture unit and clock", "Buffer<R32f>.Load", "linear", NULL, NULL, 1.6,
     2.02},
};

static const double texture_units = 4; // per core, since Maxwell

struct seen {
    const char *load, *pattern;
    double rate, per_core;
};

struct machine {
    struct bench_session session;
    struct seen seen[CASES_MAX];
    size_t count;
};

static const struct seen *measure(struct machine *m, const char *load, const char *pattern)
{
    for (size_t i = 0; i < m->count; i++)
        if (strcmp(m->seen[i].load, load) == 0 && strcmp(m->seen[i].pattern, pattern) == 0)
            return &m->seen[i];
    struct case_value values[] = {case_text_of(&bench_loads, "load", load),
                                  case_text_of(&bench_loads, "pattern", pattern),
                                  case_text_of(&bench_loads, "fidelity", "peak")};
    const struct bench_case this_case = {values, 3};
    const struct measure_request request = {
        .samples = 5, .sample_ns = 1000000, .timeout_ns = UINT64_C(600000000000)};
    struct arena *arena = arena_create();
    void *memory = NULL;
    struct bench_visit run = {.session = &m->session,
                              .bench_case = &this_case,
                              .scope = gpu_scope_open(m->session.device),
                              .arena = arena,
                              .request = &request,
                              .memory = &memory};
    struct measure_visit *visit = measure_visit_create(arena);
    struct error err;
    struct seen *seen = &m->seen[m->count++];
    assert_true(m->count < CASES_MAX);
    *seen = (struct seen){load, pattern, NAN, NAN};
    if (!bench_loads.visit(&run, visit, &err))
        fail_msg("%s %s: %s", load, pattern, err.message);
    seen->rate = visit->metrics[RATE].values[2];
    if (visit->metrics[PER_CORE].count)
        seen->per_core = visit->metrics[PER_CORE].values[2];
    gpu_scope_close(run.scope);
    arena_destroy(arena);
    return seen;
}

static void every_claim_is_looked_at(void **state)
{
    struct machine *m = *state;
    for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++) {
        const struct check *c = &checks[i];
        const struct seen *one = measure(m, c->load, c->pattern);
        double figure = one->per_core / texture_units;
        if (c->base)
            figure = one->rate / measure(m, c->base, c->base_pattern)->rate;
        assert_true(isfinite(figure) && figure > 0);
        print_message("%-14s %s: %s %s%s%s%s%s %.3f\n",
                      figure >= c->least && figure <= c->most ? "holds" : "does not hold", c->claim,
                      c->load, c->pattern, c->base ? " / " : "", c->base ? c->base : "",
                      c->base ? " " : "", c->base ? c->base_pattern : "", figure);
    }
}

int main(int argc, char **argv)
{
    if (!device_api_choose(argc, argv))
        return 1;
    struct gpu_system *system =
        gpu_system_create(&(struct gpu_system_desc){.only_api = device_api()});
    const struct gpu_info *info =
        gpu_system_device_count(system) ? gpu_system_info(system, 0) : NULL;
    if (!info || info->vendor_id != NVIDIA) {
        print_message("no GPU of NVIDIA: skipped\n");
        gpu_system_destroy(system);
        return 77;
    }
    struct error err = {0};
    struct machine *m = calloc(1, sizeof *m);
    struct gpu_device *device =
        m ? gpu_device_open(system, info, &(struct gpu_device_desc){0}, &err) : NULL;
    int failures = 1;
    if (device) {
        m->session = bench_session_begin(system, device);
        const struct CMUnitTest tests[] = {cmocka_unit_test_prestate(every_claim_is_looked_at, m)};
        if (bench_loads.open(&m->session, &err))
            failures = cmocka_run_group_tests(tests, NULL, NULL);
        gpu_scope_close(m->session.scope);
        gpu_device_close(device);
        arena_destroy(m->session.arena);
    }
    if (failures)
        print_error("%s\n", err.message);
    free(m);
    gpu_system_destroy(system);
    return failures;
}
