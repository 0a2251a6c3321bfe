// SPDX-License-Identifier: MIT
#include "gpu/model/places.h"

#include "base/pages.h"

#include <stddef.h>

static void free_table(struct model_places_table *table)
{
    pages_free(table->words, (size_t)table->n * sizeof *table->words);
    *table = (struct model_places_table){0};
}

uint32_t *model_places_find(struct model_places *places, uint32_t n, uint32_t key)
{
    struct model_places_table *oldest = &places->tables[0];
    for (int i = 0; i < MODEL_PLACES_TABLES; i++) {
        struct model_places_table *table = &places->tables[i];
        if (table->words && table->n == n && table->key == key) {
            table->dispatch = places->dispatch;
            return table->words;
        }
        if (table->dispatch < oldest->dispatch)
            oldest = table;
    }
    if (n == 0 || n > MODEL_PLACES_MAX || oldest->dispatch == places->dispatch)
        return NULL;
    free_table(oldest);
    oldest->words = pages_alloc((size_t)n * sizeof *oldest->words);
    if (!oldest->words)
        return NULL;
    oldest->n = n;
    oldest->key = key;
    oldest->dispatch = places->dispatch;
    return oldest->words;
}

void model_places_free(struct model_places *places)
{
    for (int i = 0; i < MODEL_PLACES_TABLES; i++)
        free_table(&places->tables[i]);
}
