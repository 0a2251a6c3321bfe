// SPDX-License-Identifier: MIT
#include "bench/incore/kind.h"

#include <string.h>

#define BLOCKS(count)   ((count)*INCORE_BLOCK)
#define FP32(name, ...) "fp32-" name, "incore_fp32_" name, INCORE_F32, __VA_ARGS__
#define FP64(name, ...) "fp64-" name, "incore_fp64_" name, INCORE_F64, __VA_ARGS__
#define I32(name, ...)  "int32-" name, "incore_int32_" name, INCORE_I32, __VA_ARGS__
#define I64(name, ...)  "int64-" name, "incore_int64_" name, INCORE_I64, __VA_ARGS__
#define IN64            GPU_CAP(FLOAT64)
#define IN16            GPU_CAP(FLOAT16)

// Steps as -DLENGTH in kernels.txt has them.
const struct incore_kind incore_kinds[] = {
    {FP32("fma", INCORE_FMA, BLOCKS(8), 0, 1, 2, 4)},
    {FP32("add", INCORE_ADD, BLOCKS(8), 0, 1, 1, 0)},
    {FP32("mul", INCORE_MUL, BLOCKS(8), 0, 1, 1, 0)},
    {FP32("div", INCORE_DIV, BLOCKS(1), 0, 1, 1, 0)},
    {FP32("sqrt", INCORE_SQRT, BLOCKS(1), 0, 1, 1, 0)},
    {"fp32-add-rcp", "incore_fp32_add_rcp", INCORE_F32, INCORE_RCP, BLOCKS(1), 0, 1, 1, 0},
    {FP32("rsqrt", INCORE_RSQRT, BLOCKS(1), 0, 1, 1, 0)},
    {FP32("exp2", INCORE_EXP2, BLOCKS(1), 0, 1, 1, 0)},
    {FP32("sin", INCORE_SIN, BLOCKS(1), 0, 1, 1, 0)},
    {FP64("fma", INCORE_FMA, BLOCKS(4), IN64, 1, 2, 1)},
    {FP64("add", INCORE_ADD, BLOCKS(4), IN64, 1, 1, 0)},
    {FP64("mul", INCORE_MUL, BLOCKS(4), IN64, 1, 1, 0)},
    {FP64("div", INCORE_DIV, BLOCKS(1), IN64, 1, 1, 0)},
    {FP64("sqrt", INCORE_SQRT, BLOCKS(1), IN64, 1, 1, 0)},
    // 16³ products and sums of a subgroup of 32.
    {"fp16-matrix", "incore_fp16_matrix", INCORE_TILE, INCORE_FMA, 0, GPU_CAP(MATRIX), 128, 2, 1},
    {"fp16-fma", "incore_fp16_fma", INCORE_F16, INCORE_FMA, BLOCKS(8), IN16, 1, 2, 0},
    {"fp16x2-fma", "incore_fp16x2_fma", INCORE_F16X2, INCORE_FMA, BLOCKS(8), IN16, 2, 2, 1},
    {I32("add", INCORE_ADD, BLOCKS(8), 0, 1, 1, 0)},
    {I32("mul", INCORE_MUL, BLOCKS(4), 0, 1, 1, 0)},
    {I32("mad", INCORE_MAD, BLOCKS(4), 0, 1, 2, 1)},
    {I32("div", INCORE_DIV, BLOCKS(1), 0, 1, 1, 0)},
    {I32("shift", INCORE_SHIFT, BLOCKS(4), 0, 1, 1, 0)},
    {I32("popcount", INCORE_POPCOUNT, BLOCKS(1), 0, 1, 1, 0)},
    {I64("add", INCORE_ADD, BLOCKS(1), GPU_CAP(INT64), 1, 1, 0)},
    {I64("mul", INCORE_MUL, BLOCKS(1), GPU_CAP(INT64), 1, 1, 0)},
};
const size_t incore_kind_count = sizeof incore_kinds / sizeof incore_kinds[0];

const struct incore_kind *incore_kind_find(const char *name)
{
    for (size_t i = 0; i < incore_kind_count; i++)
        if (strcmp(incore_kinds[i].name, name) == 0)
            return &incore_kinds[i];
    return NULL;
}

// As kernels.txt has them.
const struct incore_shape *incore_kind_shape(const struct incore_kind *kind, unsigned shape)
{
    static const struct incore_shape tiles = {"", INCORE_TILE_CHAINS, INCORE_BLOCK};
    static const struct incore_shape shapes[INCORE_SHAPES_MAX] = {
        {"", 16, 1024}, {"_16x512", 16, 512}, {"_8x1024", 8, 1024}, {"_8x512", 8, 512}};
    if (shape >= kind->shapes)
        return NULL;
    return kind->number == INCORE_TILE ? &tiles : &shapes[shape];
}

// Additions and products of floats are done where fused ones are.
double incore_kind_limit(const struct incore_kind *kind, const struct measure_limits *limits)
{
    bool simple = kind->operation <= INCORE_MUL;
    switch (kind->number) {
    case INCORE_F32:
        return simple ? limits->fp32_per_cycle : 0;
    case INCORE_F64:
        return simple ? limits->fp64_per_cycle : 0;
    case INCORE_F16:
    case INCORE_F16X2:
        return limits->fp16_per_cycle;
    case INCORE_I32:
        return kind->operation == INCORE_MAD ? limits->int32_mad_per_cycle : 0;
    default:
        return 0;
    }
}
