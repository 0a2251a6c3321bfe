// SPDX-License-Identifier: MIT
// Which backends a system loads and in which order, which devices it lists, and which it gives up.
#include "base/clock.h"
#include "gpu/backend.h"
#include "gpu/kernels.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct {
    char text[64]; // the loaded backends: "first shy " …
    bool shy_wants_others;
} loaded;

// Two cards, which the driver lists in the order of `cards`, and a limit that the test chooses.
static struct {
    uint8_t cards[2]; // first bytes of their UUIDs; 0: the driver states none
    bool zeros;       // the driver states a UUID of zeros instead of none
    uint64_t align_bytes;
} driver;

static void *load_cards(struct gpu_enumeration *to)
{
    for (size_t i = 0; i < 2; i++) {
        struct gpu_info info = {.name = "Card\x1b",
                                .has_uuid = driver.zeros || driver.cards[i] != 0};
        info.uuid[0] = driver.cards[i];
        info.limits.storage_align_bytes = i == 0 ? driver.align_bytes : 0;
        to->add_device(to, &info);
    }
    return &driver;
}

static void *load(struct gpu_enumeration *to, const char *name)
{
    struct gpu_info info = {.kind = GPU_KIND_DISCRETE};
    strncat(loaded.text, name, sizeof loaded.text - strlen(loaded.text) - 1);
    to->add_device(to, &info);
    to->add_unavailable(to, "another one is not there", NULL);
    return &loaded;
}

static void *first_load(struct gpu_enumeration *to)
{
    return load(to, "first ");
}

static void *shy_load(struct gpu_enumeration *to)
{
    return load(to, "shy ");
}

static void *last_load(struct gpu_enumeration *to)
{
    return load(to, "last ");
}

static bool shy_after_others(void)
{
    return loaded.shy_wants_others;
}

static void unload(void *state)
{
    (void)state;
}

static const struct gpu_backend first = {.name = "first", .load = first_load, .unload = unload};
static const struct gpu_backend shy = {
    .name = "shy", .load = shy_load, .unload = unload, .after_others = shy_after_others};
static const struct gpu_backend last = {.name = "last", .load = last_load, .unload = unload};
static const struct gpu_backend cards = {.name = "cards", .load = load_cards, .unload = unload};
const struct gpu_backend *const gpu_backends[] = {&first, &shy, &last, &cards, NULL};
const struct gpu_kernel *const kernels[] = {NULL};

static struct gpu_system *system_of(const char *only_api)
{
    loaded.text[0] = '\0';
    return gpu_system_create(&(struct gpu_system_desc){.only_api = only_api});
}

static void all_are_loaded_in_the_order_of_the_list(void **state)
{
    (void)state;
    struct gpu_system *system = system_of(NULL);
    assert_string_equal(loaded.text, "first shy last ");
    assert_int_equal(gpu_system_device_count(system), 3 + 2);
    assert_int_equal(gpu_system_unavailable_count(system), 3);
    gpu_system_destroy(system);
}

static void one_api_alone_loads_nothing_else(void **state)
{
    (void)state;
    loaded.shy_wants_others = false;
    struct gpu_system *system = system_of("shy");
    assert_string_equal(loaded.text, "shy ");
    assert_int_equal(gpu_system_device_count(system), 1);
    gpu_system_destroy(system);
}

static void a_device_without_a_name_is_listed_as_such(void **state)
{
    (void)state;
    struct gpu_system *system = system_of("first");
    assert_string_equal(gpu_system_info(system, 0)->name, "device without a name");
    gpu_system_destroy(system);
}

static void one_that_comes_after_others_has_them_loaded_but_not_listed(void **state)
{
    (void)state;
    loaded.shy_wants_others = true;
    struct gpu_system *system = system_of("shy");
    assert_string_equal(loaded.text, "first shy ");
    assert_int_equal(gpu_system_device_count(system), 1);
    assert_string_equal(gpu_system_info(system, 0)->id, "shy:0");
    assert_int_equal(gpu_system_unavailable_count(system), 1);
    assert_string_equal(gpu_system_unavailable(system, 0)->api, "shy");
    gpu_system_destroy(system);
    system = system_of("last"); // which loads no other backend
    assert_string_equal(loaded.text, "last ");
    gpu_system_destroy(system);
}

static void an_unknown_api_is_unavailable(void **state)
{
    (void)state;
    struct gpu_system *system = system_of("none");
    assert_string_equal(loaded.text, "");
    assert_int_equal(gpu_system_device_count(system), 0);
    assert_int_equal(gpu_system_unavailable_count(system), 1);
    gpu_system_destroy(system);
}

// ---------------------------------------------------------------- the same device again

static struct gpu_system *system_of_cards(uint8_t one, uint8_t other, const char *known)
{
    driver.cards[0] = one;
    driver.cards[1] = other;
    driver.align_bytes = 0;
    return gpu_system_create(
        &(struct gpu_system_desc){.only_api = "cards", .known = &known, .known_count = !!known});
}

static void assert_card(const struct gpu_system *system, const char *id, uint8_t uuid,
                        unsigned index)
{
    const struct gpu_info *info = gpu_system_find(system, id);
    assert_non_null(info);
    assert_int_equal(info->uuid[0], uuid);
    assert_int_equal(info->index, index);
}

// Given the identity of a card, when the driver lists its cards in another order, then the card
// keeps its id, and its backend still finds it at its place.
static void a_known_card_keeps_its_id(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    struct gpu_system *system = system_of_cards(0xa1, 0xb2, NULL);
    assert_card(system, "cards:0", 0xa1, 0);
    const char *identity = gpu_info_identity(arena, gpu_system_find(system, "cards:0"));
    assert_string_equal(identity, "cards:0=a1000000000000000000000000000000");
    gpu_system_destroy(system);

    system = system_of_cards(0xb2, 0xa1, identity);
    assert_card(system, "cards:0", 0xa1, 1);
    assert_card(system, identity, 0xa1, 1);
    assert_card(system, "cards:1", 0xb2, 0);
    gpu_system_destroy(system);

    system = system_of_cards(0xb2, 0xc3, identity); // the card is gone: no other one stands for it
    assert_null(gpu_system_find(system, identity));
    assert_card(system, "cards:1", 0xb2, 0);
    gpu_system_destroy(system);

    system = system_of_cards(0, 0, "cards:1"); // only the order is known
    assert_card(system, "cards:1", 0, 1);
    gpu_system_destroy(system);
    arena_destroy(arena);
}

// Given two cards with the same UUID, when another process gets the identity of one or of both,
// then that process finds the card that the driver lists at the same place.
static void cards_with_the_same_uuid_keep_their_order(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    struct gpu_system *system = system_of_cards(0xa1, 0xa1, NULL);
    const char *one = gpu_info_identity(arena, gpu_system_info(system, 0));
    const char *other = gpu_info_identity(arena, gpu_system_info(system, 1));
    gpu_system_destroy(system);
    const char *const known[] = {other, one};
    system = gpu_system_create(
        &(struct gpu_system_desc){.only_api = "cards", .known = known, .known_count = 2});
    assert_card(system, one, 0xa1, 0);
    assert_card(system, other, 0xa1, 1);
    gpu_system_destroy(system);
    for (unsigned index = 0; index < 2; index++) {
        system = system_of_cards(0xa1, 0xa1, known[1 - index]);
        assert_card(system, known[1 - index], 0xa1, index);
        assert_card(system, known[index], 0xa1, 1 - index);
        gpu_system_destroy(system);
    }
    arena_destroy(arena);
}

// Given a list of devices that another process has sent, then equal UUIDs are told apart there,
// too.
static void devices_of_another_process_have_the_same_identities(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    struct gpu_system *listed = system_of_cards(0xa1, 0xa1, NULL);
    struct gpu_system *empty = gpu_system_create_empty();
    for (size_t i = 0; i < 2; i++) {
        struct gpu_info sent = *gpu_system_info(listed, i);
        sent.twin = 0; // the processes do not send this number
        gpu_system_add_device(empty, &sent);
        assert_string_equal(gpu_info_identity(arena, gpu_system_info(empty, i)),
                            gpu_info_identity(arena, gpu_system_info(listed, i)));
    }
    gpu_system_destroy(empty);
    gpu_system_destroy(listed);
    arena_destroy(arena);
}

static void a_uuid_of_zeros_is_none(void **state)
{
    (void)state;
    driver.zeros = true;
    struct gpu_system *system = system_of_cards(0, 0xb2, NULL);
    driver.zeros = false;
    assert_false(gpu_system_info(system, 0)->has_uuid);
    assert_true(gpu_system_info(system, 1)->has_uuid);
    gpu_system_destroy(system);
}

static void a_device_whose_limits_cannot_be_true_is_unavailable(void **state)
{
    (void)state;
    driver.align_bytes = 48;
    driver.cards[0] = driver.cards[1] = 0;
    struct gpu_system *system = gpu_system_create(&(struct gpu_system_desc){.only_api = "cards"});
    assert_int_equal(gpu_system_device_count(system), 1);
    assert_card(system, "cards:0", 0, 1);
    assert_int_equal(gpu_system_unavailable_count(system), 1);
    assert_string_equal(gpu_system_unavailable(system, 0)->reason,
                        "Card\\x1b: driver reports storage_align_bytes = 48, which cannot be true");
    gpu_system_destroy(system);
}

static struct gpu_info plausible(void)
{
    return (struct gpu_info){
        .limits = {.memory_bytes = UINT64_C(150) << 30, .stamp_bits = 64, .stamp_step_ps = 1000},
        .families = {{.count = 16, .stamp_bits = 64}},
        .family_count = 1};
}

static void assert_refused(const struct gpu_info *info, const char *part)
{
    struct error err = {0};
    assert_false(gpu_info_check(info, &err));
    assert_int_equal(err.code, ERROR_UNSUPPORTED);
    assert_non_null(strstr(err.message, part));
}

static void limits_are_checked_one_by_one(void **state)
{
    (void)state;
    struct error err;
    struct gpu_info info = plausible();
    assert_true(gpu_info_check(&info, &err));
    info.limits.memory_bytes = UINT64_MAX;
    assert_refused(&info, "memory_bytes = 18446744073709551615");
    info = plausible();
    info.limits.stamp_step_ps = 0;
    assert_refused(&info, "no positive number");
    info.limits.stamp_bits = 0; // only a family without graphics has time stamps
    assert_refused(&info, "no positive number");
    info.families[0].stamp_bits = 0;
    assert_true(gpu_info_check(&info, &err));
    info = plausible();
    info.limits.stamp_bits = 65;
    assert_refused(&info, "stamp_bits = 65");
    info = plausible();
    info.families[0].stamp_bits = 31;
    assert_refused(&info, "time stamps of 31 bits");
    info = plausible();
    info.families[0].count = UINT32_MAX;
    assert_refused(&info, "4294967295 queues");
    info = plausible();
    info.family_count = GPU_FAMILIES_MAX + 1;
    assert_refused(&info, "9 families");
}

// ---------------------------------------------------------------- copies that do not end

static bool late(struct error *err)
{
    return error_set(err, ERROR_TIMEOUT, "not done after 30 s");
}

static bool late_write(struct gpu_buffer *buffer, uint64_t offset, const void *data, uint64_t bytes,
                       struct error *err)
{
    (void)buffer, (void)offset, (void)data, (void)bytes;
    return late(err);
}

static bool late_read(struct gpu_buffer *buffer, uint64_t offset, void *data, uint64_t bytes,
                      struct error *err)
{
    (void)buffer, (void)offset, (void)data, (void)bytes;
    return late(err);
}

static bool late_image_write(struct gpu_image *image, uint32_t mip, uint32_t layer,
                             const void *texels, uint64_t bytes, struct error *err)
{
    (void)image, (void)mip, (void)layer, (void)texels, (void)bytes;
    return late(err);
}

static bool late_image_copy(struct gpu_image *image, struct gpu_buffer *source, uint64_t offset,
                            struct error *err)
{
    (void)image, (void)source, (void)offset;
    return late(err);
}

// Given a driver whose copies do not end in time, when one of them is made, then nothing more is
// asked of the device: it counts as lost, and as hung.
static void after_a_copy_that_did_not_end_the_device_is_given_up(void **state)
{
    (void)state;
    static const struct gpu_backend backend = {.buffer_write = late_write,
                                               .buffer_read = late_read,
                                               .image_write = late_image_write,
                                               .image_copy_from = late_image_copy};
    static const struct gpu_info info = {.id = "late:0"};
    for (int copy = 0; copy < 4; copy++) {
        struct error err = {0};
        uint32_t word = 0;
        struct gpu_device device = {.backend = &backend, .info = &info};
        struct gpu_queue queue = {.device = &device};
        struct gpu_scope scope = {.device = &device};
        struct gpu_buffer buffer = {.object.scope = &scope, .bytes = sizeof word};
        struct gpu_image image = {.object.scope = &scope,
                                  .desc = {.format = GPU_FORMAT_R32_UINT,
                                           .width = 1,
                                           .height = 1,
                                           .depth = 1,
                                           .mips = 1,
                                           .layers = 1}};
        device.queues[0] = &queue;
        assert_false(copy == 0   ? gpu_buffer_write(&buffer, 0, &word, sizeof word, &err)
                     : copy == 1 ? gpu_buffer_read(&buffer, 0, &word, sizeof word, &err)
                     : copy == 2 ? gpu_image_write(&image, 0, 0, &word, sizeof word, &err)
                                 : gpu_image_copy_from(&image, &buffer, 0, &err));
        assert_int_equal(err.code, ERROR_TIMEOUT);
        assert_true(device.lost && device.hung);
    }
}

// ---------------------------------------------------------------- two clocks at once

static struct gpu_calibrated_timestamp told; // what the driver tells, from now on

static bool tell_clocks(struct gpu_device *device, struct gpu_calibrated_timestamp *timestamp)
{
    (void)device;
    *timestamp = told;
    timestamp->host_ns += clock_now_ns();
    return true;
}

// Given a driver that reads both clocks, when its time of the host is not that of the call, apart
// from the deviation that it states, then it cannot read both clocks.
static void a_time_of_the_host_that_is_not_now_relates_no_clocks(void **state)
{
    (void)state;
    static const struct gpu_backend backend = {.device_calibrated_timestamp = tell_clocks};
    static const struct {
        int64_t off_ns;
        uint64_t deviation_ns;
        bool taken;
    } cases[] = {{0, 0, true},
                 {-(int64_t)NS_PER_S, 0, false},
                 {NS_PER_S, 0, false},
                 {-(int64_t)NS_PER_S, 2 * NS_PER_S, true},
                 {NS_PER_S, 2 * NS_PER_S, true}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct gpu_device device = {.backend = &backend};
        struct gpu_calibrated_timestamp timestamp;
        told = (struct gpu_calibrated_timestamp){.host_ns = (uint64_t)cases[i].off_ns,
                                                 .deviation_ns = cases[i].deviation_ns};
        assert_int_equal(gpu_device_calibrated_timestamp(&device, &timestamp), cases[i].taken);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_are_loaded_in_the_order_of_the_list),
        cmocka_unit_test(one_api_alone_loads_nothing_else),
        cmocka_unit_test(a_device_without_a_name_is_listed_as_such),
        cmocka_unit_test(one_that_comes_after_others_has_them_loaded_but_not_listed),
        cmocka_unit_test(an_unknown_api_is_unavailable),
        cmocka_unit_test(a_known_card_keeps_its_id),
        cmocka_unit_test(cards_with_the_same_uuid_keep_their_order),
        cmocka_unit_test(devices_of_another_process_have_the_same_identities),
        cmocka_unit_test(a_uuid_of_zeros_is_none),
        cmocka_unit_test(a_device_whose_limits_cannot_be_true_is_unavailable),
        cmocka_unit_test(limits_are_checked_one_by_one),
        cmocka_unit_test(after_a_copy_that_did_not_end_the_device_is_given_up),
        cmocka_unit_test(a_time_of_the_host_that_is_not_now_relates_no_clocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
