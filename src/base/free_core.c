// SPDX-License-Identifier: MIT
#define _GNU_SOURCE // _GNU_SOURCE makes sched.h declare sched_getcpu
#include "base/free_core.h"

#include "base/clock.h"
#include "base/processors.h"
#include "base/text.h"

#include <dirent.h>
#include <math.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    LOWEST_MAX = 64
};

struct free_core {
    const char *root, *pci;
    struct processor_set interrupts; // processors that handle interrupts of the card
    // `allowed` has the processors that the thread may use. `wanted` has only the allowed
    // processors that handle no interrupts of the card; if there are none, it has all allowed
    // processors.
    struct processor_set allowed, wanted;
    // `lowest` has the lowest contentions measured so far, in ascending order; `count` is the
    // number of all measured contentions. A core's contention shows how much other work slows it.
    double lowest[LOWEST_MAX];
    unsigned lowest_count, count;
    // Host time in ns at the end of the last search if it found no free core; else 0.
    uint64_t in_vain_ns;
};

struct free_core *free_core_create(struct arena *arena, const char *root, const char *pci)
{
    struct free_core *core = ARENA_NEW(arena, struct free_core);
    core->root = root ? root : "";
    core->pci = pci;
    return core;
}

// ---------------------------------------------------------------- interrupts of the card

// Returns this vector's interrupts on all processors; 0 if not known. The file has "0,0,13,…".
static double interrupts_of(const struct free_core *core, const char *vector)
{
    char line[8192], *at = line;
    double sum = 0;
    if (!text_read_line(line, sizeof line, "%s/sys/kernel/irq/%s/per_cpu_count", core->root,
                        vector))
        return 0;
    for (char *end; *at; at = end + (*end == ',')) {
        sum += strtod(at, &end);
        if (end == at)
            break;
    }
    return sum;
}

// Returns the first processor that handles the vector's interrupts now; PROCESSORS_MAX if not
// known.
static size_t processor_of(const struct free_core *core, const char *vector)
{
    char line[64], *end;
    if (!text_read_line(line, sizeof line, "%s/proc/irq/%s/effective_affinity_list", core->root,
                        vector))
        return PROCESSORS_MAX;
    unsigned long processor = strtoul(line, &end, 10);
    return end > line && processor < PROCESSORS_MAX ? processor : PROCESSORS_MAX;
}

static void read_interrupts(struct free_core *core)
{
    enum {
        VECTORS_MAX = 64
    };
    // A vector with less than this share of the busiest vector's interrupts is ignored.
    static const double least_share = 0.01;
    struct {
        double interrupts;
        size_t processor;
    } vectors[VECTORS_MAX];
    char path[256];
    size_t count = 0;
    double most = 0;
    snprintf(path, sizeof path, "%s/sys/bus/pci/devices/%s/msi_irqs", core->root,
             core->pci ? core->pci : "-");
    DIR *names = opendir(path);
    if (!names)
        return;
    for (const struct dirent *name; count < VECTORS_MAX && (name = readdir(names));) {
        double interrupts = interrupts_of(core, name->d_name);
        if (!(interrupts > 0))
            continue;
        vectors[count].interrupts = interrupts;
        vectors[count++].processor = processor_of(core, name->d_name);
        most = fmax(most, interrupts);
    }
    closedir(names);
    for (size_t i = 0; i < count; i++)
        if (vectors[i].interrupts >= least_share * most && vectors[i].processor < PROCESSORS_MAX)
            processor_set_add(&core->interrupts, vectors[i].processor);
}

void free_core_refresh(struct free_core *core)
{
    core->interrupts = core->wanted = (struct processor_set){{0}};
    processors_get(&core->allowed);
    read_interrupts(core);
    for (size_t i = 0; i < PROCESSORS_MAX; i++)
        if (processor_set_has(&core->allowed, i) && !processor_set_has(&core->interrupts, i))
            processor_set_add(&core->wanted, i);
    if (processor_set_count(&core->wanted) == 0)
        core->wanted = core->allowed;
}

bool free_core_has_interrupts(const struct free_core *core, unsigned processor)
{
    return processor < PROCESSORS_MAX && processor_set_has(&core->interrupts, processor);
}

// ---------------------------------------------------------------- contention for a core's units

// Each loop takes 1 to 3 µs on a free core.
enum {
    CHAIN_ITERATIONS = 1500,
    WIDE_ITERATIONS = 1000,
    // runs of each loop; the shortest one counts, because an interrupt makes a run longer
    LOOP_ATTEMPTS = 3
};

// Returns the time in ns of a chain of multiplications. It depends almost only on the core's clock.
static double chain_ns(void)
{
    uint64_t x = 3, start_ns = clock_now_ns();
    for (int i = 0; i < CHAIN_ITERATIONS; i++) {
        x *= UINT64_C(0x9e3779b97f4a7c15);
        __asm__ volatile("" : "+r"(x)); // keeps the compiler from combining several iterations
    }
    return (double)(clock_now_ns() - start_ns);
}

static inline void step_all(uint64_t x[8])
{
    x[0] += 3, x[1] ^= 5, x[2] += 7, x[3] ^= 9;
    x[4] += 11, x[5] ^= 13, x[6] += 17, x[7] ^= 19;
    __asm__ volatile("" : "+r"(x[0]), "+r"(x[1]), "+r"(x[2]), "+r"(x[3]));
    __asm__ volatile("" : "+r"(x[4]), "+r"(x[5]), "+r"(x[6]), "+r"(x[7]));
}

// Returns the time in ns of eight independent chains. The core starts as many of their operations
// per cycle as it can.
static double wide_ns(void)
{
    uint64_t x[8] = {1, 2, 3, 4, 5, 6, 7, 8}, start_ns = clock_now_ns();
    for (int i = 0; i < WIDE_ITERATIONS; i++) {
        step_all(x);
        step_all(x);
        step_all(x);
        step_all(x);
    }
    return (double)(clock_now_ns() - start_ns);
}

// Returns wide_ns / chain_ns. Other work on the core's units makes this ratio larger, because it
// slows the eight chains more than the single chain.
static double contention_now(void)
{
    double chain = chain_ns(), wide = wide_ns();
    for (int i = 1; i < LOOP_ATTEMPTS; i++) {
        chain = fmin(chain, chain_ns());
        wide = fmin(wide, wide_ns());
    }
    return wide / chain;
}

void free_core_note(struct free_core *core, double contention)
{
    unsigned at = core->lowest_count;
    core->count++;
    if (at == LOWEST_MAX && !(contention < core->lowest[--at]))
        return;
    for (; at > 0 && core->lowest[at - 1] > contention; at--)
        core->lowest[at] = core->lowest[at - 1];
    core->lowest[at] = contention;
    core->lowest_count += core->lowest_count < LOWEST_MAX;
}

bool free_core_judge(const struct free_core *core, double contention)
{
    enum {
        // If n ≥ FEW contentions were measured, the 1 + n / SHARE lowest are ignored, at most
        // LOWEST_MAX − 1.
        FEW = 16,
        SHARE = 1000,
    };
    // A core is free if its contention is at most this number times the lowest contention that is
    // not ignored. On an H200's host, the contention is 1.23 on free cores and up to 2.6 on busy
    // cores.
    static const double free_most = 1.15;
    unsigned too_low = core->count < FEW ? 0 : 1 + core->count / SHARE;
    if (core->lowest_count == 0)
        return false;
    if (too_low >= core->lowest_count)
        too_low = core->lowest_count - 1;
    return contention <= free_most * core->lowest[too_low];
}

// Measures, notes and returns the contention of the present core. Returns infinity, without
// measuring, if the core's processor is not wanted.
static double contention_here(struct free_core *core)
{
    int processor = sched_getcpu();
    if (processor < 0 || processor >= PROCESSORS_MAX ||
        !processor_set_has(&core->wanted, (size_t)processor))
        return (double)INFINITY;
    double contention = contention_now();
    free_core_note(core, contention);
    return contention;
}

bool free_core_is_free(struct free_core *core)
{
    double contention = contention_here(core);
    return free_core_judge(core, contention);
}

// ---------------------------------------------------------------- choosing a processor

// Moves the calling thread to a processor. Does not bind the thread, so the system may move it
// again.
static bool move_to(const struct free_core *core, size_t processor)
{
    struct processor_set one = {{0}};
    processor_set_add(&one, processor);
    return processors_set(&one) && processors_set(&core->allowed);
}

void free_core_settle(struct free_core *core)
{
    enum {
        TRIED_MAX = 32 // maximum number of processors that one call compares
    };
    // Pause in ns after a search that found no free core, because such a search takes up to 1 ms.
    static const uint64_t pause_ns = 20 * NS_PER_MS;
    bool is_first = core->count == 0;
    int now = sched_getcpu();
    size_t first = now > 0 ? (size_t)now : 0, at = first, best = first;
    double least = contention_here(core);
    unsigned tried = 1;
    if (isfinite(least) && core->in_vain_ns && clock_now_ns() - core->in_vain_ns < pause_ns)
        return;
    for (size_t i = 1; i < PROCESSORS_MAX && tried < TRIED_MAX; i++) {
        size_t processor = (first + i) % PROCESSORS_MAX;
        if (!is_first && free_core_judge(core, least))
            break;
        if (!processor_set_has(&core->wanted, processor) || !move_to(core, processor))
            continue;
        double contention = contention_here(core);
        at = processor;
        tried++;
        if (contention < least) {
            least = contention;
            best = processor;
        }
    }
    if (at != best)
        (void)move_to(core, best);
    core->in_vain_ns = free_core_judge(core, least) ? 0 : clock_now_ns();
}
