// SPDX-License-Identifier: MIT
// Any message that a broken worker may send to its parent.
#include "suite/protocol.h"

#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    const struct benchmark_info info = {.name = "fuzz", .metric_count = 2};
    struct arena *arena = arena_create();
    char *line = arena_alloc(arena, bytes + 1);
    if (bytes)
        memcpy(line, data, bytes);
    struct measure_visit *visit = NULL;
    struct error err = {.code = ERROR_NONE};
    switch (protocol_read_answer(arena, line, &info, &visit, &err)) {
    case PROTOCOL_VISIT:
        for (size_t i = 0; i < visit->series_count; i++)
            assert(visit->series[i].column_count);
        assert(*protocol_write_visit(arena, visit));
        break;
    case PROTOCOL_FAILURE:
        assert(*protocol_write_failure(arena, &err));
        break;
    case PROTOCOL_GARBAGE:
        assert(err.code == ERROR_INTERNAL && *err.message);
        break;
    }
    struct visit_order order;
    if (!protocol_read_order(arena, line, &order, &err))
        assert(err.code == ERROR_INTERNAL);
    arena_destroy(arena);
    return 0;
}
