// SPDX-License-Identifier: MIT
// What a benchmark is: const data and a few functions, in a folder of its own, registered by a line
// in bench/list.h. It never sees a backend, writes no file and prints nothing.
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include "gpu/kernels.h"
#include "measure/program.h"
#include "measure/visit.h"
#include "results/results.h"

// Bytes that a kernel can address by a 32-bit index into words of 4 bytes: the longest chain on a
// device without addresses (GPU_CAP ADDRESSES).
#define BENCH_INDEX_REACH_BYTES (UINT64_C(16) << 30)

// The values chosen for one parameter (by the preset, or by --set), with ranges expanded.
struct bench_choice {
    const struct param_info *param;
    struct case_value *values; // as given; `max` is UINT64_MAX
    size_t value_count;
    bool from_user; // given by --set
};

struct bench_request {
    struct arena *arena;
    const struct gpu_info *device;
    const struct gpu_system *system;    // the system of `device`; NULL: not known
    const char *preset;                 // "quick", "standard", "full"
    const struct bench_choice *choices; // in the order of benchmark_info.params
    size_t choice_count;
};

const struct bench_choice *bench_choice_find(const struct bench_request *request, const char *key);

struct bench_case_list {
    struct bench_case *cases;
    size_t count, capacity;
};

// Appends a case; values in the order of the benchmark's params.
void bench_case_add(struct arena *arena, struct bench_case_list *list, struct bench_case c);

// A case while it is made. The functions of bench_product get one.
struct bench_pick {
    const struct bench_request *request;
    const void *context; // of the product
    struct bench_case c; // the values of the parameters before this one; keep() gets all values
    const size_t *at;    // each parameter's index among its chosen values; 0 if the case has none
    size_t param;        // index of this parameter in request->choices
    struct case_value *value; // the value of this parameter, which may be changed
};

// A product is all combinations of the chosen values. Each parameter is only in the cases that its
// `when` describes; the last parameter changes fastest. All functions are optional.
struct bench_product {
    const struct bench_request *request;
    const void *context; // for the functions

    // Changes a value to the one that the case has instead, no matter who chose it.
    void (*replace)(const struct bench_pick *pick);

    // Changes a value to the nearest one that the device can have, or returns false if there is
    // none. It is called for values of presets, and for values of a user's list that ends in `max`.
    // All other values of users stay: the visit of such a case is skipped with the reason.
    bool (*reach)(const struct bench_pick *pick);

    // Returns whether the plan takes this case. It may change the values in pick->c. If it returns
    // false with `err` filled, the whole request is refused.
    bool (*keep)(const struct bench_pick *pick, struct error *err);

    // Returns true for cases that a run should measure before the others.
    bool (*first)(const struct bench_product *product, const struct bench_case *c);
};

// Appends the cases of the product. If two neighbouring values became equal, it takes one of them.
// If a user's values leave no case: ERROR_UNSUPPORTED where the device can do none of them, else
// ERROR_USAGE.
MUST_CHECK bool bench_plan_product(const struct bench_product *product,
                                   struct bench_case_list *list, struct error *err);

// A benchmark at work on one open device, in a worker; kept between visits of its cases, so that
// programs and large buffers are made once.
struct bench_session {
    struct arena *arena;       // as long as the session
    struct gpu_system *system; // of `device`: a benchmark may open other devices for itself
    struct gpu_device *device;
    const struct gpu_info *info;
    struct gpu_scope *scope;          // as long as the session
    struct measure_programs programs; // of `scope`
    void *state;                      // the benchmark's own, set by open()
};

// One visit of a case within a session.
struct bench_visit {
    struct bench_session *session;
    const struct bench_case *bench_case;
    struct gpu_scope *scope; // closed after the visit
    struct arena *arena;     // reset after the visit
    const struct measure_request *request;
    // What the benchmark keeps of the case between visits, in the session's arena. *memory is NULL
    // at the case's first visit, and again after another benchmark was visited.
    void **memory;
};

struct benchmark {
    struct benchmark_info info;
    const char *description; // a paragraph for `fathom list NAME`
    gpu_caps needs;          // if the device lacks one, every case is skipped with the reason
    const char *command;     // only this command measures it; NULL: `fathom run` does
    // Cases that several chosen devices have in common are measured on all of them at the same
    // time: see suite/schedule.h. It has a parameter "together" of "auto", "yes" or "no".
    bool together;

    // Lists all cases for this device and these choices, in the parent process. ERROR_USAGE if the
    // choices contradict each other. Optional: without it, the cases are `product` (bench_plan).
    bool (*plan)(const struct bench_request *request, struct bench_case_list *list,
                 struct error *err);
    struct bench_product product; // bench_plan fills its request in

    // Fills the queues with which the device is opened into `desc`, which is zeroed. Optional:
    // without it, and if it does not change `desc`, one universal queue. A device with other queues
    // is open only for its benchmark, beside the usual one, which is idle then.
    void (*device)(const struct gpu_info *info, struct gpu_device_desc *desc);

    // Once a session: programs and buffers that cases share. Optional.
    bool (*open)(struct bench_session *session, struct error *err);

    // Undoes what the benchmark did outside of the session's scope: devices of its own. Called
    // before that scope closes, after a failed open too. Optional.
    void (*close)(struct bench_session *session);

    // The work of a second process that the benchmark starts for itself, as `fathom __beside NAME
    // -d DEVICE` (base/child.h), until the socket closes. Optional.
    bool (*serve)(const char *device_id, int socket_fd, struct error *err);

    // Prepares, warms up, takes samples, verifies. Fills the whole visit, or fails: UNSUPPORTED and
    // OUT_OF_MEMORY make the case skipped, all other errors failed.
    bool (*visit)(struct bench_visit *run, struct measure_visit *visit, struct error *err);

    // Adds to `run` what this benchmark's results on a device show, as findings. Called once for
    // each device of a run (`device` is its id), in the parent, when no result of the run changes
    // any more; the run may hold none of this benchmark on that device. Optional.
    void (*conclude)(struct run *run, const char *device);
};

// Lists the cases of `benchmark`: by its `plan` or, without one, as its `product`.
MUST_CHECK bool bench_plan(const struct benchmark *benchmark, const struct bench_request *request,
                           struct bench_case_list *list, struct error *err);

// Every benchmark of the program, NULL-terminated, in the order of `fathom list`. Expanded from
// bench/list.h; tests supply their own.
extern const struct benchmark *const benchmarks[];
const struct benchmark *benchmark_find(const char *name);

#endif
