// SPDX-License-Identifier: MIT
#include "measure/card.h"

#include "base/clock.h"
#include "measure/limits.h"
#include "results/reasons.h"
#include "sensors/clocks.h"
#include "sensors/health.h"

#include <math.h>
#include <string.h>

static const uint64_t reading_interval_ns = NS_PER_S / 4;
// Measuring the traffic over the links takes at most 1/25 of the time. A measurement takes 2 ms on
// an H200, and 40 ms with NVIDIA's drivers before 555.
static const uint64_t traffic_pause = 25;

// How long the used memory is observed: memory_long_ns at first and after a change, else
// memory_brief_ns. While a process allocated and freed 512 MiB of an H200's memory without a pause,
// 92 of 100 observations of 2 ms saw a change.
static const uint64_t memory_brief_ns = 2 * NS_PER_MS, memory_long_ns = 20 * NS_PER_MS;

struct sensors_desc measure_card_of(struct arena *arena, const struct gpu_info *info)
{
    const struct gpu_pci *pci = &info->pci;
    struct sensors_desc card = {.uuid = info->has_uuid ? info->uuid : NULL};
    if (info->has_pci)
        card.pci = arena_printf(arena, "%04x:%02x:%02x.%x", pci->domain, pci->bus, pci->device,
                                pci->function);
    return card;
}

void measure_link_of(struct arena *arena, const struct gpu_info *info, struct measure_link *link)
{
    const struct sensors_desc card = measure_card_of(arena, info);
    struct sensor_link seen;
    *link = (struct measure_link){0};
    if (info->kind == GPU_KIND_CPU || !sensors_link_read(&card, &seen))
        return;
    link->bytes_per_s = seen.bytes_per_s;
    link->text = arena_printf(arena, "PCIe at %.3g GT/s x%u (%s)", seen.transfers_hz / 1e9,
                              seen.lanes, seen.source);
}

const char *measure_card_users(struct arena *arena, const struct gpu_info *info, long own_pid)
{
    return sensor_clocks_users(
        arena,
        &(struct sensor_clocks_desc){.card = measure_card_of(arena, info), .own_pid = own_pid});
}

// ---------------------------------------------------------------- computed from sensor readings

// Minimum share of the time in which a limiter (a reason for a lower clock) was active. The share
// is small, because the device may be idle most of the time.
static const double limiter_counts = 0.02;
static const double busy_counts = 0.9;
static const uint64_t watts_least_ns = 2 * NS_PER_S;

static double rise_of(const struct sensor_reading *from, const struct sensor_reading *to,
                      enum sensor_value value)
{
    return to->values[value] - from->values[value];
}

unsigned measure_card_limiter(const struct sensor_reading *from, const struct sensor_reading *to)
{
    double power_s = rise_of(from, to, SENSOR_POWER_LIMITED);
    double thermal_s = rise_of(from, to, SENSOR_THERMAL_LIMITED);
    double least_s = limiter_counts * (double)(to->at_ns - from->at_ns) / NS_PER_S;
    if (isfinite(power_s) && isfinite(thermal_s))
        return (power_s > 0 && power_s >= least_s ? SENSOR_THROTTLE_POWER : 0) |
               (thermal_s > 0 && thermal_s >= least_s ? SENSOR_THROTTLE_THERMAL : 0);
    double named = to->values[SENSOR_THROTTLE];
    return isfinite(named) ? (unsigned)named : 0;
}

double measure_card_watts(const struct sensor_reading *from, const struct sensor_reading *to,
                          uint64_t busy_ns)
{
    uint64_t length_ns = to->at_ns - from->at_ns;
    double joules = rise_of(from, to, SENSOR_ENERGY);
    if (length_ns < watts_least_ns || (double)busy_ns < busy_counts * (double)length_ns ||
        !(joules > 0))
        return NAN;
    return joules * NS_PER_S / (double)length_ns;
}

// ---------------------------------------------------------------- sensors and core clock of visits

struct measure_card {
    // Sensors of the card; NULL if fathom can read none of them.
    struct sensors *sensors;
    struct sensor_reading before, last;
    struct measure_pace pace;
    struct measure_traffic traffic; // traffic over the links, as measured last
    // earliest host time in ns at which the traffic is measured again
    uint64_t traffic_due_ns;
    bool memory_is_constant; // true if the last observation of the used memory saw no change
    double memory_hz;        // highest memory clock in Hz read so far; 0 before the first reading
    double reserve_bytes;    // memory in bytes that the driver may need for itself
};

static void read_sensors(struct measure_card *card)
{
    if (card->sensors)
        sensors_read(card->sensors, &card->last);
}

static bool is_old(const struct measure_card *card)
{
    return clock_now_ns() - card->last.at_ns >= reading_interval_ns;
}

static bool is_limited(void *context)
{
    struct measure_card *card = context;
    read_sensors(card);
    return measure_card_limiter(&card->before, &card->last) != 0;
}

// Returns the bytes of memory that a driver may need for itself: 4 KiB of stack for each thread
// that the device can run at a time. Returns 0 if the number of cores is not known, or if the
// device has no memory of its own. On an H200 with 700 MiB free, rays had their usual rate through
// Vulkan; with 600 MiB free, 8 % of it, because the driver had put their stacks into the host's
// memory. This rule returns 1 GiB.
static double driver_reserve(const struct gpu_info *info, unsigned cores)
{
    static const double stack_bytes = 4096, core_threads = 2048;
    double threads = info->limits.core_threads ? (double)info->limits.core_threads : core_threads;
    return info->kind == GPU_KIND_INTEGRATED ? 0 : stack_bytes * threads * cores;
}

struct measure_card *measure_card_open(struct arena *arena, const struct gpu_info *info)
{
    const struct sensors_desc desc = measure_card_of(arena, info);
    struct error no_sensors;
    struct measure_card *card = ARENA_NEW(arena, struct measure_card);
    struct measure_limits limits;
    measure_limits_of(info, &limits);
    card->sensors = sensors_open(&desc, &no_sensors);
    for (size_t i = 0; i < SENSOR_VALUE_COUNT; i++)
        card->last.values[i] = NAN;
    card->pace.stated_hz = card->pace.fastest_hz = limits.core_clock_hz;
    card->reserve_bytes = driver_reserve(info, limits.cores);
    card->pace.limited = is_limited;
    card->pace.context = card;
    return card;
}

void measure_card_close(struct measure_card *card)
{
    if (card)
        sensors_close(card->sensors);
}

struct measure_traffic measure_card_traffic(struct measure_card *card)
{
    uint64_t begin_ns = clock_now_ns();
    if (!card->sensors)
        return (struct measure_traffic){.card = NAN, .others = NAN};
    if (begin_ns >= card->traffic_due_ns) {
        card->traffic = (struct measure_traffic){.card = sensors_traffic(card->sensors),
                                                 .others = sensors_others_traffic(card->sensors)};
        card->traffic_due_ns = begin_ns + traffic_pause * (clock_now_ns() - begin_ns);
    }
    return card->traffic;
}

double measure_card_memory_change(struct measure_card *card)
{
    if (!card->sensors)
        return (double)NAN;
    double change = sensors_memory_change(card->sensors, card->memory_is_constant ? memory_brief_ns
                                                                                  : memory_long_ns);
    card->memory_is_constant = !(change > 0);
    return change;
}

struct measure_pace *measure_card_begin(struct measure_card *card, double *case_hz)
{
    if (is_old(card) || pace_is_lower(*case_hz, card->pace.fastest_hz, 0))
        read_sensors(card);
    card->before = card->last;
    pace_begin(&card->pace, case_hz);
    return &card->pace;
}

static void note_value(const struct measure_card *card, enum sensor_value value, enum unit unit,
                       struct measure_visit *visit)
{
    if (isfinite(card->last.values[value]))
        visit_sensor(visit, sensor_name(value), unit, card->last.values[value]);
}

static void remark_limit(unsigned limiter, double hz, struct measure_visit *visit)
{
    double watts = visit_sensor_value(visit, "power");
    const char *power = isfinite(watts) ? arena_printf(visit->arena, ", %.0f W", watts) : "";
    if (limiter == SENSOR_THROTTLE_POWER)
        visit_remark(visit, "throttled", "power-limited at %.2f GHz%s", hz / 1e9, power);
    else
        visit_remark(visit, "throttled", "limited at %.2f GHz%s: %s", hz / 1e9, power,
                     sensor_throttle_text(visit->arena, limiter));
}

// If the card reports what limits its clock, the visit only gets a remark: a repeated visit would
// have the same limit.
static void judge_core_clock(struct measure_card *card, double hz, struct measure_visit *visit)
{
    const struct visit_clock *clock = &visit->clock;
    double kept_hz = 0;
    enum pace_verdict verdict = pace_judge(&card->pace, hz, clock, &kept_hz);
    unsigned limiter = verdict == PACE_KEPT ? 0 : measure_card_limiter(&card->before, &card->last);
    if (limiter)
        remark_limit(limiter, hz, visit);
    else if (verdict == PACE_FELL)
        visit_retake(visit, "low-clock", "the core clock was %.2f to %.2f GHz during the samples",
                     clock->low_hz / 1e9, clock->high_hz / 1e9);
    else if (verdict == PACE_LOW)
        visit_retake(visit, "low-clock", "%.2f GHz; such a load kept %.2f GHz in this run",
                     hz / 1e9, kept_hz / 1e9);
    else if (verdict == PACE_LOWER)
        visit_remark(visit, "low-clock", "%.2f GHz under this load, cause unknown", hz / 1e9);
}

// Cards lower the memory clock when work does not use memory all the time.
static void judge_memory_clock(struct measure_card *card, struct measure_visit *visit)
{
    double hz = card->last.values[SENSOR_MEMORY_CLOCK];
    if (visit->clock.uses_memory && pace_is_lower(hz, card->memory_hz, 0))
        visit_retake(visit, "low-clock", "memory clock %.2f GHz; it was %.2f GHz in this run",
                     hz / 1e9, card->memory_hz / 1e9);
    if (hz > card->memory_hz)
        card->memory_hz = hz;
}

// If the card's memory is full, work may run from the host's memory, and no driver reports it.
static void judge_free_memory(const struct measure_card *card, struct measure_visit *visit)
{
    double free_bytes =
        fmin(card->before.values[SENSOR_MEMORY_FREE], card->last.values[SENSOR_MEMORY_FREE]);
    if (free_bytes < card->reserve_bytes)
        visit_retake(visit, REASON_SHARED_DEVICE,
                     "only %.0f MiB of the card's memory were free: the driver may have put memory "
                     "of this case into the host's",
                     free_bytes / (1 << 20));
}

void measure_card_note(struct measure_card *card, const struct benchmark_info *info, bool any_clock,
                       struct measure_visit *visit)
{
    const struct visit_clock *clock = &visit->clock;
    double hz = visit_sensor_value(visit, "core_clock");
    // The sensors tell what limited the clock, so a single low sample is a reason to read them.
    if (is_old(card) ||
        pace_is_lower(clock->low_hz, fmax(clock->high_hz, card->pace.fastest_hz), clock->error))
        read_sensors(card);
    note_value(card, SENSOR_CORE_CLOCK, UNIT_HZ, visit);
    note_value(card, SENSOR_MEMORY_CLOCK, UNIT_HZ, visit);
    note_value(card, SENSOR_TEMPERATURE, UNIT_DEGC, visit);
    if (pace_lead_ns(&card->pace, card->pace.sparse))
        visit_detail(visit, "lead", "%.3g ms of other work before the samples wake the core clock",
                     (double)pace_lead_ns(&card->pace, card->pace.sparse) / 1e6);
    double watts = measure_card_watts(&card->before, &card->last, visit->device_time_ns);
    if (isfinite(watts))
        visit_sensor(visit, "power", UNIT_WATT, watts);
    judge_free_memory(card, visit);
    if (any_clock || info->metrics[0].unit == UNIT_NONE)
        return;
    judge_core_clock(card, hz, visit);
    judge_memory_clock(card, visit);
}
