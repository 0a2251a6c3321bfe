// SPDX-License-Identifier: MIT
// The backends `fake` (two GPUs), `mirror` (the first of them through another API) and `absent`
// (its library is missing). Device memory is host memory; batches run when they are submitted.
#include "fakes/fake.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SPANS = 64,
    COMMANDS_MAX = 256,
    MEMORY_BYTES = 64 << 20
};

struct fake_device {
    struct gpu_device device;
    struct gpu_queue queue;
    struct fake *fake;
};

struct command {
    enum {
        DISPATCH,
        SPAN_BEGIN,
        SPAN_END,
        OTHER
    } kind;
    unsigned span;
    struct gpu_dispatch dispatch;
    uint32_t params[GPU_PARAMS_MAX_BYTES / 4];
};

struct fake_batch {
    struct gpu_batch batch;
    struct command *commands;
    size_t count;
    double span_ns[SPANS];
};

static struct fake *fake_of(const struct gpu_scope *scope)
{
    return ((struct fake_device *)scope->device)->fake;
}

static struct fake *fake_of_batch(const struct gpu_batch *batch)
{
    return fake_of(batch->object.scope);
}

// ---------------------------------------------------------------- devices

static struct gpu_info info_of(const struct fake *fake, unsigned chip)
{
    struct gpu_info info = {
        .kind = chip == 0 ? GPU_KIND_DISCRETE : GPU_KIND_INTEGRATED,
        .vendor = "Fakes",
        .vendor_id = 0xfa4e,
        .device_id = chip,
        .driver = "fake driver 1.0",
        .api_version = "1.0",
        .has_uuid = true,
        .uuid = {0xfa, 0x4e, (uint8_t)chip},
        .caps = GPU_CAP(STAMPS_INSIDE) | (chip == 0 ? GPU_CAP(INT64) : 0),
        .families = {{.kind = GPU_QUEUE_UNIVERSAL, .count = 1, .stamp_bits = 64}},
        .family_count = 1,
    };
    if (fake_is_cpu(fake))
        info.kind = GPU_KIND_CPU;
    snprintf(info.name, sizeof info.name, chip == 0 ? "Fake Sounder 9000" : "Fake Ripple 100");
    info.limits.memory_bytes = info.limits.allocation_bytes = MEMORY_BYTES;
    info.limits.storage_range_bytes = MEMORY_BYTES;
    info.limits.params_bytes = GPU_PARAMS_MAX_BYTES;
    info.limits.cores = 8;
    info.limits.stamp_bits = 64;
    info.limits.stamp_step_ps = 1000;
    return info;
}

static void *load_chips(struct gpu_enumeration *to, unsigned chips)
{
    struct fake *fake = fake_create(getenv("FATHOM_FAKE"));
    bool turned = chips == 2 && fake_is_turned(fake);
    for (unsigned i = 0; i < chips && i < fake_devices(fake); i++) {
        struct gpu_info info = info_of(fake, turned ? chips - 1 - i : i);
        if (chips == 2 && info.device_id == 0)
            info.memory_free_bytes = fake_free_bytes(fake);
        to->add_device(to, &info);
    }
    if (fake_devices(fake))
        return fake;
    to->add_unavailable(to, "no fake device is plugged in", "set devices=2");
    fake_destroy(fake);
    return NULL;
}

static void *load_fake(struct gpu_enumeration *to)
{
    struct fake *fake = load_chips(to, 2);
    if (fake && fake_is_doomed(fake))
        raise(SIGKILL); // no handler and no sanitizer can catch it
    return fake;
}

static bool mirror_after_others(void)
{
    const char *tunables = getenv("GLIBC_TUNABLES");
    return fake_is_shy() && !(tunables && strstr(tunables, GPU_TUNABLE_STATIC_TLS));
}

static void *load_mirror(struct gpu_enumeration *to)
{
    return load_chips(to, 1);
}

static void *load_absent(struct gpu_enumeration *to)
{
    to->add_unavailable(to, "libabsent.so.1: cannot open shared object file", "install libabsent1");
    return NULL;
}

static void unload(void *state)
{
    fake_destroy(state);
}

static struct gpu_device *device_open(void *state, const struct gpu_info *info,
                                      const struct gpu_device_desc *desc, struct arena *arena,
                                      struct error *err)
{
    (void)info;
    if (!fake_call(state, "device_open", err))
        return NULL;
    struct fake_device *device = ARENA_NEW(arena, struct fake_device);
    device->fake = state;
    device->queue = (struct gpu_queue){.device = &device->device, .request = desc->queues[0]};
    device->device.queues[0] = &device->queue;
    device->device.queue_count = 1;
    return &device->device;
}

static void device_close(struct gpu_device *device)
{
    (void)device; // lives in the arena
}

static size_t validation_messages(const struct gpu_device *device, const char **first)
{
    size_t count = fake_complaints(((const struct fake_device *)device)->fake);
    if (first && count)
        *first = "VUID-fake: a rule was broken";
    return count;
}

// ---------------------------------------------------------------- memory and programs

static struct gpu_buffer *buffer_create(struct gpu_scope *scope, const struct gpu_buffer_desc *desc,
                                        struct error *err)
{
    if (!fake_call(fake_of(scope), "buffer_create", err))
        return NULL;
    if (desc->bytes > MEMORY_BYTES) {
        error_set(err, ERROR_OUT_OF_MEMORY, "fake buffer of %llu bytes",
                  (unsigned long long)desc->bytes);
        return NULL;
    }
    struct gpu_buffer *buffer = ARENA_NEW(scope->arena, struct gpu_buffer);
    buffer->mapped = memset(arena_malloc(desc->bytes), 0, desc->bytes);
    return buffer;
}

static bool buffer_write(struct gpu_buffer *buffer, uint64_t offset, const void *data,
                         uint64_t bytes, struct error *err)
{
    if (!fake_call(fake_of(buffer->object.scope), "buffer_write", err))
        return false;
    memcpy((char *)buffer->mapped + offset, data, bytes);
    return true;
}

static bool buffer_read(struct gpu_buffer *buffer, uint64_t offset, void *data, uint64_t bytes,
                        struct error *err)
{
    if (!fake_call(fake_of(buffer->object.scope), "buffer_read", err))
        return false;
    memcpy(data, (const char *)buffer->mapped + offset, bytes);
    return true;
}

static struct gpu_program *program_create(struct gpu_scope *scope,
                                          const struct gpu_program_desc *desc, struct error *err)
{
    (void)desc;
    fake_compile_slowly(fake_of(scope));
    return fake_call(fake_of(scope), "program_create", err)
               ? ARENA_NEW(scope->arena, struct gpu_program)
               : NULL;
}

// ---------------------------------------------------------------- batches

static struct gpu_batch *batch_create(struct gpu_scope *scope, const struct gpu_batch_desc *desc,
                                      struct error *err)
{
    (void)desc;
    if (!fake_call(fake_of(scope), "batch_create", err))
        return NULL;
    struct fake_batch *batch = ARENA_NEW(scope->arena, struct fake_batch);
    batch->commands = memset(arena_malloc(COMMANDS_MAX * sizeof *batch->commands), 0,
                             COMMANDS_MAX * sizeof *batch->commands);
    return &batch->batch;
}

static struct command *record(struct gpu_batch *neutral, const char *name, struct error *err)
{
    struct fake_batch *batch = (struct fake_batch *)neutral;
    if (!fake_call(fake_of_batch(neutral), name, err))
        return NULL;
    if (batch->count == COMMANDS_MAX) {
        error_set(err, ERROR_UNSUPPORTED, "more than %d commands in a fake batch", COMMANDS_MAX);
        return NULL;
    }
    return &batch->commands[batch->count++];
}

static bool batch_dispatch(struct gpu_batch *batch, const struct gpu_dispatch *dispatch,
                           struct error *err)
{
    struct command *command = record(batch, "batch_dispatch", err);
    if (!command)
        return false;
    command->kind = DISPATCH;
    command->dispatch = *dispatch;
    memcpy(command->params, dispatch->params, dispatch->params_bytes);
    return true;
}

static bool batch_copy(struct gpu_batch *batch, struct gpu_buffer *to, uint64_t to_offset,
                       struct gpu_buffer *from, uint64_t from_offset, uint64_t bytes,
                       struct error *err)
{
    (void)to, (void)to_offset, (void)from, (void)from_offset, (void)bytes;
    struct command *command = record(batch, "batch_copy", err);
    if (command)
        command->kind = OTHER;
    return command != NULL;
}

static bool batch_fill(struct gpu_batch *batch, struct gpu_buffer *buffer, uint64_t offset,
                       uint64_t bytes, uint32_t word, struct error *err)
{
    (void)word;
    return batch_copy(batch, buffer, offset, buffer, offset, bytes, err);
}

static bool batch_barrier(struct gpu_batch *batch, enum gpu_barrier barrier, struct error *err)
{
    (void)barrier;
    return batch_copy(batch, NULL, 0, NULL, 0, 0, err);
}

static bool batch_span(struct gpu_batch *batch, unsigned span, bool end, struct error *err)
{
    struct command *command = record(batch, "batch_span", err);
    if (!command)
        return false;
    command->kind = end ? SPAN_END : SPAN_BEGIN;
    command->span = span;
    return true;
}

static bool batch_end(struct gpu_batch *batch, struct error *err)
{
    return fake_call(fake_of_batch(batch), "batch_end", err);
}

static bool batch_reset(struct gpu_batch *batch, struct error *err)
{
    ((struct fake_batch *)batch)->count = 0;
    return fake_call(fake_of_batch(batch), "batch_reset", err);
}

static double execute(struct fake *fake, struct command *command)
{
    double ns = 0;
    if (!fake_execute(&command->dispatch, command->params, &ns))
        return 0;
    uint32_t *out = command->dispatch.args[1].buffer->mapped;
    if (fake_computes_wrongly(fake))
        out[0] ^= 1;
    return fake_uneven(fake, ns + 100); // a launch takes 100 ns
}

static bool batch_submit(struct gpu_batch *neutral, struct gpu_hold *hold, struct error *err)
{
    (void)hold;
    struct fake_batch *batch = (struct fake_batch *)neutral;
    struct fake *fake = fake_of_batch(neutral);
    if (!fake_call(fake, "batch_submit", err))
        return false;
    double now_ns = 0, begun_ns[SPANS] = {0};
    for (size_t i = 0; i < batch->count; i++) {
        struct command *command = &batch->commands[i];
        if (command->kind == DISPATCH)
            now_ns += execute(fake, command);
        else if (command->kind == SPAN_BEGIN)
            begun_ns[command->span] = now_ns;
        else if (command->kind == SPAN_END)
            batch->span_ns[command->span] = now_ns - begun_ns[command->span];
    }
    fake_submit_slowly(fake);
    return true;
}

static bool batch_wait(struct gpu_batch *batch, uint64_t timeout_ns, struct error *err)
{
    (void)timeout_ns;
    return fake_call(fake_of_batch(batch), "batch_wait", err);
}

static bool batch_span_ns(struct gpu_batch *batch, unsigned span, double *ns, struct error *err)
{
    *ns = ((struct fake_batch *)batch)->span_ns[span];
    return fake_call(fake_of_batch(batch), "batch_span_ns", err);
}

static void object_destroy(struct gpu_object *object)
{
    if (object->kind == GPU_OBJECT_BUFFER)
        free(((struct gpu_buffer *)object)->mapped);
    else if (object->kind == GPU_OBJECT_BATCH)
        free(((struct fake_batch *)object)->commands);
}

// ---------------------------------------------------------------- the list

#define SLOTS                                                                                      \
    .unload = unload, .device_open = device_open, .device_close = device_close,                    \
    .validation_messages = validation_messages, .buffer_create = buffer_create,                    \
    .buffer_write = buffer_write, .buffer_read = buffer_read, .program_create = program_create,    \
    .batch_create = batch_create, .batch_dispatch = batch_dispatch, .batch_copy = batch_copy,      \
    .batch_fill = batch_fill, .batch_barrier = batch_barrier, .batch_span = batch_span,            \
    .batch_end = batch_end, .batch_reset = batch_reset, .batch_submit = batch_submit,              \
    .batch_wait = batch_wait, .batch_span_ns = batch_span_ns, .object_destroy = object_destroy

static const struct gpu_backend fake_backend = {.name = "fake", .load = load_fake, SLOTS};
static const struct gpu_backend mirror_backend = {
    .name = "mirror", .load = load_mirror, .after_others = mirror_after_others, SLOTS};
static const struct gpu_backend absent_backend = {.name = "absent", .load = load_absent, SLOTS};

const struct gpu_backend *const gpu_backends[] = {&fake_backend, &mirror_backend, &absent_backend,
                                                  NULL};
