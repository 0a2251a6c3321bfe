// SPDX-License-Identifier: MIT
// What tests of a benchmark on a device share: its session on the first device of the API that the
// test goes through (device_api.h), as a worker opens it, and visits of cases. A whole test:
// docs/ADDING_A_BENCHMARK.md. Includes cmocka.
#ifndef WORKBENCH_H
#define WORKBENCH_H

#include "bench/bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

// What a case keeps between its visits.
struct workbench_case {
    struct workbench_case *next;
    const char *key;
    void *memory; // the benchmark's own, as in struct bench_visit
    unsigned rounds;
};

struct workbench {
    const struct benchmark *benchmark;
    struct gpu_system *system;
    struct bench_session session;
    struct measure_request request; // of every visit; 2 samples of 0.1 ms unless a test changes it.
                                    // `round` is set for each visit

    // The last visit: what it measured, and its error where it failed. Valid until the next one.
    struct measure_visit *seen;
    struct error err;

    struct arena *arena;         // as long as the last visit
    struct workbench_case *kept; // of every case that was visited, the newest first
};

// A test that gets an open workbench in *state and finds nothing left open at its end. `benchmark`
// is a struct benchmark.
#define WORKBENCH_TEST(benchmark, test) WORKBENCH_TEST_SETUP(benchmark, test, workbench_setup)

// The same with a setup function of the test's own, which calls workbench_setup first.
#define WORKBENCH_TEST_SETUP(benchmark, test, setup)                                               \
    cmocka_unit_test_prestate_setup_teardown(test, setup, workbench_teardown, (void *)&(benchmark))

int workbench_setup(void **state);
int workbench_teardown(void **state);

// The same for tests that open several benchmarks in turn. False, after printing the error, where
// the device or the session cannot be opened; workbench_close is called in this case too.
bool workbench_open(struct workbench *bench, const struct benchmark *benchmark);
void workbench_close(struct workbench *bench);

// For main(): takes the API from its arguments. 0 where tests can run, else the exit status to end
// with: 77 (skipped) where the API has no device.
int workbench_status(int argc, char **argv);

// One visit of a case; false with bench->err. A case that was visited before is in its next round,
// with what it kept.
bool workbench_visit_case(struct workbench *bench, const struct bench_case *bench_case);

// The case that is written as in its key, without the benchmark: "op=read/bytes=1MiB". It lives as
// long as the workbench. Fails the test where the benchmark has no such parameter.
struct bench_case workbench_case(struct workbench *bench, const char *format, ...)
    PRINTF_LIKE(2, 3);

// One visit of the case that is written so.
bool workbench_visit(struct workbench *bench, const char *format, ...) PRINTF_LIKE(2, 3);

// Two visits of a case in rounds 0 and 1. Fails the test where one of them fails, unless the device
// lacks one of `needed`: then the first must fail with ERROR_UNSUPPORTED, and the result is false.
bool workbench_expect(struct workbench *bench, gpu_caps needed, const char *format, ...)
    PRINTF_LIKE(3, 4);

// Fails the test unless a visit of the case fails with `code`.
void workbench_refuse(struct workbench *bench, enum error_code code, const char *format, ...)
    PRINTF_LIKE(3, 4);

// The samples that the last visit took for a metric, by its number. Fails the test unless there is
// one and all are finite and above 0.
const struct measure_samples *workbench_samples(const struct workbench *bench, unsigned metric);

// Changes these bits of the word at `offset` bytes in a buffer.
void workbench_flip(struct gpu_buffer *buffer, uint64_t offset, uint32_t bits);

#endif
