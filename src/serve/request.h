// SPDX-License-Identifier: MIT
// The messages that a page sends: bytes in, a request or an error out. Nothing here has an effect
// on anything else, so that a fuzzer can run it.
//
//   {"type":"hello","token":"HEX"}
//   {"type":"measure","id":3,"device":"vulkan:0","benchmark":"overlap","set":{"barrier":"memory"},
//    "scenario":{…},"continuous":true}
//   {"type":"cancel"}
//
// `set` has the texts of --set, and both it and `scenario`, a scenario file's content, are read by
// the parsers of --set. No member can name a file: a parameter that takes one gets its content.
#ifndef SERVE_REQUEST_H
#define SERVE_REQUEST_H

#include "bench/choices.h"
#include "suite/select.h"

enum {
    REQUEST_BYTES_MAX = 256 * 1024,
    REQUEST_SCENARIO_BYTES_MAX = 16 * 1024 // of the content of a file
};

enum request_kind {
    REQUEST_HELLO,
    REQUEST_MEASURE,
    REQUEST_CANCEL
};

struct request {
    struct arena *arena; // holds everything below
    enum request_kind kind;
    const char *token; // HELLO
    uint64_t id;       // MEASURE: the page's number of this measurement; also set if it was refused
    const struct gpu_info *device;
    struct choice_request choices; // one benchmark, by the preset quick
    bool continuous;
};

// Reads a message into `request`, whose arena is set. `devices` are those that may be measured.
// ERROR_USAGE says in one line what is wrong with the message.
MUST_CHECK bool request_read(const char *text, size_t bytes, const struct device_list *devices,
                             const struct gpu_system *system, struct request *request,
                             struct error *err);

#endif
