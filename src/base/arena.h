// SPDX-License-Identifier: MIT
// An arena is a pool of memory with one lifetime, such as that of the process or of a case; all of
// its memory is freed at once. If the host runs out of memory, the process prints a message and
// ends with ARENA_EXIT_STATUS; the run file stays complete (results/save.h).
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

// A position in an arena, returned by arena_mark. arena_rewind frees everything that was allocated
// in the arena after that position.
struct arena_mark {
    void *block;
    size_t used;
};

// Creates an empty arena. The caller frees it with arena_destroy, which accepts NULL.
struct arena *arena_create(void);
void arena_destroy(struct arena *arena);

// Allocates memory with malloc, outside any arena. The caller frees the memory. If there is no
// memory, the process ends, so the result is never NULL.
void *arena_malloc(size_t bytes);

// Returns zeroed memory of the arena, aligned for any type. A request for 0 bytes also returns a
// valid pointer that no other allocation has.
void *arena_alloc(struct arena *arena, size_t bytes);

// Returns a zeroed array in the arena. If count × size overflows, the process ends.
void *arena_array(struct arena *arena, size_t count, size_t size);
#define ARENA_NEW(arena, type)          ((type *)arena_alloc((arena), sizeof(type)))
#define ARENA_ARRAY(arena, count, type) ((type *)arena_array((arena), (count), sizeof(type)))

// The number of elements of an array. The argument must be an array, not a pointer.
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

// Returns an array with room for one more element: `array` if it has room, else a copy with twice
// the capacity (8 if it was 0), and updates *capacity. `array` has `count` elements of `size`
// bytes. The old array stays in the arena.
void *arena_grow(struct arena *arena, void *array, size_t count, size_t *capacity, size_t size);

char *arena_strdup(struct arena *arena, const char *text);
char *arena_printf(struct arena *arena, const char *format, ...) PRINTF_LIKE(2, 3);
char *arena_vprintf(struct arena *arena, const char *format, va_list args);

// A stream that writes to memory. After text_stream_close, `text` is complete and ends with a 0
// byte, and the caller must free it. If there is no memory, text_stream_open or text_stream_close
// ends the process.
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
