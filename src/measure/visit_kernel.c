// SPDX-License-Identifier: MIT
// Apart from visit.c, so that what only handles visits does not need the device interface.
#include "measure/isa.h"
#include "measure/visit.h"

#include <inttypes.h>
#include <math.h>

void visit_kernel(struct measure_visit *visit, struct gpu_program *program)
{
    const struct gpu_kernel *kernel = gpu_program_kernel(program);
    struct gpu_program_stats stats = {0};
    // Drivers that tell nothing are common and no reason to doubt a measurement.
    if (!gpu_program_stats(program, visit->arena, &stats, NULL))
        stats = (struct gpu_program_stats){0};
    visit->kernel = (struct kernel_info){
        .hash = arena_printf(visit->arena, "%016" PRIx64, kernel->hash),
        .source = arena_strdup(visit->arena, kernel->source),
        .registers = stats.has_registers ? (double)stats.registers : NAN,
        .spill_bytes = stats.has_spills ? (double)stats.spill_bytes : NAN,
        .loads = NAN,
    };
    struct isa_loads loads;
    if (!stats.text || !isa_loop_loads(visit->arena, stats.text, &loads))
        return;
    visit->kernel.loads = loads.count;
    visit_detail(visit, "loop_loads", "%s", loads.text);
}
