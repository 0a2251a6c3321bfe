// SPDX-License-Identifier: MIT
#include "bench/strides/session.h"
#include "measure/unit.h"

enum {
    WORD_BYTES = 4,
    LOADS = 8, // number of loads in flight per thread with STRIDES_BANKS or STRIDES_ORIGINAL
    // Bytes in flight per thread in other cases, so narrower loads are more in number.
    LOADS_BYTES = 128,
    BANKS = 32, // number of banks of shared memory on NVIDIA
    LINES = STRIDES_BUFFER_BYTES / STRIDES_LINE_BYTES
};

static bool takes_address(const struct bench_case *c, const struct gpu_info *info)
{
    enum {
        AUTO, // the choices of the parameter `route`, in this order
        ADDRESS
    };
    const gpu_caps needed = GPU_CAP(ADDRESSES) | GPU_CAP(INT64);
    if (case_choice(c, "route") != AUTO)
        return case_choice(c, "route") == ADDRESS;
    return info->kind != GPU_KIND_CPU && (info->caps & needed) == needed;
}

// Returns the number of threads with different addresses: the threads of a subgroup, but at least
// STRIDES_LANES and at most STRIDES_LANES_MAX. (More addresses would only need more cache.) If the
// size of a subgroup is unknown, returns STRIDES_LANES_MAX.
static uint32_t lanes_of(const struct gpu_info *info)
{
    uint64_t threads = info->limits.subgroup_threads;
    if (!threads || threads > STRIDES_LANES_MAX)
        return STRIDES_LANES_MAX;
    return threads < STRIDES_LANES ? STRIDES_LANES : (uint32_t)threads;
}

void strides_case_read(const struct bench_case *c, const struct gpu_info *info,
                       struct strides_case *this_case)
{
    const struct case_value *width = case_find(c, "width"), *stride = case_find(c, "stride");
    *this_case = (struct strides_case){
        .pattern = (enum strides_pattern)case_choice(c, "pattern"),
        .width = width ? (unsigned)width->uint : WORD_BYTES,
        .stride = stride ? (uint32_t)stride->uint : 0,
        // the choice is STRIDES_LINE if the case has no parameter `offset`
        .offset = (enum strides_offset)case_choice(c, "offset"),
    };
    bool original = this_case->offset == STRIDES_ORIGINAL;
    this_case->across = original ? STRIDES_LANES_MAX
                        : stride ? lanes_of(info)
                                 : (uint32_t)case_uint(c, "across");
    this_case->loads =
        original || this_case->pattern == STRIDES_BANKS ? LOADS : LOADS_BYTES / this_case->width;
    this_case->address = this_case->pattern != STRIDES_BANKS && takes_address(c, info);
}

const char *strides_kernel_name(struct arena *arena, const struct strides_case *this_case)
{
    if (this_case->pattern == STRIDES_BANKS)
        return arena_printf(arena, "strides_shared_%ux%u", this_case->width, this_case->loads);
    static const char *const offsets[] = {"line", "fours", "random"};
    return arena_printf(arena, "strides_vector_%ux%u_%s_%s", this_case->width, this_case->loads,
                        this_case->pattern == STRIDES_BLOCK ? "fours" : offsets[this_case->offset],
                        this_case->address ? "address" : "storage");
}

struct strides_params strides_params_of(const struct strides_case *this_case, uint32_t iterations)
{
    bool block = this_case->pattern == STRIDES_BLOCK;
    return (struct strides_params){
        .across = this_case->across,
        .step = block ? 1 : this_case->stride,
        .pitch = block ? STRIDES_PITCH : 0,
        .iterations = iterations,
    };
}

// ---------------------------------------------------------------- addresses

// Returns the distance in elements from a thread's first element to its load number `k`.
static uint32_t after(const struct strides_case *this_case, uint32_t k)
{
    if (this_case->pattern == STRIDES_BANKS)
        return k * STRIDES_SHARED_APART;
    if (this_case->pattern == STRIDES_BLOCK || this_case->offset == STRIDES_ORIGINAL)
        return STRIDES_AFTER_FOURS(k, this_case->width);
    return this_case->offset == STRIDES_RANDOM ? STRIDES_AFTER_RANDOM(k, this_case->width)
                                               : STRIDES_AFTER_LINE(k, this_case->width);
}

uint32_t strides_element(const struct strides_case *this_case, uint32_t t, uint32_t k)
{
    struct strides_params p = strides_params_of(this_case, 1);
    return t % p.across * p.step + t / p.across % STRIDES_ROWS * p.pitch + after(this_case, k);
}

uint64_t strides_footprint_bytes(const struct strides_case *this_case)
{
    static const unsigned bits = 8;
    uint8_t seen[LINES / 8] = {0};
    uint64_t lines = 0;
    if (this_case->pattern == STRIDES_BANKS)
        return 0;
    for (uint32_t t = 0; t < STRIDES_THREADS; t++)
        for (uint32_t k = 0; k < this_case->loads; k++) {
            uint32_t line =
                strides_element(this_case, t, k) * this_case->width / STRIDES_LINE_BYTES;
            uint8_t bit = (uint8_t)(1u << line % bits);
            lines += !(seen[line / bits] & bit);
            seen[line / bits] |= bit;
        }
    return lines * STRIDES_LINE_BYTES;
}

// Returns the number of different values in values[0] to values[count − 1].
static unsigned different(const uint32_t *values, unsigned count)
{
    unsigned found = 0;
    for (unsigned i = 0; i < count; i++) {
        unsigned j = 0;
        while (j < i && values[j] != values[i])
            j++;
        found += j == i;
    }
    return found;
}

// Returns the number of passes of a 4-byte load from shared memory. In a pass, each bank gives one
// word.
static unsigned bank_turns(const uint32_t words[STRIDES_LANES])
{
    unsigned most = 0;
    for (uint32_t bank = 0; bank < BANKS; bank++) {
        uint32_t of_bank[STRIDES_LANES];
        unsigned count = 0;
        for (unsigned i = 0; i < STRIDES_LANES; i++)
            if (words[i] % BANKS == bank)
                of_bank[count++] = words[i];
        unsigned turns = different(of_bank, count);
        most = turns > most ? turns : most;
    }
    return most;
}

struct strides_traffic strides_traffic_of(const struct strides_case *this_case)
{
    bool is_shared = this_case->pattern == STRIDES_BANKS;
    unsigned sectors = 0, turns = 0, loads = 0;
    for (uint32_t first = 0; first < STRIDES_THREADS; first += STRIDES_LANES)
        for (uint32_t k = 0; k < this_case->loads; k++) {
            uint32_t places[STRIDES_LANES];
            for (uint32_t lane = 0; lane < STRIDES_LANES; lane++)
                places[lane] = strides_element(this_case, first + lane, k) * this_case->width /
                               (is_shared ? WORD_BYTES : STRIDES_SECTOR_BYTES);
            sectors += is_shared ? 0 : different(places, STRIDES_LANES);
            turns += is_shared ? bank_turns(places) : 0;
            loads++;
        }
    return (struct strides_traffic){.sectors = sectors / (double)loads,
                                    .wavefronts = turns / (double)loads};
}

// ---------------------------------------------------------------- the proof

uint32_t strides_data(uint32_t i)
{
    uint32_t h = i * STRIDES_MIX_STEP + STRIDES_MIX_SEED;
    h ^= h >> 15;
    return h * STRIDES_MIX_SCATTER;
}

// Returns the sum of thread `t`'s loads in one iteration, modulo 2^32.
static uint32_t thread_sum(const struct strides_case *this_case, uint32_t t)
{
    uint32_t words = this_case->width / WORD_BYTES, sum = 0;
    for (uint32_t k = 0; k < this_case->loads; k++)
        for (uint32_t w = 0; w < words; w++)
            sum += strides_data(strides_element(this_case, t, k) * words + w);
    return this_case->loads ? STRIDES_TURN_LOADS / this_case->loads * sum : 0;
}

bool strides_check(const struct strides_case *this_case, uint32_t iterations,
                   const uint32_t words[STRIDES_WORDS], const struct measure_ran *ran,
                   struct error *err)
{
    uint64_t runs;
    if (!measure_unit_counted(words[STRIDES_THREADS], 1, ran, &runs, err))
        return false;
    for (uint32_t t = 0; t < STRIDES_THREADS; t++) {
        uint32_t expected = (uint32_t)runs * iterations * thread_sum(this_case, t);
        if (words[t] != expected)
            return error_set(err, ERROR_MISMATCH, "the sum of thread %u is %08x, not %08x", t,
                             words[t], expected);
    }
    return true;
}
