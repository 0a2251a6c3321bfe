// SPDX-License-Identifier: MIT
// Programs. The driver compiles OpenCL C source; each variant of a kernel is a cl_program.
#include "gpu/opencl/opencl.h"

enum {
    // maximum size in bytes of a compiler's log; longer logs are ignored
    LOG_BYTES_MAX = 16 << 20
};

// Returns the compiler's log, with blanks in place of newlines and tabs; "" if there is no log.
static const char *build_log(const struct opencl_device *device, cl_program program,
                             struct arena *arena)
{
    size_t bytes = 0;
    if (device->api->clGetProgramBuildInfo(program, device->device, CL_PROGRAM_BUILD_LOG, 0, NULL,
                                           &bytes) != CL_SUCCESS ||
        bytes > LOG_BYTES_MAX)
        return "";
    char *log = arena_alloc(arena, bytes + 1);
    if (device->api->clGetProgramBuildInfo(program, device->device, CL_PROGRAM_BUILD_LOG, bytes,
                                           log, NULL) != CL_SUCCESS)
        return "";
    for (char *at = log; *at; at++)
        if (*at == '\n' || *at == '\t')
            *at = ' ';
    return log;
}

static bool build(const struct opencl_device *device, struct opencl_program *program,
                  const struct gpu_kernel *kernel, struct arena *arena, struct error *err)
{
    const struct opencl_api *api = device->api;
    const char *source = kernel->opencl;
    cl_int result = CL_SUCCESS;
    program->program = api->clCreateProgramWithSource(device->context, 1, &source, NULL, &result);
    if (!opencl_check(result, "clCreateProgramWithSource", err))
        return false;
    result = api->clBuildProgram(program->program, 1, &device->device, kernel->opencl_options, NULL,
                                 NULL);
    struct error build;
    if (opencl_check(result, "clBuildProgram", &build))
        return true;
    return error_set(err, build.code, "%s; the build log says: %s", build.message,
                     build_log(device, program->program, arena));
}

struct gpu_program *opencl_program_create(struct gpu_scope *scope,
                                          const struct gpu_program_desc *desc, struct error *err)
{
    struct opencl_device *device = (struct opencl_device *)scope->device;
    const struct gpu_kernel *kernel = desc->kernel;
    if (!kernel->opencl) {
        error_set(err, ERROR_UNSUPPORTED, "kernel %s has no form for OpenCL", kernel->name);
        return NULL;
    }
    struct opencl_program *program = ARENA_NEW(scope->arena, struct opencl_program);
    // The scope is set first, because opencl_program_destroy reads it.
    program->base.object.scope = scope;
    program->entry = kernel->entry;
    if (build(device, program, kernel, scope->arena, err))
        return &program->base;
    error_prefix(err, "kernel %s", kernel->name);
    opencl_program_destroy(program);
    return NULL;
}

void opencl_program_destroy(struct opencl_program *program)
{
    if (program->program)
        opencl_device_of(&program->base.object)->api->clReleaseProgram(program->program);
}
