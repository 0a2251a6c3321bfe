// SPDX-License-Identifier: MIT
#include "bench/loads/write.h"

#include <string.h>

enum {
    COPIES_UNKNOWN = 16 // where the number of cores is not known
};

void loads_count_writes(const struct loads_kind *kind, enum loads_pattern pattern,
                        uint32_t hits[LOADS_ELEMENTS])
{
    struct loads_start start = loads_start_of(kind, pattern);
    memset(hits, 0, LOADS_ELEMENTS * sizeof *hits);
    for (uint32_t id = 0; id < LOADS_THREADS; id++)
        for (uint32_t i = 0; i < LOADS_A_THREAD; i++)
            hits[loads_first(start, id, id) + i]++;
}

void loads_expect_writes(const struct loads_kind *kind, enum loads_pattern pattern,
                         float found[LOADS_THREADS])
{
    uint32_t hits[LOADS_ELEMENTS];
    loads_count_writes(kind, pattern, hits);
    for (uint32_t id = 0; id < LOADS_THREADS; id++)
        found[id] = loads_way_of(kind)->resource != LOADS_BY_NOTHING ? 0
                    : loads_way_of(kind)->atomic                     ? (float)hits[id]
                    : hits[id]                                       ? (float)(id + 1)
                                                                     : 0;
}

bool loads_target_make(struct loads_work *work, struct gpu_scope *scope,
                       const struct loads_case *this_case, struct error *err)
{
    struct loads_session *session = work->session;
    struct arena *arena = session->bench->arena;
    struct arena_mark mark = arena_mark(arena);
    uint32_t copies = session->limits.cores ? session->limits.cores : COPIES_UNKNOWN;
    work->params.start = copies < work->groups ? copies : work->groups;
    uint64_t words = (uint64_t)work->params.start * LOADS_ELEMENTS * this_case->kind->width;
    const struct gpu_buffer_desc desc = {.bytes = words * sizeof(uint32_t)};
    const void *zeros = ARENA_ARRAY(arena, words, uint32_t);
    work->target = *this_case;
    work->source.buffer = gpu_buffer_create(scope, &desc, err);
    bool written =
        work->source.buffer && gpu_buffer_write(work->source.buffer, 0, zeros, desc.bytes, err);
    arena_rewind(arena, mark);
    return written;
}

static bool verify_copy(const struct loads_work *work, const uint32_t *words, const uint32_t *hits,
                        uint32_t times, struct error *err)
{
    const struct loads_kind *kind = work->target.kind;
    for (uint32_t e = 0; e < LOADS_ELEMENTS; e++)
        for (uint32_t c = 0; c < kind->width; c++) {
            uint32_t wanted = loads_way_of(kind)->atomic ? times * hits[e] : hits[e] ? e + 1 : 0;
            uint32_t found = words[e * kind->width + c];
            if (found != wanted)
                return error_set(err, ERROR_MISMATCH, "%s: element %u holds %u, not %u",
                                 gpu_program_kernel(work->program)->name, e, found, wanted);
        }
    return true;
}

bool loads_target_verify(struct loads_work *work, uint32_t dispatches, struct error *err)
{
    struct arena *arena = work->session->bench->arena;
    struct arena_mark mark = arena_mark(arena);
    uint32_t copies = work->params.start, groups = work->groups;
    size_t copy_words = (size_t)LOADS_ELEMENTS * work->target.kind->width;
    uint32_t *words = ARENA_ARRAY(arena, copies * copy_words, uint32_t);
    uint32_t hits[LOADS_ELEMENTS];
    loads_count_writes(work->target.kind, work->target.pattern, hits);
    bool ok =
        gpu_buffer_read(work->source.buffer, 0, words, copies * copy_words * sizeof *words, err);
    for (uint32_t copy = 0; ok && copy < copies; copy++) {
        uint32_t users = groups / copies + (copy < groups % copies);
        ok = verify_copy(work, words + copy * copy_words, hits, dispatches * users, err);
    }
    arena_rewind(arena, mark);
    return ok;
}
