// SPDX-License-Identifier: MIT
// What device tests of a benchmark share: a session on the first device of the API (device_api.h),
// opened as a worker does, and visits of cases. docs/ADDING_A_BENCHMARK.md shows a whole test.
// Includes cmocka.
#ifndef WORKBENCH_H
#define WORKBENCH_H

#include "bench/bench.h"
#include "gpu/backend.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

// What a case keeps between its visits.
struct workbench_case {
    struct workbench_case *next;
    const char *key;
    void *memory; // the benchmark's memory for the case, as in struct bench_visit
    unsigned rounds;
};

struct workbench {
    const struct benchmark *benchmark;
    struct gpu_system *system;
    struct bench_session session;
    // of every visit: 2 samples of 0.1 ms unless a test changes that. Each visit sets `round`
    struct measure_request request;

    // What the last visit measured, and its error if it failed. Valid until the next visit.
    struct measure_visit *seen;
    struct error err;

    struct arena *arena;         // lives as long as the last visit
    struct workbench_case *kept; // every case that was visited, the newest first
};

// A test that gets an open workbench in *state. At its end nothing may be left open. `benchmark` is
// a struct benchmark.
#define WORKBENCH_TEST(benchmark, test) WORKBENCH_TEST_SETUP(benchmark, test, workbench_setup)

// The same with a setup function of the test, which calls workbench_setup first.
#define WORKBENCH_TEST_SETUP(benchmark, test, setup)                                               \
    cmocka_unit_test_prestate_setup_teardown(test, setup, workbench_teardown, (void *)&(benchmark))

int workbench_setup(void **state);
int workbench_teardown(void **state);

// For tests that open several benchmarks in turn. If the device or the session cannot be opened,
// prints the error and returns false. Call workbench_close then, too.
bool workbench_open(struct workbench *bench, const struct benchmark *benchmark);
void workbench_close(struct workbench *bench);

// For main(): takes the API from the arguments. Returns 0 if tests can run. Otherwise returns the
// exit status to end with: 77 (skipped) if the API has no device.
int workbench_status(int argc, char **argv);

// Makes a visit of a case. If it fails, returns false with bench->err. A second visit of a case is
// its next round, and gets what the case kept.
bool workbench_visit_case(struct workbench *bench, const struct bench_case *bench_case);

// Returns the case that is written as in its key, without the benchmark: "op=read/bytes=1MiB". It
// lives as long as the workbench. If the benchmark has no such parameter, the test fails.
struct bench_case workbench_case(struct workbench *bench, const char *format, ...)
    PRINTF_LIKE(2, 3);

// Makes a visit of the case that is written in this way.
bool workbench_visit(struct workbench *bench, const char *format, ...) PRINTF_LIKE(2, 3);

// Visits a case in rounds 0 and 1. If a visit fails, the test fails. But if the device lacks one of
// `needed`, the first visit must fail with ERROR_UNSUPPORTED; then returns false.
bool workbench_expect(struct workbench *bench, gpu_caps needed, const char *format, ...)
    PRINTF_LIKE(3, 4);

// Fails the test unless a visit of the case fails with `code`.
void workbench_refuse(struct workbench *bench, enum error_code code, const char *format, ...)
    PRINTF_LIKE(3, 4);

// Returns the samples that the last visit took for the metric with this number. Fails the test
// unless there are samples, and all are finite and above 0.
const struct measure_samples *workbench_samples(const struct workbench *bench, unsigned metric);

// Returns the device's backend, except that it runs no dispatch and says that all is done. For a
// test of a check: while device->backend is this one, nothing may be proven.
struct gpu_backend workbench_idle(const struct gpu_device *device);

// Flips these bits of the word at `offset` bytes in a buffer.
void workbench_flip(struct gpu_buffer *buffer, uint64_t offset, uint32_t bits);

#endif
