// SPDX-License-Identifier: MIT
#include "measure/visit.h"

#include "base/clock.h"
#include "math/stats.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum {
    FIRST_ROOM = 4,
    // From this many known core clocks on, the visit's range leaves out the lowest and the highest.
    RANGE_TRIMMED = 4
};

// Returns the list, or a larger copy if it is full. Capacities are FIRST_ROOM and its doubles, so a
// list is full if its count is a power of two from FIRST_ROOM on.
static void *list_room(struct arena *arena, void *list, size_t count, size_t size)
{
    if (count == 0)
        return arena_array(arena, FIRST_ROOM, size);
    if (count < FIRST_ROOM || (count & (count - 1)) != 0)
        return list;
    return memcpy(arena_array(arena, 2 * count, size), list, count * size);
}

bool measure_attempt(const struct measure_request *request, unsigned attempt)
{
    static const uint64_t brief_ns = 10 * NS_PER_MS;
    struct measure_core *core = request->core;
    if (!core || attempt > 1)
        return attempt == 0;
    if (attempt == 1 &&
        (clock_now_ns() - core->settled_ns >= brief_ns || free_core_is_free(core->core)))
        return false;
    free_core_settle(core->core);
    core->settled_ns = clock_now_ns();
    return true;
}

bool measure_goes_on(const struct measure_request *request, struct error *err)
{
    if (!request->leave || !request->leave->is_asked(request->leave->context))
        return true;
    return error_set(err, ERROR_INTERRUPTED, "the visit was ended early");
}

struct measure_visit *measure_visit_create(struct arena *arena)
{
    struct measure_visit *visit = ARENA_NEW(arena, struct measure_visit);
    visit->arena = arena;
    visit->kernel.registers = visit->kernel.spill_bytes = visit->kernel.loads = NAN;
    return visit;
}

double measure_median(struct arena *scratch, const double *values, size_t count)
{
    struct arena_mark mark = arena_mark(scratch);
    double *finite = ARENA_ARRAY(scratch, count, double);
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        if (isfinite(values[i]))
            finite[found++] = values[i];
    double median = stats_median(finite, found);
    arena_rewind(scratch, mark);
    return median;
}

void visit_samples(struct measure_visit *visit, unsigned metric, const double *values, size_t count,
                   double step)
{
    assert(metric < MEASURE_METRICS_MAX);
    struct measure_samples *samples = &visit->metrics[metric];
    samples->values = ARENA_ARRAY(visit->arena, count, double);
    if (count)
        memcpy(samples->values, values, count * sizeof *values);
    samples->count = count;
    samples->step = step;
}

void visit_half(struct measure_visit *visit, unsigned metric, double half)
{
    assert(metric < MEASURE_METRICS_MAX);
    visit->metrics[metric].half = half;
}

void visit_at_least(struct measure_visit *visit, unsigned metric)
{
    assert(metric < MEASURE_METRICS_MAX);
    visit->metrics[metric].at_least = true;
}

void visit_by_host(struct measure_visit *visit, unsigned metric)
{
    assert(metric < MEASURE_METRICS_MAX);
    visit->metrics[metric].by_host = true;
}

void visit_limit(struct measure_visit *visit, unsigned metric, double limit)
{
    assert(metric < MEASURE_METRICS_MAX);
    visit->metrics[metric].limit = limit;
}

static void add_reason(struct arena *arena, struct reason **list, size_t *count, const char *code,
                       const char *text)
{
    *list = list_room(arena, *list, *count, sizeof **list);
    (*list)[(*count)++] = (struct reason){.code = arena_strdup(arena, code), .text = text};
}

void visit_flag(struct measure_visit *visit, const char *code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add_reason(visit->arena, &visit->reasons, &visit->reason_count, code,
               arena_vprintf(visit->arena, format, args));
    va_end(args);
}

void visit_retake(struct measure_visit *visit, const char *code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add_reason(visit->arena, &visit->retakes, &visit->retake_count, code,
               arena_vprintf(visit->arena, format, args));
    va_end(args);
}

void visit_remark(struct measure_visit *visit, const char *code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add_reason(visit->arena, &visit->remarks, &visit->remark_count, code,
               arena_vprintf(visit->arena, format, args));
    va_end(args);
}

void visit_detail(struct measure_visit *visit, const char *name, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    visit->details =
        list_room(visit->arena, visit->details, visit->detail_count, sizeof(struct named_text));
    visit->details[visit->detail_count++] = (struct named_text){
        .name = arena_strdup(visit->arena, name),
        .text = arena_vprintf(visit->arena, format, args),
    };
    va_end(args);
}

void visit_sensor(struct measure_visit *visit, const char *name, enum unit unit, double value)
{
    visit->sensors =
        list_room(visit->arena, visit->sensors, visit->sensor_count, sizeof(struct named_number));
    visit->sensors[visit->sensor_count++] = (struct named_number){
        .name = arena_strdup(visit->arena, name),
        .unit = unit,
        .value = value,
    };
}

double visit_sensor_value(const struct measure_visit *visit, const char *name)
{
    for (size_t i = 0; i < visit->sensor_count; i++)
        if (strcmp(visit->sensors[i].name, name) == 0)
            return visit->sensors[i].value;
    return NAN;
}

void visit_core_clock(struct measure_visit *visit, const double *hz, size_t count, double error)
{
    double *known = ARENA_ARRAY(visit->arena, count, double);
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        if (isfinite(hz[i]))
            known[found++] = hz[i];
    if (found == 0)
        return;
    // stats_median also sorts `known`, so the lowest clock is then the first
    visit_sensor(visit, "core_clock", UNIT_HZ, stats_median(known, found));
    size_t outer = found >= RANGE_TRIMMED ? 1 : 0;
    visit->clock.low_hz = known[outer];
    visit->clock.high_hz = known[found - 1 - outer];
    visit->clock.error = error;
}

void visit_counter(struct measure_visit *visit, const struct counter *counter)
{
    visit->counters =
        list_room(visit->arena, visit->counters, visit->counter_count, sizeof(struct counter));
    visit->counters[visit->counter_count] = *counter;
    visit->counters[visit->counter_count++].name = arena_strdup(visit->arena, counter->name);
}

struct series *visit_series(struct measure_visit *visit, const char *name,
                            const char *const *columns, size_t column_count, size_t rows)
{
    struct arena *arena = visit->arena;
    const char **names = ARENA_ARRAY(arena, column_count, const char *);
    for (size_t i = 0; i < column_count; i++)
        names[i] = arena_strdup(arena, columns[i]);
    visit->series = list_room(arena, visit->series, visit->series_count, sizeof(struct series));
    struct series *added = &visit->series[visit->series_count++];
    *added = (struct series){.name = arena_strdup(arena, name),
                             .columns = names,
                             .column_count = column_count,
                             .data = ARENA_ARRAY(arena, column_count * rows, double),
                             .row_count = rows};
    return added;
}

static void copy_reasons(struct arena *arena, const struct reason *from, size_t from_count,
                         struct reason **list, size_t *count)
{
    for (size_t i = 0; i < from_count; i++)
        add_reason(arena, list, count, from[i].code, arena_strdup(arena, from[i].text));
}

struct measure_visit *visit_copy(struct arena *arena, const struct measure_visit *visit)
{
    struct measure_visit *copy = measure_visit_create(arena);
    for (unsigned i = 0; i < MEASURE_METRICS_MAX; i++) {
        const struct measure_samples *samples = &visit->metrics[i];
        copy->metrics[i] = *samples;
        if (samples->values)
            visit_samples(copy, i, samples->values, samples->count, samples->step);
    }
    copy_reasons(arena, visit->reasons, visit->reason_count, &copy->reasons, &copy->reason_count);
    copy_reasons(arena, visit->retakes, visit->retake_count, &copy->retakes, &copy->retake_count);
    copy_reasons(arena, visit->remarks, visit->remark_count, &copy->remarks, &copy->remark_count);
    for (size_t i = 0; i < visit->sensor_count; i++)
        visit_sensor(copy, visit->sensors[i].name, visit->sensors[i].unit, visit->sensors[i].value);
    visit_keep(copy, visit); // copies the details, the series and the kernel
    copy->device_time_ns = visit->device_time_ns;
    copy->began_ns = visit->began_ns;
    copy->ended_ns = visit->ended_ns;
    return copy;
}

void visit_keep(struct measure_visit *kept, const struct measure_visit *visit)
{
    for (size_t i = 0; i < visit->detail_count; i++) {
        const struct named_text *detail = &visit->details[i];
        size_t at = 0;
        while (at < kept->detail_count && strcmp(kept->details[at].name, detail->name) != 0)
            at++;
        if (at == kept->detail_count)
            visit_detail(kept, detail->name, "%s", detail->text);
    }
    if (visit->series_count)
        kept->series_count = 0;
    for (size_t i = 0; i < visit->series_count; i++) {
        const struct series *from = &visit->series[i];
        struct series *copy =
            visit_series(kept, from->name, from->columns, from->column_count, from->row_count);
        if (from->data)
            memcpy(copy->data, from->data,
                   from->column_count * from->row_count * sizeof *copy->data);
    }
    if (!visit->kernel.hash || kept->kernel.hash)
        return;
    kept->kernel = visit->kernel;
    kept->kernel.hash = arena_strdup(kept->arena, visit->kernel.hash);
    if (visit->kernel.source)
        kept->kernel.source = arena_strdup(kept->arena, visit->kernel.source);
}
