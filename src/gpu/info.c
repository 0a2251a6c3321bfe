// SPDX-License-Identifier: MIT
// Names of capabilities, device kinds and limits; identities of devices; the check of limits
// (gpu/info.h). Names and sizes of formats (gpu/gpu.h).
#include "gpu/gpu.h"

#include <inttypes.h>
#include <string.h>

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
    static const char *const names[] = {[GPU_KIND_OTHER] = "other",
                                        [GPU_KIND_DISCRETE] = "discrete",
                                        [GPU_KIND_INTEGRATED] = "integrated",
                                        [GPU_KIND_VIRTUAL] = "virtual",
                                        [GPU_KIND_CPU] = "cpu"};
    return (unsigned)kind < COUNT(names) ? names[kind] : "other";
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

// ---------------------------------------------------------------- identity

const char *gpu_info_uuid(struct arena *arena, const struct gpu_info *info)
{
    static const char digits[] = "0123456789abcdef";
    if (!info->has_uuid)
        return NULL;
    char *text = arena_alloc(arena, 2 * GPU_UUID_BYTES + 1);
    for (size_t i = 0; i < GPU_UUID_BYTES; i++) {
        text[2 * i] = digits[info->uuid[i] >> 4];
        text[2 * i + 1] = digits[info->uuid[i] & 15];
    }
    return text;
}

const char *gpu_info_identity(struct arena *arena, const struct gpu_info *info)
{
    const struct gpu_pci *pci = &info->pci;
    const char *twin = info->twin ? arena_printf(arena, "+%u", info->twin) : "";
    if (info->has_uuid)
        return arena_printf(arena, "%s=%s%s", info->id, gpu_info_uuid(arena, info), twin);
    if (info->has_pci)
        return arena_printf(arena, "%s=%04" PRIx32 ":%02" PRIx32 ":%02" PRIx32 ".%" PRIx32 "%s",
                            info->id, pci->domain, pci->bus, pci->device, pci->function, twin);
    return arena_strdup(arena, info->id);
}

// ---------------------------------------------------------------- limits that cannot be true

// largest plausible value of a limit that is not in the table; no device exceeds it for decades
static const uint64_t most_default = UINT64_C(1) << 56;
static const struct {
    const char *name;
    uint64_t most;
    bool power_of_two;
} plausible[] = {
    {"storage_align_bytes", 1 << 20, true},
    {"constant_align_bytes", 1 << 20, true},
    {"typed_align_bytes", 1 << 20, true},
    {"subgroup_threads", 4096, false},
    {"subgroup_threads_min", 4096, false},
    {"subgroup_threads_max", 4096, false},
    {"cores", 1 << 24, false},
    {"core_threads", 1 << 24, false},
    {"core_clock_hz", UINT64_C(1000000000000), false},
    {"memory_clock_hz", UINT64_C(1000000000000), false},
    {"memory_bus_bits", 1 << 24, false},
    {"stamp_step_ps", UINT64_C(1000000000000), false},
    {"stamp_bits", 64, false},
};

static bool is_plausible(const char *name, uint64_t value)
{
    for (size_t i = 0; i < sizeof plausible / sizeof *plausible; i++)
        if (strcmp(plausible[i].name, name) == 0)
            return value <= plausible[i].most &&
                   !(plausible[i].power_of_two && (value & (value - 1)));
    return value <= most_default;
}

// Returns true if time stamps can have this number of bits: 0, or 32 to 64 (Vulkan: 36 to 64). Time
// stamps of fewer bits, in nanoseconds, would overflow within a batch.
static bool are_stamp_bits(unsigned bits)
{
    return bits == 0 || (bits >= 32 && bits <= 64);
}

bool gpu_info_check(const struct gpu_info *info, struct error *err)
{
    for (unsigned i = 0; i < LIMIT_COUNT; i++) {
        uint64_t value = gpu_limit_value(&info->limits, i);
        if (!is_plausible(limit_table[i].name, value))
            return error_set(err, ERROR_UNSUPPORTED,
                             "driver reports %s = %" PRIu64 ", which cannot be true",
                             limit_table[i].name, value);
    }
    if (info->family_count > GPU_FAMILIES_MAX)
        return error_set(err, ERROR_UNSUPPORTED, "driver reports %u families of queues",
                         info->family_count);
    bool has_stamps = info->limits.stamp_bits;
    for (unsigned i = 0; i < info->family_count; i++) {
        has_stamps = has_stamps || info->families[i].stamp_bits;
        if (info->families[i].count == 0 || info->families[i].count > UINT16_MAX ||
            !are_stamp_bits(info->families[i].stamp_bits))
            return error_set(err, ERROR_UNSUPPORTED,
                             "driver reports a family of %u queues with time stamps of %u bits",
                             info->families[i].count, info->families[i].stamp_bits);
    }
    return !has_stamps || info->limits.stamp_step_ps ||
           error_set(err, ERROR_UNSUPPORTED,
                     "driver reports time stamps whose unit is no positive number");
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
