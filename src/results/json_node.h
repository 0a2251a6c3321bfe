// SPDX-License-Identifier: MIT
// Reading JSON that somebody else wrote: a place in a document that knows its path, and getters
// that check the type. The first thing that is wrong is kept, with its path; after that getters
// give defaults, so that a reader checks once for each element instead of once for each member.
#ifndef RESULTS_JSON_NODE_H
#define RESULTS_JSON_NODE_H

#include "base/arena.h"

#include <jansson.h>
#include <stdint.h>

struct json_reader {
    struct arena *arena; // strings and arrays go here
    const char *file;    // for messages
    struct error *err;
    bool failed;
};

// A value, and how one gets there. Lives on the stack of who walks.
struct json_node {
    const struct json_node *up; // NULL: the document itself
    const char *member;         // NULL: an element of an array
    size_t index;
    const json_t *value; // NULL: absent
};

// The member of an object, absent where it is missing or null. Fails where `node` is no object.
struct json_node json_member(struct json_reader *reader, const struct json_node *node,
                             const char *name);
struct json_node json_element(const struct json_node *node, size_t index);

// Number of elements; 0 where the array is absent. Fails where it is no array.
size_t json_elements(struct json_reader *reader, const struct json_node *node);

// Fails where the node is neither absent nor an object.
bool json_is_map(struct json_reader *reader, const struct json_node *node);

// Of a value. Absent: NULL, NaN, 0 — or a failure where the name ends in _required.
const char *json_text(struct json_reader *reader, const struct json_node *node);
const char *json_text_required(struct json_reader *reader, const struct json_node *node);
double json_number(struct json_reader *reader, const struct json_node *node);
uint64_t json_count(struct json_reader *reader, const struct json_node *node); // whole, ≥ 0

// Records ERROR_USAGE "FILE: PATH: message"; false.
bool json_fail(struct json_reader *reader, const struct json_node *node, const char *format, ...)
    PRINTF_LIKE(3, 4);

// The document in a file ("-": the standard input), given back with json_decref; NULL with ERROR_IO
// where it cannot be read, ERROR_USAGE with the line where it is not JSON or cut short.
json_t *json_read_file(const char *path, struct error *err);
json_t *json_read_memory(const char *text, size_t bytes, const char *name, struct error *err);

// Makes a message that quotes a file one harmless line: control characters become '?'.
void json_message_clean(struct error *err);

#endif
