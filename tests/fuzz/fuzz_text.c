// SPDX-License-Identifier: MIT
// Text that a user types: any bytes are a number, a size or a name, or are refused.
#include "base/text.h"

#include <assert.h>
#include <math.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void check_numbers(struct arena *arena, const char *text)
{
    uint64_t whole, again;
    if (text_parse_uint(text, &whole)) {
        assert(text_parse_uint(arena_printf(arena, "%llu", (unsigned long long)whole), &again));
        assert(whole == again);
    }
    if (text_parse_bytes(text, &whole)) {
        const char *exact = arena_printf(arena, "%llu", (unsigned long long)whole);
        assert(text_parse_bytes(exact, &again) && whole == again);
        assert(*text_bytes(arena, whole));
    }
    double real;
    if (text_parse_real(text, &real))
        assert(isfinite(real));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct arena *arena = arena_create();
    char *text = arena_alloc(arena, bytes + 1);
    if (bytes)
        memcpy(text, data, bytes);
    check_numbers(arena, text);

    // The first line is what was typed; the second is a name to compare it with.
    char *name = strchr(text, '\n');
    if (name) {
        *name++ = '\0';
        assert(text_distance(text, name) == text_distance(name, text));
        assert(text_distance(text, text) == 0);
        struct text_guess guess = {.typed = text};
        text_guess_offer(&guess, name);
        assert(text_guess_hint(arena, &guess));
    }
    arena_destroy(arena);
    return 0;
}
