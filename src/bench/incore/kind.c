// SPDX-License-Identifier: MIT
#include "bench/incore/kind.h"

#define BLOCKS(count)   ((count)*INCORE_BLOCK)
#define FP32(name, ...) "fp32-" name, "incore_fp32_" name, INCORE_F32, __VA_ARGS__
#define FP64(name, ...) "fp64-" name, "incore_fp64_" name, INCORE_F64, __VA_ARGS__
#define I32(name, ...)  "int32-" name, "incore_int32_" name, INCORE_I32, __VA_ARGS__
#define I64(name, ...)  "int64-" name, "incore_int64_" name, INCORE_I64, __VA_ARGS__
#define SUBGROUP(name, operation, caps)                                                            \
    "subgroup-" name, "incore_subgroup_" name, INCORE_I32, operation, BLOCKS(1), caps, 1, 1, NULL
#define IN64 GPU_CAP(FLOAT64)
#define IN16 GPU_CAP(FLOAT16)

// As kernels.txt and the sources have them.
static const struct incore_shape wide = {16, 1024}, narrow = {8, 1024};
static const struct incore_shape wmma = {4, 64}, mma = {8, 64}, wgmma = {1, 32};

// Products of tiles: by a subgroup of 32, the last ones by four.
#define TILES(name, kernel, format, shape, products)                                               \
    name, "incore_" kernel, INCORE_TILE, format, 0, GPU_CAP(MATRIX), products, 2, &(shape)

// In the order of the choices of `op`; steps as -DLENGTH in kernels.txt has them.
const struct incore_kind incore_kinds[] = {
    {FP32("fma", INCORE_FMA, BLOCKS(8), 0, 1, 2, &narrow)},
    {FP32("add", INCORE_ADD, BLOCKS(8), 0, 1, 1, NULL)},
    {FP32("mul", INCORE_MUL, BLOCKS(8), 0, 1, 1, NULL)},
    {FP32("div", INCORE_DIV, BLOCKS(1), 0, 1, 1, NULL)},
    {FP32("sqrt", INCORE_SQRT, BLOCKS(1), 0, 1, 1, NULL)},
    {"fp32-add-rcp", "incore_fp32_add_rcp", INCORE_F32, INCORE_RCP, BLOCKS(1), 0, 1, 1, NULL},
    {FP32("rsqrt", INCORE_RSQRT, BLOCKS(1), 0, 1, 1, NULL)},
    {FP32("exp2", INCORE_EXP2, BLOCKS(1), 0, 1, 1, NULL)},
    {FP32("sin", INCORE_SIN, BLOCKS(1), 0, 1, 1, NULL)},
    {FP64("fma", INCORE_FMA, BLOCKS(4), IN64, 1, 2, &wide)},
    {FP64("add", INCORE_ADD, BLOCKS(4), IN64, 1, 1, NULL)},
    {FP64("mul", INCORE_MUL, BLOCKS(4), IN64, 1, 1, NULL)},
    {FP64("div", INCORE_DIV, BLOCKS(1), IN64, 1, 1, NULL)},
    {FP64("sqrt", INCORE_SQRT, BLOCKS(1), IN64, 1, 1, NULL)},
    {TILES("fp16-matrix", "fp16_matrix", INCORE_TILE_F16, wmma, 16 * 16 * 16 / 32)},
    {TILES("fp16-mma", "fp16_mma", INCORE_TILE_F16, mma, 16 * 8 * 16 / 32)},
    {TILES("bf16-mma", "bf16_mma", INCORE_TILE_BF16, mma, 16 * 8 * 16 / 32)},
    {TILES("fp8-mma", "fp8_mma", INCORE_TILE_E4M3, mma, 16 * 8 * 32 / 32)},
    {TILES("fp16-wgmma", "fp16_wgmma", INCORE_TILE_F16, wgmma, 64 * 256 * 16 / 128)},
    {TILES("bf16-wgmma", "bf16_wgmma", INCORE_TILE_BF16, wgmma, 64 * 256 * 16 / 128)},
    {TILES("fp8-wgmma", "fp8_wgmma", INCORE_TILE_E4M3, wgmma, 64 * 256 * 32 / 128)},
    {"fp16-fma", "incore_fp16_fma", INCORE_F16, INCORE_FMA, BLOCKS(8), IN16, 1, 2, NULL},
    {"fp16x2-fma", "incore_fp16x2_fma", INCORE_F16X2, INCORE_FMA, BLOCKS(8), IN16, 2, 2, &wide},
    {"fp16x2-dot", "incore_fp16x2_dot", INCORE_F16X2, INCORE_DOT, BLOCKS(4), IN16, 1, 3, NULL},
    {"int8-dot4", "incore_int8_dot4", INCORE_I32, INCORE_DOT4, BLOCKS(4), GPU_CAP(DOT4), 1, 8,
     &wide},
    {"fp32-int32-mixed", "incore_fp32_int32_mixed", INCORE_F32, INCORE_MIXED, BLOCKS(4), 0, 2, 1,
     NULL},
    {I32("add", INCORE_ADD, BLOCKS(8), 0, 1, 1, NULL)},
    {I32("mul", INCORE_MUL, BLOCKS(4), 0, 1, 1, NULL)},
    {I32("mad", INCORE_MAD, BLOCKS(4), 0, 1, 2, &wide)},
    {I32("div", INCORE_DIV, BLOCKS(1), 0, 1, 1, NULL)},
    {I32("shift", INCORE_SHIFT, BLOCKS(4), 0, 1, 1, NULL)},
    {I32("popcount", INCORE_POPCOUNT, BLOCKS(1), 0, 1, 1, NULL)},
    {I64("add", INCORE_ADD, BLOCKS(1), GPU_CAP(INT64), 1, 1, NULL)},
    {I64("mul", INCORE_MUL, BLOCKS(1), GPU_CAP(INT64), 1, 1, NULL)},
    {SUBGROUP("shuffle", INCORE_SHUFFLE, GPU_CAP(SUBGROUPS) | GPU_CAP(SHUFFLE))},
    {SUBGROUP("vote", INCORE_VOTE, GPU_CAP(SUBGROUPS))},
    {SUBGROUP("min", INCORE_LEAST, GPU_CAP(SUBGROUPS))},
    {"barrier", "incore_barrier", INCORE_I32, INCORE_BARRIER, BLOCKS(1), 0, 1, 1, NULL},
};
const size_t incore_kind_count = sizeof incore_kinds / sizeof incore_kinds[0];

int incore_barrier_kernel(unsigned threads)
{
    static const unsigned sizes[] = {32, 256, 1024}; // as kernels.txt has them
    for (int i = 0; i < (int)(sizeof sizes / sizeof *sizes); i++)
        if (sizes[i] == threads)
            return i;
    return -1;
}

// Additions and products of floats are done where fused ones are.
enum measure_class incore_kind_class(const struct incore_kind *kind)
{
    bool simple = kind->operation <= INCORE_MUL;
    switch (kind->number) {
    case INCORE_F32:
        return simple ? MEASURE_FP32 : MEASURE_OTHER;
    case INCORE_F64:
        return simple ? MEASURE_FP64 : MEASURE_OTHER;
    case INCORE_F16:
    case INCORE_F16X2:
        return simple ? MEASURE_FP16 : MEASURE_OTHER;
    case INCORE_I32:
        return kind->operation == INCORE_MAD ? MEASURE_INT32_MAD : MEASURE_OTHER;
    case INCORE_TILE:
        return kind->operation == INCORE_TILE_E4M3 ? MEASURE_FP8_MATRIX : MEASURE_FP16_MATRIX;
    default:
        return MEASURE_OTHER;
    }
}
