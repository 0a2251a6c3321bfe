// SPDX-License-Identifier: MIT
// Writes and reads JSON: run files, the messages of workers and every other document of fathom.
//
// One table of members describes a struct for both directions: json_put_fields writes the struct
// and json_get_fields reads it. The writer makes the text in an arena, so only its stream can fail.
// The reader uses jansson, but fathom's own code reads long arrays in the form that fathom writes.
// If memory runs out, the process ends (base/arena.h).
#ifndef RESULTS_CODEC_H
#define RESULTS_CODEC_H

#include "results/names.h"

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// ---------------------------------------------------------------- writing JSON

struct json_out {
    struct arena *arena; // memory for the text and, if the text is gzipped, for zlib
    // Stream to which the text is written. If there is neither a stream nor a sink, the text stays
    // in memory (json_out_text).
    FILE *stream;
    // true: each top-level member but the first, and each object in a top-level array, begins a new
    // line
    bool lines;
    unsigned indent; // spaces of indentation per level; 0: no indentation
    int gzip;        // level of gzip compression for the stream; 0: plain text
    // Function that gets the text piece by piece, instead of `stream`; may be NULL.
    void (*sink)(void *context, const char *text, size_t bytes);
    void *sink_context;
    // Name of a member that the writer leaves out of every struct; NULL leaves out nothing.
    const char *without;
    // The members below are private to codec_write.c.
    char *text;
    size_t used, capacity;
    unsigned depth;
    bool comma;       // true: the next value needs a comma before it
    int stream_error; // errno of the first write that failed; 0 if no write failed
    struct z_stream_s *packer;
};

// Each of these functions writes one value. `name` is the name of a member; NULL for an element of
// an array, or for the whole document. Invalid UTF-8, which some drivers report, becomes U+FFFD. If
// `text` is NULL, json_put_text writes nothing.
void json_put_text(struct json_out *out, const char *name, const char *text);
void json_put_count(struct json_out *out, const char *name, uint64_t count);
void json_put_bool(struct json_out *out, const char *name, bool value);
void json_put_null(struct json_out *out, const char *name);

// These functions write numbers that read back as the same double. A whole number between −2^53 and
// 2^53 has no fraction, except −0. A value that is not finite becomes null in an array; as a member
// it is left out.
void json_put_real(struct json_out *out, const char *name, double value);
void json_put_reals(struct json_out *out, const char *name, const double *values, size_t count);

// json_put_open begins an object ('{') or an array ('['), and json_put_close ends it ('}' or ']').
// All values written in between belong to it.
void json_put_open(struct json_out *out, const char *name, char bracket);
void json_put_close(struct json_out *out, char bracket);

// Returns the text so far, valid until the next value is written. Only for a document in memory:
// `stream` and `sink` are NULL.
const char *json_out_text(struct json_out *out);

// Ends a document with a newline and flushes the stream. Not for a document in memory. If a write
// failed, fails with ERROR_IO: "cannot write WHAT: …" or, if memory ran out, "out of memory while
// writing WHAT".
MUST_CHECK bool json_out_end(struct json_out *out, const char *what, struct error *err);

// ---------------------------------------------------------------- reading JSON

// State of reading one document. The first error is stored in `err` and sets `failed`. The
// functions below go on after an error, so a caller can read all members and then check `failed`
// once.
struct json_reader {
    struct arena *arena; // arena of the strings and arrays that are read
    const char *file;    // name of the file, for error messages
    struct error *err;
    const void *context; // pointer that the caller passes to its json_field.get functions
    // Array elements that are read one by one from the text (json_read_rows). NULL if the document
    // already contains all elements.
    struct json_rows *rows;
    bool failed;
};

// A value in a document, with its path. Nodes live on the stack of the function that reads them.
struct json_node {
    // Object or array that contains the value; NULL for the whole document.
    const struct json_node *up;
    // Name of the member; NULL for an element of an array, or for the whole document.
    const char *member;
    size_t index; // index of an element in its array
    // The value, in jansson's form; NULL if it is absent. json_member and json_element also give
    // NULL for a null.
    const json_t *value;
};

// json_read_file reads a document from a file, gzipped or not ("-": the standard input).
// json_read_memory reads it from memory; `name` is for messages. The caller releases the document
// with json_decref. Both return NULL with ERROR_USAGE if the text is cut short or not JSON (the
// message names the line), or if a gzipped file is damaged or unpacks to more than 256 MiB; with
// ERROR_IO if the file cannot be read.
json_t *json_read_file(const char *path, struct error *err);
json_t *json_read_memory(const char *text, size_t bytes, const char *name, struct error *err);

// Returns the unpacked text of a file, without a NUL at its end, and its length in *bytes. The
// caller frees the text. Fails like json_read_file, but accepts text that is not JSON.
char *json_read_text(const char *path, size_t *bytes, struct error *err);

// A long top-level array that is read one element at a time, because all elements at once would
// need several times the memory of the text. The text must live as long as this struct.
struct json_rows {
    const char *name;     // name of the array in the document
    const char *at, *end; // text of the elements that are still to be read
    bool failed;          // true: the text of the elements is not valid JSON
};

// Reads a document without the elements of its top-level array `name`. json_rows_next then reads
// these elements from `rows`. Returns NULL without an error if there is no such array, or if the
// rest of the text is not JSON. To get the error, the caller then calls json_read_memory.
json_t *json_read_rows(const char *text, size_t bytes, const char *name, struct json_rows *rows);

// Returns the next element of the array; the caller releases it with json_decref. Returns NULL
// after the last element, and if the next element is not valid JSON. A fault in the element, or
// directly after it, sets rows->failed.
json_t *json_rows_next(struct json_rows *rows);

// json_member returns a member of an object, json_element an element of an array. A missing or null
// value gives an absent node. json_member records an error if `node` is neither an object nor
// absent.
struct json_node json_member(struct json_reader *reader, const struct json_node *node,
                             const char *name);
struct json_node json_element(const struct json_node *node, size_t index);

// Returns the number of elements of an array; 0 if the node is absent. Any other node is an error.
size_t json_elements(struct json_reader *reader, const struct json_node *node);

// True if the node is an object or absent. Otherwise records an error.
bool json_is_map(struct json_reader *reader, const struct json_node *node);

// These functions return the value of a node; a value of another type is an error. An absent node
// gives NULL, NaN or 0. For json_text_required, an absent node is an error, and gives "".
const char *json_text(struct json_reader *reader, const struct json_node *node);
const char *json_text_required(struct json_reader *reader, const struct json_node *node);
double json_number(struct json_reader *reader, const struct json_node *node);
// json_count returns a whole number from 0 to UINT64_MAX. Any other number is an error, except
// 2^64: json_put_count writes UINT64_MAX like that.
uint64_t json_count(struct json_reader *reader, const struct json_node *node);

// Returns the value of a present node as one line of JSON, in `arena`.
const char *json_compact(struct arena *arena, const struct json_node *node);

// Returns an array of *count numbers, in the reader's arena. A null element becomes NaN.
double *json_numbers(struct json_reader *reader, const struct json_node *node, size_t *count);

// Records the error ERROR_USAGE "FILE: PATH: message" about a node, unless the reader already has
// an error. Returns false.
bool json_fail(struct json_reader *reader, const struct json_node *node, const char *format, ...)
    PRINTF_LIKE(3, 4);

// ---------------------------------------------------------------- tables of members

enum json_kind {
    FIELD_TEXT, // the member is a text: const char *
    // the member is a text inside the struct: char[]; reading an absent member leaves it unchanged
    FIELD_CHARS,
    FIELD_REAL,   // the member is a real number: double
    FIELD_COUNT,  // the member is a whole number ≥ 0: unsigned, size_t or uint64_t
    FIELD_FLAG,   // the member is a bool; false is not written
    FIELD_WORD,   // the member is an enumeration, written as one of json_field.words
    FIELD_TEXTS,  // the member is an array of texts: const char **
    FIELD_REALS,  // the member is an array of real numbers: double *
    FIELD_OBJECT, // the member is itself a struct, written as an object
    FIELD_LIST,   // the member is an array of structs, written as an array of objects
    // An array of structs, written as one JSON object with a member for each struct. The struct's
    // first member, a text, is the name; the second is the value, or an object of all others if
    // there are more. Of structs with the same name, only the last one is written.
    FIELD_MAP,
    FIELD_CUSTOM // the member has any type; json_field.put writes it, json_field.get reads it
};

struct json_field {
    const char *name;
    enum json_kind kind;
    size_t offset, bytes; // offset and size of the member in the struct, in bytes (JSON_AT)
    // For an array: offset of the struct's size_t that counts the elements (JSON_LIST_AT).
    size_t count_offset;
    bool required; // true: if the member is absent, reading fails
    // true: a 0, an empty array or the first of `words` is not written
    bool omit_zero;
    bool pointers; // true: a FIELD_LIST is an array of pointers to structs
    // Words of a FIELD_WORD. If words->expected is NULL, reading accepts unknown words, too.
    const struct words *words;
    // Table of the struct of a FIELD_OBJECT, or of the structs in an array.
    const struct json_table *table;
    // For a FIELD_LIST: adds an element to `object` and returns it. Reading calls this function for
    // each element. If it is NULL, reading allocates one array for all elements.
    void *(*add)(void *object);
    void (*put)(struct json_out *out, const char *name, const void *object);
    void (*get)(struct json_reader *reader, const struct json_node *node, void *object);
};

struct json_table {
    const struct json_field *fields;
    size_t count;
    size_t bytes; // size in bytes of the struct that the table describes
    // Returns false for a struct to leave out, in writing and in reading an array; NULL keeps all
    // structs. A FIELD_MAP and reading with json_field.add ignore this function.
    bool (*keep)(const void *object);
};

#define JSON_AT(type, member)                                                                      \
    .offset = offsetof(type, member), .bytes = sizeof(((const type *)NULL)->member)
#define JSON_LIST_AT(type, member, number)                                                         \
    JSON_AT(type, member), .count_offset = offsetof(type, number)
#define JSON_TABLE(type, list)                                                                     \
    .fields = (list), .count = sizeof(list) / sizeof *(list), .bytes = sizeof(type)

// Writes the members of a struct into the open object, in the order of the table. Leaves out:
// - flags that are false, texts that are NULL, and reals that are not finite
// - the member with the name json_out.without
// - members that json_field.omit_zero excludes, and structs that json_table.keep excludes
void json_put_fields(struct json_out *out, const struct json_table *table, const void *object);

// Writes a struct as an object, with the members that json_put_fields writes. Writes nothing if
// json_table.keep excludes the struct.
void json_put_struct(struct json_out *out, const char *name, const struct json_table *table,
                     const void *object);

// Writes the member `name` of a struct into the open object.
void json_put_member(struct json_out *out, const struct json_table *table, const char *name,
                     const void *object);

// Reads the members of the table into the struct. Ignores all other JSON members.
void json_get_fields(struct json_reader *reader, const struct json_node *node,
                     const struct json_table *table, void *object);

#endif
