// SPDX-License-Identifier: MIT
// Defines a case of the benchmark latency, its chain, and the formula for the place at which each
// hop loads.
#ifndef BENCH_LATENCY_CASE_H
#define BENCH_LATENCY_CASE_H

#include "bench/bench.h"
#include "measure/limits.h"

// The hardware path of a load. The members have the order of the choices of the parameter `path`.
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
    // The parameter "pitch": distance in bytes between neighbouring places for nodes. Chains with
    // order=plru do not use it.
    uint32_t stride;
    uint32_t page; // size of a page in bytes, for order=page
};

// A chain in a region of memory. The members before `bytes` are also kernel parameters, which
// latency.h explains.
struct latency_chain {
    uint32_t order, nodes, block_bytes, slots, slot_bytes, turns, key, link_shift, image_columns;
    uint32_t chunk_shift;
    uint64_t bytes; // bytes of memory that the chain covers; at most the case's `bytes`
    // Size in bytes of all cache lines that one lap over the chain touches, if a line has 128
    // bytes.
    uint64_t footprint_bytes;
    // Number of hops in a warm-up lap: the number of nodes. With order=plru, fewer hops suffice:
    // enough to touch each 32 bytes of the region.
    uint32_t lap;
};

const char *latency_path_name(enum latency_path path);

// Returns true if the chains of the path lie in the shared memory of a core.
bool latency_on_chip(enum latency_path path);

// Returns the word after latency_control_ in the name of the control kernel, which measures the
// address arithmetic of a hop. Returns NULL if a hop has no such arithmetic: in pointer chains, and
// on the paths texel and image.
const char *latency_control_name(const struct latency_case *this_case);

// Returns the capabilities that a device needs for chains on this path. If `pointer` is true, the
// links of these chains are pointers, else indices.
gpu_caps latency_caps(enum latency_path path, bool pointer);

// Returns true if chains on the path can have this order of nodes and this kind of link (`pointer`:
// pointers, else indices). Only the paths vector, scalar and atomic can have pointers. The path
// image has only random order; shared, atomic-shared and constant have no page order.
bool latency_path_has(enum latency_path path, bool pointer, unsigned order);

// Sets *this_case to the values of the case `c`. If `c` has no bytes, pitch or page yet (during
// planning), its member becomes 0.
void latency_case_read(const struct bench_case *c, struct latency_case *this_case);

// Returns the size in bytes of the largest region for the path, link and order of this case; 0 if
// the device allows none. Sets *name to the limit that determines it. this_case->bytes has no
// effect.
uint64_t latency_bytes_max(const struct gpu_info *info, const struct latency_case *this_case,
                           const char **name);

// Returns the size in bytes of a chunk, a buffer of pointer chains with order=page: the largest
// power of two up to 1 GiB and half of the device's largest buffer (if known), but at least 1 MiB.
uint64_t latency_chunk_bytes(const struct gpu_info *info);

// Fails with ERROR_USAGE if the case's stride (the parameter pitch) is not a multiple of 16 bytes
// up to 64 MiB (path=image: 128 bytes). With order=page, the stride and the page must be powers of
// two, and the page at least as large as the stride.
MUST_CHECK bool latency_case_check(const struct latency_case *this_case, struct error *err);

// Sets *chain to the chain for a region of this_case->bytes bytes. `key` selects the permutation of
// its nodes. Fails with ERROR_USAGE if latency_case_check rejects the case, and with
// ERROR_UNSUPPORTED if the region is too small or too large for a chain.
MUST_CHECK bool latency_chain_of(const struct latency_case *this_case, uint32_t key,
                                 struct latency_chain *chain, struct error *err);

// With order=page, a lap touches cache lines of about this many bytes, so it visits each page
// several times. Fewer lines could stay in an L1 with virtual addresses, whose hits do not use the
// TLB.
#define LATENCY_PAGE_LAP_BYTES (UINT64_C(1) << 20)

// Returns the base-2 logarithm of `power`, rounded down; 0 if `power` is 0.
uint32_t latency_log2(uint64_t power);

// The place at which a hop loads its link: the number of a block, and an offset in bytes in that
// block.
struct latency_place {
    uint32_t block, byte;
};

// Returns the place at which hop number `k` (0 to nodes − 1) loads its link. The kernels compute
// the same formula (order.glsl, order.clh).
struct latency_place latency_place(const struct latency_chain *chain, uint32_t k);

// Sets `words` to the link to hop number `k`: x and y for an image, else its low and high word. For
// pointer chains, `chunks` has the address of the chain in each buffer; block b lies in buffer b >>
// chunk_shift.
void latency_link(const struct latency_case *this_case, const struct latency_chain *chain,
                  const uint64_t *chunks, uint32_t k, uint32_t words[2]);

#endif
