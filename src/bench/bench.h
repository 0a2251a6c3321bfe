// SPDX-License-Identifier: MIT
// Defines what a benchmark is: constant data and a few functions, in a folder of its own. One line
// in bench/list.h registers it. A benchmark uses no backend directly, writes no file and prints
// nothing.
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include "gpu/kernels.h"
#include "measure/count.h"
#include "measure/limits.h"
#include "measure/program.h"
#include "measure/span.h"
#include "measure/visit.h"
#include "results/results.h"

// Number of bytes that a kernel can reach with a 32-bit index of 4-byte words. This limits the
// length of chains whose links are indices.
#define BENCH_INDEX_REACH_BYTES (UINT64_C(16) << 30)

// The values that the preset or --set chose for one parameter. A range such as 1..8 is already
// replaced by its values.
struct bench_choice {
    const struct param_info *param;
    // Values in the order of the user's list; UINT64_MAX stands for the word "max".
    struct case_value *values;
    size_t value_count;
    bool from_user; // true: --set gave the values; false: the preset did
};

struct bench_request {
    struct arena *arena;
    const struct gpu_info *device;
    const struct gpu_system *system; // all devices, including `device`; NULL if they are not known
    const char *preset;              // name of the run's preset, for example "quick"
    // The choices: one for each parameter, in the order of benchmark_info.params.
    const struct bench_choice *choices;
    size_t choice_count;
};

// Returns the choice for the parameter named `key`; NULL if the request has no such parameter.
const struct bench_choice *bench_choice_find(const struct bench_request *request, const char *key);

struct bench_case_list {
    struct bench_case *cases;
    size_t count, capacity;
};

// Appends the case `c` to `list`. The values in `c` must have the order of the benchmark's
// parameters.
void bench_case_add(struct arena *arena, struct bench_case_list *list, struct bench_case c);

// A case whose values are chosen one parameter after the other. The functions of struct
// bench_product receive it. replace() and reach() are called for each chosen value. keep() is
// called when all parameters have values.
struct bench_pick {
    const struct bench_request *request;
    const void *context; // the `context` of the struct bench_product
    // The case, with the values of the parameters before number `param`. In keep() it is complete.
    struct bench_case c;
    // For each parameter i, at[i] is the index of its value among the values chosen for it; 0 if
    // the case has no such parameter.
    const size_t *at;
    // Index of the parameter whose value is being chosen. In keep() it is the number of parameters.
    size_t param;
    // Value of parameter number `param`, which replace() and reach() may change; NULL in keep().
    struct case_value *value;
};

// The plan of a benchmark that measures all combinations of the chosen values. A case has a
// parameter only if the parameter's condition `when` is true. In the list of cases, the values of
// the last parameter change fastest. All functions are optional.
struct bench_product {
    const struct bench_request *request;
    // Data of the benchmark; replace(), reach() and keep() receive it in bench_pick.context.
    const void *context;

    // Changes a value that the preset or the user chose into the value for the case.
    void (*replace)(const struct bench_pick *pick);

    // Changes a value to the nearest one that the device supports. If the function returns false,
    // no case gets this value. It is called only for values of presets, and for lists of the user
    // that end in "max". If the device does not support another value of the user, the case is
    // skipped.
    bool (*reach)(const struct bench_pick *pick);

    // Returns true if the plan should contain this case. The function may change the values in
    // pick->c. If it returns false and fills `err`, the whole request fails with this error.
    bool (*keep)(const struct bench_pick *pick, struct error *err);

    // Returns true for cases that a run should measure before all other cases.
    bool (*first)(const struct bench_product *product, const struct bench_case *c);
};

// Appends the cases of `product` to `list`. If replace() or reach() made neighbouring values equal,
// only one of them is used. If the user chose values and no case results, the function fails: with
// ERROR_UNSUPPORTED if the device supports none of the values, else with ERROR_USAGE.
MUST_CHECK bool bench_plan_product(const struct bench_product *product,
                                   struct bench_case_list *list, struct error *err);

// The state of a benchmark that measures on one open device. One session serves the visits of all
// cases of the benchmark, so that programs and large buffers are made only once.
struct bench_session {
    struct arena *arena;       // arena for memory that lives as long as the session
    struct gpu_system *system; // all devices; a benchmark may also open others than `device`
    struct gpu_device *device;
    const struct gpu_info *info;
    struct gpu_scope *scope;          // scope of objects that live as long as the session
    struct measure_programs programs; // programs, each built once; `scope` owns them
    struct measure_limits limits;
    // `clock` has the clocks that kernels can read. It is all 0 unless open() calls
    // bench_clock_probe. `known_clock` has what an earlier session measured for these clocks. It is
    // all 0 if no session measured them.
    struct measure_clock clock, known_clock;
    bool warm;   // true: a case was measured in this session, so the core clock is high
    void *state; // the benchmark's own data, set by open()
    // Data of another benchmark, whose cases are visited in this session (benchmark.session_of).
    void *other_state;
};

// Begins a session on an open device of `system`, with an arena and a scope of its own.
// bench_session_end frees both.
struct bench_session bench_session_begin(struct gpu_system *system, struct gpu_device *device);
void bench_session_end(struct bench_session *session);

// bench_session_open opens a second device, or the same device again, and begins a session on it.
// If bench_session_open fails, *session stays unchanged. bench_session_close ends the session and
// closes the device. bench_session_close does nothing for a session that is all zero or already
// closed.
MUST_CHECK bool bench_session_open(struct bench_session *session, struct gpu_system *system,
                                   const struct gpu_info *info, const struct gpu_device_desc *desc,
                                   struct error *err);
void bench_session_close(struct bench_session *session);

// Fills session->clock with the clocks that kernels can read (measure_clock_probe).
MUST_CHECK bool bench_clock_probe(struct bench_session *session, struct error *err);

// Returns how often the core's counter may count in `ns` nanoseconds.
double bench_counts_most(const struct bench_session *session, double ns);

// Creates a buffer of `bytes` bytes in memory of the kind `memory`; returns NULL with `err` if that
// fails.
struct gpu_buffer *bench_buffer(struct gpu_scope *scope, uint64_t bytes, enum gpu_memory memory,
                                struct error *err);

// One visit of a case within a session.
struct bench_visit {
    struct bench_session *session;
    const struct bench_case *bench_case;
    struct gpu_scope *scope; // scope of objects of the visit; closed after the visit
    struct arena *arena;     // arena for memory of the visit; freed after the visit
    const struct measure_request *request;
    // Points to the data that the benchmark keeps for this case, in the session's arena. *memory is
    // NULL at the first visit of the case in a session. The session ends before a benchmark with
    // another session is visited, so *memory is NULL again after that.
    void **memory;
};

// Returns a description of how to time the work that `record` records. It uses the visit's scope
// and the session's clock. If session->warm is true, one warm-up run is enough, because cases
// follow each other without a pause.
struct measure_span_desc bench_span_desc(const struct bench_visit *run, measure_record *record,
                                         void *context);

struct json_out;

struct benchmark {
    struct benchmark_info info;
    const char *description; // description of the benchmark: a paragraph for `fathom list NAME`
    // Capabilities that the cases need; if the device lacks one of them, all cases are skipped.
    gpu_caps needs;
    const char *command; // "map" if only `fathom map` measures this benchmark; else NULL
    // True if several chosen devices that have the same case may measure it at the same time
    // (suite/schedule.h). The case's parameter "together" decides whether they do. So the benchmark
    // must have a parameter "together" with the choices "auto", "yes" and "no".
    bool together;

    // Approximate time of one case, as a multiple of the time of a `latency` case on an H200; 0
    // means 1. suite/forecast.h estimates the time left with it. The preset quick uses
    // quick_slowness instead, unless that is 0.
    double slowness, quick_slowness;

    // Returns the hardware counters to read in a visit that counts events (measure_request.count),
    // as a sum of values of enum measure_count_group. The pointer is NULL if visits of this
    // benchmark cannot count events.
    unsigned (*counted)(const struct bench_case *c);

    // True if cases use the link between host and device. Other work on the link and the host
    // change their times. So a slow sample does not show that the device does other work
    // (collect_rule.alone).
    bool link;

    // Optional. Lists all cases for the request's device and choices. If `plan` is NULL, the cases
    // are those of `product`. The function fails with ERROR_USAGE if the choices contradict each
    // other. It usually runs in another process than `visit`.
    bool (*plan)(const struct bench_request *request, struct bench_case_list *list,
                 struct error *err);
    // Used if `plan` is NULL; bench_plan sets `request` in a copy of it.
    struct bench_product product;

    // Optional. Chooses the device's queues for this benchmark: writes them to `desc`, which is all
    // zero before the call. If `desc` stays unchanged, the benchmark uses a device with one
    // universal queue. Otherwise a device with the queues in `desc` is opened, and closed again
    // when a benchmark with another function `device` is visited.
    void (*device)(const struct gpu_info *info, struct gpu_device_desc *desc);

    // Name of another benchmark, in whose sessions the cases of this benchmark are visited. These
    // sessions use the other benchmark's device(), open() and close(). NULL if this benchmark has
    // sessions of its own.
    const char *session_of;

    // Makes the programs and buffers that cases share. Called once per session. Optional.
    bool (*open)(struct bench_session *session, struct error *err);

    // Optional. Calls measure_program for each program that visits of the case `c` need. So the
    // programs of many cases are compiled at the same time, before the first visit. If the function
    // leaves out a program, the first visit that needs the program compiles it.
    void (*programs)(struct bench_session *session, const struct bench_case *c);

    // Releases what the session's scope does not own, for example a second device. Called before
    // that scope closes, even if open() failed. Optional.
    void (*close)(struct bench_session *session);

    // Runs in a second process, which the benchmark starts as `fathom __beside NAME -d DEVICE`
    // (base/child.h). Returns when the first process closes the socket. Optional.
    bool (*serve)(const char *device, int socket_fd, struct error *err);

    // Makes one visit of a case: prepares, warms up, takes samples, and verifies. Fills `visit`, or
    // fails. After ERROR_UNSUPPORTED and ERROR_OUT_OF_MEMORY the case is skipped. After any other
    // error it counts as failed.
    bool (*visit)(struct bench_visit *run, struct measure_visit *visit, struct error *err);

    // For a benchmark whose parameter "scenario" takes a FILE: writes its built-in scenarios, as
    // elements of an open JSON array: {"name": …, "help": …, "scenario": …, "set": …}. "scenario"
    // has what such a FILE contains; "set" has the values that this scenario needs for other
    // parameters. Optional.
    void (*put_scenarios)(struct json_out *out);

    // Optional. Adds findings to `run`: conclusions from this benchmark's results on the device
    // with the id `device`. The function is called once for each device of the run, after all
    // results are final. The device may have no results of this benchmark.
    void (*conclude)(struct run *run, const char *device);
};

// Returns true if times of the benchmark's cases depend on when submitted work starts: the cases
// use the link to the host, or choose the device's queues.
bool benchmark_times_submissions(const struct benchmark *benchmark);

// Lists the cases of `benchmark`. Calls its function `plan` or, if `plan` is NULL, uses its
// `product`.
MUST_CHECK bool bench_plan(const struct benchmark *benchmark, const struct bench_request *request,
                           struct bench_case_list *list, struct error *err);

// All benchmarks, in the order of `fathom list`, then NULL. The program makes this array from
// bench/list.h; tests define their own.
extern const struct benchmark *const benchmarks[];

// Returns the benchmark with this name; NULL if there is none.
const struct benchmark *benchmark_find(const char *name);

// Returns the benchmark whose sessions serve the cases of `benchmark`: the one named by its
// session_of, or `benchmark` itself. If this build does not contain the named benchmark, fails with
// ERROR_UNSUPPORTED and returns NULL.
const struct benchmark *benchmark_session_of(const struct benchmark *benchmark, struct error *err);

// Writes a description of the benchmark as an element of an open JSON array (results/codec.h): its
// metrics and views, and its parameters with choices, bounds and presets. The members `least`,
// `most`, `multiple`, `power_of_two` and `takes_max` are left out if they are 0 or false.
void benchmark_describe(struct json_out *out, const struct benchmark *benchmark);

#endif
