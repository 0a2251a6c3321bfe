// SPDX-License-Identifier: MIT
// A run as data: what was measured, on which devices, by which program, and with which verdict. All
// strings and arrays live in the run's arena. results/json.h writes and reads runs as JSON.
// RUN_SCHEMA is the version of the file's schema, docs/run-schema.json.
#ifndef RESULTS_RESULTS_H
#define RESULTS_RESULTS_H

#include "base/arena.h"
#include "results/units.h"

#include <stdbool.h>
#include <stdint.h>

#define RUN_SCHEMA "fathom-run/1"

// ---------------------------------------------------------------- what a benchmark declares

enum better {
    BETTER_NONE,
    BETTER_LOWER,
    BETTER_HIGHER
};

struct metric_info {
    const char *name; // "latency"
    enum unit unit;
    enum better better;
    const char *help; // one sentence
    // If this metric is in core cycles: the name of the metric that measures the same work in time,
    // as "latency". A list as "triangles,pixels" names the first of its metrics that the result
    // has. NULL: no metric measures the same work in time.
    const char *cycles_of;
    // The name of a metric in the same unit that contains this one, as the time of a kernel
    // contains that of the host's call. How precise this one is counts relative to it. Not in run
    // files.
    const char *part_of;
    // For metrics in op/s: the cases (case_matches) whose operations are floating-point, as
    // "op=fp32-fma". NULL: no case. It is not in run files, where each metric of a result has its
    // own mark.
    const char *floating;
};

// AXIS: part of the case key. METHOD: recorded beside it; must be equal in results that are
// compared. DISPLAY: not recorded.
enum param_role {
    PARAM_AXIS,
    PARAM_METHOD,
    PARAM_DISPLAY
};
enum param_type {
    PARAM_UINT,
    PARAM_BYTES,
    PARAM_REAL,
    PARAM_TEXT
};

struct param_info {
    const char *key; // "bytes"
    enum param_type type;
    enum unit unit;
    // Values in each preset, in the grammar of --set: "a,b,c", "A..B/n" (n values per octave) or
    // "A..B+s" (steps of s); bytes as 1KiB, 4GiB; the word max = the most that the device allows.
    // NULL = same as `standard`.
    const char *quick, *standard, *full;
    enum param_role role;
    // Allowed values: "vector|scalar|shared" for TEXT, "4|8|16" for UINT; FILE stands for the name
    // of a JSON file, or for its text. NULL = all values.
    const char *choices;
    const char *help; // one sentence

    // Bounds of the values, and the cases that have the parameter (bench_plan_product). Not in run
    // files.
    const char *when;     // condition (case_matches) of cases that have the parameter; NULL = all
    uint64_t least, most; // bounds of UINT and BYTES; most 0 = no upper bound
    uint64_t multiple;    // values are multiples of this; 0 = any value
    bool power_of_two;
    bool takes_max;      // the word max is allowed as a value: the most that the device allows
    const char *unsaid;  // a case with this value leaves the parameter out
    const char *said_as; // another key in cases: the parameter "message" stands there as "bytes"
};

// How a report draws the results of a benchmark. Reports contain no code for single benchmarks.
enum view_kind {
    VIEW_CURVE,
    VIEW_BARS,
    VIEW_HEATMAP,
    VIEW_TABLE,
    VIEW_TIMELINE,
    // Lines like "Y X: 0.377ms 3.908x", only on terminals, never in files. `metric` is a list of
    // metrics; times are multiplied by `scale`. If such a view shows any case, the benchmark's
    // other views are not shown.
    VIEW_LINES
};

struct view_info {
    enum view_kind kind;
    const char *title;
    const char *x, *y;  // keys of parameters (y: rows of a heat map, else NULL)
    const char *metric; // the metric that is drawn
    const char *group;  // one series for each value of these parameters: "path,order"
    const char *scale;  // scale of x, then of y: "log2", "log2-log10", "linear"
    const char *where;  // only cases that meet this condition: "scope=device"; NULL = all cases
    // VIEW_TABLE: sensors that get a column each; without any of them the table is not shown.
    // VIEW_CURVE: the page can draw them in place of the metric. "core_clock,power"; NULL = none
    const char *sensors;
};

// The figures of a benchmark that a reader wants to see first.
enum headline_kind {
    HEADLINE_BEST, // the best of the cases, by the metric's `better`
    // One figure for each level of memory. `by` names a parameter. If its type is BYTES, the cases
    // are curves over the size of a working set, and the metric is in ns: the levels are the flat
    // parts of the longest curve. Otherwise the parameter is the level's number; level 1 is the
    // nearest to the core.
    HEADLINE_LEVELS
};

// The parts of the card (analysis/card.h), in their order.
enum card_section {
    CARD_NONE, // the headline is not on the card
    CARD_LATENCY,
    CARD_BANDWIDTH,
    CARD_ARITHMETIC,
    CARD_HOST
};

// The levels of memory that the card names: the one that is nearest to the core, the next, and the
// memory behind all caches.
enum card_level {
    CARD_LEVEL_ANY,
    CARD_LEVEL_L1,
    CARD_LEVEL_L2,
    CARD_LEVEL_DRAM
};

struct headline_info {
    enum headline_kind kind;
    const char *title; // "FP32 peak"
    const char *metric;
    const char *where; // only cases that meet this condition (case_matches); NULL = all cases
    const char *by;    // HEADLINE_LEVELS, and where `level` is given: key of a parameter
    // HEADLINE_BEST: only cases whose `by`, the size of a working set, fits this level of memory.
    enum card_level level;

    // The figure's place on the card. Headlines with the same row share it; those with the same
    // name as well, perhaps of two benchmarks, are one figure: the better one is shown. Rows stand
    // in the order of the declarations. Of HEADLINE_LEVELS each level has a row.
    enum card_section section;
    const char *row;  // "DRAM"; HEADLINE_LEVELS: what follows the level's name, "latency"
    const char *name; // the figure's name in a row of two: "read"; NULL: the row has one figure
};

struct benchmark_info {
    const char *name; // "latency"
    unsigned version; // rises if kernel or method change; different versions are not compared
    const char *title;
    const struct param_info *params;
    size_t param_count;
    const struct metric_info *metrics;
    size_t metric_count;
    const struct view_info *views;
    size_t view_count;
    const struct headline_info *headlines;
    size_t headline_count;
    // The first metric is a distribution: its width is the result of the measurement, not a lack of
    // precision (measure/collect.h).
    bool distribution;
};

// Sets one of the tables above and its count, as in `BENCHMARK_TABLE(view, views)`.
#define BENCHMARK_TABLE(member, array) .member##s = (array), .member##_count = COUNT(array)

// The parameter or metric that the benchmark declares by that name; NULL if there is none, or if
// `info` or the name is NULL.
const struct param_info *benchmark_param(const struct benchmark_info *info, const char *key);
const struct metric_info *benchmark_metric(const struct benchmark_info *info, const char *name);

// The name of the metric that counts core cycles where metric `name` measures time
// (metric_info.cycles_of); "" if there is none, or if `info` is NULL.
const char *benchmark_cycles(const struct benchmark_info *info, const char *name);

// ---------------------------------------------------------------- a case and its result

struct case_value {
    const char *key;
    enum param_type type;
    enum param_role role;
    uint64_t uint;    // UINT, BYTES
    double real;      // REAL
    const char *text; // TEXT
    unsigned choice;  // index among param_info.choices, or 0; always 0 if read from a run file
};

// A value of `param` whose number is 0 and whose text is NULL.
struct case_value case_value_of(const struct param_info *param);

// Sets the value's text (not copied) and its choice. Returns false, with choice 0, if `param` has
// choices and `text` is not one of them. A name of a JSON file, and a text that begins with '{',
// match the choice FILE.
bool case_value_set_text(struct case_value *value, const struct param_info *param,
                         const char *text);

// True if two values of the same type are equal.
bool case_value_equal(const struct case_value *a, const struct case_value *b);

// True if the value, as a case key spells it ("32768", "0.5", "vector"), is one of the words of
// `text`, which are separated by "|".
bool case_value_says(const struct case_value *value, const char *text);

// One case of a benchmark: the values of its parameters.
struct bench_case {
    struct case_value *values;
    size_t value_count;
};

// The value of a key; NULL if the case does not have the key.
const struct case_value *case_find(const struct bench_case *c, const char *key);

// True if the case has this text as the value of the key.
bool case_says(const struct bench_case *c, const char *key, const char *text);

// True if the case meets all conditions. "pattern=stride|banks,path=shared": each key has one of
// its listed values. "mode!=single": the key has another value, or the case does not have the key.
// NULL and "" are always met.
bool case_matches(const struct bench_case *c, const char *conditions);

// The index of the value among the choices of its parameter; 0 if the case has no such key.
unsigned case_choice(const struct bench_case *c, const char *key);

// The number or text of a key that the case must have. Without the key the process ends, because
// that is a programming error.
uint64_t case_uint(const struct bench_case *c, const char *key);
double case_real(const struct bench_case *c, const char *key);
const char *case_text(const struct bench_case *c, const char *key);

// "latency/path=vector/bytes=32768": the benchmark, then the values of role AXIS in their order.
const char *case_key(struct arena *arena, const char *benchmark, const struct bench_case *c);

enum verdict {
    VERDICT_OK,
    VERDICT_SUSPECT,
    VERDICT_SKIPPED,
    VERDICT_FAILED
};

const char *verdict_name(enum verdict verdict); // "ok"

struct reason {
    const char *code; // "correlated"; the same in all versions
    const char *text; // one sentence for people
};

struct metric {
    const char *name;
    enum unit unit;
    enum better better;
    double median, ci95[2]; // ci95: low and high end of the interval; non-finite = absent
    bool at_least;          // median and interval are lower bounds: samples were censored
    size_t n;               // number of samples
    double limit;           // physical limit; non-finite = not known
    double *round_medians;  // the medians of the rounds, from which the interval is computed
    size_t round_count;
    bool floating; // of a rate in op/s: the operations are floating-point
};

// The unit that screens show: FLOP/s for op/s of floating-point operations, else the metric's unit.
enum unit metric_unit_shown(const struct metric *metric);

// How many times better `value` is than `other`: other ÷ value where lower is better, else
// value ÷ other.
double better_ratio(enum better better, double value, double other);

// The share of its limit that `value` of this metric reaches, in the metric's own direction: limit
// ÷ value where lower is better, else value ÷ limit. 1 is at the limit, above 1 is better than the
// limit. NaN if the limit is not known.
double metric_share(const struct metric *metric, double value);

struct named_text {
    const char *name, *text;
};

struct named_number {
    const char *name;
    enum unit unit;
    double value;
};

struct series {
    const char *name;
    const char **columns;
    size_t column_count;
    double *data; // all rows in order, column_count numbers each
    size_t row_count;
};

// What a hardware counter says of one unit of a case's work, beside what its benchmark claims of
// it.
struct counter {
    const char *name; // "dram_read", or "native:" and the vendor's name
    enum unit unit;
    double counted, claimed; // claimed: non-finite = no claim
    double units;            // number of units of work from which `counted` was derived
};

struct kernel_info {
    const char *hash; // NULL: no kernel was involved
    const char *source;
    double registers, spill_bytes, loads; // non-finite = the driver does not report it
};

struct result {
    const char *key;
    const char *benchmark;
    unsigned version;
    const char *device;
    struct bench_case bench_case;
    enum verdict verdict;
    struct reason *reasons;
    size_t reason_count;
    struct metric *metrics;
    size_t metric_count;
    struct named_text *details; // how the case was measured: "shape" = "grid 20000 × 1024"
    size_t detail_count;
    struct named_number *sensors; // "core_clock" …
    size_t sensor_count;
    struct series *series;
    size_t series_count;
    struct counter *counters; // of a visit of its own, which gave no times
    size_t counter_count;
    struct kernel_info kernel;
};

// ---------------------------------------------------------------- the run

enum run_status {
    RUN_RUNNING,
    RUN_COMPLETE,
    RUN_INTERRUPTED
};

struct run_device {
    const char *id, *name, *vendor, *driver, *api_version, *kind;
    const char *uuid;         // 32 hex digits; NULL = not known
    const char *pci;          // "0000:1b:00.0"; NULL = not known
    const char *architecture; // "Hopper"; NULL = not known
    struct named_number *limits;
    size_t limit_count;
};

struct finding {
    const char *code, *text;
    const char *device; // id of the device that it concerns; NULL: the whole run
    const char *name;   // what its value is of: "near L2"; NULL = not said
    double value;       // non-finite = no value
    const char **keys;
    size_t key_count;
};

struct run {
    struct arena *arena;
    enum run_status status;
    const char *tool_version, *tool_commit, *tool_build;
    const char *started; // RFC 3339, UTC
    const char **command;
    size_t command_count;
    struct named_text *host; // os, cpu, …
    size_t host_count;
    const char *preset;
    uint64_t seed; // random seed of the order of visits, below 2^53; 0 = not known
    struct run_device *devices;
    size_t device_count, device_capacity;
    const struct benchmark_info **benchmarks;
    size_t benchmark_count, benchmark_capacity;
    struct result **results;
    size_t result_count, result_capacity;
    struct finding *findings;
    size_t finding_count, finding_capacity;
    struct check *checks; // results/check.h
    size_t check_count, check_capacity;
};

// A new empty run, with its own arena. run_destroy(NULL) is legal.
struct run *run_create(void);
void run_destroy(struct run *run);

// Add an empty element to the run and return it. A result keeps its address; a device or finding
// may move when the next one is added.
struct result *run_add_result(struct run *run);
struct run_device *run_add_device(struct run *run);
struct finding *run_add_finding(struct run *run);
// Adds a finding about the device of `first`. Its text is "DEVICE: TEXT", with TEXT made from
// `format`; its keys are those of `first` and, unless it is NULL, of `second`.
void run_add_conclusion(struct run *run, const char *code, double value, const struct result *first,
                        const struct result *second, const char *format, ...) PRINTF_LIKE(6, 7);
void run_add_benchmark(struct run *run, const struct benchmark_info *info);

// Completes the declarations of a run that an earlier fathom wrote: finds benchmarks and metrics by
// name and adds cycles_of and headlines of levels where they are missing. Without them, `compare`
// would count a figure in time and its counterpart in cycles as two, and `report` would find no
// levels of memory.
void run_declare_missing(struct run *run);

// The last result with that key on that device; NULL if the run has none.
const struct result *run_find(const struct run *run, const char *device, const char *key);
const struct benchmark_info *run_benchmark(const struct run *run, const char *name);

// The numbers of results: by verdict, and of those that are measured (result_measured).
struct run_counts {
    size_t of[VERDICT_FAILED + 1], measured, all;
};

// Counts the results of a device and a benchmark; NULL: of all.
struct run_counts run_count(const struct run *run, const char *device, const char *benchmark);

// The metric, the series, or the text of the detail with that name; NULL if the result has none.
const struct metric *result_metric(const struct result *result, const char *name);
const struct series *result_series(const struct result *result, const char *name);
const char *result_detail(const struct result *result, const char *name);

// The value of a sensor; NULL if the result has none of that name.
const struct named_number *result_sensor(const struct result *result, const char *name);

// The median of a metric; NaN if the result has no such metric.
double result_median(const struct result *result, const char *metric);

// Sets `floating` of the result's metrics, as its benchmark declares it (metric_info.floating).
void result_mark_floating(const struct benchmark_info *info, struct result *result);

// True if the case was measured: the verdict is ok or suspect.
bool result_measured(const struct result *result);

// True if the result is measured (result_measured), of this benchmark and of this device.
bool result_is_of(const struct result *result, const char *benchmark, const char *device);

// Adds a reason, unless the result has it with the same text, and makes the verdict worse if
// `verdict` is worse than the result's (from good to bad: ok, suspect, skipped, failed).
void result_flag(struct arena *arena, struct result *result, enum verdict verdict, const char *code,
                 const char *format, ...) PRINTF_LIKE(5, 6);

#endif
