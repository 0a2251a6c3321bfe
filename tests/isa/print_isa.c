// SPDX-License-Identifier: MIT
// print_isa FAMILY PREFIX prints what ACO, RADV's compiler, makes of the GLSL kernels whose names
// begin with PREFIX, on RADV's null device. Each text follows a line "== NAME". For test_loads.py.
// Exit status 77: there is no such null device.
#include "gpu/gpu.h"
#include "gpu/kernels.h"
#include "measure/isa.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum {
    EXIT_SKIP = 77,
    // SPIR-V: words before the first instruction, and the number of an instruction.
    SPIRV_HEADER_WORDS = 5,
    OP_CAPABILITY = 17,
    COOPERATIVE_MATRIX_NV = 5357 // RADV crashes instead of refusing it
};

static bool is_family(const struct gpu_info *info, const char *family)
{
    char upper[32] = "";
    for (size_t i = 0; family[i] && i + 1 < sizeof upper; i++)
        upper[i] = (char)toupper((unsigned char)family[i]);
    return strstr(info->name, upper) != NULL;
}

static bool needs(const struct gpu_kernel *kernel, uint32_t capability)
{
    const uint32_t *word = kernel->spirv + SPIRV_HEADER_WORDS;
    for (; (*word & 0xffff) == OP_CAPABILITY; word += *word >> 16)
        if (word[1] == capability)
            return true;
    return false;
}

static bool print_kernel(struct gpu_device *device, const struct gpu_kernel *kernel,
                         struct error *err)
{
    struct gpu_program_stats stats = {0};
    struct arena *arena = arena_create();
    struct gpu_scope *scope = gpu_scope_open(device);
    struct gpu_program *program =
        gpu_program_create(scope, &(struct gpu_program_desc){.kernel = kernel}, err);
    bool ok = program && gpu_program_stats(program, arena, &stats, err);
    const char *assembly = ok && stats.text ? strstr(stats.text, "---- Assembly") : NULL;
    struct isa_loads loads;
    if (assembly)
        printf("== %s\n%s\n; loop: %s\n", kernel->name, assembly,
               isa_loop_loads(arena, stats.text, &loads) ? loads.text : "");
    else if (ok)
        ok = error_set(err, ERROR_INTERNAL, "%s: the driver shows no assembly", kernel->name);
    gpu_scope_close(scope);
    arena_destroy(arena);
    return ok || err->code == ERROR_UNSUPPORTED; // a kernel that the chip cannot run is left out
}

static bool print_kernels(struct gpu_device *device, const char *prefix, struct error *err)
{
    for (size_t i = 0; kernels[i]; i++)
        if (kernels[i]->spirv && strncmp(kernels[i]->name, prefix, strlen(prefix)) == 0 &&
            !needs(kernels[i], COOPERATIVE_MATRIX_NV) && !print_kernel(device, kernels[i], err))
            return false;
    return true;
}

int main(int argc, char **argv)
{
    struct error err = {0};
    if (argc != 3)
        return 2;
    struct gpu_system *system = gpu_system_create(&(struct gpu_system_desc){.only_api = "vulkan"});
    const struct gpu_info *info =
        gpu_system_device_count(system) ? gpu_system_info(system, 0) : NULL;
    int status = EXIT_SKIP;
    if (info && is_family(info, argv[1])) {
        struct gpu_device *device =
            gpu_device_open(system, info, &(struct gpu_device_desc){0}, &err);
        status = device && print_kernels(device, argv[2], &err) ? 0 : 1;
        if (status)
            fprintf(stderr, "%s\n", err.message);
        gpu_device_close(device);
    }
    gpu_system_destroy(system);
    return status;
}
