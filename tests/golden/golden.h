// SPDX-License-Identifier: MIT
// Compares what is written with a golden file, and shows the first line that differs.
#ifndef GOLDEN_GOLDEN_H
#define GOLDEN_GOLDEN_H

#include "results/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// Returns the text of a file below tests/; the caller frees it.
static inline char *golden_text(const char *path)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    char *text = NULL;
    size_t bytes;
    FILE *memory = open_memstream(&text, &bytes);
    for (int c; (c = fgetc(file)) != EOF;)
        fputc(c, memory);
    fclose(memory);
    fclose(file);
    return text;
}

static inline struct run *golden_run(const char *path)
{
    struct error err = {0};
    struct run *run = run_read(path, &err);
    assert_string_equal(err.message, "");
    return run;
}

static inline void golden_compare(const char *path, const char *text)
{
    char *golden = golden_text(path);
    const char *a = golden, *b = text;
    for (size_t line = 1; *a || *b; line++) {
        size_t a_bytes = strcspn(a, "\n"), b_bytes = strcspn(b, "\n");
        if (a_bytes != b_bytes || strncmp(a, b, a_bytes) != 0)
            fail_msg("%s:%zu: expected\n%.*s\nfound\n%.*s", path, line, (int)a_bytes, a,
                     (int)b_bytes, b);
        a += a_bytes + (a[a_bytes] == '\n');
        b += b_bytes + (b[b_bytes] == '\n');
    }
    free(golden);
}

#endif
