// SPDX-License-Identifier: MIT
// The cases that presets and --set give on an invented device.
#include "bench/latency/case.h"
#include "bench/latency/latency.h"
#include "bench/latency/session.h"
#include "bench/values.h"
#include "case_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define KIB UINT64_C(1024)
#define MIB (1024 * KIB)
#define GIB (1024 * MIB)

extern const struct benchmark bench_latency;

// A discrete GPU with all but the `missing` capabilities, 24 GiB, and a last cache of 32 MiB.
static struct gpu_info device_with(gpu_caps missing)
{
    return (struct gpu_info){
        .kind = GPU_KIND_DISCRETE,
        .caps = ~missing,
        .vendor_id = GPU_VENDOR_NVIDIA, // its driver states the last cache
        .limits = {.memory_bytes = 24 * GIB,
                   .storage_range_bytes = 4 * GIB - 4,
                   .constant_range_bytes = 64 * KIB,
                   .typed_elements = 1 << 27,
                   .image_2d = 16384,
                   .shared_bytes = 48 * KIB,
                   .last_cache_bytes = 32 * MIB},
    };
}

enum {
    SIZES_MAX = 64,
    TEXTS_MAX = 8
};

struct request {
    struct arena *arena;
    struct gpu_info device;
    struct bench_choice choices[LATENCY_PARAM_COUNT];
    struct bench_request request;
    struct bench_case_list list;
};

static void choose_texts(struct request *r, enum latency_param param, const char *texts, bool user)
{
    struct bench_choice *choice = &r->choices[param];
    choice->from_user = user;
    choice->value_count = 0;
    choice->values = ARENA_ARRAY(r->arena, TEXTS_MAX, struct case_value);
    char *copy = arena_strdup(r->arena, texts), *rest = NULL;
    for (char *text = strtok_r(copy, ",", &rest); text; text = strtok_r(NULL, ",", &rest))
        choice->values[choice->value_count++] =
            case_text_of(&bench_latency, choice->param->key, text);
}

static void choose_number(struct request *r, enum latency_param param, uint64_t number, bool user)
{
    struct bench_choice *choice = &r->choices[param];
    choice->from_user = user;
    choice->value_count = 1;
    choice->values = ARENA_ARRAY(r->arena, 1, struct case_value);
    choice->values[0] = case_value_of(choice->param);
    choice->values[0].uint = number;
}

// Fills the request as the suite would. The sizes are 1 KiB, 2 KiB, … and then all memory.
static void begin(struct request *r, const char *preset, gpu_caps missing)
{
    *r = (struct request){.arena = arena_create(), .device = device_with(missing)};
    for (size_t i = 0; i < LATENCY_PARAM_COUNT; i++)
        r->choices[i].param = &bench_latency.info.params[i];
    const struct param_info *order = &bench_latency.info.params[LATENCY_PARAM_ORDER];
    bool full = strcmp(preset, "full") == 0, quick = strcmp(preset, "quick") == 0;
    choose_texts(r, LATENCY_PARAM_PATH, bench_latency.info.params[LATENCY_PARAM_PATH].standard,
                 false);
    choose_texts(r, LATENCY_PARAM_CHAIN, "pointer,index", false);
    choose_texts(r, LATENCY_PARAM_ORDER,
                 full    ? order->full
                 : quick ? order->quick
                         : order->standard,
                 false);
    choose_texts(r, LATENCY_PARAM_LOAD, "idle", false);
    choose_number(r, LATENCY_PARAM_PITCH, 128, false);
    choose_number(r, LATENCY_PARAM_PAGE, 2 * MIB, false);
    struct bench_choice *sizes = &r->choices[LATENCY_PARAM_BYTES];
    sizes->values = ARENA_ARRAY(r->arena, SIZES_MAX, struct case_value);
    for (uint64_t bytes = KIB; bytes; bytes *= 2) {
        struct case_value *value = &sizes->values[sizes->value_count++];
        *value = case_value_of(sizes->param);
        value->uint = bytes < UINT64_C(1) << 63 ? bytes : UINT64_MAX;
    }
    r->request = (struct bench_request){.arena = r->arena,
                                        .device = &r->device,
                                        .preset = preset,
                                        .choices = r->choices,
                                        .choice_count = LATENCY_PARAM_COUNT};
}

static void plan(struct request *r)
{
    struct error err = {0};
    if (!bench_latency.plan(&r->request, &r->list, &err))
        fail_msg("%s", err.message);
}

static bool matches(const struct bench_case *c, const char *path, const char *chain,
                    const char *order)
{
    return strcmp(case_text(c, "path"), path) == 0 && strcmp(case_text(c, "chain"), chain) == 0 &&
           strcmp(case_text(c, "order"), order) == 0;
}

struct found {
    size_t count;
    uint64_t least, most;
};

static struct found find(const struct request *r, const char *path, const char *chain,
                         const char *order)
{
    struct found found = {.least = UINT64_MAX};
    for (size_t i = 0; i < r->list.count; i++) {
        const struct bench_case *c = &r->list.cases[i];
        if (!matches(c, path, chain, order))
            continue;
        uint64_t bytes = case_uint(c, "bytes");
        assert_true(found.count == 0 || bytes > found.most);
        found.count++;
        found.least = bytes < found.least ? bytes : found.least;
        found.most = bytes;
    }
    return found;
}

static void standard_sweeps_vector_whole_and_other_paths_to_twice_the_cache(void **state)
{
    (void)state;
    struct request r;
    begin(&r, "standard", 0);
    plan(&r);
    struct found random = find(&r, "vector", "pointer", "random");
    assert_int_equal(random.count, 23);
    assert_int_equal(random.least, KIB);
    assert_int_equal(random.most, 4 * GIB);
    assert_int_equal(find(&r, "vector", "pointer", "plru").most, 4 * GIB);
    assert_int_equal(find(&r, "vector", "pointer", "page").count, 0);
    // The scalar path has every second size, and the last one.
    struct found scalar = find(&r, "scalar", "pointer", "random");
    assert_int_equal(scalar.most, 64 * MIB);
    assert_int_equal(scalar.count, 9);
    assert_int_equal(find(&r, "scalar", "pointer", "plru").count, 0);
    assert_int_equal(find(&r, "scalar", "index", "random").count, 0);
    assert_int_equal(find(&r, "vector", "index", "random").most, 64 * MIB);
    assert_int_equal(find(&r, "texel", "index", "random").most, 64 * MIB);
    assert_int_equal(find(&r, "constant", "index", "random").most, 64 * KIB);
    assert_int_equal(find(&r, "shared", "index", "random").most, 48 * KIB);
    assert_int_equal(find(&r, "atomic-shared", "index", "random").most, 48 * KIB);
    arena_destroy(r.arena);
}

static void quick_has_one_order_and_every_second_octave_off_the_main_path(void **state)
{
    (void)state;
    struct request r;
    begin(&r, "quick", 0);
    plan(&r);
    struct found other = find(&r, "atomic", "pointer", "random");
    assert_int_equal(find(&r, "vector", "pointer", "plru").count, 0);
    assert_int_equal(find(&r, "vector", "index", "random").count, 0);
    assert_true(other.count > 1);
    assert_true(2 * (other.count - 1) <= find(&r, "vector", "pointer", "random").count);
    arena_destroy(r.arena);
}

static void full_has_every_chain_that_a_path_can_have(void **state)
{
    (void)state;
    struct request r;
    begin(&r, "full", 0);
    plan(&r);
    // The order `page` has from four pages up to half of the memory.
    struct found page = find(&r, "vector", "pointer", "page");
    assert_int_equal(page.least, 8 * MIB);
    assert_int_equal(page.most, 12 * GIB);
    assert_int_equal(find(&r, "vector", "index", "plru").most, 4 * GIB - 512);
    assert_int_equal(find(&r, "atomic", "index", "page").most, 4 * GIB - 512);
    assert_int_equal(find(&r, "texel", "index", "plru").most, 512 * MIB);
    assert_int_equal(find(&r, "image", "index", "random").most, 2 * GIB);
    assert_int_equal(find(&r, "image", "index", "plru").count, 0);
    assert_int_equal(find(&r, "texel", "pointer", "random").count, 0);
    assert_int_equal(find(&r, "shared", "index", "page").count, 0);
    arena_destroy(r.arena);
}

static void a_device_without_addresses_chases_indices(void **state)
{
    (void)state;
    struct request r;
    begin(&r, "standard", GPU_CAP(ADDRESSES));
    plan(&r);
    assert_int_equal(find(&r, "vector", "pointer", "random").count, 0);
    assert_int_equal(find(&r, "vector", "index", "plru").most, 4 * GIB - 512);
    assert_int_equal(find(&r, "scalar", "index", "random").most, 64 * MIB);
    arena_destroy(r.arena);
}

static void without_a_clock_in_kernels_quick_takes_half_of_the_sizes(void **state)
{
    (void)state;
    struct request with, without;
    begin(&with, "quick", 0);
    plan(&with);
    begin(&without, "quick", GPU_CAP(CORE_CLOCK));
    plan(&without);
    struct found all = find(&with, "vector", "pointer", "random");
    struct found half = find(&without, "vector", "pointer", "random");
    assert_in_range(half.count, all.count / 2, all.count / 2 + 2);
    assert_int_equal(half.most, all.most);
    arena_destroy(with.arena);
    arena_destroy(without.arena);
}

static void a_missing_feature_leaves_one_case_to_say_so(void **state)
{
    (void)state;
    struct request r;
    begin(&r, "standard", GPU_CAP(TYPED));
    plan(&r);
    assert_int_equal(find(&r, "texel", "index", "random").count, 1);
    assert_true(find(&r, "image", "index", "random").count > 1);
    arena_destroy(r.arena);
}

// A device without a feature states no limit for it either.
static void no_byte_for_a_path_leaves_one_case_to_say_so(void **state)
{
    (void)state;
    const gpu_caps missing[] = {0, GPU_CAP(TYPED) | GPU_CAP(IMAGES) | GPU_CAP(CONSTANT)};
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++) {
        struct request r;
        begin(&r, "standard", missing[i]);
        r.device.limits.typed_elements = r.device.limits.image_2d = 0;
        r.device.limits.constant_range_bytes = 0;
        plan(&r);
        assert_int_equal(find(&r, "texel", "index", "random").count, 1);
        assert_int_equal(find(&r, "image", "index", "random").count, 1);
        assert_int_equal(find(&r, "constant", "index", "random").count, 1);
        assert_true(find(&r, "vector", "pointer", "random").count > 1);
        arena_destroy(r.arena);
    }
}

static void what_the_user_sets_is_kept_as_it_is(void **state)
{
    (void)state;
    struct request r;
    begin(&r, "quick", 0);
    choose_texts(&r, LATENCY_PARAM_PATH, "texel,vector", true);
    choose_texts(&r, LATENCY_PARAM_ORDER, "plru", true);
    choose_number(&r, LATENCY_PARAM_BYTES, 8 * GIB, true);
    plan(&r);
    // Sizes that are out of reach are planned; the visit reports them.
    assert_int_equal(r.list.count, 2);
    assert_int_equal(find(&r, "texel", "index", "plru").most, 8 * GIB);
    assert_int_equal(find(&r, "vector", "pointer", "plru").most, 8 * GIB);
    assert_string_equal(case_key(r.arena, "latency", &r.list.cases[0]),
                        "latency/path=texel/chain=index/order=plru/bytes=8589934592/load=idle");
    arena_destroy(r.arena);
}

static void a_range_of_the_user_ends_where_the_device_does(void **state)
{
    (void)state;
    struct request r;
    begin(&r, "standard", 0);
    r.choices[LATENCY_PARAM_BYTES].from_user = true;
    choose_texts(&r, LATENCY_PARAM_PATH, "texel,vector", true);
    choose_texts(&r, LATENCY_PARAM_ORDER, "page", true);
    plan(&r);
    struct found pages = find(&r, "vector", "pointer", "page");
    assert_int_equal(pages.least, 8 * MIB);
    assert_int_equal(pages.most, 12 * GIB);
    assert_int_equal(pages.count, 12);
    assert_int_equal(find(&r, "texel", "index", "page").most, 64 * MIB);
    arena_destroy(r.arena);
}

static void choices_that_no_path_can_have_are_an_error(void **state)
{
    (void)state;
    struct request r;
    struct error err = {0};
    begin(&r, "standard", 0);
    choose_texts(&r, LATENCY_PARAM_PATH, "texel,shared", true);
    choose_texts(&r, LATENCY_PARAM_CHAIN, "pointer", true);
    assert_false(bench_latency.plan(&r.request, &r.list, &err));
    assert_int_equal(err.code, ERROR_USAGE);
    arena_destroy(r.arena);
}

static void pitches_and_pages_that_no_chain_has_are_refused(void **state)
{
    (void)state;
    const struct {
        enum latency_param param;
        const char *text, *message;
    } bad[] = {
        {LATENCY_PARAM_PITCH, "0", "pitch=0 B: expected a multiple of 16"},
        {LATENCY_PARAM_PITCH, "100", "pitch=100 B: expected a multiple of 16"},
        {LATENCY_PARAM_PITCH, "4294967424", "from 16 B to 64 MiB"}, // 128 if cut to 32 bits
        {LATENCY_PARAM_PAGE, "0", "page=0 B: expected a power of two"},
        {LATENCY_PARAM_PAGE, "3MiB", "page=3 MiB: expected a power of two"},
        {LATENCY_PARAM_PAGE, "4GiB", "from 1 B to 2 GiB"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct arena *arena = arena_create();
        struct value_list list;
        struct error err = {0};
        assert_false(values_parse(arena, &bench_latency.info.params[bad[i].param], bad[i].text,
                                  &list, &err));
        assert_int_equal(err.code, ERROR_USAGE);
        assert_non_null(strstr(err.message, bad[i].message));
        arena_destroy(arena);
    }
}

static void a_pitch_that_some_chains_cannot_have_leaves_out_what_nobody_named(void **state)
{
    (void)state;
    struct request r;
    struct error err = {0};
    begin(&r, "full", 0);
    choose_number(&r, LATENCY_PARAM_PITCH, 192, true); // images and pages cannot have this pitch
    plan(&r);
    assert_int_equal(find(&r, "image", "index", "random").count, 0);
    assert_int_equal(find(&r, "vector", "pointer", "page").count, 0);
    assert_true(find(&r, "vector", "pointer", "random").count > 1);
    arena_destroy(r.arena);

    const struct {
        enum latency_param param;
        const char *texts, *message;
    } named[] = {
        {LATENCY_PARAM_PATH, "vector,image", "path image has one node in 128 bytes"},
        {LATENCY_PARAM_ORDER, "random,page",
         "page 2097152 with pitch 192: both must be powers of two"},
    };
    for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
        begin(&r, "full", 0);
        choose_number(&r, LATENCY_PARAM_PITCH, 192, true);
        choose_texts(&r, named[i].param, named[i].texts, true);
        assert_false(bench_latency.plan(&r.request, &r.list, &err));
        assert_int_equal(err.code, ERROR_USAGE);
        assert_non_null(strstr(err.message, named[i].message));
        arena_destroy(r.arena);
    }
}

static void limits_are_named(void **state)
{
    (void)state;
    struct gpu_info device = device_with(0);
    const char *name = NULL;
    struct latency_case this_case = {.path = LATENCY_SHARED};
    assert_int_equal(latency_bytes_max(&device, &this_case, &name), 48 * KIB);
    assert_string_equal(name, "shared_bytes");
    device.limits.shared_bytes = 40 * KIB; // between the sizes of two arrays in kernels
    assert_int_equal(latency_bytes_max(&device, &this_case, &name), 32 * KIB);
    this_case = (struct latency_case){.path = LATENCY_VECTOR, .pointer = true};
    device.limits.memory_bytes = 8 * GIB;
    assert_int_equal(latency_bytes_max(&device, &this_case, &name), 2 * GIB);
    assert_string_equal(name, "a quarter of memory_bytes");
    device.limits.allocation_bytes = GIB;
    assert_int_equal(latency_bytes_max(&device, &this_case, &name), GIB);
    assert_string_equal(name, "allocation_bytes");
    this_case = (struct latency_case){.path = LATENCY_CONSTANT};
    device.limits.constant_range_bytes = 16 * KIB;
    assert_int_equal(latency_bytes_max(&device, &this_case, &name), 0);
    device.limits =
        (struct gpu_limits){.memory_bytes = 140 * GIB, .storage_range_bytes = 140 * GIB};
    this_case = (struct latency_case){.path = LATENCY_VECTOR, .order = LATENCY_ORDER_PAGE};
    assert_int_equal(latency_bytes_max(&device, &this_case, &name), 16 * GIB); // 2^32 4-byte words
    assert_string_equal(name, "an index of 32 bits");
    this_case.pointer = true;
    assert_int_equal(latency_bytes_max(&device, &this_case, &name), 70 * GIB);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(standard_sweeps_vector_whole_and_other_paths_to_twice_the_cache),
        cmocka_unit_test(quick_has_one_order_and_every_second_octave_off_the_main_path),
        cmocka_unit_test(full_has_every_chain_that_a_path_can_have),
        cmocka_unit_test(a_device_without_addresses_chases_indices),
        cmocka_unit_test(without_a_clock_in_kernels_quick_takes_half_of_the_sizes),
        cmocka_unit_test(a_missing_feature_leaves_one_case_to_say_so),
        cmocka_unit_test(no_byte_for_a_path_leaves_one_case_to_say_so),
        cmocka_unit_test(pitches_and_pages_that_no_chain_has_are_refused),
        cmocka_unit_test(a_pitch_that_some_chains_cannot_have_leaves_out_what_nobody_named),
        cmocka_unit_test(what_the_user_sets_is_kept_as_it_is),
        cmocka_unit_test(a_range_of_the_user_ends_where_the_device_does),
        cmocka_unit_test(choices_that_no_path_can_have_are_an_error),
        cmocka_unit_test(limits_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
