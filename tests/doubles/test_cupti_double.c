// SPDX-License-Identifier: MIT
// Tests hardware counters of the CUDA backend on the doubles of libcuda and libcupti. FATHOM_CUPTI
// names the double's folder.
#include "gpu/counters.h"
#include "gpu/kernels.h"
#include "measure/count.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const uint64_t TIMEOUT_NS = UINT64_C(1000000000);
enum {
    CALLS_LEAST = 30,
    CALLS_MAX = 500
};

struct world {
    struct gpu_system *system;
    struct gpu_device *device;
    struct gpu_scope *scope;
    struct gpu_buffer *out;
    struct gpu_program *program;
    const char *folder; // of the double of libcupti
};

static const char *const settings[] = {"FAKE_CUPTI_FAIL_CALL", "FAKE_CUPTI_FAIL_RESULT",
                                       "FAKE_CUPTI_PASSES",    "FAKE_CUPTI_NEWER",
                                       "FAKE_CUPTI_DENIED",    "FAKE_CUPTI_MISUSE",
                                       "FAKE_CUPTI_FIRST_SET", "FAKE_CUPTI_NO_VALUES"};

static void set(const char *name, int value)
{
    char text[16];
    snprintf(text, sizeof text, "%d", value);
    setenv(name, text, 1);
}

static int get(const char *name)
{
    const char *text = getenv(name);
    return text ? (int)strtol(text, NULL, 10) : 0;
}

static int begin(void **state)
{
    static struct world world;
    struct error err;
    if (!world.folder)
        world.folder = strdup(getenv("FATHOM_CUPTI"));
    setenv("FATHOM_CUPTI", world.folder, 1);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        unsetenv(settings[i]);
    world.system = gpu_system_create(&(struct gpu_system_desc){.only_api = "cuda"});
    world.device = gpu_device_open(world.system, gpu_system_info(world.system, 0), NULL, &err);
    world.scope = gpu_scope_open(world.device);
    struct gpu_buffer_desc desc = {.bytes = 1 << 16, .memory = GPU_MEMORY_READBACK};
    world.out = gpu_buffer_create(world.scope, &desc, &err);
    struct gpu_program_desc program = {.kernel = kernel_find("prelude_ids")};
    world.program = gpu_program_create(world.scope, &program, &err);
    *state = &world;
    return world.out && world.program ? 0 : -1;
}

static int end(void **state)
{
    struct world *world = *state;
    gpu_device_close(world->device);
    gpu_system_destroy(world->system);
    return 0;
}

// Makes a batch of `count` kernels.
static struct gpu_batch *batch_of(const struct world *world, unsigned count)
{
    struct error err;
    struct gpu_batch *batch = gpu_batch_create(world->scope, &(struct gpu_batch_desc){0}, &err);
    const struct gpu_dispatch dispatch = {.program = world->program,
                                          .args = {{.buffer = world->out}}};
    assert_non_null(batch);
    for (unsigned i = 0; i < count; i++)
        gpu_batch_dispatch(batch, &dispatch);
    assert_true(gpu_batch_end(batch, &err));
    return batch;
}

static struct gpu_counters *open_counters(const struct world *world)
{
    struct error err = {0};
    struct gpu_counters *counters = gpu_counters_open(world->device, &err);
    if (!counters)
        fail_msg("%s", err.message);
    return counters;
}

static void check_refused(const struct world *world, const char *in_message)
{
    struct error err = {0};
    assert_null(gpu_counters_open(world->device, &err));
    assert_int_equal(err.code, ERROR_UNSUPPORTED);
    if (!strstr(err.message, in_message))
        fail_msg("'%s' is not in: %s", in_message, err.message);
}

// ---------------------------------------------------------------- counting

// Counts three kernels with three counters.
static bool count_three(const struct world *world, double values[3], unsigned *passes,
                        struct error *err)
{
    struct gpu_counters *counters = gpu_counters_open(world->device, err);
    if (!counters)
        return false;
    const struct gpu_counter_source sources[] = {
        *gpu_counters_source(counters, GPU_COUNTER_DRAM_READ),
        *gpu_counters_source(counters, GPU_COUNTER_L2_READ),
        {.native = "vendor__only", .factor = 1},
    };
    struct gpu_counter_set *sets = gpu_counter_set_create(counters, sources, 3, err);
    const struct gpu_counter_run run = {
        .batches = {batch_of(world, 3)}, .count = 1, .timeout_ns = TIMEOUT_NS};
    bool done = sets && gpu_counter_set_run(sets, &run, values, err);
    *passes = done ? gpu_counter_set_passes(sets) : 0;
    gpu_counters_close(counters);
    return done;
}

static void check_three(const struct world *world, unsigned passes_wanted)
{
    struct error err = {0};
    double values[3];
    unsigned passes;
    if (!count_three(world, values, &passes, &err))
        fail_msg("%s", err.message);
    assert_null(getenv("FAKE_CUPTI_MISUSE"));
    assert_int_equal(passes, passes_wanted);
    assert_true(values[0] == 3 * 100);
    assert_true(values[1] == 3 * 200 * 32); // sectors of 32 bytes
    assert_true(values[2] == 3 * 300);
    assert_int_equal(get("FAKE_CUPTI_OPEN"), 0);
}

static void counters_are_those_of_the_batch_alone(void **state)
{
    check_three(*state, 1);
}

static void a_set_of_three_passes_runs_the_batch_in_each(void **state)
{
    set("FAKE_CUPTI_PASSES", 3);
    check_three(*state, 3);
}

// Counts one and then two kernels, so that the second run finds the profiler of the first.
static void check_twice(const struct world *world, int fail_call)
{
    struct error err = {0};
    struct gpu_counters *counters = open_counters(world);
    const struct gpu_counter_source *source = gpu_counters_source(counters, GPU_COUNTER_DRAM_READ);
    struct gpu_counter_set *all = gpu_counter_set_create(counters, source, 1, &err);
    for (unsigned kernels_run = 1; kernels_run <= 2; kernels_run++) {
        const struct gpu_counter_run run = {
            .batches = {batch_of(world, kernels_run)}, .count = 1, .timeout_ns = TIMEOUT_NS};
        double value = 0;
        if (fail_call && kernels_run == 2)
            set("FAKE_CUPTI_FAIL_CALL", get("FAKE_CUPTI_CALLS") + fail_call);
        if (!gpu_counter_set_run(all, &run, &value, &err))
            fail_msg("%s", err.message);
        assert_true(value == 100 * kernels_run);
    }
    gpu_counters_close(counters);
    assert_null(getenv("FAKE_CUPTI_MISUSE"));
    assert_int_equal(get("FAKE_CUPTI_OPEN"), 0);
}

static void a_second_run_uses_the_profiler_of_the_first(void **state)
{
    check_twice(*state, 0);
}

// If a library does not let a profiler be used again, each call may be the one that says so.
static void a_run_that_fails_with_a_kept_profiler_is_made_again_with_a_new_one(void **state)
{
    for (int call = 1; call <= 10; call++)
        check_twice(*state, call);
}

// Counts one kernel with two sets in turn.
static void check_in_turn(const struct world *world)
{
    struct error err = {0};
    struct gpu_counters *counters = open_counters(world);
    const struct gpu_counter_source *read = gpu_counters_source(counters, GPU_COUNTER_DRAM_READ);
    const struct gpu_counter_source pair[] = {{.native = "smsp__inst_executed", .factor = 1},
                                              {.native = "vendor__only", .factor = 1}};
    struct gpu_counter_set *sets[] = {gpu_counter_set_create(counters, read, 1, &err),
                                      gpu_counter_set_create(counters, pair, 2, &err)};
    const struct gpu_counter_run run = {
        .batches = {batch_of(world, 1)}, .count = 1, .timeout_ns = TIMEOUT_NS};
    for (int i = 0; i < 6; i++) {
        double values[2] = {0};
        if (!gpu_counter_set_run(sets[i % 2], &run, values, &err))
            fail_msg("%s", err.message);
        assert_true(values[0] == 100 && values[1] == (i % 2 ? 200 : 0));
    }
    gpu_counters_close(counters);
    assert_null(getenv("FAKE_CUPTI_MISUSE"));
    assert_int_equal(get("FAKE_CUPTI_OPEN"), 0);
}

// On an H200 with CUPTI of CUDA 13.0 the second set of a kept profiler had no values.
static void sets_in_turn_have_values_though_a_profiler_knows_only_its_first_set(void **state)
{
    set("FAKE_CUPTI_FIRST_SET", 1);
    check_in_turn(*state);
}

static void a_set_without_values_is_refused_by_name(void **state)
{
    struct error err = {0};
    unsigned passes;
    for (int kind = 1; kind <= 2; kind++) { // values that are no numbers, and none at all
        double values[3] = {1, 2, 3};
        set("FAKE_CUPTI_NO_VALUES", kind);
        assert_false(count_three(*state, values, &passes, &err));
        assert_int_equal(err.code, ERROR_UNSUPPORTED);
        assert_non_null(strstr(err.message, "dram__bytes_read.sum"));
        assert_int_equal(get("FAKE_CUPTI_OPEN"), 0);
    }
}

static void a_later_library_takes_the_sizes_of_an_older_one(void **state)
{
    set("FAKE_CUPTI_NEWER", 1);
    check_three(*state, 1);
}

static void a_device_has_the_counters_whose_native_names_its_chip_has(void **state)
{
    struct gpu_counters *counters = open_counters(*state);
    const struct gpu_counter_source *source =
        gpu_counters_source(counters, GPU_COUNTER_STALL_MEMORY);
    size_t count;
    const char *const *natives = gpu_counters_natives(counters, &count);
    assert_non_null(source);
    assert_string_equal(source->native, "smsp__warps_issue_stalled_long_scoreboard.sum");
    assert_null(gpu_counters_source(counters, GPU_COUNTER_INSTRUCTIONS_FMA));
    assert_int_equal(count, 8);
    assert_string_equal(natives[6], "vendor__only");
    gpu_counters_close(counters);
}

// CUPTI lists ratios without a suffix, and refuses a sum of them.
static void each_name_that_is_listed_can_be_counted(void **state)
{
    struct gpu_counters *counters = open_counters(*state);
    struct error err = {0};
    size_t count;
    const char *const *natives = gpu_counters_natives(counters, &count);
    for (size_t i = 0; i < count; i++) {
        const struct gpu_counter_source source = {.native = natives[i], .factor = 1};
        if (!gpu_counter_set_create(counters, &source, 1, &err))
            fail_msg("%s: %s", natives[i], err.message);
        assert_int_equal(gpu_counters_native_unit(counters, natives[i]),
                         i == 7 ? GPU_COUNTER_RATIO : GPU_COUNTER_EVENTS);
    }
    gpu_counters_close(counters);
}

static void a_counter_that_the_chip_lacks_is_refused_by_name(void **state)
{
    static const char *const names[] = {
        "no__such.sum", "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active"};
    struct gpu_counters *counters = open_counters(*state);
    for (int i = 0; i < 2; i++) {
        struct error err = {0};
        const struct gpu_counter_source source = {.native = names[i], .factor = 1};
        assert_null(gpu_counter_set_create(counters, &source, 1, &err));
        assert_int_equal(err.code, ERROR_UNSUPPORTED);
        assert_non_null(strstr(err.message, names[i]));
    }
    gpu_counters_close(counters);
}

static void a_suffix_that_cupti_refuses_is_refused_by_name_with_those_that_it_takes(void **state)
{
    struct gpu_counters *counters = open_counters(*state);
    struct error err = {0};
    const struct gpu_counter_source sources[] = {{.native = "smsp__inst_executed", .factor = 1},
                                                 {.native = "vendor__only.foo", .factor = 1}};
    assert_null(gpu_counter_set_create(counters, sources, 2, &err));
    assert_int_equal(err.code, ERROR_UNSUPPORTED);
    assert_non_null(strstr(err.message, "vendor__only.foo ("));
    assert_non_null(strstr(err.message, ".sum, .avg, .min or .max"));
    gpu_counters_close(counters);
    assert_int_equal(get("FAKE_CUPTI_OPEN"), 0);
}

// The same launches precede both batches, so only their difference counts.
static void a_unit_of_work_is_the_slope_between_n_and_2_n(void **state)
{
    const struct world *world = *state;
    struct error err = {0};
    set("FAKE_CUPTI_PASSES", 3);
    struct arena *arena = arena_create();
    struct measure_visit *visit = measure_visit_create(arena);
    const char *const names[] = {
        "vendor__only", "stall_memory",
        "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio"};
    struct measure_count *count = measure_count_open(world->device, names, 3, &err);
    assert_non_null(count);
    assert_true(measure_count_select(count, MEASURE_COUNT_MEMORY, &err));
    const struct measure_count_desc desc = {.once = batch_of(world, 7),
                                            .twice = batch_of(world, 12),
                                            .before = batch_of(world, 1),
                                            .units = 5,
                                            .timeout_ns = TIMEOUT_NS};
    assert_true(measure_count_run(count, &desc, &err));
    struct measure_count_claims claims = measure_count_no_claims;
    claims.of[GPU_COUNTER_DRAM_READ] = 99;
    measure_count_report(count, &claims, visit);
    assert_int_equal(visit->counter_count, 8);
    assert_string_equal(visit->counters[0].name, "dram_read");
    assert_true(visit->counters[0].counted == 100 && visit->counters[0].claimed == 99);
    assert_true(visit->counters[0].units == 5);
    assert_string_equal(visit->counters[5].name, "stall_memory"); // asked for by name
    assert_string_equal(visit->counters[6].name, "native:vendor__only");
    assert_true(visit->counters[6].counted == 700);
    assert_true(visit->counters[7].counted == 12 * 800); // a ratio is not taken as a slope
    measure_count_close(count);
    arena_destroy(arena);
}

static void a_counter_is_read_if_its_group_is_selected_or_it_is_named(void **state)
{
    const struct world *world = *state;
    struct error err = {0};
    struct arena *arena = arena_create();
    struct measure_count *count = measure_count_open(world->device, NULL, 0, &err);
    const struct measure_count_desc desc = {.once = batch_of(world, 1),
                                            .twice = batch_of(world, 2),
                                            .units = 1,
                                            .timeout_ns = TIMEOUT_NS};
    static const unsigned groups[] = {
        MEASURE_COUNT_MEMORY, MEASURE_COUNT_MEMORY | MEASURE_COUNT_NAMED, MEASURE_COUNT_MEMORY};
    static const size_t expected[] = {5, 6, 5};
    for (int i = 0; i < 3; i++) {
        struct measure_visit *visit = measure_visit_create(arena);
        assert_true(measure_count_select(count, groups[i], &err));
        assert_true(measure_count_run(count, &desc, &err));
        measure_count_report(count, &measure_count_no_claims, visit);
        assert_int_equal(visit->counter_count, expected[i]);
        assert_true(visit->counters[0].counted == 100);
    }
    assert_false(measure_count_select(count, MEASURE_COUNT_UNITS, &err)); // the double has none
    measure_count_close(count);
    arena_destroy(arena);
    assert_null(getenv("FAKE_CUPTI_MISUSE"));
    assert_int_equal(get("FAKE_CUPTI_OPEN"), 0);
}

// ---------------------------------------------------------------- what lacks

// The machine of the test may have the library itself, so the folder is named.
static void without_the_library_the_message_says_what_to_install(void **state)
{
    setenv("FATHOM_CUPTI", "/nowhere", 1);
    check_refused(*state, "/nowhere has no libcupti.so: install the CUDA toolkit");
}

static void a_library_without_its_companions_is_refused_with_their_name(void **state)
{
    const struct world *world = *state;
    char path[4096];
    snprintf(path, sizeof path, "%s/alone", world->folder);
    setenv("FATHOM_CUPTI", path, 1);
    check_refused(world, "libnvperf_target.so");
}

// Neither file is a library; the message names the one that was tried first.
static void the_newest_version_of_the_library_is_tried_first(void **state)
{
    static const char *const names[] = {"libnvperf_target.so", "libnvperf_host.so", "libcupti.so.9",
                                        "libcupti.so.10"};
    const struct world *world = *state;
    char folder[] = "/tmp/fathom_cupti_XXXXXX", path[256], to[4096];
    assert_non_null(mkdtemp(folder));
    for (size_t i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        snprintf(to, sizeof to, "%s/%s", world->folder, names[i]);
        assert_int_equal(symlink(i < 2 ? to : "/dev/null", path), 0);
    }
    setenv("FATHOM_CUPTI", folder, 1);

    check_refused(world, "/libcupti.so.10: ");

    for (size_t i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        assert_int_equal(unlink(path), 0);
    }
    assert_int_equal(rmdir(folder), 0);
}

static void a_user_without_permission_gets_the_remedy(void **state)
{
    set("FAKE_CUPTI_DENIED", 1);
    check_refused(*state, "NVreg_RestrictProfilingToAdminUsers=0");
}

// Calls that end something: their failure need not be reported.
static bool may_be_silent(const struct error *err)
{
    return err->code == ERROR_NONE;
}

static void each_call_that_fails_is_told_and_cleaned_up(void **state)
{
    const struct world *world = *state;
    double values[3];
    unsigned passes, silent = 0;
    int before = get("FAKE_CUPTI_CALLS"), calls = CALLS_MAX;
    set("FAKE_CUPTI_PASSES", 2);
    for (int call = 0; call <= calls; call++) { // call 0: no call fails
        struct error err = {.code = ERROR_NONE};
        set("FAKE_CUPTI_FAIL_CALL", call ? before + call : 0);
        bool done = count_three(world, values, &passes, &err);
        if (call == 0)
            calls = get("FAKE_CUPTI_CALLS") - before;
        before = get("FAKE_CUPTI_CALLS");
        silent += call > 0 && done;
        if (!done && (err.code != ERROR_UNSUPPORTED || !strstr(err.message, "CUPTI_ERROR_UNKNOWN")))
            fail_msg("call %d fails: %s", call, may_be_silent(&err) ? "nothing" : err.message);
        if (get("FAKE_CUPTI_OPEN") != 0)
            fail_msg("call %d fails: %d objects are open", call, get("FAKE_CUPTI_OPEN"));
        if (getenv("FAKE_CUPTI_MISUSE"))
            fail_msg("call %d fails: then %s is misused", call, getenv("FAKE_CUPTI_MISUSE"));
    }
    assert_in_range(calls, CALLS_LEAST, CALLS_MAX);
    assert_int_equal(silent, 4); // two host objects, the profiler and the library are closed
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(counters_are_those_of_the_batch_alone),
        TEST(a_set_of_three_passes_runs_the_batch_in_each),
        TEST(a_second_run_uses_the_profiler_of_the_first),
        TEST(a_run_that_fails_with_a_kept_profiler_is_made_again_with_a_new_one),
        TEST(sets_in_turn_have_values_though_a_profiler_knows_only_its_first_set),
        TEST(a_set_without_values_is_refused_by_name),
        TEST(a_later_library_takes_the_sizes_of_an_older_one),
        TEST(a_device_has_the_counters_whose_native_names_its_chip_has),
        TEST(each_name_that_is_listed_can_be_counted),
        TEST(a_counter_that_the_chip_lacks_is_refused_by_name),
        TEST(a_suffix_that_cupti_refuses_is_refused_by_name_with_those_that_it_takes),
        TEST(a_unit_of_work_is_the_slope_between_n_and_2_n),
        TEST(a_counter_is_read_if_its_group_is_selected_or_it_is_named),
        TEST(without_the_library_the_message_says_what_to_install),
        TEST(a_library_without_its_companions_is_refused_with_their_name),
        TEST(the_newest_version_of_the_library_is_tried_first),
        TEST(a_user_without_permission_gets_the_remedy),
        TEST(each_call_that_fails_is_told_and_cleaned_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
