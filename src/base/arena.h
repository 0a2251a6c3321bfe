// SPDX-License-Identifier: MIT
// Arenas: memory with one lifetime (process, case, scratch). A function that allocates in an arena
// gets the arena from its caller. All memory of an arena is freed at once. If the host runs out of
// memory, the process ends with a message and ARENA_EXIT_STATUS, because code that continues
// without memory would never be tested. The run file stays whole, because results/save.h replaces
// it only after the new file is written.
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include "base/error.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

enum {
    ARENA_EXIT_STATUS = 2
};

struct arena;

// A point in time in the life of an arena: arena_rewind() frees everything that was allocated
// later.
struct arena_mark {
    void *block;
    size_t used;
};

// Creates an empty arena. The caller frees it with arena_destroy, which accepts NULL.
struct arena *arena_create(void);
void arena_destroy(struct arena *arena);

// Like malloc, but ends the process if there is no memory. The caller frees the memory. Use it for
// memory outside arenas, and for libraries that do not check malloc.
void *arena_malloc(size_t bytes);

// Returns zeroed memory of the arena, aligned for any type. If `bytes` is 0, the pointer is still
// valid and unique.
void *arena_alloc(struct arena *arena, size_t bytes);

// Returns a zeroed array. If count × size overflows, the process ends.
void *arena_array(struct arena *arena, size_t count, size_t size);
#define ARENA_NEW(arena, type)          ((type *)arena_alloc((arena), sizeof(type)))
#define ARENA_ARRAY(arena, count, type) ((type *)arena_array((arena), (count), sizeof(type)))

// The number of elements of an array. Must not be used with a pointer.
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

// Returns an array with room for at least one more element: `array` itself if its capacity is above
// `count` elements, else a copy with twice the capacity (at first 8). *capacity counts elements.
// The old array is freed only with the arena.
void *arena_grow(struct arena *arena, void *array, size_t count, size_t *capacity, size_t size);

char *arena_strdup(struct arena *arena, const char *text);
char *arena_printf(struct arena *arena, const char *format, ...) PRINTF_LIKE(2, 3);
char *arena_vprintf(struct arena *arena, const char *format, va_list args);

// A stream that writes to memory. After text_stream_close, `text` is complete, with a 0 byte after
// its end; the caller frees it. If there is no memory, the functions that open and close the stream
// end the process.
struct text_stream {
    FILE *file;
    char *text;
    size_t bytes;
};
void text_stream_open(struct text_stream *stream);
void text_stream_close(struct text_stream *stream);

struct arena_mark arena_mark(const struct arena *arena);
void arena_rewind(struct arena *arena, struct arena_mark mark);

// For tests: returns the number of bytes that are allocated in the arena, including padding.
size_t arena_used_bytes(const struct arena *arena);

#endif
