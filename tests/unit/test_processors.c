// SPDX-License-Identifier: MIT
#define _GNU_SOURCE // for the declaration of sched_getaffinity
#include "base/processors.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

// The processors that this process may use, as the kernel lists them.
static void allowed(char list[256])
{
    FILE *file = fopen("/proc/self/status", "r");
    assert_non_null(file);
    *list = '\0';
    char line[512];
    while (fgets(line, sizeof line, file))
        sscanf(line, "Cpus_allowed_list: %255s", list);
    fclose(file);
}

// Given the kernel of a machine of 8192 processors, which refuses smaller sets, and a thread that
// may run on two of them.
static bool is_large;

int __real_sched_getaffinity(pid_t pid, size_t bytes, cpu_set_t *set);
int __wrap_sched_getaffinity(pid_t pid, size_t bytes, cpu_set_t *set);

int __wrap_sched_getaffinity(pid_t pid, size_t bytes, cpu_set_t *set)
{
    if (!is_large)
        return __real_sched_getaffinity(pid, bytes, set);
    errno = EINVAL;
    if (bytes * CHAR_BIT < 8192)
        return -1;
    memset(set, 0, bytes);
    CPU_SET_S(3, bytes, set);
    CPU_SET_S(5000, bytes, set);
    return 0;
}

static void a_machine_may_have_thousands_of_processors(void **state)
{
    (void)state;
    struct processor_set set;
    is_large = true;
    unsigned count = processors_allowed();
    processors_get(&set);
    is_large = false;
    assert_int_equal(count, 2);
    assert_int_equal(processor_set_count(&set), 2);
    for (size_t i = 0; i < PROCESSORS_MAX; i++)
        assert_int_equal(processor_set_has(&set, i), i == 3 || i == 5000);
}

static void a_process_is_bound_to_the_list(void **state)
{
    (void)state;
    char all[256], first[32], now[256];
    allowed(all);
    snprintf(first, sizeof first, "%lu", strtoul(all, NULL, 10));
    assert_true(processors_bind(first));
    allowed(now);
    assert_string_equal(now, first);
    assert_true(processors_bind(all)); // ranges and commas can be read
    allowed(now);
    assert_string_equal(now, all);
}

static void a_list_that_is_none_changes_nothing(void **state)
{
    (void)state;
    static const char *const lists[] = {"", "none", "0x", "0-3;5", "-", "0,3-", "0,3-1", "0-3x"};
    char before[256], after[256];
    allowed(before);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        assert_false(processors_bind(lists[i]));
    allowed(after);
    assert_string_equal(after, before);
}

// Writes a folder as the system's root is: the counters of two threads in ns, and of the machine in
// ticks.
static void write_root(const char *root, const double ran_waited[2][2], unsigned stolen,
                       unsigned idle)
{
    char path[512];
    for (int thread = 0; thread < 2; thread++) {
        snprintf(path, sizeof path, "%s/proc/self/task/%d/schedstat", root, 100 + thread);
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fprintf(file, "%.0f %.0f 7\n", ran_waited[thread][0], ran_waited[thread][1]);
        fclose(file);
    }
    snprintf(path, sizeof path, "%s/proc/stat", root);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "cpu  100 0 100 %u 0 0 0 %u 5 5\ncpu0 1 1 1 1 1 1 1 1 1 1\n", idle, stolen);
    fclose(file);
}

static void make_root(char root[64])
{
    static const char *const folders[] = {"/proc", "/proc/self", "/proc/self/task",
                                          "/proc/self/task/100", "/proc/self/task/101"};
    char path[512];
    snprintf(root, 64, "/tmp/fathom-processors-XXXXXX");
    assert_non_null(mkdtemp(root));
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        snprintf(path, sizeof path, "%s%s", root, folders[i]);
        assert_int_equal(mkdir(path, 0700), 0);
    }
}

static void remove_root(const char *root)
{
    static const char *const parts[] = {"/proc/self/task/100/schedstat",
                                        "/proc/self/task/101/schedstat",
                                        "/proc/self/task/100",
                                        "/proc/self/task/101",
                                        "/proc/self/task",
                                        "/proc/self",
                                        "/proc/stat",
                                        "/proc",
                                        ""};
    char path[512];
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        snprintf(path, sizeof path, "%s%s", root, parts[i]);
        assert_int_equal(remove(path), 0);
    }
}

static void others_on_the_processors_are_seen(void **state)
{
    (void)state;
    static const struct {
        const char *what;
        double ran_waited[2][2];
        unsigned stolen, idle;
        double lost;
    } cases[] = {
        {"nothing happened", {{5e9, 1e9}, {0, 0}}, 10, 1000, 0},
        {"it ran alone", {{7e9, 1e9}, {1e9, 0}}, 10, 1200, 0},
        {"its threads waited a quarter of the time", {{7e9, 1.5e9}, {1e9, 0.5e9}}, 10, 1200, 0.25},
        {"a tenth of all time was stolen", {{7e9, 1e9}, {1e9, 0}}, 30, 1180, 0.1},
        {"a thread ended", {{1e9, 0}, {0, 0}}, 10, 1200, 0},
    };
    char root[64];
    make_root(root);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct processors_time before, after;
        write_root(root, (const double[2][2]){{5e9, 1e9}, {0, 0}}, 10, 1000);
        assert_true(processors_time_read(root, 7, &before));
        write_root(root, cases[i].ran_waited, cases[i].stolen, cases[i].idle);
        assert_true(processors_time_read(root, 7, &after));
        double lost = processors_time_lost(&before, &after);
        if (fabs(lost - cases[i].lost) > 1e-9)
            fail_msg("%s: %g, not %g", cases[i].what, lost, cases[i].lost);
    }
    remove_root(root);
    struct processors_time none;
    assert_false(processors_time_read(root, 7, &none));
    assert_true(processors_time_read(NULL, (long)getpid(), &none)); // this machine
    assert_true(none.ran > 0 && none.all > none.busy && none.busy > 0);
}

// Writes a file below the root.
static void write_file(const char *root, const char *path, const char *text)
{
    char whole[512];
    snprintf(whole, sizeof whole, "%s%s", root, path);
    FILE *file = fopen(whole, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void make_folder(const char *root, const char *path)
{
    char whole[512];
    snprintf(whole, sizeof whole, "%s%s", root, path);
    assert_int_equal(mkdir(whole, 0700), 0);
}

// Given process 7 with the children 8 and 9, when they use the processors, then this is not the use
// of others. Nor is the time of a child that has ended, which 7 then counts as its children's.
static void the_family_is_told_from_others(void **state)
{
    (void)state;
    static const char *const lines[2][3] = {
        {"7 (fathom) S 1 7 7 0 -1 4 0 0 0 0 10 10 0 0 20 0\n",
         "8 (a) b) R 7 7 7 0 -1 4 0 0 0 0 100 100 0 0 20 0\n",
         "9 (exe) R 7 7 7 0 -1 4 0 0 0 0 50 0 0 0 20 0\n"},
        {"7 (fathom) S 1 7 7 0 -1 4 0 0 0 0 10 20 40 20 20 0\n",
         "8 (a) b) R 7 7 7 0 -1 4 0 0 0 0 130 120 0 0 20 0\n", ""},
    };
    static const char *const files[] = {"/proc/7/stat", "/proc/8/stat", "/proc/9/stat"};
    struct processors_time times[2];
    char root[64];
    make_root(root);
    make_folder(root, "/proc/7");
    make_folder(root, "/proc/7/task");
    make_folder(root, "/proc/7/task/7");
    make_folder(root, "/proc/8");
    make_folder(root, "/proc/9");
    for (size_t t = 0; t < 2; t++) {
        for (size_t i = 0; i < 3; i++)
            write_file(root, files[i], lines[t][i]);
        write_file(root, "/proc/7/task/7/children", t ? "8 \n" : "8 9 \n");
        write_root(root, (const double[2][2]){{5e9, 1e9}, {0, 0}}, 0, t ? 1800 : 1000);
        // 200 ticks more were busy, and 800 idle
        write_file(root, "/proc/stat",
                   t ? "cpu 200 0 200 1800 0 0 0 0 0 0\n" : "cpu 100 0 100 1000 0 0 0 0 0 0\n");
        assert_true(processors_time_read(root, 7, &times[t]));
    }
    assert_true(times[0].family == 270 && times[1].family == 340);
    // of 1000 ticks, 200 were busy, 70 of them with the family
    assert_true(fabs(processors_time_others(&times[0], &times[1]) - 0.13) < 1e-9);
    assert_true(processors_time_others(&times[1], &times[1]) == 0);
    // A child that ended while the times were read is missing: that is no work of others.
    times[1].family = 40;
    assert_true(processors_time_others(&times[0], &times[1]) == 0);
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", root);
    assert_int_equal(system(command), 0);
}

// Given a process with more children than fit into 4 KiB of text, when their times are read, then
// the last child counts, too.
static void a_large_family_is_whole(void **state)
{
    (void)state;
    char root[64], command[128], children[8192];
    struct processors_time time;
    size_t length = 0;
    make_root(root);
    write_root(root, (const double[2][2]){{5e9, 1e9}, {0, 0}}, 0, 1000);
    make_folder(root, "/proc/7");
    make_folder(root, "/proc/7/task");
    make_folder(root, "/proc/7/task/7");
    make_folder(root, "/proc/8");
    for (int i = 0; i < 700; i++) // these have ended
        length += (size_t)snprintf(children + length, sizeof children - length, "%d ", 4000000 + i);
    snprintf(children + length, sizeof children - length, "8 \n");
    write_file(root, "/proc/7/stat", "7 (fathom) S 1 7 7 0 -1 4 0 0 0 0 10 10 0 0 20 0\n");
    write_file(root, "/proc/8/stat", "8 (exe) R 7 7 7 0 -1 4 0 0 0 0 100 100 0 0 20 0\n");
    write_file(root, "/proc/7/task/7/children", children);
    assert_true(processors_time_read(root, 7, &time));
    assert_true(time.family == 220);
    snprintf(command, sizeof command, "rm -r %s", root);
    assert_int_equal(system(command), 0);
}

static void a_limit_of_the_container_is_seen(void **state)
{
    (void)state;
    static const char *const version_1[] = {"/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu/cpu.stat"};
    char root[64], command[128];
    struct processors_time time;
    make_root(root);
    write_root(root, (const double[2][2]){{5e9, 1e9}, {0, 0}}, 10, 1000);
    make_folder(root, "/sys");
    make_folder(root, "/sys/fs");
    make_folder(root, "/sys/fs/cgroup");
    assert_true(processors_time_read(root, 7, &time));
    assert_true(time.throttled == 0);
    write_file(root, "/sys/fs/cgroup/cpu.stat", "usage_usec 9\nnr_periods 7\nnr_throttled 4\n");
    assert_true(processors_time_read(root, 7, &time));
    assert_true(time.throttled == 4);
    write_file(root, "/sys/fs/cgroup/cpu.stat", "usage_usec 9\n"); // there is no limit
    make_folder(root, version_1[0]);
    write_file(root, version_1[1], "nr_periods 9\nnr_throttled 6\nthrottled_time 5000\n");
    assert_true(processors_time_read(root, 7, &time));
    assert_true(time.throttled == 6);
    snprintf(command, sizeof command, "rm -r %s", root);
    assert_int_equal(system(command), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_machine_may_have_thousands_of_processors),
        cmocka_unit_test(a_process_is_bound_to_the_list),
        cmocka_unit_test(a_list_that_is_none_changes_nothing),
        cmocka_unit_test(others_on_the_processors_are_seen),
        cmocka_unit_test(the_family_is_told_from_others),
        cmocka_unit_test(a_large_family_is_whole),
        cmocka_unit_test(a_limit_of_the_container_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
