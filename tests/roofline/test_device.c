// SPDX-License-Identifier: MIT
// Measures and verifies every number type and every form of the loops on the device that is there.
// Tests the verification, too: other data, or another number of steps, give MISMATCH and no number.
#include "bench/roofline/session.h"
#include "workbench.h"

#include <math.h>

extern const struct benchmark bench_roofline;

static bool visit(struct workbench *bench, const char *type, double intensity)
{
    if (!workbench_visit(bench, "type=%s/intensity=%.17g", type, intensity))
        return false;
    // The rate divided by the bandwidth is the intensity.
    const struct measure_samples *rate = &bench->seen->metrics[0];
    const struct measure_samples *bandwidth = &bench->seen->metrics[1];
    for (size_t i = 0; i < rate->count; i++)
        assert_true(fabs(rate->values[i] / bandwidth->values[i] / intensity - 1) < 1e-9);
    return true;
}

// These intensities take a part of the chains, whole steps, or iterations of each loop.
static void every_intensity_gives_what_the_host_computes(void **state)
{
    static const double intensities[] = {0.0625, 0.5, 1.6875, 5, 40.125};
    struct workbench *bench = *state;
    for (size_t n = 0; n < ROOFLINE_NUMBERS; n++)
        for (size_t i = 0; i < sizeof intensities / sizeof *intensities; i++) {
            const struct roofline_number *number = &roofline_numbers[n];
            bool missing = (number->caps & ~bench->session.info->caps) != 0;
            for (unsigned round = 0; round < 2; round++)
                if (visit(bench, number->name, intensities[i]) == missing)
                    fail_msg("%s at %g: %s", number->name, intensities[i], bench->err.message);
            if (missing)
                assert_int_equal(bench->err.code, ERROR_UNSUPPORTED);
        }
}

// Visits the case and returns whether the visit measured energy.
static bool measures_energy(struct workbench *bench, bool lacks_metric)
{
    bench->request.lacks_metric = lacks_metric;
    if (!workbench_visit(bench, "type=fp32/intensity=2/energy=0.05"))
        fail_msg("%s", bench->err.message);
    const struct measure_samples *op = &bench->seen->metrics[2];
    const struct measure_samples *byte = &bench->seen->metrics[3];
    if (op->count == 0)
        return false;
    assert_true(op->values[0] > 0);
    assert_true(fabs(byte->values[0] / op->values[0] - 2) < 1e-9);
    assert_true(bench->seen->metrics[4].values[0] > 0); // W
    return true;
}

// Uses the card of the NVML double (tests/sensors). Its energy counter rises at every reading.
static void energy_is_measured_until_a_visit_with_it_counts(void **state)
{
    struct workbench *bench = *state;
    struct roofline_session *own = bench->session.state;
    struct gpu_info other = {.has_uuid = true};
    for (unsigned i = 0; i < GPU_UUID_BYTES; i++)
        other.uuid[i] = (uint8_t)i;
    if (own->energy || !(own->energy = measure_energy_open(bench->session.arena, &other)))
        skip();
    assert_true(measures_energy(bench, true));
    assert_false(measures_energy(bench, false)); // the first visit counted
    // If it turns out later that no visit counted, then two more visits measure energy, but not
    // every visit of a busy device.
    assert_true(measures_energy(bench, true));
    assert_true(measures_energy(bench, true));
    assert_false(measures_energy(bench, true));
}

// At a high intensity, a CPU reads only a part of the buffer. This part may be smaller than what
// one workgroup reads.
static void a_cpu_reads_at_least_one_period(void **state)
{
    struct workbench *bench = *state;
    struct roofline_session *own = bench->session.state;
    if (bench->session.info->kind != GPU_KIND_CPU)
        skip();
    own->bytes = ROOFLINE_PERIOD * 16;
    if (!visit(bench, "fp32", 256))
        fail_msg("%s", bench->err.message);
}

static void one_changed_value_is_a_mismatch(void **state)
{
    struct workbench *bench = *state;
    const struct roofline_session *own = bench->session.state;
    assert_true(visit(bench, "fp32", 1));
    workbench_flip(own->source, 4096, 0x400000); // large enough that no rounding hides it
    assert_false(visit(bench, "fp32", 1));
    assert_int_equal(bench->err.code, ERROR_MISMATCH);
}

// Given too little memory for a buffer of each type, and a buffer of one type, when cases change
// the type, then all use this buffer, and the host keeps nothing of the data that was in it.
static void types_share_the_buffer_that_is_there(void **state)
{
    struct workbench *bench = *state;
    struct roofline_session *own = bench->session.state;
    size_t before = 0;
    if (GPU_CAP(FLOAT64) & ~bench->session.info->caps)
        skip();
    assert_true(visit(bench, "fp64", 1));
    own->shares = true;
    for (unsigned round = 0; round < 3; round++) {
        assert_true(visit(bench, "fp32", 1) && visit(bench, "fp64", 1));
        assert_ptr_equal(own->source, own->sources[1]);
        assert_null(own->sources[0]);
        before = before ? before : arena_used_bytes(bench->session.arena);
    }
    assert_true(arena_used_bytes(bench->session.arena) - before < ROOFLINE_PERIOD * 16);
}

static void another_number_of_steps_adds_up_to_something_else(void **state)
{
    const uint64_t bytes = 1 << 20;
    (void)state;
    for (size_t n = 0; n < ROOFLINE_NUMBERS; n++) {
        const struct roofline_number *number = &roofline_numbers[n];
        struct roofline_sums few = roofline_expect(number, 37, bytes);
        struct roofline_sums more = roofline_expect(number, 38, bytes);
        assert_int_not_equal(few.fused, more.fused);
        assert_int_not_equal(few.rounded, more.rounded);
        // Twice the memory gives twice the sum.
        assert_int_equal(roofline_expect(number, 37, 2 * bytes).fused, 2 * few.fused);
    }
}

static void only_whole_steps_make_an_intensity(void **state)
{
    (void)state;
    const struct roofline_case half = {&roofline_numbers[0], 1.0 / 128, 0};
    const struct roofline_case least = {&roofline_numbers[2], 0.0625, 0};
    const struct roofline_case most = {&roofline_numbers[1], 512, 0};
    assert_int_equal(roofline_steps(&half), 0);
    assert_int_equal(roofline_steps(&least), 2);
    assert_int_equal(roofline_steps(&most), 32768);
}

static void a_device_without_room_for_the_data_is_refused(void **state)
{
    const struct workbench *bench = *state;
    struct bench_session session = bench->session;
    struct gpu_info small = *session.info;
    struct error err = {0};
    small.limits.memory_bytes = 64 << 10;
    session.info = &small;
    assert_false(roofline_open(&session, &err));
    assert_int_equal(err.code, ERROR_UNSUPPORTED);
}

#define EACH(test) WORKBENCH_TEST(bench_roofline, test)

int main(int argc, char **argv)
{
    int status = workbench_status(argc, argv);
    if (status)
        return status;
    const struct CMUnitTest tests[] = {
        EACH(energy_is_measured_until_a_visit_with_it_counts),
        EACH(every_intensity_gives_what_the_host_computes),
        EACH(a_cpu_reads_at_least_one_period),
        EACH(one_changed_value_is_a_mismatch),
        EACH(types_share_the_buffer_that_is_there),
        EACH(a_device_without_room_for_the_data_is_refused),
        cmocka_unit_test(another_number_of_steps_adds_up_to_something_else),
        cmocka_unit_test(only_whole_steps_make_an_intensity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
