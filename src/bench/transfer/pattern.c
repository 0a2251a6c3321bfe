// SPDX-License-Identifier: MIT
// Blocks of a constant length, a product kept as a running sum: forms that compilers turn into
// vector code, since a GiB is to be looked at in less time than a slow copy of it takes.
#include "bench/transfer/pattern.h"

#include "bench/transfer/transfer.h"

enum {
    BLOCK_WORDS = 1024
};

static uint32_t word_of(uint32_t mixed)
{
    return mixed ^ (mixed >> TRANSFER_SHIFT);
}

static void fill_words(uint32_t *words, uint64_t count, uint32_t mixed)
{
    for (uint64_t i = 0; i < count; i++, mixed += TRANSFER_MIX)
        words[i] = word_of(mixed);
}

void transfer_pattern_fill(void *memory, uint64_t bytes, uint32_t first)
{
    uint32_t *words = memory;
    uint64_t count = bytes / sizeof *words, at = 0;
    for (; at + BLOCK_WORDS <= count; at += BLOCK_WORDS)
        fill_words(words + at, BLOCK_WORDS, (first + (uint32_t)at) * TRANSFER_MIX);
    fill_words(words + at, count - at, (first + (uint32_t)at) * TRANSFER_MIX);
}

static uint32_t differences(const uint32_t *words, uint64_t count, uint32_t mixed)
{
    uint32_t all = 0;
    for (uint64_t i = 0; i < count; i++, mixed += TRANSFER_MIX)
        all |= words[i] ^ word_of(mixed);
    return all;
}

bool transfer_pattern_check(const void *memory, uint64_t bytes, uint32_t first,
                            struct transfer_look look, struct error *err)
{
    const uint32_t *words = memory;
    bool sparse = look.sparse && bytes > TRANSFER_SPARSE_BYTES;
    uint64_t count = bytes / sizeof *words,
             skip = (uint64_t)(sparse ? TRANSFER_SPARSE : 1) * BLOCK_WORDS;
    uint64_t begin = sparse ? (uint64_t)(look.turn % TRANSFER_SPARSE) * BLOCK_WORDS : 0;
    for (uint64_t at = begin; at < count; at += skip) {
        uint32_t mixed = (first + (uint32_t)at) * TRANSFER_MIX;
        uint64_t part = count - at < BLOCK_WORDS ? count - at : BLOCK_WORDS;
        if (part == BLOCK_WORDS ? !differences(words + at, BLOCK_WORDS, mixed)
                                : !differences(words + at, part, mixed))
            continue;
        uint64_t i = at;
        while (words[i] == word_of((first + (uint32_t)i) * TRANSFER_MIX))
            i++;
        return error_set(err, ERROR_MISMATCH, "byte %llu of %llu is not what was sent",
                         (unsigned long long)i * sizeof *words, (unsigned long long)bytes);
    }
    return true;
}
