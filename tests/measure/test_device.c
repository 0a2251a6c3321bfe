// SPDX-License-Identifier: MIT
// The clock probe, spans, programs and words on the device that is there.
#include "device_api.h"
#include "gpu/backend.h"
#include "measure/clock_kernel.h"
#include "measure/program.h"
#include "measure/span.h"
#include "measure/unit.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

struct fixture {
    struct gpu_system *system;
    struct gpu_device *device;
    struct gpu_scope *scope;
};

static struct work *scripted; // work whose times are scripted; NULL: none
static double stretched = 1;  // factor by which time stamps say more time than they should

static int open_device(void **state)
{
    static struct fixture fixture;
    struct error err;
    scripted = NULL;
    fixture.system = gpu_system_create(&(struct gpu_system_desc){.only_api = device_api()});
    fixture.device = gpu_device_open(fixture.system, gpu_system_info(fixture.system, 0),
                                     &(struct gpu_device_desc){0}, &err);
    if (!fixture.device)
        return -1;
    fixture.scope = gpu_scope_open(fixture.device);
    *state = &fixture;
    return 0;
}

static int close_device(void **state)
{
    struct fixture *fixture = *state;
    gpu_scope_close(fixture->scope);
    gpu_device_close(fixture->device);
    gpu_system_destroy(fixture->system);
    return 0;
}

static bool has(const struct fixture *fixture, gpu_caps caps)
{
    return gpu_require(gpu_device_info(fixture->device), caps, NULL);
}

static void clocks_are_as_the_device_promises(void **state)
{
    struct fixture *fixture = *state;
    const struct gpu_info *info = gpu_device_info(fixture->device);
    struct measure_clock clock;
    struct error err;
    if (!measure_clock_probe(fixture->scope, NULL, &clock, &err))
        fail_msg("%s", err.message);
    print_message("%s: counter %u bits at %.6g Hz, step %g, %s; device clock tick %g ns, step %g "
                  "ns, %u bits; a turn %.3g ns\n",
                  info->name, clock.counter_bits, clock.counter_hz, clock.counter_step,
                  clock.counts_core_clock ? "a core clock" : "no core clock", clock.device_tick_ns,
                  clock.device_step_ns, clock.device_bits, clock.iteration_ns);
    assert_int_equal(clock.has_counter, has(fixture, GPU_CAP(CORE_CLOCK)));
    assert_int_equal(clock.has_device_clock, has(fixture, GPU_CAP(DEVICE_CLOCK)));
    if (info->kind == GPU_KIND_CPU && clock.has_counter && clock.has_device_clock) {
        // On a CPU, the counter is the host's clock in ns, whatever its name.
        assert_true(fabs(clock.counter_hz / 1e9 - 1) < 1e-3);
        assert_true(clock.device_tick_ns == 1);
        assert_false(clock.counts_core_clock);
    }
}

// A unit of work: one dispatch that waits.
struct work {
    struct clock_dispatch dispatch;
    uint64_t recorded; // units of the last recording
    unsigned runs;     // submissions whose times are scripted
    double total_ns;   // their scripted times together
    uint64_t units;    // their units together
};

static void record_work(void *context, struct gpu_batch *batch, uint64_t repeats)
{
    struct work *work = context;
    work->recorded = repeats;
    for (uint64_t i = 0; i < repeats; i++)
        clock_kernel_dispatch(batch, &work->dispatch);
}

// Each unit of the scripted work seems to take SLOW_NS in the first SLOW_RUNS submissions, and
// FAST_NS from then on. Meanwhile no deadline passes.
enum {
    SLOW_RUNS = 9,
    SLOW_NS = 100000,
    FAST_NS = 50000
};

bool __real_gpu_batch_span_ns(struct gpu_batch *batch, unsigned span, double *ns,
                              struct error *err);
bool __wrap_gpu_batch_span_ns(struct gpu_batch *batch, unsigned span, double *ns,
                              struct error *err);
uint64_t __real_clock_deadline_ns(uint64_t ns);
uint64_t __wrap_clock_deadline_ns(uint64_t ns);

bool __wrap_gpu_batch_span_ns(struct gpu_batch *batch, unsigned span, double *ns, struct error *err)
{
    bool known = __real_gpu_batch_span_ns(batch, span, ns, err);
    if (scripted) {
        *ns = (double)scripted->recorded * (scripted->runs++ < SLOW_RUNS ? SLOW_NS : FAST_NS);
        scripted->total_ns += *ns;
        scripted->units += scripted->recorded;
    }
    *ns *= stretched;
    return known;
}

uint64_t __wrap_clock_deadline_ns(uint64_t ns)
{
    return scripted ? UINT64_MAX : __real_clock_deadline_ns(ns);
}

// Sets the clock, and the work of a span that measures with it. Skips the test if the device has no
// clock kernel.
static void prepare_work(const struct fixture *fixture, struct measure_clock *clock,
                         struct work *work)
{
    struct error err;
    if (!measure_clock_probe(fixture->scope, NULL, clock, &err))
        fail_msg("%s", err.message);
    if (!clock->program)
        skip();
    *work = (struct work){
        .dispatch = {.program = clock->program, .groups = 4, .stamps = 8, .iterations = 400}};
    const struct gpu_buffer_desc buffer = {
        .bytes = clock_kernel_bytes(work->dispatch.groups, work->dispatch.stamps),
        .memory = GPU_MEMORY_DEVICE,
    };
    work->dispatch.buffer = gpu_buffer_create(fixture->scope, &buffer, &err);
    assert_non_null(work->dispatch.buffer);
}

static void run_span(struct arena *arena, const struct measure_span_desc *desc,
                     struct measure_span *span)
{
    struct error err;
    if (!measure_span_run(arena, desc, span, &err))
        fail_msg("%s", err.message);
}

// Given a device that works at half its speed until it is warm, then the samples are sized for its
// full speed.
static void spans_are_sized_warmed_up_and_sampled(void **state)
{
    struct fixture *fixture = *state;
    struct arena *arena = arena_create();
    struct measure_clock clock;
    struct work work;
    struct measure_span span;
    prepare_work(fixture, &clock, &work);
    work.dispatch.iterations = 0;
    const struct measure_request request = {.samples = 6, .sample_ns = 2000000};
    struct measure_span_desc desc = {
        .scope = fixture->scope,
        .record = record_work,
        .context = &work,
        .clock = &clock,
        .request = &request,
    };
    scripted = &work;
    run_span(arena, &desc, &span);
    assert_int_equal(span.count, request.samples);
    assert_int_equal(span.repeats, work.recorded);
    assert_true(span.sample_ns >= 2e6 && span.sample_ns < 2.4e6);
    for (size_t i = 0; i < span.count; i++)
        assert_true(span.unit_ns[i] == FAST_NS);
    assert_true((double)span.device_time_ns == work.total_ns);
    assert_int_equal(span.ran.units, work.units);
    assert_false(span.ran.or_more);
    assert_int_equal(span.core_hz != NULL, clock.counts_core_clock && clock.has_device_clock);

    // When a later visit already has the number of units, then it is kept.
    desc.repeats = 3;
    run_span(arena, &desc, &span);
    assert_int_equal(span.repeats, 3);

    // When the probe saw that the driver rounds time stamps to 0.01 ms, then samples last 1000 of
    // these steps, and such a step is their error.
    clock.stamp_step_ns = 1e4;
    desc.repeats = 0;
    run_span(arena, &desc, &span);
    assert_true(span.sample_ns >= 1e7 && span.sample_ns < 1.2e7);
    assert_true(fabs(span.step_ns * (double)span.repeats - 1e4) < 1e-6);
    scripted = NULL;
    arena_destroy(arena);
}

// A unit takes at least a quarter of the time that its waits should take. If other work delayed
// every wait of the clock's probe, both are measured again.
static void the_span_lasts_as_long_as_its_work(void **state)
{
    struct fixture *fixture = *state;
    struct arena *arena = arena_create();
    double unit_ns = 0, waited_ns = INFINITY;
    for (unsigned attempt = 0; attempt < 20 && unit_ns <= waited_ns / 4; attempt++) {
        struct measure_clock clock;
        struct work work;
        struct measure_span span;
        prepare_work(fixture, &clock, &work);
        const struct measure_request request = {.samples = 6, .sample_ns = 2000000};
        const struct measure_span_desc desc = {.scope = fixture->scope,
                                               .record = record_work,
                                               .context = &work,
                                               .request = &request,
                                               .repeats = 16};
        run_span(arena, &desc, &span);
        unit_ns = INFINITY;
        for (size_t i = 0; i < span.count; i++)
            unit_ns = fmin(unit_ns, span.unit_ns[i]);
        waited_ns = (work.dispatch.stamps - 1) * work.dispatch.iterations * clock.iteration_ns;
        print_message("%.4g ns a unit, waits of %.4g ns\n", unit_ns, waited_ns);
    }
    assert_true(unit_ns > waited_ns / 4);
    arena_destroy(arena);
}

// Given a GPU whose kernels can read no clock, when its time stamps say ten times too much, then
// the host's clock shows it.
static void time_stamps_of_a_wrong_unit_contradict_the_host(void **state)
{
    struct fixture *fixture = *state;
    const struct gpu_info *really = fixture->device->info;
    struct gpu_info gpu = *really;
    struct measure_clock clock;
    struct error err;
    gpu.kind = GPU_KIND_DISCRETE;
    gpu.caps &= ~(GPU_CAP(CORE_CLOCK) | GPU_CAP(DEVICE_CLOCK) | GPU_CAP(CORE_ID));
    fixture->device->info = &gpu;
    stretched = 10;
    bool done = measure_clock_probe(fixture->scope, NULL, &clock, &err);
    stretched = 1;
    fixture->device->info = really;
    if (!done)
        fail_msg("%s", err.message);
    print_message("%.3g %% too much time\n", 100 * clock.stamps_off);
    assert_true(clock.stamps_off > 0.1);
    assert_null(clock.program);
}

static void a_recording_mistake_is_reported(void **state)
{
    struct fixture *fixture = *state;
    struct arena *arena = arena_create();
    struct work work = {0}; // no program
    const struct measure_request request = {.samples = 1, .sample_ns = 1000};
    const struct measure_span_desc desc = {
        .scope = fixture->scope, .record = record_work, .context = &work, .request = &request};
    struct measure_span span;
    struct error err = {0};
    assert_false(measure_span_run(arena, &desc, &span, &err));
    assert_int_equal(err.code, ERROR_INTERNAL);
    arena_destroy(arena);
}

static void programs_are_compiled_once_for_the_same_choices(void **state)
{
    struct fixture *fixture = *state;
    struct arena *arena = arena_create();
    struct measure_programs programs = {.arena = arena, .scope = fixture->scope};
    struct error err = {0};
    struct gpu_program *plain = measure_program(&programs, "bandwidth_check", NULL, &err);
    assert_non_null(plain);
    size_t objects = gpu_device_live_objects(fixture->device);
    assert_ptr_equal(measure_program(&programs, "bandwidth_check", NULL, &err), plain);
    assert_int_equal(gpu_device_live_objects(fixture->device), objects);
    const struct gpu_program_desc choices = {.l1_percent = 100};
    assert_ptr_not_equal(measure_program(&programs, "bandwidth_check", &choices, &err), plain);

    const struct kernel_info *info = measure_program_info(&programs, plain);
    struct measure_visit *visit = measure_visit_create(arena);
    visit_kernel(visit, plain);
    assert_string_equal(info->hash, visit->kernel.hash);
    assert_string_equal(info->source, visit->kernel.source);
    assert_ptr_equal(measure_program_info(&programs, plain), info);
    arena_destroy(arena);
}

// Given a list of programs, one of which the device cannot have, when they are compiled ahead, then
// the others are ready without another compilation. The impossible one fails when it is needed.
static void programs_are_compiled_ahead(void **state)
{
    struct fixture *fixture = *state;
    struct arena *arena = arena_create();
    struct measure_programs programs = {.arena = arena, .scope = fixture->scope};
    static const char *const kernels[] = {"bandwidth_check", "bandwidth_fill", "bandwidth_check"};
    const struct gpu_program_desc too_large = {.shared_bytes = UINT32_C(1) << 30};
    struct error err = {0};
    measure_programs_list(&programs);
    for (size_t i = 0; i < 3; i++)
        assert_null(measure_program(&programs, kernels[i], NULL, &err));
    assert_null(measure_program(&programs, kernels[0], &too_large, &err));
    assert_int_equal(err.code, ERROR_INTERNAL);
    assert_int_equal(gpu_device_live_objects(fixture->device), 0);
    measure_programs_compile(&programs);
    assert_int_equal(gpu_device_live_objects(fixture->device), 2);
    const uint64_t compile_ns = programs.compile_ns;
    assert_true(compile_ns > 0);
    for (size_t i = 0; i < 2; i++)
        assert_string_equal(
            gpu_program_kernel(measure_program(&programs, kernels[i], NULL, &err))->name,
            kernels[i]);
    assert_int_equal(programs.compile_ns, compile_ns);
    assert_null(measure_program(&programs, kernels[0], &too_large, &err));
    assert_int_equal(err.code, ERROR_UNSUPPORTED);
    measure_programs_close(&programs);
    assert_int_equal(gpu_device_live_objects(fixture->device), 0);
    arena_destroy(arena);
}

static void a_kernel_that_is_not_in_the_build_is_named(void **state)
{
    struct fixture *fixture = *state;
    struct measure_programs programs = {.scope = fixture->scope};
    struct error err = {0};
    assert_null(measure_program(&programs, "no_such_kernel", NULL, &err));
    assert_int_equal(err.code, ERROR_UNSUPPORTED);
    assert_string_equal(err.message, "this build has no kernel no_such_kernel");
}

// One kernel writes the data of `bandwidth`; another reads them and adds to words.
static void words_hold_what_kernels_added_since_they_were_cleared(void **state)
{
    struct fixture *fixture = *state;
    const struct {
        uint32_t first, count, seed;
    } params = {.count = 4096, .seed = 7};
    const struct gpu_buffer_desc desc = {.bytes = 16 * (uint64_t)params.count};
    struct arena *arena = arena_create();
    struct measure_programs programs = {.arena = arena, .scope = fixture->scope};
    struct error err = {0};
    struct gpu_buffer *data = gpu_buffer_create(fixture->scope, &desc, &err);
    struct gpu_buffer *buffer = measure_words_create(fixture->scope, &err);
    struct gpu_dispatch dispatch = {.program =
                                        measure_program(&programs, "bandwidth_fill", NULL, &err),
                                    .groups = {8},
                                    .args = {{.buffer = data}},
                                    .params = &params,
                                    .params_bytes = sizeof params};
    assert_true(data && buffer && dispatch.program);
    assert_true(measure_unit_run(fixture->device, &dispatch, 10000000000, &err));
    dispatch.program = measure_program(&programs, "bandwidth_check", NULL, &err);
    dispatch.args[1].buffer = buffer;
    struct measure_words once, twice;
    assert_true(measure_words_clear(buffer, &err));
    assert_true(measure_unit_run(fixture->device, &dispatch, 10000000000, &err));
    assert_true(measure_words_read(buffer, &once, &err));
    assert_int_equal(once.count, params.count);
    assert_true(measure_unit_run(fixture->device, &dispatch, 10000000000, &err));
    assert_true(measure_words_read(buffer, &twice, &err));
    assert_int_equal(twice.count, 2 * params.count);
    assert_int_equal(twice.sum, (uint32_t)(2 * once.sum));
    assert_true(measure_words_clear(buffer, &err) && measure_words_read(buffer, &once, &err));
    assert_true(once.count == 0 && once.sum == 0);
    arena_destroy(arena);
}

int main(int argc, char **argv)
{
    if (!device_api_choose(argc, argv))
        return 1;
    struct gpu_system *system =
        gpu_system_create(&(struct gpu_system_desc){.only_api = device_api()});
    size_t devices = gpu_system_device_count(system);
    gpu_system_destroy(system);
    if (devices == 0)
        return 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(clocks_are_as_the_device_promises, open_device,
                                        close_device),
        cmocka_unit_test_setup_teardown(spans_are_sized_warmed_up_and_sampled, open_device,
                                        close_device),
        cmocka_unit_test_setup_teardown(the_span_lasts_as_long_as_its_work, open_device,
                                        close_device),
        cmocka_unit_test_setup_teardown(time_stamps_of_a_wrong_unit_contradict_the_host,
                                        open_device, close_device),
        cmocka_unit_test_setup_teardown(a_recording_mistake_is_reported, open_device, close_device),
        cmocka_unit_test_setup_teardown(programs_are_compiled_once_for_the_same_choices,
                                        open_device, close_device),
        cmocka_unit_test_setup_teardown(programs_are_compiled_ahead, open_device, close_device),
        cmocka_unit_test_setup_teardown(a_kernel_that_is_not_in_the_build_is_named, open_device,
                                        close_device),
        cmocka_unit_test_setup_teardown(words_hold_what_kernels_added_since_they_were_cleared,
                                        open_device, close_device),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
