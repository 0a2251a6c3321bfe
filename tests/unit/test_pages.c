// SPDX-License-Identifier: MIT
// Tests memory from the operating system: its alignment, its contents, and its pages.
#include "base/pages.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum {
    BYTES = 8 << 20
};

static void memory_is_aligned_and_zeroed(void **state)
{
    (void)state;
    unsigned char *const memories[] = {pages_alloc(BYTES), pages_alloc_sparse(BYTES)};
    for (size_t i = 0; i < 2; i++) {
        assert_non_null(memories[i]);
        assert_int_equal((uintptr_t)memories[i] % PAGES_ALIGN, 0);
        assert_int_equal(memories[i][0], 0);
        assert_int_equal(memories[i][BYTES - 1], 0);
        memories[i][BYTES - 1] = 1;
        pages_free(memories[i], BYTES);
    }
    pages_free(NULL, BYTES);
}

// Returns true if the kernel lists this flag for the mapping at `address` ("VmFlags: rd wr … nh").
static bool has_flag(const void *address, const char *flag)
{
    char line[512];
    bool here = false, has = false;
    FILE *file = fopen("/proc/self/smaps", "r");
    while (file && fgets(line, sizeof line, file)) {
        unsigned long long first, end;
        if (sscanf(line, "%llx-%llx ", &first, &end) == 2)
            here = (uintptr_t)address >= first && (uintptr_t)address < end;
        if (here && strncmp(line, "VmFlags:", strlen("VmFlags:")) == 0)
            has = strstr(line, flag) != NULL;
    }
    if (file)
        fclose(file);
    return has;
}

// Given a system that may use huge pages for all memory, when sparse memory is allocated, then the
// system must not use them there.
static void sparse_memory_has_no_huge_pages(void **state)
{
    (void)state;
    if (access("/sys/kernel/mm/transparent_hugepage/enabled", R_OK) != 0)
        skip();
    void *dense = pages_alloc(BYTES), *sparse = pages_alloc_sparse(BYTES);
    bool is_huge = has_flag(dense, " hg"), is_small = has_flag(sparse, " nh");
    pages_free(dense, BYTES);
    pages_free(sparse, BYTES);
    if (!is_huge)
        skip(); // the kernel does not show the flags, or has no huge pages
    assert_true(is_small);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_aligned_and_zeroed),
        cmocka_unit_test(sparse_memory_has_no_huge_pages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
