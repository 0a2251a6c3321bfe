// SPDX-License-Identifier: MIT
// What kernels work out again and again of the same two numbers, remembered between dispatches:
// where the places of a chain are.
#ifndef GPU_MODEL_PLACES_H
#define GPU_MODEL_PLACES_H

#include <stdint.h>

enum {
    MODEL_PLACES_TABLES = 4,
    MODEL_PLACES_MAX = 1 << 24 // words of one
};

struct model_places {
    struct model_places_table {
        uint32_t n, key;
        uint32_t *words;   // n of them; NULL: none yet
        uint64_t dispatch; // that wanted it last
    } tables[MODEL_PLACES_TABLES];
    uint64_t dispatch; // under way; its tables stay where they are
};

// The words of `n` and `key`, zeros at first; NULL where they are too many, or this dispatch has
// all tables. The table of the oldest dispatch gives way.
uint32_t *model_places_find(struct model_places *places, uint32_t n, uint32_t key);

void model_places_free(struct model_places *places);

#endif
