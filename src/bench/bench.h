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

// Number of bytes that a kernel can address with a 32-bit index of 4-byte words. This limits the
// length of chains whose links are indices.
#define BENCH_INDEX_REACH_BYTES (UINT64_C(16) << 30)

// The values that the preset or --set chose for one parameter, with ranges expanded.
struct bench_choice {
    const struct param_info *param;
    // The chosen values, in the order of the text that names them. UINT64_MAX means the word "max".
    struct case_value *values;
    size_t value_count;
    bool from_user; // true: the values come from --set; false: from the preset
};

struct bench_request {
    struct arena *arena;
    const struct gpu_info *device;
    // all devices, also those that the run does not measure; NULL if the devices are not known
    const struct gpu_system *system;
    const char *preset; // name of the run's preset, for example "quick"
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

// A case under construction: its parameters get their values one after another. The functions
// replace(), reach() and keep() of struct bench_product receive it.
struct bench_pick {
    const struct bench_request *request;
    const void *context; // the benchmark's own data: `context` of its struct bench_product
    // The case so far: values of the parameters before number `param`. In keep(), it is complete.
    struct bench_case c;
    // For each parameter, the index of the case's value in the list of chosen values. The index is
    // 0 if the parameter comes after number `param`, or if its condition `when` is false.
    const size_t *at;
    // Index of the parameter that now gets its value. In keep(), it is the number of parameters.
    size_t param;
    // The value that parameter number `param` gets; NULL in keep(). replace() and reach() may
    // change the value.
    struct case_value *value;
};

// A plan of all combinations of the chosen values. A parameter whose condition `when` is false is
// left out of a case. The last parameter's values change fastest. All functions are optional.
struct bench_product {
    const struct bench_request *request;
    // The benchmark's own data. replace(), reach() and keep() receive them as bench_pick.context.
    const void *context;

    // Replaces the chosen value in pick->value by the value that the case should have.
    void (*replace)(const struct bench_pick *pick);

    // Returns false if the device does not support pick->value; may also change it to a supported
    // value. Called for all values of presets, and for values of --set only if their list ends in
    // "max".
    bool (*reach)(const struct bench_pick *pick);

    // Gets a complete case; returns true if the plan should contain it. May change the values in
    // pick->c. If it returns false and fills `err`, the whole request fails with this error.
    bool (*keep)(const struct bench_pick *pick, struct error *err);

    // Returns true for a case that the run should measure before the others.
    bool (*first)(const struct bench_product *product, const struct bench_case *c);
};

// Appends the cases of `product` to `list`. If replace() or reach() makes neighbouring values
// equal, only the first of them is used. Fails with the error of keep(). If values of --set lead to
// no case, fails with ERROR_UNSUPPORTED if only reach() rejected values, else with ERROR_USAGE.
MUST_CHECK bool bench_plan_product(const struct bench_product *product,
                                   struct bench_case_list *list, struct error *err);

// The state of a benchmark on one open device. A session serves many cases, which share its
// programs and large buffers.
struct bench_session {
    struct arena *arena;       // memory that lives as long as the session
    struct gpu_system *system; // devices that the benchmark may open, among them `device`
    struct gpu_device *device;
    const struct gpu_info *info;
    struct gpu_scope *scope;          // scope that owns device objects until the session ends
    struct measure_programs programs; // programs, each built once; bench_session_end frees them
    struct measure_limits limits;
    // `clock` has the clocks that kernels can read; it is all 0 until bench_clock_probe fills it.
    // `known_clock` has the clocks that an earlier session measured; it is all 0 if there is none.
    struct measure_clock clock, known_clock;
    bool warm;   // set by benchmarks: true if a measurement in this session has warmed the device
    void *state; // the benchmark's own data, set by open()
    // Data of a second benchmark that shares the session (benchmark.session_of). For example, the
    // benchmark map uses sessions of latency.
    void *other_state;
};

// Begins a session on an open device of `system`, with an arena and a scope of its own.
// bench_session_end closes the scope and frees the programs and the arena.
struct bench_session bench_session_begin(struct gpu_system *system, struct gpu_device *device);
void bench_session_end(struct bench_session *session);

// bench_session_open opens a device and begins a session on it. If it fails, *session stays
// unchanged. bench_session_close ends the session and closes its device. It does nothing if the
// session is all zero or already closed.
MUST_CHECK bool bench_session_open(struct bench_session *session, struct gpu_system *system,
                                   const struct gpu_info *info, const struct gpu_device_desc *desc,
                                   struct error *err);
void bench_session_close(struct bench_session *session);

// Finds the clocks that kernels can read, and sets session->clock to them.
// bench_device_clock_probe fails with ERROR_UNSUPPORTED if the device-wide clock stands still.
MUST_CHECK bool bench_clock_probe(struct bench_session *session, struct error *err);
MUST_CHECK bool bench_device_clock_probe(struct bench_session *session, struct error *err);

// Sets session->clock like bench_clock_probe, for benchmarks that use only its member stamps_off.
// If the probe fails, session->clock stays all 0, so the time stamps count as right. Fails only if
// the device is lost or does not answer.
MUST_CHECK bool bench_stamps_probe(struct bench_session *session, struct error *err);

// Returns the largest number of counts by which the core's counter can advance in `ns` nanoseconds;
// 0 if the counter's rate is not known.
double bench_counts_most(const struct bench_session *session, double ns);

// Creates a buffer of `bytes` bytes in memory of the kind `memory`. On failure, returns NULL with
// `err`.
struct gpu_buffer *bench_buffer(struct gpu_scope *scope, uint64_t bytes, enum gpu_memory memory,
                                struct error *err);

// Each round puts the same data at another place, so that the confidence interval includes the
// effect of the address. Places are multiples of BENCH_PLACE_BYTES, the largest page size of device
// memory. bench_round_key returns a key for a round. bench_place returns the offset that the key
// selects for `bytes` bytes in a buffer of `buffer_bytes` bytes. Offsets are far apart in
// successive rounds. The key 0 selects the offset 0.
enum {
    BENCH_PLACE_BYTES = 2 << 20
};
#define BENCH_PLACE_NOTE "each round at another multiple of 2 MiB in a buffer"
uint32_t bench_round_key(unsigned round);
uint64_t bench_place(uint32_t key, uint64_t buffer_bytes, uint64_t bytes);

// One visit of a case, and the memory and objects that the visit may use.
struct bench_visit {
    struct bench_session *session;
    const struct bench_case *bench_case;
    struct gpu_scope *scope; // scope that owns objects until the visit ends
    struct arena *arena;     // memory that lives until the end of the visit
    const struct measure_request *request;
    // Pointer to the data that the benchmark keeps for this case until the session ends, in the
    // session's arena. At the case's first visit in a session, *memory is NULL.
    void **memory;
};

// Returns a span description for the work that `record` records. It has the visit's scope and
// request, and the session's clock. If session->warm is true, one warm-up run is enough.
struct measure_span_desc bench_span_desc(const struct bench_visit *run, measure_record *record,
                                         void *context);

struct json_out;

struct benchmark {
    struct benchmark_info info;
    const char *description; // description of the benchmark: a paragraph for `fathom list NAME`
    // Capabilities that the device must have. If the device lacks one, all cases are skipped.
    gpu_caps needs;
    const char *command; // "map" if only `fathom map` measures this benchmark; else NULL
    // True if several devices may measure the same case at the same time (a co-run). The case's
    // parameter "together" decides whether they do. Its choices must be "auto", "yes" and "no".
    bool together;

    // Approximate time of one case, in units of a `latency` case on an H200; 0 means 1. With a
    // budget of few rounds, quick_slowness counts instead, unless it is 0. suite/forecast.h
    // estimates the remaining time of a run from these numbers.
    double slowness, quick_slowness;

    // Returns the groups of hardware counters that a visit of the case reads: a sum of values of
    // enum measure_count_group. If the pointer is NULL, visits read no counters.
    unsigned (*counted)(const struct bench_case *c);

    // True if cases use the link between host and device. A slow sample then does not prove other
    // work on the device (collect_rule.alone).
    bool link;

    // Lists all cases for the request's device and choices. Fails with ERROR_USAGE if the choices
    // contradict each other. Often runs in another process than visit(). If `plan` is NULL,
    // `product` describes the cases.
    bool (*plan)(const struct bench_request *request, struct bench_case_list *list,
                 struct error *err);
    // Description of the cases if `plan` is NULL. bench_plan sets `request` in a copy of it.
    struct bench_product product;

    // Optional. Chooses the queues of the device. If `desc` stays all zero, the device has one
    // universal queue. The device is closed when a benchmark with another function `device` is
    // visited.
    void (*device)(const struct gpu_info *info, struct gpu_device_desc *desc);

    // Name of another benchmark whose sessions, device(), open() and close() this benchmark uses;
    // NULL if this benchmark has its own sessions.
    const char *session_of;

    // Optional. Makes the programs and buffers that cases share. Called once per session.
    bool (*open)(struct bench_session *session, struct error *err);

    // Optional. Calls measure_program for each program that case `c` needs. These programs are then
    // compiled at the same time, before the first visit. A program that is missing here is compiled
    // at the first visit that needs it.
    void (*programs)(struct bench_session *session, const struct bench_case *c);

    // Optional. Releases what the session's scope does not own, for example a second device. Called
    // before that scope closes, even if open() failed.
    void (*close)(struct bench_session *session);

    // Optional. The main function of a second process, which the benchmark starts as `fathom
    // __beside NAME -d DEVICE` (base/child.h). Returns when the first process closes the socket.
    bool (*serve)(const char *device, int socket_fd, struct error *err);

    // Measures a case once: prepares, warms up, takes samples, and verifies. Fills `visit`, or
    // fails. If the error is ERROR_UNSUPPORTED or ERROR_OUT_OF_MEMORY, the case is skipped.
    // ERROR_INTERRUPTED ends the run. After any other error, the case has failed.
    bool (*visit)(struct bench_visit *run, struct measure_visit *visit, struct error *err);

    // Optional. Writes the benchmark's built-in scenarios as elements of an open JSON array:
    // {"name": …, "help": …, "scenario": …, "set": …}. "scenario" is the content of a FILE for the
    // parameter "scenario". "set" has the values that other parameters need.
    void (*put_scenarios)(struct json_out *out);

    // Optional. Adds findings from the results on the device with the id `device`. Called once for
    // each device of the run, after all results are final, even if this benchmark has none.
    void (*conclude)(struct run *run, const char *device);
};

// Returns true if the benchmark's times depend on when the device starts submitted work. This is so
// if its cases use the link to the host, or if it chooses the device's queues.
bool benchmark_times_submissions(const struct benchmark *benchmark);

// Lists the cases of `benchmark` with its function `plan`. If `plan` is NULL, lists the cases of
// its `product`.
MUST_CHECK bool bench_plan(const struct benchmark *benchmark, const struct bench_request *request,
                           struct bench_case_list *list, struct error *err);

// All benchmarks, in the order of `fathom list`; the last element is NULL. The program makes this
// array from bench/list.h; tests define their own.
extern const struct benchmark *const benchmarks[];

// Returns the benchmark with this name; NULL if there is none.
const struct benchmark *benchmark_find(const char *name);

// Returns the benchmark whose sessions `benchmark` uses (session_of), or `benchmark` itself; NULL
// with ERROR_UNSUPPORTED if this build lacks the named benchmark.
const struct benchmark *benchmark_session_of(const struct benchmark *benchmark, struct error *err);

// Writes a description of the benchmark as an element of an open JSON array (results/codec.h):
// among others its metrics, views and parameters. Bounds that are 0 or false are left out.
void benchmark_describe(struct json_out *out, const struct benchmark *benchmark);

#endif
