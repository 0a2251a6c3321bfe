// SPDX-License-Identifier: MIT
#include "bench/roofline/session.h"

#include "measure/unit.h"

#include <math.h>

enum {
    PERIOD_WORDS = ROOFLINE_PERIOD * 4,
    PERIOD_BYTES = PERIOD_WORDS * 4,
    // A GPU's buffer is at least this many times as large as the last-level cache, so that kernels
    // read DRAM.
    CACHES = 4,
    MEMORY_SHARE = 4 // each buffer takes at most a quarter of the device's memory
};
_Static_assert(ROOFLINE_SLOTS == MEASURE_WORDS_SLOTS, "kernels add to as many words");

static const uint64_t bytes_wanted = UINT64_C(4) << 30, cpu_bytes = 16 << 20;
static const uint64_t wait_ns = UINT64_C(20000000000);

// The types of numbers, in the order of the choices of the parameter `type`.
const struct roofline_number roofline_numbers[ROOFLINE_NUMBERS] = {
    {"fp32", "roofline_fp32", "roofline_once_fp32", FMA_F32, 0, 32, 2},
    {"fp64", "roofline_fp64", "roofline_once_fp64", FMA_F64, GPU_CAP(FLOAT64), 16, 2},
    {"fp16x2", "roofline_fp16x2", "roofline_once_fp16x2", FMA_F16X2, GPU_CAP(FLOAT16), 32, 4},
};

void roofline_case_read(const struct bench_case *c, struct roofline_case *this_case)
{
    const struct case_value *energy = case_find(c, "energy");
    *this_case = (struct roofline_case){.number = &roofline_numbers[case_choice(c, "type")],
                                        .intensity = case_real(c, "intensity"),
                                        .energy_s = energy ? energy->real : 0};
}

uint64_t roofline_steps(const struct roofline_case *this_case)
{
    double steps = this_case->intensity * ROOFLINE_THREAD_BYTES / this_case->number->arithmetic;
    return steps >= 1 && steps <= ROOFLINE_STEPS_MAX && steps == floor(steps) ? (uint64_t)steps : 0;
}

// ---------------------------------------------------------------- data

// Returns the chain that starts with value number `i` of a period, by MurmurHash3's finaliser.
static unsigned start_of(uint32_t i)
{
    i ^= i >> 16;
    i *= 0x85ebca6bu;
    i ^= i >> 13;
    i *= 0xc2b2ae35u;
    return (i ^ i >> 16) % FMA_CHAINS;
}

// Returns how many 32-bit words a value of this type has.
static unsigned width_of(const struct roofline_number *number)
{
    return ROOFLINE_THREAD_BYTES / 4 / number->chains;
}

static void fill_period(const struct roofline_number *number, uint32_t *period)
{
    struct fma_chain chains[FMA_CHAINS];
    unsigned width = width_of(number);
    fma_chain_follow(number->number, 0, chains);
    for (uint32_t i = 0; i < PERIOD_WORDS / width; i++) {
        uint64_t bits = chains[start_of(i)].start;
        uint32_t *at = period + (size_t)i * width;
        at[0] = (uint32_t)bits;
        if (width == 2)
            at[1] = (uint32_t)(bits >> 32);
    }
}

static uint32_t sum_of(uint64_t bits)
{
    return (uint32_t)bits + (uint32_t)(bits >> 32);
}

struct roofline_sums roofline_expect(const struct roofline_number *number, uint64_t steps,
                                     uint64_t bytes)
{
    // chains[1] makes one step more than chains[0]
    struct fma_chain chains[2][FMA_CHAINS];
    struct roofline_sums sums = {0};
    unsigned width = width_of(number), in_load = 4 / width;
    for (unsigned more = 0; more < 2; more++)
        fma_chain_follow(number->number, steps / number->chains + more, chains[more]);
    for (uint32_t i = 0; i < PERIOD_WORDS / width; i++) {
        uint32_t load = i / in_load / ROOFLINE_THREADS % ROOFLINE_LOADS,
                 chain = load * in_load + i % in_load;
        const struct fma_chain *end = &chains[chain < steps % number->chains][start_of(i)];
        sums.fused += sum_of(end->fused);
        sums.rounded += sum_of(end->rounded);
    }
    uint32_t periods = (uint32_t)(bytes / PERIOD_BYTES);
    return (struct roofline_sums){sums.fused * periods, sums.rounded * periods};
}

// Writes one period of the data, then doubles the filled part by copies on the device.
static bool fill(struct roofline_session *session, const struct roofline_number *number,
                 struct error *err)
{
    struct arena_mark mark = arena_mark(session->bench->arena);
    uint32_t *period = ARENA_ARRAY(session->bench->arena, PERIOD_WORDS, uint32_t);
    uint64_t done = PERIOD_BYTES;
    fill_period(number, period);
    bool written = gpu_buffer_write(session->source, 0, period, done, err);
    arena_rewind(session->bench->arena, mark);
    if (!written)
        return false;
    struct gpu_scope *scope = gpu_scope_open(session->bench->device);
    struct gpu_batch *batch = gpu_batch_create(scope, &(struct gpu_batch_desc){0}, err);
    for (; batch && done < session->bytes; done *= 2) {
        uint64_t part = session->bytes - done < done ? session->bytes - done : done;
        gpu_batch_copy(batch, session->source, done, session->source, 0, part);
    }
    bool filled = batch && gpu_batch_end(batch, err) && gpu_batch_run(batch, wait_ns, err);
    gpu_scope_close(scope);
    return filled;
}

// ---------------------------------------------------------------- the session

bool roofline_open(struct bench_session *bench, struct error *err)
{
    struct roofline_session *session = ARENA_NEW(bench->arena, struct roofline_session);
    session->bench = bench;
    bench->state = session;
    session->blocks = bench->info->kind == GPU_KIND_CPU ? 1 : ROOFLINE_BLOCKS;
    session->bytes =
        measure_limits_buffer(&bench->info->limits,
                              bench->info->kind == GPU_KIND_CPU ? cpu_bytes : bytes_wanted,
                              MEMORY_SHARE) /
        PERIOD_BYTES * PERIOD_BYTES;
    if (session->bytes == 0)
        return error_set(err, ERROR_UNSUPPORTED,
                         "the largest buffer of this device has fewer than %d bytes", PERIOD_BYTES);
    if (bench->info->kind != GPU_KIND_CPU &&
        session->bytes < CACHES * bench->limits.last_cache_bytes)
        return error_set(err, ERROR_UNSUPPORTED,
                         "the largest buffer of this device, %llu bytes, is less than %d times the "
                         "last-level cache",
                         (unsigned long long)session->bytes, CACHES);
    if (!bench_clock_probe(bench, err))
        return false;
    session->energy = measure_energy_open(bench->arena, bench->info);
    session->shares =
        ROOFLINE_NUMBERS * session->bytes > bench->info->limits.memory_bytes / MEMORY_SHARE;
    session->words = measure_words_create(bench->scope, err);
    return session->words != NULL;
}

void roofline_close(struct bench_session *bench)
{
    struct roofline_session *session = bench->state;
    if (session)
        measure_energy_close(session->energy);
}

// Returns the index of the buffer for the type. If types share a buffer, a type that has no buffer
// takes the first buffer that exists.
static size_t place_of(const struct roofline_session *session, const struct roofline_number *number)
{
    size_t own = (size_t)(number - roofline_numbers);
    if (session->shares && !session->sources[own])
        for (size_t i = 0; i < ROOFLINE_NUMBERS; i++)
            if (session->sources[i])
                return i;
    return own;
}

static bool make_source(struct roofline_session *session, size_t place, struct error *err)
{
    if (!session->sources[place])
        session->sources[place] =
            bench_buffer(session->bench->scope, session->bytes, GPU_MEMORY_DEVICE, err);
    return session->sources[place] != NULL;
}

// Sets session->source to a buffer with the data of this type. Each type has a buffer, which stays
// filled. If there is too little memory, types share one buffer, and each new type fills it again.
static bool load(struct roofline_session *session, const struct roofline_number *number,
                 struct error *err)
{
    size_t place = place_of(session, number);
    if (!make_source(session, place, err)) {
        if (err->code != ERROR_OUT_OF_MEMORY || session->shares)
            return false;
        session->shares = true;
        place = place_of(session, number);
        if (!make_source(session, place, err))
            return false;
    }
    session->source = session->sources[place];
    if (session->holds[place] == number)
        return true;
    session->holds[place] = NULL;
    if (!fill(session, number, err))
        return false;
    session->holds[place] = number;
    return true;
}

struct gpu_program *roofline_prepare(struct roofline_session *session,
                                     const struct roofline_number *number, struct error *err)
{
    if (!gpu_require(session->bench->info, number->caps, err))
        return NULL;
    struct gpu_program *program = measure_program(
        &session->bench->programs, session->blocks > 1 ? number->kernel : number->once, NULL, err);
    return program && load(session, number, err) ? program : NULL;
}
