// SPDX-License-Identifier: MIT
#include "bench/preempt/load.h"

#include "bench/preempt/preempt.h"
#include "measure/unit.h"

#include <math.h>

enum {
    // Result words that the host checks per load and visit. They are few, because the host repeats
    // the computation of a whole thread for each word.
    WORDS_CHECKED = 4
};

struct preempt_params {
#define X(name) uint32_t name;
    PREEMPT_PARAMS(X)
#undef X
};

static bool init_draws(struct load *load, struct error *err)
{
    const struct load_desc *desc = &load->desc;
    const struct gpu_info *info = gpu_device_info(gpu_scope_device(desc->scope));
    const char *name = info->caps & GPU_CAP(CORE_ID) ? "preempt_draw_core" : "preempt_draw";
    const struct gpu_target_desc target = {.format = GPU_FORMAT_RGBA8_UNORM,
                                           .width = PREEMPT_TILE * PREEMPT_TILES_A_ROW,
                                           .height = desc->work.groups / PREEMPT_TILES_A_ROW *
                                                     PREEMPT_TILE};
    load->target = gpu_target_create(desc->scope, &target, err);
    if (!load->target)
        return false;
    load->draw_program = gpu_draw_program_create(
        desc->scope,
        &(struct gpu_draw_program_desc){.vertex = kernel_find("preempt_cover"),
                                        .fragment = kernel_find(name),
                                        .target = load->target},
        err);
    return load->draw_program != NULL;
}

struct gpu_program *load_program(struct measure_programs *programs, struct error *err)
{
    const struct gpu_info *info = gpu_device_info(gpu_scope_device(programs->scope));
    const char *name = info->caps & GPU_CAP(CORE_ID) ? "preempt_core" : "preempt";
    return measure_program(programs, name, NULL, err);
}

bool load_init(struct load *load, const struct load_desc *desc, struct error *err)
{
    uint64_t groups = (uint64_t)desc->work.dispatches * desc->work.groups;
    *load = (struct load){.desc = *desc};
    load->stride = (uint32_t)((groups + desc->records - 1) / desc->records);
    load->kept = (uint32_t)((groups + load->stride - 1) / load->stride);
    uint64_t bytes = desc->slots * sizeof(uint32_t[PREEMPT_RECORD_WORDS]) * desc->records;
    load->records = bench_buffer(desc->scope, bytes, GPU_MEMORY_DEVICE, err);
    if (!load->records || (desc->work.draws && !init_draws(load, err)))
        return false;
    for (unsigned i = 0; i < desc->work.ahead; i++) {
        const struct gpu_batch_desc batch = {.queue = desc->queue, .draws = desc->work.draws};
        load->batches[i] = gpu_batch_create(desc->scope, &batch, err);
        if (!load->batches[i])
            return false;
    }
    return true;
}

void load_restart(struct load *load, uint32_t token)
{
    load->recorded = load->submitted = load->finished = 0;
    load->first_token = token;
}

// ---------------------------------------------------------------- submitting

static bool record(struct load *load, struct gpu_batch *batch, struct error *err)
{
    const struct load_work *work = &load->desc.work;
    if (!gpu_batch_reset(batch, err))
        return false;
    for (uint32_t d = 0; d < work->dispatches; d++) {
        const struct preempt_params params = {
            .token = load->first_token + load->recorded,
            .first_group = d * work->groups,
            .first_record = load->recorded * load->desc.records,
            .stride = load->stride,
            .turns = work->iterations,
        };
        if (work->draws) {
            gpu_batch_draw(batch, &(struct gpu_draw){.program = load->draw_program,
                                                     .target = load->target,
                                                     .vertices = 3,
                                                     .load = GPU_LOAD_DISCARD,
                                                     .args = {{.buffer = load->records}},
                                                     .params = &params,
                                                     .params_bytes = sizeof params});
            continue;
        }
        const struct gpu_dispatch dispatch = {.program = load->desc.program,
                                              .groups = {work->groups},
                                              .args = {{.buffer = load->records}},
                                              .params = &params,
                                              .params_bytes = sizeof params};
        gpu_batch_dispatch(batch, &dispatch);
    }
    return gpu_batch_end(batch, err);
}

bool load_prepare(struct load *load, struct error *err)
{
    uint32_t ahead = load->desc.work.ahead;
    if (load->recorded - load->finished >= ahead || load->recorded == load->desc.slots)
        return error_set(err, ERROR_INTERNAL, "preempt: no batch or no slot is free");
    if (!record(load, load->batches[load->recorded % ahead], err))
        return false;
    load->recorded++;
    return true;
}

bool load_submit(struct load *load, struct error *err)
{
    if (load->recorded == load->submitted && !load_prepare(load, err))
        return false;
    if (!gpu_batch_submit(load->batches[load->submitted % load->desc.work.ahead], NULL, err))
        return false;
    load->submitted++;
    return true;
}

bool load_feed(struct load *load, uint64_t wait_ns, bool more, struct error *err)
{
    for (; load->finished < load->submitted; load->finished++) {
        unsigned i = load->finished % load->desc.work.ahead;
        struct error late;
        if (!gpu_batch_wait(load->batches[i], wait_ns, &late)) {
            if (late.code == ERROR_TIMEOUT)
                break;
            *err = late;
            return false;
        }
        wait_ns = 0;
    }
    while (more && load->submitted < load->desc.slots &&
           load->submitted - load->finished < load->desc.work.ahead)
        if (!load_submit(load, err))
            return false;
    return true;
}

bool load_drain(struct load *load, struct error *err)
{
    while (load->finished < load->submitted) {
        unsigned i = load->finished % load->desc.work.ahead;
        if (!gpu_batch_wait(load->batches[i], load->desc.timeout_ns, err))
            return false;
        load->finished++;
    }
    return true;
}

// ---------------------------------------------------------------- reading

void load_run_add(struct load_run *run, struct load_group group)
{
    bool first = run->group_count == 0;
    run->groups[run->group_count++] = group;
    run->start_ns = first ? group.start_ns : fmin(run->start_ns, group.start_ns);
    run->end_ns = first ? group.end_ns : fmax(run->end_ns, group.end_ns);
    run->pause_ns = fmax(run->pause_ns, group.pause_ns);
}

void load_run_shift(struct load_run *run, double ns)
{
    run->start_ns += ns;
    run->end_ns += ns;
    for (size_t g = 0; g < run->group_count; g++) {
        run->groups[g].start_ns += ns;
        run->groups[g].end_ns += ns;
    }
}

static bool check_record(const struct load *load, const uint32_t *record, uint32_t submission,
                         uint32_t r, struct error *err)
{
    uint32_t token = load->first_token + submission;
    if (record[PREEMPT_RECORD_TOKEN] != token || record[PREEMPT_RECORD_GROUP] != r * load->stride)
        return error_set(err, ERROR_MISMATCH,
                         "workgroup %u of submission %u left no record of its own",
                         r * load->stride, submission);
    uint32_t every = load->submitted * load->kept / WORDS_CHECKED + 1;
    if ((submission * load->kept + r) % every != 0)
        return true;
    uint32_t wanted = measure_words_mix(token * 0x9e3779b9u + r * load->stride * PREEMPT_WORKGROUP,
                                        (uint64_t)load->desc.work.iterations * PREEMPT_ROUNDS);
    if (record[PREEMPT_RECORD_WORD] == wanted)
        return true;
    return error_set(err, ERROR_MISMATCH,
                     "workgroup %u of submission %u left %08x instead of %08x: it computed "
                     "something else",
                     r * load->stride, submission, record[PREEMPT_RECORD_WORD], wanted);
}

static bool read_run(const struct load *load, const struct measure_clock *clock, uint64_t base,
                     const uint32_t *records, uint32_t submission, struct load_run *run,
                     struct error *err)
{
    for (uint32_t r = 0; r < load->kept; r++) {
        const uint32_t *record = records + (size_t)r * PREEMPT_RECORD_WORDS;
        if (!check_record(load, record, submission, r, err))
            return false;
        const struct load_group group = {
            .start_ns = measure_clock_offset_ns(clock, base,
                                                measure_clock_stamp(record + PREEMPT_RECORD_START)),
            .end_ns = measure_clock_offset_ns(clock, base,
                                              measure_clock_stamp(record + PREEMPT_RECORD_END)),
            .pause_ns = record[PREEMPT_RECORD_PAUSE] * clock->device_tick_ns,
            .core = record[PREEMPT_RECORD_CORE]};
        if (group.end_ns < group.start_ns)
            return error_set(
                err, ERROR_MISMATCH,
                "workgroup %u of submission %u ended before it began, by the device's clock",
                r * load->stride, submission);
        load_run_add(run, group);
    }
    return true;
}

bool load_read(const struct load *load, const struct measure_clock *clock, uint64_t *base,
               struct arena *arena, struct load_run **runs, struct error *err)
{
    size_t slot_words = (size_t)load->desc.records * PREEMPT_RECORD_WORDS;
    size_t words = load->submitted * slot_words;
    *runs = ARENA_ARRAY(arena, load->submitted, struct load_run);
    if (words == 0)
        return true;
    uint32_t *records = ARENA_ARRAY(arena, words, uint32_t);
    if (!gpu_buffer_read(load->records, 0, records, words * sizeof *records, err))
        return false;
    if (*base == 0)
        *base = measure_clock_stamp(records + PREEMPT_RECORD_START);
    for (uint32_t s = 0; s < load->submitted; s++) {
        (*runs)[s].groups = ARENA_ARRAY(arena, load->kept, struct load_group);
        if (!read_run(load, clock, *base, records + s * slot_words, s, &(*runs)[s], err))
            return false;
    }
    return true;
}
