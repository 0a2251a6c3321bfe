// SPDX-License-Identifier: MIT
#include "measure/limits.h"

#include <string.h>
#include <unistd.h>

// From this size on, the last cache that a model (a simulated device) states is certain.
#define STATED_LEAST (UINT64_C(1) << 20)

// Tables of architectures, chips and products. A figure without a published source is 0.

struct architecture {
    const char *name;
    // Bandwidth of one core's L1 and of its shared memory, in bytes per cycle; then the size in KiB
    // of the part of the L1 that can hold data.
    unsigned l1_bytes_per_cycle, shared_bytes_per_cycle, l1_kib;
    // Results per core and cycle, in the order of enum measure_class. If products of the
    // architecture have different matrix rates, the rates are 0 here, and struct product has them.
    unsigned results[MEASURE_OTHER];
    bool paired; // true if two cores form a processor that runs a workgroup on both (RDNA's WGP)
    const char *source;
};

// A range of PCI device ids of one architecture; it also covers products that no table lists.
struct chip {
    uint32_t vendor_id, first_id, last_id;
    const struct architecture *architecture;
};

struct product {
    // Product name: the last words of the driver's device name, before any part in parentheses.
    const char *name;
    // If not 0, only a device with about this much memory in GiB (memory_fits) is this product.
    unsigned memory_gib;
    const struct architecture *architecture;
    unsigned cores;
    // highest core clock; 0 if not known, or if cards run faster than their data sheet says
    unsigned core_mhz;
    unsigned dram_gb_per_s;
    unsigned last_cache_mib;
    // Multiply-adds of the matrix units per core and cycle; 0: as the architecture.
    unsigned matrix16, matrix8;
    const char *source;
};

// NVIDIA, sizes: "CUDA C++ Programming Guide", technical specifications per compute capability.
// Shared memory: 32 banks of 4 bytes per cycle (same guide); Turing has half of that. L1: RRZE's
// gpu-benches come close to 128 bytes per cycle on Volta and GA100, and an H200 reached 99.7 % of
// it. GA10x has 128 and Turing 64 (GA102 white paper). No source gives the L1 rate of Blackwell. Of
// Turing's 96 KiB, at most 64 KiB are L1 ("Turing Tuning Guide", 1.4.3.1).
//
// NVIDIA, arithmetic: "Throughput of Native Arithmetic Instructions" in the same guide. FP16 rates
// of GA10x and Ada, and all matrix rates, are from the white papers (H100: 989.4 TFLOP/s of dense
// FP16 at 132 × 1830 MHz). If cards with the same chip have different matrix rates, the table of
// products has them: GeForce cards and the L40 accumulate in FP32 at half the rate of professional
// cards, and TU116 and TU117 have no matrix units. RTX Blackwell: 104.8 TFLOP/s of FP32 and of FP16
// at 170 × 2407 MHz, 1/64 of it for FP64. B200: 80 TFLOP/s of FP32 and 40 of FP64 are 128 and 64
// multiply-adds per core and cycle.
//
// AMD, rates: the peaks of AMD's ROCm Compute Profiler, which shows rates as shares of a peak
// ("System Speed-of-Light" of gfx908, gfx90a, gfx942). For RDNA no such peaks are published. Sizes:
// AMD's "GPU hardware specifications" of ROCm. Arithmetic: operations per clock and compute unit in
// AMD's white papers of CDNA to CDNA 4, Vega and RDNA; an instruction on a pair of values counts as
// two. RDNA 4: 48.7 TFLOP/s of FP32 and 97.3 of FP16, and 195 and 389 TFLOP/s of the matrix units,
// at 64 × 2970 MHz.
#define CUDA_GUIDE "CUDA programming guide, docs.nvidia.com/cuda/cuda-c-programming-guide"
#define ROCM_SIZES                                                                                 \
    "ROCm hardware specifications, rocm.docs.amd.com/en/latest/reference/gpu-arch-specs.html"
#define TURING_L1   "Turing tuning guide, docs.nvidia.com/cuda/turing-tuning-guide"
#define TURING      "NVIDIA Turing white paper WP-09183"
#define GA102       "NVIDIA Ampere GA102 white paper v2"
#define ADA         "NVIDIA Ada white paper v2"
#define HOPPER      "NVIDIA H100 white paper"
#define GB20X       "NVIDIA RTX Blackwell white paper v1.1"
#define GB100       "NVIDIA HGX B200 data sheet"
#define CDNA_PAPERS "AMD CDNA, CDNA 2 and CDNA 3 white papers"
#define CDNA4_PAPER "AMD CDNA 4 white paper"
// clang-format off
static const struct architecture
    // Columns: the members of struct architecture, in their order.
    volta      = {"Volta",           128, 128, 128, { 64, 32, 128, 64,  512,    0}, false,
                  CUDA_GUIDE "; gpu-benches on a V100"},
    turing     = {"Turing",           64,  64,  64, { 64,  2, 128, 64,    0,    0}, false,
                  CUDA_GUIDE "; " GA102 ", L1 and shared; " TURING_L1},
    ampere_100 = {"Ampere GA100",    128, 128, 192, { 64, 32, 256, 64, 1024,    0}, false,
                  CUDA_GUIDE "; gpu-benches on an A100"},
    ampere     = {"Ampere GA10x",    128, 128, 128, {128,  2, 128, 64,    0,    0}, false,
                  CUDA_GUIDE "; " GA102},
    ada        = {"Ada",             128, 128, 128, {128,  2, 128, 64,    0,    0}, false,
                  CUDA_GUIDE "; L1 as in Ampere GA10x"},
    hopper     = {"Hopper",          128, 128, 256, {128, 64, 256, 64, 2048, 4096}, false,
                  CUDA_GUIDE "; measured on an H200"},
    // Export versions with slower arithmetic, whose rates no public source gives.
    hopper_20  = {"Hopper",          128, 128, 256, {  0,  0,   0,  0,    0,    0}, false,
                  CUDA_GUIDE "; measured on an H200"},
    gb100      = {"Blackwell GB100",   0, 128, 256, {128, 64,   0,  0,    0,    0}, false,
                  CUDA_GUIDE "; " GB100},
    gb20x      = {"Blackwell GB20x",   0, 128, 128, {128,  2, 128,  0,    0,    0}, false,
                  CUDA_GUIDE "; " GB20X},
    cdna       = {"CDNA",             64, 128,  16, { 64, 32, 128,  0,  512,    0}, false,
                  "ROCm Compute Profiler gfx908; " ROCM_SIZES "; " CDNA_PAPERS},
    cdna2      = {"CDNA 2",           64, 128,  16, {128, 64, 128,  0,  512,    0}, false,
                  "ROCm Compute Profiler gfx90a; " ROCM_SIZES "; " CDNA_PAPERS},
    cdna3      = {"CDNA 3",          128, 128,  32, {128, 64,   0,  0, 1024, 2048}, false,
                  "ROCm Compute Profiler gfx942; " ROCM_SIZES "; " CDNA_PAPERS},
    cdna4      = {"CDNA 4",            0,   0,  32, {128, 64,   0,  0, 2048, 4096}, false,
                  ROCM_SIZES "; " CDNA4_PAPER},
    vega       = {"GCN 5",             0,   0,  16, { 64,  0, 128,  0,    0,    0}, false,
                  ROCM_SIZES},
    rdna       = {"RDNA",              0,   0,  16, { 64,  4, 128,  0,    0,    0}, true,
                  ROCM_SIZES},
    rdna2      = {"RDNA 2",            0,   0,  16, { 64,  4, 128,  0,    0,    0}, true,
                  ROCM_SIZES},
    rdna3      = {"RDNA 3",            0,   0,  32, {128,  0, 256,  0,    0,    0}, true,
                  ROCM_SIZES},
    rdna4      = {"RDNA 4",            0,   0,  32, {128,  0, 256,  0,  512, 1024}, true,
                  ROCM_SIZES "; AMD Radeon RX 9070 XT data sheet"},
    alchemist  = {"Xe-HPG",            0,   0, 192, {  0,  0,   0,  0,    0,    0}, false,
                  "Intel Arc A-series data sheets"},
    battlemage = {"Xe2-HPG",           0,   0, 256, {128,  0,   0,  0,    0,    0}, false,
                  "Intel Arc B-series data sheets: 20 Xe-cores of 8 engines with 16 lanes"};
// clang-format on

// Ranges of PCI device ids, from the PCI ID Repository (pci-ids.ucw.cz). NVIDIA: GV100, TU10x and
// TU11x, GA100, GA10x, AD10x, GH100, GB100, GB20x. AMD: Vega 10 and 20, Navi 1x to 4x, Arcturus,
// Aldebaran, Aqua Vanjaram (gfx942, gfx950). Intel: DG2, Battlemage. Then AMD's GPUs within
// processors: Raven Ridge and Picasso, Renoir, Lucienne and Cezanne; Van Gogh, Rembrandt, Raphael,
// Mendocino; Phoenix and Hawk Point.
static const struct chip chips[] = {
    {GPU_VENDOR_NVIDIA, 0x1d80, 0x1dff, &volta},
    {GPU_VENDOR_NVIDIA, 0x1e00, 0x1fff, &turing},
    {GPU_VENDOR_NVIDIA, 0x2180, 0x21ff, &turing},
    {GPU_VENDOR_NVIDIA, 0x2080, 0x20ff, &ampere_100},
    {GPU_VENDOR_NVIDIA, 0x2200, 0x22ff, &ampere},
    {GPU_VENDOR_NVIDIA, 0x2400, 0x25ff, &ampere},
    {GPU_VENDOR_NVIDIA, 0x2324, 0x232c, &hopper_20}, // H800 and H20, export versions of Hopper
    {GPU_VENDOR_NVIDIA, 0x2300, 0x237f, &hopper},
    {GPU_VENDOR_NVIDIA, 0x2680, 0x28ff, &ada},
    {GPU_VENDOR_NVIDIA, 0x2900, 0x29ff, &gb100},
    {GPU_VENDOR_NVIDIA, 0x2b80, 0x2d7f, &gb20x},
    {GPU_VENDOR_AMD, 0x6860, 0x687f, &vega},
    {GPU_VENDOR_AMD, 0x66a0, 0x66af, &vega},
    {GPU_VENDOR_AMD, 0x7310, 0x736f, &rdna},
    {GPU_VENDOR_AMD, 0x7388, 0x738f, &cdna},
    {GPU_VENDOR_AMD, 0x73a0, 0x73ff, &rdna2},
    {GPU_VENDOR_AMD, 0x7420, 0x743f, &rdna2},
    {GPU_VENDOR_AMD, 0x7408, 0x740f, &cdna2},
    {GPU_VENDOR_AMD, 0x7440, 0x749f, &rdna3},
    {GPU_VENDOR_AMD, 0x74a0, 0x74bf, &cdna3},
    {GPU_VENDOR_AMD, 0x7550, 0x755f, &rdna4},
    {GPU_VENDOR_AMD, 0x7590, 0x759f, &rdna4},
    {GPU_VENDOR_AMD, 0x75a0, 0x75bf, &cdna4},
    {GPU_VENDOR_INTEL, 0x5690, 0x56bf, &alchemist},
    {GPU_VENDOR_INTEL, 0xe200, 0xe2ff, &battlemage},
    {GPU_VENDOR_AMD, 0x15d8, 0x15dd, &vega},
    {GPU_VENDOR_AMD, 0x1636, 0x1638, &vega},
    {GPU_VENDOR_AMD, 0x164c, 0x164c, &vega},
    {GPU_VENDOR_AMD, 0x163f, 0x163f, &rdna2},
    {GPU_VENDOR_AMD, 0x1681, 0x1681, &rdna2},
    {GPU_VENDOR_AMD, 0x164e, 0x164e, &rdna2},
    {GPU_VENDOR_AMD, 0x1506, 0x1506, &rdna2},
    {GPU_VENDOR_AMD, 0x15bf, 0x15bf, &rdna3},
    {GPU_VENDOR_AMD, 0x15c8, 0x15c8, &rdna3},
    {GPU_VENDOR_AMD, 0x1900, 0x1901, &rdna3},
};

#define V100     "NVIDIA V100 data sheet"
#define A100     "NVIDIA A100 data sheet"
#define GEFORCE  "nvidia.com/geforce, product page"
#define RADEON   "amd.com, product page; " ROCM_SIZES
#define INSTINCT "AMD Instinct data sheet; " ROCM_SIZES
#define GH200    "NVIDIA GH200 Grace Hopper data sheet"
#define H100_NVL "anandtech.com/show/18780; 6016 bit at the H100's 2619 MHz"
// Source of the H200's figures: the card's driver. It reports 60 MiB of L2, a core clock of 1980
// MHz, and a memory of 3201 MHz and 6016 bits: 3201 MHz × 6016 bits × 2 / 8 = 4814 GB/s.
#define BY_DRIVER  "the card's driver"
#define H20_SOURCE "no public data sheet; willitrunai.com/es/gpus/h20-96gb, Geekbench 6"

// Public pages that confirm figures, besides the named sources: RTX 5080 (techpowerup.com, review
// of the Founders Edition), RTX 5060 and 5060 Ti (Ars Technica's review), MI325X (aiwiki.ai; its
// 163.4 TFLOP/s of FP32 follow from 2100 MHz), MI350X and MI355X (wccftech.com on Hot Chips 2025),
// RX 9060 XT (club386.com), RX 9070 and 9070 XT (multiplayer.it), B580 (fpsbench.com), B200
// (glennklockwood.com/garden/processors/B200). Clocks and caches that no page gives are 0.

// The MI250X consists of two devices; its row describes one of them. Columns: the members of struct
// product, in their order.
static const struct product products[] = {
    {"H200", 0, &hopper, 132, 1980, 4814, 60, 0, 0, BY_DRIVER},
    {"H100 80GB HBM3", 0, &hopper, 132, 1980, 3352, 50, 0, 0, HOPPER},
    {"H100 PCIe", 0, &hopper, 114, 1755, 2039, 50, 0, 0, HOPPER},
    {"H100 NVL", 0, &hopper, 132, 0, 3938, 0, 0, 0, H100_NVL},
    {"GH200 480GB", 0, &hopper, 132, 0, 4000, 0, 0, 0, GH200},
    {"GH200 144G HBM3e", 0, &hopper, 132, 0, 4900, 0, 0, 0, GH200},
    {"H20", 0, &hopper_20, 78, 0, 4000, 0, 0, 0, H20_SOURCE},
    {"B200", 0, &gb100, 0, 0, 8000, 0, 0, 0, GB100},
    {"V100-SXM2-16GB", 0, &volta, 80, 1530, 900, 6, 0, 0, V100},
    {"V100-SXM2-32GB", 0, &volta, 80, 1530, 900, 6, 0, 0, V100},
    {"V100-PCIE-16GB", 0, &volta, 80, 1380, 900, 6, 0, 0, V100},
    {"V100-PCIE-32GB", 0, &volta, 80, 1380, 900, 6, 0, 0, V100},
    {"T4", 0, &turing, 40, 1590, 320, 4, 512, 0, "NVIDIA T4 data sheet"},
    {"A100-SXM4-40GB", 0, &ampere_100, 108, 1410, 1555, 40, 0, 0, A100},
    {"A100-PCIE-40GB", 0, &ampere_100, 108, 1410, 1555, 40, 0, 0, A100},
    {"A100-SXM4-80GB", 0, &ampere_100, 108, 1410, 2039, 40, 0, 0, A100},
    {"A100 80GB PCIe", 0, &ampere_100, 108, 1410, 1935, 40, 0, 0, A100},
    {"A30", 0, &ampere_100, 56, 1440, 933, 24, 0, 0, "NVIDIA A30 data sheet"},
    {"A40", 0, &ampere, 84, 1740, 696, 6, 512, 0, GA102},
    {"A10", 0, &ampere, 72, 1695, 600, 6, 512, 0, "NVIDIA A10 data sheet"},
    {"L40", 0, &ada, 142, 2490, 864, 96, 256, 512, "NVIDIA L40 data sheet"},
    {"L40S", 0, &ada, 142, 2520, 864, 96, 512, 1024, "NVIDIA L40S data sheet"},
    {"L4", 0, &ada, 58, 2040, 300, 48, 512, 1024, "NVIDIA L4 data sheet"},
    {"RTX 2080 Ti", 11, &turing, 68, 0, 616, 0, 256, 0, TURING},
    {"RTX 2080", 0, &turing, 46, 0, 448, 4, 256, 0, TURING},
    {"RTX 2070", 0, &turing, 36, 0, 448, 4, 256, 0, TURING},
    {"RTX 2060", 6, &turing, 30, 0, 336, 3, 256, 0, TURING "; " GEFORCE},
    {"RTX 3090 Ti", 0, &ampere, 84, 0, 1008, 6, 256, 0, GA102 "; " GEFORCE},
    {"RTX 3090", 0, &ampere, 82, 0, 936, 6, 256, 0, GA102},
    {"RTX 3080 Ti", 12, &ampere, 80, 0, 912, 6, 256, 0, GA102 "; " GEFORCE},
    {"RTX 3080", 10, &ampere, 68, 0, 760, 5, 256, 0, GA102},
    {"RTX 3070 Ti", 8, &ampere, 48, 0, 608, 4, 256, 0, GA102 "; " GEFORCE},
    {"RTX 3070", 8, &ampere, 46, 0, 448, 4, 256, 0, GA102},
    {"RTX 3060", 12, &ampere, 28, 0, 360, 3, 256, 0, GA102 "; " GEFORCE},
    {"RTX 4090", 0, &ada, 128, 0, 1008, 72, 256, 512, ADA},
    {"RTX 4080", 16, &ada, 76, 0, 717, 64, 256, 512, ADA},
    {"RTX 4080 SUPER", 0, &ada, 80, 0, 736, 64, 256, 512, ADA "; " GEFORCE},
    {"RTX 4070 Ti", 0, &ada, 60, 0, 504, 48, 256, 512, ADA "; " GEFORCE},
    {"RTX 4070", 0, &ada, 46, 0, 504, 36, 256, 512, ADA "; " GEFORCE},
    {"RTX 4060", 0, &ada, 24, 0, 272, 24, 256, 512, ADA "; " GEFORCE},
    {"RTX 5090", 0, &gb20x, 170, 0, 1792, 96, 256, 512, GB20X},
    {"RTX 5080", 0, &gb20x, 84, 0, 960, 64, 256, 512, GB20X},
    {"RTX 5070 Ti", 0, &gb20x, 70, 0, 896, 0, 256, 512, GB20X},
    {"RTX 5070", 0, &gb20x, 48, 0, 672, 0, 256, 512, GB20X},
    {"RTX 5060 Ti", 0, &gb20x, 36, 0, 448, 0, 256, 512, GB20X "; " GEFORCE},
    {"RTX 5060", 0, &gb20x, 30, 0, 448, 0, 256, 512, GB20X "; " GEFORCE},
    {"MI100", 0, &cdna, 120, 1502, 1229, 8, 0, 0, INSTINCT},
    {"MI210", 0, &cdna2, 104, 1700, 1638, 8, 0, 0, INSTINCT},
    {"MI250X", 0, &cdna2, 110, 1700, 1638, 8, 0, 0, INSTINCT},
    {"MI300X", 0, &cdna3, 304, 2100, 5300, 256, 0, 0, INSTINCT},
    {"MI325X", 0, &cdna3, 304, 2100, 6000, 256, 0, 0, INSTINCT},
    {"MI350X", 0, &cdna4, 256, 2200, 8000, 256, 0, 0, INSTINCT},
    {"MI355X", 0, &cdna4, 256, 2400, 8000, 256, 0, 0, INSTINCT},
    {"RX 5700 XT", 0, &rdna, 40, 0, 448, 4, 0, 0, RADEON},
    {"RX 6600 XT", 0, &rdna2, 32, 0, 256, 32, 0, 0, RADEON},
    {"RX 6700 XT", 0, &rdna2, 40, 0, 384, 96, 0, 0, RADEON},
    {"RX 6800", 0, &rdna2, 60, 0, 512, 128, 0, 0, RADEON},
    {"RX 6800 XT", 0, &rdna2, 72, 0, 512, 128, 0, 0, RADEON},
    {"RX 6900 XT", 0, &rdna2, 80, 0, 512, 128, 0, 0, RADEON},
    {"RX 6950 XT", 0, &rdna2, 80, 0, 576, 128, 0, 0, RADEON},
    {"RX 7600", 0, &rdna3, 32, 0, 288, 32, 0, 0, RADEON},
    {"RX 7800 XT", 0, &rdna3, 60, 0, 624, 64, 0, 0, RADEON},
    {"RX 7900 XT", 0, &rdna3, 84, 0, 800, 80, 0, 0, RADEON},
    {"RX 7900 XTX", 0, &rdna3, 96, 0, 960, 96, 0, 0, RADEON},
    {"RX 9060 XT", 0, &rdna4, 32, 0, 320, 0, 0, 0, RADEON},
    {"RX 9070", 0, &rdna4, 56, 0, 640, 64, 0, 0, RADEON},
    {"RX 9070 XT", 0, &rdna4, 64, 0, 640, 64, 0, 0, RADEON},
    {"A770 Graphics", 16, &alchemist, 32, 0, 560, 16, 0, 0, "ark.intel.com, Arc A770"},
    {"B580 Graphics", 12, &battlemage, 20, 2670, 456, 18, 0, 0, "ark.intel.com, Arc B580"},
};

// ---------------------------------------------------------------- looking up a device

// "AMD Radeon RX 6800 (RADV NAVI21)" is an RX 6800; "RX 6800 XT" and "RX 6800 Laptop GPU" are not.
static bool name_ends_with(const char *device, const char *product)
{
    const char *end = strstr(device, " (");
    size_t length = end ? (size_t)(end - device) : strlen(device), wanted = strlen(product);
    if (length < wanted || memcmp(device + length - wanted, product, wanted) != 0)
        return false;
    return length == wanted || device[length - wanted - 1] == ' ';
}

// Drivers reserve some of the memory, or round its size up. A `gib` of 0 fits any size.
static bool memory_fits(uint64_t bytes, unsigned gib)
{
    double ratio = (double)bytes / ((double)gib * 1024 * 1024 * 1024);
    return gib == 0 || (ratio > 0.9 && ratio < 1.1);
}

bool measure_limits_product(size_t row, const char **name, const char **source)
{
    if (row >= sizeof products / sizeof *products)
        return false;
    *name = products[row].name;
    *source = products[row].source;
    return true;
}

static const struct product *find_product(const struct gpu_info *info)
{
    for (size_t i = 0; i < sizeof products / sizeof *products; i++)
        if (name_ends_with(info->name, products[i].name) &&
            memory_fits(info->limits.memory_bytes, products[i].memory_gib))
            return &products[i];
    return NULL;
}

static const struct architecture *find_architecture(const struct gpu_info *info)
{
    for (size_t i = 0; i < sizeof chips / sizeof *chips; i++)
        if (chips[i].vendor_id == info->vendor_id && chips[i].first_id <= info->device_id &&
            info->device_id <= chips[i].last_id)
            return chips[i].architecture;
    return NULL;
}

static void fill_cpu(struct measure_limits *limits)
{
    limits->architecture = "CPU";
    limits->source = "sysconf";
    long processors = sysconf(_SC_NPROCESSORS_ONLN), l1 = 0, last = 0;
#ifdef _SC_LEVEL1_DCACHE_SIZE
    l1 = sysconf(_SC_LEVEL1_DCACHE_SIZE);
    last = sysconf(_SC_LEVEL3_CACHE_SIZE);
    if (last <= 0)
        last = sysconf(_SC_LEVEL2_CACHE_SIZE);
#endif
    limits->cores = processors > 0 ? (unsigned)processors : 0;
    limits->l1_bytes = l1 > 0 ? (uint64_t)l1 : 0;
    limits->last_cache_bytes = last > 0 ? (uint64_t)last : 0;
}

static void fill_from_tables(const struct gpu_info *info, struct measure_limits *limits)
{
    const struct product *product = find_product(info);
    const struct architecture *architecture = find_architecture(info);
    if (product)
        architecture = product->architecture;
    if (architecture) {
        limits->architecture = architecture->name;
        limits->source = architecture->source;
        limits->l1_bytes_per_cycle = architecture->l1_bytes_per_cycle;
        limits->shared_bytes_per_cycle = architecture->shared_bytes_per_cycle;
        for (int which = 0; which < MEASURE_OTHER; which++)
            limits->results_per_cycle[which] = architecture->results[which];
        limits->l1_bytes = (uint64_t)architecture->l1_kib << 10;
        limits->group_cores = architecture->paired ? 2 : 1;
    }
    if (product) {
        limits->cores = product->cores;
        limits->core_clock_hz = product->core_mhz * 1e6;
        limits->dram_bytes_per_s = product->dram_gb_per_s * 1e9;
        if (product->matrix16)
            limits->results_per_cycle[MEASURE_FP16_MATRIX] = product->matrix16;
        if (product->matrix8)
            limits->results_per_cycle[MEASURE_FP8_MATRIX] = product->matrix8;
        limits->product_source = product->source;
        limits->last_cache_bytes = (uint64_t)product->last_cache_mib << 20;
    }
}

// NVIDIA's driver reports the last cache of this device or, with MIG, of its part. Other drivers
// report one of several caches, so their size is only a lower bound.
static void fill_last_cache(const struct gpu_info *info, struct measure_limits *limits)
{
    uint64_t reported = info->limits.last_cache_bytes;
    bool is_nvidia = info->vendor_id == GPU_VENDOR_NVIDIA && info->kind == GPU_KIND_DISCRETE;
    bool is_model = (info->caps & GPU_CAP(VIRTUAL_TIME)) && reported >= STATED_LEAST;
    bool is_exact = is_nvidia || info->kind == GPU_KIND_CPU;
    limits->last_cache_known = limits->last_cache_bytes || (is_exact && reported) || is_model;
    if (reported && (is_nvidia || reported > limits->last_cache_bytes))
        limits->last_cache_bytes = reported;
}

// Converts the rates of a compute unit to rates of what the driver counts as a core. On RDNA, two
// units run a workgroup together: ROCm's OpenCL counts such pairs; Vulkan drivers count units, and
// report core_threads. `units` is from the table of products. If it is not clear what the driver
// counts, the rates become unknown (0).
static void count_pairs(const struct gpu_limits *reported, unsigned units,
                        struct measure_limits *limits)
{
    bool counts_pairs = reported->cores * 2 == units, counts_units = reported->core_threads != 0;
    if (!counts_pairs && (counts_units || reported->cores == units))
        return;
    double factor = counts_pairs ? 2 : 0;
    limits->l1_bytes_per_cycle *= factor;
    limits->shared_bytes_per_cycle *= factor;
    for (int which = 0; which < MEASURE_OTHER; which++)
        limits->results_per_cycle[which] *= factor;
    limits->group_cores = counts_pairs ? 1 : 0;
}

// Replaces figures of the tables by figures that the driver reports for this device.
static void fill_from_driver(const struct gpu_info *info, struct measure_limits *limits)
{
    const struct gpu_limits *reported = &info->limits;
    if (reported->cores && limits->group_cores == 2)
        count_pairs(reported, limits->cores, limits);
    if (reported->cores)
        limits->cores = (unsigned)reported->cores;
    if (reported->core_clock_hz)
        limits->core_clock_hz = (double)reported->core_clock_hz;
    fill_last_cache(info, limits);
    // Only NVIDIA's driver reports half the data rate, for every kind of memory.
    if (reported->memory_clock_hz && reported->memory_bus_bits &&
        info->vendor_id == GPU_VENDOR_NVIDIA)
        limits->dram_bytes_per_s =
            (double)reported->memory_clock_hz * 2 * (double)reported->memory_bus_bits / 8;
}

void measure_limits_of(const struct gpu_info *info, struct measure_limits *limits)
{
    *limits = (struct measure_limits){.group_cores = info->vendor_id != GPU_VENDOR_AMD};
    if (info->kind == GPU_KIND_CPU)
        fill_cpu(limits);
    else
        fill_from_tables(info, limits);
    fill_from_driver(info, limits);
}

uint64_t measure_limits_cache_most(const struct measure_limits *limits)
{
    uint64_t most = limits->last_cache_bytes;
    for (size_t i = 0; !limits->last_cache_known && i < sizeof products / sizeof *products; i++)
        if ((uint64_t)products[i].last_cache_mib << 20 > most)
            most = (uint64_t)products[i].last_cache_mib << 20;
    return most;
}

bool measure_limits_is_dram(const struct measure_limits *limits, uint64_t bytes)
{
    return bytes >= MEASURE_DRAM_CACHES * measure_limits_cache_most(limits);
}

uint64_t measure_limits_buffer(const struct gpu_limits *limits, uint64_t bytes,
                               unsigned memory_share)
{
    const uint64_t most[] = {memory_share ? limits->memory_bytes / memory_share : 0,
                             limits->allocation_bytes, limits->storage_range_bytes};
    for (size_t i = 0; i < sizeof most / sizeof most[0]; i++)
        if (most[i] && most[i] < bytes)
            bytes = most[i];
    return bytes;
}
