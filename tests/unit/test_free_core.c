// SPDX-License-Identifier: MIT
#define _GNU_SOURCE // for the declarations of sched_getaffinity and sched_getcpu
#include "base/free_core.h"

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <cmocka.h>

#define CARD "0000:1b:00.0"

// Makes the folder of a path below the root, and the file with the text.
static void write_file(const char *root, const char *folder, const char *name, const char *text)
{
    char path[512];
    snprintf(path, sizeof path, "mkdir -p %s%s", root, folder);
    assert_int_equal(system(path), 0);
    snprintf(path, sizeof path, "%s%s/%s", root, folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

// Adds an interrupt vector of the card. Interrupts go to `processor`; its counters are `counts`.
static void add_vector(const char *root, const char *vector, const char *counts, size_t processor)
{
    char folder[64], text[32];
    write_file(root, "/sys/bus/pci/devices/" CARD "/msi_irqs", vector, "msix\n");
    snprintf(folder, sizeof folder, "/sys/kernel/irq/%s", vector);
    write_file(root, folder, "per_cpu_count", counts);
    snprintf(folder, sizeof folder, "/proc/irq/%s", vector);
    snprintf(text, sizeof text, "%zu\n", processor);
    write_file(root, folder, "effective_affinity_list", text);
}

static int set_up(void **state)
{
    static char root[64];
    snprintf(root, sizeof root, "/tmp/fathom-free-core-XXXXXX");
    *state = mkdtemp(root);
    return *state ? 0 : -1;
}

static int tear_down(void **state)
{
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", (const char *)*state);
    return system(command);
}

// Given a vector with most of the interrupts, and one with a few from the driver's start, then only
// the processor of the former is avoided.
static void processors_with_interrupts_are_found(void **state)
{
    const char *root = *state;
    struct arena *arena = arena_create();
    add_vector(root, "42", "0,0,14361,0\n", 2);
    add_vector(root, "43", "0,0,0,0\n", 1);
    add_vector(root, "44", "13,0,0,0\n", 0);
    struct free_core *core = free_core_create(arena, root, CARD);
    free_core_refresh(core);
    assert_true(free_core_has_interrupts(core, 2));
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(free_core_has_interrupts(core, i), i == 2);
    // When the system moves them to another processor, then the next reading sees it.
    add_vector(root, "42", "0,0,14361,90\n", 3);
    free_core_refresh(core);
    assert_true(free_core_has_interrupts(core, 3) && !free_core_has_interrupts(core, 2));
    arena_destroy(arena);
}

static void a_card_that_is_not_known_has_none(void **state)
{
    struct arena *arena = arena_create();
    struct free_core *core = free_core_create(arena, *state, NULL);
    free_core_refresh(core);
    for (unsigned i = 0; i < CPU_SETSIZE; i++)
        assert_false(free_core_has_interrupts(core, i));
    arena_destroy(arena);
}

// Adds readings of contention that vary by 1 % around `contention`.
static void note(struct free_core *core, double contention, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        free_core_note(core, contention * (0.995 + 0.01 * (i % 10) / 10));
}

// Given many readings of free cores and a few that are too low, then a core with the usual reading
// is free, and a busy one is not. As many readings of busy cores do not change that.
static void a_reading_that_is_too_low_changes_nothing(void **state)
{
    struct arena *arena = arena_create();
    struct free_core *core = free_core_create(arena, *state, NULL);
    for (unsigned i = 0; i < 4; i++) {
        note(core, 1.23, 2500);
        free_core_note(core, 0.99);
        assert_true(free_core_judge(core, 1.24));
        assert_false(free_core_judge(core, 1.6));
    }
    note(core, 2, 10000);
    assert_true(free_core_judge(core, 1.24));
    assert_false(free_core_judge(core, 1.6));
    arena_destroy(arena);
}

// Given one reading of each processor, when two are free, then free and busy ones are told apart.
static void the_first_readings_tell_free_from_busy(void **state)
{
    struct arena *arena = arena_create();
    struct free_core *core = free_core_create(arena, *state, NULL);
    note(core, 2, 14);
    note(core, 1.23, 2);
    assert_true(free_core_judge(core, 1.24));
    assert_false(free_core_judge(core, 1.6));
    arena_destroy(arena);
}

// The processors that this thread may use, in `list`; returns their number.
static size_t allowed(size_t list[CPU_SETSIZE])
{
    cpu_set_t set;
    size_t count = 0;
    assert_int_equal(sched_getaffinity(0, sizeof set, &set), 0);
    for (size_t i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, &set))
            list[count++] = i;
    return count;
}

// Creates a search for a core. The first `count` processors of `list` handle the card's interrupts.
static struct free_core *avoiding(struct arena *arena, const char *root, const size_t *list,
                                  size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char vector[24];
        snprintf(vector, sizeof vector, "%zu", 100 + i);
        add_vector(root, vector, "1000\n", list[i]);
    }
    struct free_core *core = free_core_create(arena, root, CARD);
    free_core_refresh(core);
    return core;
}

// Given interrupts on all processors but one, then the thread moves to that one, and may use all
// others afterwards, too.
static void the_thread_leaves_processors_with_interrupts(void **state)
{
    size_t before[CPU_SETSIZE], after[CPU_SETSIZE], count = allowed(before);
    if (count < 2)
        skip();
    struct arena *arena = arena_create();
    struct free_core *core = avoiding(arena, *state, before, count - 1);
    bool arrived = false;
    // The system may move the thread again before the test asks for its processor.
    for (int i = 0; i < 1000 && !arrived; i++) {
        free_core_settle(core);
        arrived = sched_getcpu() == (int)before[count - 1];
    }
    assert_true(arrived);
    assert_int_equal(allowed(after), count);
    arena_destroy(arena);
}

// Given interrupts on all processors, then none is avoided: the thread has to run somewhere.
static void interrupts_everywhere_do_not_count(void **state)
{
    size_t before[CPU_SETSIZE], after[CPU_SETSIZE], count = allowed(before);
    struct arena *arena = arena_create();
    struct free_core *core = avoiding(arena, *state, before, count);
    bool free = false;
    for (int i = 0; i < 1000 && !free; i++) {
        free_core_settle(core);
        free = free_core_is_free(core);
    }
    assert_true(free);
    assert_int_equal(allowed(after), count);
    arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(processors_with_interrupts_are_found, set_up, tear_down),
        cmocka_unit_test(a_card_that_is_not_known_has_none),
        cmocka_unit_test(a_reading_that_is_too_low_changes_nothing),
        cmocka_unit_test(the_first_readings_tell_free_from_busy),
        cmocka_unit_test_setup_teardown(the_thread_leaves_processors_with_interrupts, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(interrupts_everywhere_do_not_count, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
