// SPDX-License-Identifier: MIT
// The closed formulas of chains: the place of hop k.
#include "bench/latency/case.h"
#include "bench/latency/latency.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static struct latency_chain chain_of(const struct latency_case *this_case)
{
    struct latency_chain chain;
    struct error err;
    if (!latency_chain_of(this_case, 12345, &chain, &err))
        fail_msg("%s", err.message);
    return chain;
}

static uint64_t byte_of(const struct latency_chain *chain, uint32_t hop)
{
    struct latency_place place = latency_place(chain, hop);
    assert_true(place.block < chain->nodes);
    assert_true(place.byte < chain->block_bytes);
    return (uint64_t)place.block * chain->block_bytes + place.byte;
}

static void a_lap_of_any_order_visits_every_place_once(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {1024, 1536, 4608, 65536, 100352};
    for (unsigned order = LATENCY_ORDER_RANDOM; order <= LATENCY_ORDER_PAGE; order++) {
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            struct latency_chain chain = chain_of(&(struct latency_case){
                .pointer = true, .order = order, .bytes = sizes[i], .stride = 128, .page = 512});
            unsigned char *seen = calloc(sizes[i] / 8, 1);
            for (uint32_t hop = 0; hop < chain.nodes; hop++) {
                uint64_t byte = byte_of(&chain, hop);
                assert_true(byte % 8 == 0 && byte < sizes[i]);
                assert_int_equal(seen[byte / 8]++, 0);
            }
            free(seen);
        }
    }
}

// Between two visits of a line, plru visits all the other lines of the region once, for any line
// size. So a cache that is too small for the region keeps no line.
static void plru_reuses_a_line_after_all_others_for_any_line_size(void **state)
{
    (void)state;
    enum {
        REGION = 8192
    };
    static const enum latency_path units[] = {LATENCY_VECTOR, LATENCY_TEXEL, LATENCY_CONSTANT};
    for (size_t unit = 0; unit < 3; unit++) {
        struct latency_chain chain = chain_of(&(struct latency_case){.path = units[unit],
                                                                     .pointer = unit == 0,
                                                                     .order = LATENCY_ORDER_PLRU,
                                                                     .bytes = REGION,
                                                                     .stride = 128});
        for (uint32_t line_bytes = 32; line_bytes <= 512; line_bytes *= 2) {
            uint32_t lines = REGION / line_bytes, last_visit[REGION / 32];
            for (uint32_t count = 0; count < 2 * chain.nodes; count++) {
                uint32_t hop = count < chain.nodes ? count : count - chain.nodes;
                uint32_t line = (uint32_t)(byte_of(&chain, hop) / line_bytes);
                if (count >= chain.nodes)
                    assert_int_equal(count - last_visit[line], lines);
                last_visit[line] = count;
            }
        }
    }
}

static void a_plru_lap_touches_every_32_bytes(void **state)
{
    (void)state;
    struct latency_chain chain = chain_of(&(struct latency_case){
        .pointer = true, .order = LATENCY_ORDER_PLRU, .bytes = 4096, .stride = 128});
    bool touched[4096 / 32] = {false};
    assert_int_equal(chain.lap, 4096 / 32);
    for (uint32_t hop = 0; hop < chain.lap; hop++)
        touched[byte_of(&chain, hop) / 32] = true;
    for (size_t i = 0; i < 4096 / 32; i++)
        assert_true(touched[i]);
}

static void page_comes_to_another_page_each_hop_and_to_a_line_once(void **state)
{
    (void)state;
    enum {
        PAGE = 65536,
        LINES = PAGE / 128,
        PAGES_MAX = 16384
    };
    static const uint32_t page_counts[] = {2, 4, 255, 256, PAGES_MAX};
    for (size_t i = 0; i < sizeof page_counts / sizeof *page_counts; i++) {
        uint32_t pages = page_counts[i];
        struct latency_chain chain = chain_of(&(struct latency_case){
            .pointer = true,
            .order = LATENCY_ORDER_PAGE,
            .bytes = (uint64_t)PAGE * pages,
            .stride = 128,
            .page = PAGE,
        });
        // A lap touches as many lines with few pages as with many, if the pages have so many lines.
        assert_int_equal(chain.nodes % pages, 0);
        uint64_t most = (uint64_t)pages * PAGE, lap = LATENCY_PAGE_LAP_BYTES;
        lap = pages == PAGES_MAX ? (uint64_t)PAGES_MAX * 128 : lap < most ? lap : most;
        assert_true(50 * chain.footprint_bytes >= 49 * lap &&
                    50 * chain.footprint_bytes <= 51 * lap);
        bool *line_seen = calloc((size_t)PAGES_MAX * LINES, sizeof *line_seen);
        uint32_t last_page = UINT32_MAX;
        for (uint32_t hop = 0; hop < chain.nodes; hop++) {
            struct latency_place place = latency_place(&chain, hop);
            bool *seen = &line_seen[(size_t)place.block * LINES + place.byte / 128];
            assert_false(*seen);
            *seen = true;
            if (hop % pages != 0) // between turns, the page may stay the same
                assert_int_not_equal(place.block, last_page);
            last_page = place.block;
        }
        free(line_seen);
    }
}

static void links_are_in_the_units_of_their_path(void **state)
{
    (void)state;
    uint32_t words[2];
    struct latency_case this_case = {.pointer = true, .bytes = 1 << 20, .stride = 128};
    struct latency_chain chain = chain_of(&this_case);
    const uint64_t chunks[] = {UINT64_C(0x7fff12345600), UINT64_C(0x20000000000)};
    uint64_t byte = byte_of(&chain, 77);
    latency_link(&this_case, &chain, chunks, 77, words);
    assert_int_equal(words[0] | (uint64_t)words[1] << 32, chunks[0] + byte);

    // The chunks are halves of the region: block n/2 + i is block i of the second chunk.
    chain.chunk_shift = latency_log2(chain.nodes / 2);
    uint32_t block = latency_place(&chain, 77).block, half = chain.nodes / 2;
    latency_link(&this_case, &chain, chunks, 77, words);
    assert_int_equal(words[0] | (uint64_t)words[1] << 32,
                     block < half ? chunks[0] + byte : chunks[1] + byte - (1 << 19));

    this_case.pointer = false;
    chain = chain_of(&this_case);
    latency_link(&this_case, &chain, NULL, 77, words);
    assert_int_equal(words[0], byte / 4);

    this_case.path = LATENCY_CONSTANT;
    chain = chain_of(&this_case);
    latency_link(&this_case, &chain, NULL, 77, words);
    assert_int_equal(words[0], byte / 16);

    this_case.path = LATENCY_IMAGE;
    chain = chain_of(&this_case);
    assert_int_equal(chain.nodes, (1 << 20) / 128);
    latency_link(&this_case, &chain, NULL, 77, words);
    assert_true(words[0] % LATENCY_IMAGE_SIDE == 0 && words[1] % LATENCY_IMAGE_SIDE == 0);
    block = words[0] / LATENCY_IMAGE_SIDE + words[1] / LATENCY_IMAGE_SIDE * chain.image_columns;
    assert_int_equal(block, latency_place(&chain, 77).block);
}

static void images_are_whole_rows_and_about_square(void **state)
{
    (void)state;
    for (uint64_t bytes = 512; bytes < 1 << 24; bytes += bytes / 8 * 3 / 512 * 512 + 512) {
        struct latency_case this_case = {.path = LATENCY_IMAGE, .bytes = bytes, .stride = 128};
        struct latency_chain chain = chain_of(&this_case);
        uint32_t rows = chain.nodes / chain.image_columns;
        assert_int_equal(chain.nodes % chain.image_columns, 0);
        assert_true(rows >= chain.image_columns && rows <= 4 * chain.image_columns);
        assert_true(chain.bytes <= bytes && chain.bytes * 4 > bytes * 2);
    }
}

static void values_that_make_no_chain_are_refused(void **state)
{
    (void)state;
    static const struct {
        struct latency_case this_case;
        enum error_code code;
    } refused[] = {
        {{.bytes = 1024, .stride = 100}, ERROR_USAGE},
        {{.bytes = 1024, .stride = 0}, ERROR_USAGE},
        {{.bytes = 1024, .stride = 8}, ERROR_USAGE},
        {{.bytes = 255, .stride = 128}, ERROR_UNSUPPORTED},
        {{.bytes = 511, .stride = 128, .order = LATENCY_ORDER_PLRU}, ERROR_UNSUPPORTED},
        {{.bytes = 1 << 20, .stride = 128, .page = 384, .order = LATENCY_ORDER_PAGE}, ERROR_USAGE},
        {{.bytes = 1 << 20, .stride = 48, .page = 192, .order = LATENCY_ORDER_PAGE}, ERROR_USAGE},
        {{.bytes = 1 << 20, .stride = 128, .page = 0, .order = LATENCY_ORDER_PAGE}, ERROR_USAGE},
        {{.bytes = 1 << 20, .stride = 64, .path = LATENCY_IMAGE}, ERROR_USAGE},
        {{.bytes = UINT64_C(1) << 40, .stride = 128}, ERROR_UNSUPPORTED},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct latency_chain chain;
        struct error err = {0};
        assert_false(latency_chain_of(&refused[i].this_case, 0, &chain, &err));
        assert_int_equal(err.code, refused[i].code);
        assert_true(err.message[0] != '\0');
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lap_of_any_order_visits_every_place_once),
        cmocka_unit_test(plru_reuses_a_line_after_all_others_for_any_line_size),
        cmocka_unit_test(a_plru_lap_touches_every_32_bytes),
        cmocka_unit_test(page_comes_to_another_page_each_hop_and_to_a_line_once),
        cmocka_unit_test(links_are_in_the_units_of_their_path),
        cmocka_unit_test(images_are_whole_rows_and_about_square),
        cmocka_unit_test(values_that_make_no_chain_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
