// SPDX-License-Identifier: MIT
// JSON in and out, for run files, for the messages of workers and for every other document that
// fathom writes.
//
// A struct that stands in a document is described once, by a table of its members. The same table
// writes the struct (json_put_fields) and reads it (json_get_fields).
//
// The writer makes the text itself, in an arena: only its stream can fail. The reader uses jansson.
// Memory that runs out ends the process, in jansson as in an arena (base/arena.h): no document is
// ever written or read in part.
#ifndef RESULTS_CODEC_H
#define RESULTS_CODEC_H

#include "results/names.h"

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// ---------------------------------------------------------------- writing

struct json_out {
    struct arena *arena; // holds the text
    FILE *stream;        // takes the text; NULL: the text stays in memory, for json_out_text
    bool lines;      // a line for each member of the document and for each object in their lists
    unsigned indent; // spaces for each level, as people read it; 0: none
    // Private to codec_write.c.
    char *text;
    size_t used, capacity;
    unsigned depth;
    bool comma;       // a comma must stand before the next value
    int stream_error; // errno of the first write that failed; 0: none did
};

// Each writes one value. `name` is the member's name, NULL where the value is an element of an
// array or the document itself. Bytes that are not UTF-8 become U+FFFD, in names as well: drivers
// do not always speak UTF-8, and every text is repaired here and nowhere else.
void json_put_text(struct json_out *out, const char *name, const char *text); // NULL: nothing
void json_put_count(struct json_out *out, const char *name, uint64_t count);
void json_put_bool(struct json_out *out, const char *name, bool value);
void json_put_null(struct json_out *out, const char *name);

// The shortest number that reads back as the same double; whole numbers have no fraction. A value
// that is not finite is null in an array, and no member at all in an object.
void json_put_real(struct json_out *out, const char *name, double value);
void json_put_reals(struct json_out *out, const char *name, const double *values, size_t count);

// Everything between open and close stands in the object ("{}") or array ("[]").
void json_put_open(struct json_out *out, const char *name, char bracket);
void json_put_close(struct json_out *out, char bracket);

// The text written so far; it lives in the arena, until the next value is written.
const char *json_out_text(struct json_out *out);

// Ends the document with a newline and flushes the stream. ERROR_IO where a write failed: "cannot
// write WHAT: …", or "out of memory while writing WHAT" (a memory stream).
MUST_CHECK bool json_out_end(struct json_out *out, const char *what, struct error *err);

// ---------------------------------------------------------------- reading

// The first thing that is wrong is kept in `err`, with its path. After it every getter gives its
// default, so that a caller need not check after each member.
struct json_reader {
    struct arena *arena; // strings and arrays go here
    const char *file;    // for messages
    struct error *err;
    const void *context; // for json_field.get
    bool failed;
};

// A value in a document and the way to it. Lives on the stack of the function that reads.
struct json_node {
    const struct json_node *up; // NULL: the document itself
    const char *member;         // NULL: an element of an array
    size_t index;
    const json_t *value; // NULL: absent
};

// The document in a file ("-": the standard input) or in memory, to be given back with json_decref.
// NULL with ERROR_IO where the file cannot be read, with ERROR_USAGE and the line where the text is
// not JSON or is cut short. `name` is for messages.
json_t *json_read_file(const char *path, struct error *err);
json_t *json_read_memory(const char *text, size_t bytes, const char *name, struct error *err);

// The member of an object, absent where it is missing or null. Fails where `node` is not an object.
struct json_node json_member(struct json_reader *reader, const struct json_node *node,
                             const char *name);
struct json_node json_element(const struct json_node *node, size_t index);

// The number of elements; 0 where the array is absent. Fails where `node` is not an array.
size_t json_elements(struct json_reader *reader, const struct json_node *node);

// Fails where the node is neither absent nor an object.
bool json_is_map(struct json_reader *reader, const struct json_node *node);

// The value of a node. An absent one is NULL, NaN or 0; json_text_required fails and returns "".
const char *json_text(struct json_reader *reader, const struct json_node *node);
const char *json_text_required(struct json_reader *reader, const struct json_node *node);
double json_number(struct json_reader *reader, const struct json_node *node);
uint64_t json_count(struct json_reader *reader, const struct json_node *node); // whole, ≥ 0

// An array of numbers in the reader's arena.
double *json_numbers(struct json_reader *reader, const struct json_node *node, size_t *count);

// Records ERROR_USAGE "FILE: PATH: message"; returns false.
bool json_fail(struct json_reader *reader, const struct json_node *node, const char *format, ...)
    PRINTF_LIKE(3, 4);

// Makes a message that quotes a file one harmless line: control characters become '?'.
void json_message_clean(struct error *err);

// ---------------------------------------------------------------- tables of members

enum json_kind {
    FIELD_TEXT,   // const char *
    FIELD_REAL,   // double
    FIELD_COUNT,  // unsigned, size_t or uint64_t
    FIELD_FLAG,   // bool; false is not written
    FIELD_WORD,   // an enumeration, as one of `words`
    FIELD_TEXTS,  // const char **, an array of strings
    FIELD_REALS,  // double *, an array of numbers
    FIELD_OBJECT, // a struct inside the struct
    FIELD_LIST,   // an array of structs
    // An array of structs as one object: the first member of each, a text, is the name; the value
    // is an object of the other members, or the other member itself where there is only one. Of two
    // structs with the same name the last is written.
    FIELD_MAP,
    FIELD_CUSTOM // written by `put` and read by `get`
};

struct json_field {
    const char *name;
    enum json_kind kind;
    size_t offset, bytes; // of the member, in the struct (JSON_AT)
    size_t count_offset;  // of the number of elements, a size_t (JSON_LIST_AT)
    bool required;        // reading fails where it is absent; otherwise it is NULL, NaN or 0 then
    bool omit_zero;       // 0, or an array without elements, is not written
    bool pointers;        // FIELD_LIST: an array of pointers to structs
    const struct words *words;      // an unknown word is an error, or reads as words->count
    const struct json_table *table; // of the struct inside, or of the elements
    // FIELD_LIST: adds an element to the struct and returns it, for lists that grow.
    void *(*add)(void *object);
    void (*put)(struct json_out *out, const char *name, const void *object);
    void (*get)(struct json_reader *reader, const struct json_node *node, void *object);
};

struct json_table {
    const struct json_field *fields;
    size_t count;
    size_t bytes; // of the struct
    // False: this struct is not written, and left out of a list that is read. NULL: always true.
    bool (*keep)(const void *object);
};

#define JSON_AT(type, member)                                                                      \
    .offset = offsetof(type, member), .bytes = sizeof(((const type *)NULL)->member)
#define JSON_LIST_AT(type, member, number)                                                         \
    JSON_AT(type, member), .count_offset = offsetof(type, number)
#define JSON_TABLE(type, list)                                                                     \
    .fields = (list), .count = sizeof(list) / sizeof *(list), .bytes = sizeof(type)

// All members of a struct, in the order of its table, into an object that is open.
void json_put_fields(struct json_out *out, const struct json_table *table, const void *object);

// All members of a struct that the table names; members that it does not name are ignored.
void json_get_fields(struct json_reader *reader, const struct json_node *node,
                     const struct json_table *table, void *object);

#endif
