// SPDX-License-Identifier: MIT
// A case of `latency`, its chain, and the closed formula for the place to which each hop leads.
#ifndef BENCH_LATENCY_CASE_H
#define BENCH_LATENCY_CASE_H

#include "bench/bench.h"
#include "measure/limits.h"

// The route of a load, in the order of the choices of `path`.
enum latency_path {
    LATENCY_VECTOR,
    LATENCY_SCALAR,
    LATENCY_SHARED,
    LATENCY_CONSTANT,
    LATENCY_TEXEL,
    LATENCY_IMAGE,
    LATENCY_ATOMIC,
    LATENCY_ATOMIC_SHARED,
    LATENCY_PATH_COUNT
};

enum {
    LATENCY_BLOCKS_MIN = 2,
    LATENCY_STRIDE_MAX = 1 << 26
};

struct latency_case {
    enum latency_path path;
    bool pointer;   // links are 64-bit addresses; false: indices
    unsigned order; // LATENCY_ORDER_…
    uint64_t bytes; // size of the region
    bool keep_awake;
    uint32_t stride; // bytes from one node to the next; "pitch" in case keys
    uint32_t page;   // bytes of a page, for the order page
};

// The chain in a region. Members before `bytes` are kernel parameters of the same names
// (latency.h).
struct latency_chain {
    uint32_t order, nodes, block_bytes, slots, slot_bytes, turns, key, link_shift, image_columns;
    uint32_t chunk_shift;
    uint64_t bytes;           // span of the chain; at most the case's `bytes`
    uint64_t footprint_bytes; // all lines that a lap touches: a cache must hold them
    uint32_t lap;             // hops until each line is touched once (plru: each 32 bytes)
};

const char *latency_path_name(enum latency_path path);

// Returns the capabilities that a device needs for that path, with pointer or index chains.
gpu_caps latency_caps(enum latency_path path, bool pointer);

// True if the path can have chains of pointers (`pointer` false: chains of indices) in that order.
// Only vector, scalar and atomic have pointers. image has only random order; shared, atomic-shared
// and constant have no page order.
bool latency_path_has(enum latency_path path, bool pointer, unsigned order);

// Reads a case. In a plan, a case may still lack `bytes` and the values after it: they become 0.
void latency_case_read(const struct bench_case *c, struct latency_case *this_case);

// Returns the size in bytes of the largest region that the device allows for the path, chain and
// order of the case (its `bytes` is ignored); 0 if it allows none. Sets *name to the limit that
// decides.
uint64_t latency_bytes_max(const struct gpu_info *info, const struct latency_case *this_case,
                           const char **name);

// Returns the size in bytes of the chunks of pointer chains over pages: a power of two from 1 MiB
// to 1 GiB, and at most half of the largest allocation that the device allows.
uint64_t latency_chunk_bytes(const struct gpu_info *info);

// Fails with ERROR_USAGE if the case's memory path allows no chain with its stride, page and order.
MUST_CHECK bool latency_case_check(const struct latency_case *this_case, struct error *err);

// Sets *chain to the chain that fits a region of this_case->bytes; `key` chooses its permutation.
// Fails with ERROR_USAGE like latency_case_check, or with ERROR_UNSUPPORTED if the region is too
// small or too large for a chain.
MUST_CHECK bool latency_chain_of(const struct latency_case *this_case, uint32_t key,
                                 struct latency_chain *chain, struct error *err);

// With order=page, a lap visits each page often enough to touch this many bytes of lines. A shorter
// lap could stay in a first-level cache; if that cache uses virtual addresses, the TLB is not used.
#define LATENCY_PAGE_LAP_BYTES (UINT64_C(1) << 20)

// Returns the base-2 logarithm, rounded down; 0 for 0.
uint32_t latency_log2(uint64_t power);

// The place that a hop loads: the number of a block, and a byte in that block.
struct latency_place {
    uint32_t block, byte;
};

// Returns the place of hop k (0 to nodes − 1), by the closed formula that order.glsl also has.
struct latency_place latency_place(const struct latency_chain *chain, uint32_t k);

// Sets `words` to the link to the place of hop k: low and high word; for an image, x and y. For
// pointer chains, `chunks` has the addresses of the region's chunks of 2^chunk_shift blocks each;
// else it is NULL.
void latency_link(const struct latency_case *this_case, const struct latency_chain *chain,
                  const uint64_t *chunks, uint32_t k, uint32_t words[2]);

#endif
