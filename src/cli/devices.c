// SPDX-License-Identifier: MIT
#include "cli/cli.h"
#include "gpu/gpu.h"
#include "results/codec.h"
#include "results/units.h"
#include "suite/select.h"

// ---------------------------------------------------------------- output for people

// Returns the free memory of a device's chip in bytes; 0 if it is not known. Only Vulkan reports
// the free memory of a device that is not open, so a GPU of another API gets the value of the same
// chip.
static uint64_t free_bytes(const struct gpu_system *system, const struct gpu_info *info)
{
    for (size_t i = 0; i < gpu_system_device_count(system); i++) {
        const struct gpu_info *other = gpu_system_info(system, i);
        if (other->memory_free_bytes &&
            (other == info || (info->kind != GPU_KIND_CPU && select_same_chip(other, info))))
            return other->memory_free_bytes;
    }
    return 0;
}

static void write_device(struct cli *cli, const struct gpu_system *system,
                         const struct gpu_info *info)
{
    char memory[32], left[32];
    uint64_t left_bytes = free_bytes(system, info);
    unit_format((double)info->limits.memory_bytes, UNIT_BYTE, memory, sizeof memory);
    unit_format((double)left_bytes, UNIT_BYTE, left, sizeof left);
    fprintf(cli->out, "%-10s %s\n", info->id, info->name);
    fprintf(cli->out, "%-10s %s, %s%s, %s\n", "", gpu_kind_name(info->kind),
            info->limits.memory_bytes ? memory : "memory not known",
            left_bytes ? arena_printf(cli->arena, " (%s free)", left) : "", info->driver);
}

static void write_counters(struct cli *cli, const struct gpu_info *info)
{
    struct cli_counters counters;
    if (!options_has(cli->options, OPTION_COUNTERS))
        return;
    cli_counters_of(cli, info, &counters);
    if (counters.missing)
        fprintf(cli->out, "%-10s no counters: %s\n", "", counters.missing);
    for (size_t i = 0; i < counters.neutral_count; i++)
        fprintf(cli->out, "%-10s %-20s %s\n", "", counters.neutral[i].name,
                counters.neutral[i].text);
    if (!counters.missing)
        fprintf(cli->out, "%-10s and %zu native ones: fathom devices --counters --json\n", "",
                counters.native_count);
}

static void write_text(struct cli *cli, const struct gpu_system *system)
{
    for (size_t i = 0; i < gpu_system_device_count(system); i++) {
        write_device(cli, system, gpu_system_info(system, i));
        write_counters(cli, gpu_system_info(system, i));
    }
    for (size_t i = 0; i < gpu_system_unavailable_count(system); i++) {
        const struct gpu_unavailable *unavailable = gpu_system_unavailable(system, i);
        fprintf(cli->out, "%-10s no devices: %s\n", unavailable->api, unavailable->reason);
        if (unavailable->remedy)
            fprintf(cli->out, "%-10s %s\n", "", unavailable->remedy);
    }
    struct unreached_gpu *gpus;
    size_t count = select_unreached(cli->arena, system, "", &gpus);
    for (size_t i = 0; i < count; i++)
        fprintf(cli->out, "%-10s %s, which no API reaches\n%-10s %s\n", "-", gpus[i].text, "",
                gpus[i].remedy);
}

// ---------------------------------------------------------------- output for programs

static void put_optional(struct json_out *out, const char *name, const char *text)
{
    if (text)
        json_put_text(out, name, text);
    else
        json_put_null(out, name);
}

static void put_counters(struct cli *cli, struct json_out *out, const struct gpu_info *info)
{
    struct cli_counters counters;
    if (!options_has(cli->options, OPTION_COUNTERS))
        return;
    cli_counters_of(cli, info, &counters);
    json_put_open(out, "counters", '{');
    for (size_t i = 0; i < counters.neutral_count; i++)
        json_put_text(out, counters.neutral[i].name, counters.neutral[i].text);
    json_put_close(out, '}');
    json_put_open(out, "native_counters", '[');
    for (size_t i = 0; i < counters.native_count; i++)
        json_put_text(out, NULL, counters.natives[i]);
    json_put_close(out, ']');
    put_optional(out, "no_counters", counters.missing);
}

static void put_device(struct cli *cli, struct json_out *out, const struct gpu_system *system,
                       const struct gpu_info *info)
{
    json_put_open(out, NULL, '{');
    json_put_text(out, "id", info->id);
    json_put_text(out, "api", info->api);
    json_put_text(out, "name", info->name);
    json_put_text(out, "kind", gpu_kind_name(info->kind));
    json_put_text(out, "vendor", info->vendor);
    json_put_text(out, "driver", info->driver);
    json_put_text(out, "api_version", info->api_version);
    put_optional(out, "uuid", gpu_info_uuid(out->arena, info));
    put_optional(out, "pci", select_pci(out->arena, info));
    if (free_bytes(system, info))
        json_put_count(out, "memory_free_bytes", free_bytes(system, info));
    json_put_open(out, "caps", '[');
    for (unsigned bit = 0; bit < GPU_CAP_BIT_COUNT; bit++)
        if (info->caps >> bit & 1)
            json_put_text(out, NULL, gpu_cap_name((enum gpu_cap_bit)bit));
    json_put_close(out, ']');
    json_put_open(out, "limits", '{');
    for (unsigned i = 0; gpu_limit_name(i); i++) {
        uint64_t value = gpu_limit_value(&info->limits, i);
        if (value && value <= INT64_MAX) // a limit that the API does not report has the value 0
            json_put_count(out, gpu_limit_name(i), value);
    }
    json_put_close(out, '}');
    put_counters(cli, out, info);
    json_put_close(out, '}');
}

static bool write_json(struct cli *cli, const struct gpu_system *system, struct error *err)
{
    struct json_out out = {.arena = cli->arena, .stream = cli->out, .indent = 2};
    json_put_open(&out, NULL, '{');
    json_put_open(&out, "devices", '[');
    for (size_t i = 0; i < gpu_system_device_count(system); i++)
        put_device(cli, &out, system, gpu_system_info(system, i));
    json_put_close(&out, ']');
    json_put_open(&out, "absences", '[');
    for (size_t i = 0; i < gpu_system_unavailable_count(system); i++) {
        const struct gpu_unavailable *unavailable = gpu_system_unavailable(system, i);
        json_put_open(&out, NULL, '{');
        json_put_text(&out, "api", unavailable->api);
        json_put_text(&out, "reason", unavailable->reason);
        put_optional(&out, "remedy", unavailable->remedy);
        json_put_close(&out, '}');
    }
    json_put_close(&out, ']');
    json_put_open(&out, "unreached", '[');
    struct unreached_gpu *gpus;
    size_t count = select_unreached(cli->arena, system, "", &gpus);
    for (size_t i = 0; i < count; i++) {
        json_put_open(&out, NULL, '{');
        json_put_text(&out, "gpu", gpus[i].text);
        json_put_text(&out, "remedy", gpus[i].remedy);
        json_put_close(&out, '}');
    }
    json_put_close(&out, ']');
    json_put_close(&out, '}');
    return json_out_end(&out, "the devices", err);
}

bool command_devices(struct cli *cli, struct error *err)
{
    struct gpu_system *system = cli_system_create(cli, err);
    bool done = true;
    if (!system)
        return false;
    if (options_has(cli->options, OPTION_JSON))
        done = write_json(cli, system, err);
    else
        write_text(cli, system);
    if (gpu_system_device_count(system) == 0)
        cli->status = EXIT_NO_MEASUREMENT;
    cli_system_destroy(cli, system);
    return done;
}
