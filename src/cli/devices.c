// SPDX-License-Identifier: MIT
#include "cli/cli.h"
#include "gpu/gpu.h"
#include "results/units.h"
#include "suite/select.h"

#include <jansson.h>

// ---------------------------------------------------------------- for people

static void write_device(FILE *out, const struct gpu_info *info)
{
    char memory[32];
    unit_format((double)info->limits.memory_bytes, UNIT_BYTE, memory, sizeof memory);
    fprintf(out, "%-10s %s\n", info->id, info->name);
    fprintf(out, "%-10s %s, %s, %s\n", "", gpu_kind_name(info->kind),
            info->limits.memory_bytes ? memory : "memory not known", info->driver);
}

static void write_text(struct cli *cli, const struct gpu_system *system)
{
    for (size_t i = 0; i < gpu_system_device_count(system); i++)
        write_device(cli->out, gpu_system_info(system, i));
    for (size_t i = 0; i < gpu_system_absence_count(system); i++) {
        const struct gpu_absence *absence = gpu_system_absence(system, i);
        fprintf(cli->out, "%-10s no devices: %s\n", absence->api, absence->reason);
        if (absence->remedy)
            fprintf(cli->out, "%-10s %s\n", "", absence->remedy);
    }
    struct unreached_gpu *gpus;
    size_t count = select_unreached(cli->arena, system, "", &gpus);
    for (size_t i = 0; i < count; i++)
        fprintf(cli->out, "%-10s %s, which no API reaches\n%-10s %s\n", "-", gpus[i].text, "",
                gpus[i].remedy);
}

// ---------------------------------------------------------------- for programs

static json_t *optional(const char *text)
{
    return text ? json_string(text) : json_null();
}

static json_t *device_caps(const struct gpu_info *info)
{
    json_t *caps = json_array();
    for (unsigned bit = 0; bit < GPU_CAP_BIT_COUNT; bit++)
        if (info->caps >> bit & 1)
            json_array_append_new(caps, json_string(gpu_cap_name((enum gpu_cap_bit)bit)));
    return caps;
}

static json_t *device_limits(const struct gpu_info *info)
{
    json_t *limits = json_object();
    for (unsigned i = 0; gpu_limit_name(i); i++) {
        uint64_t value = gpu_limit_value(&info->limits, i);
        if (value && value <= INT64_MAX) // 0 = the API does not say
            json_object_set_new(limits, gpu_limit_name(i), json_integer((json_int_t)value));
    }
    return limits;
}

static json_t *device_json(struct arena *arena, const struct gpu_info *info)
{
    json_t *device = json_object();
    json_object_set_new(device, "id", json_string(info->id));
    json_object_set_new(device, "api", json_string(info->api));
    json_object_set_new(device, "name", json_string(info->name));
    json_object_set_new(device, "kind", json_string(gpu_kind_name(info->kind)));
    json_object_set_new(device, "vendor", json_string(info->vendor));
    json_object_set_new(device, "driver", json_string(info->driver));
    json_object_set_new(device, "api_version", json_string(info->api_version));
    json_object_set_new(device, "uuid", optional(select_uuid(arena, info)));
    json_object_set_new(device, "pci", optional(select_pci(arena, info)));
    json_object_set_new(device, "caps", device_caps(info));
    json_object_set_new(device, "limits", device_limits(info));
    return device;
}

static json_t *system_json(struct arena *arena, const struct gpu_system *system)
{
    json_t *devices = json_array(), *absences = json_array(), *unreached = json_array();
    for (size_t i = 0; i < gpu_system_device_count(system); i++)
        json_array_append_new(devices, device_json(arena, gpu_system_info(system, i)));
    for (size_t i = 0; i < gpu_system_absence_count(system); i++) {
        const struct gpu_absence *absence = gpu_system_absence(system, i);
        json_t *entry = json_object();
        json_object_set_new(entry, "api", json_string(absence->api));
        json_object_set_new(entry, "reason", json_string(absence->reason));
        json_object_set_new(entry, "remedy", optional(absence->remedy));
        json_array_append_new(absences, entry);
    }
    struct unreached_gpu *gpus;
    size_t count = select_unreached(arena, system, "", &gpus);
    for (size_t i = 0; i < count; i++) {
        json_t *entry = json_object();
        json_object_set_new(entry, "gpu", json_string(gpus[i].text));
        json_object_set_new(entry, "remedy", json_string(gpus[i].remedy));
        json_array_append_new(unreached, entry);
    }
    json_t *document = json_object();
    json_object_set_new(document, "devices", devices);
    json_object_set_new(document, "absences", absences);
    json_object_set_new(document, "unreached", unreached);
    return document;
}

bool command_devices(struct cli *cli, struct error *err)
{
    struct gpu_system *system = cli_system_create(NULL);
    bool done = true;
    if (options_has(cli->options, OPTION_JSON))
        done = cli_write_json(cli->out, system_json(cli->arena, system), err);
    else
        write_text(cli, system);
    if (gpu_system_device_count(system) == 0)
        cli->status = EXIT_NO_MEASUREMENT;
    gpu_system_destroy(system);
    return done;
}
