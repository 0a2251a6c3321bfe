// SPDX-License-Identifier: MIT
// Runs the process that measures one device of a check.
#include "base/child_channel.h"
#include "base/clock.h"
#include "bench/bench.h"
#include "measure/card.h"
#include "results/codec.h"
#include "results/json.h"
#include "sensors/health.h"
#include "suite/check.h"
#include "suite/host_lock.h"
#include "suite/plan.h"
#include "suite/runner.h"
#include "suite/visitor.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

enum {
    LINE_BYTES_MAX = 64 // maximum length in bytes of a line from the parent
};

struct serving {
    struct child_channel channel;
    const struct gpu_info *info;
    struct run *run;
    struct sensors *sensors; // sensors of the card; NULL if they cannot be read
    struct sensor_reading last;
    struct sensor_health before; // state of the card before the first measurement
    // What has limited the card's clock so far: a set of values of enum sensor_throttle.
    unsigned limiter;
    const struct choice_request *choices;
    struct host_lock link; // lock that this process holds while it measures the link to the host
    bool unheard;          // true: the parent has ended, so nobody reads messages
};

// ---------------------------------------------------------------- the state of the card

static void begin_state(struct serving *s)
{
    const struct sensors_desc desc = measure_card_of(s->run->arena, s->info);
    struct error none;
    s->sensors = sensors_open(&desc, &none);
    if (s->sensors)
        sensors_read(s->sensors, &s->last);
}

// Updates the card's state in the check; power and link keep their highest values. Must be called
// right after some work, because an idle card has a slower link and draws less power.
static void note_state(struct serving *s)
{
    struct check_state *state = &s->run->checks[0].state;
    const struct sensors_desc desc = measure_card_of(s->run->arena, s->info);
    struct sensor_health now;
    sensors_health_read(&desc, &now);
    state->power_w = fmax(state->power_w, now.power_w);
    state->power_limit_w = now.power_limit_w;
    state->link_width = fmax(state->link_width, now.lanes);
    state->link_width_max = now.lanes_max;
    state->link_generation = fmax(state->link_generation, now.generation);
    state->link_generation_max = now.generation_max;
    state->ecc_corrected = now.ecc_corrected - s->before.ecc_corrected;
    state->ecc_uncorrected = now.ecc_uncorrected - s->before.ecc_uncorrected;
    state->link_replays = now.link_replays - s->before.link_replays;
    state->nvlink_replays = now.nvlink_replays - s->before.nvlink_replays;
    state->nvlink_recoveries = now.nvlink_recoveries - s->before.nvlink_recoveries;
    state->nvlinks = now.nvlinks;
    state->nvlinks_active = now.nvlinks_active;
    state->ecc_enabled = now.ecc_enabled;
    state->remapped_rows = now.remapped_rows;
    state->remap_pending = now.remap_pending;
    state->remap_failed = now.remap_failed;
    state->retired_pages = now.retired_pages;
    state->vbios = *now.vbios ? arena_strdup(s->run->arena, now.vbios) : NULL;
    if (!s->sensors)
        return;
    struct sensor_reading former = s->last;
    sensors_read(s->sensors, &s->last);
    s->limiter |= measure_card_limiter(&former, &s->last);
    state->throttle = sensor_throttle_text(s->run->arena, s->limiter);
}

// ---------------------------------------------------------------- measuring

static void send(struct serving *s)
{
    struct json_out out = {.arena = arena_create(), .without = "series"};
    struct error err;
    run_put(&out, NULL, s->run);
    s->unheard = s->unheard || !child_channel_write(&s->channel, json_out_text(&out), &err);
    arena_destroy(out.arena);
}

// Releases the lock of the host link, and takes it again if the next benchmark measures this link.
// Links that share a switch or the host's memory slow each other down, and the reference values
// were measured with one card alone. The wait does not count as time of the benchmark.
static void pass_link(struct serving *s, const char *done)
{
    // Maximum time to wait for the lock. After that, the benchmark is measured without the lock.
    static const uint64_t patience_ns = 15 * NS_PER_S;
    const struct choice_request *choices = s->choices;
    host_lock_end(&s->link);
    for (size_t i = 0; i + 1 < choices->benchmark_count; i++)
        if (strcmp(choices->benchmarks[i]->info.name, done) == 0 &&
            choices->benchmarks[i + 1]->link)
            (void)!host_lock_take(&s->link, "check-link", patience_ns);
}

static void benchmark_done(void *context, const char *device, const char *benchmark)
{
    struct serving *s = context;
    (void)device;
    note_state(s);
    pass_link(s, benchmark);
    send(s);
}

// Measures the cases of the check on this process's device. Sends s->run to the parent after each
// benchmark and at the end. If `heats` is true, the run stays RUNNING, because the cases are
// measured again. But if a case fails, the card is broken and the run ends.
static bool measure(struct serving *s, const struct check_serve_desc *desc,
                    const struct gpu_system *system, bool heats, struct error *err)
{
    const struct gpu_info *devices[] = {s->info};
    const struct device_list list = {.devices = devices, .count = 1, .capacity = 1};
    struct error unsaved;
    struct runner_desc runner = {
        .devices = &list,
        .choices = {.system = system},
        .in_process = true,
        // The processes of the other devices are children of the same process.
        .family_pid = (long)getppid(),
        .seed = clock_now_ns() % 1000000,
        .validation = desc->validation,
        .plan = plan_preset_create,
        .benchmark_done = benchmark_done,
        .context = s,
    };
    runner_describe(s->run, &runner, 0, NULL);
    run_add_check(s->run);
    check_choose(s->run, desc->quick ? CHECK_ALONE_QUICK : CHECK_ALONE, &runner.choices);
    s->choices = &runner.choices;
    begin_state(s);
    bool done = runner_run(s->run, &runner, &unsaved, err);
    host_lock_end(&s->link);
    sensors_close(s->sensors);
    s->sensors = NULL;
    if (heats && run_count(s->run, NULL, NULL).of[VERDICT_FAILED] == 0)
        s->run->status = RUN_RUNNING;
    if (done)
        send(s);
    return done && !s->unheard;
}

bool check_serve(const struct check_serve_desc *desc, int socket_fd, struct error *err)
{
    struct arena *arena = arena_create();
    struct gpu_system *system =
        gpu_system_create(&(struct gpu_system_desc){.only_api = desc->known[0],
                                                    .validation = desc->validation,
                                                    .known = desc->known,
                                                    .known_count = desc->known_count});
    struct serving s = {.info = gpu_system_find(system, desc->known[0]), .link = {.fd = -1}};
    uint64_t soaked_ns = clock_deadline_ns(desc->soak_ns);
    bool done = s.info != NULL, last = false;
    child_channel_init(&s.channel, socket_fd);
    if (done) {
        const struct sensors_desc card = measure_card_of(arena, s.info);
        visitor_move_to(s.info);
        sensors_health_read(&card, &s.before);
    } else {
        error_set(err, ERROR_NO_DEVICE, "%s is gone", desc->known[0]);
    }
    while (done && !last) {
        s.run = run_create();
        done = measure(&s, desc, system, clock_left_ns(soaked_ns) > 0, err);
        last = s.run->status != RUN_RUNNING;
        if (done && last && desc->stays && child_channel_read(&s.channel, LINE_BYTES_MAX)) {
            note_state(&s);
            send(&s);
        }
        run_destroy(s.run);
    }
    child_channel_fini(&s.channel);
    gpu_system_destroy(system);
    arena_destroy(arena);
    return done;
}
