// SPDX-License-Identifier: MIT
#include "gpu/opencl/api.h"

struct dynlib *opencl_api_load(struct opencl_api *api, struct error *err)
{
    static const char *const files[] = {"libOpenCL.so.1", NULL};
    static const struct dynlib_symbol symbols[] = {
#define X(member) DYNLIB_SYMBOL(struct opencl_api, member),
        OPENCL_REQUIRED(X)
#undef X
    };
    return dynlib_open(&(struct dynlib_desc){.files = files,
                                             .symbols = symbols,
                                             .symbol_count = sizeof symbols / sizeof *symbols,
                                             .table = api},
                       err);
}

#define RESULTS(X)                                                                                 \
    X(CL_DEVICE_NOT_FOUND, NO_DEVICE)                                                              \
    X(CL_DEVICE_NOT_AVAILABLE, DEVICE_LOST)                                                        \
    X(CL_COMPILER_NOT_AVAILABLE, UNSUPPORTED)                                                      \
    X(CL_MEM_OBJECT_ALLOCATION_FAILURE, OUT_OF_MEMORY)                                             \
    X(CL_OUT_OF_RESOURCES, OUT_OF_MEMORY)                                                          \
    X(CL_OUT_OF_HOST_MEMORY, OUT_OF_MEMORY)                                                        \
    X(CL_PROFILING_INFO_NOT_AVAILABLE, INTERNAL)                                                   \
    X(CL_IMAGE_FORMAT_NOT_SUPPORTED, UNSUPPORTED)                                                  \
    X(CL_BUILD_PROGRAM_FAILURE, INTERNAL)                                                          \
    X(CL_MAP_FAILURE, OUT_OF_MEMORY)                                                               \
    X(CL_MISALIGNED_SUB_BUFFER_OFFSET, INTERNAL)                                                   \
    X(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, DEVICE_LOST)                                   \
    X(CL_INVALID_VALUE, INTERNAL)                                                                  \
    X(CL_INVALID_PLATFORM, INTERNAL)                                                               \
    X(CL_INVALID_DEVICE, INTERNAL)                                                                 \
    X(CL_INVALID_CONTEXT, INTERNAL)                                                                \
    X(CL_INVALID_QUEUE_PROPERTIES, UNSUPPORTED)                                                    \
    X(CL_INVALID_COMMAND_QUEUE, INTERNAL)                                                          \
    X(CL_INVALID_MEM_OBJECT, INTERNAL)                                                             \
    X(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, UNSUPPORTED)                                             \
    X(CL_INVALID_IMAGE_SIZE, UNSUPPORTED)                                                          \
    X(CL_INVALID_SAMPLER, INTERNAL)                                                                \
    X(CL_INVALID_BINARY, INTERNAL)                                                                 \
    X(CL_INVALID_BUILD_OPTIONS, INTERNAL)                                                          \
    X(CL_INVALID_PROGRAM, INTERNAL)                                                                \
    X(CL_INVALID_PROGRAM_EXECUTABLE, INTERNAL)                                                     \
    X(CL_INVALID_KERNEL_NAME, INTERNAL)                                                            \
    X(CL_INVALID_KERNEL, INTERNAL)                                                                 \
    X(CL_INVALID_ARG_INDEX, INTERNAL)                                                              \
    X(CL_INVALID_ARG_VALUE, INTERNAL)                                                              \
    X(CL_INVALID_ARG_SIZE, INTERNAL)                                                               \
    X(CL_INVALID_KERNEL_ARGS, INTERNAL)                                                            \
    X(CL_INVALID_WORK_DIMENSION, INTERNAL)                                                         \
    X(CL_INVALID_WORK_GROUP_SIZE, UNSUPPORTED)                                                     \
    X(CL_INVALID_WORK_ITEM_SIZE, UNSUPPORTED)                                                      \
    X(CL_INVALID_GLOBAL_OFFSET, INTERNAL)                                                          \
    X(CL_INVALID_EVENT_WAIT_LIST, INTERNAL)                                                        \
    X(CL_INVALID_EVENT, INTERNAL)                                                                  \
    X(CL_INVALID_OPERATION, INTERNAL)                                                              \
    X(CL_INVALID_BUFFER_SIZE, OUT_OF_MEMORY)                                                       \
    X(CL_INVALID_GLOBAL_WORK_SIZE, UNSUPPORTED)                                                    \
    X(CL_INVALID_IMAGE_DESCRIPTOR, UNSUPPORTED)                                                    \
    X(CL_PLATFORM_NOT_FOUND_KHR, NO_DEVICE)

bool opencl_check(cl_int result, const char *what, struct error *err)
{
    static const struct {
        cl_int result;
        enum error_code code;
        const char *name;
    } table[] = {
#define X(result, code) {result, ERROR_##code, #result},
        RESULTS(X)
#undef X
    };
    if (result == CL_SUCCESS)
        return true;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].result == result)
            return error_set(err, table[i].code, "%s: %s %d", what, table[i].name, (int)result);
    return error_set(err, ERROR_INTERNAL, "%s: OpenCL error %d", what, (int)result);
}
