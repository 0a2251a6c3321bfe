// SPDX-License-Identifier: MIT
#include "sensors/sensors.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define PCI    "0000:0b:00.0"
#define FOLDER "/bus/pci/devices/" PCI "/hwmon/hwmon3"
#define USED   "device/mem_info_vram_used" // in sysfs, "device" links to the card's folder
#define TOTAL  "device/mem_info_vram_total"

static char root[] = "/tmp/fathom-sysfs-XXXXXX";

static void write_file(const char *name, const char *text)
{
    char path[512];
    snprintf(path, sizeof path, "%s" FOLDER "/%s", root, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void make_folders(void)
{
    static const char *const parts[] = {"/bus",   "/pci",    "/devices", ("/" PCI),
                                        "/hwmon", "/hwmon3", "/device"};
    char path[512];
    size_t used = (size_t)snprintf(path, sizeof path, "%s", root);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        used += (size_t)snprintf(path + used, sizeof path - used, "%s", parts[i]);
        assert_int_equal(mkdir(path, 0700), 0);
    }
}

static int write_card(void **state)
{
    (void)state;
    write_file("name", "amdgpu\n");
    write_file("freq1_input", "2310000000\n");
    write_file("freq2_input", "1000000000\n");
    write_file("temp1_input", "64000\n");
    write_file(TOTAL, "17179869184\n");
    write_file(USED, "1073741824\n");
    return 0;
}

static int make_card(void **state)
{
    if (!mkdtemp(root))
        return -1;
    make_folders();
    return write_card(state);
}

static int remove_card(void **state)
{
    (void)state;
    static const char *const files[] = {"name",        "freq1_input", "freq2_input",
                                        "temp1_input", USED,          TOTAL};
    char path[512];
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, "%s" FOLDER "/%s", root, files[i]);
        unlink(path);
    }
    snprintf(path, sizeof path, "%s" FOLDER "/device", root);
    while (strlen(path) >= strlen(root) && rmdir(path) == 0)
        *strrchr(path, '/') = '\0';
    return 0;
}

static struct sensors *open_card(void)
{
    struct error err = {0};
    struct sensors *sensors =
        sensors_open(&(struct sensors_desc){.pci = PCI, .sysfs_root = root}, &err);
    if (!sensors)
        fail_msg("%s", err.message);
    return sensors;
}

static void hwmon_values_arrive_in_file_units(void **state)
{
    (void)state;
    struct sensors *sensors = open_card();
    struct sensor_reading reading;

    sensors_read(sensors, &reading);

    assert_string_equal(sensors_source(sensors), "amdgpu hwmon");
    assert_true(reading.values[SENSOR_CORE_CLOCK] == 2310e6);
    assert_true(reading.values[SENSOR_MEMORY_CLOCK] == 1000e6);
    assert_true(fabs(reading.values[SENSOR_TEMPERATURE] - 64.0) < 1e-9);
    assert_true(reading.values[SENSOR_MEMORY_FREE] == 15.0 * (1 << 30));
    assert_true(isnan(reading.values[SENSOR_ENERGY]));
    assert_true(isnan(reading.values[SENSOR_THROTTLE]));
    sensors_close(sensors);
}

// Given a card whose used memory stays the same, then nobody allocates. Without the file this is
// not known.
static void an_unchanged_use_of_memory_is_no_change(void **state)
{
    (void)state;
    struct sensors *sensors = open_card();
    assert_true(sensors_memory_change(sensors, 1000000) == 0);
    write_file(USED, "");
    assert_true(isnan(sensors_memory_change(sensors, 1000000)));
    sensors_close(sensors);
}

static void impossible_and_missing_values_are_absent(void **state)
{
    (void)state;
    write_file("temp1_input", "511000\n"); // 511 degC: a broken sensor
    write_file("freq2_input", "0\n"); // the card sleeps, or the sensor is broken: this is no clock
    write_file("freq1_input", "rubbish\n");
    struct sensors *sensors = open_card();
    struct sensor_reading reading;

    sensors_read(sensors, &reading);

    assert_true(isnan(reading.values[SENSOR_TEMPERATURE]));
    assert_true(isnan(reading.values[SENSOR_MEMORY_CLOCK]));
    assert_true(isnan(reading.values[SENSOR_CORE_CLOCK]));
    sensors_close(sensors);
}

static void a_card_nobody_knows_is_unavailable_with_reasons(void **state)
{
    (void)state;
    struct error err = {0};
    assert_null(
        sensors_open(&(struct sensors_desc){.pci = "0000:99:00.0", .sysfs_root = root}, &err));
    assert_int_equal(err.code, ERROR_UNSUPPORTED);
    assert_non_null(strstr(err.message, "NVML"));
    assert_non_null(strstr(err.message, "0000:99:00.0"));
}

static void throttle_reasons_have_names(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    unsigned set = SENSOR_THROTTLE_POWER | SENSOR_THROTTLE_THERMAL;
    assert_string_equal(sensor_throttle_text(arena, set), "power limit, thermal");
    assert_string_equal(sensor_throttle_text(arena, 0), "none");
    arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(hwmon_values_arrive_in_file_units, write_card),
        cmocka_unit_test_setup(an_unchanged_use_of_memory_is_no_change, write_card),
        cmocka_unit_test(impossible_and_missing_values_are_absent),
        cmocka_unit_test(a_card_nobody_knows_is_unavailable_with_reasons),
        cmocka_unit_test(throttle_reasons_have_names),
    };
    return cmocka_run_group_tests(tests, make_card, remove_card);
}
