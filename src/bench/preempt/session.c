// SPDX-License-Identifier: MIT
#include "bench/preempt/session.h"

#include "bench/preempt/process.h"
#include "bench/queue_pair.h"

static const struct {
    const char *name;
    enum gpu_priority priority;
} priorities[] = {
    [PREEMPT_LOW] = {"low", GPU_PRIORITY_LOW},
    [PREEMPT_MEDIUM] = {"medium", GPU_PRIORITY_MEDIUM},
    [PREEMPT_HIGH] = {"high", GPU_PRIORITY_HIGH},
    [PREEMPT_REALTIME] = {"realtime", GPU_PRIORITY_REALTIME},
    [PREEMPT_HIGHEST] = {.name = "highest"},
};

bool preempt_session_open(struct bench_session *bench, struct error *err)
{
    struct preempt_session *session = ARENA_NEW(bench->arena, struct preempt_session);
    bench->state = session;
    if (!bench_device_clock_probe(bench, err))
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

static enum gpu_queue_kind victim_kind(const struct gpu_info *info,
                                       const struct preempt_setup_request *request)
{
    return request->draws ? GPU_QUEUE_UNIVERSAL : queue_pair_kind(info);
}

// Opens the chip again, as another logical device (*side) with the session *own.
static bool device_open(struct bench_session *bench, const struct gpu_device_desc *desc,
                        struct bench_session *own, struct preempt_side *side, struct error *err)
{
    if (!bench_session_open(own, bench->system, bench->info, desc, err))
        return false;
    struct gpu_program *program = load_program(&own->programs, err);
    if (!program) {
        bench_session_close(own);
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
    const struct preempt_setup_request *request = &setup->request;
    struct gpu_device_desc desc = {.queue_count = 1};
    if (request->setting == PREEMPT_QUEUES)
        desc.queue_count += 1 + request->three;
    desc.queues[desc.queue_count - 1].kind = victim_kind(bench->info, request);
    desc.queues[desc.queue_count - 1].priority = priority;
    if (!device_open(bench, &desc, &setup->own, &setup->victim, err))
        return false;
    if (request->setting != PREEMPT_QUEUES)
        return true;
    setup->hog = setup->application = setup->victim;
    setup->hog.queue = gpu_device_queue(setup->own.device, 0);
    if (request->three)
        setup->application.queue = gpu_device_queue(setup->own.device, 1);
    return true;
}

static bool setup_open(struct bench_session *bench, struct preempt_setup *setup,
                       enum preempt_priority named, struct error *err)
{
    const struct preempt_session *session = bench->state;
    const struct preempt_setup_request *request = &setup->request;
    enum gpu_priority priority = priorities[named].priority;
    setup->hog = setup->application =
        (struct preempt_side){bench->device, gpu_device_queue(bench->device, 0), session->program};
    setup->priority_text = request->priority == PREEMPT_HIGHEST
                               ? "medium: the driver refuses every higher one"
                               : "medium, the default";
    if (priority != GPU_PRIORITY_MEDIUM)
        setup->priority_text = arena_printf(bench->arena,
                                            "%s: the driver accepted it; whether it takes effect "
                                            "cannot be queried",
                                            priorities[named].name);
    bool unlike = victim_kind(bench->info, request) != queue_pair_kind(bench->info);
    if (request->setting == PREEMPT_DEVICES || priority != GPU_PRIORITY_MEDIUM || unlike ||
        (request->setting == PREEMPT_QUEUES && request->three))
        return own_open(bench, setup, priority, err);
    unsigned second = queue_pair_has_second(bench->info);
    setup->victim = (struct preempt_side){bench->device, gpu_device_queue(bench->device, second),
                                          session->program};
    return true;
}

// Opens the set-up. PREEMPT_HIGHEST tries realtime, high and, with an application, medium.
static bool setup_open_named(struct bench_session *bench, struct preempt_setup *setup,
                             struct error *err)
{
    const enum preempt_priority asked = setup->request.priority;
    bool highest = asked == PREEMPT_HIGHEST;
    int most = highest ? PREEMPT_REALTIME : (int)asked;
    int least = !highest ? most : setup->request.three ? PREEMPT_MEDIUM : PREEMPT_HIGH;
    for (int named = most; named >= least; named--) {
        if (setup_open(bench, setup, (enum preempt_priority)named, err))
            return true;
        if (err->code != ERROR_UNSUPPORTED)
            return false;
    }
    return asked != PREEMPT_MEDIUM &&
           error_prefix(err, "%s priority is refused", priorities[asked].name);
}

// Fails with ERROR_UNSUPPORTED if the device has too few queues. Only setting=queues needs several
// queues: two for two actors. Three actors need two universal queues for hog and application, and
// one more queue for the victim (victim_kind).
static bool check_queues(const struct gpu_info *info, const struct preempt_setup_request *request,
                         struct error *err)
{
    if (request->setting != PREEMPT_QUEUES)
        return true;
    if (!queue_pair_has_second(info))
        return error_set(err, ERROR_UNSUPPORTED,
                         "%s has one queue, so there is none for the victim", info->id);
    unsigned universal = 0;
    for (unsigned f = 0; f < info->family_count; f++)
        if (info->families[f].kind == GPU_QUEUE_UNIVERSAL)
            universal += info->families[f].count;
    unsigned needed = 2 + (victim_kind(info, request) == GPU_QUEUE_UNIVERSAL);
    return !request->three || universal >= needed ||
           error_set(err, ERROR_UNSUPPORTED,
                     "%s has %u universal queues; hog, application and compositor need %u",
                     info->id, universal, needed);
}

// Returns true if the device has all capabilities and queues that the set-up needs.
static bool check_setup(const struct gpu_info *info, const struct preempt_setup_request *request,
                        struct error *err)
{
    bool urgent = request->priority != PREEMPT_MEDIUM;
    gpu_caps needed = 0;
    if (request->draws)
        needed |= GPU_CAP(GRAPHICS);
    if (urgent)
        needed |= GPU_CAP(PRIORITY);
    if (request->three && urgent && request->setting == PREEMPT_PROCESSES)
        needed |= GPU_CAP(PRIORITY_GLOBAL);
    if (request->three && request->setting == PREEMPT_DEVICES)
        needed |= GPU_CAP(CONTEXTS);
    return gpu_require(info, needed, err) && check_queues(info, request, err);
}

static bool is_same(const struct preempt_setup_request *a, const struct preempt_setup_request *b)
{
    return a->setting == b->setting && a->priority == b->priority && a->draws == b->draws &&
           a->three == b->three;
}

static const char *queue_text_of(struct arena *arena, const struct gpu_info *info,
                                 const struct preempt_setup_request *request)
{
    static const char *const of_three[] = {[PREEMPT_QUEUES] = "three queues of one device",
                                           [PREEMPT_DEVICES] = "three devices of one process",
                                           [PREEMPT_PROCESSES] = "three processes"};
    static const char *const of_two[] = {[PREEMPT_QUEUES] = "of the same device",
                                         [PREEMPT_DEVICES] = "of a device of its own",
                                         [PREEMPT_PROCESSES] = "in another process"};
    const char *kind =
        victim_kind(info, request) == GPU_QUEUE_COMPUTE ? "compute-only" : "universal";
    if (request->three)
        return arena_printf(arena,
                            "hog and application on a universal queue each, the compositor on a %s "
                            "one: %s",
                            kind, of_three[request->setting]);
    return arena_printf(arena, "the hog on a universal queue, the victim on a %s one %s", kind,
                        of_two[request->setting]);
}

struct preempt_setup *preempt_setup_get(struct bench_session *bench,
                                        const struct preempt_setup_request *request,
                                        struct error *err)
{
    struct preempt_session *session = bench->state;
    for (struct preempt_setup *setup = session->setups; setup; setup = setup->next)
        if (is_same(&setup->request, request))
            return setup;
    struct preempt_setup *setup = ARENA_NEW(bench->arena, struct preempt_setup);
    setup->request = *request;
    setup->queue_text = queue_text_of(bench->arena, bench->info, request);
    if (!check_setup(bench->info, request, err) || !setup_open_named(bench, setup, err))
        return NULL;
    const struct gpu_device_desc one = {.queue_count = 1};
    if (request->three && request->setting == PREEMPT_DEVICES &&
        !device_open(bench, &one, &setup->beside, &setup->application, err)) {
        bench_session_close(&setup->own);
        return NULL;
    }
    setup->next = session->setups;
    session->setups = setup;
    return setup;
}
