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
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define PCI    "0000:0b:00.0"
#define FOLDER "/bus/pci/devices/" PCI "/hwmon/hwmon3"

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
    static const char *const parts[] = {"/bus", "/pci", "/devices", ("/" PCI), "/hwmon", "/hwmon3"};
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
    write_file("power1_average", "203000000\n");
    write_file("temp1_input", "64000\n");
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
    static const char *const files[] = {"name", "freq1_input", "freq2_input", "power1_average",
                                        "temp1_input"};
    char path[512];
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, "%s" FOLDER "/%s", root, files[i]);
        unlink(path);
    }
    snprintf(path, sizeof path, "%s" FOLDER, root);
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
    assert_true(fabs(reading.values[SENSOR_POWER] - 203.0) < 1e-9);
    assert_true(fabs(reading.values[SENSOR_TEMPERATURE] - 64.0) < 1e-9);
    assert_true(isnan(reading.values[SENSOR_ENERGY]));
    assert_true(isnan(reading.values[SENSOR_THROTTLE]));
    sensors_close(sensors);
}

static void impossible_and_missing_values_are_absent(void **state)
{
    (void)state;
    write_file("temp1_input", "511000\n"); // 511 degC: a broken sensor
    write_file("freq2_input", "0\n");      // asleep or broken: not a clock
    write_file("freq1_input", "rubbish\n");
    struct sensors *sensors = open_card();
    struct sensor_reading reading;

    sensors_read(sensors, &reading);

    assert_true(isnan(reading.values[SENSOR_TEMPERATURE]));
    assert_true(isnan(reading.values[SENSOR_MEMORY_CLOCK]));
    assert_true(isnan(reading.values[SENSOR_CORE_CLOCK]));
    assert_true(isfinite(reading.values[SENSOR_POWER]));
    sensors_close(sensors);
}

static void a_card_nobody_knows_is_an_absence_with_reasons(void **state)
{
    (void)state;
    struct error err = {0};
    assert_null(
        sensors_open(&(struct sensors_desc){.pci = "0000:99:00.0", .sysfs_root = root}, &err));
    assert_int_equal(err.code, ERROR_UNSUPPORTED);
    assert_non_null(strstr(err.message, "NVML"));
    assert_non_null(strstr(err.message, "0000:99:00.0"));
}

static struct sensor_reading reading_at(uint64_t at_ns, double joules, double watts)
{
    struct sensor_reading reading = {.at_ns = at_ns};
    for (unsigned i = 0; i < SENSOR_VALUE_COUNT; i++)
        reading.values[i] = (double)NAN;
    reading.values[SENSOR_ENERGY] = joules;
    reading.values[SENSOR_POWER] = watts;
    return reading;
}

static void energy_is_a_difference_over_at_least_a_second(void **state)
{
    (void)state;
    struct sensors_summary summary;
    struct sensor_reading steady[] = {reading_at(0, 100, 300), reading_at(600000000, 280, 310),
                                      reading_at(1500000000, 550, 320)};

    sensors_summarise(steady, 3, &summary);
    assert_true(summary.median[SENSOR_ENERGY] == 450);
    assert_true(summary.median[SENSOR_POWER] == 310);
    assert_true(summary.minimum[SENSOR_POWER] == 300 && summary.maximum[SENSOR_POWER] == 320);

    sensors_summarise(steady, 2, &summary); // 0.6 s: too short for the counter
    assert_true(isnan(summary.median[SENSOR_ENERGY]));

    steady[2].values[SENSOR_ENERGY] = 100; // stood still
    sensors_summarise(steady, 3, &summary);
    assert_true(isnan(summary.median[SENSOR_ENERGY]));
}

static void throttle_reasons_unite_and_have_names(void **state)
{
    (void)state;
    struct sensor_reading readings[] = {reading_at(0, 0, 1), reading_at(1, 0, 1),
                                        reading_at(2, 0, 1)};
    readings[0].values[SENSOR_THROTTLE] = SENSOR_THROTTLE_POWER;
    readings[2].values[SENSOR_THROTTLE] = SENSOR_THROTTLE_THERMAL;
    struct sensors_summary summary;

    sensors_summarise(readings, 3, &summary);

    struct arena *arena = arena_create();
    unsigned set = (unsigned)summary.median[SENSOR_THROTTLE];
    assert_string_equal(sensor_throttle_text(arena, set), "power limit, thermal");
    assert_string_equal(sensor_throttle_text(arena, 0), "none");
    arena_destroy(arena);
}

static void the_sampler_reads_while_work_runs(void **state)
{
    (void)state;
    struct sensors *sensors = open_card();
    struct sensors_sampler *sampler = sensors_sampler_start(sensors, 0);
    nanosleep(&(struct timespec){.tv_nsec = 180000000}, NULL);
    struct sensors_summary summary;

    sensors_sampler_stop(sampler, &summary);

    assert_in_range(summary.readings, 3, 5); // every 50 ms at the soonest, and one at the end
    assert_true(summary.median[SENSOR_CORE_CLOCK] == 2310e6);
    assert_true(summary.span_ns >= 150000000);
    sensors_close(sensors);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(hwmon_values_arrive_in_file_units, write_card),
        cmocka_unit_test(impossible_and_missing_values_are_absent),
        cmocka_unit_test(a_card_nobody_knows_is_an_absence_with_reasons),
        cmocka_unit_test(energy_is_a_difference_over_at_least_a_second),
        cmocka_unit_test(throttle_reasons_unite_and_have_names),
        cmocka_unit_test_setup(the_sampler_reads_while_work_runs, write_card),
    };
    return cmocka_run_group_tests(tests, make_card, remove_card);
}
