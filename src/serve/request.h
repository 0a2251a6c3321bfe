// SPDX-License-Identifier: MIT
// Reads the messages that a page sends. request_read turns bytes into a request or an error and has
// no other effect, so that a fuzzer can run it.
//
//   {"type":"hello","token":"HEX"}
//   {"type":"measure","id":3,"device":"vulkan:0","benchmark":"overlap","set":{"barrier":"memory"},
//    "scenario":{…},"continuous":true}
//   {"type":"cancel"}
//
// `set` has keys and values as for --set. `scenario` has the content of a scenario file. The
// parsers of --set read both members. No member can name a file: for a parameter that takes a file,
// the message has the file's content.
#ifndef SERVE_REQUEST_H
#define SERVE_REQUEST_H

#include "bench/choices.h"
#include "suite/select.h"

enum {
    REQUEST_BYTES_MAX = 256 * 1024,
    // maximum length in bytes of the member `scenario` of a message
    REQUEST_SCENARIO_BYTES_MAX = 16 * 1024
};

enum request_kind {
    REQUEST_HELLO,
    REQUEST_MEASURE,
    REQUEST_CANCEL
};

struct request {
    struct arena *arena; // owns all the data of the request
    enum request_kind kind;
    const char *token; // secret token that the message "hello" contains
    // Number that the page gave to the measurement. It is set even if other members of the message
    // "measure" are wrong.
    uint64_t id;
    const struct gpu_info *device;
    struct choice_request choices; // what to measure: one benchmark, with the preset quick
    bool continuous;
};

// Reads a message into `request`, whose arena the caller has set. `devices` lists the devices that
// may be measured. Fails with ERROR_USAGE and one line that says what is wrong with the message.
MUST_CHECK bool request_read(const char *text, size_t bytes, const struct device_list *devices,
                             const struct gpu_system *system, struct request *request,
                             struct error *err);

#endif
