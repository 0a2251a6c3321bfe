// SPDX-License-Identifier: MIT
// The table of loads: what each row is called, what it loads from, which data it finds there, and
// which kernel runs it. No device here.
#ifndef BENCH_LOADS_KIND_H
#define BENCH_LOADS_KIND_H

#include "bench/loads/loads.h"
#include "gpu/gpu.h"

enum loads_class { // of data
    LOADS_UNORM8,  // v / 255
    LOADS_FLOAT16, // multiples of 1/64: all sums are exact
    LOADS_FLOAT32, // likewise
    LOADS_UINT32,
    LOADS_UINT8,
    LOADS_PACKED // packed words, sRGB and compressed blocks
};

enum loads_source {
    LOADS_FROM_TYPED,
    LOADS_FROM_RAW,
    LOADS_FROM_NATURAL, // raw; the compiler knows that it is aligned to its size
    LOADS_FROM_STRUCTURED,
    LOADS_FROM_CONSTANT,
    LOADS_FROM_TEXTURE,
    LOADS_FROM_NEAREST,
    LOADS_FROM_BILINEAR,
    LOADS_FROM_STORAGE,   // structured, in a buffer that may be written
    LOADS_FROM_ALIGNED8,  // raw; the compiler knows that it is aligned to 8 bytes
    LOADS_FROM_BOUND,     // raw, through a descriptor instead of an address
    LOADS_FROM_RAW_RW,    // raw, in a buffer that may be written
    LOADS_FROM_PUSHED,    // the kernel's own arguments
    LOADS_FROM_HALF,      // structured, of 16-bit floats
    LOADS_FROM_BYTES,     // structured, of 8-bit integers
    LOADS_FROM_LONG,      // structured, of 64-bit words
    LOADS_FROM_HOST,      // structured, in host memory
    LOADS_FROM_VISIBLE,   // structured, in device memory that the host has mapped
    LOADS_FROM_SHARED,    // the workgroup's own memory
    LOADS_FROM_BROADCAST, // structured, one load a subgroup, for all lanes
    LOADS_FROM_SHUFFLE,   // structured, one load a subgroup; each lane takes another lane's
    LOADS_FROM_TYPED_RW,
    LOADS_FROM_TEXTURE_RW,
    LOADS_FROM_OFFSET, // bilinear, a quarter of a texel off the centre
    LOADS_FROM_GATHER,
    LOADS_FROM_TRILINEAR,
    LOADS_FROM_STRETCHED, // anisotropic
    LOADS_FROM_MIP,       // nearest, from the second level of detail
    LOADS_FROM_ARRAY,     // bilinear; so are VOLUME and CUBE
    LOADS_FROM_VOLUME,
    LOADS_FROM_CUBE,
    LOADS_FROM_ROW,    // a texture of one dimension, texel by texel
    LOADS_FROM_LEVELS, // nearest; neighbouring threads read different levels of detail
    LOADS_FROM_STORE,  // these four write: to a buffer in device memory …
    LOADS_FROM_ATOMIC,
    LOADS_FROM_SHARED_STORE, // … or to the workgroup's own memory
    LOADS_FROM_SHARED_ATOMIC,
    LOADS_SOURCE_COUNT
};

// One row of the published table, or one that fathom adds.
struct loads_kind {
    const char *label; // as published, without the pattern
    enum loads_source source;
    unsigned width; // channels of a load; of structured buffers, floats
    enum loads_class data;
    enum gpu_format format; // of typed buffers and textures
    unsigned start_bytes;   // where the first element begins
    bool robust;            // runs on a device handle that checks bounds
};

extern const struct loads_kind loads_kinds[];
extern const size_t loads_kind_count;

// Labels as values and as choices of a parameter, each with its separator before it.
extern const char loads_labels_published[]; // ",Buffer<R8>.Load,…": the 46 published ones
extern const char loads_labels_all[];       // the published ones and fathom's own
extern const char loads_choices[];          // "|Buffer<R8>.Load|…": all

// The row of that label; NULL if there is none.
const struct loads_kind *loads_kind_find(const char *label);

// Buffer<RGBA8>.Load: all rows are compared with it, read at random.
const struct loads_kind *loads_baseline(void);

enum loads_walk {          // which elements a thread loads
    LOADS_WALK_ELEMENTS,   // 256 in a row
    LOADS_WALK_TEXELS,     // a tile of 16 × 16, by whole numbers
    LOADS_WALK_COORDINATES // the same tile, by normalised coordinates
};

enum loads_resource {
    LOADS_BY_BUFFER,
    LOADS_BY_TYPED,
    LOADS_BY_IMAGE,
    LOADS_BY_NOTHING // the workgroup's own memory, or the kernel's arguments
};

// What all rows of one source have in common.
struct loads_traits {
    const char *kernels; // their kernels' family: "typed"
    enum loads_walk walk;
    enum loads_resource resource;
    gpu_caps needs;
    bool direct;           // loads do not pass through the texture units
    bool shared;           // uses the workgroup's own memory
    bool uniform;          // all threads must load the same element
    bool writes;           // writes instead of loading
    bool atomic;           // writes by atomic additions
    bool writable;         // needs a storage image or storage texel buffer
    unsigned levels;       // levels of detail of the texture; 0: one
    unsigned read_at;      // the first level that is read
    bool smooth;           // filters between texels
    bool smooth_levels;    // filters between levels
    float centre;          // where in a texel of size 1 it is sampled; 0: at 1/2
    double filters;        // error of the filters, in 2^-8 of the data's range
    const char *no_opencl; // why OpenCL cannot do it; NULL: it can
    const char *no_cuda;   // why CUDA cannot do it; NULL: it can
};
const struct loads_traits *loads_traits_of(const struct loads_kind *kind);

bool loads_is_texture(const struct loads_kind *kind); // a thread loads a tile of 16 × 16
bool loads_is_sampled(const struct loads_kind *kind); // a thread takes normalised coordinates

// Bytes of one load. A texel of a compressed block has half a byte or one.
double loads_bytes(const struct loads_kind *kind);

enum loads_pattern { // in the order of the choices
    LOADS_UNIFORM,   // every thread the same
    LOADS_LINEAR,    // thread g begins at element g
    LOADS_RANDOM,    // at one of 16 that a hash of g chooses; in textures one of 2 × 2, four apart
    LOADS_SCATTERED  // at one of 256 that a hash of g chooses, wherever its neighbours begin
};

// A case, decoded.
struct loads_case {
    const struct loads_kind *kind;
    enum loads_pattern pattern;
    bool peak;                 // eight loads share their address arithmetic
    uint32_t subgroup_threads; // 0: the driver chooses
    uint32_t groups;           // workgroups of a dispatch; 0: as many as the session has
};

// Name of the case's kernel, or (`control`) of the same loop without loads. With `bound`, raw
// buffers are arguments of the kernel, for devices without addresses.
const char *loads_kernel_name(struct arena *arena, const struct loads_case *this_case, bool bound,
                              bool control);

// ---------------------------------------------------------------- data
// Data are hashed, finite and never zero, and the sum of what a thread loads is known.

uint32_t loads_hash(uint32_t v);

// Channel `channel` of element `element`. Texel (x, y) is element x + y × LOADS_SIDE; the texels of
// the next smaller level follow, LOADS_SIDE / 2 a row. An alpha that the format lacks is 1.
double loads_value(const struct loads_kind *kind, unsigned element, unsigned channel);

// LOADS_ELEMENTS elements as they stand in memory, from byte start_bytes on; of a texture with
// several levels, each level follows with a quarter of the elements. `bytes`: size of all.
// STRETCHED repeats its texels every LOADS_TILE, so that a tile's sum does not depend on how an
// anisotropic filter weighs them; its further levels hold a quarter of the values, so that a filter
// that reads them is found out.
void *loads_encode(struct arena *arena, const struct loads_kind *kind, size_t *bytes);

unsigned loads_levels(const struct loads_kind *kind); // levels of detail: 1, 2 or 3

// Where in a texel of size 1 kernels sample it.
float loads_centre(const struct loads_kind *kind);

// A thread's first element along one axis is (id × multiplier) & keep. With `scatter` it is
// (loads_hash(seed) × multiplier) & keep; the seed is the thread's number, in textures twice that,
// plus 1 along y.
struct loads_start {
    uint32_t multiplier, keep, scatter;
};
struct loads_start loads_start_of(const struct loads_kind *kind, enum loads_pattern pattern);
unsigned loads_first(struct loads_start start, unsigned id, unsigned seed);

// What each of the LOADS_THREADS threads of a workgroup must add up; channels weigh 1, 3, 5, 7.
void loads_expect(const struct loads_kind *kind, enum loads_pattern pattern,
                  float sums[LOADS_THREADS]);

// The largest error of a correct sum. Floats are exact. UNORM: each of 256 additions rounds by at
// most half a unit in the last place of numbers below 256 (2^-17). Filters: 2^-8 of the data's
// range for each load, because hardware resolves fractions that finely; twice that between levels.
// OFFSET has less: 1/4 is such a fraction exactly, and a sample of the centre must not pass.
float loads_tolerance(const struct loads_kind *kind);

// How often one workgroup writes each element.
void loads_count_writes(const struct loads_kind *kind, enum loads_pattern pattern,
                        uint32_t hits[LOADS_ELEMENTS]);

// What thread i of a kernel that writes must find in element i of the workgroup's own memory; zeros
// for kernels that write to a buffer.
void loads_expect_writes(const struct loads_kind *kind, enum loads_pattern pattern,
                         float found[LOADS_THREADS]);

#endif
