// SPDX-License-Identifier: MIT
// What a case has gathered so far: shared by collect.c (gathers, decides when to stop) and
// collect_result.c (judges), by nobody else.
#ifndef MEASURE_COLLECT_STATE_H
#define MEASURE_COLLECT_STATE_H

#include "math/stats.h"
#include "measure/collect.h"

struct collect_metric {
    double *medians; // of the rounds, in time order
    double *limits;  // what the rounds said
    size_t rounds, median_room, limits_said, limit_room;
    size_t samples;
    double step; // the largest
    double half; // as a visit knew it; counts where there is one round
    struct stats_serial within;
};

struct collect_reason {
    struct reason reason; // as it was put first
    unsigned rounds;
};

struct collect_sensor {
    const char *name;
    enum unit unit;
    double *values;
    size_t count, room;
};

struct collect_answer {
    double value;
    unsigned round;
};

// Of a distribution, all samples.
struct collect_kept {
    struct collect_answer *values;
    size_t count, room;
};

enum collect_state {
    COLLECT_GATHERING,
    COLLECT_PRECISE, // the goal was reached at a look
    COLLECT_SPENT,   // rounds or budget came to an end
    COLLECT_FAILED
};

struct collect {
    struct arena *arena;
    const struct benchmark_info *info;
    struct collect_rule rule;
    enum collect_state state;
    unsigned rounds;
    uint64_t device_time_ns;
    size_t dropped; // samples that were no numbers
    struct collect_metric metrics[MEASURE_METRICS_MAX];
    struct collect_kept kept;
    struct collect_reason *reasons;
    size_t reason_count, reason_room;
    struct named_text *details;
    size_t detail_count, detail_room;
    struct collect_sensor *sensors;
    size_t sensor_count, sensor_room;
    struct series *series; // the last visit's
    size_t series_count;
    struct kernel_info kernel;
    struct error error; // FAILED
};

// The first metric that has values, which rules when to stop; NULL: none has.
const struct collect_metric *collect_primary(const struct collect *collect);

// Median and interval of a metric as things stand, at the confidence that this look has.
struct interval collect_interval(const struct collect *collect, const struct collect_metric *metric,
                                 struct arena *scratch);

// Keeps samples of the first metric of a benchmark whose info says `distribution`.
void collect_keep(struct collect *collect, const double *values, size_t count);

// Judges such a metric in place of its precision and of likeness among neighbours.
void collect_judge_distribution(const struct collect *collect, struct arena *arena,
                                struct result *result);

#endif
