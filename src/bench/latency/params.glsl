// SPDX-License-Identifier: MIT
// The parameters of this folder's kernels, in the order that latency.h sets.
#define PARAM(name) uint name;
layout(push_constant, std430) uniform Params
{
#if defined(POINTER)
    uint64_t directory; // address of an array: the addresses of the region's chunks
#endif
    LATENCY_PARAMS(PARAM)
}
params;
#undef PARAM

#if defined(POINTER)
// Memory that a kernel writes or atomically adds to may not be readonly. Memory that it only reads
// must be readonly, else drivers may not use scalar loads.
#if defined(WRITES)
#define LINK_ACCESS
#else
#define LINK_ACCESS readonly
#endif
layout(buffer_reference, std430, buffer_reference_align = 8) LINK_ACCESS buffer Link
{
    uint64_t next;
};

layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer Directory
{
    uint64_t chunks[];
};
#endif
