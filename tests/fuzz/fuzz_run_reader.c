// SPDX-License-Identifier: MIT
// Run files: any bytes are a run, or refused with one line; a run that was read is written and
// read again as the same bytes.
#undef NDEBUG // the assertions are the test, whatever the build type
#include "results/json.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static char *written(const struct run *run, size_t *bytes)
{
    char *text = NULL;
    FILE *stream = open_memstream(&text, bytes);
    struct error err;
    assert(stream);
    bool fine = run_write(run, stream, &err);
    assert(fine);
    fclose(stream);
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct error err = {0};
    struct run *run = run_read_text((const char *)data, bytes, "FILE", &err);
    if (!run) {
        assert(err.code == ERROR_USAGE && err.message[0] && !strchr(err.message, '\n'));
        return 0;
    }
    size_t first_bytes, second_bytes;
    char *first = written(run, &first_bytes);
    struct run *again = run_read_text(first, first_bytes, "AGAIN", &err);
    assert(again);
    char *second = written(again, &second_bytes);
    assert(first_bytes == second_bytes && memcmp(first, second, first_bytes) == 0);
    free(first);
    free(second);
    run_destroy(again);
    run_destroy(run);
    return 0;
}
