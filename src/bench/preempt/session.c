// SPDX-License-Identifier: MIT
#include "bench/preempt/session.h"

#include "bench/preempt/process.h"
#include "bench/queue_pair.h"

#include <string.h>

enum {
    PRIORITY_MEDIUM = 1 // index of the medium priority in `priorities`
};

// The priorities, from the lowest to the highest.
static const struct {
    const char *name;
    enum gpu_priority priority;
} priorities[] = {
    {"low", GPU_PRIORITY_LOW},
    [PRIORITY_MEDIUM] = {"medium", GPU_PRIORITY_MEDIUM},
    {"high", GPU_PRIORITY_HIGH},
    {"realtime", GPU_PRIORITY_REALTIME},
};

bool preempt_session_open(struct bench_session *bench, struct error *err)
{
    struct preempt_session *session = ARENA_NEW(bench->arena, struct preempt_session);
    bench->state = session;
    if (!bench_clock_probe(bench, err))
        return false;
    session->program = load_program(&bench->programs, err);
    return session->program != NULL;
}

void preempt_session_close(struct bench_session *bench)
{
    struct preempt_session *session = bench->state;
    for (struct preempt_setup *setup = session ? session->setups : NULL; setup;
         setup = setup->next) {
        process_destroy(setup->process);
        process_destroy(setup->application_process);
        bench_session_close(&setup->own);
        bench_session_close(&setup->beside);
    }
}

// ---------------------------------------------------------------- set-ups

static bool is_queues(const struct preempt_setup *setup)
{
    return strcmp(setup->setting, "queues") == 0;
}

static enum gpu_queue_kind victim_kind(const struct gpu_info *info,
                                       const struct preempt_setup *setup)
{
    return setup->draws ? GPU_QUEUE_UNIVERSAL : queue_pair_kind(info);
}

static bool is_processes(const struct preempt_setup *setup)
{
    return strcmp(setup->setting, "processes") == 0;
}

// Opens the chip again, as a second logical device, and begins the session *own on it. Sets *side
// to this device, its last queue and its program.
static bool device_open(struct bench_session *bench, const struct gpu_device_desc *desc,
                        struct bench_session *own, struct preempt_side *side, struct error *err)
{
    if (!bench_session_open(own, bench->system, bench->info, desc, err))
        return false;
    struct gpu_program *program = load_program(&own->programs, err);
    if (!program) {
        bench_session_close(own);
        *own = (struct bench_session){0};
        return false;
    }
    *side = (struct preempt_side){own->device, gpu_device_queue(own->device, desc->queue_count - 1),
                                  program};
    return true;
}

// Opens a logical device for the victim; with setting=queues, hog and application run on it too.
static bool own_open(struct bench_session *bench, struct preempt_setup *setup,
                     enum gpu_priority priority, struct error *err)
{
    struct gpu_device_desc desc = {.queue_count = 1};
    if (is_queues(setup))
        desc.queue_count += 1 + setup->three;
    desc.queues[desc.queue_count - 1].kind = victim_kind(bench->info, setup);
    desc.queues[desc.queue_count - 1].priority = priority;
    if (!device_open(bench, &desc, &setup->own, &setup->victim, err))
        return false;
    if (!is_queues(setup))
        return true;
    setup->hog = setup->application = setup->victim;
    setup->hog.queue = gpu_device_queue(setup->own.device, 0);
    if (setup->three)
        setup->application.queue = gpu_device_queue(setup->own.device, 1);
    return true;
}

static bool setup_open(struct bench_session *bench, struct preempt_setup *setup, size_t p,
                       struct error *err)
{
    const struct preempt_session *session = bench->state;
    enum gpu_priority priority = priorities[p].priority;
    setup->hog = setup->application =
        (struct preempt_side){bench->device, gpu_device_queue(bench->device, 0), session->program};
    setup->priority_text = strcmp(setup->priority, "highest") == 0
                               ? "medium: the driver refuses every higher one"
                               : "medium, the default";
    if (priority != GPU_PRIORITY_MEDIUM)
        setup->priority_text = arena_printf(bench->arena,
                                            "%s: the driver accepted it; whether it takes effect "
                                            "cannot be queried",
                                            priorities[p].name);
    bool unlike = victim_kind(bench->info, setup) != queue_pair_kind(bench->info);
    if (strcmp(setup->setting, "devices") == 0 || priority != GPU_PRIORITY_MEDIUM || unlike ||
        (is_queues(setup) && setup->three))
        return own_open(bench, setup, priority, err);
    unsigned second = queue_pair_has_second(bench->info);
    setup->victim = (struct preempt_side){bench->device, gpu_device_queue(bench->device, second),
                                          session->program};
    return true;
}

// Opens the set-up with the priority that setup->priority names. "highest" means: try realtime,
// then high and, if there is an application, then medium.
static bool setup_open_named(struct bench_session *bench, struct preempt_setup *setup,
                             struct error *err)
{
    bool highest = strcmp(setup->priority, "highest") == 0;
    size_t least = !highest ? 0 : setup->three ? PRIORITY_MEDIUM : PRIORITY_MEDIUM + 1;
    for (size_t p = COUNT(priorities); p-- > least;) {
        if (!highest && strcmp(priorities[p].name, setup->priority) != 0)
            continue;
        if (setup_open(bench, setup, p, err))
            return true;
        if (!highest || err->code != ERROR_UNSUPPORTED)
            break;
    }
    bool refused = err->code == ERROR_UNSUPPORTED && strcmp(setup->priority, "medium") != 0;
    return refused ? error_prefix(err, "%s priority is refused", setup->priority) : false;
}

// True if the device has enough queues for the set-up. Only setting=queues needs more than one
// queue. With two actors, it needs a second queue, universal or compute-only. With three actors, it
// needs two universal queues for hog and application, and for the victim another queue, of the kind
// that victim_kind returns.
static bool check_queues(const struct gpu_info *info, const struct preempt_setup *setup,
                         struct error *err)
{
    if (!is_queues(setup))
        return true;
    if (!queue_pair_has_second(info))
        return error_set(err, ERROR_UNSUPPORTED,
                         "%s has one queue, so there is none for the victim", info->id);
    unsigned universal = 0;
    for (unsigned f = 0; f < info->family_count; f++)
        if (info->families[f].kind == GPU_QUEUE_UNIVERSAL)
            universal += info->families[f].count;
    unsigned needed = 2 + (victim_kind(info, setup) == GPU_QUEUE_UNIVERSAL);
    return !setup->three || universal >= needed ||
           error_set(err, ERROR_UNSUPPORTED,
                     "%s has %u universal queues; hog, application and compositor need %u",
                     info->id, universal, needed);
}

// Returns true if the device has all capabilities and queues that the set-up needs.
static bool check_setup(const struct gpu_info *info, const struct preempt_setup *setup,
                        struct error *err)
{
    bool urgent = strcmp(setup->priority, "medium") != 0;
    gpu_caps needed = 0;
    if (setup->draws)
        needed |= GPU_CAP(GRAPHICS);
    if (urgent)
        needed |= GPU_CAP(PRIORITY);
    if (setup->three && urgent && is_processes(setup))
        needed |= GPU_CAP(PRIORITY_GLOBAL);
    if (setup->three && strcmp(setup->setting, "devices") == 0)
        needed |= GPU_CAP(CONTEXTS);
    return gpu_require(info, needed, err) && check_queues(info, setup, err);
}

static bool is_requested(const struct preempt_setup *setup,
                         const struct preempt_setup_request *request)
{
    return strcmp(setup->setting, request->setting) == 0 &&
           strcmp(setup->priority, request->priority) == 0 && setup->draws == request->draws &&
           setup->three == request->three;
}

static const char *queue_text_of(struct arena *arena, const struct gpu_info *info,
                                 const struct preempt_setup *setup)
{
    const char *kind = victim_kind(info, setup) == GPU_QUEUE_COMPUTE ? "compute-only" : "universal";
    if (setup->three)
        return arena_printf(arena,
                            "hog and application on a universal queue each, the compositor on a %s "
                            "one: %s",
                            kind,
                            is_queues(setup)      ? "three queues of one device"
                            : is_processes(setup) ? "three processes"
                                                  : "three devices of one process");
    return arena_printf(arena, "the hog on a universal queue, the victim on a %s one %s", kind,
                        is_queues(setup)      ? "of the same device"
                        : is_processes(setup) ? "in another process"
                                              : "of a device of its own");
}

struct preempt_setup *preempt_setup_get(struct bench_session *bench,
                                        const struct preempt_setup_request *request,
                                        struct error *err)
{
    struct preempt_session *session = bench->state;
    for (struct preempt_setup *setup = session->setups; setup; setup = setup->next)
        if (is_requested(setup, request))
            return setup;
    struct preempt_setup *setup = ARENA_NEW(bench->arena, struct preempt_setup);
    setup->setting = arena_strdup(bench->arena, request->setting);
    setup->priority = arena_strdup(bench->arena, request->priority);
    setup->draws = request->draws;
    setup->three = request->three;
    setup->queue_text = queue_text_of(bench->arena, bench->info, setup);
    if (!check_setup(bench->info, setup, err) || !setup_open_named(bench, setup, err))
        return NULL;
    const struct gpu_device_desc one = {.queue_count = 1};
    if (setup->three && strcmp(setup->setting, "devices") == 0 &&
        !device_open(bench, &one, &setup->beside, &setup->application, err)) {
        bench_session_close(&setup->own);
        return NULL;
    }
    setup->next = session->setups;
    session->setups = setup;
    return setup;
}
