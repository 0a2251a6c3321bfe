// SPDX-License-Identifier: MIT
// Tests which GPUs no API reaches, on machines that are trees of files, and through which API "all"
// takes a chip. tests/cli/test_run.py tests devices that are chosen by name.
#include "suite/select.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

struct machine {
    struct arena *arena;
    struct gpu_system *system;
    const char *root;
};

static int make_machine(void **state)
{
    struct arena *arena = arena_create();
    struct machine *machine = ARENA_NEW(arena, struct machine);
    char *folder = arena_strdup(arena, "/tmp/fathom-select-XXXXXX");
    assert_non_null(mkdtemp(folder));
    machine->arena = arena;
    machine->system = gpu_system_create(NULL); // the fake GPUs have another vendor
    machine->root = folder;
    *state = machine;
    return 0;
}

static void add_file(const struct machine *machine, const char *path, const char *text)
{
    char *whole = arena_printf(machine->arena, "%s/%s", machine->root, path);
    for (char *slash = strchr(whole + strlen(machine->root) + 1, '/'); slash;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(whole, 0755);
        *slash = '/';
    }
    FILE *file = fopen(whole, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void add_card(const struct machine *machine, const char *address, const char *class_code,
                     const char *vendor)
{
    const char *folder = arena_printf(machine->arena, "sys/bus/pci/devices/%s", address);
    add_file(machine, arena_printf(machine->arena, "%s/class", folder), class_code);
    add_file(machine, arena_printf(machine->arena, "%s/vendor", folder), vendor);
    add_file(machine, arena_printf(machine->arena, "%s/device", folder), "0x2335\n");
}

static int drop_machine(void **state)
{
    struct machine *machine = *state;
    const char *const argv[] = {"rm", "-r", machine->root, NULL};
    gpu_system_destroy(machine->system);
    pid_t pid = fork();
    if (pid == 0) {
        execv("/bin/rm", (char *const *)argv);
        _exit(127);
    }
    arena_destroy(machine->arena);
    return pid > 0 ? 0 : -1;
}

static size_t unreached(const struct machine *machine, struct unreached_gpu **gpus)
{
    return select_unreached(machine->arena, machine->system, machine->root, gpus);
}

static void a_machine_without_gpus_has_nothing_to_say(void **state)
{
    struct unreached_gpu *gpus;
    assert_int_equal(unreached(*state, &gpus), 0);
}

static void virtual_displays_and_network_cards_are_no_gpus(void **state)
{
    struct unreached_gpu *gpus;
    add_card(*state, "0000:00:02.0", "0x030000\n", "0x1234\n"); // QEMU's display
    add_card(*state, "0000:00:03.0", "0x020000\n", "0x8086\n"); // a network card
    assert_int_equal(unreached(*state, &gpus), 0);
}

static void a_card_without_its_kernel_driver_is_named_with_the_remedy(void **state)
{
    struct unreached_gpu *gpus;
    add_card(*state, "0000:1b:00.0", "0x030200\n", "0x10de\n");
    assert_int_equal(unreached(*state, &gpus), 1);
    assert_string_equal(gpus[0].text, "an NVIDIA GPU (10de:2335) at 0000:1b:00.0");
    assert_non_null(strstr(gpus[0].remedy, "modprobe nvidia"));
}

static void a_container_without_the_device_files_hears_of_gpus_all(void **state)
{
    struct unreached_gpu *gpus;
    add_card(*state, "0000:1b:00.0", "0x030200\n", "0x10de\n");
    add_file(*state, "proc/driver/nvidia/version", "580");
    assert_int_equal(unreached(*state, &gpus), 1);
    assert_non_null(strstr(gpus[0].remedy, "--gpus all"));
}

static void a_driver_without_its_libraries_is_named_too(void **state)
{
    struct unreached_gpu *gpus;
    add_file(*state, "proc/driver/nvidia/version", "580");
    add_file(*state, "dev/nvidia0", ""); // in a sandbox that hides sysfs
    assert_int_equal(unreached(*state, &gpus), 1);
    assert_string_equal(gpus[0].text, "an NVIDIA GPU");
    assert_non_null(strstr(gpus[0].remedy, "libcuda.so.1"));
}

// Looks for GPUs as another user if this one is root, because root may open every file.
static int look_as_a_user(const struct machine *machine)
{
    struct unreached_gpu *gpus;
    if (geteuid() == 0 && setuid(65534) != 0)
        return 2;
    bool found = unreached(machine, &gpus) == 1 && gpus[0].forbidden &&
                 strstr(gpus[0].remedy, "/dev/nvidia0 may not be opened");
    return found ? 0 : 1;
}

static void a_card_that_this_user_may_not_open_is_told_apart(void **state)
{
    const struct machine *machine = *state;
    add_file(machine, "proc/driver/nvidia/version", "580");
    add_file(machine, "dev/nvidia0", "");
    const char *file = arena_printf(machine->arena, "%s/dev/nvidia0", machine->root);
    assert_int_equal(chmod(machine->root, 0755), 0);
    assert_int_equal(chmod(file, 0), 0);
    pid_t child = fork();
    if (child == 0)
        _exit(look_as_a_user(machine));
    int status = 1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void cards_of_amd_and_intel_need_a_render_node_and_mesa(void **state)
{
    struct unreached_gpu *gpus;
    add_card(*state, "0000:03:00.0", "0x120000\n", "0x1002\n"); // an Instinct, which has no display
    assert_int_equal(unreached(*state, &gpus), 1);
    assert_non_null(strstr(gpus[0].remedy, "/dev/dri/renderD128 is missing"));

    add_file(*state, "dev/dri/renderD128", "");
    add_card(*state, "0000:00:02.0", "0x030000\n", "0x8086\n");
    assert_int_equal(unreached(*state, &gpus), 2);
    for (size_t i = 0; i < 2; i++)
        assert_non_null(strstr(gpus[i].remedy, "mesa-vulkan-drivers"));
}

static void a_card_that_an_api_reaches_is_not_named(void **state)
{
    struct unreached_gpu *gpus;
    add_card(*state, "0000:1b:00.0", "0x030200\n", "0x10de\n");
    // The fake GPU has no PCI address and a vendor number of its own; here it gets NVIDIA's.
    const struct machine *machine = *state;
    struct gpu_info *info = (struct gpu_info *)gpu_system_info(machine->system, 0);
    info->vendor_id = 0x10de;
    assert_int_equal(unreached(machine, &gpus), 0);

    info->has_pci = true;
    info->pci = (struct gpu_pci){.bus = 0x1b};
    assert_int_equal(unreached(machine, &gpus), 0);
    info->pci.bus = 0x1c; // another card of that vendor
    assert_int_equal(unreached(machine, &gpus), 1);
    info->pci.bus = 0x1b;
    info->kind = GPU_KIND_CPU;
    assert_int_equal(unreached(machine, &gpus), 1);
}

static void add_device(struct gpu_system *system, const char *api, const char *id, uint8_t chip,
                       gpu_caps caps)
{
    struct gpu_info info = {
        .api = api, .kind = GPU_KIND_DISCRETE, .has_uuid = true, .uuid = {chip}, .caps = caps};
    snprintf(info.id, sizeof info.id, "%s", id);
    gpu_system_add_device(system, &info);
}

static void all_takes_each_chip_through_the_api_that_has_what_is_preferred(void **state)
{
    static const char *const all[] = {"all"};
    const struct machine *machine = *state;
    struct gpu_system *system = gpu_system_create_empty();
    add_device(system, "vulkan", "vulkan:0", 1, 0);
    add_device(system, "vulkan", "vulkan:1", 2, 0);
    add_device(system, "vulkan", "vulkan:2", 3, 0); // only this API has this chip
    add_device(system, "cuda", "cuda:0", 2, GPU_CAP(PEERS));
    add_device(system, "cuda", "cuda:1", 1, GPU_CAP(PEERS));
    struct select_request request = {.system = system, .names = all, .name_count = 1};
    struct device_list list = {0};
    struct error err = {0};

    request.prefer = GPU_CAP(PEERS);
    assert_true(select_devices(machine->arena, &request, &list, &err));
    assert_int_equal(list.count, 3);
    assert_string_equal(list.devices[0]->id, "cuda:1");
    assert_string_equal(list.devices[1]->id, "cuda:0");
    assert_string_equal(list.devices[2]->id, "vulkan:2");

    list = (struct device_list){0};
    request.prefer = 0;
    assert_true(select_devices(machine->arena, &request, &list, &err));
    assert_int_equal(list.count, 3);
    assert_string_equal(list.devices[0]->id, "vulkan:0");
    gpu_system_destroy(system);
}

static void cards_that_cuda_does_not_list_are_left_out_if_it_lists_any(void **state)
{
    (void)state;
    struct gpu_info own = {.id = "cuda:0", .api = "cuda", .vendor_id = GPU_VENDOR_NVIDIA};
    struct gpu_info hidden = {.id = "vulkan:1", .api = "vulkan", .vendor_id = GPU_VENDOR_NVIDIA};
    struct gpu_info other = {.id = "vulkan:2", .api = "vulkan", .vendor_id = GPU_VENDOR_AMD};
    const struct gpu_info *devices[] = {&hidden, &own, &other};

    struct device_list list = {.devices = devices, .count = 3};
    select_leave_hidden_out(&list);
    assert_int_equal(list.count, 2);
    assert_ptr_equal(list.devices[0], &own);
    assert_ptr_equal(list.devices[1], &other);

    devices[0] = &hidden;
    list = (struct device_list){.devices = devices, .count = 1};
    select_leave_hidden_out(&list);
    assert_int_equal(list.count, 1);
}

static void a_list_of_visible_cards_hides_those_that_it_does_not_name(void **state)
{
    const struct machine *machine = *state;
    static const struct {
        const char *visible;
        bool hides;
    } cases[] = {{NULL, false},   {"0,1", false},      {"1,0", false}, {"GPU-1234,GPU-5678", false},
                 {"", true},      {"1", true},         {"-1", true},   {"GPU-1234", true},
                 {"0,2,1", true}, {"0,0", true},       {"0,", true},   {"0,MIG-1234", true},
                 {"0 1", true},   {"NoDevFiles", true}};
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_false(select_cards_hidden(machine->arena, machine->root, cases[i].visible));
    add_card(machine, "0000:1b:00.0", "0x030200\n", "0x10de\n");
    add_card(machine, "0000:1c:00.0", "0x030200\n", "0x10de\n");
    add_card(machine, "0000:1d:00.0", "0x030000\n", "0x1002\n"); // AMD cards do not count
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_int_equal(select_cards_hidden(machine->arena, machine->root, cases[i].visible),
                         cases[i].hides);
}

static void if_sysfs_is_hidden_any_list_may_hide_cards(void **state)
{
    const struct machine *machine = *state;
    add_file(machine, "dev/nvidia0", "");
    assert_true(select_cards_hidden(machine->arena, machine->root, "0,1"));
    assert_false(select_cards_hidden(machine->arena, machine->root, NULL));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_machine, drop_machine)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_machine_without_gpus_has_nothing_to_say),
        TEST(virtual_displays_and_network_cards_are_no_gpus),
        TEST(a_card_without_its_kernel_driver_is_named_with_the_remedy),
        TEST(a_container_without_the_device_files_hears_of_gpus_all),
        TEST(a_driver_without_its_libraries_is_named_too),
        TEST(a_card_that_this_user_may_not_open_is_told_apart),
        TEST(cards_of_amd_and_intel_need_a_render_node_and_mesa),
        TEST(a_card_that_an_api_reaches_is_not_named),
        TEST(all_takes_each_chip_through_the_api_that_has_what_is_preferred),
        TEST(cards_that_cuda_does_not_list_are_left_out_if_it_lists_any),
        TEST(a_list_of_visible_cards_hides_those_that_it_does_not_name),
        TEST(if_sysfs_is_hidden_any_list_may_hide_cards),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
