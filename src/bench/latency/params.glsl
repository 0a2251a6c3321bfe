// SPDX-License-Identifier: MIT
// The parameters of all kernels of latency, in the order that latency.h defines.
#define PARAM(name) uint name;
layout(push_constant, std430) uniform Params
{
#if defined(POINTER)
    // address of an array with the addresses of the buffers that hold the pointer chain
    uint64_t directory;
#endif
    LATENCY_PARAMS(PARAM)
}
params;
#undef PARAM

#if defined(POINTER)
// Memory that a kernel only reads must be declared readonly, or drivers may not use scalar loads
// for it. Memory that the kernel writes, or adds to atomically, cannot be readonly.
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
