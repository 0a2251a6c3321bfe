// SPDX-License-Identifier: MIT
#include "sensors/sensors.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

enum {
    READINGS_MAX = 1024
};
static const uint64_t interval_min_ns = 50000000;
static const uint64_t energy_span_min_ns = 1000000000;

// `stop` is guarded by `lock`; the readings belong to the thread until it is joined.
struct sensors_sampler {
    struct arena *arena;
    struct sensors *sensors;
    pthread_t thread;
    bool running;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool stop;
    uint64_t interval_ns;
    size_t count;
    struct sensor_reading readings[READINGS_MAX];
};

static void thin_out(struct sensors_sampler *sampler)
{
    size_t kept = 0;
    for (size_t i = 0; i < sampler->count; i += 2)
        sampler->readings[kept++] = sampler->readings[i];
    sampler->count = kept;
    sampler->interval_ns *= 2;
}

static void take_reading(struct sensors_sampler *sampler)
{
    if (sampler->count == READINGS_MAX)
        thin_out(sampler);
    sensors_read(sampler->sensors, &sampler->readings[sampler->count++]);
}

// True when asked to stop, false after the interval.
static bool wait_for_stop(struct sensors_sampler *sampler)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    uint64_t ns = (uint64_t)until.tv_nsec + sampler->interval_ns;
    until.tv_sec += (time_t)(ns / 1000000000u);
    until.tv_nsec = (long)(ns % 1000000000u);
    pthread_mutex_lock(&sampler->lock);
    int waited = 0;
    while (!sampler->stop && waited == 0)
        waited = pthread_cond_timedwait(&sampler->wake, &sampler->lock, &until);
    bool stop = sampler->stop;
    pthread_mutex_unlock(&sampler->lock);
    return stop;
}

static void *sampler_main(void *argument)
{
    struct sensors_sampler *sampler = argument;
    do
        take_reading(sampler);
    while (!wait_for_stop(sampler));
    return NULL;
}

struct sensors_sampler *sensors_sampler_start(struct sensors *sensors, uint64_t interval_ns)
{
    struct arena *arena = arena_create();
    struct sensors_sampler *sampler = ARENA_NEW(arena, struct sensors_sampler);
    sampler->arena = arena;
    sampler->sensors = sensors;
    sampler->interval_ns = interval_ns < interval_min_ns ? interval_min_ns : interval_ns;
    pthread_mutex_init(&sampler->lock, NULL);
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&sampler->wake, &monotonic);
    pthread_condattr_destroy(&monotonic);
    sampler->running = pthread_create(&sampler->thread, NULL, sampler_main, sampler) == 0;
    return sampler;
}

void sensors_sampler_stop(struct sensors_sampler *sampler, struct sensors_summary *summary)
{
    if (!sampler) {
        sensors_summarise(NULL, 0, summary);
        return;
    }
    pthread_mutex_lock(&sampler->lock);
    sampler->stop = true;
    pthread_cond_signal(&sampler->wake);
    pthread_mutex_unlock(&sampler->lock);
    if (sampler->running)
        pthread_join(sampler->thread, NULL);
    take_reading(sampler);
    sensors_summarise(sampler->readings, sampler->count, summary);
    pthread_cond_destroy(&sampler->wake);
    pthread_mutex_destroy(&sampler->lock);
    arena_destroy(sampler->arena);
}

// ---------------------------------------------------------------- summary

static int by_value(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static void summarise_value(const struct sensor_reading *readings, size_t count, unsigned value,
                            struct sensors_summary *summary)
{
    double sorted[READINGS_MAX];
    size_t n = 0;
    for (size_t i = 0; i < count && n < READINGS_MAX; i++)
        if (isfinite(readings[i].values[value]))
            sorted[n++] = readings[i].values[value];
    if (!n)
        return;
    qsort(sorted, n, sizeof *sorted, by_value);
    summary->minimum[value] = sorted[0];
    summary->maximum[value] = sorted[n - 1];
    summary->median[value] = (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
}

static double energy_between(const struct sensor_reading *first, const struct sensor_reading *last)
{
    double joules = last->values[SENSOR_ENERGY] - first->values[SENSOR_ENERGY];
    bool long_enough = last->at_ns - first->at_ns >= energy_span_min_ns;
    return long_enough && joules > 0 ? joules : (double)NAN;
}

static double throttle_union(const struct sensor_reading *readings, size_t count)
{
    unsigned set = 0;
    bool seen = false;
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(readings[i].values[SENSOR_THROTTLE]))
            continue;
        seen = true;
        set |= (unsigned)readings[i].values[SENSOR_THROTTLE];
    }
    return seen ? (double)set : (double)NAN;
}

void sensors_summarise(const struct sensor_reading *readings, size_t count,
                       struct sensors_summary *summary)
{
    *summary = (struct sensors_summary){.readings = count};
    for (unsigned value = 0; value < SENSOR_VALUE_COUNT; value++) {
        summary->median[value] = summary->minimum[value] = summary->maximum[value] = (double)NAN;
        summarise_value(readings, count, value, summary);
    }
    if (!count)
        return;
    summary->span_ns = readings[count - 1].at_ns - readings[0].at_ns;
    summary->median[SENSOR_ENERGY] = energy_between(&readings[0], &readings[count - 1]);
    summary->median[SENSOR_THROTTLE] = throttle_union(readings, count);
}
