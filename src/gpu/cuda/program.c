// SPDX-License-Identifier: MIT
// Programs. The driver compiles a kernel's PTX for the chip; each program is a CUDA module.
#include "gpu/cuda/cuda.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LOG_BYTES = 8192
};

// Returns the number as a pointer, because the driver expects the value of each option as a
// pointer.
static void *option_value(unsigned number)
{
    return (void *)(uintptr_t)number;
}

static bool load_module(const struct cuda_device *device, struct cuda_program *program,
                        const struct gpu_kernel *kernel, struct arena *arena, struct error *err)
{
    char *info = arena_alloc(arena, LOG_BYTES), *errors = arena_alloc(arena, LOG_BYTES);
    int options[] = {CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_BYTES, CU_JIT_ERROR_LOG_BUFFER,
                     CU_JIT_ERROR_LOG_BUFFER_BYTES, CU_JIT_LOG_VERBOSE};
    void *values[] = {info, option_value(LOG_BYTES), errors, option_value(LOG_BYTES),
                      option_value(1)};
    int result = device->api->cuModuleLoadDataEx(&program->module, kernel->ptx,
                                                 sizeof options / sizeof *options, options, values);
    info[LOG_BYTES - 1] = errors[LOG_BYTES - 1] = '\0';
    program->log = info;
    if (cuda_check(device->api, result, "cuModuleLoadDataEx", err))
        return true;
    size_t length = err ? strlen(err->message) : 0;
    if (err && errors[0])
        snprintf(err->message + length, ERROR_MESSAGE_BYTES - length, "; the driver says: %s",
                 errors);
    return false;
}

// Sets *chip to 10 × major + minor of the device's compute capability: 90 for sm_90.
static bool read_chip(const struct cuda_device *device, unsigned long *chip, struct error *err)
{
    static const int parts[] = {CU_ATTR_COMPUTE_CAPABILITY_MAJOR, CU_ATTR_COMPUTE_CAPABILITY_MINOR};
    *chip = 0;
    for (size_t i = 0; i < COUNT(parts); i++) {
        int part = 0;
        int result = device->api->cuDeviceGetAttribute(&part, parts[i], device->device);
        if (!cuda_check(device->api, result, "cuDeviceGetAttribute", err))
            return false;
        *chip = 10 * *chip + (unsigned long)part;
    }
    return true;
}

// Returns true if the device can run the kernel's PTX. The PTX names a target such as sm_70, the
// oldest chip that can run the PTX. If the target ends with "a", no other chip can run the PTX.
static bool fits_chip(const struct cuda_device *device, const struct gpu_kernel *kernel,
                      struct error *err)
{
    static const char directive[] = "\n.target sm_";
    const char *target = strstr(kernel->ptx, directive);
    unsigned long chip;
    char *end;
    if (!target)
        return true;
    unsigned long wanted = strtoul(target + strlen(directive), &end, 10);
    bool only = *end == 'a';
    if (!read_chip(device, &chip, err))
        return false;
    if (only ? chip == wanted : chip >= wanted)
        return true;
    return error_set(err, ERROR_UNSUPPORTED, "written for sm_%lu%s; this chip is sm_%lu", wanted,
                     only ? "a, which no other chip runs" : " and newer", chip);
}

static void one_line(char *text)
{
    for (; *text; text++)
        if (*text == '\n' || *text == '\t')
            *text = ' ';
}

// Finds the symbols of the constant arguments; an argument that the kernel does not read has no
// symbol.
static bool find_constants(const struct cuda_api *api, struct cuda_program *program,
                           const struct gpu_kernel *kernel, struct error *err)
{
    for (unsigned i = 0; i < kernel->arg_count; i++) {
        if (kernel->args[i] != GPU_ARG_CONSTANT)
            continue;
        struct cuda_constant *constant = &program->constants[i];
        char name[32];
        snprintf(name, sizeof name, "constant_%u", i);
        int result =
            api->cuModuleGetGlobal_v2(&constant->address, &constant->bytes, program->module, name);
        if (result == CU_NOT_FOUND)
            *constant = (struct cuda_constant){0};
        else if (!cuda_check(api, result, "cuModuleGetGlobal", err))
            return false;
    }
    return true;
}

// Finds the kernel's function. The query of its registers loads the code now. Otherwise the first
// launch would load the code, and would wait for all streams, even for a stream that a hold
// (gpu_hold_create) blocks.
static bool find_function(const struct cuda_api *api, struct cuda_program *program,
                          const struct gpu_program_desc *desc, struct error *err)
{
    int registers = 0;
    if (!cuda_check(
            api, api->cuModuleGetFunction(&program->function, program->module, desc->kernel->entry),
            "cuModuleGetFunction", err) ||
        !cuda_check(api, api->cuFuncGetAttribute(&registers, CU_FUNC_NUM_REGS, program->function),
                    "cuFuncGetAttribute", err))
        return false;
    program->shared_bytes = desc->shared_bytes;
    if (desc->shared_bytes &&
        !cuda_check(api,
                    api->cuFuncSetAttribute(program->function,
                                            CU_FUNC_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                            (int)desc->shared_bytes),
                    "cuFuncSetAttribute", err))
        return false;
    if (desc->l1_percent == 0)
        return true;
    int shared_percent = desc->l1_percent < 100 ? 100 - (int)desc->l1_percent : 0;
    return cuda_check(api,
                      api->cuFuncSetAttribute(program->function,
                                              CU_FUNC_PREFERRED_SHARED_MEMORY_CARVEOUT,
                                              shared_percent),
                      "cuFuncSetAttribute", err);
}

struct gpu_program *cuda_program_create(struct gpu_scope *scope,
                                        const struct gpu_program_desc *desc, struct error *err)
{
    struct cuda_device *device = (struct cuda_device *)scope->device;
    const struct gpu_kernel *kernel = desc->kernel;
    if (!kernel->ptx) {
        error_set(err, ERROR_UNSUPPORTED, "kernel %s has no form for CUDA", kernel->name);
        return NULL;
    }
    struct cuda_program *program = ARENA_NEW(scope->arena, struct cuda_program);
    // The scope is set first, because cuda_program_destroy reads it.
    program->base.object.scope = scope;
    if (!cuda_enter(device, err))
        return NULL;
    if (fits_chip(device, kernel, err) && load_module(device, program, kernel, scope->arena, err) &&
        find_constants(device->api, program, kernel, err) &&
        find_function(device->api, program, desc, err))
        return &program->base;
    if (err)
        one_line(err->message);
    error_prefix(err, "kernel %s", kernel->name);
    cuda_program_destroy(program);
    return NULL;
}

void cuda_program_destroy(struct cuda_program *program)
{
    cuda_free(cuda_device_of(&program->base.object),
              (struct cuda_owned){.module = program->module});
}

bool cuda_program_stats(struct gpu_program *base, struct arena *arena,
                        struct gpu_program_stats *stats, struct error *err)
{
    struct cuda_program *program = (struct cuda_program *)base;
    struct cuda_device *device = cuda_device_of(&base->object);
    const struct cuda_api *api = device->api;
    int registers = 0, local = 0, shared = 0;
    if (!cuda_enter(device, err) ||
        !cuda_check(api, api->cuFuncGetAttribute(&registers, CU_FUNC_NUM_REGS, program->function),
                    "cuFuncGetAttribute", err) ||
        !cuda_check(api,
                    api->cuFuncGetAttribute(&local, CU_FUNC_LOCAL_SIZE_BYTES, program->function),
                    "cuFuncGetAttribute", err) ||
        !cuda_check(api,
                    api->cuFuncGetAttribute(&shared, CU_FUNC_SHARED_SIZE_BYTES, program->function),
                    "cuFuncGetAttribute", err))
        return false;
    *stats = (struct gpu_program_stats){
        .has_registers = true,
        .has_spills = true,
        .has_shared = true,
        .registers = (unsigned)registers,
        .spill_bytes = (unsigned)local,
        .shared_bytes = (unsigned)shared + program->shared_bytes,
        .text = program->log[0] ? arena_strdup(arena, program->log) : NULL,
    };
    return true;
}
