// SPDX-License-Identifier: MIT
#include "measure/card.h"

#include "base/clock.h"
#include "measure/limits.h"
#include "sensors/clocks.h"
#include "sensors/link.h"

#include <math.h>
#include <string.h>

static const uint64_t reading_interval_ns = NS_PER_S / 10;
static const double slowed_share = 0.015;

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

// ---------------------------------------------------------------- sensors beside visits

struct measure_card {
    struct sensors *sensors;
    struct sensor_reading last;
    double fastest_hz; // the product's core clock or the fastest one seen, if higher; 0: unknown
};

struct measure_card *measure_card_open(struct arena *arena, const struct gpu_info *info)
{
    const struct sensors_desc desc = measure_card_of(arena, info);
    struct error no_sensors;
    struct sensors *sensors = sensors_open(&desc, &no_sensors);
    if (!sensors)
        return NULL;
    struct measure_card *card = ARENA_NEW(arena, struct measure_card);
    struct measure_limits limits;
    measure_limits_of(info, &limits);
    card->sensors = sensors;
    card->fastest_hz = limits.core_clock_hz;
    return card;
}

void measure_card_close(struct measure_card *card)
{
    if (card)
        sensors_close(card->sensors);
}

static void note_value(const struct measure_card *card, enum sensor_value value, enum unit unit,
                       struct measure_visit *visit)
{
    if (isfinite(card->last.values[value]))
        visit_sensor(visit, sensor_name(value), unit, card->last.values[value]);
}

bool measure_card_is_slowed(double seen_hz, double fastest_hz)
{
    return !(seen_hz > 0) || !(fastest_hz > 0) || seen_hz < fastest_hz * (1 - slowed_share);
}

// The core clock that the kernels measured during the samples; NaN if they could not.
static double seen_clock(const struct measure_visit *visit)
{
    for (size_t i = 0; i < visit->sensor_count; i++)
        if (strcmp(visit->sensors[i].name, "core_clock") == 0)
            return visit->sensors[i].value;
    return NAN;
}

static void note_throttling(struct measure_card *card, bool is_count, struct measure_visit *visit)
{
    double throttle = card->last.values[SENSOR_THROTTLE], seen_hz = seen_clock(visit);
    if (seen_hz > card->fastest_hz)
        card->fastest_hz = seen_hz;
    if (!isfinite(throttle) || !(throttle > 0))
        return;
    const char *text = sensor_throttle_text(visit->arena, (unsigned)throttle);
    if (!is_count && measure_card_is_slowed(seen_hz, card->fastest_hz))
        visit_flag(visit, "throttled", "the card was throttled: %s", text);
    else
        visit_detail(visit, "card", "throttled at times, but not during these samples: %s", text);
}

void measure_card_note(struct measure_card *card, const struct benchmark_info *info,
                       struct measure_visit *visit)
{
    if (!card)
        return;
    if (clock_now_ns() - card->last.at_ns >= reading_interval_ns)
        sensors_read(card->sensors, &card->last);
    note_value(card, SENSOR_CORE_CLOCK, UNIT_HZ, visit);
    note_value(card, SENSOR_MEMORY_CLOCK, UNIT_HZ, visit);
    note_value(card, SENSOR_POWER, UNIT_WATT, visit);
    note_value(card, SENSOR_TEMPERATURE, UNIT_DEGC, visit);
    note_throttling(card, info->metrics[0].unit == UNIT_NONE, visit);
}
