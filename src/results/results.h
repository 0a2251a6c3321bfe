// SPDX-License-Identifier: MIT
// A run as data: what was measured, on which devices, by which program, and with which verdict. All
// strings and arrays live in the run's arena. JSON in and out is results/json.h; the schema of the
// file stands in docs/run-schema.json beside its version here.
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
    // The metric of the same work in time, of which this one is the figure in core cycles:
    // "latency". "triangles,pixels": the first of them that the case has. NULL: this is no such
    // figure.
    const char *cycles_of;
};

// AXIS stands in the case key; METHOD is recorded and must agree for a comparison; DISPLAY is not
// recorded.
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
    // Values by preset, in the grammar of --set: "a,b,c" or "A..B/n" (n values an octave),
    // "A..B+s" (steps of s); bytes as 1KiB, 4GiB; `max` = what the device allows. NULL = same as
    // standard.
    const char *quick, *standard, *full;
    enum param_role role;
    // "vector|scalar|shared" of TEXT, "4|8|16" of UINT; FILE = the name of a JSON file; NULL = any.
    const char *choices;
    const char *help; // one sentence

    // Which values there are, and which cases have one (bench_plan_product). Not in run files.
    const char *when;     // only cases with these values (case_matches) have one; NULL = all
    uint64_t least, most; // of UINT and BYTES; most 0 = no upper bound
    uint64_t multiple;    // values are multiples of it; 0 = any
    bool power_of_two;
    bool takes_max;      // `max` is a value: what the device allows
    const char *unsaid;  // a case with this value does not mention it
    const char *said_as; // the parameter that a case names instead: "message" is said as "bytes"
};

// How a report draws results: it knows views, not benchmarks.
enum view_kind {
    VIEW_CURVE,
    VIEW_BARS,
    VIEW_HEATMAP,
    VIEW_TABLE,
    VIEW_TIMELINE,
    // On terminals, instead of all others of the benchmark where it shows any case; never in files.
    // "Y X: 0.377ms 3.908x": metric is a list, times are shown `scale` times over.
    VIEW_LINES
};

struct view_info {
    enum view_kind kind;
    const char *title;
    const char *x, *y;  // keys of params (y: heat map rows, else NULL)
    const char *metric; // what is drawn
    const char *group;  // one series for each value of these params: "path,order"
    const char *scale;  // "log2", "log2-log10", "linear": x, then y
    const char *where;  // only cases with these values: "scope=device"; NULL = all
};

// The figures of a benchmark that a reader wants first.
enum headline_kind {
    HEADLINE_BEST, // the best of the cases, by the metric's `better`
    // One figure for each level of memory. `by` names a parameter. If that is a number of bytes,
    // the cases are curves over a working set, and a metric in ns shows the levels: they are the
    // flat parts of the longest curve. Else it is the number of the level; 1 is the nearest to the
    // core.
    HEADLINE_LEVELS
};

struct headline_info {
    enum headline_kind kind;
    const char *title; // "FP32 peak"
    const char *metric;
    const char *where; // of which cases: see case_matches; NULL = all
    const char *by;    // LEVELS
};

struct benchmark_info {
    const char *name; // "latency"
    unsigned version; // rises when kernel or method change: other versions are not compared
    const char *title;
    const struct param_info *params;
    size_t param_count;
    const struct metric_info *metrics;
    size_t metric_count;
    const struct view_info *views;
    size_t view_count;
    const struct headline_info *headlines;
    size_t headline_count;
    // The first metric is a distribution and measured as one: its width is what was to be found,
    // not a lack of precision (measure/collect.h).
    bool distribution;
};

// The parameter or metric that the benchmark declares by that name; NULL if there is none, or if
// `info` or the name is NULL.
const struct param_info *benchmark_param(const struct benchmark_info *info, const char *key);
const struct metric_info *benchmark_metric(const struct benchmark_info *info, const char *name);

// ---------------------------------------------------------------- a case and its result

struct case_value {
    const char *key;
    enum param_type type;
    enum param_role role;
    uint64_t uint;    // UINT, BYTES
    double real;      // REAL
    const char *text; // TEXT
    unsigned choice;  // place among param_info.choices, or 0; not set in what a run file says
};

// A value of `param` whose number is 0 and whose text is NULL.
struct case_value case_value_of(const struct param_info *param);

// Sets the text and its choice. False if `param` has choices and `text` is not among them: the
// choice is 0 then. The name of a JSON file matches the choice FILE.
bool case_value_set_text(struct case_value *value, const struct param_info *param,
                         const char *text);

// True if both values are of the same type and equal.
bool case_value_equal(const struct case_value *a, const struct case_value *b);

// True if a case key spells the value as `text`: "32768", "0.5", "vector".
bool case_value_says(const struct case_value *value, const char *text);

// One case of a benchmark: a value for each of its parameters.
struct bench_case {
    struct case_value *values;
    size_t value_count;
};

// The value of a key; NULL where the case has none.
const struct case_value *case_find(const struct bench_case *c, const char *key);

// True where the case has this text for the key.
bool case_says(const struct bench_case *c, const char *key, const char *text);

// True if the case meets all conditions. "pattern=stride|banks,path=shared" asks for one of the
// values of each key; "mode!=single" for another value or none. NULL and "" are always met.
bool case_matches(const struct bench_case *c, const char *conditions);

// The index of the value among the choices of its parameter; 0 if the case has no such key.
unsigned case_choice(const struct bench_case *c, const char *key);

// As case_find, for keys that the case must have (aborts otherwise: a programming error).
uint64_t case_uint(const struct bench_case *c, const char *key);
double case_real(const struct bench_case *c, const char *key);
const char *case_text(const struct bench_case *c, const char *key);

// "latency/path=vector/bytes=32768": benchmark, then the AXIS values in order.
const char *case_key(struct arena *arena, const char *benchmark, const struct bench_case *c);

enum verdict {
    VERDICT_OK,
    VERDICT_SUSPECT,
    VERDICT_SKIPPED,
    VERDICT_FAILED
};

const char *verdict_name(enum verdict verdict); // "ok"

struct reason {
    const char *code; // "correlated": stable
    const char *text; // one sentence for people
};

struct metric {
    const char *name;
    enum unit unit;
    enum better better;
    double median, ci95[2]; // non-finite = absent
    size_t n;               // samples
    double limit;           // physical limit; non-finite = not known
    double *round_medians;  // what the interval was made from
    size_t round_count;
};

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
    double *data; // row after row
    size_t row_count;
};

struct kernel_info {
    const char *hash; // NULL: no kernel was involved
    const char *source;
    double registers, spill_bytes, loads; // non-finite = the driver does not say
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
    struct named_text *details; // how it was measured: "shape" = "grid 20000 × 1024"
    size_t detail_count;
    struct named_number *sensors; // "core_clock" …
    size_t sensor_count;
    struct series *series;
    size_t series_count;
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
    const char *uuid; // 32 hex digits; NULL = not known
    const char *pci;  // "0000:1b:00.0"; NULL = not known
    struct named_number *limits;
    size_t limit_count;
};

struct finding {
    const char *code, *text;
    const char *device; // whose results it is about; NULL: the whole run's
    double value;       // non-finite = none
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
    uint64_t seed; // of the order of visits, below 2^53; 0 = not known
    struct run_device *devices;
    size_t device_count, device_capacity;
    const struct benchmark_info **benchmarks;
    size_t benchmark_count, benchmark_capacity;
    struct result **results;
    size_t result_count, result_capacity;
    struct finding *findings;
    size_t finding_count, finding_capacity;
};

// A new empty run that owns an arena of its own; run_destroy(NULL) is legal.
struct run *run_create(void);
void run_destroy(struct run *run);

// The first three add an empty element to the run. A result keeps its address; a device or finding
// may move when the next one is added.
struct result *run_add_result(struct run *run);
struct run_device *run_add_device(struct run *run);
struct finding *run_add_finding(struct run *run);
// Adds a finding about the device of `first`. It gets the text "DEVICE: TEXT" and the keys of
// `first` and, unless it is NULL, of `second`.
void run_add_conclusion(struct run *run, const struct finding *conclusion,
                        const struct result *first, const struct result *second);
void run_add_benchmark(struct run *run, const struct benchmark_info *info);

// Adds what benchmarks declare today to those of a run that an earlier fathom wrote (cycles_of, the
// headlines of levels), by their names: without it, `compare` would count a figure in time and its
// counterpart in cycles as two, and `report` would find no levels of memory.
void run_declare_missing(struct run *run);

// The last result of that key on that device; NULL = none.
const struct result *run_find(const struct run *run, const char *device, const char *key);
const struct benchmark_info *run_benchmark(const struct run *run, const char *name);

// The metric, series or detail's text of that name; NULL if the result has none.
const struct metric *result_metric(const struct result *result, const char *name);
const struct series *result_series(const struct result *result, const char *name);
const char *result_detail(const struct result *result, const char *name);

// The median of a metric; NaN where the result has no such metric.
double result_median(const struct result *result, const char *metric);

// True if the case was measured: the verdict is ok or suspect.
bool result_measured(const struct result *result);

// True if this benchmark measured the case on this device.
bool result_is_of(const struct result *result, const char *benchmark, const char *device);

// Adds a reason and lowers the verdict to it (never raises: failed > skipped > suspect > ok).
void result_flag(struct arena *arena, struct result *result, enum verdict verdict, const char *code,
                 const char *format, ...) PRINTF_LIKE(5, 6);

#endif
