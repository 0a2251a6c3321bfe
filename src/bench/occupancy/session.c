// SPDX-License-Identifier: MIT
#include "bench/occupancy/session.h"

#include <stdio.h>
#include <string.h>

enum {
    FEW_VALUES = 8, // values per thread in cases with by=shared or by=threads
    FEW_THREADS = 64,
    NAME_BYTES = 64,
    DATA_WORDS = OCCUPANCY_VALUES_MAX * OCCUPANCY_LANES
};

void occupancy_case_read(const struct bench_case *c, struct occupancy_case *this_case)
{
    const struct case_value *values = case_find(c, "values"), *shared = case_find(c, "shared"),
                            *threads = case_find(c, "threads"),
                            *subgroup = case_find(c, "subgroup");
    *this_case = (struct occupancy_case){
        .values = values ? (uint32_t)values->uint : FEW_VALUES,
        .shared_bytes = shared ? shared->uint : 0,
        .threads = threads ? (uint32_t)threads->uint : FEW_THREADS,
        .subgroup = subgroup ? (uint32_t)subgroup->uint : 0,
    };
}

static bool chooses_shared(const struct occupancy_case *this_case, const struct gpu_info *info)
{
    return this_case->shared_bytes && info->caps & GPU_CAP(SHARED_CHOICE);
}

const struct gpu_kernel *occupancy_kernel(const struct occupancy_case *this_case,
                                          const struct gpu_info *info)
{
    const char *suffix = info->caps & GPU_CAP(CORE_ID) ? "_core" : "";
    char name[NAME_BYTES];
    if (chooses_shared(this_case, info))
        snprintf(name, sizeof name, "occupancy_shared_chosen%s", suffix);
    else if (this_case->shared_bytes)
        snprintf(name, sizeof name, "occupancy_shared_%llu%s",
                 (unsigned long long)this_case->shared_bytes, suffix);
    else if (this_case->threads != FEW_THREADS)
        snprintf(name, sizeof name, "occupancy_threads_%u%s", this_case->threads, suffix);
    else
        snprintf(name, sizeof name, "occupancy_values_%u%s", this_case->values, suffix);
    return kernel_find(name);
}

uint64_t occupancy_shared_max(const struct gpu_info *info)
{
    return info->caps & GPU_CAP(SHARED_CHOICE) ? info->limits.shared_choice_bytes
                                               : info->limits.shared_bytes;
}

struct gpu_program *occupancy_program(struct occupancy_session *session,
                                      const struct occupancy_case *this_case, struct error *err)
{
    const struct gpu_info *info = session->bench->info;
    const struct gpu_limits *limits = &info->limits;
    bool several = limits->subgroup_threads_min < limits->subgroup_threads_max;
    if (this_case->subgroup && !several && this_case->subgroup != limits->subgroup_threads) {
        error_set(err, ERROR_UNSUPPORTED, "%s has subgroups of %llu threads only", info->id,
                  (unsigned long long)limits->subgroup_threads);
        return NULL;
    }
    if (this_case->shared_bytes > occupancy_shared_max(info)) {
        error_set(err, ERROR_UNSUPPORTED, "a workgroup has at most %llu bytes of shared memory",
                  (unsigned long long)occupancy_shared_max(info));
        return NULL;
    }
    const struct gpu_kernel *kernel = occupancy_kernel(this_case, info);
    struct gpu_program_desc choices = {.subgroup_threads = several ? this_case->subgroup : 0};
    if (!kernel) {
        error_set(err, ERROR_UNSUPPORTED, "this build has no kernel for %llu bytes",
                  (unsigned long long)this_case->shared_bytes);
        return NULL;
    }
    if (chooses_shared(this_case, info))
        choices.shared_bytes = (unsigned)this_case->shared_bytes;
    if (this_case->shared_bytes)
        // 1 % of the on-chip memory is for the L1; the rest is shared memory.
        choices.l1_percent = 1;
    return measure_program(&session->bench->programs, kernel->name, &choices, err);
}

void occupancy_programs(struct bench_session *bench, const struct bench_case *c)
{
    struct occupancy_case this_case;
    struct error unused;
    occupancy_case_read(c, &this_case);
    (void)occupancy_program(bench->state, &this_case, &unused);
}

bool occupancy_open(struct bench_session *bench, struct error *err)
{
    struct occupancy_session *session = ARENA_NEW(bench->arena, struct occupancy_session);
    session->bench = bench;
    bench->state = session;
    session->words = ARENA_ARRAY(bench->arena, DATA_WORDS, uint32_t);
    for (uint32_t i = 0, x = 1; i < DATA_WORDS; i++) {
        x ^= x << 13, x ^= x >> 17, x ^= x << 5; // one step of the generator xorshift
        session->words[i] = x;
    }
    if (!bench_device_clock_probe(bench, err))
        return false;
    const uint64_t bytes = sizeof(uint32_t[DATA_WORDS]);
    session->data = bench_buffer(bench->scope, bytes, GPU_MEMORY_DEVICE, err);
    return session->data && gpu_buffer_write(session->data, 0, session->words, bytes, err);
}

// ---------------------------------------------------------------- what must come out

// Returns the sum that a thread must compute in `iterations` rounds. Each round changes each value.
static uint32_t mixed_sum(const struct occupancy_session *session, uint32_t values,
                          uint32_t iterations, uint32_t lane)
{
    uint32_t x[OCCUPANCY_VALUES_MAX], sum = 0;
    for (uint32_t i = 0; i < values; i++)
        x[i] = session->words[i * OCCUPANCY_LANES + lane];
    for (uint32_t n = 0; n < iterations; n++)
        for (uint32_t i = 0; i < values; i++)
            x[i] = x[i] * OCCUPANCY_FACTOR + x[(i + 1) % values];
    for (uint32_t i = 0; i < values; i++)
        sum += x[i];
    return sum;
}

void occupancy_expect(const struct occupancy_session *session,
                      const struct occupancy_case *this_case, const struct occupancy_params *params,
                      uint32_t *results)
{
    uint32_t sums[OCCUPANCY_LANES], words = params->shared_words;
    for (uint32_t lane = 0; lane < OCCUPANCY_LANES; lane++)
        sums[lane] = mixed_sum(session, this_case->values, 2 * params->turns, lane);
    for (uint32_t t = 0; t < this_case->threads; t++) {
        results[t] = sums[t % OCCUPANCY_LANES];
        for (uint32_t i = t; i < words; i += this_case->threads)
            results[t] += (i + params->shift) % words * OCCUPANCY_SHARED_FACTOR + params->token;
    }
}
