// SPDX-License-Identifier: MIT
#include "gpu/model/execute.h"

#include "gpu/model/host.h"

#include <math.h>
#include <string.h>
#include <ucontext.h>

enum {
    STACK_BYTES = 1 << 16, // and its alignment: a thread finds itself by its stack pointer
    STACKS = 256,          // of the largest group
    STAMP_CYCLES = 8,      // of reading a clock
    ARGS_MAX = 2           // buffers that a kernel's host form takes
};

struct group;

// At the lower end of its stack.
struct fiber {
    ucontext_t context;
    struct group *group;
    uint32_t thread;
    double now;   // cycles
    bool waiting; // at a barrier
};

struct group {
    const struct model_execution *execution;
    uint32_t id[3], core;
    uint32_t next_thread, threads;
    double start, end; // cycles: of the first thread, of the last
    ucontext_t scheduler;
    struct model_stacks *stacks;
};

// Fibers are begun when first needed and go on for ever, from group to group.
struct model_stacks {
    char *memory; // STACKS × STACK_BYTES
    uint32_t begun;
};

struct model_stacks *model_stacks_create(struct arena *arena)
{
    struct model_stacks *stacks = ARENA_NEW(arena, struct model_stacks);
    char *memory = arena_alloc(arena, (size_t)(STACKS + 1) * STACK_BYTES);
    stacks->memory = memory + (STACK_BYTES - (uintptr_t)memory % STACK_BYTES);
    return stacks;
}

static struct fiber *fiber_at(const struct model_stacks *stacks, uint32_t i)
{
    return (struct fiber *)(void *)(stacks->memory + (size_t)i * STACK_BYTES);
}

// ---------------------------------------------------------------- what kernels call

static struct fiber *fiber_here(void)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    return (struct fiber *)(here & ~(uintptr_t)(STACK_BYTES - 1)); // NOLINT: the stack is ours
}

uint32_t model_thread_id(uint32_t which)
{
    const struct fiber *fiber = fiber_here();
    const struct model_execution *execution = fiber->group->execution;
    const uint32_t *size = execution->kernel->workgroup;
    uint32_t thread = fiber->thread;
    const uint32_t local[3] = {thread % size[0], thread / size[0] % size[1],
                               thread / size[0] / size[1]};
    if (which < 3)
        return local[which];
    return which < 6 ? fiber->group->id[which - 3] : execution->groups[which - 6];
}

void model_thread_barrier(void)
{
    struct fiber *fiber = fiber_here();
    fiber->waiting = true;
    swapcontext(&fiber->context, &fiber->group->scheduler);
}

static uint64_t model_address(struct model_memory *memory, const char *host)
{
    for (size_t i = 0; i < memory->count; i++) {
        size_t at = (memory->last_used + i) % memory->count;
        const struct model_range *range = &memory->ranges[at];
        if (host >= range->host && host < range->host + range->bytes) {
            memory->last_used = at;
            return range->address + (uint64_t)(host - range->host);
        }
    }
    return 0;
}

void model_thread_load(const void *address)
{
    struct fiber *fiber = fiber_here();
    const struct model_execution *execution = fiber->group->execution;
    double cycles = model_caches_load(execution->caches, fiber->group->core,
                                      model_address(execution->memory, address), fiber->now);
    fiber->now += cycles * execution->slowness;
}

void model_thread_compute(uint32_t cycles)
{
    fiber_here()->now += cycles;
}

uint64_t model_thread_clock_core(void)
{
    struct fiber *fiber = fiber_here();
    fiber->now += STAMP_CYCLES;
    return (uint64_t)fiber->now;
}

uint64_t model_thread_clock_device(void)
{
    struct fiber *fiber = fiber_here();
    const struct model_machine *machine = fiber->group->execution->machine;
    fiber->now += STAMP_CYCLES;
    uint64_t ns = (uint64_t)(fiber->now * 1e9 / machine->core_clock_hz);
    return ns - ns % machine->clock_step_ns;
}

uint32_t model_thread_core(void)
{
    return fiber_here()->group->core;
}

// ---------------------------------------------------------------- threads

struct words {
    uint32_t word[GPU_PARAMS_MAX_BYTES / 4];
};

// The parameters are one struct by value: in memory where it is large, in registers where not.
struct few_words {
    uint32_t word[4];
};

static void call_kernel(const struct model_execution *execution)
{
    void (*host)(void) = execution->kernel->host;
    void *const *args = execution->args;
    unsigned count = execution->kernel->arg_count;
    struct words many;
    struct few_words few;
    memcpy(&many, execution->params, sizeof many);
    memcpy(&few, execution->params, sizeof few);
    bool large = execution->params_bytes > sizeof few;
    if (count == 1 && large)
        ((void (*)(void *, struct words))host)(args[0], many);
    else if (count == 1)
        ((void (*)(void *, struct few_words))host)(args[0], few);
    else if (large)
        ((void (*)(void *, void *, struct words))host)(args[0], args[1], many);
    else
        ((void (*)(void *, void *, struct few_words))host)(args[0], args[1], few);
}

// Takes threads of the group that nobody began, as long as there are any; for ever, group by group.
static void fiber_main(void)
{
    struct fiber *fiber = fiber_here();
    for (;;) {
        struct group *group = fiber->group;
        while (group->next_thread < group->threads) {
            fiber->thread = group->next_thread++;
            fiber->now = group->start;
            call_kernel(group->execution);
            group->end = fmax(group->end, fiber->now);
        }
        fiber->waiting = false;
        swapcontext(&fiber->context, &group->scheduler);
    }
}

static void begin_fiber(struct model_stacks *stacks)
{
    struct fiber *fiber = fiber_at(stacks, stacks->begun++);
    fiber->waiting = false;
    getcontext(&fiber->context);
    fiber->context.uc_stack.ss_sp = fiber + 1;
    fiber->context.uc_stack.ss_size = STACK_BYTES - sizeof *fiber;
    fiber->context.uc_link = NULL;
    makecontext(&fiber->context, fiber_main, 0);
}

static void resume(struct group *group, struct fiber *fiber)
{
    fiber->waiting = false;
    fiber->group = group;
    swapcontext(&group->scheduler, &fiber->context);
}

// All who wait go on at the time of the last of them; false where nobody waits.
static bool pass_barrier(struct group *group)
{
    bool waits[STACKS] = {false}, any = false;
    double latest = 0;
    for (uint32_t i = 0; i < group->stacks->begun; i++) {
        const struct fiber *fiber = fiber_at(group->stacks, i);
        waits[i] = fiber->waiting;
        any |= fiber->waiting;
        latest = fiber->waiting ? fmax(latest, fiber->now) : latest;
    }
    for (uint32_t i = 0; i < group->stacks->begun; i++) {
        struct fiber *fiber = fiber_at(group->stacks, i);
        if (!waits[i])
            continue;
        fiber->now = latest;
        resume(group, fiber);
    }
    return any;
}

static void run_group(struct group *group)
{
    group->next_thread = 0;
    group->end = group->start;
    for (uint32_t i = 0; group->next_thread < group->threads; i++) {
        if (i == group->stacks->begun)
            begin_fiber(group->stacks);
        resume(group, fiber_at(group->stacks, i));
    }
    while (pass_barrier(group))
        continue;
}

// ---------------------------------------------------------------- groups

static void run_groups(struct group *group, double *core_free, double *cycles)
{
    const struct model_execution *execution = group->execution;
    uint32_t count = execution->groups[0] * execution->groups[1] * execution->groups[2];
    for (uint32_t i = 0; i < count; i++) {
        group->id[0] = i % execution->groups[0];
        group->id[1] = i / execution->groups[0] % execution->groups[1];
        group->id[2] = i / execution->groups[0] / execution->groups[1];
        group->core = i % execution->machine->cores;
        group->start = execution->start_cycles + core_free[group->core];
        run_group(group);
        core_free[group->core] = group->end - execution->start_cycles;
        *cycles = fmax(*cycles, core_free[group->core]);
    }
}

bool model_execute(struct model_execution *execution, double *cycles, struct error *err)
{
    const struct gpu_kernel *kernel = execution->kernel;
    const uint32_t *size = kernel->workgroup;
    struct group group = {.execution = execution,
                          .threads = size[0] * size[1] * size[2],
                          .stacks = execution->stacks};
    *cycles = 0;
    if (kernel->arg_count == 0 || kernel->arg_count > ARGS_MAX || group.threads > STACKS)
        return error_set(err, ERROR_UNSUPPORTED,
                         "%s: a model runs kernels of one or two buffers and up to %d threads a "
                         "group",
                         kernel->name, STACKS);
    struct arena *arena = arena_create();
    run_groups(&group, ARENA_ARRAY(arena, execution->machine->cores, double), cycles);
    arena_destroy(arena);
    return true;
}
