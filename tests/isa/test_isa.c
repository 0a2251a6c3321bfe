// SPDX-License-Identifier: MIT
// The instructions of each path of `latency`: a vector load must not become a scalar one, a uniform
// load must be scalar, and the loop must have exactly the hops that it claims. For `rays`, the
// special instruction must trace the rays. The code is what ACO, RADV's compiler, makes for the
// chip that RADV_FORCE_FAMILY names.
#include "gpu/gpu.h"
#include "gpu/kernels.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define TESTED_DRIVER "Mesa 22.3.6"

struct expected {
    const char *kernel, *load; // load: the instruction of a hop
    unsigned count;            // of `load` in the loop
    unsigned fetches;          // loads of a descriptor in the loop, during the hop before
};

static const struct expected paths[] = {
    {"latency_vector_pointer", "global_load_dwordx2", 32, 0},
    {"latency_vector_index", "buffer_load_dword", 32, 1},
    {"latency_scalar_pointer", "s_load_dwordx2", 32, 0},
    {"latency_scalar_index", "s_buffer_load_dword", 32, 1},
    {"latency_shared_16k", "ds_read_b32", 32, 0},
    {"latency_shared_64k", "ds_read_b32", 32, 0},
    {"latency_constant_index", "s_buffer_load_dword", 32, 1},
    {"latency_texel_index", "buffer_load_format_x", 8, 1},
    {"latency_image_index", "image_load", 8, 1},
    {"latency_atomic_pointer", "global_atomic_add_x2", 32, 0},
    {"latency_atomic_index", "buffer_atomic_add", 32, 1},
    {"latency_atomic_shared_16k", "ds_add_rtn_u32", 32, 0},
};

// ---------------------------------------------------------------- reading assembly

static const char *next_line(const char *at)
{
    at += strcspn(at, "\n");
    return *at ? at + 1 : at;
}

// Copies the name of the line's instruction, "" if none; at most `bytes` with the NUL.
static void instruction(const char *line, char *name, size_t bytes)
{
    while (*line == ' ' || *line == '\t')
        line++;
    size_t length = 0;
    while (isalnum((unsigned char)line[length]) || line[length] == '_')
        length++;
    if (length >= bytes || line[length] == ':')
        length = 0;
    memcpy(name, line, length);
    name[length] = '\0';
}

static bool reads_memory(const char *name)
{
    static const char *const kinds[] = {
        "global_load", "global_atomic", "flat_",  "buffer_load",   "buffer_atomic", "tbuffer_",
        "image_",      "scratch_",      "s_load", "s_buffer_load", "s_scratch",     "ds_"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strncmp(name, kinds[i], strlen(kinds[i])) == 0)
            return true;
    return false;
}

struct block {
    unsigned loads;    // of the wanted kind
    unsigned accesses; // to memory, of any kind
};

// Returns the basic block with the most of these loads. It is the loop.
static struct block busiest_block(const char *assembly, const char *load)
{
    struct block busiest = {0}, block = {0};
    for (const char *line = assembly; *line; line = next_line(line)) {
        char name[64];
        if (strncmp(line, "BB", 2) == 0)
            block = (struct block){0};
        instruction(line, name, sizeof name);
        block.loads += strcmp(name, load) == 0;
        block.accesses += reads_memory(name);
        if (block.loads > busiest.loads ||
            (block.loads == busiest.loads && block.accesses > busiest.accesses && block.loads))
            busiest = block;
    }
    return busiest;
}

static unsigned count_of(const char *assembly, const char *word)
{
    unsigned count = 0;
    for (const char *line = assembly; *line; line = next_line(line)) {
        char name[64];
        instruction(line, name, sizeof name);
        count += strcmp(name, word) == 0;
    }
    return count;
}

// True if a branch after `at` jumps to a place before `at`.
static bool is_in_loop(const char *assembly, const char *at)
{
    for (const char *line = next_line(at); *line; line = next_line(line)) {
        char name[64], label[32];
        instruction(line, name, sizeof name);
        const char *operand = strstr(line, "BB");
        if (!strstr(name, "branch") || !operand || operand > next_line(line))
            continue;
        int length = 2 + (int)strspn(operand + 2, "0123456789");
        snprintf(label, sizeof label, "\n%.*s:", length, operand);
        const char *found = strstr(assembly, label);
        if (found && found < at)
            return true;
    }
    return false;
}

// ---------------------------------------------------------------- the tests

struct bench {
    struct gpu_system *system;
    struct gpu_device *device;
    struct gpu_scope *scope;
    struct arena *arena;
};

static int open_bench(void **state)
{
    static struct bench bench;
    struct error err = {0};
    bench.arena = arena_create();
    bench.system = gpu_system_create(&(struct gpu_system_desc){.only_api = "vulkan"});
    bench.device = gpu_device_open(bench.system, gpu_system_info(bench.system, 0),
                                   &(struct gpu_device_desc){0}, &err);
    if (!bench.device) {
        print_message("%s\n", err.message);
        return -1;
    }
    bench.scope = gpu_scope_open(bench.device);
    *state = &bench;
    return 0;
}

static int close_bench(void **state)
{
    struct bench *bench = *state;
    gpu_device_close(bench->device);
    gpu_system_destroy(bench->system);
    arena_destroy(bench->arena);
    return 0;
}

static struct gpu_program_stats stats_of(struct bench *bench, const char *name)
{
    struct error err = {0};
    struct gpu_program_stats stats = {0};
    const struct gpu_kernel *kernel = kernel_find(name);
    struct gpu_program *program =
        kernel
            ? gpu_program_create(bench->scope, &(struct gpu_program_desc){.kernel = kernel}, &err)
            : NULL;
    if (!program || !gpu_program_stats(program, bench->arena, &stats, &err))
        fail_msg("%s: %s", name, kernel ? err.message : "no such kernel");
    return stats;
}

static const char *assembly_of(struct bench *bench, const char *name)
{
    const char *text = stats_of(bench, name).text;
    const char *assembly = text ? strstr(text, "---- Assembly") : NULL;
    if (!assembly)
        fail_msg("%s: the driver shows no assembly", name);
    return assembly;
}

static void every_hop_is_one_load_of_its_path(void **state)
{
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        for (int clocked = 0; clocked < 2; clocked++) {
            char name[64];
            snprintf(name, sizeof name, "%s%s", paths[i].kernel, clocked ? "_clock" : "");
            struct block loop = busiest_block(assembly_of(*state, name), paths[i].load);
            if (loop.loads != paths[i].count || loop.accesses != loop.loads + paths[i].fetches)
                fail_msg("%s: the loop has %u times %s among %u accesses to memory, wanted %u",
                         name, loop.loads, paths[i].load, loop.accesses, paths[i].count);
        }
    }
}

static void the_clocks_are_read_where_they_should(void **state)
{
    const char *assembly = assembly_of(*state, "latency_vector_pointer_clock");
    // The core's counter is read before and after a window, and beside each reading of the device
    // clock. RDNA 2 reads it from a register, GCN through the scalar cache.
    assert_int_equal(count_of(assembly, "s_getreg_b32") + count_of(assembly, "s_memtime"), 4);
    assert_int_equal(count_of(assembly, "s_memrealtime"), 2);
    assert_int_equal(count_of(assembly_of(*state, "latency_vector_pointer"), "s_memrealtime"), 0);
}

static void the_control_touches_no_memory_in_its_loop(void **state)
{
    static const struct expected controls[] = {
        {"latency_control_vector_clock", "v_lshl_add_u32", 64, 0},
        {"latency_control_scalar_clock", "s_lshl2_add_u32", 64, 0},
        {"latency_control_constant_clock", "s_lshl4_add_u32", 64, 0},
    };
    for (size_t i = 0; i < sizeof controls / sizeof *controls; i++) {
        struct block loop =
            busiest_block(assembly_of(*state, controls[i].kernel), controls[i].load);
        if (loop.loads != controls[i].count || loop.accesses != 0)
            fail_msg("%s: the loop has %u times %s and %u accesses to memory", controls[i].kernel,
                     loop.loads, controls[i].load, loop.accesses);
    }
}

static void rays_are_traced_by_their_instruction_in_a_loop(void **state)
{
    static const char intersect[] = "image_bvh64_intersect_ray";
    static const char *const traced[] = {"rays_query_opaque", "rays_query_culled",
                                         "rays_query_counted", "rays_query_asked",
                                         "rays_query_chain"};
    const struct bench *bench = *state;
    if (!(gpu_system_info(bench->system, 0)->caps & GPU_CAP(RAY_QUERY)))
        return; // this family has no instruction for rays
    for (size_t i = 0; i < sizeof traced / sizeof *traced; i++) {
        const char *assembly = assembly_of(*state, traced[i]);
        if (count_of(assembly, intersect) != 1 ||
            !is_in_loop(assembly, strstr(assembly, intersect)))
            fail_msg("%s: %u times %s, wanted once, in a loop", traced[i],
                     count_of(assembly, intersect), intersect);
    }
    assert_int_equal(count_of(assembly_of(*state, "rays_query_none"), intersect), 0);
}

// RADV keeps a ray's stack of nodes to visit in local memory: 76 words a thread.
static void the_stack_of_a_ray_lies_in_local_memory(void **state)
{
    const struct bench *bench = *state;
    if (!(gpu_system_info(bench->system, 0)->caps & GPU_CAP(RAY_QUERY)))
        return;
    const struct gpu_program_stats rays = stats_of(*state, "rays_query_opaque");
    const struct gpu_program_stats control = stats_of(*state, "rays_query_none");
    assert_true(rays.has_registers && control.has_registers);
    assert_true(rays.registers > control.registers);
    assert_true(rays.has_spills && control.has_spills);
    assert_int_equal(rays.spill_bytes, 76 * sizeof(uint32_t));
    assert_int_equal(control.spill_bytes, 0);
    assert_false(rays.has_stack); // only pipelines have a stack
}

// Returns why the tests cannot run here; NULL if they can.
static const char *reason_to_skip(const char *family)
{
    struct gpu_system *system = gpu_system_create(&(struct gpu_system_desc){.only_api = "vulkan"});
    const struct gpu_info *info =
        gpu_system_device_count(system) ? gpu_system_info(system, 0) : NULL;
    char upper[32] = "";
    for (size_t i = 0; family[i] && i + 1 < sizeof upper; i++)
        upper[i] = (char)toupper((unsigned char)family[i]);
    const char *reason = NULL;
    if (!info || !strstr(info->name, upper))
        reason = "RADV shows no null device of this family";
    else if (!strstr(info->driver, TESTED_DRIVER))
        reason = "the code of another Mesa than " TESTED_DRIVER " was not looked at";
    gpu_system_destroy(system);
    return reason;
}

int main(int argc, char **argv)
{
    const char *reason = argc == 2 ? reason_to_skip(argv[1]) : "usage: isa FAMILY";
    if (reason) {
        print_message("%s\n", reason);
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_hop_is_one_load_of_its_path),
        cmocka_unit_test(the_clocks_are_read_where_they_should),
        cmocka_unit_test(the_control_touches_no_memory_in_its_loop),
        cmocka_unit_test(rays_are_traced_by_their_instruction_in_a_loop),
        cmocka_unit_test(the_stack_of_a_ray_lies_in_local_memory),
    };
    return cmocka_run_group_tests(tests, open_bench, close_bench);
}
