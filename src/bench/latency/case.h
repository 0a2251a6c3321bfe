// SPDX-License-Identifier: MIT
// A case of `latency`, its chain, and the formula that gives the place of each hop.
#ifndef BENCH_LATENCY_CASE_H
#define BENCH_LATENCY_CASE_H

#include "bench/bench.h"
#include "measure/limits.h"

// The hardware path of a load, in the order of the choices of the parameter `path`.
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
    bool pointer;   // true: links are 64-bit addresses; false: indices
    unsigned order; // order of the nodes: LATENCY_ORDER_…
    uint64_t bytes; // size of the region of memory in which the chain lies
    bool keep_awake;
    uint32_t stride; // bytes from one node to the next; the parameter "pitch"
    uint32_t page;   // size of a page in bytes, for order=page
};

// The shape of a chain in a region of memory. The members before `bytes` are parameters of kernels;
// latency.h explains them under the same names.
struct latency_chain {
    uint32_t order, nodes, block_bytes, slots, slot_bytes, turns, key, link_shift, image_columns;
    uint32_t chunk_shift;
    uint64_t bytes; // bytes of memory that the chain covers; at most the case's `bytes`
    // Size in bytes of all cache lines that one lap over the chain touches. A cache of at least
    // this size holds the chain.
    uint64_t footprint_bytes;
    // Number of hops in a lap: until the chain has touched each of its cache lines (with
    // order=plru: each 32 bytes).
    uint32_t lap;
};

const char *latency_path_name(enum latency_path path);

// Returns the capabilities that a device needs for chains on this path: chains of pointers or, if
// `pointer` is false, of indices.
gpu_caps latency_caps(enum latency_path path, bool pointer);

// Returns true if the path can have chains of pointers (`pointer` false: of indices) in this order.
// Only vector, scalar and atomic can have pointers. The path image has only random order; shared,
// atomic-shared and constant have no page order.
bool latency_path_has(enum latency_path path, bool pointer, unsigned order);

// Sets *this_case to the values of the case `c`. While a plan is made, `bytes` and the parameters
// after it may have no value yet; they become 0.
void latency_case_read(const struct bench_case *c, struct latency_case *this_case);

// Returns the size in bytes of the largest region that the device allows for the case's path, chain
// and order; 0 if it allows none. Ignores this_case->bytes. Sets *name to the name of the device's
// limit that determines the size.
uint64_t latency_bytes_max(const struct gpu_info *info, const struct latency_case *this_case,
                           const char **name);

// Returns the size in bytes of each buffer (chunk) in the region for pointer chains with
// order=page: a power of two from 1 MiB to 1 GiB, and at most half of the largest allocation that
// the device allows.
uint64_t latency_chunk_bytes(const struct gpu_info *info);

// Fails with ERROR_USAGE if the case's stride (pitch) is not allowed, or does not fit its path, or
// does not fit its page with order=page.
MUST_CHECK bool latency_case_check(const struct latency_case *this_case, struct error *err);

// Sets *chain to the chain for a region of this_case->bytes bytes. `key` selects the permutation of
// its nodes. Fails with ERROR_USAGE like latency_case_check, or with ERROR_UNSUPPORTED if the
// region is too small or too large for a chain.
MUST_CHECK bool latency_chain_of(const struct latency_case *this_case, uint32_t key,
                                 struct latency_chain *chain, struct error *err);

// Size in bytes of the cache lines that a lap should touch with order=page. To come near it, a lap
// visits each page several times, each time at another offset in the page. A shorter lap could stay
// in the L1 cache. If the L1 has virtual addresses, its hits do not use the TLB.
#define LATENCY_PAGE_LAP_BYTES (UINT64_C(1) << 20)

// Returns the base-2 logarithm, rounded down; for 0 it returns 0.
uint32_t latency_log2(uint64_t power);

// A place: where a hop loads its link, as the number of a block and an offset in bytes in that
// block.
struct latency_place {
    uint32_t block, byte;
};

// Returns where hop k (0 to nodes − 1) loads its link. order.glsl and order.clh have the same
// formula.
struct latency_place latency_place(const struct latency_chain *chain, uint32_t k);

// Sets `words` to the link that leads to hop k, which is the value that the hop before it loads:
// the low and high word or, for an image, x and y. For pointer chains, `chunks` has the addresses
// at which the chain begins in each of the region's buffers, which hold 2^chunk_shift blocks each.
// Other chains do not use `chunks`.
void latency_link(const struct latency_case *this_case, const struct latency_chain *chain,
                  const uint64_t *chunks, uint32_t k, uint32_t words[2]);

#endif
