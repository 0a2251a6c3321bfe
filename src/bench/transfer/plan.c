// SPDX-License-Identifier: MIT
#include "base/host_memory.h"
#include "bench/transfer/session.h"

#include <string.h>

enum {
    ELEMENT_BYTES = 16,
    HOST_SHARE = 8,           // of what the host has left, for one of four buffers
    DEVICE_SHARE = 4,         // of the device's memory, for one of two
    CPU_BYTES_MAX = 16 << 20, // a CPU as a device: no link to be measured
    MAPPED_READ_MAX = 1 << 20 // a load of device memory by the host takes a µs
};
static const uint64_t bytes_max = UINT64_C(32) << 30; // elements are counted in 32 bits
// Of the preset's sizes, those between devices: a message, and a large copy.
static const uint64_t peer_bytes[] = {64 << 10, 256 << 20};
// … those of copies on the universal queue, which is not the device's copy engine.
static const uint64_t queue_bytes[] = {1 << 20, 256 << 20};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

// ---------------------------------------------------------------- a case

static const char *const directions[] = {[TRANSFER_H2D] = "h2d",
                                         [TRANSFER_D2H] = "d2h",
                                         [TRANSFER_BOTH] = "both",
                                         [TRANSFER_LOCAL] = "local",
                                         [TRANSFER_PEER] = "peer"};
static const char *const memories[] = {
    [TRANSFER_PINNED] = "pinned", [TRANSFER_PAGEABLE] = "pageable", [TRANSFER_MAPPED] = "mapped"};
static const char *const bys[] = {[TRANSFER_BY_COPY] = "copy",
                                  [TRANSFER_BY_QUEUE] = "queue",
                                  [TRANSFER_BY_KERNEL] = "kernel",
                                  [TRANSFER_BY_HOST] = "host"};

static unsigned place_of(const struct bench_case *c, const char *key, const char *const *names,
                         size_t count)
{
    const struct case_value *value = case_find(c, key);
    for (unsigned i = 0; value && i < count; i++)
        if (strcmp(names[i], value->text) == 0)
            return i;
    return 0;
}

static const char *text_of(const struct bench_case *c, const char *key)
{
    const struct case_value *value = case_find(c, key);
    return value ? value->text : NULL;
}

void transfer_case_read(const struct bench_case *c, struct transfer_case *this_case)
{
    const char *mode = text_of(c, "mode");
    *this_case = (struct transfer_case){
        .direction =
            (enum transfer_direction)place_of(c, "direction", directions, COUNT(directions)),
        .memory = (enum transfer_memory)place_of(c, "memory", memories, COUNT(memories)),
        .by = (enum transfer_by)place_of(c, "by", bys, COUNT(bys)),
        .single = mode && strcmp(mode, "single") == 0,
        .from = text_of(c, "from"),
        .to = text_of(c, "to"),
        .bytes = case_uint(c, "bytes"),
    };
}

static uint64_t power_of_two_below(uint64_t bytes)
{
    uint64_t power = ELEMENT_BYTES;
    while (power * 2 <= bytes)
        power *= 2;
    return power;
}

uint64_t transfer_bytes_max(const struct gpu_info *info)
{
    uint64_t host = host_memory_available_bytes(NULL) / HOST_SHARE;
    uint64_t most = measure_limits_buffer(
        &info->limits, info->kind == GPU_KIND_CPU ? CPU_BYTES_MAX : bytes_max, DEVICE_SHARE);
    if (host && host < most)
        most = host;
    if (most > 2 * (uint64_t)TRANSFER_WINDOW_BYTES)
        most -= TRANSFER_WINDOW_BYTES;
    return power_of_two_below(most);
}

// ---------------------------------------------------------------- the plan

struct planner {
    const struct bench_request *request;
    struct bench_case_list *list;
    const struct bench_choice *direction, *memory, *by, *mode, *from, *to, *bytes, *message;
    uint64_t most;
};

// A value of a TEXT parameter that the case has whatever was chosen.
static struct case_value fixed(const struct bench_choice *choice, const char *text)
{
    struct case_value value = choice->values[0];
    value.text = text;
    return value;
}

static void add_case(const struct planner *p, const struct case_value *values, size_t count)
{
    struct case_value *kept = ARENA_ARRAY(p->request->arena, count, struct case_value);
    memcpy(kept, values, count * sizeof *kept);
    bench_case_add(p->request->arena, p->list,
                   (struct bench_case){.values = kept, .value_count = count});
}

// A size of the preset's that is too large becomes the largest that fits; a user's stays, and is
// skipped with the reason.
static struct case_value size_of(const struct planner *p, const struct bench_choice *sizes,
                                 size_t i)
{
    struct case_value bytes = sizes->values[i];
    bytes.key = p->bytes->param->key;
    if ((!sizes->from_user || bytes.uint == UINT64_MAX) && bytes.uint > p->most)
        bytes.uint = p->most;
    return bytes;
}

static bool is_among(uint64_t bytes, const uint64_t *sizes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (sizes[i] == bytes)
            return true;
    return false;
}

static bool is_wanted(const struct planner *p, const struct transfer_case *this_case)
{
    if (p->bytes->from_user || this_case->single)
        return true;
    if (this_case->by == TRANSFER_BY_QUEUE)
        return is_among(this_case->bytes, queue_bytes, COUNT(queue_bytes));
    return this_case->memory != TRANSFER_MAPPED || this_case->direction != TRANSFER_D2H ||
           this_case->bytes <= MAPPED_READ_MAX;
}

static void add_host(const struct planner *p, const struct case_value *direction,
                     const struct case_value *memory, const struct case_value *by,
                     const struct case_value *mode)
{
    bool single = strcmp(mode->text, "single") == 0;
    const struct bench_choice *sizes = single ? p->message : p->bytes;
    for (size_t b = 0; b < sizes->value_count; b++) {
        const struct case_value values[] = {*direction, *memory, *by, *mode, size_of(p, sizes, b)};
        const struct bench_case made = {(struct case_value *)values, COUNT(values)};
        struct transfer_case this_case;
        transfer_case_read(&made, &this_case);
        if (is_wanted(p, &this_case))
            add_case(p, values, COUNT(values));
    }
}

// One way between host and device: pinned memory by every means, the others by the host alone.
static void add_way(const struct planner *p, const struct case_value *direction)
{
    struct case_value host = fixed(p->by, "host"), row = fixed(p->mode, "row");
    for (size_t m = 0; m < p->memory->value_count; m++) {
        const struct case_value *memory = &p->memory->values[m];
        if (strcmp(memory->text, "pinned") != 0) {
            add_host(p, direction, memory, &host, &row);
            continue;
        }
        for (size_t y = 0; y < p->by->value_count; y++) {
            const struct case_value *by = &p->by->values[y];
            if (strcmp(by->text, "host") == 0)
                continue;
            for (size_t m2 = 0; m2 < p->mode->value_count; m2++)
                if (strcmp(by->text, "copy") == 0 || p->by->from_user ||
                    strcmp(p->mode->values[m2].text, "row") == 0)
                    add_host(p, direction, memory, by, &p->mode->values[m2]);
        }
    }
}

static void add_both(const struct planner *p, const struct case_value *direction)
{
    struct case_value memory = fixed(p->memory, "pinned"), mode = fixed(p->mode, "row");
    for (size_t y = 0; y < p->by->value_count; y++)
        if (strcmp(p->by->values[y].text, "copy") == 0 ||
            strcmp(p->by->values[y].text, "queue") == 0)
            add_host(p, direction, &memory, &p->by->values[y], &mode);
}

static void add_local(const struct planner *p, const struct case_value *direction)
{
    for (size_t y = 0; y < p->by->value_count; y++)
        for (size_t b = 0; b < p->bytes->value_count; b++) {
            const struct case_value values[] = {*direction, p->by->values[y],
                                                size_of(p, p->bytes, b)};
            bool queue = strcmp(p->by->values[y].text, "queue") == 0;
            bool wanted = !queue || p->bytes->from_user ||
                          is_among(values[2].uint, queue_bytes, COUNT(queue_bytes));
            if (strcmp(p->by->values[y].text, "host") != 0 && wanted)
                add_case(p, values, COUNT(values));
        }
}

// ---------------------------------------------------------------- between devices

static bool is_chosen(const struct bench_choice *choice, const char *id)
{
    for (size_t i = 0; i < choice->value_count; i++)
        if (strcmp(choice->values[i].text, "all") == 0 || strcmp(choice->values[i].text, id) == 0)
            return true;
    return false;
}

static void add_pair(const struct planner *p, const struct case_value *direction, const char *from,
                     const char *to)
{
    for (size_t b = 0; b < p->bytes->value_count; b++) {
        const struct case_value values[] = {*direction, fixed(p->from, from), fixed(p->to, to),
                                            size_of(p, p->bytes, b)};
        if (p->bytes->from_user || is_among(values[3].uint, peer_bytes, COUNT(peer_bytes)))
            add_case(p, values, COUNT(values));
    }
}

static size_t devices_of(const struct gpu_system *system, const char *api)
{
    size_t count = 0;
    for (size_t i = 0; system && i < gpu_system_device_count(system); i++)
        count += strcmp(gpu_system_info(system, i)->api, api) == 0;
    return count;
}

// Every pair of the API's devices, or only those that begin at this one; on the diagonal of that
// matrix copies within a device. Where it is alone, a case that says so.
static void add_peers(const struct planner *p, const struct case_value *direction)
{
    const struct gpu_system *system = p->request->system;
    const struct gpu_info *own = p->request->device;
    if (devices_of(system, own->api) < 2) {
        add_pair(p, direction, own->id, "another");
        return;
    }
    for (size_t i = 0; i < gpu_system_device_count(system); i++)
        for (size_t k = 0; k < gpu_system_device_count(system); k++) {
            const struct gpu_info *from = gpu_system_info(system, i);
            const struct gpu_info *to = gpu_system_info(system, k);
            bool is_ours = own->index == 0 || from->index == own->index;
            if (is_ours && strcmp(from->api, own->api) == 0 && strcmp(to->api, own->api) == 0 &&
                is_chosen(p->from, from->id) && is_chosen(p->to, to->id))
                add_pair(p, direction, from->id, to->id);
        }
}

static bool check_sizes(const struct bench_choice *sizes, struct error *err)
{
    for (size_t b = 0; b < sizes->value_count; b++) {
        uint64_t bytes = sizes->values[b].uint;
        if (bytes != UINT64_MAX && (bytes == 0 || bytes % ELEMENT_BYTES || bytes > bytes_max))
            return error_set(err, ERROR_USAGE,
                             "transfer.%s=%llu: take a multiple of 16, up to 32GiB",
                             sizes->param->key, (unsigned long long)bytes);
    }
    return true;
}

bool transfer_plan(const struct bench_request *request, struct bench_case_list *list,
                   struct error *err)
{
    const struct planner p = {.request = request,
                              .list = list,
                              .direction = bench_choice_find(request, "direction"),
                              .memory = bench_choice_find(request, "memory"),
                              .by = bench_choice_find(request, "by"),
                              .mode = bench_choice_find(request, "mode"),
                              .from = bench_choice_find(request, "from"),
                              .to = bench_choice_find(request, "to"),
                              .bytes = bench_choice_find(request, "bytes"),
                              .message = bench_choice_find(request, "message"),
                              .most = transfer_bytes_max(request->device)};
    size_t before = list->count;
    if (!check_sizes(p.bytes, err) || !check_sizes(p.message, err))
        return false;
    for (size_t d = 0; d < p.direction->value_count; d++) {
        const struct case_value *direction = &p.direction->values[d];
        if (strcmp(direction->text, "both") == 0)
            add_both(&p, direction);
        else if (strcmp(direction->text, "local") == 0)
            add_local(&p, direction);
        else if (strcmp(direction->text, "peer") == 0)
            add_peers(&p, direction);
        else
            add_way(&p, direction);
    }
    return list->count > before ||
           error_set(err, ERROR_USAGE,
                     "transfer: these values do not go together; see `fathom list transfer`");
}
