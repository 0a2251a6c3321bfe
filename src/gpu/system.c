// SPDX-License-Identifier: MIT
#include "gpu/front.h"

#include <stdio.h>
#include <string.h>

struct loaded {
    const struct gpu_backend *backend;
    void *state;
};

struct gpu_system {
    struct arena *arena;
    struct loaded *loaded; // loaded backends, in the order of gpu_backends
    size_t loaded_count, loaded_capacity;
    const struct gpu_info **infos;
    size_t info_count, info_capacity;
    struct gpu_unavailable *unavailable;
    size_t unavailable_count, unavailable_capacity;
};

struct enumeration {
    struct gpu_enumeration neutral; // first member, because backends get a pointer to it
    struct gpu_system *system;
    const char *api;
    unsigned next_index;
    bool unlisted; // loaded only because another backend needs it (after_others): its devices are
                   // not listed
};

static void add_device(struct gpu_enumeration *to, const struct gpu_info *info)
{
    struct enumeration *enumeration = (struct enumeration *)to;
    struct gpu_system *system = enumeration->system;
    if (enumeration->unlisted)
        return;
    struct gpu_info *copy = ARENA_NEW(system->arena, struct gpu_info);
    *copy = *info;
    copy->api = enumeration->api;
    copy->index = enumeration->next_index++;
    snprintf(copy->id, sizeof copy->id, "%s:%u", copy->api, copy->index);
    system->infos = arena_grow(system->arena, system->infos, system->info_count,
                               &system->info_capacity, sizeof *system->infos);
    system->infos[system->info_count++] = copy;
}

static void append_unavailable(struct gpu_system *system, struct gpu_unavailable unavailable)
{
    system->unavailable = arena_grow(system->arena, system->unavailable, system->unavailable_count,
                                     &system->unavailable_capacity, sizeof *system->unavailable);
    system->unavailable[system->unavailable_count++] = (struct gpu_unavailable){
        .api = arena_strdup(system->arena, unavailable.api),
        .reason = arena_strdup(system->arena, unavailable.reason),
        .remedy = unavailable.remedy ? arena_strdup(system->arena, unavailable.remedy) : NULL,
    };
}

static void add_unavailable(struct gpu_enumeration *to, const char *reason, const char *remedy)
{
    struct enumeration *enumeration = (struct enumeration *)to;
    if (enumeration->unlisted)
        return;
    append_unavailable(
        enumeration->system,
        (struct gpu_unavailable){.api = enumeration->api, .reason = reason, .remedy = remedy});
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

static const struct gpu_backend *find_backend(const char *name)
{
    for (const struct gpu_backend *const *backend = gpu_backends; *backend; backend++)
        if (strcmp(name, (*backend)->name) == 0)
            return *backend;
    return NULL;
}

struct gpu_system *gpu_system_create(const struct gpu_system_desc *desc)
{
    static const struct gpu_system_desc defaults = {0};
    if (!desc)
        desc = &defaults;
    struct arena *arena = arena_create();
    struct gpu_system *system = ARENA_NEW(arena, struct gpu_system);
    system->arena = arena;
    const struct gpu_backend *only = desc->only_api ? find_backend(desc->only_api) : NULL;
    bool with_others = only && only->after_others && only->after_others();
    bool wanted = !desc->only_api || with_others;
    for (const struct gpu_backend *const *backend = gpu_backends; *backend; backend++) {
        if (wanted || *backend == only)
            load_backend(system, *backend, desc, only && *backend != only);
        wanted = wanted && *backend != only;
    }
    if (!only && desc->only_api)
        append_unavailable(system,
                           (struct gpu_unavailable){.api = desc->only_api,
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

const struct gpu_info *gpu_system_find(const struct gpu_system *system, const char *id)
{
    for (size_t i = 0; i < system->info_count; i++)
        if (strcmp(system->infos[i]->id, id) == 0)
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
