// SPDX-License-Identifier: MIT
#include "doubles/world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    STREAMS_MAX = 64
};

// A library needs globals: fathom calls its functions by name, without an object of the library.
static struct {
    int calls, fail_call, fail_result;
    char failed[64];
    bool broken;
    int objects, launches;
    double now_ms;
    struct cu_stream *streams[STREAMS_MAX];
} world;

int fake_setting(const char *name, int otherwise)
{
    const char *text = getenv(name);
    return text && *text ? (int)strtol(text, NULL, 10) : otherwise;
}

static void set_number(const char *name, int value)
{
    char text[16];
    snprintf(text, sizeof text, "%d", value);
    setenv(name, text, 1);
}

__attribute__((constructor)) static void loaded(void)
{
    world.fail_call = fake_setting("FAKE_CUDA_FAIL_CALL", 0);
    world.fail_result = fake_setting("FAKE_CUDA_FAIL_RESULT", CU_OUT_OF_MEMORY);
}

__attribute__((destructor)) static void unloaded(void)
{
    set_number("FAKE_CUDA_CALLS", world.calls);
    set_number("FAKE_CUDA_LEAKS", world.objects);
    setenv("FAKE_CUDA_FAILED", world.failed, 1);
}

int fake_enter(const char *function)
{
    world.calls++;
    if (world.calls == world.fail_call) {
        snprintf(world.failed, sizeof world.failed, "%s", function);
        world.broken = world.fail_result >= CU_ILLEGAL_ADDRESS;
        return world.fail_result;
    }
    return world.broken ? world.fail_result : CU_SUCCESS;
}

void fake_count(int objects)
{
    world.objects += objects;
}

int fake_launches(void)
{
    return world.launches;
}

void *fake_make(size_t bytes)
{
    void *memory = calloc(1, bytes);
    if (!memory)
        abort();
    fake_count(1);
    return memory;
}

// ---------------------------------------------------------------- commands

struct fake_op *fake_op_create(enum fake_op_kind kind)
{
    struct fake_op *op = calloc(1, sizeof *op);
    if (!op)
        abort();
    op->kind = kind;
    return op;
}

static void op_destroy(struct fake_op *op)
{
    for (int i = 0; i < op->function.param_count; i++)
        free(op->params[i]);
    free(op);
}

static struct fake_op *op_copy(const struct fake_op *op)
{
    struct fake_op *copy = fake_op_create(op->kind);
    *copy = *op;
    copy->next = NULL;
    for (int i = 0; i < op->function.param_count; i++) {
        copy->params[i] = malloc(op->function.param_bytes[i]);
        if (!copy->params[i])
            abort();
        memcpy(copy->params[i], op->params[i], op->function.param_bytes[i]);
    }
    return copy;
}

void fake_list_init(struct fake_list *list)
{
    list->first = NULL;
    list->end = &list->first;
}

static void list_add(struct fake_list *list, struct fake_op *op)
{
    op->next = NULL;
    *list->end = op;
    list->end = &op->next;
}

static struct fake_op *list_take(struct fake_list *list)
{
    struct fake_op *op = list->first;
    list->first = op->next;
    if (!list->first)
        list->end = &list->first;
    return op;
}

void fake_list_copy(struct fake_list *to, const struct fake_list *from)
{
    fake_list_init(to);
    for (const struct fake_op *op = from->first; op; op = op->next)
        list_add(to, op_copy(op));
}

void fake_list_fini(struct fake_list *list)
{
    while (list->first)
        op_destroy(list_take(list));
}

// ---------------------------------------------------------------- running

static double host_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

static void run(const struct fake_op *op)
{
    double start_ms = host_ms();
    switch (op->kind) {
    case FAKE_OP_LAUNCH:
        fake_launch(op);
        world.launches++;
        break;
    case FAKE_OP_COPY:
        memcpy(op->to, op->from, op->bytes);
        break;
    case FAKE_OP_FILL:
        for (size_t i = 0; i < op->bytes; i++)
            ((uint32_t *)op->to)[i] = op->word;
        break;
    case FAKE_OP_RECORD:
        op->event->recorded++;
        op->event->ms = world.now_ms;
        break;
    case FAKE_OP_WAIT_VALUE:
    case FAKE_OP_WAIT_EVENT:
        break;
    }
    world.now_ms += 0.001 + host_ms() - start_ms;
}

static bool must_wait(const struct fake_op *op)
{
    if (op->kind == FAKE_OP_WAIT_EVENT)
        return op->event->recorded < op->word;
    return op->kind == FAKE_OP_WAIT_VALUE && *(const volatile uint32_t *)op->from < op->word;
}

bool fake_progress(struct cu_stream *stream)
{
    while (stream->queue.first && !must_wait(stream->queue.first)) {
        struct fake_op *op = list_take(&stream->queue);
        run(op);
        op_destroy(op);
    }
    return !stream->queue.first;
}

void fake_enqueue(struct cu_stream *stream, struct fake_op *op)
{
    if (stream->capture) {
        list_add(&stream->capture->ops, op);
        return;
    }
    if (op->kind == FAKE_OP_RECORD)
        op->event->asked++;
    list_add(&stream->queue, op);
    fake_progress(stream);
}

void fake_stream_add(struct cu_stream *stream)
{
    for (int i = 0; i < STREAMS_MAX; i++) {
        if (!world.streams[i]) {
            world.streams[i] = stream;
            return;
        }
    }
    abort();
}

void fake_stream_remove(struct cu_stream *stream)
{
    for (int i = 0; i < STREAMS_MAX; i++)
        if (world.streams[i] == stream)
            world.streams[i] = NULL;
}

void fake_progress_all(void)
{
    for (int i = 0; i < STREAMS_MAX; i++)
        if (world.streams[i])
            fake_progress(world.streams[i]);
}

void fake_streams_leave(const struct cu_graph *capture)
{
    for (int i = 0; i < STREAMS_MAX; i++)
        if (world.streams[i] && world.streams[i]->capture == capture)
            world.streams[i]->capture = NULL;
}
