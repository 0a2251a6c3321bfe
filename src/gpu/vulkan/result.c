// SPDX-License-Identifier: MIT
#include "gpu/vulkan/api.h"

#include <stdarg.h>
#include <stdio.h>

#define RESULTS(X)                                                                                 \
    X(VK_NOT_READY, TIMEOUT)                                                                       \
    X(VK_TIMEOUT, TIMEOUT)                                                                         \
    X(VK_ERROR_OUT_OF_HOST_MEMORY, OUT_OF_MEMORY)                                                  \
    X(VK_ERROR_OUT_OF_DEVICE_MEMORY, OUT_OF_MEMORY)                                                \
    X(VK_ERROR_OUT_OF_POOL_MEMORY, OUT_OF_MEMORY)                                                  \
    X(VK_ERROR_FRAGMENTED_POOL, OUT_OF_MEMORY)                                                     \
    X(VK_ERROR_FRAGMENTATION, OUT_OF_MEMORY)                                                       \
    X(VK_ERROR_TOO_MANY_OBJECTS, OUT_OF_MEMORY)                                                    \
    X(VK_ERROR_MEMORY_MAP_FAILED, OUT_OF_MEMORY)                                                   \
    X(VK_ERROR_DEVICE_LOST, DEVICE_LOST)                                                           \
    X(VK_ERROR_LAYER_NOT_PRESENT, UNSUPPORTED)                                                     \
    X(VK_ERROR_EXTENSION_NOT_PRESENT, UNSUPPORTED)                                                 \
    X(VK_ERROR_FEATURE_NOT_PRESENT, UNSUPPORTED)                                                   \
    X(VK_ERROR_INCOMPATIBLE_DRIVER, UNSUPPORTED)                                                   \
    X(VK_ERROR_FORMAT_NOT_SUPPORTED, UNSUPPORTED)                                                  \
    X(VK_ERROR_NOT_PERMITTED_KHR, UNSUPPORTED)                                                     \
    X(VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS, INTERNAL)                                           \
    X(VK_ERROR_INITIALIZATION_FAILED, INTERNAL)                                                    \
    X(VK_ERROR_INVALID_SHADER_NV, INTERNAL)                                                        \
    X(VK_ERROR_UNKNOWN, INTERNAL)

static const struct {
    VkResult result;
    enum error_code code;
    const char *name;
} results[] = {
#define X(result, code) {result, ERROR_##code, #result},
    RESULTS(X)
#undef X
};

bool vulkan_error(struct error *err, VkResult result, const char *what, ...)
{
    char text[ERROR_MESSAGE_BYTES];
    va_list args;
    va_start(args, what);
    vsnprintf(text, sizeof text, what, args);
    va_end(args);
    for (size_t i = 0; i < sizeof results / sizeof results[0]; i++)
        if (results[i].result == result)
            return error_set(err, results[i].code, "%s: %s", text, results[i].name);
    return error_set(err, ERROR_INTERNAL, "%s: VkResult %d", text, (int)result);
}
