// SPDX-License-Identifier: MIT
// A run as data: what was measured, on which devices, by which program, and with which verdict. The
// strings and arrays of a run that was read from a file live in the run's arena. results/json.h
// writes and reads runs as JSON. RUN_SCHEMA is the version of the file's schema,
// docs/run-schema.json.
#ifndef RESULTS_RESULTS_H
#define RESULTS_RESULTS_H

#include "base/arena.h"
#include "results/units.h"

#include <stdbool.h>
#include <stdint.h>

#define RUN_SCHEMA "fathom-run/1"

// Largest relative difference between the core clocks of healthy cards of one model, or between the
// core clocks of one card under different loads. An H100 keeps 1980, 1995 or 2010 MHz, depending on
// load and temperature. The largest difference is two steps of 15 MHz, which are 1.5 %.
#define RESULTS_CLOCK_STEPS 0.0175

// ---------------------------------------------------------------- what a benchmark declares

enum better {
    BETTER_NONE,
    BETTER_LOWER,
    BETTER_HIGHER
};

struct metric_info {
    const char *name; // name of the metric, such as "latency"
    enum unit unit;
    enum better better;
    const char *help; // help text: one sentence
    // For a metric in core cycles: name of the metric that measures the same work in time, such as
    // "latency". In a list such as "triangles,pixels", the first metric that the result has counts.
    // NULL if no metric measures the same work in time.
    const char *cycles_of;
    // Name of the metric of which this metric is a part; both have the same unit. For example, the
    // time of the host's call is a part of the time of a kernel. The precision and the changes of
    // the part are then judged relative to the whole. NULL if this metric is judged relative to its
    // own median.
    const char *part_of;
    // For a metric in op/s: a condition (case_matches) for cases whose operations are
    // floating-point operations, such as "op=fp32-fma". NULL if there is no such case. Run files do
    // not have this member; they have metric.floating instead.
    const char *floating;
    // True: the metric depends on the host's processors, although the benchmark's other metrics do
    // not. Run files do not have this member.
    bool by_host;
};

// The role of a parameter. The value of an AXIS is part of the case key. The value of a METHOD is
// not in the key but is recorded; results with different values are not compared. The value of a
// DISPLAY is not recorded.
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
    const char *key; // key of the parameter, such as "bytes"
    enum param_type type;
    enum unit unit;
    // The values in each preset, in the grammar of --set: "a,b,c", "A..B/n" (n values per octave)
    // or "A..B+s" (steps of s). Sizes are written like 1KiB or 4GiB. The word "max" means the
    // largest value that the device allows. If a preset is NULL, it has the values of `standard`.
    const char *quick, *standard, *full;
    enum param_role role;
    // Words that are allowed, such as "vector|scalar|shared" for a TEXT or "4|8|16" for a UINT. The
    // word FILE stands for the name of a JSON file (it has a '/' or ends with ".json"), or for a
    // JSON text. If `choices` is NULL, any word is allowed; numbers have the limits below.
    const char *choices;
    const char *help; // help text: one sentence

    // The members below this comment are not in run files. These members say which values are
    // allowed and which cases have the parameter.
    const char *when; // condition under which a case has the parameter; if NULL, every case has it
    uint64_t least, most; // minimum and maximum of a UINT or BYTES; no maximum if `most` is 0
    uint64_t multiple;    // every value must be a multiple of this; 0 if there is no such condition
    bool power_of_two;
    bool takes_max; // true: the word "max" is an allowed value
    // A parameter with this value is left out of the case. NULL if there is no such value.
    const char *unsaid;
    // Key that the parameter has in cases, if it is not `key`: the parameter "message" may have the
    // key "bytes". Else NULL.
    const char *said_as;
};

// The ways in which a report can draw the results of a benchmark. Except for report/map_console.c,
// reports have no code for particular benchmarks.
enum view_kind {
    VIEW_CURVE,
    VIEW_BARS,
    VIEW_HEATMAP,
    VIEW_TABLE,
    VIEW_TIMELINE,
    // Lines like "Y X: 0.377ms 3.908x", only on terminals, never in files. view_info.metric is a
    // list of metrics, and times are multiplied by view_info.scale. If such a view shows a case, it
    // replaces the benchmark's other views.
    VIEW_LINES
};

struct view_info {
    enum view_kind kind;
    const char *title;
    // Keys of two parameters. `y` may be NULL. In a heat map, the values of `y` are the rows.
    const char *x, *y;
    const char *metric; // name of the metric that is drawn
    // List of parameters: "path,order". Each combination of their values is one series.
    const char *group;
    const char *scale; // scale of x, then of y: "log2", "log2-log10", "linear"
    const char *where; // condition for cases that are drawn: "scope=device"; NULL draws all cases
    // List of sensors, such as "core_clock,power"; NULL if no sensor is drawn. In a VIEW_TABLE each
    // sensor gets a column, and the table is not drawn if no result has any of the sensors. In a
    // VIEW_CURVE the HTML page can draw a sensor instead of the metric.
    const char *sensors;
};

// Kinds of headlines. A headline is a figure of a benchmark that readers want to see first.
enum headline_kind {
    HEADLINE_BEST, // the best value among all cases, by the metric's `better`
    // One figure for each level of memory. headline_info.by names a parameter. If the parameter has
    // the type BYTES, it is the size of the working set: the cases are points of curves in ns, and
    // the levels are the flat parts of the longest curve. Otherwise the parameter is the number of
    // the level, and level 1 is nearest to the core.
    HEADLINE_LEVELS
};

// The sections of the card (analysis/card.h) in which headlines are shown, in their order.
enum card_section {
    CARD_NONE, // the headline is not on the card
    CARD_LATENCY,
    CARD_BANDWIDTH,
    CARD_ARITHMETIC,
    CARD_HOST
};

// The levels of memory that the card shows: the cache nearest to the core, the next cache, and the
// memory behind all caches.
enum card_level {
    CARD_LEVEL_ANY,
    CARD_LEVEL_L1,
    CARD_LEVEL_L2,
    CARD_LEVEL_DRAM
};

struct headline_info {
    enum headline_kind kind;
    const char *title; // title of the headline, such as "FP32 peak"
    const char *metric;
    // Condition for cases from which the headline is taken (case_matches); NULL means all cases.
    const char *where;
    // Key of the parameter that gives the size of the working set, or the number of the level.
    // Needed for HEADLINE_LEVELS, and for HEADLINE_BEST if `level` (below) is set.
    const char *by;
    // For HEADLINE_BEST: a level of memory. Only cases whose working set shows this level give the
    // figure: for a cache, the largest measured set of at most half of the cache; for memory, all
    // sets that are much larger than the caches. CARD_LEVEL_ANY: all cases. The parameter that `by`
    // names is the size of the working set.
    enum card_level level;

    // Place of the figure on the card. Headlines with the same `row`, of one or more benchmarks,
    // are in one row. If the `name` is the same, too, they are one figure, which shows the better
    // value. Rows have the order of the declarations. HEADLINE_LEVELS makes one row per level.
    enum card_section section;
    // Label of the row, such as "DRAM". For HEADLINE_LEVELS the text that follows the name of the
    // level, such as "latency".
    const char *row;
    const char *name; // name of the figure, "read", if the row has several figures; else NULL
};

struct benchmark_info {
    const char *name; // name of the benchmark, such as "latency"
    // Number that increases when a kernel or the method changes. Results of different versions are
    // not compared.
    unsigned version;
    const char *title;
    const struct param_info *params;
    size_t param_count;
    const struct metric_info *metrics;
    size_t metric_count;
    const struct view_info *views;
    size_t view_count;
    const struct headline_info *headlines;
    size_t headline_count;
    // True if the benchmark measures a distribution: the spread of the samples of its first metric
    // is then a result, not a lack of precision (measure/rounds.h).
    bool distribution;
};

// BENCHMARK_TABLE(view, views) initializes the members `views` and `view_count` of a struct
// benchmark_info with the array `views` and its number of elements.
#define BENCHMARK_TABLE(member, array) .member##s = (array), .member##_count = COUNT(array)

// These functions return the parameter or metric that the benchmark declares under that name. They
// return NULL if there is none, or if `info` or the name is NULL.
const struct param_info *benchmark_param(const struct benchmark_info *info, const char *key);
const struct metric_info *benchmark_metric(const struct benchmark_info *info, const char *name);

// Returns the name of the metric that measures the same work in core cycles as the metric `name`
// measures in time (metric_info.cycles_of). Returns "" if there is none, or if `info` is NULL.
const char *benchmark_cycles(const struct benchmark_info *info, const char *name);

// ---------------------------------------------------------------- a case and its result

struct case_value {
    const char *key;
    enum param_type type;
    enum param_role role;
    uint64_t uint;    // value of a parameter of type UINT or BYTES
    double real;      // value of a parameter of type REAL
    const char *text; // value of a parameter of type TEXT
    // Index of the value among param_info.choices; 0 if it is not among them, or if the value was
    // read from a run file.
    unsigned choice;
};

// Returns an empty value of the parameter: the number is 0, the text NULL.
struct case_value case_value_of(const struct param_info *param);

// Sets the text of a value (not copied) and its choice. If the parameter has choices and the text
// is none of them, sets choice 0 and returns false. The name of a JSON file, or a text that begins
// with '{', is the choice FILE.
bool case_value_set_text(struct case_value *value, const struct param_info *param,
                         const char *text);

// True if two values of the same type are equal. A NaN counts as equal to every number.
bool case_value_equal(const struct case_value *a, const struct case_value *b);

// True if `text`, a list of words such as "stride|banks", contains the value as a word. The value
// is written as in a case key ("32768", "0.5", "vector").
bool case_value_says(const struct case_value *value, const char *text);

// One case of a benchmark: a value for each of its parameters.
struct bench_case {
    struct case_value *values;
    size_t value_count;
};

// Returns the value of the parameter with this key; NULL if the case does not have the parameter.
const struct case_value *case_find(const struct bench_case *c, const char *key);

// True if the case has a parameter with this key and the parameter's value is this text.
bool case_says(const struct bench_case *c, const char *key, const char *text);

// True if the case meets all conditions. In "pattern=stride|banks,path=shared", each key must have
// one of its listed values. In "mode!=single", the key must have another value, or the case must
// lack the key. NULL and "" are no conditions.
bool case_matches(const struct bench_case *c, const char *conditions);

// Returns the index of the key's value among the choices of the parameter (case_value.choice).
// Returns 0 if the case does not have the key.
unsigned case_choice(const struct bench_case *c, const char *key);

// These functions return the number or text of a key that the case must have. If the case lacks the
// key, the process ends: this is a programming error.
uint64_t case_uint(const struct bench_case *c, const char *key);
double case_real(const struct bench_case *c, const char *key);
const char *case_text(const struct bench_case *c, const char *key);

// Returns the case key: the name of the benchmark, then the parameters of role AXIS with their
// values, in the order of the case: "latency/path=vector/bytes=32768".
const char *case_key(struct arena *arena, const char *benchmark, const struct bench_case *c);

enum verdict {
    VERDICT_OK,
    VERDICT_SUSPECT,
    VERDICT_SKIPPED,
    VERDICT_FAILED
};

const char *verdict_name(enum verdict verdict); // returns the word of a verdict, such as "ok"

struct reason {
    // Code of the reason, such as "correlated". Versions of fathom never change a code.
    const char *code;
    const char *text; // the reason as one sentence for people
};

struct metric {
    const char *name;
    enum unit unit;
    enum better better;
    // `ci95` has the low and the high end of the 95 % interval of the median. Both are not finite
    // if the interval is not known.
    double median, ci95[2];
    // True: the median and its interval are only lower bounds, because some samples were cut off
    // (censored).
    bool at_least;
    size_t n;              // number of samples
    double limit;          // physical limit of the metric; not finite or 0 if it is not known
    double *round_medians; // medians of the single rounds, from which the interval was computed
    size_t round_count;
    bool floating; // true: a rate in op/s that counts floating-point operations
};

// Returns the unit for screens: FLOP/s for a metric in op/s that counts floating-point operations,
// else the unit of the metric.
enum unit metric_unit_shown(const struct metric *metric);

// Returns how many times better `value` is than `other`: other ÷ value if lower is better, else
// value ÷ other.
double better_ratio(enum better better, double value, double other);

// Returns the share of the metric's limit that `value` reaches: limit ÷ value if lower is better,
// else value ÷ limit. At the limit it is 1; above 1, the value is better than the limit. NaN if the
// limit is not known or 0.
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
    double *data; // all rows, one after the other; each row has column_count numbers
    size_t row_count;
};

// A hardware counter of a case. `counted` is what the hardware counted, and `claimed` is what the
// benchmark computes for the same work. Both are per unit of the case's work.
struct counter {
    // Name of the counter, such as "dram_read". The name of a vendor's own counter begins with
    // "native:".
    const char *name;
    enum unit unit;
    double counted, claimed; // `claimed` is not finite if the benchmark computes no value
    double units;            // number of units of work by which the hardware's count was divided
    // Number of passes in which all counters of the case were read; 0 if it is not known.
    unsigned passes;
};

struct kernel_info {
    const char *hash; // hash of the kernel; NULL if no kernel was used
    const char *source;
    double registers, spill_bytes, loads; // a value is not finite if the driver does not report it
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
    // Texts that explain how the case was measured: "shape" = "grid 20000 × 1024".
    struct named_text *details;
    size_t detail_count;
    struct named_number *sensors; // sensor values during the measurement, such as "core_clock"
    size_t sensor_count;
    struct series *series;
    size_t series_count;
    // Hardware counters, which are read in an additional round of measuring the case. The times of
    // that round are not used.
    struct counter *counters;
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
    const char *uuid;         // UUID as 32 hex digits; NULL if not known
    const char *pci;          // PCI address, "0000:1b:00.0"; NULL if not known
    const char *architecture; // name such as "Hopper"; NULL if not known
    struct named_number *limits;
    size_t limit_count;
};

struct finding {
    const char *code, *text;
    const char *device; // id of the device that the finding is about; if NULL, the whole run
    const char *name;   // name of what `value` describes, such as "near L2"; NULL if not given
    double value;       // value of the finding; not finite if the finding has no value
    const char **keys;
    size_t key_count;
};

struct run {
    struct arena *arena;
    enum run_status status;
    const char *tool_version, *tool_commit, *tool_build;
    const char *started; // start time of the run in UTC, in the form of RFC 3339
    const char **command;
    size_t command_count;
    struct named_text *host; // facts about the host, such as os and cpu
    size_t host_count;
    const char *preset;
    uint64_t seed; // seed of the random order in which cases are measured, below 2^53; 0 if unknown
    struct run_device *devices;
    size_t device_count, device_capacity;
    const struct benchmark_info **benchmarks;
    size_t benchmark_count, benchmark_capacity;
    struct result **results;
    size_t result_count, result_capacity;
    struct finding *findings;
    size_t finding_count, finding_capacity;
    struct check *checks; // checks of the devices (results/check.h)
    size_t check_count, check_capacity;
};

// Returns a new empty run with its own arena. run_destroy accepts NULL.
struct run *run_create(void);
void run_destroy(struct run *run);

// These functions add an empty element to the run and return the element. The address of a result
// never changes. A device may be moved when another device is added.
struct result *run_add_result(struct run *run);
struct run_device *run_add_device(struct run *run);

// Returns the device's limit with this name, for example "memory_bytes"; NaN if it is not known.
double run_device_limit(const struct run_device *device, const char *name);
// Adds an empty finding to the run and returns it. The finding may be moved when another finding is
// added.
struct finding *run_add_finding(struct run *run);
// Adds a finding without a value and keys. `device` is NULL if the finding is about the whole run.
void run_add_note(struct run *run, const char *code, const char *device, const char *text);
// Adds a finding about the device of the result `first`. The text of the finding is "DEVICE: TEXT",
// where TEXT is made from `format`. The finding has the key of `first` and, unless `second` is
// NULL, the key of `second`.
void run_add_conclusion(struct run *run, const char *code, double value, const struct result *first,
                        const struct result *second, const char *format, ...) PRINTF_LIKE(6, 7);
void run_add_benchmark(struct run *run, const struct benchmark_info *info);

// Completes a run that an earlier version of fathom wrote, by the names of benchmarks and metrics.
// Results that a later version has refuted become suspect (reason `refuted`). Also adds what is
// missing:
// - cycles_of. Without it, `compare` would count a figure in time and in cycles as two figures.
// - part_of. Without it, `compare` would count a few nanoseconds of a host's call as a change.
// - HEADLINE_LEVELS of `latency` and `map`, if they have no headlines. Without it, `report` would
//   find no levels of memory.
void run_declare_missing(struct run *run);

// Returns the run's device with this id; NULL if the run has none, or if `id` is NULL.
const struct run_device *run_find_device(const struct run *run, const char *id);

// Returns the last result with that key on that device; NULL if the run has none.
const struct result *run_find(const struct run *run, const char *device, const char *key);
const struct benchmark_info *run_benchmark(const struct run *run, const char *name);

// Numbers of results: of each verdict (`of`), of measured results (result_measured), and of all.
struct run_counts {
    size_t of[VERDICT_FAILED + 1], measured, all;
};

// Counts the results of a device and a benchmark. If `device` is NULL, counts those of all devices.
// If `benchmark` is NULL, counts those of all benchmarks.
struct run_counts run_count(const struct run *run, const char *device, const char *benchmark);

// These functions return the metric, the series, or the text of the detail with that name. They
// return NULL if the result has none.
const struct metric *result_metric(const struct result *result, const char *name);
const struct series *result_series(const struct result *result, const char *name);
const char *result_detail(const struct result *result, const char *name);

// Returns the sensor value that has this name; NULL if the result has none.
const struct named_number *result_sensor(const struct result *result, const char *name);

// Returns the median of a metric; NaN if the result has no such metric.
double result_median(const struct result *result, const char *metric);

// Sets metric.floating of the result's metrics according to what the benchmark declares
// (metric_info.floating).
void result_mark_floating(const struct benchmark_info *info, struct result *result);

// True if the case was measured: the verdict is ok or suspect.
bool result_measured(const struct result *result);

// True if the result was measured (result_measured) and belongs to this benchmark and device.
bool result_is_of(const struct result *result, const char *benchmark, const char *device);

// Returns the text that the result's case has for the parameter `key`; "" if it has none.
const char *result_value(const struct result *result, const char *key);

// Returns the result's first reason with this code; NULL if it has none.
const struct reason *result_reason(const struct result *result, const char *code);

// Adds a reason to a result, unless the result already has one with the same code and text. If
// `verdict` is worse than the result's verdict, it replaces that verdict (from good to bad: ok,
// suspect, skipped, failed).
void result_flag(struct arena *arena, struct result *result, enum verdict verdict, const char *code,
                 const char *format, ...) PRINTF_LIKE(5, 6);

#endif
