// SPDX-License-Identifier: MIT
#include "bench/map/code_program.h"

#include "base/clock.h"
#include "bench/map.h"
#include "bench/map/code_kernels.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    uint32_t steps;
} lengths[MAP_CODE_SIZES] = {{"map_code_1k", CODE_STEPS_1K},
                             {"map_code_8k", CODE_STEPS_8K},
                             {"map_code_32k", CODE_STEPS_32K}};

// A compiler that takes longer for one length is not asked for the next, four times as long.
static const uint64_t compile_most_ns = UINT64_C(1500000000);

// ---------------------------------------------------------------- lengths

uint32_t map_code_length(uint32_t steps)
{
    enum {
        ALIKE = 32,
        OF_OCTAVE = 16
    };
    uint32_t length = 0, size = CODE_SHORTEST;
    for (uint32_t n = 0; n < steps; n++) {
        if (n >= ALIKE && (n - ALIKE) % OF_OCTAVE == 0)
            size *= 2;
        length += size;
    }
    return length;
}

uint32_t map_code_steps(uint64_t instructions)
{
    for (uint32_t steps = MAP_CODE_STEPS; steps > 0; steps--)
        if (map_code_length(steps) == instructions)
            return steps;
    return 0;
}

// ---------------------------------------------------------------- programs

// "Code Size: 524288" and the like among what the driver says; 0 where it does not say.
static double code_bytes(const char *text)
{
    static const char name[] = "size: ";
    for (const char *line = text; line && *line;
         line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        bool code = strncmp(line, "Code", 4) == 0 || strncmp(line, "Binary", 6) == 0;
        const char *space = strchr(line, ' ');
        if (!code || !space || tolower((unsigned char)space[1]) != name[0] ||
            strncmp(space + 2, name + 1, sizeof name - 2) != 0)
            continue;
        return strtod(space + 1 + sizeof name - 1, NULL);
    }
    return 0;
}

static void describe_program(struct map_code_program *own, uint32_t steps, struct arena *arena)
{
    struct measure_visit *visit = measure_visit_create(arena);
    struct gpu_program_stats stats = {0};
    visit_kernel(visit, own->program);
    own->kernel = visit->kernel;
    // Drivers that tell nothing are common.
    if (gpu_program_stats(own->program, arena, &stats, NULL))
        own->instruction_bytes =
            code_bytes(stats.text) / (map_code_length(steps) + MAP_CODE_QUESTION * steps);
}

static bool program_make(struct map_code_program *programs, const struct bench_session *session,
                         size_t i, struct error *err)
{
    struct map_code_program *own = &programs[i];
    if (own->program)
        return true;
    const struct gpu_kernel *kernel = kernel_find(lengths[i].name);
    if (!kernel)
        return error_set(err, ERROR_UNSUPPORTED, "kernel %s is not in this build", lengths[i].name);
    uint64_t before_ns = clock_now_ns();
    own->program =
        gpu_program_create(session->scope, &(struct gpu_program_desc){.kernel = kernel}, err);
    own->compile_ns = clock_now_ns() - before_ns;
    if (!own->program)
        return false;
    describe_program(own, lengths[i].steps, session->arena);
    return true;
}

// The shortest kernel that is so long; those before it show whether it would take too long.
struct map_code_program *map_code_program(struct map_code_program programs[MAP_CODE_SIZES],
                                          const struct bench_session *session, uint32_t steps,
                                          struct error *err)
{
    for (size_t i = 0; program_make(programs, session, i, err); i++) {
        const struct map_code_program *own = &programs[i];
        if (steps <= lengths[i].steps)
            return &programs[i];
        if (own->compile_ns > compile_most_ns) {
            error_set(err, ERROR_UNSUPPORTED,
                      "the driver compiled code of %" PRIu32
                      " instructions for %.1f s: longer code was not tried",
                      map_code_length(lengths[i].steps), (double)own->compile_ns / 1e9);
            return NULL;
        }
    }
    return NULL;
}
