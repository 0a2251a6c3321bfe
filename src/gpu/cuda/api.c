// SPDX-License-Identifier: MIT
#include "gpu/cuda/api.h"

struct dynlib *cuda_api_load(struct cuda_api *api, struct error *err)
{
    static const char *const files[] = {"libcuda.so.1", NULL};
    static const struct dynlib_symbol symbols[] = {
#define X(member, args) {.name = #member, .offset = offsetof(struct cuda_api, member)},
        CUDA_REQUIRED(X)
#undef X
#define X(member, args)                                                                            \
    {.name = #member, .offset = offsetof(struct cuda_api, member), .optional = true},
            CUDA_OPTIONAL(X)
#undef X
    };
    return dynlib_open(&(struct dynlib_desc){.files = files,
                                             .symbols = symbols,
                                             .symbol_count = sizeof symbols / sizeof *symbols,
                                             .table = api},
                       err);
}

bool cuda_api_has_graphs(const struct cuda_api *api)
{
    return api->cuEventRecordWithFlags && api->cuStreamBeginCapture_v2 && api->cuStreamEndCapture &&
           api->cuGraphInstantiateWithFlags && api->cuGraphUpload && api->cuGraphLaunch &&
           api->cuGraphExecDestroy && api->cuGraphDestroy;
}

// Returns true if the CUDA context is unusable after this error (driver API reference, CUresult).
static bool is_lost(int result)
{
    return result == CU_ILLEGAL_ADDRESS || result == CU_LAUNCH_TIMEOUT ||
           result == CU_CONTEXT_IS_DESTROYED || result == CU_ASSERT ||
           (result >= CU_HARDWARE_STACK_ERROR && result <= CU_LAUNCH_FAILED) ||
           result == CU_TENSOR_MEMORY_LEAK || result == CU_CONTAINED ||
           result == CU_ECC_UNCORRECTABLE || result == CU_DEVICE_UNAVAILABLE ||
           result == CU_DEINITIALIZED || result == CU_UNKNOWN;
}

static enum error_code code_of(int result)
{
    if (is_lost(result))
        return ERROR_DEVICE_LOST;
    switch (result) {
    case CU_OUT_OF_MEMORY:
        return ERROR_OUT_OF_MEMORY;
    case CU_NO_BINARY_FOR_GPU:
    case CU_UNSUPPORTED_PTX_VERSION:
    case CU_LAUNCH_OUT_OF_RESOURCES:
    case CU_NOT_SUPPORTED:
        return ERROR_UNSUPPORTED;
    case CU_NO_DEVICE:
        return ERROR_NO_DEVICE;
    default:
        return ERROR_INTERNAL;
    }
}

bool cuda_check(const struct cuda_api *api, int result, const char *what, struct error *err)
{
    if (result == CU_SUCCESS)
        return true;
    const char *name = NULL, *text = NULL;
    if (api->cuGetErrorName(result, &name) != CU_SUCCESS || !name)
        name = "an error that this driver does not name";
    if (api->cuGetErrorString(result, &text) != CU_SUCCESS || !text)
        text = "no text";
    return error_set(err, code_of(result), "%s: %s %d (%s)", what, name, result, text);
}

bool cuda_event_create(const struct cuda_api *api, struct cu_event **event, unsigned flags,
                       struct error *err)
{
    struct cu_event *made = NULL;
    if (!cuda_check(api, api->cuEventCreate(&made, flags), "cuEventCreate", err))
        return false;
    *event = made;
    return true;
}

bool cuda_stream_create(const struct cuda_api *api, struct cu_stream **stream, int priority,
                        struct error *err)
{
    struct cu_stream *made = NULL;
    if (!cuda_check(api, api->cuStreamCreateWithPriority(&made, CU_STREAM_NON_BLOCKING, priority),
                    "cuStreamCreateWithPriority", err))
        return false;
    *stream = made;
    return true;
}
