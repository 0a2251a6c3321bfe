// SPDX-License-Identifier: MIT
#include "base/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BLOCK_BYTES = 64 * 1024,
    ALIGN_BYTES = alignof(max_align_t)
};

struct block {
    struct block *previous;
    size_t capacity;
    size_t used;
    alignas(max_align_t) unsigned char data[];
};

struct arena {
    struct block *top;
};

static _Noreturn void die_of_memory(size_t bytes)
{
    fprintf(stderr, "fathom: out of host memory (%zu bytes asked for): free some and run again\n",
            bytes);
    fflush(stdout);
    // _Exit, unlike exit, does not run the exit handlers of drivers, which may crash.
    _Exit(ARENA_EXIT_STATUS);
}

void *arena_malloc(size_t bytes)
{
    void *memory = malloc(bytes);
    if (!memory)
        die_of_memory(bytes);
    return memory;
}

static struct block *block_create(struct block *previous, size_t capacity)
{
    struct block *block = arena_malloc(sizeof *block + capacity);
    *block = (struct block){.previous = previous, .capacity = capacity};
    return block;
}

struct arena *arena_create(void)
{
    struct arena *arena = arena_malloc(sizeof *arena);
    arena->top = block_create(NULL, BLOCK_BYTES);
    return arena;
}

void arena_destroy(struct arena *arena)
{
    if (!arena)
        return;
    while (arena->top) {
        struct block *previous = arena->top->previous;
        free(arena->top);
        arena->top = previous;
    }
    free(arena);
}

void *arena_alloc(struct arena *arena, size_t bytes)
{
    if (bytes > SIZE_MAX / 2)
        die_of_memory(bytes);
    size_t size = (bytes + ALIGN_BYTES - 1) / ALIGN_BYTES * ALIGN_BYTES;
    if (size == 0)
        size = ALIGN_BYTES;
    if (arena->top->capacity - arena->top->used < size)
        arena->top = block_create(arena->top, size > BLOCK_BYTES ? size : BLOCK_BYTES);
    void *memory = arena->top->data + arena->top->used;
    arena->top->used += size;
    return memset(memory, 0, size);
}

void *arena_array(struct arena *arena, size_t count, size_t size)
{
    if (size && count > SIZE_MAX / 2 / size)
        die_of_memory(SIZE_MAX);
    return arena_alloc(arena, count * size);
}

void *arena_grow(struct arena *arena, void *array, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity)
        return array;
    size_t bigger = *capacity ? *capacity * 2 : 8;
    void *grown = arena_array(arena, bigger, size);
    if (count)
        memcpy(grown, array, count * size);
    *capacity = bigger;
    return grown;
}

void text_stream_open(struct text_stream *stream)
{
    *stream = (struct text_stream){0};
    stream->file = open_memstream(&stream->text, &stream->bytes);
    if (!stream->file)
        die_of_memory(BUFSIZ);
}

void text_stream_close(struct text_stream *stream)
{
    // Writing to a memory stream fails only if the host runs out of memory. glibc's fclose may
    // return success even then, so the error indicator and the text are checked, too.
    bool failed = ferror(stream->file);
    if (fclose(stream->file) != 0 || failed || !stream->text)
        die_of_memory(stream->bytes);
    stream->file = NULL;
}

char *arena_strdup(struct arena *arena, const char *text)
{
    size_t bytes = strlen(text) + 1;
    return memcpy(arena_alloc(arena, bytes), text, bytes);
}

char *arena_vprintf(struct arena *arena, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (length < 0)
        return arena_strdup(arena, "");
    char *text = arena_alloc(arena, (size_t)length + 1);
    vsnprintf(text, (size_t)length + 1, format, args);
    return text;
}

char *arena_printf(struct arena *arena, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = arena_vprintf(arena, format, args);
    va_end(args);
    return text;
}

struct arena_mark arena_mark(const struct arena *arena)
{
    return (struct arena_mark){.block = arena->top, .used = arena->top->used};
}

void arena_rewind(struct arena *arena, struct arena_mark mark)
{
    while ((void *)arena->top != mark.block) {
        struct block *previous = arena->top->previous;
        free(arena->top);
        arena->top = previous;
    }
    arena->top->used = mark.used;
}

size_t arena_used_bytes(const struct arena *arena)
{
    size_t bytes = 0;
    for (const struct block *block = arena->top; block; block = block->previous)
        bytes += block->used;
    return bytes;
}
