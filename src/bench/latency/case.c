// SPDX-License-Identifier: MIT
#include "bench/latency/case.h"

#include "bench/latency/latency.h"
#include "math/permute.h"

#include <inttypes.h>

static const struct {
    const char *name;
    gpu_caps caps;
    bool pointers; // true: the path can have pointer chains
    bool linear;   // true: elements with neighbouring indices are adjacent in memory
    // word after latency_control_ in the control kernel's name for index chains; NULL: no kernel
    const char *control;
} paths[LATENCY_PATH_COUNT] = {
    [LATENCY_VECTOR] = {"vector", 0, true, true, "vector"},
    [LATENCY_SCALAR] = {"scalar", 0, true, true, "scalar"},
    [LATENCY_SHARED] = {"shared", 0, false, true, "vector"},
    [LATENCY_CONSTANT] = {"constant", GPU_CAP(CONSTANT), false, true, "constant"},
    [LATENCY_TEXEL] = {"texel", GPU_CAP(TYPED), false, true, NULL},
    [LATENCY_IMAGE] = {"image", GPU_CAP(IMAGES), false, false, NULL},
    [LATENCY_ATOMIC] = {"atomic", 0, true, true, "vector"},
    [LATENCY_ATOMIC_SHARED] = {"atomic-shared", 0, false, true, "vector"},
};

const char *latency_path_name(enum latency_path path)
{
    return paths[path].name;
}

gpu_caps latency_caps(enum latency_path path, bool pointer)
{
    gpu_caps caps = paths[path].caps;
    if (pointer)
        caps |= GPU_CAP(ADDRESSES) | GPU_CAP(INT64);
    if (pointer && path == LATENCY_ATOMIC)
        caps |= GPU_CAP(ATOMICS64);
    return caps;
}

const char *latency_control_name(const struct latency_case *this_case)
{
    return this_case->pointer ? NULL : paths[this_case->path].control;
}

bool latency_on_chip(enum latency_path path)
{
    return path == LATENCY_SHARED || path == LATENCY_ATOMIC_SHARED;
}

bool latency_path_has(enum latency_path path, bool pointer, unsigned order)
{
    if (pointer && !paths[path].pointers)
        return false;
    if (order == LATENCY_ORDER_PAGE)
        return paths[path].linear && !latency_on_chip(path) && path != LATENCY_CONSTANT;
    return order == LATENCY_ORDER_RANDOM || paths[path].linear;
}

void latency_case_read(const struct bench_case *c, struct latency_case *this_case)
{
    const struct case_value *bytes = case_find(c, "bytes"), *pitch = case_find(c, "pitch"),
                            *page = case_find(c, "page");
    *this_case = (struct latency_case){
        .path = (enum latency_path)case_choice(c, "path"),
        .pointer = case_choice(c, "chain") == 0,
        .order = case_choice(c, "order"),
        .bytes = bytes ? bytes->uint : 0,
        .keep_awake = case_choice(c, "load") == 1,
        .stride = pitch ? (uint32_t)pitch->uint : 0,
        .page = page ? (uint32_t)page->uint : 0,
    };
}

// ---------------------------------------------------------------- limits

struct bound {
    uint64_t bytes;
    const char *name;
};

static void bound_by(struct bound *bound, uint64_t bytes, const char *name)
{
    if (bytes < bound->bytes)
        *bound = (struct bound){bytes, name};
}

// Returns the size of the largest shared array of the kernels (kernels.txt) up to `limit`; 0 if all
// arrays are larger.
static uint64_t shared_bytes_max(uint64_t limit)
{
    for (uint64_t bytes = 65536; bytes > 0; bytes -= 16384)
        if (bytes <= limit)
            return bytes;
    return 0;
}

static void bound_by_path(struct bound *bound, const struct gpu_limits *limits,
                          const struct latency_case *this_case)
{
    switch (this_case->path) {
    case LATENCY_SHARED:
    case LATENCY_ATOMIC_SHARED:
        bound_by(bound, shared_bytes_max(limits->shared_bytes), "shared_bytes");
        break;
    case LATENCY_CONSTANT:
        bound_by(bound, limits->constant_range_bytes >= 65536 ? 65536 : 0, "constant_range_bytes");
        break;
    case LATENCY_TEXEL:
        bound_by(bound, limits->typed_elements * 4, "typed_elements");
        break;
    case LATENCY_IMAGE: {
        uint64_t blocks = limits->image_2d / LATENCY_IMAGE_SIDE;
        bound_by(bound, blocks * blocks * 128, "image_2d");
        bound_by(bound, limits->storage_range_bytes, "storage_range_bytes");
        break;
    }
    case LATENCY_VECTOR:
    case LATENCY_SCALAR:
    case LATENCY_ATOMIC:
        if (!this_case->pointer) {
            bound_by(bound, limits->storage_range_bytes, "storage_range_bytes");
            bound_by(bound, BENCH_INDEX_REACH_BYTES, "an index of 32 bits");
        }
        break;
    case LATENCY_PATH_COUNT:
        break;
    }
}

uint64_t latency_bytes_max(const struct gpu_info *info, const struct latency_case *this_case,
                           const char **name)
{
    const struct gpu_limits *limits = &info->limits;
    struct bound bound = {UINT64_MAX, "no limit"};
    if (this_case->order == LATENCY_ORDER_PAGE) {
        bound_by(&bound, limits->memory_bytes / 2, "half of memory_bytes");
    } else {
        bound_by(&bound, UINT64_C(4) << 30, "4 GiB");
        bound_by(&bound, limits->memory_bytes / 4, "a quarter of memory_bytes");
    }
    bool chunks = this_case->pointer && this_case->order == LATENCY_ORDER_PAGE;
    if (limits->allocation_bytes && !chunks)
        bound_by(&bound, limits->allocation_bytes, "allocation_bytes");
    bound_by_path(&bound, limits, this_case);
    *name = bound.name;
    return bound.bytes;
}

uint64_t latency_chunk_bytes(const struct gpu_info *info)
{
    uint64_t bytes = UINT64_C(1) << 30, most = info->limits.allocation_bytes;
    while (most && bytes > 1 << 20 && 2 * bytes > most)
        bytes /= 2;
    return bytes;
}

// ---------------------------------------------------------------- chains

// Returns the width of the image in blocks: the largest power of two that is at most its height.
static uint32_t image_columns(uint32_t nodes)
{
    uint32_t columns = 1;
    while ((uint64_t)columns * columns * 4 <= nodes)
        columns *= 2;
    return columns;
}

static bool power_of_two(uint32_t x)
{
    return x && !(x & (x - 1));
}

bool latency_case_check(const struct latency_case *this_case, struct error *err)
{
    if (this_case->stride % 16 || this_case->stride < 16 || this_case->stride > LATENCY_STRIDE_MAX)
        return error_set(err, ERROR_USAGE,
                         "pitch %" PRIu32 ": it must be a multiple of 16 bytes, at most 64 MiB",
                         this_case->stride);
    if (this_case->order == LATENCY_ORDER_PAGE &&
        (!power_of_two(this_case->page) || !power_of_two(this_case->stride) ||
         this_case->page < this_case->stride))
        return error_set(err, ERROR_USAGE,
                         "page %" PRIu32 " with pitch %" PRIu32
                         ": both must be powers of two, and the page the larger one",
                         this_case->page, this_case->stride);
    if (this_case->path == LATENCY_IMAGE && this_case->stride != 128)
        return error_set(err, ERROR_USAGE,
                         "pitch %" PRIu32
                         ": path image has one node in 128 bytes; leave the pitch at 128",
                         this_case->stride);
    return true;
}

static uint32_t link_bytes(const struct latency_case *this_case)
{
    return this_case->pointer ? 8 : this_case->path == LATENCY_CONSTANT ? 16 : 4;
}

uint32_t latency_log2(uint64_t power)
{
    uint32_t bits = 0;
    while (power >>= 1)
        bits++;
    return bits;
}

// With order=plru or page, sets the size of a block, the places for nodes in it (slots), and how
// often the chain visits it (turns).
static void set_blocks(const struct latency_case *this_case, struct latency_chain *chain)
{
    switch (this_case->order) {
    case LATENCY_ORDER_PLRU:
        chain->block_bytes = LATENCY_STRIDE_BYTES;
        chain->slot_bytes = link_bytes(this_case);
        chain->slots = LATENCY_STRIDE_BYTES / chain->slot_bytes;
        chain->turns = chain->slots;
        break;
    case LATENCY_ORDER_PAGE: {
        chain->block_bytes = this_case->page;
        chain->slot_bytes = this_case->stride;
        chain->slots = this_case->page / this_case->stride;
        // A lap touches cache lines of about LATENCY_PAGE_LAP_BYTES, so that caches serve chains of
        // few and of many pages equally well.
        uint64_t lap = this_case->bytes / this_case->page * this_case->stride;
        uint64_t turns = lap ? (LATENCY_PAGE_LAP_BYTES + lap / 2) / lap : 1;
        chain->turns = turns < 1 ? 1 : turns > chain->slots ? chain->slots : (uint32_t)turns;
        break;
    }
    default:
        break;
    }
}

bool latency_chain_of(const struct latency_case *this_case, uint32_t key,
                      struct latency_chain *chain, struct error *err)
{
    if (!latency_case_check(this_case, err))
        return false;
    *chain = (struct latency_chain){
        .order = this_case->order,
        .block_bytes = this_case->stride,
        .slots = 1,
        .turns = 1,
        .key = key,
        .link_shift = latency_log2(link_bytes(this_case) / 4),
        .image_columns = 1,
        .chunk_shift = 31,
    };
    set_blocks(this_case, chain);
    uint64_t blocks = this_case->bytes / chain->block_bytes, nodes = blocks * chain->turns;
    if (nodes > INT32_MAX)
        return error_set(err, ERROR_UNSUPPORTED, "%" PRIu64 " nodes are more than 2^31 − 1", nodes);
    if (this_case->path == LATENCY_IMAGE) {
        chain->image_columns = image_columns((uint32_t)blocks);
        nodes = blocks -= blocks % chain->image_columns;
    }
    if (blocks < LATENCY_BLOCKS_MIN)
        return error_set(err, ERROR_UNSUPPORTED,
                         "%" PRIu64 " bytes hold fewer than two blocks of %" PRIu32,
                         this_case->bytes, chain->block_bytes);
    bool plru = this_case->order == LATENCY_ORDER_PLRU;
    chain->nodes = (uint32_t)nodes;
    chain->bytes = blocks * chain->block_bytes;
    // The footprint is the size of all cache lines that a lap touches: with order=plru the whole
    // region, else one line per node, or only the stride if the stride is shorter than a line.
    const uint32_t line = 128, apart = this_case->stride < line ? this_case->stride : line;
    chain->footprint_bytes = plru ? chain->bytes : nodes * apart;
    // With order=plru, a warm-up lap visits each block of 512 bytes 16 times, which touches each 32
    // bytes of the block.
    chain->lap = plru ? (uint32_t)blocks * 16 : chain->nodes;
    return true;
}

static uint32_t reverse_bits(uint32_t x)
{
    uint32_t reversed = 0;
    for (int bit = 0; bit < 32; bit++)
        reversed |= (x >> bit & 1) << (31 - bit);
    return reversed;
}

struct latency_place latency_place(const struct latency_chain *chain, uint32_t k)
{
    uint32_t blocks = chain->nodes / chain->turns, turn = k / blocks, i = k % blocks;
    if (chain->order == LATENCY_ORDER_PLRU) {
        uint32_t slot = reverse_bits(0 - turn) >> (32 - latency_log2(chain->slots));
        return (struct latency_place){i, slot * chain->slot_bytes};
    }
    uint32_t block = permute_index(i, blocks, chain->key);
    if (chain->order != LATENCY_ORDER_PAGE)
        return (struct latency_place){block, 0};
    uint32_t line = (block * chain->turns + turn) & (chain->slots - 1);
    line = permute_index(line, chain->slots, ~chain->key);
    return (struct latency_place){block, line * chain->slot_bytes};
}

void latency_link(const struct latency_case *this_case, const struct latency_chain *chain,
                  const uint64_t *chunks, uint32_t k, uint32_t words[2])
{
    struct latency_place place = latency_place(chain, k);
    if (this_case->path == LATENCY_IMAGE) {
        words[0] = place.block % chain->image_columns * LATENCY_IMAGE_SIDE;
        words[1] = place.block / chain->image_columns * LATENCY_IMAGE_SIDE;
        return;
    }
    uint32_t in_chunk = place.block;
    uint64_t chunk = 0;
    if (this_case->pointer) {
        chunk = chunks[place.block >> chain->chunk_shift];
        in_chunk &= (UINT32_C(1) << chain->chunk_shift) - 1;
    }
    uint64_t byte = chunk + (uint64_t)in_chunk * chain->block_bytes + place.byte;
    uint64_t link = this_case->pointer ? byte : byte >> (2 + chain->link_shift);
    words[0] = (uint32_t)link;
    words[1] = (uint32_t)(link >> 32);
}
