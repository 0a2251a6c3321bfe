// SPDX-License-Identifier: MIT
// Tests a card's link, read from files in a folder of the test.
#include "sensors/health.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

enum {
    PATH_BYTES = 256
};

static char root[] = "/tmp/fathom_link_XXXXXX";
static const char *const folders[] = {"/bus", "/bus/pci", "/bus/pci/devices",
                                      "/bus/pci/devices/0000:1b:00.0"};

static const char *below(char path[PATH_BYTES], const char *name)
{
    snprintf(path, PATH_BYTES, "%s%s", root, name);
    return path;
}

static void write_device_file(const char *name, const char *text)
{
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s%s/%s", root, folders[3], name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static int make_root(void **state)
{
    char path[PATH_BYTES];
    (void)state;
    if (!mkdtemp(root))
        return -1;
    for (size_t i = 0; i < 4; i++)
        if (mkdir(below(path, folders[i]), 0700) != 0)
            return -1;
    return 0;
}

static int remove_root(void **state)
{
    char path[PATH_BYTES];
    (void)state;
    remove(below(path, "/bus/pci/devices/0000:1b:00.0/current_link_speed"));
    remove(below(path, "/bus/pci/devices/0000:1b:00.0/current_link_width"));
    remove(below(path, "/bus/pci/devices/0000:1b:00.0/max_link_speed"));
    remove(below(path, "/bus/pci/devices/0000:1b:00.0/max_link_width"));
    remove(below(path, "/bus/pci/devices/0000:1b:00.0/vbios_version"));
    for (size_t i = 4; i-- > 0;)
        if (remove(below(path, folders[i])) != 0)
            return -1;
    return remove(root);
}

static struct sensors_desc the_card(void)
{
    return (struct sensors_desc){.pci = "0000:1b:00.0", .sysfs_root = root};
}

static void a_card_without_files_has_no_known_link(void **state)
{
    const struct sensors_desc desc = the_card(), nothing = {.sysfs_root = root};
    struct sensor_link link;
    (void)state;
    assert_false(sensors_link_read(&desc, &link));
    assert_false(sensors_link_read(&nothing, &link));
}

static void speed_and_width_make_a_rate(void **state)
{
    const struct sensors_desc desc = the_card();
    struct sensor_link link;
    (void)state;
    write_device_file("current_link_speed", "32.0 GT/s PCIe\n");
    write_device_file("current_link_width", "16\n");
    assert_true(sensors_link_read(&desc, &link));
    assert_int_equal(link.lanes, 16);
    assert_true(fabs(link.bytes_per_s - 63.015e9) < 1e7);
    assert_string_equal(link.source, "sysfs");
}

static void a_virtual_link_is_not_known(void **state)
{
    const struct sensors_desc desc = the_card();
    struct sensor_link link;
    (void)state;
    write_device_file("current_link_speed", "Unknown\n");
    write_device_file("current_link_width", "0\n");
    assert_false(sensors_link_read(&desc, &link));
}

static void the_line_code_is_taken_off(void **state)
{
    (void)state;
    assert_true(fabs(sensors_link_rate(2.5e9, 1) - 250e6) < 1);
    assert_true(fabs(sensors_link_rate(5e9, 16) - 8e9) < 1);
    assert_true(fabs(sensors_link_rate(8e9, 16) - 15.754e9) < 1e6);
    assert_true(fabs(sensors_link_rate(64e9, 16) - 121e9) < 1);
    assert_true(sensors_link_rate(16e9, 0) == 0);
    assert_true(sensors_link_rate(1e9, 16) == 0);
}

static void the_link_is_held_against_the_best_of_the_card(void **state)
{
    (void)state;
    write_device_file("current_link_speed", "16.0 GT/s PCIe\n");
    write_device_file("current_link_width", "8\n");
    write_device_file("max_link_speed", "32.0 GT/s PCIe\n");
    write_device_file("max_link_width", "16\n");
    struct sensor_health health;
    sensors_health_read(&(struct sensors_desc){.pci = "0000:1b:00.0", .sysfs_root = root}, &health);
    assert_true(health.lanes == 8 && health.lanes_max == 16);
    assert_true(health.generation == 4 && health.generation_max == 5);
    assert_true(isnan(health.power_w));
}

static void the_firmware_is_known_where_the_kernel_tells_it(void **state)
{
    (void)state;
    struct sensor_health health;
    const struct sensors_desc desc = the_card();
    sensors_health_read(&desc, &health);
    assert_string_equal(health.vbios, "");
    write_device_file("vbios_version", "113-D65209-07\n");
    sensors_health_read(&desc, &health);
    assert_string_equal(health.vbios, "113-D65209-07");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_card_without_files_has_no_known_link),
        cmocka_unit_test(speed_and_width_make_a_rate),
        cmocka_unit_test(a_virtual_link_is_not_known),
        cmocka_unit_test(the_line_code_is_taken_off),
        cmocka_unit_test(the_link_is_held_against_the_best_of_the_card),
        cmocka_unit_test(the_firmware_is_known_where_the_kernel_tells_it),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
