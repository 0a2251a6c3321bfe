// SPDX-License-Identifier: MIT
// The table of loads: what each is called, what it loads from, and what its data are.
#ifndef BENCH_LOADS_KIND_H
#define BENCH_LOADS_KIND_H

#include "gpu/gpu.h"

enum loads_class { // of data
    LOADS_UNORM8,  // v / 255
    LOADS_FLOAT16, // sixty-fourths: all sums are exact
    LOADS_FLOAT32,
    LOADS_UINT32,
    LOADS_UINT8,
    LOADS_PACKED // bench/loads/packed.h
};

enum loads_source {
    LOADS_FROM_TYPED,
    LOADS_FROM_RAW,
    LOADS_FROM_NATURAL, // raw, its alignment known to the compiler
    LOADS_FROM_STRUCTURED,
    LOADS_FROM_CONSTANT,
    LOADS_FROM_TEXTURE,
    LOADS_FROM_NEAREST,
    LOADS_FROM_BILINEAR,
    LOADS_FROM_STORAGE,   // structured, not known to be only read
    LOADS_FROM_ALIGNED8,  // raw, known to be aligned to 8 bytes
    LOADS_FROM_BOUND,     // raw, through a descriptor instead of an address
    LOADS_FROM_RAW_RW,    // raw, not known to be only read
    LOADS_FROM_PUSHED,    // the kernel's own arguments
    LOADS_FROM_HALF,      // structured, of 16-bit floats
    LOADS_FROM_BYTES,     // structured, of 8-bit integers
    LOADS_FROM_LONG,      // structured, of 64-bit words
    LOADS_FROM_HOST,      // structured, in host memory
    LOADS_FROM_VISIBLE,   // structured, in device memory that the host has mapped
    LOADS_FROM_SHARED,    // the workgroup's own memory
    LOADS_FROM_BROADCAST, // structured, one load a subgroup
    LOADS_FROM_SHUFFLE,   // … each lane from another lane
    LOADS_FROM_TYPED_RW,
    LOADS_FROM_TEXTURE_RW,
    LOADS_FROM_OFFSET, // bilinear, a quarter of a texel off the centre
    LOADS_FROM_GATHER,
    LOADS_FROM_TRILINEAR,
    LOADS_FROM_STRETCHED, // anisotropic
    LOADS_FROM_MIP,       // nearest, the second level of detail
    LOADS_FROM_ARRAY,     // bilinear, as what follows
    LOADS_FROM_VOLUME,
    LOADS_FROM_CUBE,
    LOADS_FROM_ROW,    // a texture of one dimension, texel by texel
    LOADS_FROM_LEVELS, // nearest, neighbours from different levels of detail
    LOADS_FROM_STORE,  // the other way round: to a buffer in device memory
    LOADS_FROM_ATOMIC,
    LOADS_FROM_SHARED_STORE, // to the workgroup's own memory
    LOADS_FROM_SHARED_ATOMIC,
    LOADS_SOURCE_COUNT
};

// One row of the published table, or one beside it.
struct loads_kind {
    const char *label; // as published, without the pattern
    enum loads_source source;
    unsigned width; // channels, floats of a load
    enum loads_class data;
    enum gpu_format format; // of typed buffers and textures
    unsigned start_bytes;   // where the first element begins
    bool robust;            // by a device that checks bounds
};

extern const struct loads_kind loads_kinds[];
extern const size_t loads_kind_count;

// Labels as values and as choices of a parameter, each with its separator before it.
extern const char loads_labels_published[]; // ",Buffer<R8>.Load,…": the 46
extern const char loads_labels_all[];       // with what was added
extern const char loads_choices[];          // "|Buffer<R8>.Load|…"

const struct loads_kind *loads_kind_find(const char *label); // NULL: there is none

// What everything is compared with: Buffer<RGBA8>.Load random.
const struct loads_kind *loads_baseline(void);

enum loads_shape {         // of a thread's work
    LOADS_SHAPE_ROW,       // 256 elements
    LOADS_SHAPE_TEXELS,    // a tile of 16 × 16
    LOADS_SHAPE_COORDINATE // … by normalised coordinates
};

enum loads_resource {
    LOADS_BY_BUFFER,
    LOADS_BY_TYPED,
    LOADS_BY_IMAGE,
    LOADS_BY_NOTHING // the workgroup's own memory, or arguments
};

// What the rows of one source have in common.
struct loads_way {
    const char *kernels; // what they are called by: "typed"
    enum loads_shape shape;
    enum loads_resource resource;
    gpu_caps needs;
    bool direct;      // not by way of the texture units
    bool shared;      // the workgroup's own memory
    bool uniform;     // all threads must load the same
    bool writes;      // the other way round
    bool atomic;      // … by additions
    bool writable;    // a storage image or texel buffer
    unsigned levels;  // of detail that there are; 0: one
    unsigned read_at; // level that is read, where not the first: 1
    bool smooth;      // filtered, not the nearest texel
    bool smooth_levels;
    float centre;          // where in a texel of size 1 it is sampled, where not at ½
    double filters;        // tolerance, in 2^-8 of the range
    const char *no_opencl; // what that lacks for it; NULL: nothing
    const char *no_cuda;
};
const struct loads_way *loads_way_of(const struct loads_kind *kind);

bool loads_is_texture(const struct loads_kind *kind); // a tile of 16 × 16, not a row of 256
bool loads_is_sampled(const struct loads_kind *kind); // … by normalised coordinates
double loads_bytes(const struct loads_kind *kind);    // of one load; of blocks half a byte or one

// Which of its kernels a case runs.
struct loads_form {
    const struct loads_kind *kind;
    bool uniform; // the compiler can know that all threads load the same
    bool peak;
    bool bound; // raw buffers are arguments, not addresses: there are none
};
const char *loads_kernel_name(struct arena *arena, const struct loads_form *form);
const char *loads_control_name(struct arena *arena, const struct loads_form *form);

#endif
