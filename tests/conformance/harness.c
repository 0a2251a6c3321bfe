// SPDX-License-Identifier: MIT
#include "conformance.h"

#include "gpu/kernels.h"

#include <string.h>
#include <time.h>

int conformance_open_scope(void **state)
{
    struct conformance *t = *state;
    t->arena = arena_create();
    t->scope = gpu_scope_open(t->device);
    return t->scope ? 0 : -1;
}

int conformance_close_scope(void **state)
{
    struct conformance *t = *state;
    const char *first = NULL;
    gpu_scope_close(t->scope);
    arena_destroy(t->arena);
    assert_int_equal(gpu_device_live_objects(t->device), 0);
    if (gpu_device_validation_messages(t->device, &first))
        fail_msg("%zu validation messages so far, the first: %s",
                 gpu_device_validation_messages(t->device, NULL), first);
    return 0;
}

void need(const struct conformance *t, gpu_caps caps)
{
    struct error err;
    if (!gpu_require(t->info, caps, &err)) {
        print_message("%s\n", err.message);
        skip();
    }
}

void assert_done(bool ok, const struct error *err)
{
    if (!ok)
        fail_msg("%s: %s", error_code_name(err->code), err->message);
}

void assert_refused(bool ok, const struct error *err, enum error_code code, const char *text)
{
    if (ok)
        fail_msg("not refused; expected %s: … %s …", error_code_name(code), text);
    if (err->code != code || !strstr(err->message, text))
        fail_msg("expected %s: … %s …, got %s: %s", error_code_name(code), text,
                 error_code_name(err->code), err->message);
}

struct gpu_buffer *make_buffer(struct conformance *t, uint64_t bytes, enum gpu_memory memory)
{
    struct error err = {0};
    struct gpu_buffer *buffer = gpu_buffer_create(
        t->scope, &(struct gpu_buffer_desc){.bytes = bytes, .memory = memory}, &err);
    assert_done(buffer, &err);
    return buffer;
}

struct gpu_buffer *make_words(struct conformance *t, const uint32_t *words, size_t count)
{
    struct error err = {0};
    struct gpu_buffer *buffer = make_buffer(t, count * 4, GPU_MEMORY_DEVICE);
    assert_done(gpu_buffer_write(buffer, 0, words, count * 4, &err), &err);
    return buffer;
}

struct gpu_buffer *make_filled(struct conformance *t, size_t count, uint32_t word)
{
    uint32_t *words = ARENA_ARRAY(t->arena, count, uint32_t);
    for (size_t i = 0; i < count; i++)
        words[i] = word;
    return make_words(t, words, count);
}

static bool has_form(const struct gpu_kernel *kernel, const char *api)
{
    if (strcmp(api, "vulkan") == 0)
        return kernel->spirv;
    return strcmp(api, "cuda") == 0 ? kernel->ptx : kernel->opencl;
}

struct gpu_program *make_program(struct conformance *t, const char *name)
{
    struct error err = {0};
    const struct gpu_kernel *kernel = kernel_find(name);
    assert_non_null(kernel);
    if (!has_form(kernel, t->info->api)) {
        print_message("%s has no form for %s\n", name, t->info->api);
        skip();
    }
    struct gpu_program *program =
        gpu_program_create(t->scope, &(struct gpu_program_desc){.kernel = kernel}, &err);
    assert_done(program, &err);
    return program;
}

struct gpu_batch *make_batch(struct conformance *t, const struct gpu_batch_desc *desc)
{
    struct error err = {0};
    struct gpu_batch *batch = gpu_batch_create(t->scope, desc, &err);
    assert_done(batch, &err);
    return batch;
}

struct gpu_hold *make_hold(struct conformance *t)
{
    struct error err = {0};
    need(t, GPU_CAP(HOLDS));
    struct gpu_hold *hold = gpu_hold_create(t->scope, &err);
    assert_done(hold, &err);
    return hold;
}

void release_hold(struct gpu_hold *hold)
{
    struct error err = {0};
    assert_done(gpu_hold_release(hold, &err), &err);
}

void end_batch(struct gpu_batch *batch)
{
    struct error err = {0};
    assert_done(gpu_batch_end(batch, &err), &err);
}

void run_batch(struct gpu_batch *batch)
{
    struct error err = {0};
    assert_done(gpu_batch_run(batch, WAIT_NS, &err), &err);
}

void end_and_run(struct gpu_batch *batch)
{
    end_batch(batch);
    run_batch(batch);
}

void run_dispatch(struct conformance *t, const struct gpu_dispatch *dispatch)
{
    struct gpu_batch *batch = make_batch(t, NULL);
    gpu_batch_dispatch(batch, dispatch);
    end_and_run(batch);
}

void assert_end_refused(struct gpu_batch *batch, enum error_code code, const char *text)
{
    struct error err = {0};
    assert_refused(gpu_batch_end(batch, &err), &err, code, text);
}

uint32_t *read_words(struct conformance *t, struct gpu_buffer *buffer, uint64_t offset,
                     size_t count)
{
    struct error err = {0};
    uint32_t *words = ARENA_ARRAY(t->arena, count, uint32_t);
    assert_done(gpu_buffer_read(buffer, offset, words, count * 4, &err), &err);
    return words;
}

uint32_t read_word(struct gpu_buffer *buffer, uint64_t offset)
{
    struct error err = {0};
    uint32_t word = 0;
    assert_done(gpu_buffer_read(buffer, offset, &word, sizeof word, &err), &err);
    return word;
}

uint32_t groups_of_64(size_t count)
{
    return (uint32_t)((count + 63) / 64);
}

uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void sleep_ms(unsigned ms)
{
    struct timespec length = {.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000};
    nanosleep(&length, NULL);
}
