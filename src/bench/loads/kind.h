// SPDX-License-Identifier: MIT
// The table of kinds of loads. Each row has a label, a resource, the data in that resource, and a
// kernel that loads from it. The functions here do not use a device.
#ifndef BENCH_LOADS_KIND_H
#define BENCH_LOADS_KIND_H

#include "bench/loads/loads.h"
#include "gpu/gpu.h"

enum loads_class { // data type of the values that kernels load from memory
    LOADS_UNORM8,  // 8-bit values v from 1 to 255, which kernels load as the float v / 255
    LOADS_FLOAT16, // 16-bit floats: multiples of 1/64, so that all sums are exact
    LOADS_FLOAT32, // 32-bit floats: multiples of 1/64, so that all sums are exact
    LOADS_UINT32,
    LOADS_UINT8,
    LOADS_PACKED // formats of packed words, of sRGB, and of compressed blocks
};

enum loads_source { // what a kernel loads from, or writes to
    LOADS_FROM_TYPED,
    LOADS_FROM_RAW,
    // Loads from a raw buffer. The compiler knows that each load is aligned to its own size.
    LOADS_FROM_NATURAL,
    LOADS_FROM_STRUCTURED,
    LOADS_FROM_CONSTANT,
    LOADS_FROM_TEXTURE,
    LOADS_FROM_NEAREST,
    LOADS_FROM_BILINEAR,
    LOADS_FROM_STORAGE, // loads from a structured buffer that the kernel may also write
    // Loads from a raw buffer. The compiler knows that each load is aligned to 8 bytes.
    LOADS_FROM_ALIGNED8,
    // Loads from a raw buffer that is an argument of the kernel. (For other raw buffers, the kernel
    // gets a 64-bit address, if the device has 64-bit addresses.)
    LOADS_FROM_BOUND,
    LOADS_FROM_RAW_RW, // loads from a raw buffer that the kernel may also write
    LOADS_FROM_PUSHED, // loads from the kernel's parameters (push constants)
    LOADS_FROM_HALF,   // loads from a structured buffer of 16-bit floats
    LOADS_FROM_BYTES,  // loads from a structured buffer of 8-bit integers
    LOADS_FROM_LONG,   // loads from a structured buffer of 64-bit words
    LOADS_FROM_HOST,   // loads from a structured buffer in host memory
    // Loads from a structured buffer in device memory that the host can access, too.
    LOADS_FROM_VISIBLE,
    LOADS_FROM_SHARED, // loads from the workgroup's shared memory
    // Loads from a structured buffer. Each lane loads one element and broadcasts it to all lanes.
    LOADS_FROM_BROADCAST,
    // Loads from a structured buffer. Each lane loads one element; shuffles pass it to other lanes.
    LOADS_FROM_SHUFFLE,
    LOADS_FROM_TYPED_RW,
    LOADS_FROM_TEXTURE_RW,
    // Samples with a bilinear filter, a quarter of a texel off the centre on each axis.
    LOADS_FROM_OFFSET,
    LOADS_FROM_GATHER,
    LOADS_FROM_TRILINEAR,
    LOADS_FROM_STRETCHED, // samples with a bilinear filter and anisotropy
    LOADS_FROM_MIP,       // samples the second level of detail with the nearest filter
    LOADS_FROM_ARRAY,     // samples a texture array with a bilinear filter
    LOADS_FROM_VOLUME,
    LOADS_FROM_CUBE,
    LOADS_FROM_ROW, // loads from a 1D texture, without a filter
    // Samples with the nearest filter. Of two neighbouring threads, one reads level of detail 0 and
    // the other level 1.
    LOADS_FROM_LEVELS,
    LOADS_FROM_STORE,         // the kernel writes to a buffer in device memory
    LOADS_FROM_ATOMIC,        // the kernel adds atomically to a buffer in device memory
    LOADS_FROM_SHARED_STORE,  // the kernel writes to the workgroup's shared memory
    LOADS_FROM_SHARED_ATOMIC, // the kernel adds atomically to the workgroup's shared memory
    LOADS_SOURCE_COUNT
};

// One kind of load. It is a row of the table that the tool perftest (sebbbi/perftest) publishes, or
// a row that fathom adds.
struct loads_kind {
    // Name of the row without the access pattern, for example "Buffer<R8>.Load".
    const char *label;
    enum loads_source source;
    unsigned width; // number of values in one load; a 64-bit word counts as two
    enum loads_class data;
    enum gpu_format format; // format of the typed buffer or texture
    unsigned start_bytes;   // offset in bytes of the first element in the buffer
    // True: the device for this load is opened with bounds checks. False: without bounds checks.
    bool robust;
};

extern const struct loads_kind loads_kinds[];
extern const size_t loads_kind_count;

// The labels of all rows, joined to one string for the parameter `load`. Each label follows a
// separator: a comma in lists of values, a bar in the list of choices.
extern const char loads_labels_published[]; // labels of the 46 published rows, with commas
extern const char loads_labels_all[];       // labels of all rows, with commas
// labels of all rows, with bars
extern const char loads_choices[];

// Returns the row of loads_kinds with this label; NULL if there is none.
const struct loads_kind *loads_kind_find(const char *label);

// Returns the row Buffer<RGBA8>.Load. With the pattern random, this load is the baseline: the
// metric `ratio` compares all loads with it.
const struct loads_kind *loads_baseline(void);

enum loads_resource { // type of the argument through which a kernel loads or writes
    LOADS_BY_BUFFER,
    LOADS_BY_TYPED,
    LOADS_BY_IMAGE,
    // no resource: the kernel loads from its parameters, or writes only to shared memory
    LOADS_BY_NOTHING
};

// Properties that all rows of loads_kinds with the same enum loads_source share.
struct loads_traits {
    // Word of the kernels' names, for example "typed" in loads_typed_1_varying_peak.
    const char *kernels;
    // `tile` is true if each thread loads a tile of 16 × 16 texels, not 256 consecutive elements.
    // `sampled` is true if the kernel addresses texels by normalised coordinates, not by integers.
    bool tile, sampled;
    enum loads_resource resource;
    gpu_caps needs;
    bool direct; // true: each load reads from the L1, not through the texture units
    bool shared; // true: the kernel uses the workgroup's shared memory
    // True: all lanes get the same elements, so the pattern is always uniform.
    bool uniform;
    bool writes; // true: the kernel writes instead of loading
    bool atomic; // true: the kernel writes by atomic additions
    // True: kernels may also write the resource (a storage image or storage texel buffer).
    bool writable;
    unsigned levels;  // number of levels of detail of the texture; 0 means 1
    unsigned read_at; // number of the most detailed level that kernels read; 0 is the first level
    // The point of a texel at which kernels sample, as a fraction of the texel's side on both axes.
    // 0 means 1/2, the centre.
    float centre;
    // Maximum error of a filtered load, in units of 2^-8 × the data's range; 0 if the sampler does
    // not filter between texels.
    double filters;
    const char *no_opencl; // why OpenCL cannot run kernels with this source; NULL if it can
    const char *no_cuda;   // why CUDA cannot run kernels with this source; NULL if it can
};
const struct loads_traits *loads_traits_of(const struct loads_kind *kind);

// Returns how many bytes the values of one load or write take in memory; for a texel of a
// compressed format, half a byte or one byte.
double loads_bytes(const struct loads_kind *kind);

// The address pattern: the element at which each thread begins. The members have the order of the
// choices of the parameter `pattern`.
enum loads_pattern {
    LOADS_UNIFORM, // every thread begins at element 0
    // thread g of a workgroup begins at element g; in textures at texel (g % 16, g / 16)
    LOADS_LINEAR,
    // A hash of the thread's number selects one of 16 elements as the first. In textures, it
    // selects one of 2 × 2 texels that are 4 texels apart.
    LOADS_RANDOM,
    // A hash of the thread's number selects one of 256 elements as the first. So neighbouring
    // threads begin far apart.
    LOADS_SCATTERED
};

// The parameters of a case.
struct loads_case {
    const struct loads_kind *kind;
    enum loads_pattern pattern;
    bool peak;                 // true: loads share address computations; false: the published loop
    uint32_t subgroup_threads; // number of threads per subgroup; 0 if the driver chooses it
};

// Returns the name of the case's kernel. If `control` is true, returns the name of the kernel with
// the same loop without loads. If `bound` is true, the device has no 64-bit addresses, so kernels
// get raw buffers as arguments.
const char *loads_kernel_name(struct arena *arena, const struct loads_case *this_case, bool bound,
                              bool control);

// ---------------------------------------------------------------- data

// The values that kernels load are hashes of their position in the buffer or texture. So the host
// can compute the sum that a thread must get. All values are finite. Only some alpha values of BC2
// are zero.

uint32_t loads_hash(uint32_t v);

// Returns the value of one channel of an element. For textures: kernels may read several levels of
// detail. In the most detailed of these, texel (x, y) is element x + y × LOADS_SIDE. Then the
// elements of the next smaller level follow, in rows of LOADS_SIDE / 2 texels. A packed format
// without alpha has alpha 1.
double loads_value(const struct loads_kind *kind, unsigned element, unsigned channel);

// Returns the bytes of LOADS_ELEMENTS elements, in `arena`, from byte start_bytes on, and sets
// *bytes to their number, rounded up to a multiple of 16. In a texture, smaller levels of detail
// follow, each with a quarter of the elements; their values are about a quarter as large, so a
// filter that reads them gives a wrong sum. With LOADS_FROM_STRETCHED, texels repeat every
// LOADS_TILE texels, so the weights of an anisotropic filter do not change the sum of a tile.
void *loads_encode(struct arena *arena, const struct loads_kind *kind, size_t *bytes);

// Returns the number of levels of detail of the texture: 1, 2 or 3.
unsigned loads_levels(const struct loads_kind *kind);

// Returns the point of a texel at which kernels sample, as a fraction of the texel's side on both
// axes. 0.5 is the centre.
float loads_centre(const struct loads_kind *kind);

// How a thread computes its first element along one axis: (n × multiplier) & keep. If `scatter` is
// 0, n is the thread's number along this axis. If `scatter` is 1, n is loads_hash(seed). In
// buffers, seed is the thread's number t. In textures, seed is 2 t along x and 2 t + 1 along y.
struct loads_start {
    uint32_t multiplier, keep, scatter;
};
struct loads_start loads_start_of(const struct loads_kind *kind, enum loads_pattern pattern);
unsigned loads_first(struct loads_start start, unsigned id, unsigned seed);

// Sets sums[i] to the sum that thread i of a workgroup must compute. In this sum, the channels of
// the loaded values have the weights 1, 3, 5 and 7.
void loads_expect(const struct loads_kind *kind, enum loads_pattern pattern,
                  float sums[LOADS_THREADS]);

// Returns the maximum error of a correct sum. For unfiltered floats and integers, it is 0. For all
// other kinds, each of the 256 loads adds these errors to each channel, times the channel's weight:
// - UNORM and packed formats: 2^-17, half a unit in the last place of numbers below 256.
// - sRGB, in addition: 2^-9, about half of 1/255.
// - Filters: 2^-8 of the data's range, because hardware rounds weights to multiples of 2^-8.
//   Filters between levels or slices, and LOADS_FROM_STRETCHED: twice that.
// - LOADS_FROM_OFFSET: 3/4 of 2^-8 of the range, so that the check detects a sample at the centre.
float loads_tolerance(const struct loads_kind *kind);

// Sets hits[e] to how often one workgroup writes element e.
void loads_count_writes(const struct loads_kind *kind, enum loads_pattern pattern,
                        uint32_t hits[LOADS_ELEMENTS]);

// Sets found[i] to the value that element i of shared memory must have after all writes; thread i
// reads it. For kernels that write to a buffer, sets all values to 0.
void loads_expect_writes(const struct loads_kind *kind, enum loads_pattern pattern,
                         float found[LOADS_THREADS]);

#endif
