// SPDX-License-Identifier: MIT
// Measures two times of a kernel that runs alone: from the host's call to the kernel's first
// instruction, and from there until the host knows that the kernel has ended. The kernel reads the
// device's clock at its first instruction.
//
// This reading must be converted to the host's clock. So both clocks are read together at two
// instants: before the samples and after them. Between the two instants, the conversion is linear.
//
// Normally the API reads both clocks. If it cannot, or if it reads another clock than kernels, a
// kernel helps. The host writes a question into host memory, and the kernel answers there with the
// device's time. This time lies between two times of the host: when the host wrote the question,
// and when it read the answer. For each instant, only the quickest answer is used.
#include "base/clock.h"
#include "bench/launch/session.h"
#include "measure/clock.h"

#include <math.h>
#include <stdatomic.h>

enum {
    QUESTIONS = 32,
    // Maximum number of answering kernels that run until one of them has answered half of the
    // questions. On a busy host, a kernel may end before the host asks.
    TRIES = 8,
    POLLS = 1 << 20
};
static const uint64_t answer_ns = 20000000; // maximum time that the host waits for an answer

struct answer_params { // parameters of the answering kernel, which declares the same struct
    uint32_t questions, polls;
};

// One instant on the device's clock and on the host's. The host's time is uncertain by ± half_ns.
struct timestamp {
    uint64_t device;
    double host_ns, half_ns;
};

// ---------------------------------------------------------------- programs and memory

static bool prepare(struct launch_session *session, struct error *err)
{
    struct measure_programs *programs = &session->bench->programs;
    struct gpu_scope *scope = session->bench->scope;
    return session->reply ||
           (gpu_require(session->bench->info, GPU_CAP(DEVICE_CLOCK), err) &&
            (session->stamp = measure_program(programs, "launch_stamp", NULL, err)) &&
            (session->answer = measure_program(programs, "launch_answer", NULL, err)) &&
            (session->question = bench_buffer(scope, 64, GPU_MEMORY_UPLOAD, err)) &&
            (session->reply = bench_buffer(scope, 64, GPU_MEMORY_READBACK, err)));
}

// ---------------------------------------------------------------- relating the clocks

static bool is_answered(const volatile uint32_t *reply, uint32_t number, uint64_t *device)
{
    if (reply[LAUNCH_ANSWER_NUMBER] != number)
        return false;
    uint32_t low = reply[LAUNCH_ANSWER_CLOCK], high = reply[LAUNCH_ANSWER_CLOCK + 1];
    *device = measure_clock_stamp((const uint32_t[]){low, high});
    return reply[LAUNCH_ANSWER_CHECK] == LAUNCH_ANSWER_SUM(low, high, number);
}

// Asks the running kernel question `number`. Returns false if no answer comes in time, or if the
// kernel has not answered the question before it.
static bool ask(struct launch_session *session, uint32_t number, struct timestamp *stamp)
{
    volatile uint32_t *question = gpu_buffer_map(session->question);
    const volatile uint32_t *reply = gpu_buffer_map(session->reply);
    if (reply[LAUNCH_ANSWER_NUMBER] != number - 1)
        return false;
    uint64_t asked_ns = clock_now_ns(), end_ns = clock_deadline_ns(answer_ns);
    *question = number;
    atomic_thread_fence(memory_order_seq_cst);
    while (!is_answered(reply, number, &stamp->device))
        if (clock_left_ns(end_ns) == 0)
            return false;
    double took_ns = (double)(clock_now_ns() - asked_ns);
    stamp->host_ns = (double)asked_ns + took_ns / 2;
    stamp->half_ns = took_ns / 2;
    return true;
}

static struct gpu_batch *submit_answers(struct launch_row *row, struct error *err)
{
    struct launch_session *session = row->session;
    uint64_t loops = session->bench->info->limits.loop_iterations;
    const struct answer_params params = {QUESTIONS,
                                         loops && loops / 2 < POLLS ? (uint32_t)loops / 2 : POLLS};
    struct gpu_batch *batch = gpu_batch_create(row->scope, &(struct gpu_batch_desc){0}, err);
    if (!batch)
        return NULL;
    gpu_batch_dispatch(batch, &(struct gpu_dispatch){.program = session->answer,
                                                     .args = {{.buffer = session->question},
                                                              {.buffer = session->reply}},
                                                     .params = &params,
                                                     .params_bytes = sizeof params});
    return gpu_batch_end(batch, err) && gpu_batch_submit(batch, NULL, err) ? batch : NULL;
}

// Runs a kernel that answers questions. Fills *best from the quickest answer, if there is any.
static bool take_answers(struct launch_row *row, struct timestamp *best, unsigned *answers,
                         struct error *err)
{
    volatile uint32_t *question = gpu_buffer_map(row->session->question);
    volatile uint32_t *reply = gpu_buffer_map(row->session->reply);
    *question = reply[LAUNCH_ANSWER_NUMBER] = 0;
    atomic_thread_fence(memory_order_seq_cst);
    struct gpu_batch *batch = submit_answers(row, err);
    if (!batch)
        return false;
    struct timestamp stamp;
    *answers = 0;
    while (*answers < QUESTIONS && ask(row->session, *answers + 1, &stamp)) {
        if (*answers == 0 || stamp.half_ns < best->half_ns)
            *best = stamp;
        ++*answers;
    }
    // Asks all remaining questions at once, so that the kernel ends without waiting for them.
    *question = QUESTIONS;
    return gpu_batch_wait(batch, row->run->request->timeout_ns, err);
}

// Sets *best to the calibrated timestamp of the API with the smallest uncertainty.
static bool take_calibrated(struct launch_row *row, struct timestamp *best)
{
    struct gpu_calibrated_timestamp pair;
    for (int i = 0; i < QUESTIONS; i++) {
        if (!gpu_device_calibrated_timestamp(row->session->bench->device, &pair))
            return false;
        if (i == 0 || (double)pair.deviation_ns < best->half_ns)
            *best = (struct timestamp){.device = pair.device,
                                       .host_ns = (double)pair.host_ns,
                                       .half_ns = (double)pair.deviation_ns};
    }
    return true;
}

// Sets *best to one instant on both clocks, which the API reads. If the API cannot read the clocks,
// or gave impossible times before (api_refuted), a kernel's answers show the instant. Then adds the
// number of answers to *all.
static bool relate(struct launch_row *row, struct timestamp *best, unsigned *all, struct error *err)
{
    unsigned answers = 0;
    if (!row->session->api_refuted && take_calibrated(row, best))
        return true;
    for (int i = 0; i < TRIES && answers < QUESTIONS / 2; i++)
        if (!take_answers(row, best, &answers, err))
            return false;
    *all += answers;
    return answers > 1 || error_set(err, ERROR_UNSUPPORTED,
                                    "the clocks cannot be related: kernels end before they see "
                                    "what the host writes while they run");
}

// ---------------------------------------------------------------- samples

// The times of one launch: before the submission and after the kernel's end (host's clock), and at
// the kernel's first instruction (device's clock).
struct trip {
    uint64_t start_ns, device, end_ns;
};

static bool make_trip(struct launch_row *row, struct trip *trip, struct error *err)
{
    const volatile uint32_t *stamp = gpu_buffer_map(row->session->reply);
    trip->start_ns = clock_now_ns();
    if (!gpu_batch_run(row->batches[0], row->run->request->timeout_ns, err))
        return false;
    trip->end_ns = clock_now_ns();
    trip->device = measure_clock_stamp((const uint32_t[]){stamp[0], stamp[1]});
    row->done++;
    return true;
}

// Converts a time of the device's clock to the host's, on the line through both instants.
static double host_time(const struct timestamp related[2], uint64_t device)
{
    double length = (double)(int64_t)(related[1].device - related[0].device);
    double along = (double)(int64_t)(device - related[0].device) / length;
    return related[0].host_ns + along * (related[1].host_ns - related[0].host_ns);
}

static bool make_stamp(struct launch_row *row, struct error *err)
{
    row->kernels = row->batch_count = 1;
    row->batches[0] = gpu_batch_create(row->scope, &(struct gpu_batch_desc){0}, err);
    if (!row->batches[0])
        return false;
    gpu_batch_dispatch(row->batches[0],
                       &(struct gpu_dispatch){.program = row->session->stamp,
                                              .args = {{.buffer = row->session->words},
                                                       {.buffer = row->session->reply}}});
    return gpu_batch_end(row->batches[0], err);
}

// Computes the samples. Returns false if a kernel seems to begin before its submission, or after
// the host saw its end, because the conversion between the clocks is then wrong.
static bool fill(const struct trip *trips, unsigned count, const struct timestamp related[2],
                 struct launch_reach *reach)
{
    bool plausible = true;
    reach->half_ns = fmax(related[0].half_ns, related[1].half_ns);
    for (unsigned i = 0; i < count; i++) {
        reach->to[i] = reach->back[i] = 0;
        for (unsigned k = 0; k < LAUNCH_ROUND_TRIPS; k++) {
            const struct trip *trip = &trips[i * LAUNCH_ROUND_TRIPS + k];
            double there_ns = host_time(related, trip->device);
            double to = there_ns - (double)trip->start_ns, back = (double)trip->end_ns - there_ns;
            plausible = plausible && to >= -reach->half_ns && back >= -reach->half_ns;
            reach->to[i] += to / LAUNCH_ROUND_TRIPS;
            reach->back[i] += back / LAUNCH_ROUND_TRIPS;
        }
    }
    return plausible;
}

static bool take(struct launch_row *row, unsigned count, struct launch_reach *reach,
                 bool *plausible, struct error *err)
{
    struct trip *trips =
        ARENA_ARRAY(row->run->arena, (size_t)count * LAUNCH_ROUND_TRIPS, struct trip);
    struct timestamp related[2];
    if (!make_trip(row, trips, err) || !relate(row, &related[0], &reach->answers, err))
        return false;
    for (unsigned i = 0; i < count * LAUNCH_ROUND_TRIPS; i++)
        if (!make_trip(row, &trips[i], err))
            return false;
    if (!relate(row, &related[1], &reach->answers, err))
        return false;
    *plausible = fill(trips, count, related, reach);
    return true;
}

bool launch_reach_take(struct launch_row *row, unsigned count, struct launch_reach *reach,
                       struct error *err)
{
    struct arena *arena = row->run->arena;
    bool plausible = false;
    *reach = (struct launch_reach){.to = ARENA_ARRAY(arena, count, double),
                                   .back = ARENA_ARRAY(arena, count, double)};
    if (!prepare(row->session, err) || !make_stamp(row, err) ||
        !take(row, count, reach, &plausible, err))
        return false;
    // The API reads another clock than kernels do, so answers of a kernel relate the clocks.
    if (!plausible && reach->answers == 0) {
        row->session->api_refuted = true;
        if (!take(row, count, reach, &plausible, err))
            return false;
    }
    return plausible || error_set(err, ERROR_UNSUPPORTED,
                                  "the relation of the clocks is wrong: a kernel would begin "
                                  "before its submission or after the host saw its end");
}
