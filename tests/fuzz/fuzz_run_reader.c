// SPDX-License-Identifier: MIT
// Run files: any bytes are a run, or are refused with one line. A run that was read is written and
// read again, and gives the same bytes. Bytes that begin like a gzip file are read from a file.
#undef NDEBUG // keeps the assertions in every build type
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

static struct run *read_gzipped(const uint8_t *data, size_t bytes, struct error *err)
{
    FILE *file = tmpfile();
    assert(file);
    size_t put = fwrite(data, 1, bytes, file);
    assert(put == bytes && fflush(file) == 0);
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fileno(file));
    struct run *run = run_read(path, err);
    fclose(file);
    return run;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct error err = {0};
    bool gzipped = bytes > 1 && data[0] == 0x1f && data[1] == 0x8b;
    struct run *run = gzipped ? read_gzipped(data, bytes, &err)
                              : run_read_text((const char *)data, bytes, "FILE", &err);
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
