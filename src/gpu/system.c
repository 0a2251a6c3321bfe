// SPDX-License-Identifier: MIT
#include "gpu/front.h"

#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    REASON_BYTES = 1024,
    DEVICES_MAX = 4096 // maximum number of devices that a driver may list
};

struct loaded {
    const struct gpu_backend *backend;
    void *state;
};

struct gpu_system {
    struct arena *arena;
    struct loaded *loaded; // array of the loaded backends, in the same order as gpu_backends
    size_t loaded_count, loaded_capacity;
    const struct gpu_info **infos;
    size_t info_count, info_capacity;
    struct gpu_unavailable *unavailable;
    size_t unavailable_count, unavailable_capacity;
};

struct enumeration {
    // first member, so that a pointer to it can be cast to this struct
    struct gpu_enumeration neutral;
    struct gpu_system *system;
    const char *api;
    unsigned next_index;
    // true if the backend is loaded only because another backend needs it
    bool unlisted;
};

// ---------------------------------------------------------------- ids

// Returns true if `id` is the id in `identity`, which is "ID=…" or only an id.
static bool is_id_of(const char *identity, const char *id)
{
    size_t length = strlen(id);
    return strncmp(identity, id, length) == 0 &&
           (identity[length] == '=' || identity[length] == '\0');
}

static bool is_id_free(const struct enumeration *enumeration, const char *id)
{
    const struct gpu_system_desc *desc = enumeration->neutral.desc;
    bool is_free = !gpu_system_find(enumeration->system, id);
    for (size_t i = 0; is_free && i < desc->known_count; i++)
        is_free = !(strchr(desc->known[i], '=') && is_id_of(desc->known[i], id));
    return is_free;
}

static bool are_twins(const struct gpu_info *a, const struct gpu_info *b)
{
    if (strcmp(a->api, b->api) != 0 || a->has_uuid != b->has_uuid)
        return false;
    if (a->has_uuid)
        return memcmp(a->uuid, b->uuid, sizeof a->uuid) == 0;
    return a->has_pci && b->has_pci && memcmp(&a->pci, &b->pci, sizeof a->pci) == 0;
}

static unsigned count_twins(const struct gpu_system *system, const struct gpu_info *info)
{
    unsigned twins = 0;
    for (size_t i = 0; i < system->info_count; i++)
        twins += are_twins(system->infos[i], info);
    return twins;
}

// Returns true if `known` is "API:…" with the API of the device, and ends in `own`, which is the
// device's identity from the "=" on.
static bool is_known_as(const struct gpu_info *info, const char *own, const char *known)
{
    size_t api = strlen(info->api);
    return strncmp(known, info->api, api) == 0 && known[api] == ':' &&
           strcmp(known + strcspn(known, "="), own) == 0;
}

// Sets info->id to the id of the known device with the same identity; if there is none, to the
// first free id of the API.
static void choose_id(struct enumeration *enumeration, struct gpu_info *info)
{
    const struct gpu_system_desc *desc = enumeration->neutral.desc;
    info->twin = count_twins(enumeration->system, info);
    const char *own = gpu_info_identity(enumeration->system->arena, info);
    own += strcspn(own, "=");
    for (size_t i = 0; *own && i < desc->known_count; i++) {
        const char *known = desc->known[i];
        if (!is_known_as(info, own, known))
            continue;
        snprintf(info->id, sizeof info->id, "%.*s", (int)strcspn(known, "="), known);
        return;
    }
    unsigned number = 0;
    do
        snprintf(info->id, sizeof info->id, "%s:%u", info->api, number++);
    while (!is_id_free(enumeration, info->id));
}

// ---------------------------------------------------------------- listing

void gpu_system_add_device(struct gpu_system *system, const struct gpu_info *info)
{
    struct gpu_info *copy = ARENA_NEW(system->arena, struct gpu_info);
    *copy = *info;
    copy->api = arena_strdup(system->arena, info->api);
    copy->twin = count_twins(system, info);
    system->infos = arena_grow(system->arena, system->infos, system->info_count,
                               &system->info_capacity, sizeof *system->infos);
    system->infos[system->info_count++] = copy;
}

void gpu_system_add_unavailable(struct gpu_system *system,
                                const struct gpu_unavailable *unavailable)
{
    const char *remedy = unavailable->remedy;
    system->unavailable = arena_grow(system->arena, system->unavailable, system->unavailable_count,
                                     &system->unavailable_capacity, sizeof *system->unavailable);
    system->unavailable[system->unavailable_count++] = (struct gpu_unavailable){
        .api = arena_strdup(system->arena, unavailable->api),
        .reason = text_printable(system->arena, unavailable->reason, REASON_BYTES),
        .remedy = remedy ? arena_strdup(system->arena, remedy) : NULL,
    };
}

static void add_unavailable(struct gpu_enumeration *to, const char *reason, const char *remedy)
{
    struct enumeration *enumeration = (struct enumeration *)to;
    if (!enumeration->unlisted)
        gpu_system_add_unavailable(
            enumeration->system,
            &(struct gpu_unavailable){.api = enumeration->api, .reason = reason, .remedy = remedy});
}

bool gpu_count_check(struct gpu_enumeration *to, uint64_t devices)
{
    if (devices <= DEVICES_MAX)
        return true;
    to->add_unavailable(to, arena_printf(to->arena, "driver reports %" PRIu64 " devices", devices),
                        NULL);
    return false;
}

static void make_printable(struct arena *arena, char *text, size_t bytes)
{
    text[bytes - 1] = '\0';
    snprintf(text, bytes, "%s", text_printable(arena, text, bytes));
}

static void add_device(struct gpu_enumeration *to, const struct gpu_info *found)
{
    static const uint8_t no_uuid[GPU_UUID_BYTES];
    struct enumeration *enumeration = (struct enumeration *)to;
    struct gpu_info info = *found;
    struct error err;
    info.api = enumeration->api;
    info.index = enumeration->next_index++;
    // A UUID of zeros does not count, because several devices may have it.
    info.has_uuid = info.has_uuid && memcmp(info.uuid, no_uuid, sizeof no_uuid) != 0;
    make_printable(to->arena, info.name, sizeof info.name);
    if (!info.name[strspn(info.name, " ")])
        snprintf(info.name, sizeof info.name, "device without a name");
    make_printable(to->arena, info.vendor, sizeof info.vendor);
    make_printable(to->arena, info.driver, sizeof info.driver);
    make_printable(to->arena, info.api_version, sizeof info.api_version);
    if (enumeration->unlisted)
        return;
    if (!gpu_info_check(&info, &err)) {
        add_unavailable(to, arena_printf(to->arena, "%s: %s", info.name, err.message), NULL);
        return;
    }
    choose_id(enumeration, &info);
    gpu_system_add_device(enumeration->system, &info);
}

static void load_backend(struct gpu_system *system, const struct gpu_backend *backend,
                         const struct gpu_system_desc *desc, bool unlisted)
{
    struct enumeration enumeration = {
        .neutral = {.arena = system->arena,
                    .desc = desc,
                    .add_device = add_device,
                    .add_unavailable = add_unavailable},
        .system = system,
        .api = backend->name,
        .unlisted = unlisted,
    };
    void *state = backend->load(&enumeration.neutral);
    if (!state)
        return;
    system->loaded = arena_grow(system->arena, system->loaded, system->loaded_count,
                                &system->loaded_capacity, sizeof *system->loaded);
    system->loaded[system->loaded_count++] = (struct loaded){.backend = backend, .state = state};
}

// Returns the backend with this name. The name may also be that of a device: "cuda:0".
static const struct gpu_backend *find_backend(const char *name)
{
    size_t length = strcspn(name, ":");
    for (const struct gpu_backend *const *backend = gpu_backends; *backend; backend++)
        if (strlen((*backend)->name) == length && memcmp(name, (*backend)->name, length) == 0)
            return *backend;
    return NULL;
}

struct gpu_system *gpu_system_create_empty(void)
{
    struct arena *arena = arena_create();
    struct gpu_system *system = ARENA_NEW(arena, struct gpu_system);
    system->arena = arena;
    return system;
}

struct gpu_system *gpu_system_create(const struct gpu_system_desc *desc)
{
    static const struct gpu_system_desc defaults = {0};
    if (!desc)
        desc = &defaults;
    struct gpu_system *system = gpu_system_create_empty();
    const struct gpu_backend *only = desc->only_api ? find_backend(desc->only_api) : NULL;
    bool with_others = only && only->after_others && only->after_others();
    bool wanted = !desc->only_api || with_others;
    for (const struct gpu_backend *const *backend = gpu_backends; *backend; backend++) {
        if (wanted || *backend == only)
            load_backend(system, *backend, desc, only && *backend != only);
        wanted = wanted && *backend != only;
    }
    if (!only && desc->only_api)
        gpu_system_add_unavailable(
            system, &(struct gpu_unavailable){.api = desc->only_api,
                                              .reason = "this build has no such API"});
    return system;
}

void gpu_system_destroy(struct gpu_system *system)
{
    if (!system)
        return;
    while (system->loaded_count) {
        struct loaded *last = &system->loaded[--system->loaded_count];
        last->backend->unload(last->state);
    }
    arena_destroy(system->arena);
}

size_t gpu_system_device_count(const struct gpu_system *system)
{
    return system->info_count;
}

const struct gpu_info *gpu_system_info(const struct gpu_system *system, size_t device)
{
    return device < system->info_count ? system->infos[device] : NULL;
}

size_t gpu_system_unavailable_count(const struct gpu_system *system)
{
    return system->unavailable_count;
}

const struct gpu_unavailable *gpu_system_unavailable(const struct gpu_system *system, size_t index)
{
    return index < system->unavailable_count ? &system->unavailable[index] : NULL;
}

const struct gpu_info *gpu_system_find(const struct gpu_system *system, const char *name)
{
    for (size_t i = 0; i < system->info_count; i++)
        if (is_id_of(name, system->infos[i]->id))
            return system->infos[i];
    return NULL;
}

const struct gpu_backend *gpu_system_backend(const struct gpu_system *system,
                                             const struct gpu_info *info, void **state)
{
    for (size_t i = 0; i < system->loaded_count; i++) {
        if (strcmp(system->loaded[i].backend->name, info->api) != 0)
            continue;
        *state = system->loaded[i].state;
        return system->loaded[i].backend;
    }
    return NULL;
}
