// SPDX-License-Identifier: MIT
// A case of `latency` with its values read, the chain that it runs over, and where that chain
// leads.
#ifndef BENCH_LATENCY_CASE_H
#define BENCH_LATENCY_CASE_H

#include "bench/bench.h"
#include "measure/limits.h"

// Routes of a load. In the order of the choices of `path`.
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
    LATENCY_PITCH_MAX = 1 << 26
};

struct latency_case {
    enum latency_path path;
    bool pointer;   // links are 64-bit addresses, else indices
    unsigned order; // LATENCY_ORDER_…
    uint64_t bytes; // the region
    bool keep_awake;
    uint32_t pitch, page; // bytes
};

// The chain in a region: words for the kernels' parameters of the same names (latency.h).
struct latency_shape {
    uint32_t order, nodes, block_bytes, slots, slot_bytes, turns, key, link_shift, image_columns;
    uint32_t chunk_shift;
    uint64_t bytes;           // that it spans, at most the point's
    uint64_t footprint_bytes; // of the lines that a lap touches: what a cache must hold
    uint32_t lap;             // hops that touch every line of it once (plru: every 32 bytes)
};

const char *latency_path_name(enum latency_path path);

// What the path needs of the device beyond the chain's own.
gpu_caps latency_caps(enum latency_path path, bool pointer);

// True where the path can have such a chain at all (constant: no pointers; image: random only).
bool latency_path_has(enum latency_path path, bool pointer, unsigned order);

// Reads a case, also one that is still without its last values: those are 0.
void latency_case_read(const struct bench_case *c, struct latency_case *this_case);

// Largest region of that path, chain and order (bytes does not count) on the device; *name says
// which limit that is. 0: none.
uint64_t latency_bytes_max(const struct gpu_info *info, const struct latency_case *this_case,
                           const char **name);

// Memory of this size, a power of two, is what a pointer chain over pages is put together from: any
// device gives as much at once, if it has that much at all.
uint64_t latency_chunk_bytes(const struct gpu_info *info);

// Whether any chain has that pitch; else ERROR_USAGE. As typed: a point holds 32 bits of it.
MUST_CHECK bool latency_pitch_check(uint64_t pitch, struct error *err);

// Whether pitch and page make a chain on that path, in that order; else ERROR_USAGE.
MUST_CHECK bool latency_case_check(const struct latency_case *this_case, struct error *err);

// The chain that fits a region of point->bytes; ERROR_USAGE where the values do not go together,
// ERROR_UNSUPPORTED where the region is too small for one.
MUST_CHECK bool latency_shape_of(const struct latency_case *this_case, uint32_t key,
                                 struct latency_shape *shape, struct error *err);

// Where a lap is so short that it stays in a first-level cache, page would not show the TLB: a
// first-level cache may be found by virtual addresses. A lap comes to each page often enough to
// touch this many bytes of lines.
#define LATENCY_PAGE_LAP_BYTES (UINT64_C(1) << 20)

// Of a power of two.
uint32_t latency_log2(uint64_t power);

// Where hop k < nodes is: the closed formula, as in order.glsl.
struct latency_place {
    uint32_t block, byte;
};
struct latency_place latency_place(const struct latency_shape *shape, uint32_t k);

// The link to hop k's place, as two words. `chunks` are the addresses of the region's chunks of
// 2^chunk_shift blocks (pointer chains; else NULL).
void latency_link(const struct latency_case *this_case, const struct latency_shape *shape,
                  const uint64_t *chunks, uint32_t k, uint32_t words[2]);

#endif
