// SPDX-License-Identifier: MIT
#include "measure/energy.h"

#include "base/clock.h"
#include "math/line.h"
#include "math/stats.h"
#include "measure/card.h"

#include <math.h>

enum {
    READINGS_MAX = 4096,
    IN_FLIGHT = 12
};
// A submission counts as already ended if the host waited less than this many ns for it.
static const uint64_t waited_least_ns = 100000;
// An energy measurement may exceed length_ns by this many ns, because some counters change rarely.
static const uint64_t slack_ns = NS_PER_S / 2;

struct measure_energy {
    struct sensors *sensors;
};

static double joules_now(struct measure_energy *energy)
{
    struct sensor_reading reading;
    sensors_read(energy->sensors, &reading);
    return reading.values[SENSOR_ENERGY];
}

struct measure_energy *measure_energy_open(struct arena *arena, const struct gpu_info *info)
{
    const struct sensors_desc card = measure_card_of(arena, info);
    struct error no_sensors;
    struct measure_energy *energy = ARENA_NEW(arena, struct measure_energy);
    energy->sensors = sensors_open(&card, &no_sensors);
    if (energy->sensors && isfinite(joules_now(energy)))
        return energy;
    sensors_close(energy->sensors);
    return NULL;
}

void measure_energy_close(struct measure_energy *energy)
{
    if (energy)
        sensors_close(energy->sensors);
}

// ---------------------------------------------------------------- computed from counter readings

enum {
    // The interval of the power needs at least this many changes of the counter after the first.
    CHANGES_LEAST = 4
};

// The first reading with a new value of the counter, and the time since the reading before it.
struct change {
    const struct energy_reading *reading;
    double late_ns;
};

static size_t find_changes(const struct energy_reading *readings, size_t count,
                           struct change *changes)
{
    const struct energy_reading *before = NULL;
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        const struct energy_reading *now = &readings[i];
        if (!isfinite(now->joules))
            continue;
        if (before && now->joules != before->joules)
            changes[found++] = (struct change){now, (double)(now->at_ns - before->at_ns)};
        before = now;
    }
    return found;
}

// Drops late changes at both ends, because NVIDIA's library sometimes takes 50 ms to answer.
static size_t trim(struct change **changes, size_t count, struct arena *scratch)
{
    double *late_ns = ARENA_ARRAY(scratch, count, double);
    for (size_t i = 0; i < count; i++)
        late_ns[i] = (*changes)[i].late_ns;
    double most_ns = stats_median(late_ns, count);
    while (count > 0 && (*changes)[count - 1].late_ns > most_ns)
        count--;
    for (; count > 0 && (*changes)->late_ns > most_ns; count--)
        ++*changes;
    return count;
}

// Returns half of the interval of the power, relative to the power; NaN for too few changes. The
// power has the errors of the first and the last change. The scatter of all changes around a
// straight line shows the error of one change.
static double half_of(const struct change *changes, size_t count, double length_ns,
                      struct arena *scratch)
{
    double late_ns = fmax(changes[0].late_ns, changes[count - 1].late_ns);
    double *seconds = ARENA_ARRAY(scratch, count, double);
    double *joules = ARENA_ARRAY(scratch, count, double);
    double mean_s = 0, squares = 0;
    struct line line;
    for (size_t i = 0; i < count; i++) {
        seconds[i] = (double)(changes[i].reading->at_ns - changes[0].reading->at_ns) * 1e-9;
        joules[i] = changes[i].reading->joules - changes[0].reading->joules;
        mean_s += seconds[i] / (double)count;
    }
    if (count <= CHANGES_LEAST || !line_fit(seconds, joules, count, &line))
        return NAN;
    for (size_t i = 0; i < count; i++)
        squares += (seconds[i] - mean_s) * (seconds[i] - mean_s);
    // Error in joules of the counter's value at one change: standard deviation × Student's t.
    double end_j = line.slope_half * sqrt(squares);
    return fmax(sqrt(2) * end_j / joules[count - 1], late_ns / length_ns);
}

void measure_energy_of(const struct energy_reading *readings, size_t count,
                       struct measure_energy_result *result)
{
    struct arena *arena = arena_create();
    struct change *changes = ARENA_ARRAY(arena, count, struct change);
    size_t found = find_changes(readings, count, changes);
    found = trim(&changes, found, arena);
    *result = (struct measure_energy_result){.unit_j = NAN, .watts = NAN, .half = NAN};
    if (found >= 2) {
        const struct energy_reading *first = changes[0].reading;
        const struct energy_reading *last = changes[found - 1].reading;
        double joules = last->joules - first->joules, units = last->units - first->units;
        result->changes = (unsigned)found - 1;
        result->length_ns = (double)(last->at_ns - first->at_ns);
        if (joules > 0 && units > 0 && result->length_ns > 0) {
            result->unit_j = joules / units;
            result->watts = joules * 1e9 / result->length_ns;
            result->half = half_of(changes, found, result->length_ns, arena);
        }
    }
    arena_destroy(arena);
}

// ---------------------------------------------------------------- repeating the work

struct burn {
    const struct measure_energy_desc *desc;
    struct gpu_batch *batches[IN_FLIGHT];
    struct energy_reading *readings;
    size_t count;
    double units;       // number of units of work that have surely ended
    uint64_t ran_units; // number of units of work in all submissions
};

static bool prepare(struct burn *burn, struct error *err)
{
    const struct measure_energy_desc *desc = burn->desc;
    for (int i = 0; i < IN_FLIGHT; i++) {
        burn->batches[i] = gpu_batch_create(
            desc->scope, &(struct gpu_batch_desc){.unordered = desc->unordered}, err);
        if (!burn->batches[i])
            return false;
        desc->record(desc->context, burn->batches[i], desc->repeats);
        if (!gpu_batch_end(burn->batches[i], err))
            return false;
    }
    return true;
}

static bool is_enough(struct burn *burn, uint64_t start_ns)
{
    struct measure_energy_result so_far;
    measure_energy_of(burn->readings, burn->count, &so_far);
    return so_far.length_ns >= (double)burn->desc->length_ns || burn->count == READINGS_MAX ||
           clock_now_ns() - start_ns >= burn->desc->length_ns + slack_ns;
}

static void take_reading(struct burn *burn)
{
    burn->readings[burn->count++] = (struct energy_reading){
        .joules = joules_now(burn->desc->energy), .at_ns = clock_now_ns(), .units = burn->units};
}

static bool submit(struct burn *burn, int which, struct error *err)
{
    burn->ran_units += burn->desc->repeats;
    return gpu_batch_submit(burn->batches[which], NULL, err);
}

// Keeps IN_FLIGHT submissions in flight, so that the device stays busy while NVIDIA's library reads
// the counter (4 ms, sometimes 50 ms). The host reads the counter right after it had to wait for a
// submission, because only then does it know how many submissions have ended.
static bool keep_busy(struct burn *burn, struct error *err)
{
    uint64_t start_ns = clock_now_ns();
    unsigned ended = 0;
    for (int i = 0; i < IN_FLIGHT; i++)
        if (!submit(burn, i, err))
            return false;
    for (int next = 0; !is_enough(burn, start_ns); next = (next + 1) % IN_FLIGHT) {
        uint64_t asked_ns = clock_now_ns();
        if (!gpu_batch_wait(burn->batches[next], burn->desc->timeout_ns, err))
            return false;
        bool waited = clock_now_ns() - asked_ns >= waited_least_ns || ++ended == IN_FLIGHT;
        burn->units += (double)burn->desc->repeats;
        if (!submit(burn, next, err))
            return false;
        if (waited) {
            take_reading(burn);
            ended = 0;
        }
    }
    for (int i = 0; i < IN_FLIGHT; i++)
        if (!gpu_batch_wait(burn->batches[i], burn->desc->timeout_ns, err))
            return false;
    return true;
}

bool measure_energy_run(const struct measure_energy_desc *desc,
                        struct measure_energy_result *result, struct error *err)
{
    struct arena *arena = arena_create();
    struct burn burn = {.desc = desc};
    burn.readings = ARENA_ARRAY(arena, READINGS_MAX, struct energy_reading);
    bool done = prepare(&burn, err) && keep_busy(&burn, err);
    measure_energy_of(burn.readings, burn.count, result);
    result->ran_units = burn.ran_units;
    arena_destroy(arena);
    return done;
}
