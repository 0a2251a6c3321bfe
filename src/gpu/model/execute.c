// SPDX-License-Identifier: MIT
// Runs a kernel that is compiled for the host (bench/prelude/host.clh), thread by thread, in
// virtual time. A thread that waits keeps its stack. Small workgroups run interleaved if each has
// its own core, so that their accesses reach shared caches in the order of virtual time, to within
// QUANTUM_CYCLES. Other workgroups run one after another.
#include "gpu/model/backend.h"

#include "base/pages.h"

#include <math.h>
#include <string.h>
#include <ucontext.h>

enum {
    // Size and alignment, in bytes, of the host stack of a fiber, on which a simulated thread runs.
    // The struct fiber lies at the stack pointer rounded down to a multiple of STACK_BYTES.
    STACK_BYTES = 1 << 16,
    // minimum number of stacks of a device; also the most threads of a simulated workgroup
    STACKS = 256,
    // maximum number of threads of a workgroup that runs interleaved with other workgroups
    ABREAST = 32,
    // cycles from the time of the slowest thread of an interleaved group to the group's deadline
    QUANTUM_CYCLES = 4096,
    STAMP_CYCLES = 8, // duration in cycles of reading a clock
    ARGS_MAX = 2      // maximum number of buffers of a kernel compiled for the host
};

struct group;

enum fiber_state {
    FIBER_IDLE,    // the fiber has no thread to run
    FIBER_WAITING, // the fiber's thread waits at a barrier
    FIBER_STOPPED, // the fiber's thread has passed the deadline of its group
    FIBER_READY    // the fiber's thread may continue
};

// A host stack on which simulated threads run. This struct lies at the lower end of the stack.
struct fiber {
    ucontext_t context;
    struct group *group;
    uint32_t thread;
    // time in the simulation that the fiber's thread has reached, in cycles
    double now;
    enum fiber_state state;
    bool begun;
};

// A workgroup, whose threads run on fibers, one at a time. Interleaved groups run until a deadline:
// a thread stops when its virtual time passes the deadline.
struct group {
    const struct model_execution *execution;
    // execution that gets the kernel's description of its streams; NULL while threads are simulated
    struct model_execution *writable;
    uint32_t id[3], core;
    uint32_t next_thread, threads;
    // `start`: virtual time in cycles at which the group starts; `end`: when its last thread ends
    double start, end;
    double now, deadline;
    ucontext_t scheduler;
    struct model_stacks *stacks;
    // first_fiber is the index of the group's first fiber. `used` is the number of fibers that had
    // a thread of the group. `cursor` is the number of the fiber that next_fiber checks next.
    uint32_t first_fiber, used, cursor;
    // A bit for each fiber. `stopped`: the fiber stopped at a deadline. `due`: the fiber stopped,
    // and is not yet compared with the present deadline (next_fiber).
    uint32_t stopped, due;
};

// The stacks of all fibers. A fiber never ends: it waits for the next group that has a thread to
// start.
struct model_stacks {
    // `count` stacks of STACK_BYTES bytes; a page takes memory only once it is touched
    char *memory;
    uint32_t count;
};

struct model_stacks *model_stacks_create(struct arena *arena, uint32_t cores)
{
    struct model_stacks *stacks = ARENA_NEW(arena, struct model_stacks);
    stacks->count = cores * ABREAST > STACKS ? cores * ABREAST : STACKS;
    stacks->memory = pages_alloc_sparse((size_t)stacks->count * STACK_BYTES);
    return stacks->memory ? stacks : NULL;
}

void model_stacks_destroy(struct model_stacks *stacks)
{
    if (stacks)
        pages_free(stacks->memory, (size_t)stacks->count * STACK_BYTES);
}

static struct fiber *fiber_at(const struct model_stacks *stacks, uint32_t i)
{
    return (struct fiber *)(void *)(stacks->memory + (size_t)i * STACK_BYTES);
}

static struct fiber *fiber_of(const struct group *group, uint32_t i)
{
    return fiber_at(group->stacks, group->first_fiber + i);
}

// ---------------------------------------------------------------- what kernels call

static struct fiber *fiber_here(void)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    return (struct fiber *)(here &
                            ~(uintptr_t)(STACK_BYTES -
                                         1)); // NOLINT: a fiber lies at the base of its stack
}

uint32_t model_thread_id(uint32_t which)
{
    const struct fiber *fiber = fiber_here();
    if (which >= 3)
        return which < 6 ? fiber->group->id[which - 3] : fiber->group->execution->groups[which - 6];
    const uint32_t *size = fiber->group->execution->kernel->workgroup;
    const uint32_t thread = fiber->thread;
    if (which == 0)
        return thread % size[0];
    return which == 1 ? thread / size[0] % size[1] : thread / size[0] / size[1];
}

static void give_way(struct fiber *fiber);

void model_thread_barrier(void)
{
    struct fiber *fiber = fiber_here();
    fiber->state = FIBER_WAITING;
    give_way(fiber);
}

// Stops a fiber until the group's deadline reaches the virtual time of its thread.
static void stop(struct fiber *fiber)
{
    struct group *group = fiber->group;
    fiber->state = FIBER_STOPPED;
    const size_t index = (size_t)((char *)fiber - group->stacks->memory) / STACK_BYTES;
    group->stopped |= UINT32_C(1) << (index - group->first_fiber);
    give_way(fiber);
}

void model_thread_load(const void *address)
{
    struct fiber *fiber = fiber_here();
    const struct model_execution *execution = fiber->group->execution;
    double cycles = model_caches_load(execution->caches, fiber->group->core,
                                      model_memory_address(execution->memory, address), fiber->now);
    fiber->now += cycles * execution->slowness;
    if (fiber->now > fiber->group->deadline)
        stop(fiber);
}

void model_thread_expect(const void *address)
{
    const struct fiber *fiber = fiber_here();
    const struct model_execution *execution = fiber->group->execution;
    model_caches_expect(execution->caches, fiber->group->core,
                        model_memory_address(execution->memory, address));
}

void model_thread_compute(uint32_t cycles)
{
    fiber_here()->now += cycles;
}

// Returns the thread's virtual time in ns, without the time of other processes on the device.
static double own_ns(const struct fiber *fiber)
{
    const struct model_execution *execution = fiber->group->execution;
    return execution->start_ns + (fiber->now - execution->start_cycles) * execution->cycle_ns;
}

// Returns the core's cycle counter, which also runs while other processes use the device.
uint64_t model_thread_clock_core(void)
{
    struct fiber *fiber = fiber_here();
    const struct model_machine *machine = fiber->group->execution->machine;
    fiber->now += STAMP_CYCLES;
    double away_ns = model_company_ns(machine, own_ns(fiber));
    return (uint64_t)(fiber->now + away_ns * machine->core_clock_hz / 1e9);
}

uint64_t model_thread_clock_device(void)
{
    struct fiber *fiber = fiber_here();
    const struct model_machine *machine = fiber->group->execution->machine;
    fiber->now += STAMP_CYCLES;
    uint64_t ns = (uint64_t)(own_ns(fiber) + model_company_ns(machine, own_ns(fiber)));
    return ns - ns % machine->clock_step_ns;
}

uint32_t model_thread_core(void)
{
    return fiber_here()->group->core;
}

void model_thread_stream(const struct model_stream *stream)
{
    struct model_execution *execution = fiber_here()->group->writable;
    if (execution->stream_count < MODEL_STREAMS_MAX)
        execution->streams[execution->stream_count++] = *stream;
}

uint32_t model_thread_sum(const void *from, uint64_t bytes)
{
    return model_memory_sum(fiber_here()->group->execution->memory, from, bytes);
}

uint32_t *model_thread_places(uint32_t n, uint32_t key)
{
    return model_places_find(fiber_here()->group->execution->places, n, key);
}

// ---------------------------------------------------------------- threads

struct words {
    uint32_t word[GPU_PARAMS_MAX_BYTES / 4];
};

// Calls the kernel with the largest struct of params, which lies on the stack (ABI of x86-64). A
// kernel with a smaller struct can read it there, because clang compiles kernels with the calling
// convention of SPIR.
static void call_kernel(const struct model_execution *execution)
{
    const struct gpu_kernel *kernel = execution->kernel;
    void (*host)(void) = kernel->host ? kernel->host : kernel->stream;
    void *const *args = execution->args;
    struct words params;
    memcpy(&params, execution->params, sizeof params);
    if (kernel->arg_count == 1)
        ((void (*)(void *, struct words))host)(args[0], params);
    else
        ((void (*)(void *, void *, struct words))host)(args[0], args[1], params);
}

// Runs threads of the fiber's group until all have started, then waits for the next group.
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
        fiber->state = FIBER_IDLE;
        give_way(fiber);
    }
}

static void begin_fiber(struct fiber *fiber)
{
    fiber->begun = true;
    fiber->state = FIBER_IDLE;
    getcontext(&fiber->context);
    fiber->context.uc_stack.ss_sp = fiber + 1;
    fiber->context.uc_stack.ss_size = STACK_BYTES - sizeof *fiber;
    fiber->context.uc_link = NULL;
    makecontext(&fiber->context, fiber_main, 0);
}

static ucontext_t *context_of(struct group *group, struct fiber *fiber)
{
    if (!fiber->begun)
        begin_fiber(fiber);
    fiber->group = group;
    return &fiber->context;
}

// Lets all threads at a barrier continue at the time of the last thread. Returns false if no thread
// waits at a barrier.
static bool pass_barrier(struct group *group)
{
    bool any = false;
    double latest = 0;
    for (uint32_t i = 0; i < group->used; i++)
        if (fiber_of(group, i)->state == FIBER_WAITING)
            latest = fmax(latest, fiber_of(group, i)->now);
    for (uint32_t i = 0; i < group->used; i++) {
        struct fiber *fiber = fiber_of(group, i);
        if (fiber->state != FIBER_WAITING)
            continue;
        any = true;
        fiber->now = latest;
        fiber->state = FIBER_READY;
    }
    group->cursor = 0;
    return any;
}

// Returns the fiber that runs next; NULL if there is none. Once all threads have started, skips
// fibers that never had a thread, because each check would touch a new page, and all these pages
// share one set of the host's caches.
static struct fiber *next_fiber(struct group *group)
{
    struct fiber *fiber = NULL;
    const bool any = group->next_thread < group->threads;
    for (uint32_t i = 0; group->due && !fiber; i++) {
        const uint32_t bit = group->due & UINT32_C(1) << i;
        if (!bit)
            continue;
        group->due &= ~bit;
        if (fiber_of(group, i)->now > group->deadline)
            continue;
        fiber = fiber_of(group, i);
        fiber->state = FIBER_READY;
        group->stopped &= ~bit;
    }
    while (!fiber && group->cursor < (any ? group->threads : group->used)) {
        struct fiber *next = fiber_of(group, group->cursor++);
        if (next->state == FIBER_READY || (next->state == FIBER_IDLE && any))
            fiber = next;
    }
    if (group->cursor > group->used)
        group->used = group->cursor;
    return fiber;
}

// Lets the next fiber run, and returns when the calling fiber runs again. Switches directly if
// possible, because through the scheduler there would be two switches, each with a system call.
static void give_way(struct fiber *fiber)
{
    struct group *group = fiber->group;
    struct fiber *next = next_fiber(group);
    if (!next && !group->stopped && pass_barrier(group))
        next = next_fiber(group);
    if (next != fiber)
        swapcontext(&fiber->context, next ? context_of(group, next) : &group->scheduler);
}

// Runs the group until its deadline. Returns false if all threads of the group have ended.
static bool run_group(struct group *group)
{
    group->due = group->stopped;
    struct fiber *fiber = next_fiber(group);
    if (fiber)
        swapcontext(&group->scheduler, context_of(group, fiber));
    group->now = (double)INFINITY;
    for (uint32_t i = 0; i < ABREAST && group->stopped >> i; i++)
        if (group->stopped >> i & 1)
            group->now = fmin(group->now, fiber_of(group, i)->now);
    return group->stopped != 0;
}

// ---------------------------------------------------------------- groups

// Returns the core of workgroup `i`. An incomplete last round is spread evenly over the cores.
static uint32_t core_of(const struct model_execution *execution, uint32_t i)
{
    const uint32_t *groups = execution->groups, cores = execution->machine->cores;
    uint32_t count = groups[0] * groups[1] * groups[2], last = count % cores;
    bool is_full = last == 0 || i < count - last;
    return is_full ? i % cores : (uint32_t)((uint64_t)(i % cores) * cores / last);
}

static void place_group(struct group *group, uint32_t i)
{
    const struct model_execution *execution = group->execution;
    const uint32_t *groups = execution->groups;
    group->id[0] = i % groups[0];
    group->id[1] = i / groups[0] % groups[1];
    group->id[2] = i / groups[0] / groups[1];
    group->core = core_of(execution, i);
    group->next_thread = group->used = group->cursor = 0;
    group->stopped = 0;
    group->deadline = (double)INFINITY;
}

// Runs the groups of each core one after another. Returns the duration of the dispatch in cycles.
static double run_in_turn(struct group *group, uint32_t count, double *core_free)
{
    double cycles = 0;
    for (uint32_t i = 0; i < count; i++) {
        place_group(group, i);
        group->start = group->end = group->execution->start_cycles + core_free[group->core];
        while (run_group(group))
            continue;
        core_free[group->core] = group->end - group->execution->start_cycles;
        cycles = fmax(cycles, core_free[group->core]);
    }
    return cycles;
}

// Runs the groups interleaved, always the slowest group next. Returns the duration in cycles.
static double run_abreast(struct group *groups, uint32_t count)
{
    double start = groups[0].execution->start_cycles, end = start;
    for (uint32_t i = 0; i < count; i++) {
        place_group(&groups[i], i);
        groups[i].first_fiber = i * groups[i].threads;
        groups[i].start = groups[i].end = groups[i].now = start;
    }
    for (;;) {
        struct group *last = &groups[0];
        for (uint32_t i = 1; i < count; i++)
            if (groups[i].now < last->now)
                last = &groups[i];
        if (isinf(last->now))
            return end - start;
        last->deadline = last->now + QUANTUM_CYCLES;
        if (!run_group(last))
            end = fmax(end, last->end);
    }
}

// Runs a kernel that only describes its streams, once for all workgroups, and computes *cycles.
static bool run_streams(struct model_execution *execution, double *cycles, struct error *err)
{
    const struct model_machine *machine = execution->machine;
    struct group group = {
        .execution = execution, .writable = execution, .threads = 1, .stacks = execution->stacks};
    execution->stream_count = 0;
    place_group(&group, 0);
    while (run_group(&group))
        continue;
    struct model_steady steady = model_steady_solve(
        machine, execution->streams, execution->stream_count, 1e9 / execution->cycle_ns);
    *cycles = steady.cycles * execution->slowness;
    execution->stream_level = steady.level;
    if (steady.has_bandwidth)
        return true;
    return steady.level < machine->level_count
               ? error_set(err, ERROR_UNSUPPORTED,
                           "the file of this model has no bandwidth for level %u", steady.level + 1)
               : error_set(err, ERROR_UNSUPPORTED,
                           "the file of this model has no bandwidth for its memory");
}

// Runs all groups, interleaved if possible. Returns the duration of the dispatch in cycles.
static double run_groups(const struct model_execution *execution, const struct group *group)
{
    struct arena *arena = arena_create();
    const uint32_t cores = execution->machine->cores;
    uint32_t count = execution->groups[0] * execution->groups[1] * execution->groups[2];
    struct group *groups = ARENA_ARRAY(arena, count <= cores ? count : 1, struct group);
    double cycles;
    for (uint32_t i = 0; i < (count <= cores ? count : 1); i++)
        groups[i] = *group;
    if (count > 1 && count <= cores && group->threads <= ABREAST)
        cycles = run_abreast(groups, count);
    else
        cycles = run_in_turn(groups, count, ARENA_ARRAY(arena, cores, double));
    arena_destroy(arena);
    return cycles;
}

bool model_execute(struct model_execution *execution, double *cycles, struct error *err)
{
    const struct gpu_kernel *kernel = execution->kernel;
    const uint32_t *size = kernel->workgroup;
    const struct group group = {.execution = execution,
                                .threads = size[0] * size[1] * size[2],
                                .stacks = execution->stacks};
    *cycles = 0;
    if (kernel->arg_count == 0 || kernel->arg_count > ARGS_MAX ||
        (kernel->host && group.threads > STACKS))
        return error_set(err, ERROR_UNSUPPORTED,
                         "%s: a model runs kernels of one or two buffers and up to %d threads a "
                         "group",
                         kernel->name, STACKS);
    execution->places->dispatch++;
    if (!kernel->host)
        return run_streams(execution, cycles, err);
    model_caches_clock(execution->caches, execution->cycle_ns);
    *cycles = run_groups(execution, &group);
    return true;
}
