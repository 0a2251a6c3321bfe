// SPDX-License-Identifier: MIT
// The memory of chains if other processes hold most of the card's. The double of libcuda has 2 GiB,
// of which 100 MiB are free.
#include "bench/latency/session.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define MIB (UINT64_C(1) << 20)

struct stage {
    struct gpu_system *system;
    struct bench_session bench;
    struct latency_session session;
};

static int set_stage(void **state)
{
    static struct stage stage;
    struct error err = {0};
    setenv("FAKE_CUDA_MEMORY_MIB", "2048", 1);
    setenv("FAKE_CUDA_OTHERS_MIB", "1948", 1);
    stage.system = gpu_system_create(&(struct gpu_system_desc){.only_api = "cuda"});
    stage.bench.info = gpu_system_info(stage.system, 0);
    stage.bench.device = gpu_device_open(stage.system, stage.bench.info, NULL, &err);
    stage.bench.arena = arena_create();
    stage.bench.scope = gpu_scope_open(stage.bench.device);
    stage.bench.state = &stage.session;
    stage.session = (struct latency_session){.bench = &stage.bench};
    *state = &stage;
    return 0;
}

static int clear_stage(void **state)
{
    struct stage *stage = *state;
    latency_close(&stage->bench);
    gpu_scope_close(stage->bench.scope);
    size_t left = gpu_device_live_objects(stage->bench.device);
    gpu_device_close(stage->bench.device);
    gpu_system_destroy(stage->system);
    arena_destroy(stage->bench.arena);
    return left == 0 ? 0 : -1;
}

static void assert_fits(struct stage *stage, const struct latency_case *this_case, uint64_t bytes)
{
    struct error err = {0};
    const struct latency_region *region = latency_region(&stage->session, this_case, bytes, &err);
    if (!region)
        fail_msg("%s", err.message);
    assert_true(gpu_buffer_bytes(region->chunks[0]) >= bytes);
}

static void assert_does_not_fit(struct stage *stage, const struct latency_case *this_case,
                                uint64_t bytes)
{
    struct error err = {0};
    assert_null(latency_region(&stage->session, this_case, bytes, &err));
    assert_int_equal(err.code, ERROR_OUT_OF_MEMORY);
}

// Given memory for some cases only, when cases come in any order, then each region that fits alone
// is allocated, whatever came before.
static void what_fits_is_had_in_any_order(void **state)
{
    struct stage *stage = *state;
    const struct latency_case chain = {.stride = 64};
    const struct latency_case pages = {
        .pointer = true, .order = LATENCY_ORDER_PAGE, .stride = 64, .page = 4096};
    assert_fits(stage, &chain, 64 * MIB);
    assert_fits(stage, &chain, 1024);
    assert_fits(stage, &chain, 98 * MIB); // replaces the 64 MiB
    assert_does_not_fit(stage, &chain, 200 * MIB);
    assert_fits(stage, &chain, 64 * MIB);
    assert_does_not_fit(stage, &chain, 300 * MIB); // the other region, for more than 256 MiB
    assert_fits(stage, &chain, 1024);
    assert_does_not_fit(stage, &pages, 1024 * MIB);
    assert_fits(stage, &chain, 98 * MIB);
}

// Given memory for two chunks, when a chain of four chunks fails and one of two follows, then
// kernels find the addresses of the two chunks in the directory.
static void chunks_of_a_chain_that_did_not_fit_have_addresses(void **state)
{
    struct stage *stage = *state;
    const struct latency_case pages = {
        .pointer = true, .order = LATENCY_ORDER_PAGE, .stride = 64, .page = 4096};
    struct gpu_info info = *stage->bench.info;
    struct error err = {0};
    info.limits.allocation_bytes = 64 * MIB; // chunks of 32 MiB: two of them fit
    stage->bench.info = &info;
    assert_does_not_fit(stage, &pages, 128 * MIB);
    const struct latency_region *region = latency_region(&stage->session, &pages, 64 * MIB, &err);
    assert_non_null(region);
    assert_non_null(region->directory);
    uint64_t seen[2];
    assert_true(gpu_buffer_read(region->directory, 0, seen, sizeof seen, &err));
    assert_memory_equal(seen, region->addresses, sizeof seen);
}

// Given a driver that states how little memory is free, when a small region follows a large one,
// then it takes no more than it needs.
static void a_region_takes_no_more_than_it_needs_where_memory_is_short(void **state)
{
    struct stage *stage = *state;
    const struct latency_case chain = {.stride = 64};
    struct gpu_info info = *stage->bench.info;
    struct error err = {0};
    info.memory_free_bytes = 100 * MIB;
    stage->bench.info = &info;
    assert_fits(stage, &chain, 98 * MIB);
    const struct latency_region *region = latency_region(&stage->session, &chain, 1024, &err);
    assert_non_null(region);
    assert_int_equal(gpu_buffer_bytes(region->chunks[0]), 1024);
}

// Given a region with room for many small chains, when the keys of successive rounds come, then
// each chain has a place of its own in the region.
static void each_round_has_another_place(void **state)
{
    enum {
        ROUNDS = 16
    };
    struct stage *stage = *state;
    const struct latency_case chain = {.stride = 64};
    struct error err = {0};
    uint64_t offsets[ROUNDS];
    struct latency_region *region = latency_region(&stage->session, &chain, 64 * MIB, &err);
    assert_non_null(region);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        assert_true(latency_region_place(region, &stage->session, 1024, bench_round_key(i),
                                         &offsets[i], &err));
        assert_true(offsets[i] + 1024 <= gpu_buffer_bytes(region->chunks[0]));
        for (uint32_t k = 0; k < i; k++)
            assert_int_not_equal(offsets[i], offsets[k]);
    }
    // Given room for few places only, then the places of six rounds differ.
    const uint64_t large = region->chunk_bytes - 9 * 2 * MIB;
    for (uint32_t i = 0; i < 6; i++) {
        assert_true(latency_region_place(region, &stage->session, large, bench_round_key(i),
                                         &offsets[i], &err));
        for (uint32_t k = 0; k < i; k++)
            assert_int_not_equal(offsets[i], offsets[k]);
    }
    assert_true(
        latency_region_place(region, &stage->session, region->chunk_bytes, 7, &offsets[0], &err));
    assert_int_equal(offsets[0], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_fits_is_had_in_any_order, set_stage, clear_stage),
        cmocka_unit_test_setup_teardown(chunks_of_a_chain_that_did_not_fit_have_addresses,
                                        set_stage, clear_stage),
        cmocka_unit_test_setup_teardown(a_region_takes_no_more_than_it_needs_where_memory_is_short,
                                        set_stage, clear_stage),
        cmocka_unit_test_setup_teardown(each_round_has_another_place, set_stage, clear_stage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
