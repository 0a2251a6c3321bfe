// SPDX-License-Identifier: MIT
// Names of capabilities, kinds and limits (gpu/info.h); names and sizes of formats (gpu/gpu.h).
#include "gpu/gpu.h"

static const struct {
    const char *name, *missing;
} caps[GPU_CAP_BIT_COUNT] = {
#define X(name, text, missing) [GPU_CAP_BIT_##name] = {text, missing},
    GPU_CAPS(X)
#undef X
};

static const struct {
    const char *name;
    size_t offset;
} limit_table[] = {
#define X(name) {#name, offsetof(struct gpu_limits, name)},
    GPU_LIMITS(X)
#undef X
};

enum {
    LIMIT_COUNT = sizeof limit_table / sizeof limit_table[0]
};

const char *gpu_cap_name(enum gpu_cap_bit bit)
{
    return (unsigned)bit < GPU_CAP_BIT_COUNT ? caps[bit].name : NULL;
}

const char *gpu_cap_missing(enum gpu_cap_bit bit)
{
    return (unsigned)bit < GPU_CAP_BIT_COUNT ? caps[bit].missing : NULL;
}

bool gpu_require(const struct gpu_info *info, gpu_caps needed, struct error *err)
{
    gpu_caps lacking = needed & ~info->caps;
    for (unsigned bit = 0; bit < GPU_CAP_BIT_COUNT; bit++)
        if (lacking >> bit & 1)
            return error_set(err, ERROR_UNSUPPORTED, "%s has no %s", info->id, caps[bit].missing);
    return true;
}

const char *gpu_kind_name(enum gpu_kind kind)
{
    switch (kind) {
    case GPU_KIND_DISCRETE:
        return "discrete";
    case GPU_KIND_INTEGRATED:
        return "integrated";
    case GPU_KIND_VIRTUAL:
        return "virtual";
    case GPU_KIND_CPU:
        return "cpu";
    case GPU_KIND_OTHER:
        break;
    }
    return "other";
}

const char *gpu_limit_name(unsigned limit)
{
    return limit < LIMIT_COUNT ? limit_table[limit].name : NULL;
}

uint64_t gpu_limit_value(const struct gpu_limits *limits, unsigned limit)
{
    if (limit >= LIMIT_COUNT)
        return 0;
    return *(const uint64_t *)(const void *)((const char *)limits + limit_table[limit].offset);
}

// ---------------------------------------------------------------- formats

static const struct {
    const char *name;
    unsigned bytes, channels;
} formats[GPU_FORMAT_COUNT] = {
#define X(name, text, bytes, channels) [GPU_FORMAT_##name] = {text, bytes, channels},
    GPU_FORMATS(X)
#undef X
};

const char *gpu_format_name(enum gpu_format format)
{
    return (unsigned)format < GPU_FORMAT_COUNT ? formats[format].name : NULL;
}

unsigned gpu_format_bytes(enum gpu_format format)
{
    return (unsigned)format < GPU_FORMAT_COUNT ? formats[format].bytes : 0;
}

unsigned gpu_format_block(enum gpu_format format)
{
    return format >= GPU_FORMAT_BC1_UNORM && format < GPU_FORMAT_COUNT ? 4 : 1;
}

bool gpu_format_is_packed(enum gpu_format format)
{
    return format >= GPU_FORMAT_RGBA8_SRGB && format < GPU_FORMAT_COUNT;
}

unsigned gpu_format_channels(enum gpu_format format)
{
    return (unsigned)format < GPU_FORMAT_COUNT ? formats[format].channels : 0;
}
