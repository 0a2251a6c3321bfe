// SPDX-License-Identifier: MIT
#include "measure/program.h"

#include "base/clock.h"
#include "gpu/kernels.h"
#include "measure/isa.h"
#include "measure/visit.h"

#include <inttypes.h>
#include <math.h>

struct measure_program {
    struct gpu_program_desc desc;
    struct gpu_program *program;
    // What the driver reported about the program; info.hash is NULL until the driver was asked.
    struct kernel_info info;
    struct measure_program *older;
};

static bool is_same(const struct gpu_program_desc *a, const struct gpu_program_desc *b)
{
    return a->kernel == b->kernel && a->subgroup_threads == b->subgroup_threads &&
           a->l1_percent == b->l1_percent && a->shared_bytes == b->shared_bytes &&
           a->rays.miss == b->rays.miss && a->rays.closest_hit == b->rays.closest_hit &&
           a->rays.any_hit == b->rays.any_hit && a->rays.intersection == b->rays.intersection;
}

struct gpu_program *measure_program(struct measure_programs *programs, const char *kernel,
                                    const struct gpu_program_desc *choices, struct error *err)
{
    struct gpu_program_desc desc = choices ? *choices : (struct gpu_program_desc){0};
    desc.kernel = kernel_find(kernel);
    if (!desc.kernel) {
        error_set(err, ERROR_UNSUPPORTED, "this build has no kernel %s", kernel);
        return NULL;
    }
    for (struct measure_program *kept = programs->newest; kept; kept = kept->older)
        if (is_same(&kept->desc, &desc))
            return kept->program;
    uint64_t began_ns = clock_now_ns();
    struct gpu_program *program = gpu_program_create(programs->scope, &desc, err);
    programs->compile_ns += clock_now_ns() - began_ns;
    if (!program)
        return NULL;
    struct measure_program *kept = ARENA_NEW(programs->arena, struct measure_program);
    *kept = (struct measure_program){.desc = desc, .program = program, .older = programs->newest};
    programs->newest = kept;
    return program;
}

// Returns what the driver reports about a program. If measure/isa.h understands the assembly, this
// includes the loads of the innermost loop.
static struct kernel_info ask(struct arena *arena, struct gpu_program *program,
                              struct isa_loads *loads)
{
    const struct gpu_kernel *kernel = gpu_program_kernel(program);
    struct gpu_program_stats stats = {0};
    // Many drivers report nothing. A measurement is not suspect because of that.
    if (!gpu_program_stats(program, arena, &stats, NULL))
        stats = (struct gpu_program_stats){0};
    bool has_loads = stats.text && isa_loop_loads(arena, stats.text, loads);
    return (struct kernel_info){
        .hash = arena_printf(arena, "%016" PRIx64, kernel->hash),
        .source = arena_strdup(arena, kernel->source),
        .registers = stats.has_registers ? (double)stats.registers : NAN,
        .spill_bytes = stats.has_spills ? (double)stats.spill_bytes : NAN,
        .loads = has_loads ? (double)loads->count : NAN,
    };
}

const struct kernel_info *measure_program_info(struct measure_programs *programs,
                                               const struct gpu_program *program)
{
    struct isa_loads loads = {0};
    struct measure_program *kept = programs->newest;
    while (kept->program != program)
        kept = kept->older;
    if (!kept->info.hash)
        kept->info = ask(programs->arena, kept->program, &loads);
    return &kept->info;
}

void visit_kernel(struct measure_visit *visit, struct gpu_program *program)
{
    struct isa_loads loads = {0};
    visit->kernel = ask(visit->arena, program, &loads);
    if (isfinite(visit->kernel.loads))
        visit_detail(visit, "loop_loads", "%s", loads.text);
}
