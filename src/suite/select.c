// SPDX-License-Identifier: MIT
#include "suite/select.h"

#include "base/text.h"
#include "measure/card.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

// ---------------------------------------------------------------- properties of a device

const char *select_pci(struct arena *arena, const struct gpu_info *info)
{
    return measure_card_of(arena, info).pci;
}

bool select_same_chip(const struct gpu_info *a, const struct gpu_info *b)
{
    if (a->has_uuid && b->has_uuid && memcmp(a->uuid, b->uuid, GPU_UUID_BYTES) == 0)
        return true;
    if (a->kind == GPU_KIND_CPU && b->kind == GPU_KIND_CPU && strcmp(a->api, b->api) != 0)
        return true;
    return a->has_pci && b->has_pci && a->pci.domain == b->pci.domain && a->pci.bus == b->pci.bus &&
           a->pci.device == b->pci.device && a->pci.function == b->pci.function;
}

static unsigned rank(enum gpu_kind kind)
{
    switch (kind) {
    case GPU_KIND_DISCRETE:
        return 0;
    case GPU_KIND_INTEGRATED:
        return 1;
    case GPU_KIND_VIRTUAL:
        return 2;
    case GPU_KIND_OTHER:
        return 3;
    case GPU_KIND_CPU:
        break;
    }
    return 4;
}

// ---------------------------------------------------------------- matching names

struct selection {
    struct arena *arena;
    const struct select_request *request;
    struct device_list *list;
    struct error *err;
};

// True if `name` is the device's UUID, also as nvidia-smi prints it, with "GPU-" and dashes.
static bool is_uuid(struct arena *arena, const char *name, const struct gpu_info *info)
{
    const char *uuid = gpu_info_uuid(arena, info);
    if (!uuid)
        return false;
    if (strncasecmp(name, "GPU-", 4) == 0)
        name += 4;
    for (; *uuid; uuid++, name++) {
        while (*name == '-')
            name++;
        if (tolower((unsigned char)*name) != *uuid)
            return false;
    }
    return *name == '\0';
}

static bool matches(struct arena *arena, const char *name, const struct gpu_info *info)
{
    return strcmp(name, info->id) == 0 || strcmp(name, info->api) == 0 ||
           is_uuid(arena, name, info) || text_contains(info->name, name);
}

static bool is_wanted_api(const struct select_request *request, const char *api)
{
    return !request->api || strcmp(request->api, "all") == 0 || strcmp(request->api, api) == 0;
}

static const struct gpu_info *candidate(const struct selection *s, size_t index)
{
    const struct gpu_info *info = gpu_system_info(s->request->system, index);
    return is_wanted_api(s->request, info->api) ? info : NULL;
}

// Returns the device with the id `name`. If no device has this id, returns the first device of the
// best kind (rank) that matches `name`; every device matches NULL. Returns NULL if no device
// matches.
static const struct gpu_info *best(const struct selection *s, const char *name)
{
    const struct gpu_info *found = NULL;
    for (size_t i = 0; i < gpu_system_device_count(s->request->system); i++) {
        const struct gpu_info *info = candidate(s, i);
        if (!info || (name && !matches(s->arena, name, info)))
            continue;
        if (name && strcmp(name, info->id) == 0)
            return info;
        if (!found || rank(info->kind) < rank(found->kind))
            found = info;
    }
    return found;
}

static void add(const struct selection *s, const struct gpu_info *info)
{
    struct device_list *list = s->list;
    for (size_t i = 0; i < list->count; i++)
        if (list->devices[i] == info)
            return;
    list->devices =
        arena_grow(s->arena, list->devices, list->count, &list->capacity, sizeof *list->devices);
    list->devices[list->count++] = info;
}

// Adds the device to the list. With --api all, also adds the same chip through all other APIs.
static void add_chip(const struct selection *s, const struct gpu_info *info)
{
    add(s, info);
    if (!s->request->api || strcmp(s->request->api, "all") != 0)
        return;
    for (size_t i = 0; i < gpu_system_device_count(s->request->system); i++) {
        const struct gpu_info *other = candidate(s, i);
        if (other && select_same_chip(info, other))
            add(s, other);
    }
}

// Returns the device that the user's choice "all" takes for the chip of `info`. This is `info`; but
// if `info` lacks capabilities of request->prefer, it is another device of the chip that has them
// all.
static const struct gpu_info *preferred(const struct selection *s, const struct gpu_info *info)
{
    gpu_caps wanted = s->request->prefer;
    for (size_t i = 0; i < gpu_system_device_count(s->request->system); i++) {
        const struct gpu_info *other = candidate(s, i);
        if (other && (info->caps & wanted) != wanted && (other->caps & wanted) == wanted &&
            select_same_chip(info, other))
            return other;
    }
    return info;
}

static void add_all(const struct selection *s)
{
    for (size_t i = 0; i < gpu_system_device_count(s->request->system); i++) {
        const struct gpu_info *info = candidate(s, i);
        bool known = !info;
        for (size_t k = 0; !known && k < s->list->count; k++)
            known = select_same_chip(info, s->list->devices[k]);
        if (!known)
            add_chip(s, preferred(s, info));
    }
}

static bool is_of_cuda(const struct gpu_info *info)
{
    return strcmp(info->api, "cuda") == 0;
}

void select_leave_hidden_out(struct device_list *list)
{
    bool cuda_there = false;
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++)
        cuda_there = cuda_there || is_of_cuda(list->devices[i]);
    for (size_t i = 0; i < list->count; i++)
        if (!cuda_there || list->devices[i]->vendor_id != GPU_VENDOR_NVIDIA ||
            is_of_cuda(list->devices[i]))
            list->devices[kept++] = list->devices[i];
    list->count = kept;
}

// ---------------------------------------------------------------- why no device was found

static bool has_device_of(const struct gpu_system *system, const char *api)
{
    for (size_t i = 0; i < gpu_system_device_count(system); i++)
        if (strcmp(gpu_system_info(system, i)->api, api) == 0)
            return true;
    return false;
}

// Returns the API that `name` names ("cuda" or "cuda:0") and why it is unavailable; NULL if it is
// available.
static const struct gpu_unavailable *unavailable_of(const struct gpu_system *system,
                                                    const char *name)
{
    for (size_t i = 0; i < gpu_system_unavailable_count(system); i++) {
        const struct gpu_unavailable *unavailable = gpu_system_unavailable(system, i);
        size_t length = strlen(unavailable->api);
        if (strncmp(name, unavailable->api, length) == 0 &&
            (name[length] == '\0' || name[length] == ':') &&
            !has_device_of(system, unavailable->api))
            return unavailable;
    }
    return NULL;
}

// Returns API, reason and remedy: "cuda: libcuda.so.1 cannot be opened: install the driver".
static const char *unavailable_text(const struct selection *s,
                                    const struct gpu_unavailable *unavailable)
{
    const char *text = arena_printf(s->arena, "%s: %s", unavailable->api, unavailable->reason);
    return text_join(s->arena, text, ": ", unavailable->remedy ? unavailable->remedy : "");
}

static bool refuse_name(const struct selection *s, const char *name)
{
    const struct gpu_unavailable *unavailable = unavailable_of(s->request->system, name);
    if (unavailable)
        return error_set(s->err, ERROR_NO_DEVICE, "-d %s: no such device; %s", name,
                         unavailable_text(s, unavailable));
    struct text_guess guess = {.typed = name};
    const char *there = "";
    for (size_t i = 0; i < gpu_system_device_count(s->request->system); i++) {
        const struct gpu_info *info = candidate(s, i);
        if (!info)
            continue;
        text_guess_offer(&guess, info->id);
        text_guess_offer(&guess, info->api);
        text_guess_offer(&guess, info->name);
        there = text_join(s->arena, there, ", ",
                          arena_printf(s->arena, "%s (%s)", info->id, info->name));
    }
    for (size_t i = 0; i < gpu_system_unavailable_count(s->request->system); i++)
        text_guess_offer(&guess, gpu_system_unavailable(s->request->system, i)->api);
    return error_set(s->err, ERROR_USAGE, "-d %s: no such device%s (there are: %s)", name,
                     text_guess_hint(s->arena, &guess), there);
}

static bool refuse_all(const struct selection *s)
{
    const struct gpu_system *system = s->request->system;
    const char *reasons = "";
    for (size_t i = 0; i < gpu_system_unavailable_count(system); i++) {
        const struct gpu_unavailable *unavailable = gpu_system_unavailable(system, i);
        if (is_wanted_api(s->request, unavailable->api))
            reasons = arena_printf(s->arena, "%s; %s", reasons, unavailable_text(s, unavailable));
    }
    return error_set(s->err, ERROR_NO_DEVICE, "no usable device%s%s", reasons,
                     *reasons ? "" : ": this fathom has no backend that finds one");
}

static bool add_named(const struct selection *s, const char *name)
{
    if (strcmp(name, "all") == 0) {
        add_all(s);
        return true;
    }
    const struct gpu_info *info = best(s, name);
    if (!info)
        return refuse_name(s, name);
    add_chip(s, info);
    return true;
}

bool select_devices(struct arena *arena, const struct select_request *request,
                    struct device_list *list, struct error *err)
{
    *list = (struct device_list){0};
    struct selection selection = {arena, request, list, err};
    const struct gpu_info *first = best(&selection, NULL);
    if (!first)
        return refuse_all(&selection);
    if (request->name_count == 0)
        add_chip(&selection, first);
    for (size_t i = 0; i < request->name_count; i++)
        if (!add_named(&selection, request->names[i]))
            return false;
    return true;
}
