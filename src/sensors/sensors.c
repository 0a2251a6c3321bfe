// SPDX-License-Identifier: MIT
#include "sensors/sensors.h"

#include "base/clock.h"
#include "sensors/source.h"

#include <math.h>
#include <string.h>

struct sensors {
    struct arena *arena;
    const struct sensors_source *source;
    void *handle;
};

static const struct sensors_source *const sources[] = {&sensors_nvml, &sensors_hwmon};

// Limits of plausible values. Values of unusual cards are within the limits; values of broken
// counters or in wrong units are not.
static const struct {
    double low, high;
} plausible[SENSOR_VALUE_COUNT] = {
    [SENSOR_CORE_CLOCK] = {1e6, 10e9},    [SENSOR_MEMORY_CLOCK] = {1e6, 50e9},
    [SENSOR_ENERGY] = {0, 1e15},          [SENSOR_TEMPERATURE] = {-50, 150},
    [SENSOR_THROTTLE] = {0, 7},           [SENSOR_POWER_LIMITED] = {0, 1e10},
    [SENSOR_THERMAL_LIMITED] = {0, 1e10}, [SENSOR_MEMORY_FREE] = {0, 1e15},
};

const char *sensor_name(enum sensor_value value)
{
    static const char *const names[SENSOR_VALUE_COUNT] = {
#define X(name, text) [SENSOR_##name] = text,
        SENSOR_VALUES(X)
#undef X
    };
    return names[value];
}

const char *sensor_throttle_text(struct arena *arena, unsigned set)
{
    static const struct {
        unsigned bit;
        const char *name;
    } names[] = {{SENSOR_THROTTLE_POWER, "power limit"},
                 {SENSOR_THROTTLE_THERMAL, "thermal"},
                 {SENSOR_THROTTLE_HARDWARE, "hardware slowdown"}};
    const char *text = "";
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (set & names[i].bit)
            text = arena_printf(arena, "%s%s%s", text, *text ? ", " : "", names[i].name);
    return *text ? text : "none";
}

struct sensors *sensors_open(const struct sensors_desc *desc, struct error *err)
{
    struct arena *arena = arena_create();
    struct sensors *sensors = ARENA_NEW(arena, struct sensors);
    sensors->arena = arena;
    const char *reasons = "";
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        struct error why = {0};
        sensors->source = sources[i];
        sensors->handle = sources[i]->open(arena, desc, &why);
        if (sensors->handle)
            return sensors;
        reasons = arena_printf(arena, "%s%s%s: %s", reasons, *reasons ? "; " : "", sources[i]->name,
                               why.message);
    }
    error_set(err, ERROR_UNSUPPORTED, "no sensors (%s)", reasons);
    arena_destroy(arena);
    return NULL;
}

void sensors_close(struct sensors *sensors)
{
    if (!sensors)
        return;
    if (sensors->source->close)
        sensors->source->close(sensors->handle);
    arena_destroy(sensors->arena);
}

const char *sensors_source(const struct sensors *sensors)
{
    return sensors->source->name;
}

void sensors_read(struct sensors *sensors, struct sensor_reading *reading)
{
    for (size_t i = 0; i < SENSOR_VALUE_COUNT; i++)
        reading->values[i] = (double)NAN;
    sensors->source->read(sensors->handle, reading->values);
    for (size_t i = 0; i < SENSOR_VALUE_COUNT; i++)
        if (!(reading->values[i] >= plausible[i].low && reading->values[i] <= plausible[i].high))
            reading->values[i] = (double)NAN;
    reading->at_ns = clock_now_ns();
}

double sensors_traffic(struct sensors *sensors)
{
    return sensors->source->traffic ? sensors->source->traffic(sensors->handle) : (double)NAN;
}

double sensors_others_traffic(struct sensors *sensors)
{
    return sensors->source->others_traffic ? sensors->source->others_traffic(sensors->handle)
                                           : (double)NAN;
}

double sensors_memory_change(struct sensors *sensors, uint64_t ns)
{
    const uint64_t end_ns = clock_deadline_ns(ns);
    double most = NAN, least = NAN; // NaN is the start value, because fmax and fmin ignore it
    do {
        double used = sensors->source->used_memory(sensors->handle);
        most = fmax(most, used);
        least = fmin(least, used);
    } while (clock_left_ns(end_ns) > 0);
    return most - least;
}
