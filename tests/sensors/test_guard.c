// SPDX-License-Identifier: MIT
// Tests the lock on a core clock, with a double of NVML and with files like those of amdgpu.
// Started with an argument, this program is the guard.
#include "base/child.h"
#include "base/clock.h"
#include "sensors/guard.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define AMD_PCI "0000:0b:00.0"

enum {
    TEXT_BYTES = 4096,
    STRANGER = 4000001 // no process here has this number
};

static const uint8_t known_uuid[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

// A folder with proc/, sys/ and the double's log.
static char root[] = "/tmp/fathom-guard-XXXXXX";

static const char *in_root(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", root, name);
    return path;
}

static void write_file(const char *name, const char *text)
{
    FILE *file = fopen(in_root(name), "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static const char *read_file(const char *name)
{
    static char text[TEXT_BYTES];
    FILE *file = fopen(in_root(name), "r");
    size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file)
        fclose(file);
    text[length] = '\0';
    return text;
}

static int make_root(void **state)
{
    static const char *const folders[] = {
        "proc",    "proc/self",   "proc/self/ns",        "sys",
        "sys/bus", "sys/bus/pci", "sys/bus/pci/devices", ("sys/bus/pci/devices/" AMD_PCI)};
    (void)state;
    memcpy(root + strlen(root) - 6, "XXXXXX", 6);
    if (!mkdtemp(root))
        return -1;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        mkdir(in_root(folders[i]), 0700);
    assert_int_equal(symlink("pid:[4026531836]", in_root("proc/self/ns/pid")), 0);
    write_file("sys/bus/pci/devices/" AMD_PCI "/pp_dpm_sclk",
               "0: 500Mhz *\n1: 1200Mhz\n2: 1900Mhz\n3: 2300Mhz\n");
    write_file("sys/bus/pci/devices/" AMD_PCI "/power_dpm_force_performance_level", "auto\n");
    setenv("NVML_DOUBLE_LOG", in_root("log"), 1);
    unsetenv("NVML_DOUBLE");
    return 0;
}

static int remove_root(void **state)
{
    (void)state;
    const char *const argv[] = {"rm", "-r", root, NULL};
    pid_t pid = fork();
    if (pid == 0)
        execvp(argv[0], (char *const *)argv);
    return waitpid(pid, NULL, 0) == pid ? 0 : -1;
}

static void write_process(long pid, const char *name, long parent)
{
    char folder[64], file[96], text[128];
    snprintf(folder, sizeof folder, "proc/%ld", pid);
    mkdir(in_root(folder), 0700);
    snprintf(file, sizeof file, "%s/comm", folder);
    snprintf(text, sizeof text, "%s\n", name);
    write_file(file, text);
    snprintf(file, sizeof file, "%s/stat", folder);
    snprintf(text, sizeof text, "%ld (%s) S %ld 1 1\n", pid, name, parent);
    write_file(file, text);
}

static const char *const guard_argv[] = {"/proc/self/exe", "guard", NULL};
static char proc_root[64], sysfs_root[64];

static struct clock_guard_desc card_desc(bool is_amd)
{
    snprintf(proc_root, sizeof proc_root, "%s/proc", root);
    snprintf(sysfs_root, sizeof sysfs_root, "%s/sys", root);
    return (struct clock_guard_desc){
        .argv = guard_argv,
        .card = {.card = {.uuid = is_amd ? NULL : known_uuid,
                          .pci = is_amd ? AMD_PCI : NULL,
                          .sysfs_root = sysfs_root},
                 .proc_root = proc_root},
    };
}

static struct clock_guard *guard_of(bool is_amd)
{
    struct error err = {0};
    const struct clock_guard_desc desc = card_desc(is_amd);
    struct clock_guard *guard = clock_guard_create(&desc, &err);
    if (!guard)
        fail_msg("%s", err.message);
    return guard;
}

static void lock(struct clock_guard *guard, double hz, double expected_hz)
{
    struct error err = {0};
    double granted_hz = 0;
    if (!clock_guard_lock(guard, hz, &granted_hz, &err))
        fail_msg("%s", err.message);
    assert_true(granted_hz == expected_hz);
}

static void end(struct clock_guard *guard)
{
    struct error err = {0};
    if (!clock_guard_destroy(guard, &err))
        fail_msg("%s", err.message);
}

static void expect_refusal(bool is_amd, const char *part)
{
    struct error err = {0};
    const struct clock_guard_desc desc = card_desc(is_amd);
    assert_null(clock_guard_create(&desc, &err));
    assert_int_equal(err.code, ERROR_UNSUPPORTED);
    if (!strstr(err.message, part))
        fail_msg("no \"%s\" in: %s", part, err.message);
    assert_string_equal(read_file("log"), "");
}

// Waits until another process has written `part` to the log, and returns the log.
static const char *await_in_log(const char *part)
{
    const uint64_t deadline_ns = clock_deadline_ns(600 * NS_PER_S);
    while (!strstr(read_file("log"), part) && clock_left_ns(deadline_ns) > 0)
        clock_sleep_ns(10 * NS_PER_MS);
    return read_file("log");
}

static pid_t guard_pid(void)
{
    const char *by = strstr(await_in_log("by "), "by ");
    assert_non_null(by);
    return (pid_t)strtol(by + 3, NULL, 10);
}

// ---------------------------------------------------------------- NVML

static void the_nearest_clock_is_locked_and_given_back(void **state)
{
    (void)state;
    struct clock_guard *guard = guard_of(false);
    assert_string_equal(read_file("log"), ""); // a guard that only looks sets nothing
    lock(guard, 1495e6, 1500e6);
    lock(guard, 1495e6, 1500e6); // already locked
    lock(guard, 9e9, 1980e6);
    assert_string_equal(clock_guard_before(guard), "default");
    end(guard);
    const char *log = read_file("log");
    const char *first = strstr(log, "lock 1500 1500"), *second = strstr(log, "lock 1980 1980");
    assert_true(first == log && second && second > first);
    assert_true(strstr(second, "\nreset by ") != NULL);
    assert_null(strstr(first + 1, "lock 1500"));
}

static void what_was_never_locked_is_not_reset(void **state)
{
    (void)state;
    end(guard_of(false));
    assert_string_equal(read_file("log"), "");
}

static void without_permission_it_says_so(void **state)
{
    (void)state;
    struct error err = {0};
    double granted_hz;
    setenv("NVML_DOUBLE", "permission", 1);
    struct clock_guard *guard = guard_of(false);
    assert_false(clock_guard_lock(guard, 1500e6, &granted_hz, &err));
    assert_non_null(strstr(err.message, "Insufficient Permissions: start fathom as root"));
    clock_guard_destroy(guard, &err);
}

static void a_card_that_cannot_says_so(void **state)
{
    (void)state;
    struct error err = {0};
    double granted_hz;
    setenv("NVML_DOUBLE", "unsupported", 1);
    struct clock_guard *guard = guard_of(false);
    assert_false(clock_guard_lock(guard, 1500e6, &granted_hz, &err));
    assert_int_equal(err.code, ERROR_UNSUPPORTED);
    assert_non_null(strstr(err.message, "Volta"));
    end(guard);
    assert_null(strstr(read_file("log"), "reset")); // no clock was locked
}

static void a_card_in_parts_is_not_touched(void **state)
{
    (void)state;
    setenv("NVML_DOUBLE", "mig", 1);
    expect_refusal(false, "MIG");
    setenv("NVML_DOUBLE", "vgpu", 1);
    expect_refusal(false, "virtual GPU");
}

static void a_card_that_others_use_is_not_touched(void **state)
{
    (void)state;
    setenv("NVML_DOUBLE", "4000001", 1);
    write_process(STRANGER, "python (3)", 1);
    expect_refusal(false, "process 4000001 (python (3)) uses the card");
}

// Given an NVML that states more clocks or users than there was room for, then nothing beyond the
// room is read, and the card is not touched.
static void lists_without_end_are_refused(void **state)
{
    (void)state;
    setenv("NVML_DOUBLE", "clocks", 1);
    expect_refusal(false, "1000000 core clocks, which cannot be true");
    setenv("NVML_DOUBLE", "users", 1);
    expect_refusal(false, "more than 256 processes use the card");
    const struct sensor_clocks_desc desc = {.card.uuid = known_uuid, .proc_root = in_root("proc")};
    struct arena *arena = arena_create();
    assert_null(sensor_clocks_users(arena, &desc));
    arena_destroy(arena);
}

// Given a worker of the measuring process, when it uses the card, then it is not another user.
static void ones_own_processes_are_no_others(void **state)
{
    (void)state;
    setenv("NVML_DOUBLE", "4000001", 1);
    write_process(STRANGER, "fathom) S 1", (long)getpid());
    struct clock_guard *guard = guard_of(false);
    lock(guard, 1200e6, 1200e6);
    end(guard);
}

static void in_a_container_nothing_is_touched(void **state)
{
    (void)state;
    unlink(in_root("proc/self/ns/pid"));
    assert_int_equal(symlink("pid:[4026532000]", in_root("proc/self/ns/pid")), 0);
    expect_refusal(false, "container");
}

// ---------------------------------------------------------------- ways out

// Starts a process that locks the clock and never ends by itself.
static pid_t start_measuring(void)
{
    pid_t pid = fork();
    if (pid != 0)
        return pid;
    struct clock_guard *guard = guard_of(false);
    lock(guard, 1200e6, 1200e6);
    for (;;)
        pause();
}

static void expect_restored_after(int signal_number)
{
    pid_t measuring = start_measuring();
    await_in_log("lock 1200");
    assert_null(strstr(read_file("log"), "reset"));
    kill(measuring, signal_number);
    assert_int_equal(waitpid(measuring, NULL, 0), measuring);
    assert_non_null(strstr(await_in_log("reset"), "reset"));
}

static void it_is_given_back_where_the_parent_is_killed(void **state)
{
    (void)state;
    expect_restored_after(SIGKILL);
}

static void it_is_given_back_where_the_parent_is_ended(void **state)
{
    (void)state;
    expect_restored_after(SIGTERM);
}

static void signals_to_everybody_do_not_end_the_guard(void **state)
{
    (void)state;
    struct clock_guard *guard = guard_of(false);
    lock(guard, 1200e6, 1200e6);
    pid_t pid = guard_pid();
    assert_int_equal(getpgid(pid), pid); // in a process group of its own
    kill(pid, SIGINT);
    kill(pid, SIGTERM);
    kill(pid, SIGHUP);
    lock(guard, 1500e6, 1500e6);
    end(guard);
    assert_non_null(strstr(read_file("log"), "reset"));
}

// Given a guard that is killed while it holds the clock, when the next lock is asked for, then it
// is refused and another guard restores the clock.
static void where_the_guard_is_killed_another_one_gives_it_back(void **state)
{
    (void)state;
    struct error err = {0};
    double granted_hz;
    struct clock_guard *guard = guard_of(false);
    lock(guard, 1200e6, 1200e6);
    kill(guard_pid(), SIGKILL);
    assert_false(clock_guard_lock(guard, 1500e6, &granted_hz, &err));
    assert_non_null(strstr(err.message, "killed by signal 9"));
    assert_non_null(strstr(read_file("log"), "reset"));
    lock(guard, 1500e6, 1500e6); // works with the other guard
    end(guard);
}

// ---------------------------------------------------------------- amdgpu

#define LEVEL "sys/bus/pci/devices/" AMD_PCI "/power_dpm_force_performance_level"
#define STATE "sys/bus/pci/devices/" AMD_PCI "/pp_dpm_sclk"

static void a_state_of_amdgpu_is_chosen_and_the_level_given_back(void **state)
{
    (void)state;
    write_file(LEVEL, "high\n");
    struct clock_guard *guard = guard_of(true);
    lock(guard, 1000e6, 1200e6);
    assert_string_equal(read_file(LEVEL), "manual\n");
    assert_string_equal(read_file(STATE), "1\n");
    assert_string_equal(clock_guard_before(guard), "high");
    end(guard);
    assert_string_equal(read_file(LEVEL), "high\n");
}

// Given the lowest, the present and the highest clock, when one near the present is asked for, then
// the lowest or the highest is granted: the kernel takes every state but 0 for the highest.
static void the_present_clock_of_three_is_no_choice(void **state)
{
    (void)state;
    static const struct {
        double asked, granted;
        const char *written;
    } cases[] = {{1300e6, 500e6, "0\n"}, {1600e6, 2575e6, "2\n"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_file(STATE, "0: 500Mhz\n1: 1300Mhz *\n2: 2575Mhz\n");
        struct clock_guard *guard = guard_of(true);
        lock(guard, cases[i].asked, cases[i].granted);
        assert_string_equal(read_file(STATE), cases[i].written);
        end(guard);
    }
}

static void a_choice_that_cannot_be_given_back_is_left_alone(void **state)
{
    (void)state;
    write_file(LEVEL, "manual\n");
    expect_refusal(true, "manual already");
    assert_string_equal(read_file(LEVEL), "manual\n");
}

static void an_amd_card_that_others_use_is_not_touched(void **state)
{
    (void)state;
    write_process(STRANGER, "Xorg", 1);
    mkdir(in_root("proc/4000001/fdinfo"), 0700);
    write_file("proc/4000001/fdinfo/7", "pos:\t0\ndrm-driver:\tamdgpu\ndrm-pdev:\t" AMD_PCI "\n");
    expect_refusal(true, "process 4000001 (Xorg)");
}

static void the_users_of_an_amd_card_are_named(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    struct sensor_clocks_desc desc = {.card = {.pci = AMD_PCI}, .own_pid = (long)getpid()};
    desc.proc_root = arena_strdup(arena, in_root("proc"));
    write_process(STRANGER, "blender", 1);
    assert_null(sensor_clocks_users(arena, &desc));
    mkdir(in_root("proc/4000001/fdinfo"), 0700);
    write_file("proc/4000001/fdinfo/7", "drm-pdev:\t0000:0c:00.0\n");
    assert_null(sensor_clocks_users(arena, &desc));
    write_file("proc/4000001/fdinfo/8", "drm-pdev:\t" AMD_PCI "\n");
    assert_string_equal(sensor_clocks_users(arena, &desc), "blender (process 4000001)");
    desc.own_pid = STRANGER;
    assert_null(sensor_clocks_users(arena, &desc));
    arena_destroy(arena);
}

// Given a lock, when another process begins to use the card, then the next lock is refused and the
// clock is restored.
static void when_others_come_the_clock_is_given_back(void **state)
{
    (void)state;
    struct error err = {0};
    double granted_hz;
    struct clock_guard *guard = guard_of(true);
    lock(guard, 500e6, 500e6);
    write_process(STRANGER, "Xorg", 1);
    mkdir(in_root("proc/4000001/fdinfo"), 0700);
    write_file("proc/4000001/fdinfo/7", "drm-pdev:\t" AMD_PCI "\n");
    assert_false(clock_guard_lock(guard, 2300e6, &granted_hz, &err));
    assert_non_null(strstr(err.message, "process 4000001"));
    assert_string_equal(read_file(LEVEL), "auto\n");
    end(guard);
}

// Given a locked card whose files can no longer be written, when another clock is asked for twice,
// then both requests are refused: a clock that was only asked for does not count as locked.
static void a_clock_that_could_not_be_locked_is_not_taken_for_locked(void **state)
{
    (void)state;
    struct error err = {0};
    double granted_hz = 0;
    struct clock_guard *guard = guard_of(true);
    lock(guard, 500e6, 500e6);
    unlink(in_root(LEVEL));
    mkdir(in_root(LEVEL), 0700);
    assert_false(clock_guard_lock(guard, 2300e6, &granted_hz, &err));
    assert_false(clock_guard_lock(guard, 2300e6, &granted_hz, &err));
    rmdir(in_root(LEVEL));
    write_file(LEVEL, "manual\n");
    end(guard);
    assert_string_equal(read_file(LEVEL), "auto\n");
}

static void a_card_that_nobody_can_set_says_why(void **state)
{
    (void)state;
    unlink(in_root(STATE));
    expect_refusal(true, "pp_dpm_sclk");
}

static void a_request_with_other_words_is_refused(void **state)
{
    (void)state;
    static const char *const requests[] = {"open 1 - - - -", "open 1 - - - - - -", "open",
                                           "lock 1"};
    struct error err;
    const char *answer = "";
    struct child *guard = child_create(&(struct child_desc){.argv = guard_argv}, &err);
    assert_non_null(guard);
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        assert_true(child_send(guard, requests[i], 10 * NS_PER_S, &err));
        assert_int_equal(child_receive(guard, 10 * NS_PER_S, -1, &answer), CHILD_LINE);
        assert_non_null(strstr(answer, i < 3 ? "failure a request to open has 6 words"
                                             : "failure unknown request"));
    }
    child_destroy(guard, NS_PER_S);
}

int main(int argc, char **argv)
{
#define WITH_ROOT(test) cmocka_unit_test_setup_teardown(test, make_root, remove_root)
    const struct CMUnitTest tests[] = {
        WITH_ROOT(the_nearest_clock_is_locked_and_given_back),
        WITH_ROOT(what_was_never_locked_is_not_reset),
        WITH_ROOT(without_permission_it_says_so),
        WITH_ROOT(a_card_that_cannot_says_so),
        WITH_ROOT(a_card_in_parts_is_not_touched),
        WITH_ROOT(a_card_that_others_use_is_not_touched),
        WITH_ROOT(lists_without_end_are_refused),
        WITH_ROOT(ones_own_processes_are_no_others),
        WITH_ROOT(in_a_container_nothing_is_touched),
        WITH_ROOT(it_is_given_back_where_the_parent_is_killed),
        WITH_ROOT(it_is_given_back_where_the_parent_is_ended),
        WITH_ROOT(signals_to_everybody_do_not_end_the_guard),
        WITH_ROOT(where_the_guard_is_killed_another_one_gives_it_back),
        WITH_ROOT(a_state_of_amdgpu_is_chosen_and_the_level_given_back),
        WITH_ROOT(the_present_clock_of_three_is_no_choice),
        WITH_ROOT(a_choice_that_cannot_be_given_back_is_left_alone),
        WITH_ROOT(an_amd_card_that_others_use_is_not_touched),
        WITH_ROOT(the_users_of_an_amd_card_are_named),
        WITH_ROOT(when_others_come_the_clock_is_given_back),
        WITH_ROOT(a_clock_that_could_not_be_locked_is_not_taken_for_locked),
        WITH_ROOT(a_card_that_nobody_can_set_says_why),
        cmocka_unit_test(a_request_with_other_words_is_refused),
    };
    struct error err;
    if (argc > 1 && strcmp(argv[1], "guard") == 0)
        return clock_guard_serve(STDIN_FILENO, &err) ? 0 : 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
