// SPDX-License-Identifier: MIT
#include "base/clock.h"
#include "measure/card.h"
#include "sensors/clocks.h"
#include "sensors/health.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const uint8_t known_uuid[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
static const uint8_t other_uuid[16] = {9};

static void expect_the_card(const struct sensors_desc *desc)
{
    struct error err = {0};
    struct sensors *sensors = sensors_open(desc, &err);
    if (!sensors)
        fail_msg("%s", err.message);
    struct sensor_reading reading;
    sensors_read(sensors, &reading);
    assert_string_equal(sensors_source(sensors), "NVML");
    assert_true(reading.values[SENSOR_CORE_CLOCK] == 1980e6);
    assert_true(reading.values[SENSOR_MEMORY_CLOCK] == 3201e6);
    assert_true(reading.values[SENSOR_TEMPERATURE] == 41);
    assert_true(reading.values[SENSOR_ENERGY] >= 5000);
    assert_true((unsigned)reading.values[SENSOR_THROTTLE] ==
                (SENSOR_THROTTLE_POWER | SENSOR_THROTTLE_THERMAL));
    assert_true(fabs(reading.values[SENSOR_POWER_LIMITED] - 2.5) < 1e-9);
    assert_true(fabs(reading.values[SENSOR_THERMAL_LIMITED] - 0.04) < 1e-9);
    sensors_close(sensors);
}

static void a_card_is_found_by_uuid(void **state)
{
    (void)state;
    expect_the_card(&(struct sensors_desc){.uuid = known_uuid});
}

static void a_card_is_found_by_pci_address(void **state)
{
    (void)state;
    expect_the_card(&(struct sensors_desc){.uuid = other_uuid, .pci = "0000:1b:00.0"});
}

static void another_card_is_not_mistaken_for_it(void **state)
{
    (void)state;
    struct error err = {0};
    assert_null(sensors_open(&(struct sensors_desc){.uuid = other_uuid}, &err));
    assert_int_equal(err.code, ERROR_UNSUPPORTED);
    assert_non_null(strstr(err.message, "no device with UUID"));
}

static void its_link_is_known_where_sysfs_does_not_tell(void **state)
{
    (void)state;
    struct sensor_link link;
    const struct sensors_desc desc = {
        .uuid = known_uuid, .pci = "0000:1b:00.0", .sysfs_root = "/nowhere"};
    assert_true(sensors_link_read(&desc, &link));
    assert_string_equal(link.source, "NVML");
    assert_int_equal(link.lanes, 16);
    assert_true(fabs(link.bytes_per_s - 63.015e9) < 1e7);
    assert_false(sensors_link_read(
        &(struct sensors_desc){.uuid = other_uuid, .sysfs_root = "/nowhere"}, &link));
}

// Returns the traffic of the double's card, and the time of the reading. `wrong`: what is wrong
// with the card; NULL: nothing.
static double traffic_of(const char *wrong, double *took_s)
{
    struct error err = {0};
    struct sensors *sensors = sensors_open(&(struct sensors_desc){.uuid = known_uuid}, &err);
    assert_non_null(sensors);
    assert_int_equal(setenv("NVML_DOUBLE", wrong ? wrong : "", 1), 0);
    uint64_t begin_ns = clock_now_ns();
    double traffic = sensors_traffic(sensors);
    *took_s = (double)(clock_now_ns() - begin_ns) / 1e9;
    assert_int_equal(unsetenv("NVML_DOUBLE"), 0);
    sensors_close(sensors);
    return traffic;
}

// Given another card of the host that moves 64 MiB over PCI Express between two readings, then this
// is the others' traffic. It is not known without another card, or if the card is divided.
static void the_traffic_of_other_cards_is_known(void **state)
{
    (void)state;
    static const char *const wrong[] = {"neighbour", "", "mig"};
    double traffic[3], bytes = 64.0 * (1 << 20);
    struct error err = {0};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(setenv("NVML_DOUBLE", wrong[i], 1), 0);
        struct sensors *sensors = sensors_open(&(struct sensors_desc){.uuid = known_uuid}, &err);
        assert_non_null(sensors);
        uint64_t begin_ns = clock_now_ns();
        traffic[i] = sensors_others_traffic(sensors);
        double took_s = (double)(clock_now_ns() - begin_ns) / 1e9;
        assert_true(i > 0 || (traffic[i] <= bytes / 1e-3 && traffic[i] >= bytes / took_s));
        sensors_close(sensors);
    }
    assert_int_equal(unsetenv("NVML_DOUBLE"), 0);
    assert_true(isnan(traffic[1]) && isnan(traffic[2]));
}

// Given a card that moves 4 MiB over PCI Express between two readings, a millisecond or more apart,
// then these 4 MiB are the traffic, although a counter of 32 bits overflows.
static void the_traffic_over_its_link_counts_both_directions(void **state)
{
    (void)state;
    double took_s, traffic = traffic_of(NULL, &took_s), bytes = 4.0 * (1 << 20);
    assert_true(traffic <= bytes / 1e-3 && traffic >= bytes / took_s);
}

// Given NVLinks that move 2 GiB between two readings, then the traffic includes these.
static void the_traffic_over_nvlink_is_added(void **state)
{
    (void)state;
    double took_s, traffic = traffic_of("nvlink", &took_s), bytes = 2.0 * (1 << 30);
    assert_true(isfinite(traffic) && traffic >= bytes / took_s);
}

// Given a driver that counts no bytes, but states a rate over PCI Express, then this rate is the
// traffic. If it states neither, the traffic is not known.
static void a_driver_without_counters_of_bytes_is_asked_for_the_rate(void **state)
{
    (void)state;
    double took_s;
    assert_true(traffic_of("old", &took_s) == 4000 * 1024.0);
    assert_true(isnan(traffic_of("older", &took_s)));
}

// Returns by how much the used memory of the double's card changes. `wrong`: what is wrong with the
// card; NULL: nothing.
static double memory_change_of(const char *wrong)
{
    struct error err = {0};
    assert_int_equal(setenv("NVML_DOUBLE", wrong ? wrong : "", 1), 0);
    struct sensors *sensors = sensors_open(&(struct sensors_desc){.uuid = known_uuid}, &err);
    assert_non_null(sensors);
    double change = sensors_memory_change(sensors, 1000000);
    assert_int_equal(unsetenv("NVML_DOUBLE"), 0);
    sensors_close(sensors);
    return change;
}

// Given a process that allocates or frees 512 MiB, then the used memory changes by as much. If
// nobody allocates, it does not change. If the driver does not report the memory, or the card is
// divided into instances, the change is not known.
static void memory_that_others_allocate_is_seen(void **state)
{
    (void)state;
    assert_true(memory_change_of("allocates") == 512.0 * (1 << 20));
    assert_true(memory_change_of(NULL) == 0);
    assert_true(isnan(memory_change_of("old")));
    assert_true(isnan(memory_change_of("mig")));
}

static void other_processes_of_the_card_are_named(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    char number[32];
    struct sensor_clocks_desc desc = {.card = {.pci = "0000:1b:00.0"}, .own_pid = (long)getpid()};
    snprintf(number, sizeof number, "%ld", (long)getppid());
    assert_int_equal(setenv("NVML_DOUBLE", number, 1), 0);
    const char *users = sensor_clocks_users(arena, &desc);
    assert_non_null(users);
    assert_non_null(strstr(users, arena_printf(arena, " (process %s)", number)));
    desc.own_pid = (long)getppid(); // as in a worker, whose parent is fathom
    assert_null(sensor_clocks_users(arena, &desc));
    assert_int_equal(unsetenv("NVML_DOUBLE"), 0);
    desc.own_pid = (long)getpid();
    assert_null(sensor_clocks_users(arena, &desc));
    arena_destroy(arena);
}

static void its_health_is_known(void **state)
{
    (void)state;
    struct sensor_health health;
    sensors_health_read(&(struct sensors_desc){.uuid = known_uuid}, &health);
    assert_true(health.power_w == 312.5 && health.power_limit_w == 700);
    assert_true(health.lanes == 16 && health.lanes_max == 16);
    assert_true(health.generation == 5 && health.generation_max == 5);
    assert_true(health.ecc_corrected == 3 && health.ecc_uncorrected == 0);
    assert_true(health.link_replays == 2 && health.ecc_enabled == 1);
    assert_true(health.nvlinks == 4 && health.nvlinks_active == 4);
    assert_true(health.nvlink_replays == 4 * 10 && health.nvlink_recoveries == 0);
    assert_true(health.remapped_rows == 3 && health.remap_pending == 0 && health.remap_failed == 0);
    assert_true(isnan(health.retired_pages)); // the card has remapped rows instead
    assert_string_equal(health.vbios, "96.00.74.00.01");
}

static void what_is_wrong_with_its_memory_and_links_is_known(void **state)
{
    (void)state;
    struct sensor_health health;
    const struct sensors_desc desc = {.uuid = known_uuid};
    assert_int_equal(setenv("NVML_DOUBLE", "nvlink", 1), 0);
    sensors_health_read(&desc, &health);
    assert_true(health.nvlinks == 4 && health.nvlinks_active == 3);
    assert_int_equal(setenv("NVML_DOUBLE", "rows", 1), 0);
    sensors_health_read(&desc, &health);
    assert_true(health.remap_failed == 1 && health.remap_pending == 0);
    assert_int_equal(setenv("NVML_DOUBLE", "pending", 1), 0);
    sensors_health_read(&desc, &health);
    assert_true(health.remap_failed == 0 && health.remap_pending == 1);
    assert_int_equal(setenv("NVML_DOUBLE", "volta", 1), 0);
    sensors_health_read(&desc, &health);
    assert_true(health.retired_pages == 5 && isnan(health.remapped_rows));
    assert_int_equal(unsetenv("NVML_DOUBLE"), 0);
}

static void the_health_of_another_card_is_unknown(void **state)
{
    (void)state;
    struct sensor_health health;
    sensors_health_read(&(struct sensors_desc){.uuid = other_uuid}, &health);
    assert_true(isnan(health.power_w) && isnan(health.lanes) && isnan(health.lanes_max));
    assert_true(isnan(health.ecc_uncorrected) && isnan(health.link_replays));
    assert_true(isnan(health.nvlinks) && isnan(health.nvlink_replays));
    assert_true(isnan(health.remap_failed) && isnan(health.retired_pages));
    assert_string_equal(health.vbios, "");
}

// Returns a visit of the double's card, whose samples had these three clocks. `wrong`: what is
// wrong with the card.
static struct measure_visit *visit_of(struct arena *arena, const char *wrong, double first_hz)
{
    static const struct metric_info rate = {.name = "rate", .unit = UNIT_BYTE_PER_S};
    static const struct benchmark_info info = {.metrics = &rate, .metric_count = 1};
    struct gpu_info device = {.has_uuid = true,
                              .limits = {.core_clock_hz = 1980000000, .cores = 132}};
    double case_hz = 0, hz[] = {first_hz, 1980e6, 1980e6};
    memcpy(device.uuid, known_uuid, sizeof known_uuid);
    assert_int_equal(setenv("NVML_DOUBLE", wrong, 1), 0);
    struct measure_card *card = measure_card_open(arena, &device);
    struct measure_visit *visit = measure_visit_create(arena);
    measure_card_begin(card, &case_hz);
    visit_core_clock(visit, hz, COUNT(hz), 0.001);
    measure_card_note(card, &info, false, visit);
    assert_int_equal(unsetenv("NVML_DOUBLE"), 0);
    measure_card_close(card);
    return visit;
}

// Given a card whose power limit lowers its clock, when one sample of a visit has a low clock right
// after a reading, then the card is read again and its limit is reported. The visit need not be
// taken again.
static void a_limit_that_lowers_one_sample_is_asked_for(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    const struct measure_visit *visit = visit_of(arena, "limited", 1305e6);
    assert_int_equal(visit->retake_count, 0);
    assert_string_equal(visit->remarks[0].code, "throttled");
    arena_destroy(arena);
}

// Given a card whose memory other processes fill but for 600 MiB, then the visit should be taken
// again: the driver may use the host's memory instead. With a card that is almost empty, or whose
// driver writes no numbers, it need not.
static void a_full_card_is_no_place_to_measure(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    const struct measure_visit *visit = visit_of(arena, "full", 1980e6);
    assert_int_equal(visit->retake_count, 1);
    assert_string_equal(visit->retakes[0].code, "shared-device");
    assert_non_null(strstr(visit->retakes[0].text, "only 600 MiB of the card's memory were free"));
    assert_int_equal(visit_of(arena, "", 1980e6)->retake_count, 0);
    assert_int_equal(visit_of(arena, "empty", 1980e6)->retake_count, 0);
    arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_card_is_found_by_uuid),
        cmocka_unit_test(a_card_is_found_by_pci_address),
        cmocka_unit_test(another_card_is_not_mistaken_for_it),
        cmocka_unit_test(its_link_is_known_where_sysfs_does_not_tell),
        cmocka_unit_test(its_health_is_known),
        cmocka_unit_test(what_is_wrong_with_its_memory_and_links_is_known),
        cmocka_unit_test(the_health_of_another_card_is_unknown),
        cmocka_unit_test(the_traffic_over_its_link_counts_both_directions),
        cmocka_unit_test(the_traffic_over_nvlink_is_added),
        cmocka_unit_test(the_traffic_of_other_cards_is_known),
        cmocka_unit_test(a_driver_without_counters_of_bytes_is_asked_for_the_rate),
        cmocka_unit_test(memory_that_others_allocate_is_seen),
        cmocka_unit_test(other_processes_of_the_card_are_named),
        cmocka_unit_test(a_limit_that_lowers_one_sample_is_asked_for),
        cmocka_unit_test(a_full_card_is_no_place_to_measure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
