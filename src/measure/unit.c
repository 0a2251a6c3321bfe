// SPDX-License-Identifier: MIT
#include "measure/unit.h"

#include "base/clock.h"

#include <math.h>

bool measure_unit_run(struct gpu_device *device, const struct gpu_dispatch *dispatch,
                      uint64_t timeout_ns, struct error *err)
{
    struct gpu_scope *scope = gpu_scope_open(device);
    struct gpu_batch *batch = gpu_batch_create(scope, &(struct gpu_batch_desc){0}, err);
    if (batch)
        gpu_batch_dispatch(batch, dispatch);
    bool done = batch && gpu_batch_end(batch, err) && gpu_batch_run(batch, timeout_ns, err);
    gpu_scope_close(scope);
    return done;
}

bool measure_unit_check(const struct gpu_info *info, double took_ns, uint64_t began_ns,
                        struct error *err)
{
    uint64_t now_ns = clock_now_ns();
    if (info->caps & GPU_CAP(VIRTUAL_TIME) || now_ns < began_ns + 100 * NS_PER_MS)
        return true;
    double waited_ns = (double)(now_ns - began_ns);
    unsigned bits = (unsigned)info->limits.stamp_bits;
    double range_ns = ldexp((double)info->limits.stamp_step_ps / 1000, (int)bits);
    if (bits > 0 && waited_ns >= took_ns + range_ns)
        return error_set(err, ERROR_INTERNAL,
                         "%s: by its time stamps a batch took %.3g s, but the host waited %.3g s, "
                         "in which time stamps of %u bits may have wrapped: choose smaller work",
                         info->id, took_ns * 1e-9, waited_ns * 1e-9, bits);
    if (took_ns > 0)
        return true;
    return error_set(err, ERROR_INTERNAL,
                     "%s: by its time stamps a batch took no time, but by the host's clock %.3g s: "
                     "its driver's time stamps are wrong, update it",
                     info->id, waited_ns * 1e-9);
}

bool measure_unit_time(const struct measure_span_desc *desc, unsigned runs, double *ns,
                       struct error *err)
{
    const struct gpu_info *info = gpu_device_info(gpu_scope_device(desc->scope));
    struct gpu_batch *batch =
        gpu_batch_create(desc->scope, &(struct gpu_batch_desc){.span_count = 1}, err);
    if (!batch)
        return false;
    gpu_batch_span_begin(batch, 0);
    desc->record(desc->context, batch, 1);
    gpu_batch_span_end(batch, 0);
    if (!gpu_batch_end(batch, err))
        return false;
    *ns = INFINITY;
    for (unsigned i = 0; i < runs; i++) {
        double once;
        uint64_t began_ns = clock_now_ns();
        if (!gpu_batch_run(batch, desc->request->timeout_ns, err) ||
            !gpu_batch_span_ns(batch, 0, &once, err) ||
            !measure_unit_check(info, once, began_ns, err))
            return false;
        *ns = fmin(*ns, once);
    }
    return true;
}

double measure_unit_grow(double iterations, double wanted_ns, double took_ns, double least,
                         double most)
{
    return iterations * fmin(fmax(wanted_ns / fmax(took_ns, 1), least), most);
}

void measure_unit_grid(uint64_t groups, uint64_t row_most, uint32_t grid[2])
{
    uint64_t rows = row_most ? (groups + row_most - 1) / row_most : 1;
    grid[0] = (uint32_t)((groups + rows - 1) / rows);
    grid[1] = (uint32_t)rows;
}

bool measure_unit_counted(uint64_t count, uint64_t unit_count, const struct measure_ran *ran,
                          uint64_t *units, struct error *err)
{
    *units = count / unit_count;
    if (count % unit_count != 0)
        return error_set(err, ERROR_MISMATCH,
                         "the kernels counted %llu, which is no multiple of %llu",
                         (unsigned long long)count, (unsigned long long)unit_count);
    if (ran->or_more ? *units >= ran->units : *units == ran->units)
        return true;
    return error_set(err, ERROR_MISMATCH,
                     "the kernels counted %llu, but %llu units of work ran, of %llu each: the "
                     "device %s",
                     (unsigned long long)count, (unsigned long long)ran->units,
                     (unsigned long long)unit_count,
                     *units < ran->units ? "lost work" : "did work twice");
}

bool measure_unit_count_clear(struct gpu_buffer *buffer, uint64_t offset, struct error *err)
{
    const uint32_t none = 0;
    return gpu_buffer_write(buffer, offset, &none, sizeof none, err);
}

bool measure_unit_count_check(struct gpu_buffer *buffer, uint64_t offset,
                              const struct measure_ran *ran, struct error *err)
{
    uint32_t count;
    uint64_t units;
    return gpu_buffer_read(buffer, offset, &count, sizeof count, err) &&
           measure_unit_counted(count, 1, ran, &units, err);
}

// ---------------------------------------------------------------- what kernels record

struct gpu_buffer *measure_words_create(struct gpu_scope *scope, struct error *err)
{
    const struct gpu_buffer_desc desc = {.bytes = sizeof(uint32_t[2 * MEASURE_WORDS_SLOTS])};
    return gpu_buffer_create(scope, &desc, err);
}

bool measure_words_clear(struct gpu_buffer *buffer, struct error *err)
{
    static const uint32_t zeros[2 * MEASURE_WORDS_SLOTS];
    return gpu_buffer_write(buffer, 0, zeros, sizeof zeros, err);
}

bool measure_words_read(struct gpu_buffer *buffer, struct measure_words *words, struct error *err)
{
    uint32_t seen[2 * MEASURE_WORDS_SLOTS];
    *words = (struct measure_words){0};
    if (!gpu_buffer_read(buffer, 0, seen, sizeof seen, err))
        return false;
    for (size_t slot = 0; slot < MEASURE_WORDS_SLOTS; slot++) {
        words->sum += seen[slot];
        words->count += seen[MEASURE_WORDS_SLOTS + slot];
    }
    return true;
}

uint32_t measure_words_mix(uint32_t x, uint64_t rounds)
{
    x |= x == 0;
    for (uint64_t i = 0; i < rounds; i++) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
    }
    return x;
}
