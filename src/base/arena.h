// SPDX-License-Identifier: MIT
// Arenas: memory with one lifetime (process, case, scratch). The arena is the first argument of
// every function that returns memory; nobody frees single pieces. Running out of host memory
// aborts with a message: an untested path that limps on would be worse.
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include "base/error.h"

#include <stdarg.h>
#include <stddef.h>

struct arena;

// Where an arena stood; arena_rewind() gives back all that came after.
struct arena_mark {
    void *block;
    size_t used;
};

// A new, empty arena; owned by the caller, given back with arena_destroy (NULL is legal).
struct arena *arena_create(void);
void arena_destroy(struct arena *arena);

// malloc, but it ends the process where there is no memory; for libraries that do not check it.
void *arena_malloc(size_t bytes);

// Zeroed memory aligned for any type. bytes may be 0 (a valid, unique pointer).
void *arena_alloc(struct arena *arena, size_t bytes);

// Zeroed array; aborts where count × size overflows.
void *arena_array(struct arena *arena, size_t count, size_t size);
#define ARENA_NEW(arena, type)          ((type *)arena_alloc((arena), sizeof(type)))
#define ARENA_ARRAY(arena, count, type) ((type *)arena_array((arena), (count), sizeof(type)))

// Room for one more element of an array that grows by doubling inside the arena: returns the
// (perhaps moved) array with capacity above count; the old storage stays until the arena goes.
void *arena_grow(struct arena *arena, void *array, size_t count, size_t *capacity, size_t size);

char *arena_strdup(struct arena *arena, const char *text);
char *arena_printf(struct arena *arena, const char *format, ...) PRINTF_LIKE(2, 3);
char *arena_vprintf(struct arena *arena, const char *format, va_list args);

struct arena_mark arena_mark(const struct arena *arena);
void arena_rewind(struct arena *arena, struct arena_mark mark);

// Bytes handed out since creation or the last rewind; for tests.
size_t arena_used_bytes(const struct arena *arena);

#endif
