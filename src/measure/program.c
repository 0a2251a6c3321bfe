// SPDX-License-Identifier: MIT
#include "measure/program.h"

#include "base/clock.h"
#include "base/processors.h"
#include "gpu/kernels.h"
#include "measure/isa.h"
#include "measure/visit.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>

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

static struct measure_program *find(struct measure_program *list,
                                    const struct gpu_program_desc *desc)
{
    while (list && !is_same(&list->desc, desc))
        list = list->older;
    return list;
}

// Adds a program to a list. `program` may be NULL: the entry then is a program to compile later.
static void add(struct arena *arena, struct measure_program **list,
                const struct gpu_program_desc *desc, struct gpu_program *program)
{
    struct measure_program *added = ARENA_NEW(arena, struct measure_program);
    *added = (struct measure_program){.desc = *desc, .program = program, .older = *list};
    *list = added;
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
    const struct measure_program *known = find(programs->newest, &desc);
    if (known)
        return known->program;
    if (programs->listing) {
        if (!find(programs->listed, &desc))
            add(programs->arena, &programs->listed, &desc, NULL);
        error_set(err, ERROR_INTERNAL, "kernel %s is not compiled yet", kernel);
        return NULL;
    }
    uint64_t began_ns = clock_now_ns();
    struct gpu_program *program = gpu_program_create(programs->scope, &desc, err);
    programs->compile_ns += clock_now_ns() - began_ns;
    if (program)
        add(programs->arena, &programs->newest, &desc, program);
    return program;
}

// ---------------------------------------------------------------- compiling ahead

// The programs that no thread has begun to compile yet. All threads share this queue.
struct queue {
    pthread_mutex_t lock;
    struct measure_program *next;
    uint64_t deadline_ns; // host time in ns after which no thread begins to compile another program
};

struct compiler {
    struct queue *queue;
    struct gpu_scope *scope; // scope of this thread; owns the programs that the thread compiles
};

static struct measure_program *take(struct queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    struct measure_program *taken = queue->next;
    if (taken && clock_left_ns(queue->deadline_ns) > 0)
        queue->next = taken->older;
    else
        taken = NULL;
    pthread_mutex_unlock(&queue->lock);
    return taken;
}

static void *compile(void *context)
{
    const struct compiler *compiler = context;
    struct measure_program *own;
    // The error is ignored: measure_program compiles the program again and reports its error.
    struct error unused;
    while ((own = take(compiler->queue)))
        own->program = gpu_program_create(compiler->scope, &own->desc, &unused);
    return NULL;
}

// Runs compile() on the calling thread and on `count` − 1 new threads, until all have ended.
static void run_compilers(struct compiler *compilers, unsigned count)
{
    pthread_t threads[MEASURE_COMPILERS];
    bool runs[MEASURE_COMPILERS] = {false};
    for (unsigned i = 1; i < count; i++)
        runs[i] = pthread_create(&threads[i], NULL, compile, &compilers[i]) == 0;
    compile(&compilers[0]);
    for (unsigned i = 1; i < count; i++)
        if (runs[i])
            pthread_join(threads[i], NULL);
}

void measure_programs_list(struct measure_programs *programs)
{
    programs->listing = true;
}

void measure_programs_compile(struct measure_programs *programs)
{
    static const uint64_t most_ns = 5 * NS_PER_S;
    const uint64_t began_ns = clock_now_ns();
    struct queue queue = {PTHREAD_MUTEX_INITIALIZER, programs->listed, began_ns + most_ns};
    struct compiler compilers[MEASURE_COMPILERS];
    unsigned count = 0, most = processors_allowed();
    for (const struct measure_program *own = programs->listed;
         own && count < most && count < MEASURE_COMPILERS; own = own->older, count++) {
        if (!programs->scopes[count])
            programs->scopes[count] = gpu_scope_open(gpu_scope_device(programs->scope));
        compilers[count] = (struct compiler){&queue, programs->scopes[count]};
    }
    if (count > 0)
        run_compilers(compilers, count);
    for (const struct measure_program *own = programs->listed; own; own = own->older)
        if (own->program)
            add(programs->arena, &programs->newest, &own->desc, own->program);
    programs->listed = NULL;
    programs->listing = false;
    programs->compile_ns += clock_now_ns() - began_ns;
}

void measure_programs_close(struct measure_programs *programs)
{
    for (unsigned i = 0; i < MEASURE_COMPILERS; i++)
        if (programs->scopes[i])
            gpu_scope_close(programs->scopes[i]);
}

// ---------------------------------------------------------------- what the driver reports

// `loads` gets the loads of an innermost loop if measure/isa.h understands the assembly.
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
