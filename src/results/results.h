// SPDX-License-Identifier: MIT
// A run as data: what was measured, on which devices, by which program, and with which verdict.
// Strings and arrays of a run from a file live in the run's arena. results/json.h writes and reads
// runs as JSON. RUN_SCHEMA is the version of their schema, docs/run-schema.json.
#ifndef RESULTS_RESULTS_H
#define RESULTS_RESULTS_H

#include "base/arena.h"
#include "results/units.h"

#include <stdbool.h>
#include <stdint.h>

#define RUN_SCHEMA "fathom-run/1"

// Core clocks that differ by at most this share count as equal. Healthy cards of one model differ
// by up to two steps of 15 MHz, also under different loads: an H100 keeps 1980, 1995 or 2010 MHz.
// Two steps are 1.5 %; the value is a little larger.
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
    const char *help; // explanation of the metric, in one sentence
    // For a metric in core cycles, or per core cycle: name of the metric that measures the same
    // work in time. If it is a list such as "triangles,pixels", the result's first metric that is
    // in the list is used. NULL if there is no such metric.
    const char *cycles_of;
    // Name of the metric that contains this metric: the time of a kernel contains the time of the
    // host's call. The precision and the changes of this metric are judged relative to the
    // containing metric; if NULL, relative to this metric's own median.
    const char *part_of;
    // For a metric in op/s: condition (case_matches) for cases with floating-point operations, such
    // as "op=fp32-fma"; NULL if there are none. Run files have metric.floating instead.
    const char *floating;
    // True: the metric depends on the host's processors, unlike the benchmark's other metrics. Not
    // in run files.
    bool by_host;
};

// Role of a parameter. An AXIS is part of the case key. A METHOD is recorded, but is not in the
// key; results with different METHOD values are not compared. A DISPLAY is not recorded.
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
    // Values of the parameter in each preset, as --set takes them: "a,b,c", "A..B/n" (n values per
    // octave) or "A..B+s" (steps of s). Sizes may have a unit, such as 4GiB. "max" is the largest
    // value that the device allows. If `quick` or `full` is NULL, that preset uses `standard`.
    const char *quick, *standard, *full;
    enum param_role role;
    // Allowed words, such as "vector|scalar|shared" for a TEXT or "4|8|16" for a UINT. The word
    // FILE allows a JSON text, or the name of a JSON file (with a '/', or ".json" at its end). If
    // NULL, any text is allowed, and any number from `least` to `most`.
    const char *choices;
    const char *help; // explanation of the parameter, in one sentence

    // The members below are not in run files.
    const char *when; // cases that meet this condition have the parameter; NULL: all cases
    // smallest and largest value; if `most` is 0, no largest value, and of a REAL no smallest one
    uint64_t least, most;
    uint64_t multiple; // every value is a multiple of this number; 0 allows any value
    bool power_of_two;
    bool takes_max; // true: the word "max" is an allowed value
    // Value that a case leaves out; the case then lacks the parameter. NULL if no value is left
    // out.
    const char *unsaid;
    // Key that cases use instead of `key`: "bytes" for the parameter "message". NULL if they use
    // `key`.
    const char *said_as;
};

// Ways to draw the results of a benchmark in a report.
enum view_kind {
    VIEW_CURVE,
    VIEW_BARS,
    VIEW_HEATMAP,
    VIEW_TABLE,
    VIEW_TIMELINE,
    // Lines such as "Y X: 0.377ms 3.908x", only on terminals, instead of the benchmark's other
    // views. Here, `metric` is a list of metrics, and `scale` is a factor for times.
    VIEW_LINES
};

struct view_info {
    enum view_kind kind;
    const char *title;
    // Keys of the parameters of the two axes; `y` may be NULL. In a heat map, `y` gives the rows.
    const char *x, *y;
    const char *metric; // name of the metric that is drawn
    // List of parameters, such as "path,order". Each combination of their values is one series.
    const char *group;
    const char *scale; // scale of the x axis, then of the y axis: "log2", "log2-log10", "linear"
    const char *where; // condition for cases to draw, such as "scope=device"; NULL draws all cases
    // List of sensors, such as "core_clock,power"; NULL if none. A VIEW_TABLE has a column for each
    // sensor; if no result has any of them, there is no table. On the HTML page, the reader of a
    // VIEW_CURVE can choose a sensor instead of the metric.
    const char *sensors;
};

// Kinds of headlines. A headline is a figure of a benchmark that readers want to see first.
enum headline_kind {
    // the best value of all cases: the lowest or the highest, as the metric's `better` says
    HEADLINE_BEST,
    // One figure for each level of memory. The parameter headline_info.by is the number of the
    // level (1 is nearest to the core) or, with the type BYTES, the size of the working set: the
    // levels are then the flat parts of the longest curve of latencies in ns.
    HEADLINE_LEVELS
};

// The sections of the card (analysis/card.h), in the order in which they are shown.
enum card_section {
    CARD_NONE, // the card does not show the headline
    CARD_LATENCY,
    CARD_BANDWIDTH,
    CARD_ARITHMETIC,
    CARD_HOST
};

// Levels of memory on the card. L1 is the cache nearest to the core, L2 the next cache, and DRAM
// the memory behind all caches.
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
    // Condition (case_matches) for cases that may give the figure; NULL means all cases.
    const char *where;
    // Key of the parameter that has the size of the working set, or the number of the level. Needed
    // for HEADLINE_LEVELS, and for HEADLINE_BEST with a `level` (below).
    const char *by;
    // For HEADLINE_BEST: the level of memory that the figure describes. Only these cases count: for
    // a cache, the largest measured working set that fills at most half of it; for memory, every
    // set much larger than the caches; for CARD_LEVEL_ANY, all.
    enum card_level level;

    // Section of the card that shows the figure. A row has the headlines with the same `row`, also
    // of several benchmarks. If their `name` is also the same, they are one figure: the better
    // value. Rows have the order of the declarations. HEADLINE_LEVELS makes one row per level.
    enum card_section section;
    // Label of the row, such as "DRAM". For HEADLINE_LEVELS: text after the name of the level, such
    // as "latency".
    const char *row;
    const char *name; // name of the figure in a row with several figures, such as "read"; else NULL
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
    // True if the benchmark measures a distribution. Then the spread of its first metric's samples
    // is a result, not a lack of precision (measure/rounds.h). Not in run files.
    bool distribution;
};

// In the initializer of a struct benchmark_info, BENCHMARK_TABLE(view, views) sets the member
// `views` to the array `views`, and `view_count` to its number of elements.
#define BENCHMARK_TABLE(member, array) .member##s = (array), .member##_count = COUNT(array)

// These functions return the parameter or metric with this name that the benchmark declares. They
// return NULL if there is none, or if an argument is NULL.
const struct param_info *benchmark_param(const struct benchmark_info *info, const char *key);
const struct metric_info *benchmark_metric(const struct benchmark_info *info, const char *name);

// Returns the name of the metric in core cycles that measures the same work as the metric `name` in
// time (metric_info.cycles_of). Returns "" if there is none, or if `info` is NULL.
const char *benchmark_cycles(const struct benchmark_info *info, const char *name);

// ---------------------------------------------------------------- a case and its result

struct case_value {
    const char *key;
    enum param_type type;
    enum param_role role;
    uint64_t uint;    // value of a parameter of type UINT or BYTES
    double real;      // value of a parameter of type REAL
    const char *text; // value of a parameter of type TEXT
    // Index of the value in the list param_info.choices. The index is 0 if the list lacks the
    // value, or if the value comes from a run file.
    unsigned choice;
};

// Returns an empty value of the parameter: the number is 0, the text NULL.
struct case_value case_value_of(const struct param_info *param);

// Sets the text of a value, which is not copied, and its choice. A text that begins with '{', or is
// the name of a JSON file, is the choice FILE. If the parameter has choices and the text is none of
// them, sets choice 0 and returns false.
bool case_value_set_text(struct case_value *value, const struct param_info *param,
                         const char *text);

// True if two values of the same type are equal. A NaN counts as equal to every number.
bool case_value_equal(const struct case_value *a, const struct case_value *b);

// True if the value, written as in a case key ("32768", "0.5", "vector"), is one of the words in
// `text`, such as "stride|banks".
bool case_value_says(const struct case_value *value, const char *text);

// One case of a benchmark: a value for each of its parameters.
struct bench_case {
    struct case_value *values;
    size_t value_count;
};

// Returns the value of the parameter with this key; NULL if the case does not have the parameter.
const struct case_value *case_find(const struct bench_case *c, const char *key);

// True if the case has a parameter with this key and this text. False if the parameter is a number.
bool case_says(const struct bench_case *c, const char *key, const char *text);

// True if the case meets all conditions, which are separated by commas. "pattern=stride|banks": the
// key has one of these values. "mode!=single": the case has another value, or lacks the key. Every
// case meets NULL and "".
bool case_matches(const struct bench_case *c, const char *conditions);

// Returns the index of the key's value among the parameter's choices (case_value.choice). Returns 0
// if the case lacks the key.
unsigned case_choice(const struct bench_case *c, const char *key);

// These functions return the number or text of a key. If the case lacks the key, the process ends,
// because this is a programming error.
uint64_t case_uint(const struct bench_case *c, const char *key);
double case_real(const struct bench_case *c, const char *key);
const char *case_text(const struct bench_case *c, const char *key);

// Returns the case key: the benchmark's name, then each parameter of role AXIS with its value, in
// the order of the case: "latency/path=vector/bytes=32768".
const char *case_key(struct arena *arena, const char *benchmark, const struct bench_case *c);

enum verdict {
    VERDICT_OK,
    VERDICT_SUSPECT,
    VERDICT_SKIPPED,
    VERDICT_FAILED
};

const char *verdict_name(enum verdict verdict); // returns the word of a verdict, such as "ok"

struct reason {
    // Code of the reason, such as "correlated"; it is the same in all versions of fathom.
    const char *code;
    const char *text; // the reason as one sentence for people
};

struct metric {
    const char *name;
    enum unit unit;
    enum better better;
    // the median and its 95 % interval, from ci95[0] to ci95[1]; not finite if not known
    double median, ci95[2];
    // true: the median and its interval are lower bounds, because some samples were cut off
    bool at_least;
    size_t n;              // number of samples, or of other values, that gave the median
    double limit;          // physical limit of the metric; not finite or 0 if it is not known
    double *round_medians; // median of each round; the interval is computed from them
    size_t round_count;
    bool floating; // true: the metric is a rate in op/s, and its operations are floating-point
};

// Returns the unit for screens: FLOP/s for floating-point operations per second, else metric->unit.
enum unit metric_unit_shown(const struct metric *metric);

// Returns the ratio by which `value` is better than `other`: other ÷ value if lower is better, else
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

// A hardware counter of a case, per unit of the case's work. `counted` is what the hardware
// counted; `claimed` is what the benchmark computes for the same work.
struct counter {
    // Name of the counter, such as "dram_read". The name of a vendor's own counter begins with
    // "native:".
    const char *name;
    enum unit unit;
    double counted, claimed; // `claimed` is not finite if the benchmark computes no value
    double units;            // number of units of work; the hardware's count was divided by it
    // Number of passes that the profiler needed to read all counters of the case; 0 if not known.
    unsigned passes;
};

struct kernel_info {
    const char *hash; // hash of the kernel; NULL if the case used no kernel
    const char *source;
    // numbers from the driver; not finite if the driver does not report them
    double registers, spill_bytes, loads;
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
    // Texts that explain how the case was measured, such as "shape" = "grid 20000 × 1024".
    struct named_text *details;
    size_t detail_count;
    struct named_number *sensors; // sensor values during the measurement, such as "core_clock"
    size_t sensor_count;
    struct series *series;
    size_t series_count;
    // Hardware counters of the case. They were read in an additional visit, whose times are not
    // used.
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
    const char *device; // id of the device that the finding is about; NULL means the whole run
    const char *name;   // what the number `value` describes, such as "near L2"; NULL if not given
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

// Returns a new empty run, which owns an arena. run_destroy accepts NULL.
struct run *run_create(void);
void run_destroy(struct run *run);

// These functions add an empty element to the run and return it. A result never moves in memory.
// Adding another device may move a device.
struct result *run_add_result(struct run *run);
struct run_device *run_add_device(struct run *run);

// Returns the device's limit with this name, for example "memory_bytes"; NaN if it is not known.
double run_device_limit(const struct run_device *device, const char *name);
// Adds an empty finding to the run and returns it. Adding another finding may move it in memory.
struct finding *run_add_finding(struct run *run);
// Adds a finding without a value and keys. If `device` is NULL, the finding is about the whole run.
void run_add_note(struct run *run, const char *code, const char *device, const char *text);
// Adds a finding about the device of `first`. Its text is "DEVICE: TEXT", and `format` makes TEXT.
// The text also says if a result is disturbed. Its keys are theirs; `second` may be NULL.
void run_add_conclusion(struct run *run, const char *code, double value, const struct result *first,
                        const struct result *second, const char *format, ...) PRINTF_LIKE(6, 7);
void run_add_benchmark(struct run *run, const struct benchmark_info *info);

// Completes a run that an earlier version of fathom wrote. `ok` results become suspect (reason
// `refuted`) if they were refuted later. Benchmarks get the declarations that the file lacks:
// - cycles_of: without it, `compare` counts a figure in time and in cycles as two figures
// - part_of: without it, `compare` reports a few nanoseconds of a host's call as a change
// - HEADLINE_LEVELS, if `latency` or `map` has no headline: `report` needs it to find the levels
void run_declare_missing(struct run *run);

// Returns the run's device with this id; NULL if the run has none, or if `id` is NULL.
const struct run_device *run_find_device(const struct run *run, const char *id);

// Returns the last result with this key on this device; NULL if the run has none.
const struct result *run_find(const struct run *run, const char *device, const char *key);
const struct benchmark_info *run_benchmark(const struct run *run, const char *name);

// Number of results with each verdict (`of`), of measured results (result_measured), and of all.
struct run_counts {
    size_t of[VERDICT_FAILED + 1], measured, all;
};

// Counts the results of a device and a benchmark. NULL means all devices, or all benchmarks.
struct run_counts run_count(const struct run *run, const char *device, const char *benchmark);

// These functions return the metric, the series or the detail's text with this name; NULL if the
// result has none.
const struct metric *result_metric(const struct result *result, const char *name);
const struct series *result_series(const struct result *result, const char *name);
const char *result_detail(const struct result *result, const char *name);

// Returns the sensor value with this name; NULL if the result has none.
const struct named_number *result_sensor(const struct result *result, const char *name);

// Returns the median of a metric; NaN if the result has no such metric.
double result_median(const struct result *result, const char *metric);

// Sets metric.floating of each metric to true if the case meets its metric_info.floating.
void result_mark_floating(const struct benchmark_info *info, struct result *result);

// True if the case was measured: the verdict is ok or suspect.
bool result_measured(const struct result *result);

// True if the result was measured (result_measured) and belongs to this benchmark and device.
bool result_is_of(const struct result *result, const char *benchmark, const char *device);

// Returns the text of the case's parameter `key`; "" if the case has no such parameter, or if it is
// a number.
const char *result_value(const struct result *result, const char *key);

// Returns the result's first reason with this code; NULL if it has none.
const struct reason *result_reason(const struct result *result, const char *code);

// True if the result is suspect because of other work on its device (REASON_SHARED_DEVICE).
bool result_disturbed(const struct result *result);

// Adds a reason to a result, unless it already has one with the same code and text. If `verdict` is
// worse than the result's (ok, suspect, skipped, failed), sets it, and puts the reason first.
void result_flag(struct arena *arena, struct result *result, enum verdict verdict, const char *code,
                 const char *format, ...) PRINTF_LIKE(5, 6);

#endif
