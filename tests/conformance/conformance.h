// SPDX-License-Identifier: MIT
// The conformance suite of gpu.h: the same tests for every device of every backend. A test gets a
// device and an open scope. The scope is closed after the test; then no object may be alive, and
// the API's own validation must have reported nothing.
#ifndef CONFORMANCE_CONFORMANCE_H
#define CONFORMANCE_CONFORMANCE_H

#include "gpu/gpu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct conformance {
    struct gpu_system *system;
    const struct gpu_info *info;
    struct gpu_device *device;
    struct gpu_scope *scope; // of the running test
    struct arena *arena;     // destroyed after the test
};

struct suite {
    const char *name;
    const struct CMUnitTest *tests;
    size_t count;
};

extern const struct suite device_suite, memory_suite, program_suite, recording_suite, batch_suite,
    hold_suite, after_suite, limit_suite, typed_suite, image_suite, graphics_suite, rays_suite;

#define CONFORMANCE_TEST(function)                                                                 \
    cmocka_unit_test_setup_teardown(function, conformance_open_scope, conformance_close_scope)
#define CONFORMANCE_SUITE(text, table)                                                             \
    {                                                                                              \
        .name = (text), .tests = (table), .count = sizeof(table) / sizeof(table)[0]                \
    }

int conformance_open_scope(void **state);
int conformance_close_scope(void **state);

enum {
    WAIT_S = 600
};
#define WAIT_NS (WAIT_S * UINT64_C(1000000000))

// Skips the test if the device lacks one of `caps`, and prints which one.
void need(const struct conformance *t, gpu_caps caps);

// If one of these functions cannot do its work, it fails the test with the error's message.
struct gpu_buffer *make_buffer(struct conformance *t, uint64_t bytes, enum gpu_memory memory);
struct gpu_buffer *make_words(struct conformance *t, const uint32_t *words, size_t count);
struct gpu_buffer *make_filled(struct conformance *t, size_t count, uint32_t word);
// Skips the test if the kernel has no form for the device's API.
struct gpu_program *make_program(struct conformance *t, const char *name);
struct gpu_batch *make_batch(struct conformance *t, const struct gpu_batch_desc *desc);
struct gpu_hold *make_hold(struct conformance *t);
void end_batch(struct gpu_batch *batch);
void run_batch(struct gpu_batch *batch); // a batch that was ended
void end_and_run(struct gpu_batch *batch);
void run_dispatch(struct conformance *t, const struct gpu_dispatch *dispatch);
void release_hold(struct gpu_hold *hold);
uint32_t *read_words(struct conformance *t, struct gpu_buffer *buffer, uint64_t offset,
                     size_t count);
uint32_t read_word(struct gpu_buffer *buffer, uint64_t offset);

// How many workgroups of 64 threads `count` threads need.
uint32_t groups_of_64(size_t count);

// Asserts that a call failed with this code and a message that contains `text`.
void assert_refused(bool ok, const struct error *err, enum error_code code, const char *text);
void assert_done(bool ok, const struct error *err);

// Asserts that gpu_batch_end refuses the batch because of what was recorded into it.
void assert_end_refused(struct gpu_batch *batch, enum error_code code, const char *text);

uint64_t now_ns(void);
void sleep_ms(unsigned ms);

#endif
