// SPDX-License-Identifier: MIT
#include "sensors/link.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

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
    assert_true(fabs(reading.values[SENSOR_POWER] - 412.5) < 1e-9);
    assert_true(reading.values[SENSOR_TEMPERATURE] == 41);
    assert_true(reading.values[SENSOR_ENERGY] >= 5000);
    assert_true((unsigned)reading.values[SENSOR_THROTTLE] ==
                (SENSOR_THROTTLE_POWER | SENSOR_THROTTLE_THERMAL));
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_card_is_found_by_uuid),
        cmocka_unit_test(a_card_is_found_by_pci_address),
        cmocka_unit_test(another_card_is_not_mistaken_for_it),
        cmocka_unit_test(its_link_is_known_where_sysfs_does_not_tell),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
