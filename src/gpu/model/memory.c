// SPDX-License-Identifier: MIT
#include "gpu/model/backend.h"

#include "base/pages.h"

#include <string.h>

enum {
    // At each multiple of STEP_BYTES in a range, the sum of all words before it can be stored.
    STEP_BYTES = 2048
};

// Returns the memory range (one buffer) that contains the byte at `host`; NULL if no buffer does.
static struct model_range *find(struct model_memory *memory, const void *host)
{
    const char *at = host;
    for (size_t i = 0; i < memory->count; i++) {
        size_t number = (memory->last_used + i) % memory->count;
        struct model_range *range = &memory->ranges[number];
        if (at >= range->host && at < range->host + range->bytes) {
            memory->last_used = number;
            return range;
        }
    }
    return NULL;
}

uint64_t model_memory_address(struct model_memory *memory, const void *host)
{
    const struct model_range *range = find(memory, host);
    return range ? range->address + (uint64_t)((const char *)host - range->host) : 0;
}

static uint32_t add_words(const char *from, uint64_t bytes)
{
    uint32_t sum = 0;
    for (uint64_t i = 0; i + sizeof sum <= bytes; i += sizeof sum) {
        uint32_t word;
        memcpy(&word, from + i, sizeof word);
        sum += word;
    }
    return sum;
}

static size_t sums_bytes(const struct model_range *range)
{
    return (size_t)(range->bytes / STEP_BYTES + 1) * sizeof *range->sums;
}

// Returns the sum of the words in the first `end` bytes, a multiple of STEP_BYTES.
static uint32_t sum_before(struct model_range *range, uint64_t end)
{
    uint64_t wanted = end / STEP_BYTES;
    if (range->sum_count == 0) {
        range->sums[0] = 0;
        range->sum_count = 1;
    }
    for (uint64_t i = range->sum_count; i <= wanted; i++)
        range->sums[i] =
            range->sums[i - 1] + add_words(range->host + (i - 1) * STEP_BYTES, STEP_BYTES);
    if (wanted >= range->sum_count)
        range->sum_count = wanted + 1;
    return range->sums[wanted];
}

uint32_t model_memory_sum(struct model_memory *memory, const void *from, uint64_t bytes)
{
    struct model_range *range = bytes ? find(memory, from) : NULL;
    uint64_t first = range ? (uint64_t)((const char *)from - range->host) : 0;
    bool whole = first % STEP_BYTES == 0 && bytes % STEP_BYTES == 0;
    if (range && range->own && whole && !range->sums)
        range->sums = pages_alloc_sparse(sums_bytes(range));
    if (!range || !range->own || !whole || !range->sums)
        return add_words(from, bytes);
    return sum_before(range, first + bytes) - sum_before(range, first);
}

void model_memory_forget(struct model_memory *memory, const void *host)
{
    struct model_range *only = host ? find(memory, host) : NULL;
    for (size_t i = 0; !only && i < memory->count; i++)
        memory->ranges[i].sum_count = 0;
    if (only)
        only->sum_count = 0;
}

void model_range_free(struct model_range *range)
{
    pages_free(range->sums, sums_bytes(range));
    range->sums = NULL;
}

// ---------------------------------------------------------------- tables of kernels

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
