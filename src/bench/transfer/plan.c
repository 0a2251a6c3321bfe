// SPDX-License-Identifier: MIT
#include "base/host_memory.h"
#include "bench/transfer/session.h"

#include <string.h>

enum {
    // The largest transfer takes 1/8 of the available host memory, because there are four host
    // buffers.
    HOST_SHARE = 8,
    DEVICE_SHARE = 4,         // the largest transfer has at most 1/4 of the device's memory
    CPU_BYTES_MAX = 16 << 20, // largest transfer in bytes on a CPU, which has no link to measure
    // Presets limit the host's reads of mapped device memory to this size, because each load takes
    // a µs.
    MAPPED_READ_MAX = 1 << 20
};
// Presets copy these sizes in bytes between devices: a small message and a large copy.
static const uint64_t peer_bytes[] = {64 << 10, 256 << 20};
// With by=queue, presets copy these sizes in bytes.
static const uint64_t queue_bytes[] = {1 << 20, 256 << 20};

// ---------------------------------------------------------------- a case

static const char *text_of(const struct bench_case *c, const char *key)
{
    const struct case_value *value = case_find(c, key);
    return value ? value->text : NULL;
}

void transfer_case_read(const struct bench_case *c, struct transfer_case *this_case)
{
    const struct case_value *bytes = case_find(c, "bytes");
    *this_case = (struct transfer_case){
        .direction = (enum transfer_direction)case_choice(c, "direction"),
        .memory = (enum transfer_memory)case_choice(c, "memory"),
        .by = (enum transfer_by)case_choice(c, "by"),
        .single = case_choice(c, "mode") == 1,
        .ways = (enum transfer_ways)case_choice(c, "ways"),
        .is_read = case_choice(c, "engine") == 1,
        .from = text_of(c, "from"),
        .to = text_of(c, "to"),
        .bytes = bytes ? bytes->uint : 0,
    };
}

bool transfer_is_by_kernel(const struct transfer_case *this_case)
{
    return this_case->by == TRANSFER_BY_KERNEL && this_case->direction != TRANSFER_PEER;
}

static uint64_t power_of_two_below(uint64_t bytes)
{
    uint64_t power = TRANSFER_ELEMENT_BYTES;
    while (power * 2 <= bytes)
        power *= 2;
    return power;
}

uint64_t transfer_bytes_max(const struct gpu_info *info)
{
    uint64_t host = host_memory_available_bytes(NULL) / HOST_SHARE;
    uint64_t most = measure_limits_buffer(
        &info->limits, info->kind == GPU_KIND_CPU ? CPU_BYTES_MAX : TRANSFER_BYTES_MOST,
        DEVICE_SHARE);
    if (host && host < most)
        most = host;
    if (most > 2 * (uint64_t)TRANSFER_WINDOW_BYTES)
        most -= TRANSFER_WINDOW_BYTES;
    return power_of_two_below(most);
}

// ---------------------------------------------------------------- the plan

enum transfer_param { // the parameters, in the order of `params` in transfer.c
    TRANSFER_PARAM_DIRECTION,
    TRANSFER_PARAM_MEMORY,
    TRANSFER_PARAM_BY,
    TRANSFER_PARAM_MODE,
    TRANSFER_PARAM_TOGETHER,
    TRANSFER_PARAM_WAYS,
    TRANSFER_PARAM_ENGINE,
    TRANSFER_PARAM_FROM,
    TRANSFER_PARAM_TO,
    TRANSFER_PARAM_BYTES,
    TRANSFER_PARAM_MESSAGE
};

// Replaces parameter values that do not fit together:
// - With direction=both, `memory` becomes "pinned".
// - Without pinned memory, `by` becomes "host", because copy commands and kernels need pinned
// memory.
// - `mode` becomes "row", unless memory is pinned and data go one way between host and device.
static void replace(const struct bench_pick *pick)
{
    const struct param_info *param = pick->request->choices[pick->param].param;
    struct transfer_case this_case;
    transfer_case_read(&pick->c, &this_case);
    bool pinned = this_case.memory == TRANSFER_PINNED;
    bool one_way = this_case.direction == TRANSFER_H2D || this_case.direction == TRANSFER_D2H;
    if (pick->param == TRANSFER_PARAM_MEMORY && this_case.direction == TRANSFER_BOTH)
        (void)case_value_set_text(pick->value, param, "pinned");
    if (pick->param == TRANSFER_PARAM_BY && !pinned)
        (void)case_value_set_text(pick->value, param, "host");
    if (pick->param == TRANSFER_PARAM_MODE && !(pinned && one_way))
        (void)case_value_set_text(pick->value, param, "row");
}

static bool reach(const struct bench_pick *pick)
{
    const uint64_t *most = pick->context;
    bool size = pick->param == TRANSFER_PARAM_BYTES || pick->param == TRANSFER_PARAM_MESSAGE;
    if (size && pick->value->uint > *most)
        pick->value->uint = *most;
    return true;
}

static bool is_among(uint64_t bytes, const uint64_t *sizes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (sizes[i] == bytes)
            return true;
    return false;
}

// Returns true if a preset with `sizes` sizes has cases of this kind (direction, memory, by, ways)
// with this size. If the preset has only one size, copies between devices and copies with by=queue
// use it, too.
static bool has_size(const struct transfer_case *this_case, size_t sizes)
{
    if (this_case->direction == TRANSFER_PEER)
        return sizes == 1 ||
               (is_among(this_case->bytes, peer_bytes, COUNT(peer_bytes)) &&
                (this_case->ways == TRANSFER_WAYS_ONE || this_case->bytes > peer_bytes[0]));
    if (this_case->by == TRANSFER_BY_QUEUE)
        return sizes == 1 || is_among(this_case->bytes, queue_bytes, COUNT(queue_bytes));
    return this_case->memory != TRANSFER_MAPPED || this_case->direction != TRANSFER_D2H ||
           this_case->bytes <= MAPPED_READ_MAX;
}

// ---------------------------------------------------------------- between devices

static bool is_first_of_its_api(const struct gpu_system *system, const struct gpu_info *own)
{
    for (size_t i = 0; system && i < gpu_system_device_count(system); i++)
        if (strcmp(gpu_system_info(system, i)->api, own->api) == 0)
            return strcmp(gpu_system_info(system, i)->id, own->id) == 0;
    return true;
}

static size_t devices_of(const struct gpu_system *system, const char *api)
{
    size_t count = 0;
    for (size_t i = 0; system && i < gpu_system_device_count(system); i++)
        count += strcmp(gpu_system_info(system, i)->api, api) == 0;
    return count;
}

// Returns true if the plan of this device has this case, in which devices copy to each other:
// - A device does not copy to itself, because its memory's bandwidth would pass for the link's.
// - Of two devices that copy to each other at once, only one order of `from` and `to` is kept.
// - Copies between all devices are in the plan of the API's first device.
// - Without a second device, the plan has only copies one way, by a queue of the source. The run
//   then skips these cases and says why.
static bool is_among_devices(const struct bench_request *request,
                             const struct transfer_case *this_case)
{
    if (devices_of(request->system, request->device->api) < 2)
        return this_case->ways == TRANSFER_WAYS_ONE && !this_case->is_read;
    if (!this_case->from || !this_case->to) // names are missing only with TRANSFER_WAYS_ALL
        return is_first_of_its_api(request->system, request->device);
    int order = strcmp(this_case->from, this_case->to);
    return this_case->ways == TRANSFER_WAYS_BOTH ? order < 0 : order != 0;
}

static bool is_wanted(const struct bench_pick *pick, struct error *err)
{
    const struct bench_choice *choices = pick->request->choices;
    struct transfer_case this_case;
    (void)err;
    transfer_case_read(&pick->c, &this_case);
    if (this_case.by == TRANSFER_BY_HOST && this_case.memory == TRANSFER_PINNED)
        return false;
    if (this_case.by == TRANSFER_BY_KERNEL && this_case.direction == TRANSFER_BOTH)
        return false;
    if (this_case.single)
        return this_case.by == TRANSFER_BY_COPY || choices[TRANSFER_PARAM_BY].from_user;
    if (this_case.direction == TRANSFER_PEER && !is_among_devices(pick->request, &this_case))
        return false;
    return choices[TRANSFER_PARAM_BYTES].from_user ||
           has_size(&this_case, choices[TRANSFER_PARAM_BYTES].value_count);
}

static bool is_chosen(const struct bench_choice *choice, const char *id)
{
    for (size_t i = 0; i < choice->value_count; i++)
        if (strcmp(choice->values[i].text, "all") == 0 || strcmp(choice->values[i].text, id) == 0)
            return true;
    return false;
}

// Returns the devices of this API that the user chose for `from` or `to`. Only the plan of the
// API's first device has all of them as `from`; other plans have only their own device. If the API
// has one device, `to` is "another"; the run skips such cases and says why.
static struct bench_choice devices_named(const struct bench_request *request, size_t param)
{
    const struct gpu_info *own = request->device;
    struct bench_choice choice = request->choices[param];
    size_t count = request->system ? gpu_system_device_count(request->system) : 0, made = 0;
    struct case_value *ids = ARENA_ARRAY(request->arena, count + 1, struct case_value);
    bool alone = devices_of(request->system, own->api) < 2, from = param == TRANSFER_PARAM_FROM;
    for (size_t i = 0; i < count && !alone; i++) {
        const struct gpu_info *info = gpu_system_info(request->system, i);
        bool ours =
            !from || is_first_of_its_api(request->system, own) || strcmp(info->id, own->id) == 0;
        ids[made] = case_value_of(choice.param);
        ids[made].text = info->id;
        made += ours && strcmp(info->api, own->api) == 0 && is_chosen(&choice, info->id);
    }
    if (alone) {
        ids[made] = case_value_of(choice.param);
        ids[made++].text = from ? own->id : "another";
    }
    choice.values = ids;
    choice.value_count = made;
    return choice;
}

bool transfer_plan(const struct bench_request *request, struct bench_case_list *list,
                   struct error *err)
{
    const uint64_t most = transfer_bytes_max(request->device);
    struct bench_choice *choices =
        ARENA_ARRAY(request->arena, request->choice_count, struct bench_choice);
    struct bench_request between = *request;
    memcpy(choices, request->choices, request->choice_count * sizeof *choices);
    choices[TRANSFER_PARAM_FROM] = devices_named(request, TRANSFER_PARAM_FROM);
    choices[TRANSFER_PARAM_TO] = devices_named(request, TRANSFER_PARAM_TO);
    between.choices = choices;
    const struct bench_product product = {.request = &between,
                                          .context = &most,
                                          .replace = replace,
                                          .reach = reach,
                                          .keep = is_wanted};
    return bench_plan_product(&product, list, err);
}
