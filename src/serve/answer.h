// SPDX-License-Identifier: MIT
// Writes the messages that the server sends to a page. Each message is one JSON object, as text in
// `arena`. docs/SERVE.md lists the messages.
#ifndef SERVE_ANSWER_H
#define SERVE_ANSWER_H

#include "results/results.h"

// Returns the message that greets a page:
//   {"type":"welcome","version":…,"devices":[…],"benchmarks":[…],"scenarios":[…]}
// The devices are those of `offered`, written as in a run file. The benchmarks are those that a
// page can measure, written as in `fathom list --json`. The scenarios are built into benchmarks.
const char *answer_welcome(struct arena *arena, const struct run *offered);

// Returns the message about the start of measurement `id`: {"type":"started","id":…,"cases":…}.
// `cases` is the number of its cases.
const char *answer_started(struct arena *arena, uint64_t id, size_t cases);

// Returns the message with one result of measurement `id`, written as in a run file:
// {"type":"result","id":…,"frame":…,"result":{…}}. A frame is one run of all cases; `frame` is its
// number.
const char *answer_result(struct arena *arena, uint64_t id, uint64_t frame,
                          const struct result *result);

struct answer_end {
    uint64_t id, frame;
    const struct run *run;
    bool whole; // true if the message contains the run with all results
};

// Returns the message about the end of a frame (one run of all cases):
//   {"type":"done","id":…,"frame":…,"status":"complete","run":{…},"findings":[…]}
// The member "run" exists only if end->whole is true.
const char *answer_done(struct arena *arena, const struct answer_end *end);

// Returns the message with an error: {"type":"error","id":…,"message":…}. If `id` is 0, the message
// has no member "id".
const char *answer_error(struct arena *arena, uint64_t id, const char *message);

// Returns a message for the user about what the server is doing: {"type":"status","text":…}.
const char *answer_status(struct arena *arena, const char *text);

#endif
