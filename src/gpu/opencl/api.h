// SPDX-License-Identifier: MIT
// The OpenCL functions that fathom uses, with the types of the Khronos headers. The OpenCL library
// is opened at run time.
#ifndef GPU_OPENCL_API_H
#define GPU_OPENCL_API_H

#include "base/dynlib.h"
#include "base/error.h"

#define CL_TARGET_OPENCL_VERSION 300
// Makes cl.h declare clCreateCommandQueue, which OpenCL 1.2 has and later versions deprecate.
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>

// The OpenCL functions that fathom loads. OpenCL 1.2 already has all of them.
#define OPENCL_REQUIRED(X)                                                                         \
    X(clGetPlatformIDs)                                                                            \
    X(clGetPlatformInfo)                                                                           \
    X(clGetDeviceIDs)                                                                              \
    X(clGetDeviceInfo)                                                                             \
    X(clCreateContext)                                                                             \
    X(clReleaseContext)                                                                            \
    X(clCreateCommandQueue)                                                                        \
    X(clReleaseCommandQueue)                                                                       \
    X(clCreateBuffer)                                                                              \
    X(clCreateSubBuffer)                                                                           \
    X(clCreateImage)                                                                               \
    X(clGetSupportedImageFormats)                                                                  \
    X(clReleaseMemObject)                                                                          \
    X(clCreateSampler)                                                                             \
    X(clReleaseSampler)                                                                            \
    X(clCreateProgramWithSource)                                                                   \
    X(clBuildProgram)                                                                              \
    X(clGetProgramBuildInfo)                                                                       \
    X(clReleaseProgram)                                                                            \
    X(clCreateKernel)                                                                              \
    X(clSetKernelArg)                                                                              \
    X(clReleaseKernel)                                                                             \
    X(clCreateUserEvent)                                                                           \
    X(clSetUserEventStatus)                                                                        \
    X(clGetEventInfo)                                                                              \
    X(clGetEventProfilingInfo)                                                                     \
    X(clReleaseEvent)                                                                              \
    X(clRetainEvent)                                                                               \
    X(clEnqueueNDRangeKernel)                                                                      \
    X(clEnqueueCopyBuffer)                                                                         \
    X(clEnqueueFillBuffer)                                                                         \
    X(clEnqueueReadBuffer)                                                                         \
    X(clEnqueueWriteBuffer)                                                                        \
    X(clEnqueueMapBuffer)                                                                          \
    X(clEnqueueUnmapMemObject)                                                                     \
    X(clEnqueueWriteImage)                                                                         \
    X(clEnqueueCopyBufferToImage)                                                                  \
    X(clEnqueueMigrateMemObjects)                                                                  \
    X(clEnqueueMarkerWithWaitList)                                                                 \
    X(clEnqueueBarrierWithWaitList)                                                                \
    X(clFlush)

struct opencl_api {
#define X(name) __typeof__(name) *name;
    OPENCL_REQUIRED(X)
#undef X
};

// Opens libOpenCL.so.1, the OpenCL loader, which loads the OpenCL drivers, and sets the function
// pointers in `api`. Returns NULL with ERROR_NO_DEVICE if this fails. The caller closes the library
// with dynlib_close.
struct dynlib *opencl_api_load(struct opencl_api *api, struct error *err);

// Returns true if `result` is CL_SUCCESS. Otherwise fails with the error code that matches
// `result`. The message is "WHAT: CL_… NUMBER", or "WHAT: OpenCL error NUMBER" if fathom knows no
// name; WHAT is the argument `what`.
MUST_CHECK bool opencl_check(cl_int result, const char *what, struct error *err);

#endif
