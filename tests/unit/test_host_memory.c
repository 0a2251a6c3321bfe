// SPDX-License-Identifier: MIT
// Tests the memory that the host has left, with files like the kernel's in a folder of the test.
#include "base/host_memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum {
    PATH_BYTES = 256
};

static char root[] = "/tmp/fathom_host_XXXXXX";

static void write_file(const char *name, const char *text)
{
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s%s", root, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void make_folder(const char *name)
{
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s%s", root, name);
    assert_int_equal(mkdir(path, 0700), 0);
}

static int make_root(void **state)
{
    (void)state;
    if (!mkdtemp(root))
        return -1;
    make_folder("/proc");
    make_folder("/sys");
    make_folder("/sys/fs");
    make_folder("/sys/fs/cgroup");
    make_folder("/sys/fs/cgroup/memory");
    return 0;
}

static int remove_root(void **state)
{
    static const char *const names[] = {"/proc/meminfo",
                                        "/sys/fs/cgroup/memory/memory.limit_in_bytes",
                                        "/sys/fs/cgroup/memory/memory.usage_in_bytes",
                                        "/sys/fs/cgroup/memory/memory.stat",
                                        "/sys/fs/cgroup/memory",
                                        "/sys/fs/cgroup/memory.max",
                                        "/sys/fs/cgroup/memory.current",
                                        "/sys/fs/cgroup/memory.stat",
                                        "/sys/fs/cgroup",
                                        "/sys/fs",
                                        "/sys",
                                        "/proc",
                                        ""};
    (void)state;
    char path[PATH_BYTES];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s%s", root, names[i]);
        if (remove(path) != 0)
            return -1;
    }
    return 0;
}

static void without_files_it_is_not_known(void **state)
{
    (void)state;
    assert_int_equal(host_memory_available_bytes("/nowhere"), 0);
}

static void it_is_what_the_kernel_says(void **state)
{
    (void)state;
    write_file("/proc/meminfo", "MemTotal: 1000 kB\nMemAvailable:     600 kB\nBuffers: 7 kB\n");
    assert_int_equal(host_memory_available_bytes(root), 600 * 1024);
}

// Version 1 of control groups, as in Red Hat Enterprise Linux 8: without a limit, the file has a
// number that no machine has. Of the two counts of inactive pages, that of all groups below counts.
static void a_control_group_of_version_1_may_leave_less(void **state)
{
    (void)state;
    write_file("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    write_file("/sys/fs/cgroup/memory/memory.usage_in_bytes", "99000\n");
    write_file("/sys/fs/cgroup/memory/memory.stat", "inactive_file 7\ntotal_inactive_file 60000\n");
    assert_int_equal(host_memory_available_bytes(root), 600 * 1024);
    write_file("/sys/fs/cgroup/memory/memory.limit_in_bytes", "100000\n");
    assert_int_equal(host_memory_available_bytes(root), 61000);
    write_file("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
}

static void a_control_group_may_leave_less(void **state)
{
    (void)state;
    write_file("/sys/fs/cgroup/memory.max", "max\n");
    write_file("/sys/fs/cgroup/memory.current", "4096\n");
    assert_int_equal(host_memory_available_bytes(root), 600 * 1024);
    write_file("/sys/fs/cgroup/memory.max", "100000\n");
    assert_int_equal(host_memory_available_bytes(root), 100000 - 4096);
    write_file("/sys/fs/cgroup/memory.max", "1000\n");
    assert_int_equal(host_memory_available_bytes(root), 0);
}

static void cached_files_of_a_control_group_can_be_given_back(void **state)
{
    (void)state;
    write_file("/sys/fs/cgroup/memory.max", "100000\n");
    write_file("/sys/fs/cgroup/memory.current", "99000\n");
    write_file("/sys/fs/cgroup/memory.stat",
               "anon 9000\nfile 90000\ninactive_anon 0\nactive_anon 9000\n"
               "inactive_file 60000\nactive_file 30000\n");
    assert_int_equal(host_memory_available_bytes(root), 61000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_files_it_is_not_known),
        cmocka_unit_test(it_is_what_the_kernel_says),
        cmocka_unit_test(a_control_group_of_version_1_may_leave_less),
        cmocka_unit_test(a_control_group_may_leave_less),
        cmocka_unit_test(cached_files_of_a_control_group_can_be_given_back),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
