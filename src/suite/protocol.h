// SPDX-License-Identifier: MIT
// The messages between the parent and a worker: one JSON object a line.
//
//   parent   {"visit": {"benchmark":"latency","version":1,"index":3,"case":{"bytes":"32768"},
//             "samples":4,"sample_ns":2000000,"timeout_ns":5000000000,"round":0}}
//   worker   {"visit": {"metrics":[{"metric":0,"values":[…],"step":…,"limit":…}],"reasons":[…],
//             "details":[…],"sensors":[…],"series":[…],"kernel":{…},"device_time_ns":…}}
//        or  {"failure": {"code":"device-lost","message":"…"}}
//
// An order with "waits": true is visited together with other devices: when everything is prepared
// and warm, the worker sends {"gate": {}}, and it takes its samples when the parent has sent the
// same.
//
// Reasons, details, sensors, series and the kernel have the members of run files (results/json.h).
// Values of a case travel as text, so that 64 bits stay 64 bits. Nothing that comes over the
// channel is trusted: a line cut short or full of garbage is an error.
#ifndef SUITE_PROTOCOL_H
#define SUITE_PROTOCOL_H

#include "bench/bench.h"

struct visit_order {
    const struct benchmark *benchmark;
    size_t index; // of the case in the run: names its memory
    const struct bench_case *bench_case;
    const struct measure_request *request;
    bool waits; // for other devices, before its samples
};

// The lines, without newline, in `arena`.
const char *protocol_write_order(struct arena *arena, const struct visit_order *order);
const char *protocol_write_visit(struct arena *arena, const struct measure_visit *visit);
const char *protocol_write_failure(struct arena *arena, const struct error *failure);

// The gate message, the same from both sides.
const char *protocol_write_gate(struct arena *arena);
bool protocol_is_gate(const char *line);

// Worker's side. ERROR_INTERNAL where the line is none of ours, or names a benchmark, version or
// parameter that this binary does not have.
MUST_CHECK bool protocol_read_order(struct arena *arena, const char *line,
                                    struct visit_order *order, struct error *err);

enum protocol_answer {
    PROTOCOL_VISIT,   // *visit is there
    PROTOCOL_FAILURE, // err is what the visit failed with
    PROTOCOL_GARBAGE  // err says what is wrong with the line
};

// Parent's side: the answer to an order for a benchmark with this info; the visit lives in `arena`.
enum protocol_answer protocol_read_answer(struct arena *arena, const char *line,
                                          const struct benchmark_info *info,
                                          struct measure_visit **visit, struct error *err);

#endif
