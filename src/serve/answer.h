// SPDX-License-Identifier: MIT
// The messages to a page, each one JSON object as text in `arena`. docs/SERVE.md lists them.
#ifndef SERVE_ANSWER_H
#define SERVE_ANSWER_H

#include "results/results.h"

// {"type":"welcome","version":…,"devices":[…],"benchmarks":[…],"scenarios":[…]}: the devices of
// `offered`, in the form of a run file; the benchmarks that a page can measure, in the form of
// `fathom list --json`; the built-in scenarios of benchmarks.
const char *answer_welcome(struct arena *arena, const struct run *offered);

// {"type":"started","id":…,"cases":…}
const char *answer_started(struct arena *arena, uint64_t id, size_t cases);

// {"type":"result","id":…,"frame":…,"result":{…}}: the result in the form of a run file.
const char *answer_result(struct arena *arena, uint64_t id, uint64_t frame,
                          const struct result *result);

struct answer_end {
    uint64_t id, frame;
    const struct run *run;
    bool whole; // true: the message contains the run
};

// {"type":"done","id":…,"frame":…,"status":"complete","run":{…},"findings":[…]}; "run" only if
// end->whole.
const char *answer_done(struct arena *arena, const struct answer_end *end);

// {"type":"error","id":…,"message":…}; id 0 is left out.
const char *answer_error(struct arena *arena, uint64_t id, const char *message);

// {"type":"status","text":…}
const char *answer_status(struct arena *arena, const char *text);

#endif
