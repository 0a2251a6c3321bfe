// SPDX-License-Identifier: MIT
// A benchmark consists of const data and a few functions in a folder of its own. A line in
// bench/list.h registers it. It knows no backend, writes no file and prints nothing.
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include "gpu/kernels.h"
#include "measure/limits.h"
#include "measure/program.h"
#include "measure/span.h"
#include "measure/visit.h"
#include "results/results.h"

// Bytes that a kernel can address by a 32-bit index of 4-byte words. They limit the longest chain
// of indices.
#define BENCH_INDEX_REACH_BYTES (UINT64_C(16) << 30)

// The values chosen for one parameter, by the preset or by --set, with ranges expanded.
struct bench_choice {
    const struct param_info *param;
    struct case_value *values; // in the order of the user; the word "max" is stored as UINT64_MAX
    size_t value_count;
    bool from_user; // true: given by --set; false: by the preset
};

struct bench_request {
    struct arena *arena;
    const struct gpu_info *device;
    const struct gpu_system *system;    // the system that has `device`; NULL: unknown
    const char *preset;                 // "quick", "standard", "full"
    const struct bench_choice *choices; // in the order of benchmark_info.params
    size_t choice_count;
};

// Returns the choice for the parameter `key`; NULL if there is none.
const struct bench_choice *bench_choice_find(const struct bench_request *request, const char *key);

struct bench_case_list {
    struct bench_case *cases;
    size_t count, capacity;
};

// Appends the case `c`. Its values must have the order of the benchmark's params.
void bench_case_add(struct arena *arena, struct bench_case_list *list, struct bench_case c);

// A case that is being built; the functions of bench_product receive it.
struct bench_pick {
    const struct bench_request *request;
    const void *context; // the context of the bench_product
    struct bench_case c; // values of the parameters before this one; in keep(): all values
    // at[i]: index of parameter i's value among its chosen values; 0 if the case lacks the
    // parameter.
    const size_t *at;
    size_t param;             // index of this parameter in request->choices; in keep(): count
    struct case_value *value; // value of this parameter, which may be changed; NULL in keep()
};

// A product is all combinations of the chosen values. A parameter is only in the cases that its
// `when` describes. The last parameter changes fastest. All functions are optional.
struct bench_product {
    const struct bench_request *request;
    const void *context; // data for the functions

    // Changes a value of a preset or of the user to the value that the case uses instead.
    void (*replace)(const struct bench_pick *pick);

    // Changes a value to the nearest one that the device supports. Returns false if there is none:
    // the value then gets no case. Called for values of presets, and for values of a user's list
    // that ends in "max". Other values of users stay; if the device does not support such a value,
    // the visit is skipped with the reason.
    bool (*reach)(const struct bench_pick *pick);

    // Returns true if the plan takes this case. It may change the values in pick->c. If it returns
    // false with `err` filled, the whole request is refused.
    bool (*keep)(const struct bench_pick *pick, struct error *err);

    // Returns true for cases that a run should measure before all other cases.
    bool (*first)(const struct bench_product *product, const struct bench_case *c);
};

// Appends the cases of the product. Of neighbouring values that replace() or reach() made equal,
// only one is used. If there is no case although the user chose values, fails with
// ERROR_UNSUPPORTED if the device supports none of them, else with ERROR_USAGE. If the user chose
// no values, it is no error that there is no case.
MUST_CHECK bool bench_plan_product(const struct bench_product *product,
                                   struct bench_case_list *list, struct error *err);

// A benchmark at work on one open device. The session lasts through the visits of all cases of the
// benchmark, so that programs and large buffers are made only once.
struct bench_session {
    struct arena *arena;       // lives as long as the session
    struct gpu_system *system; // has `device` and all other devices, which a benchmark may open
    struct gpu_device *device;
    const struct gpu_info *info;
    struct gpu_scope *scope;          // lives as long as the session
    struct measure_programs programs; // built once, in `scope`
    struct measure_limits limits;     // limits of the device
    struct measure_clock clock;       // set by open() (measure_clock_probe), if needed
    bool warm;                        // a case was measured, so the core clock is high
    void *state;                      // the benchmark's own data, set by open()
};

// Begins a session on an open device of `system`, with an arena and a scope of its own.
// bench_session_end frees both.
struct bench_session bench_session_begin(struct gpu_system *system, struct gpu_device *device);
void bench_session_end(struct bench_session *session);

// Opens a second device, or the same device once more, and begins a session on it.
// bench_session_close ends the session and closes that device; it does nothing if the session is
// zeroed or was not opened.
MUST_CHECK bool bench_session_open(struct bench_session *session, struct gpu_system *system,
                                   const struct gpu_info *info, const struct gpu_device_desc *desc,
                                   struct error *err);
void bench_session_close(struct bench_session *session);

// Calls gpu_buffer_create for a buffer of `bytes` bytes.
struct gpu_buffer *bench_buffer(struct gpu_scope *scope, uint64_t bytes, enum gpu_memory memory,
                                struct error *err);

// One visit of a case within a session.
struct bench_visit {
    struct bench_session *session;
    const struct bench_case *bench_case;
    struct gpu_scope *scope; // closed after the visit
    struct arena *arena;     // reset after the visit
    const struct measure_request *request;
    // The data that the benchmark keeps for this case between visits, in the session's arena.
    // *memory is NULL at the case's first visit, and again after another benchmark was visited.
    void **memory;
};

// Returns a description for timing the work that `record` records, in the visit's scope and with
// the session's clock. In a warm session one run is enough as warm-up, because cases follow without
// a pause.
struct measure_span_desc bench_span_desc(const struct bench_visit *run, measure_record *record,
                                         void *context);

struct json_out;

struct benchmark {
    struct benchmark_info info;
    const char *description; // a paragraph for `fathom list NAME`
    gpu_caps needs;      // if the device lacks one of them, every case is skipped, with the reason
    const char *command; // "map": only `fathom map` measures it; NULL: `fathom run` does
    // True: cases that several chosen devices have in common are measured on all of them at the
    // same time (suite/schedule.h). The benchmark then has a parameter "together": "auto", "yes" or
    // "no".
    bool together;

    // Rough time of a case, as a multiple of the time of a case of `latency` on an H200; 0 means 1.
    // In the preset quick, quick_slowness counts instead; 0 means the same as slowness. For the
    // estimate of the time left (suite/forecast.h).
    double slowness, quick_slowness;

    bool counted; // performance counters can count its visits (measure_request.count)

    // True: its cases use the link between host and device, so other work on the link disturbs
    // them. The host has its part in their times, so a slow sample is no sign of other work on the
    // device (collect_rule.alone).
    bool link;

    // Lists all cases for the request's device and choices, in the parent process. Fails with
    // ERROR_USAGE if the choices contradict each other. Optional: without it, the cases are those
    // of `product`.
    bool (*plan)(const struct bench_request *request, struct bench_case_list *list,
                 struct error *err);
    struct bench_product product; // without its request, which bench_plan sets

    // Sets in `desc`, which is zeroed, the queues with which the device is opened. Optional.
    // Without it, or if it does not change `desc`, the device has one universal queue. A device
    // opened with more queues stays open until a benchmark that needs different queues is visited.
    // The device with one universal queue stays open and idle meanwhile.
    void (*device)(const struct gpu_info *info, struct gpu_device_desc *desc);

    // Makes the programs and buffers that cases share. Called once per session. Optional.
    bool (*open)(struct bench_session *session, struct error *err);

    // Releases what the session's scope does not own, such as other devices that the benchmark
    // opened. Called before that scope closes, also after open() failed. Optional.
    void (*close)(struct bench_session *session);

    // Does the work of a second process that the benchmark starts as `fathom __beside NAME -d
    // DEVICE` (base/child.h), until the socket closes. Optional.
    bool (*serve)(const char *device, int socket_fd, struct error *err);

    // Prepares, warms up, takes samples, verifies. Fills the whole visit, or fails: after
    // ERROR_UNSUPPORTED or ERROR_OUT_OF_MEMORY the case is skipped, after other errors it failed.
    bool (*visit)(struct bench_visit *run, struct measure_visit *visit, struct error *err);

    // Writes the built-in scenarios of a benchmark whose parameter "scenario" takes a FILE, as
    // elements of an open array: {"name": …, "help": …, "scenario": …, "set": …}. "scenario" is as
    // in a FILE; "set" has the values of other parameters that the scenario needs. Optional.
    void (*put_scenarios)(struct json_out *out);

    // Adds findings to `run`: conclusions from this benchmark's results on the device with the id
    // `device`. Called once for each device of the run, in the parent, after all results are final.
    // The run may have no result of this benchmark on that device. Optional.
    void (*conclude)(struct run *run, const char *device);
};

// Lists the cases of `benchmark`, by its `plan` or, if it has none, as its `product`.
MUST_CHECK bool bench_plan(const struct benchmark *benchmark, const struct bench_request *request,
                           struct bench_case_list *list, struct error *err);

// All benchmarks of the program, in the order of `fathom list`; the list ends with NULL. It is made
// from bench/list.h; tests supply their own.
extern const struct benchmark *const benchmarks[];

// Returns the benchmark with this name; NULL if there is none.
const struct benchmark *benchmark_find(const char *name);

// Writes what a program needs to know of a benchmark, as an element of an open array
// (results/codec.h): its metrics and views, and its parameters with choices, bounds and presets.
// `least`, `most`, `multiple`, `power_of_two` and `takes_max` are left out if they are 0 or false.
void benchmark_describe(struct json_out *out, const struct benchmark *benchmark);

#endif
