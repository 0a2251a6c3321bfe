// SPDX-License-Identifier: MIT
#include "base/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void memory_is_zeroed_and_aligned(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    for (size_t bytes = 0; bytes < 200; bytes += 7) {
        unsigned char *memory = arena_alloc(arena, bytes);
        assert_int_equal((uintptr_t)memory % _Alignof(max_align_t), 0);
        for (size_t i = 0; i < bytes; i++)
            assert_int_equal(memory[i], 0);
        memset(memory, 0xff, bytes);
    }
    arena_destroy(arena);
}

static void rewind_gives_back_and_reuses_zeroed(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    arena_strdup(arena, "stays");
    size_t before = arena_used_bytes(arena);
    struct arena_mark mark = arena_mark(arena);

    memset(arena_alloc(arena, 1 << 20), 0xff, 1 << 20); // more bytes than a block has
    assert_true(arena_used_bytes(arena) > before);
    arena_rewind(arena, mark);

    assert_int_equal(arena_used_bytes(arena), before);
    assert_int_equal(*(unsigned char *)arena_alloc(arena, 1), 0);
    arena_destroy(arena);
}

static void growing_keeps_the_elements(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    uint32_t *values = NULL;
    size_t capacity = 0;
    for (uint32_t i = 0; i < 1000; i++) {
        values = arena_grow(arena, values, i, &capacity, sizeof *values);
        values[i] = i;
    }
    for (uint32_t i = 0; i < 1000; i++)
        assert_int_equal(values[i], i);
    arena_destroy(arena);
}

static void printf_formats(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    assert_string_equal(arena_printf(arena, "%s/%d", "a", 42), "a/42");
    arena_destroy(arena);
    arena_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_zeroed_and_aligned),
        cmocka_unit_test(rewind_gives_back_and_reuses_zeroed),
        cmocka_unit_test(growing_keeps_the_elements),
        cmocka_unit_test(printf_formats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
