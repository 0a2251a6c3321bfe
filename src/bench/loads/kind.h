// SPDX-License-Identifier: MIT
// The table of loads: for each row its label, the resource that it loads from, the data in that
// resource, and its kernel. These functions do not use a device.
#ifndef BENCH_LOADS_KIND_H
#define BENCH_LOADS_KIND_H

#include "bench/loads/loads.h"
#include "gpu/gpu.h"

enum loads_class { // type of the values in memory
    LOADS_UNORM8,  // v / 255, v from 1 to 255
    LOADS_FLOAT16, // multiples of 1/64: all sums are exact
    LOADS_FLOAT32, // multiples of 1/64: all sums are exact
    LOADS_UINT32,
    LOADS_UINT8,
    LOADS_PACKED // packed words, sRGB and compressed blocks
};

enum loads_source {
    LOADS_FROM_TYPED,
    LOADS_FROM_RAW,
    LOADS_FROM_NATURAL, // raw buffer; compilers know that loads are aligned to their size
    LOADS_FROM_STRUCTURED,
    LOADS_FROM_CONSTANT,
    LOADS_FROM_TEXTURE,
    LOADS_FROM_NEAREST,
    LOADS_FROM_BILINEAR,
    LOADS_FROM_STORAGE,   // structured buffer that the kernel may write
    LOADS_FROM_ALIGNED8,  // raw buffer; compilers know that loads are aligned to 8 bytes
    LOADS_FROM_BOUND,     // raw buffer that is bound, not passed by its address
    LOADS_FROM_RAW_RW,    // raw buffer that the kernel may write
    LOADS_FROM_PUSHED,    // the kernel's parameters (push constants)
    LOADS_FROM_HALF,      // structured buffer of 16-bit floats
    LOADS_FROM_BYTES,     // structured buffer of 8-bit integers
    LOADS_FROM_LONG,      // structured buffer of 64-bit words
    LOADS_FROM_HOST,      // structured buffer in host memory
    LOADS_FROM_VISIBLE,   // structured buffer in device memory that the host has mapped
    LOADS_FROM_SHARED,    // the workgroup's shared memory
    LOADS_FROM_BROADCAST, // structured buffer; a lane loads one element, which all lanes get
    LOADS_FROM_SHUFFLE,   // structured buffer; each lane gets another lane's element by a shuffle
    LOADS_FROM_TYPED_RW,
    LOADS_FROM_TEXTURE_RW,
    LOADS_FROM_OFFSET, // bilinear filter, sampled a quarter of a texel off the centre
    LOADS_FROM_GATHER,
    LOADS_FROM_TRILINEAR,
    LOADS_FROM_STRETCHED, // bilinear filter with anisotropy
    LOADS_FROM_MIP,       // nearest filter, from the second level of detail
    LOADS_FROM_ARRAY,     // bilinear filter, from a texture array
    LOADS_FROM_VOLUME,
    LOADS_FROM_CUBE,
    LOADS_FROM_ROW,          // a 1D texture, without a filter
    LOADS_FROM_LEVELS,       // nearest filter; neighbouring threads read different levels of detail
    LOADS_FROM_STORE,        // writes to a buffer in device memory
    LOADS_FROM_ATOMIC,       // adds atomically to a buffer in device memory
    LOADS_FROM_SHARED_STORE, // writes to the workgroup's shared memory
    LOADS_FROM_SHARED_ATOMIC, // adds atomically to the workgroup's shared memory
    LOADS_SOURCE_COUNT
};

// A row of the published table (sebbbi/perftest), or a row that fathom adds.
struct loads_kind {
    const char *label; // name of the row in the published table, without the pattern
    enum loads_source source;
    unsigned width; // values in one load; a 64-bit word counts as two
    enum loads_class data;
    enum gpu_format format; // format of typed buffers and textures
    unsigned start_bytes;   // offset in bytes of the first element in the buffer
    bool robust;            // measured on a device that is opened with bounds checks
};

extern const struct loads_kind loads_kinds[];
extern const size_t loads_kind_count;

// Strings of labels, each label after a separator: the values or choices of a parameter.
extern const char loads_labels_published[]; // ",Buffer<R8>.Load,…": the 46 published labels
extern const char loads_labels_all[];       // published labels and fathom's own
extern const char loads_choices[];          // "|Buffer<R8>.Load|…": all labels

// Returns the row of the table with this label; NULL if there is none.
const struct loads_kind *loads_kind_find(const char *label);

// Returns the row Buffer<RGBA8>.Load, which in the random pattern is the baseline of all rows.
const struct loads_kind *loads_baseline(void);

enum loads_walk {          // which elements a thread loads
    LOADS_WALK_ELEMENTS,   // 256 consecutive elements
    LOADS_WALK_TEXELS,     // a tile of 16 × 16 texels, at integer coordinates
    LOADS_WALK_COORDINATES // a tile of 16 × 16 texels, at normalised coordinates
};

enum loads_resource { // the argument through which a kernel loads or writes
    LOADS_BY_BUFFER,
    LOADS_BY_TYPED,
    LOADS_BY_IMAGE,
    // No argument: the kernel uses shared memory or its parameters.
    LOADS_BY_NOTHING
};

// The properties that all rows of one source share.
struct loads_traits {
    const char *kernels; // part of the names of the rows' kernels, for example "typed"
    enum loads_walk walk;
    enum loads_resource resource;
    gpu_caps needs;
    bool direct;           // true: loads do not pass through the texture units
    bool shared;           // uses the workgroup's shared memory
    bool uniform;          // all threads must load the same element
    bool writes;           // the kernel writes instead of loading
    bool atomic;           // the kernel writes by atomic additions
    bool writable;         // the resource is a storage image or storage texel buffer
    unsigned levels;       // levels of detail of the texture; 0 means 1
    unsigned read_at;      // number of the first level that kernels read
    bool smooth;           // filters between texels
    bool smooth_levels;    // filters between levels
    float centre;          // where in a texel of size 1 kernels sample; 0 means 1/2, the centre
    double filters;        // largest error of a filtered load, in 2^-8 of the range of the data
    const char *no_opencl; // why OpenCL cannot run these rows; NULL: OpenCL can
    const char *no_cuda;   // why CUDA cannot run these rows; NULL: CUDA can
};
const struct loads_traits *loads_traits_of(const struct loads_kind *kind);

bool loads_is_texture(const struct loads_kind *kind); // true: a thread loads a tile of texels
bool loads_is_sampled(const struct loads_kind *kind); // true: coordinates are normalised

// Returns the bytes of one load. A texel of a compressed block has half a byte or one byte.
double loads_bytes(const struct loads_kind *kind);

enum loads_pattern { // in the order of the parameter's choices
    LOADS_UNIFORM,   // every thread begins at element 0
    LOADS_LINEAR,    // thread g of a workgroup begins at element g; in textures at (g % 16, g / 16)
    // A hash of g chooses one of 16 elements; in textures, one of 2 × 2 texels, 4 apart.
    LOADS_RANDOM,
    LOADS_SCATTERED // a hash of g chooses one of 256 elements; neighbours are far apart
};

// The parameters of a case.
struct loads_case {
    const struct loads_kind *kind;
    enum loads_pattern pattern;
    bool peak;                 // eight loads share one address computation
    uint32_t subgroup_threads; // threads per subgroup; 0: the driver chooses
    uint32_t groups;           // workgroups per dispatch; 0: loads_session.groups
};

// Returns the name of the case's kernel. If `control` is true, returns that of the same loop
// without loads. If `bound` is true, raw buffers are bound as arguments of the kernel, for devices
// without addresses.
const char *loads_kernel_name(struct arena *arena, const struct loads_case *this_case, bool bound,
                              bool control);

// ---------------------------------------------------------------- data All values are hashes of
// their place, finite and not zero. So the host can compute the sum that a thread must get.

uint32_t loads_hash(uint32_t v);

// Returns one channel of an element. In a texture, texel (x, y) is element x + y × LOADS_SIDE; the
// next smaller level follows, with LOADS_SIDE / 2 texels per row. Alpha is 1 if the format has no
// alpha.
double loads_value(const struct loads_kind *kind, unsigned element, unsigned channel);

// Returns LOADS_ELEMENTS elements as memory must hold them, with the first at byte start_bytes.
// Sets *bytes to the total size. In a texture, each further level follows with a quarter of the
// elements. The texture of LOADS_FROM_STRETCHED repeats its texels every LOADS_TILE, so that the
// sum of a tile does not depend on the weights of an anisotropic filter. The values of its further
// levels are a quarter as large, so that a filter that reads these levels gives a wrong sum.
void *loads_encode(struct arena *arena, const struct loads_kind *kind, size_t *bytes);

unsigned loads_levels(const struct loads_kind *kind); // number of levels: 1, 2 or 3

// Returns at which point of a texel of size 1 kernels sample; 0.5 is its centre.
float loads_centre(const struct loads_kind *kind);

// A thread's first element along one axis is (id × multiplier) & keep. If `scatter` is set, it is
// (loads_hash(seed) × multiplier) & keep. The seed is the thread's number t; in textures it is 2 t
// along x and 2 t + 1 along y.
struct loads_start {
    uint32_t multiplier, keep, scatter;
};
struct loads_start loads_start_of(const struct loads_kind *kind, enum loads_pattern pattern);
unsigned loads_first(struct loads_start start, unsigned id, unsigned seed);

// Sets `sums` to the sum that each thread of a workgroup must get. The channels have the weights 1,
// 3, 5 and 7.
void loads_expect(const struct loads_kind *kind, enum loads_pattern pattern,
                  float sums[LOADS_THREADS]);

// Returns the largest error that a correct sum may have. Unfiltered floats and integers must be
// exact. In UNORM and packed formats, each of 256 additions rounds by at most half a unit in the
// last place of numbers below 256 (2^-17). For sRGB, each load adds 2^-9, about half of 1/255. Each
// filtered load adds 2^-8 of the data's range, because hardware rounds weights to multiples of
// 2^-8. Filters between levels or slices, and LOADS_FROM_STRETCHED, add twice that.
// LOADS_FROM_OFFSET adds only 3/4 of 2^-8: its weight 1/4 is a multiple of 2^-8, and the check must
// detect a sample at the centre.
float loads_tolerance(const struct loads_kind *kind);

// Sets hits[e] to the number of times that one workgroup writes element e.
void loads_count_writes(const struct loads_kind *kind, enum loads_pattern pattern,
                        uint32_t hits[LOADS_ELEMENTS]);

// Sets found[i] to the value that thread i must find in element i at the end. This is for kernels
// that write to shared memory. For kernels that write to a buffer, sets all values to 0.
void loads_expect_writes(const struct loads_kind *kind, enum loads_pattern pattern,
                         float found[LOADS_THREADS]);

#endif
