// SPDX-License-Identifier: MIT
#include "suite/visitor.h"

#include "base/clock.h"
#include "base/processors.h"
#include "measure/card.h"
#include "measure/count.h"
#include "results/reasons.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct case_memory {
    size_t index;
    void *memory;
    // Low core clock in Hz for which a visit of this case settled; 0 if no visit did so
    // (pace_begin).
    double core_hz;
};

struct visitor {
    struct arena *arena;
    struct gpu_system *system;
    const struct gpu_info *info;
    // The device, opened with the one queue that most benchmarks need, or NULL. It stays open while
    // a benchmark uses other queues, because opening it takes some tenths of a second.
    struct gpu_device *usual;
    // The device of the open session, perhaps `usual`. NULL before the first visit, and after a
    // visit that could not open its device.
    struct gpu_device *device;
    // Number of messages of the API's validation so far. The API counts them for all its devices.
    size_t messages;
    // Function benchmark.device that chose the queues of `device`.
    void (*queues)(const struct gpu_info *, struct gpu_device_desc *);
    // Error of a visit that could not open the device, because no device memory was left although
    // this visitor had not opened the device. Later visits then fail at once. ERROR_NONE if there
    // was no such visit.
    struct error refusal;
    // hardware counters of `device`; NULL until its first counted visit
    struct measure_count *count;
    struct measure_card *card;     // sensors of the card; NULL until card_of opens them
    struct gpu_scope *watch_scope; // scope that owns the objects of `watch`, on the device `usual`
    struct measure_watch *watch;   // watch for other work; NULL until the first watch
    // Times of the host's processors at the last watch; valid if has_before is true.
    struct processors_time before;
    bool has_before;
    bool has_visited; // true: a visit was made since the last watch of a CPU device
    // Finds a free core of the host for the measuring thread; NULL until a benchmark needs it.
    struct free_core *core;
    long family_pid;
    bool validation;
    // Benchmark whose session is open, or NULL. Several benchmarks may use one session
    // (benchmark.session_of).
    const struct benchmark *benchmark;
    struct bench_session session;
    // Clocks that the last session measured. Later sessions use them, because measuring them takes
    // 55 ms.
    struct measure_clock clock;
    struct case_memory *memories; // data that cases keep between visits, in the session's arena
    size_t memory_count, memory_capacity;
};

static const char *api_of(struct arena *arena, const char *device)
{
    char *api = arena_strdup(arena, device);
    api[strcspn(api, ":")] = '\0';
    return api;
}

struct visitor *visitor_create(const struct visitor_desc *desc, struct error *err)
{
    struct arena *arena = arena_create();
    struct gpu_system *system =
        gpu_system_create(&(struct gpu_system_desc){.only_api = api_of(arena, desc->device),
                                                    .validation = desc->validation,
                                                    .known = desc->known,
                                                    .known_count = desc->known_count});
    const struct gpu_info *info = gpu_system_find(system, desc->device);
    if (!info) {
        error_set(err, ERROR_NO_DEVICE,
                  "%s: no such device here: `fathom devices` shows what "
                  "there is",
                  desc->device);
        gpu_system_destroy(system);
        arena_destroy(arena);
        return NULL;
    }
    struct visitor *visitor = ARENA_NEW(arena, struct visitor);
    *visitor = (struct visitor){
        .arena = arena, .system = system, .info = info, .validation = desc->validation};
    visitor->family_pid = desc->family_pid ? desc->family_pid : (long)getpid();
    return visitor;
}

const struct gpu_info *visitor_info(const struct visitor *visitor)
{
    return visitor->info;
}

static void session_close(struct visitor *visitor)
{
    if (!visitor->benchmark)
        return;
    if (visitor->benchmark->close)
        visitor->benchmark->close(&visitor->session);
    if (visitor->session.clock.iteration_ns > 0)
        visitor->clock = visitor->session.clock;
    bench_session_end(&visitor->session);
    visitor->benchmark = NULL;
    visitor->memories = NULL;
    visitor->memory_count = visitor->memory_capacity = 0;
}

static void close_device(struct visitor *visitor)
{
    measure_count_close(visitor->count);
    visitor->count = NULL;
    if (visitor->device != visitor->usual)
        gpu_device_close(visitor->device);
    visitor->device = NULL;
}

void visitor_destroy(struct visitor *visitor)
{
    if (!visitor)
        return;
    session_close(visitor);
    measure_card_close(visitor->card);
    close_device(visitor);
    if (visitor->watch_scope)
        gpu_scope_close(visitor->watch_scope);
    gpu_device_close(visitor->usual);
    gpu_system_destroy(visitor->system);
    arena_destroy(visitor->arena);
}

static struct measure_card *card_of(struct visitor *visitor)
{
    if (!visitor->card)
        visitor->card = measure_card_open(visitor->arena, visitor->info);
    return visitor->card;
}

// Opens the device with the queues that the benchmark asks for, unless it is open with these
// queues.
static bool device_open(struct visitor *visitor, const struct benchmark *benchmark,
                        struct error *err)
{
    struct gpu_device_desc desc = {0};
    if (visitor->device && visitor->queues == benchmark->device)
        return true;
    close_device(visitor);
    if (visitor->refusal.code != ERROR_NONE) {
        *err = visitor->refusal;
        return false;
    }
    if (benchmark->device)
        benchmark->device(visitor->info, &desc);
    else
        visitor->device = visitor->usual;
    if (!visitor->device)
        visitor->device = gpu_device_open(visitor->system, visitor->info, &desc, err);
    visitor->queues = benchmark->device;
    if (!visitor->device) {
        error_prefix(err, "cannot open %s", visitor->info->id);
        if (err->code == ERROR_OUT_OF_MEMORY && !visitor->usual)
            visitor->refusal = *err;
        return false;
    }
    if (!benchmark->device)
        visitor->usual = visitor->device;
    return true;
}

static bool session_open(struct visitor *visitor, const struct benchmark *visited,
                         struct error *err)
{
    const struct benchmark *benchmark = benchmark_session_of(visited, err);
    if (!benchmark)
        return false;
    if (visitor->benchmark == benchmark)
        return true;
    session_close(visitor);
    if (!device_open(visitor, benchmark, err))
        return false;
    visitor->session = bench_session_begin(visitor->system, visitor->device);
    visitor->session.known_clock = visitor->clock;
    visitor->benchmark = benchmark;
    if (!benchmark->open || benchmark->open(&visitor->session, err))
        return true;
    session_close(visitor);
    return false;
}

// Returns the data that case number `index` keeps between visits; creates them at its first visit.
static struct case_memory *memory_of(struct visitor *visitor, size_t index)
{
    for (size_t i = 0; i < visitor->memory_count; i++)
        if (visitor->memories[i].index == index)
            return &visitor->memories[i];
    visitor->memories = arena_grow(visitor->session.arena, visitor->memories, visitor->memory_count,
                                   &visitor->memory_capacity, sizeof *visitor->memories);
    struct case_memory *memory = &visitor->memories[visitor->memory_count++];
    *memory = (struct case_memory){.index = index};
    return memory;
}

// Opens the device's hardware counters and selects the counters of the order's benchmark. All
// orders to a worker name the same counters of the user, so only the first order's names are used.
static bool count_open(struct visitor *visitor, const struct visit_order *order, struct error *err)
{
    const struct visit_counting *counting = order->counting;
    if (!visitor->count)
        visitor->count =
            measure_count_open(visitor->device, counting->natives, counting->native_count, err);
    return visitor->count &&
           measure_count_select(visitor->count, order->benchmark->counted(order->bench_case), err);
}

static bool validation_check(struct visitor *visitor, struct error *err)
{
    const char *first = NULL;
    size_t before = visitor->messages,
           after = gpu_device_validation_messages(visitor->device, &first);
    visitor->messages = after;
    if (after == before)
        return true;
    return error_set(err, ERROR_INTERNAL, "the API's validation reports %zu errors; the first: %s",
                     after - before, first ? first : "no text");
}

bool visitor_is_lost(const struct error *failure)
{
    return failure->code == ERROR_DEVICE_LOST || failure->code == ERROR_TIMEOUT;
}

// True if the device is a model, whose times do not depend on the host's processors.
static bool is_simulated(const struct visitor *visitor)
{
    return visitor->info->caps & GPU_CAP(VIRTUAL_TIME);
}

// Prepares the choice of a free core of the host, for benchmarks of the host link on real GPUs.
static struct measure_core *choose_core(struct visitor *visitor, const struct benchmark *benchmark,
                                        struct measure_core *core)
{
    if (!benchmark->link || visitor->info->kind == GPU_KIND_CPU || is_simulated(visitor))
        return NULL;
    if (!visitor->core)
        visitor->core = free_core_create(visitor->arena, getenv(VISITOR_ROOT_VARIABLE),
                                         measure_card_of(visitor->arena, visitor->info).pci);
    free_core_refresh(visitor->core);
    *core = (struct measure_core){.core = visitor->core};
    return core;
}

// Compiles the programs of the order's cases `ahead`. With the API's validation, does nothing,
// because several threads would count its messages.
static void compile_ahead(struct visitor *visitor, const struct visit_order *order)
{
    struct bench_session *session = &visitor->session;
    if (order->ahead_count == 0 || !order->benchmark->programs || visitor->validation)
        return;
    measure_programs_list(&session->programs);
    for (size_t i = 0; i < order->ahead_count; i++)
        order->benchmark->programs(session, order->ahead[i]);
    measure_programs_compile(&session->programs);
}

// Flags a visit whose times may be wrong, because something altered the driver.
static void flag_alteration(const struct visitor *visitor, const struct benchmark *benchmark,
                            struct arena *arena, struct measure_visit *visit)
{
    struct gpu_alteration alteration = gpu_device_alteration(visitor->device, arena);
    if (alteration.text && (!alteration.submissions_only || benchmark_times_submissions(benchmark)))
        visit_flag(visit, REASON_ALTERED, "%s", alteration.text);
}

bool visitor_visit(struct visitor *visitor, const struct visit_order *order, struct arena *arena,
                   struct measure_visit **visit, struct error *err)
{
    const struct benchmark *benchmark = order->benchmark;
    if (!gpu_require(visitor->info, benchmark->needs, err))
        return false;
    visitor->has_visited = true;
    if (visitor->device)
        visitor->messages = gpu_device_validation_messages(visitor->device, NULL);
    if (!session_open(visitor, benchmark, err) ||
        (order->counting && !count_open(visitor, order, err)))
        return false;
    const uint64_t compiled_ns = visitor->session.programs.compile_ns;
    compile_ahead(visitor, order);
    struct case_memory *memory = memory_of(visitor, order->index);
    struct measure_request request = *order->request;
    struct measure_pace *pace = measure_card_begin(card_of(visitor), &memory->core_hz);
    request.pace = request.any_clock ? NULL : pace;
    request.count = order->counting ? visitor->count : NULL;
    struct measure_core core;
    request.core = choose_core(visitor, benchmark, &core);
    struct bench_visit run = {
        .session = &visitor->session,
        .bench_case = order->bench_case,
        .scope = gpu_scope_open(visitor->device),
        .arena = arena_create(),
        .request = &request,
        .memory = &memory->memory,
    };
    struct measure_visit *made = measure_visit_create(arena);
    bool done = benchmark->visit(&run, made, err);
    made->compile_ns = visitor->session.programs.compile_ns - compiled_ns;
    gpu_scope_close(run.scope);
    arena_destroy(run.arena);
    measure_card_note(visitor->card, &benchmark->info, request.any_clock, made);
    flag_alteration(visitor, benchmark, arena, made);
    *visit = made;
    return done && validation_check(visitor, err);
}

// Opens the watch on the device `usual`, because a device with other queues is open for one
// benchmark only.
static bool watch_open(struct visitor *visitor, struct error *err)
{
    const struct gpu_device_desc usual = {0};
    if (!visitor->usual)
        visitor->usual = gpu_device_open(visitor->system, visitor->info, &usual, err);
    if (!visitor->usual)
        return error_prefix(err, "cannot open %s", visitor->info->id);
    visitor->watch_scope = gpu_scope_open(visitor->usual);
    visitor->watch = measure_watch_open(visitor->arena, visitor->watch_scope, err);
    if (visitor->watch)
        return true;
    gpu_scope_close(visitor->watch_scope);
    visitor->watch_scope = NULL;
    return false;
}

// Reads how the host's processors have spent their time: *now up to now, *last up to the last
// watch. At the first watch, both are equal.
static bool read_processors(struct visitor *visitor, struct processors_time *last,
                            struct processors_time *now)
{
    if (!processors_time_read(getenv(VISITOR_ROOT_VARIABLE), visitor->family_pid, now))
        return false;
    *last = visitor->has_before ? visitor->before : *now;
    visitor->before = *now;
    visitor->has_before = true;
    return true;
}

// Watches a CPU device. After a visit, finding->share is the share of the time since the last watch
// that other processes or virtual machines took from fathom's threads (processors_time_lost).
// Without a visit since the last watch, these threads did not run and so did not wait. Then
// finding->share is the share of the processors' time that others use while this process sleeps.
static bool watch_processors(struct visitor *visitor, struct watch_finding *finding,
                             struct error *err)
{
    // The kernel counts the processors' time in ticks, usually of 10 ms.
    static const uint64_t idle_ns = NS_PER_S / 10;
    const bool is_idle = !visitor->has_visited;
    struct processors_time last, now;
    bool read = read_processors(visitor, &last, &now);
    if (read && is_idle) {
        clock_sleep_ns(idle_ns);
        read = read_processors(visitor, &last, &now);
    }
    if (!read)
        return error_set(err, ERROR_UNSUPPORTED,
                         "this system does not say how long threads wait for a processor");
    visitor->has_visited = false;
    *finding = (struct watch_finding){.method = WATCH_QUEUE,
                                      .link_traffic = NAN,
                                      .others_traffic = NAN,
                                      .memory_change = NAN,
                                      .host_used = NAN,
                                      .host_waited = NAN};
    for (unsigned i = 0; i < WATCH_YARDSTICKS; i++)
        finding->rates[i] = finding->limits[i] = NAN;
    finding->share =
        is_idle ? processors_time_others(&last, &now) : processors_time_lost(&last, &now);
    finding->throttled = now.throttled > last.throttled;
    finding->watched_ns = is_idle ? (double)idle_ns : now.ran + now.waited - last.ran - last.waited;
    return true;
}

// Sets finding->host_used and host_waited, which show other work on the host; both are 0 at the
// first watch. Does nothing for a model, because its times do not depend on the host.
static void watch_host(struct visitor *visitor, struct watch_finding *finding)
{
    struct processors_time last, now;
    if (is_simulated(visitor) || !read_processors(visitor, &last, &now))
        return;
    finding->host_used = processors_time_others(&last, &now);
    finding->host_waited = processors_time_lost(&last, &now);
    finding->throttled = now.throttled > last.throttled;
}

bool visitor_watch(struct visitor *visitor, uint64_t least_ns, struct arena *arena,
                   struct watch_finding *finding, struct error *err)
{
    if (visitor->info->kind == GPU_KIND_CPU)
        return watch_processors(visitor, finding, err);
    if (!measure_watch_check(visitor->info, err) ||
        (!visitor->watch && !watch_open(visitor, err)) ||
        !measure_watch_run(visitor->watch, least_ns, finding, err))
        return false;
    struct measure_traffic traffic = measure_card_traffic(card_of(visitor));
    finding->link_traffic = traffic.card;
    finding->others_traffic = traffic.others;
    finding->memory_change = measure_card_memory_change(card_of(visitor));
    watch_host(visitor, finding);
    if (finding->share > 0 || watch_traffic_is_high(finding) || watch_memory_changes(finding))
        finding->who = measure_card_users(arena, visitor->info, visitor->family_pid);
    return true;
}
