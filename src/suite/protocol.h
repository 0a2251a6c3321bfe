// SPDX-License-Identifier: MIT
// The messages between the parent and a worker: one JSON object per line.
//
//   parent   {"visit": {"benchmark":"latency","version":1,"index":3,"case":{"bytes":"32768"},
//             "samples":4,"sample_ns":2000000,"timeout_ns":5000000000,"round":0}}
//   worker   {"visit": {"metrics":[{"metric":0,"values":[…],"step":…,"half":…,"limit":…,
//             "at_least":…,"by_host":…}],"reasons":[…],"retakes":[…],"remarks":[…],"details":[…],
//             "sensors":[…],"series":[…],"kernel":{…},"device_time_ns":…,"began_ns":…,
//             "ended_ns":…,"compile_ns":…}}
//        or  {"failure": {"code":"device-lost","message":"…"}}
//
//   parent   {"watch": {"least_ns":5000000}}
//   worker   {"watch": {"method":1,"share":0.0,…}} (measure/watch.h) or {"failure": {…}}
//
// An order with "counts": true asks for a counted visit, which reads hardware counters. "natives"
// may then name further counters. The answer has "counters".
//
// An order with "ahead": [cases] makes the worker compile the programs of these cases before the
// visit, several at the same time.
//
// An order with "waits": true belongs to a co-run, in which several devices measure the same case
// at once. When everything is prepared and warm, the worker sends {"gate": {}}. It takes its
// samples after the parent has sent the same message.
//
// The parent may send {"leave": {}} while it waits for an answer. The visit may then end early, as
// a failure with the code "interrupted". The worker does not answer "leave" itself.
//
// Reasons (also retakes and remarks), details, sensors, series and the kernel have the members of
// run files (results/json.h). The values of a case are sent as text, because JSON numbers lose bits
// of 64-bit integers. Orders and answers are checked: a malformed message is an error, and so is an
// order without benchmark, version or case. Most other absent members count as 0, false or empty.
// The worker does not check the content of "gate" and "leave".
#ifndef SUITE_PROTOCOL_H
#define SUITE_PROTOCOL_H

#include "bench/bench.h"
#include "measure/watch.h"

// Asks for a counted visit, in which hardware counters are read (measure/count.h).
struct visit_counting {
    const char *const *natives; // names of counters that the user asked for (measure_count_open)
    size_t native_count;
};

struct visit_order {
    const struct benchmark *benchmark;
    // Number of the case in its plan, the same in all visits of the case.
    size_t index;
    const struct bench_case *bench_case;
    const struct measure_request *request;
    // True: the worker waits for the other devices of the co-run before it takes samples.
    bool waits;
    // description of a counted visit; NULL if the visit reads no counters
    const struct visit_counting *counting;
    // Cases of the same benchmark whose programs the worker compiles before the visit, several at
    // the same time.
    const struct bench_case *const *ahead;
    size_t ahead_count;
};

// protocol_write_order, protocol_write_visit and protocol_write_failure return the message as one
// line without newline, in `arena`.
const char *protocol_write_order(struct arena *arena, const struct visit_order *order);
const char *protocol_write_visit(struct arena *arena, const struct measure_visit *visit);
const char *protocol_write_failure(struct arena *arena, const struct error *failure);

// protocol_write_gate returns the message "gate", which parent and worker both send.
// protocol_is_gate tests if a line is this message; it returns false for a malformed line.
const char *protocol_write_gate(struct arena *arena);
bool protocol_is_gate(const char *line);

// protocol_write_leave returns the message "leave", which asks a visit to end early.
// protocol_is_leave tests if a line is this message.
const char *protocol_write_leave(struct arena *arena);
bool protocol_is_leave(const char *line);

// Messages for watching the device for work of other programs. protocol_write_watch returns the
// order, and protocol_write_finding returns the answer. protocol_is_watch tests if a line is the
// order, and then sets *least_ns; for any other line it returns false.
const char *protocol_write_watch(struct arena *arena, uint64_t least_ns);
bool protocol_is_watch(const char *line, uint64_t *least_ns);
const char *protocol_write_finding(struct arena *arena, const struct watch_finding *finding);

// In the worker: reads an order to visit. Fails with ERROR_INTERNAL if the line is malformed, or
// names a benchmark, version or parameter that this binary does not have.
MUST_CHECK bool protocol_read_order(struct arena *arena, const char *line,
                                    struct visit_order *order, struct error *err);

enum protocol_answer {
    PROTOCOL_VISIT,   // the worker carried out the order; *visit or *finding has the answer
    PROTOCOL_FAILURE, // the visit or watch failed; err is its error
    PROTOCOL_GARBAGE  // the line is no valid answer; err says why
};

// In the parent: reads the answer to an order to watch. finding->who lives in `arena`.
enum protocol_answer protocol_read_finding(struct arena *arena, const char *line,
                                           struct watch_finding *finding, struct error *err);

// In the parent: reads the answer to an order to visit. `info` describes the benchmark of the
// order. *visit lives in `arena`.
enum protocol_answer protocol_read_answer(struct arena *arena, const char *line,
                                          const struct benchmark_info *info,
                                          struct measure_visit **visit, struct error *err);

#endif
