// SPDX-License-Identifier: MIT
#include "suite/card.h"

#include "base/clock.h"
#include "sensors/sensors.h"

#include <math.h>

static const uint64_t interval_ns = 50000000;

struct card {
    struct sensors *sensors;
    struct sensor_reading last;
};

struct card *card_open(struct arena *arena, const struct gpu_info *info)
{
    const char *pci = arena_printf(arena, "%04x:%02x:%02x.%x", info->pci.domain, info->pci.bus,
                                   info->pci.device, info->pci.function);
    struct error no_sensors;
    struct sensors *sensors =
        sensors_open(&(struct sensors_desc){.uuid = info->has_uuid ? info->uuid : NULL,
                                            .pci = info->has_pci ? pci : NULL},
                     &no_sensors);
    if (!sensors)
        return NULL;
    struct card *card = ARENA_NEW(arena, struct card);
    card->sensors = sensors;
    return card;
}

void card_close(struct card *card)
{
    if (card)
        sensors_close(card->sensors);
}

static void note_value(const struct card *card, enum sensor_value value, enum unit unit,
                       struct measure_visit *visit)
{
    if (isfinite(card->last.values[value]))
        visit_sensor(visit, sensor_name(value), unit, card->last.values[value]);
}

void card_note(struct card *card, struct measure_visit *visit)
{
    if (!card)
        return;
    if (clock_now_ns() - card->last.at_ns >= interval_ns)
        sensors_read(card->sensors, &card->last);
    note_value(card, SENSOR_CORE_CLOCK, UNIT_HZ, visit);
    note_value(card, SENSOR_MEMORY_CLOCK, UNIT_HZ, visit);
    note_value(card, SENSOR_POWER, UNIT_WATT, visit);
    note_value(card, SENSOR_TEMPERATURE, UNIT_DEGC, visit);
    double throttle = card->last.values[SENSOR_THROTTLE];
    if (isfinite(throttle) && throttle > 0)
        visit_doubt(visit, "throttled", "the card ran slower than it could: %s",
                    sensor_throttle_text(visit->arena, (unsigned)throttle));
}
