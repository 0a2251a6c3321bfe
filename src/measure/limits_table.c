// SPDX-License-Identifier: MIT
#include "measure/limits_table.h"

#include "gpu/info.h"

// Sizes: NVIDIA's "CUDA C++ Programming Guide", technical specifications per compute capability.
// Shared memory has 32 banks of 4 bytes a cycle (same guide); Turing moves half of that. Volta to
// Hopper come close to 128 bytes of L1 a cycle in RRZE's gpu-benches, the H200 to 99.7 % here.
static const struct limits_architecture volta = {"Volta",
                                                 128,
                                                 128,
                                                 128,
                                                 "CUDA programming guide; gpu-benches on a V100",
                                                 .fp32 = 64,
                                                 .fp64 = 32,
                                                 .fp16 = 128,
                                                 .int32_mad = 64,
                                                 .matrix16 = 512};
static const struct limits_architecture turing = {
    "Turing",
    64,
    64,
    96,
    "CUDA programming guide; NVIDIA Ampere GA102 white paper, L1 and shared",
    .fp32 = 64,
    .fp64 = 2,
    .fp16 = 128,
    .int32_mad = 64,
    .matrix16 = 512};
static const struct limits_architecture ampere_100 = {
    "Ampere GA100",
    128,
    128,
    192,
    "CUDA programming guide; gpu-benches on an A100",
    .fp32 = 64,
    .fp64 = 32,
    .fp16 = 256,
    .int32_mad = 64,
    .matrix16 = 1024};
static const struct limits_architecture ampere = {
    "Ampere GA10x",
    128,
    128,
    128,
    "CUDA programming guide; NVIDIA Ampere GA102 white paper",
    .fp32 = 128,
    .fp64 = 2,
    .fp16 = 128,
    .int32_mad = 64,
    .matrix16 = 512};
static const struct limits_architecture ada = {"Ada",
                                               128,
                                               128,
                                               128,
                                               "CUDA programming guide; L1 as in Ampere GA10x",
                                               .fp32 = 128,
                                               .fp64 = 2,
                                               .fp16 = 128,
                                               .int32_mad = 64,
                                               .matrix16 = 512,
                                               .matrix8 = 1024};
static const struct limits_architecture hopper = {"Hopper",
                                                  128,
                                                  128,
                                                  256,
                                                  "CUDA programming guide; measured on an H200",
                                                  .fp32 = 128,
                                                  .fp64 = 64,
                                                  .fp16 = 256,
                                                  .int32_mad = 64,
                                                  .matrix16 = 2048,
                                                  .matrix8 = 4096};
// Arithmetic: the guide's "Throughput of Native Arithmetic Instructions", halves of GA10x and Ada
// from their white papers, as are the matrix units of all of them (H100: 989.4 TFLOP/s of halves,
// dense, at 132 × 1830 MHz). No source for the L1 rate of Blackwell yet.
static const struct limits_architecture blackwell = {"Blackwell GB20x",        0,        128, 128,
                                                     "CUDA programming guide", .fp32 = 0};

// Rates: the peaks that AMD's ROCm Compute Profiler divides by ("System Speed-of-Light" of gfx908,
// gfx90a, gfx942). Sizes: AMD's "GPU hardware specifications" of ROCm. For RDNA no such peaks are
// published: its rates of loads stay unknown.
// Arithmetic: operations a clock of a compute unit in AMD's white papers of CDNA, CDNA 2, CDNA 3,
// Vega and RDNA, with both of a pair where instructions do two.
static const struct limits_architecture cdna = {
    "CDNA",
    64,
    128,
    16,
    "ROCm Compute Profiler gfx908; ROCm hardware specifications",
    .fp32 = 64,
    .fp64 = 32,
    .fp16 = 128};
static const struct limits_architecture cdna2 = {
    "CDNA 2",
    64,
    128,
    16,
    "ROCm Compute Profiler gfx90a; ROCm hardware specifications",
    .fp32 = 128,
    .fp64 = 64,
    .fp16 = 128};
static const struct limits_architecture cdna3 = {
    "CDNA 3",    128,       128, 32, "ROCm Compute Profiler gfx942; ROCm hardware specifications",
    .fp32 = 128, .fp64 = 64};
static const struct limits_architecture vega = {
    "GCN 5", 0, 0, 16, "ROCm hardware specifications", .fp32 = 64, .fp16 = 128};
static const struct limits_architecture rdna = {
    "RDNA", 0, 0, 16, "ROCm hardware specifications", .fp32 = 64, .fp64 = 4, .fp16 = 128};
static const struct limits_architecture rdna2 = {
    "RDNA 2", 0, 0, 16, "ROCm hardware specifications", .fp32 = 64, .fp64 = 4, .fp16 = 128};
static const struct limits_architecture rdna3 = {
    "RDNA 3", 0, 0, 32, "ROCm hardware specifications", .fp32 = 128, .fp16 = 256};

static const struct limits_architecture alchemist = {
    "Xe-HPG", 0, 0, 192, "Intel Arc A-series data sheets", .fp32 = 0};

// Ranges from the PCI ID Repository (pci-ids.ucw.cz): GV100, TU10x and TU11x, GA100, GA10x, AD10x,
// GH100, GB20x; Vega 10 and 20, Navi 1x, 2x, 3x, Arcturus, Aldebaran, Aqua Vanjaram; DG2.
const struct limits_chip limits_chips[] = {
    {GPU_VENDOR_NVIDIA, 0x1d80, 0x1dff, &volta},
    {GPU_VENDOR_NVIDIA, 0x1e00, 0x1fff, &turing},
    {GPU_VENDOR_NVIDIA, 0x2180, 0x21ff, &turing},
    {GPU_VENDOR_NVIDIA, 0x2080, 0x20ff, &ampere_100},
    {GPU_VENDOR_NVIDIA, 0x2200, 0x22ff, &ampere},
    {GPU_VENDOR_NVIDIA, 0x2400, 0x25ff, &ampere},
    {GPU_VENDOR_NVIDIA, 0x2300, 0x237f, &hopper},
    {GPU_VENDOR_NVIDIA, 0x2680, 0x28ff, &ada},
    {GPU_VENDOR_NVIDIA, 0x2b80, 0x2d7f, &blackwell},
    {GPU_VENDOR_AMD, 0x6860, 0x687f, &vega},
    {GPU_VENDOR_AMD, 0x66a0, 0x66af, &vega},
    {GPU_VENDOR_AMD, 0x7310, 0x736f, &rdna},
    {GPU_VENDOR_AMD, 0x7388, 0x738f, &cdna},
    {GPU_VENDOR_AMD, 0x73a0, 0x73ff, &rdna2},
    {GPU_VENDOR_AMD, 0x7420, 0x743f, &rdna2},
    {GPU_VENDOR_AMD, 0x7408, 0x740f, &cdna2},
    {GPU_VENDOR_AMD, 0x7440, 0x749f, &rdna3},
    {GPU_VENDOR_AMD, 0x74a0, 0x74bf, &cdna3},
    {GPU_VENDOR_INTEL, 0x5690, 0x56bf, &alchemist},
};
const size_t limits_chip_count = sizeof limits_chips / sizeof limits_chips[0];

// From the makers' data sheets and product pages, but the H200, read off one: 3201 MHz × 6016 bit
// × 2 / 8 = 4814 GB/s, L2 60 MB as the driver says it (its MB are 2^20), 1980 MHz. An MI250X is two
// devices: figures of one.
const struct limits_product limits_products[] = {
    {"H200", 0, &hopper, 132, 1980, 4814, 60},
    {"H100 80GB HBM3", 0, &hopper, 132, 1980, 3352, 50},
    {"H100 PCIe", 0, &hopper, 114, 1755, 2039, 50},
    {"V100-SXM2-16GB", 0, &volta, 80, 1530, 900, 6},
    {"V100-SXM2-32GB", 0, &volta, 80, 1530, 900, 6},
    {"V100-PCIE-16GB", 0, &volta, 80, 1380, 900, 6},
    {"V100-PCIE-32GB", 0, &volta, 80, 1380, 900, 6},
    {"T4", 0, &turing, 40, 1590, 320, 4},
    {"A100-SXM4-40GB", 0, &ampere_100, 108, 1410, 1555, 40},
    {"A100-PCIE-40GB", 0, &ampere_100, 108, 1410, 1555, 40},
    {"A100-SXM4-80GB", 0, &ampere_100, 108, 1410, 2039, 40},
    {"A100 80GB PCIe", 0, &ampere_100, 108, 1410, 1935, 40},
    {"A30", 0, &ampere_100, 56, 1440, 933, 24},
    {"A40", 0, &ampere, 84, 1740, 696, 6},
    {"A10", 0, &ampere, 72, 1695, 600, 6},
    {"L40", 0, &ada, 142, 2490, 864, 96},
    {"L40S", 0, &ada, 142, 2520, 864, 96},
    {"L4", 0, &ada, 58, 2040, 300, 48},
    {"RTX 2080 Ti", 11, &turing, 68, 0, 616, 0},
    {"RTX 2080", 0, &turing, 46, 0, 448, 4},
    {"RTX 2070", 0, &turing, 36, 0, 448, 4},
    {"RTX 2060", 6, &turing, 30, 0, 336, 3},
    {"RTX 3090 Ti", 0, &ampere, 84, 0, 1008, 6},
    {"RTX 3090", 0, &ampere, 82, 0, 936, 6},
    {"RTX 3080 Ti", 12, &ampere, 80, 0, 912, 6},
    {"RTX 3080", 10, &ampere, 68, 0, 760, 5},
    {"RTX 3070 Ti", 8, &ampere, 48, 0, 608, 4},
    {"RTX 3070", 8, &ampere, 46, 0, 448, 4},
    {"RTX 3060", 12, &ampere, 28, 0, 360, 3},
    {"RTX 4090", 0, &ada, 128, 0, 1008, 72},
    {"RTX 4080", 16, &ada, 76, 0, 717, 64},
    {"RTX 4080 SUPER", 0, &ada, 80, 0, 736, 64},
    {"RTX 4070 Ti", 0, &ada, 60, 0, 504, 48},
    {"RTX 4070", 0, &ada, 46, 0, 504, 36},
    {"RTX 4060", 0, &ada, 24, 0, 272, 24},
    {"RTX 5090", 0, &blackwell, 170, 0, 1792, 96},
    {"RTX 5080", 0, &blackwell, 84, 0, 960, 64},
    {"MI100", 0, &cdna, 120, 1502, 1229, 8},
    {"MI210", 0, &cdna2, 104, 1700, 1638, 8},
    {"MI250X", 0, &cdna2, 110, 1700, 1638, 8},
    {"MI300X", 0, &cdna3, 304, 2100, 5300, 256},
    {"RX 5700 XT", 0, &rdna, 40, 0, 448, 4},
    {"RX 6600 XT", 0, &rdna2, 32, 0, 256, 32},
    {"RX 6700 XT", 0, &rdna2, 40, 0, 384, 96},
    {"RX 6800", 0, &rdna2, 60, 0, 512, 128},
    {"RX 6800 XT", 0, &rdna2, 72, 0, 512, 128},
    {"RX 6900 XT", 0, &rdna2, 80, 0, 512, 128},
    {"RX 6950 XT", 0, &rdna2, 80, 0, 576, 128},
    {"RX 7600", 0, &rdna3, 32, 0, 288, 32},
    {"RX 7800 XT", 0, &rdna3, 60, 0, 624, 64},
    {"RX 7900 XT", 0, &rdna3, 84, 0, 800, 80},
    {"RX 7900 XTX", 0, &rdna3, 96, 0, 960, 96},
    {"A770 Graphics", 16, &alchemist, 32, 0, 560, 16},
};
const size_t limits_product_count = sizeof limits_products / sizeof limits_products[0];
