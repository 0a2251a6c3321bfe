// SPDX-License-Identifier: MIT
#include "bench/stream/session.h"

#include "measure/unit.h"
#include "measure/words.h"

#include <string.h>

enum {
    METRIC_BANDWIDTH
};

// What a case keeps from its first visit.
struct memory {
    struct stream_shape shape;
    uint64_t passes, repeats;
    uint32_t sum; // of one pass of what only reads
    char *tried;  // "NAME 4.61e12, …": B/s of every shape, or NULL
};

// ---------------------------------------------------------------- the shape

static bool search(struct stream_trial *trial, const struct stream_shape *shapes, size_t count,
                   struct memory *memory, struct error *err)
{
    const char *tried = "";
    double best = 0;
    uint64_t passes[STREAM_SHAPES_MAX];
    for (size_t i = 0; i < count; i++) { // sized first: by then the clock has risen for all
        trial->shape = shapes[i];
        if (!stream_trial_size(trial, err))
            return false;
        passes[i] = trial->work.passes;
    }
    for (size_t i = 0; i < count; i++) {
        double speed;
        trial->shape = shapes[i];
        if (!stream_trial_prepare(trial, passes[i], err) || !stream_trial_speed(trial, &speed, err))
            return false;
        tried = arena_printf(trial->run->arena, "%s%s%s %.4g", tried, *tried ? ", " : "",
                             stream_shape_name(trial->run->arena, &shapes[i]), speed);
        if (speed > best) {
            best = speed;
            memory->shape = shapes[i];
            memory->passes = passes[i];
        }
    }
    memory->tried = arena_strdup(trial->run->session->arena, tried);
    return true;
}

static bool choose_shape(struct stream_trial *trial, struct memory *memory, struct error *err)
{
    const struct gpu_info *info = trial->run->session->info;
    struct stream_shape shapes[STREAM_SHAPES_MAX];
    size_t count = 1;
    if (trial->this_case->core_threads) {
        if (!stream_resident_shape(trial->this_case, info, trial->session->limits.cores, &shapes[0],
                                   err))
            return false;
    } else {
        count = stream_shapes(trial->this_case, info, shapes);
        if (count > 1 && strcmp(trial->this_case->shape, "best") == 0)
            return search(trial, shapes, count, memory, err);
    }
    if (count == 0)
        return error_set(err, ERROR_UNSUPPORTED, "no kernel fits this device's limits");
    trial->shape = memory->shape = shapes[0];
    if (!stream_trial_size(trial, err))
        return false;
    memory->passes = trial->work.passes;
    return true;
}

// ---------------------------------------------------------------- the proof

static bool prepare_proof(struct stream_trial *trial, struct error *err)
{
    struct stream_store *store = &trial->session->store;
    return (!trial->this_case->op->target || stream_store_spoil(store, trial->this_case, err)) &&
           measure_words_clear(store->words, err);
}

static bool verify_sum(struct stream_trial *trial, const struct memory *memory,
                       const struct measure_span *span, struct error *err)
{
    struct measure_words words;
    const struct stream_work *work = &trial->work;
    // A workgroup that loops counts once for all its passes.
    uint64_t groups = (uint64_t)work->params.groups * work->grid[2], dispatches;
    if (!measure_words_read(trial->session->store.words, &words, err) ||
        !measure_unit_counted(words.count, groups, span->repeats * span->count, &dispatches, err))
        return false;
    uint32_t expected = (uint32_t)(dispatches * work->passes * memory->sum);
    return words.sum == expected ||
           error_set(err, ERROR_MISMATCH, "what was read adds up to %08x, not to %08x", words.sum,
                     expected);
}

static bool verify(struct stream_trial *trial, const struct memory *memory,
                   const struct measure_span *span, struct error *err)
{
    if (!trial->this_case->op->target)
        return verify_sum(trial, memory, span, err);
    return stream_store_check(&trial->session->store, trial->this_case, trial->work.params.value,
                              err);
}

// ---------------------------------------------------------------- residency

static bool report_residency(struct stream_trial *trial, struct measure_visit *visit,
                             struct error *err)
{
    uint32_t groups = trial->work.params.groups;
    struct stream_residency found;
    if (!trial->shape.placed) {
        visit_detail(visit, "resident", "not known: kernels cannot read the core's id and a clock");
        return true;
    }
    struct stream_place *places = ARENA_ARRAY(trial->run->arena, groups, struct stream_place);
    if (!gpu_buffer_read(trial->places, 0, places, sizeof *places * groups, err))
        return false;
    stream_residency_judge(trial->run->arena, places, groups, trial->shape.core_groups, &found);
    visit_detail(visit, "resident", "%u cores, %u of them with other than %u workgroups; %s",
                 found.cores, found.uneven, trial->shape.core_groups,
                 found.at_once ? "all began before the first ended"
                               : "some began after others had ended");
    if (found.uneven || !found.at_once || found.cores != trial->session->limits.cores)
        visit_flag(visit, "not-resident",
                   "the workgroups were not at work side by side, %u on each of %u cores",
                   trial->shape.core_groups, trial->session->limits.cores);
    return true;
}

// ---------------------------------------------------------------- the visit

static void report(struct stream_trial *trial, const struct memory *memory,
                   const struct measure_span *span, struct measure_visit *visit)
{
    const struct stream_work *work = &trial->work;
    const struct measure_limits *limits = &trial->session->limits;
    const struct measure_claim claim = stream_claim_of(trial->this_case, work, limits->cores);
    measure_claim_report(&(struct measure_account){&claim, limits, span, visit}, METRIC_BANDWIDTH,
                         MEASURE_PER_SECOND, (double)work->moved_bytes);
    measure_span_note(span, visit);
    visit_detail(visit, "shape", "%s, %u workgroups",
                 stream_shape_name(trial->run->arena, &trial->shape), work->params.groups);
    visit_detail(visit, "work", "%u arrays read, %u written, %llu times in a dispatch",
                 trial->this_case->op->reads, trial->this_case->op->writes,
                 (unsigned long long)work->passes);
    if (memory->tried)
        visit_detail(visit, "tried", "%s", memory->tried);
    visit_kernel(visit, trial->program);
}

static bool first_visit(struct stream_trial *trial, struct memory *memory, struct error *err)
{
    return choose_shape(trial, memory, err) &&
           (trial->this_case->op->target ||
            stream_store_sum(&trial->session->store, trial->this_case, &memory->shape, &memory->sum,
                             err));
}

bool stream_visit(struct bench_visit *run, struct measure_visit *visit, struct error *err)
{
    struct stream_case this_case;
    stream_case_read(run->bench_case, &this_case);
    struct stream_session *session = run->session->state;
    session->store.timeout_ns = run->request->timeout_ns;
    struct stream_trial trial = {.run = run, .session = session, .this_case = &this_case};
    if ((this_case.doubles && !gpu_require(run->session->info, GPU_CAP(FLOAT64), err)) ||
        !stream_refuse_cached(&this_case, &session->limits, err) ||
        !stream_store_prepare(&session->store, &this_case, err))
        return false;
    struct memory *memory = *run->memory;
    if (!memory) {
        memory = ARENA_NEW(run->session->arena, struct memory);
        if (!first_visit(&trial, memory, err))
            return false;
        *run->memory = memory;
    }
    trial.shape = memory->shape;
    struct measure_span span;
    if (!stream_trial_prepare(&trial, memory->passes, err) || !prepare_proof(&trial, err) ||
        !stream_trial_run(&trial, memory->repeats, &span, err) ||
        !verify(&trial, memory, &span, err) ||
        (trial.shape.core_groups && !report_residency(&trial, visit, err)))
        return false;
    memory->repeats = span.repeats;
    report(&trial, memory, &span, visit);
    return true;
}
