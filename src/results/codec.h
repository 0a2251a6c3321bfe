// SPDX-License-Identifier: MIT
// Writes and reads JSON: run files, the messages of workers and every other document that fathom
// writes.
//
// One table of members describes a struct for both directions: json_put_fields writes the struct
// and json_get_fields reads it.
//
// The writer makes the text itself, in an arena, so only its stream can fail. The reader mostly
// uses jansson. Only the rows of a long array, if fathom has written them, are read by fathom's own
// code. If memory runs out, the process ends as in base/arena.h, so a document is never read only
// in part.
#ifndef RESULTS_CODEC_H
#define RESULTS_CODEC_H

#include "results/names.h"

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// ---------------------------------------------------------------- writing JSON

struct json_out {
    struct arena *arena; // memory for the text that is being written
    // The stream that gets the text. If `stream` and `sink` are NULL, the text stays in memory, for
    // json_out_text.
    FILE *stream;
    // True: each top-level member, and each object in a top-level array, gets its own line.
    bool lines;
    unsigned indent; // number of spaces per level of indentation; 0 means no indentation
    int gzip;        // level at which zlib gzips the text for the stream; 0 means plain text
    // A function that gets the text, piece by piece, instead of `stream`. If it is NULL, the text
    // goes to `stream`.
    void (*sink)(void *context, const char *text, size_t bytes);
    void *sink_context;
    // Name of members that are left out in all structs; NULL if no member is left out.
    const char *without;
    // The members below are private to codec_write.c.
    char *text;
    size_t used, capacity;
    unsigned depth;
    bool comma;       // true: a comma must be written before the next value
    int stream_error; // errno of the first write that failed; 0 if no write failed
    struct z_stream_s *packer;
};

// Each of these functions writes one value. `name` is the name of the member. If the value is an
// element of an array, or the document itself, `name` is NULL. If `text` is NULL, json_put_text
// writes nothing. Some drivers report texts that are not valid UTF-8; each invalid byte becomes
// U+FFFD, in values and in names.
void json_put_text(struct json_out *out, const char *name, const char *text);
void json_put_count(struct json_out *out, const char *name, uint64_t count);
void json_put_bool(struct json_out *out, const char *name, bool value);
void json_put_null(struct json_out *out, const char *name);

// These functions write numbers with decimal digits that read back as the same double. Whole
// numbers below 2^53 have no fraction. A value that is not finite becomes null in an array; as a
// member of an object it is left out.
void json_put_real(struct json_out *out, const char *name, double value);
void json_put_reals(struct json_out *out, const char *name, const double *values, size_t count);

// json_put_open begins an object ('{') or an array ('['), and json_put_close ends it ('}' or ']').
// The values that are written between the two calls become its members or elements.
void json_put_open(struct json_out *out, const char *name, char bracket);
void json_put_close(struct json_out *out, char bracket);

// Returns the text written so far. May be called only if the text stays in memory: `stream` and
// `sink` must be NULL. The returned text is valid until the next value is written.
const char *json_out_text(struct json_out *out);

// Ends the document with a newline and flushes the stream. Fails with ERROR_IO if a write failed:
// "cannot write WHAT: …" or, for a memory stream, "out of memory while writing WHAT".
MUST_CHECK bool json_out_end(struct json_out *out, const char *what, struct error *err);

// ---------------------------------------------------------------- reading JSON

// State of reading one document. `err` gets the first error, with the path of the value. A node
// that cannot be read gives the same value as an absent one, so a caller can read all members first
// and then check `failed` once.
struct json_reader {
    struct arena *arena; // memory for the strings and arrays that are read
    const char *file;    // name of the file, for messages
    struct error *err;
    const void *context; // data of the caller, for the functions json_field.get
    // Elements of the array that json_read_rows left out of the document. NULL if no array was left
    // out.
    struct json_rows *rows;
    bool failed;
};

// A value in a document, with its path. Nodes live on the stack of the function that reads them.
struct json_node {
    // Object or array that contains the value. NULL if the value is the document itself.
    const struct json_node *up;
    // Name of the member. NULL if the value is an element of an array, or the document itself.
    const char *member;
    size_t index;        // index in the array, if the value is an element of an array
    const json_t *value; // the value in jansson; NULL if it is absent or null
};

// These functions read a document from a file ("-": the standard input) or from memory. The caller
// releases the document with json_decref. `name` is used in messages. A file may be gzipped,
// whatever its name is.
//
// They return NULL with ERROR_IO if the file cannot be read. They return NULL with ERROR_USAGE if
// the text is not JSON or is cut short; the message names the line. A gzipped file that is damaged,
// or has more than 256 MiB of unpacked text, also gives ERROR_USAGE.
json_t *json_read_file(const char *path, struct error *err);
json_t *json_read_memory(const char *text, size_t bytes, const char *name, struct error *err);

// Returns the unpacked text of a file, without a NUL at its end, and sets *bytes to its length.
// Returns NULL with an error as in json_read_file. The caller frees the text.
char *json_read_text(const char *path, size_t *bytes, struct error *err);

// The elements of a long top-level array, for reading them one at a time. If jansson read all
// elements at once, they would take several times the memory of the text. The text must live as
// long as this struct.
struct json_rows {
    const char *name;     // name of the array
    const char *at, *end; // text of the elements that have not been read yet
    bool failed;          // true: an element was not valid JSON
};

// Reads the document without the elements of its top-level array `name`. json_rows_next then reads
// the elements from `rows`. Returns NULL without an error if there is no such array, or if the rest
// of the text is not JSON. The caller then reads the whole document with json_read_memory, which
// reports the error, if there is one.
json_t *json_read_rows(const char *text, size_t bytes, const char *name, struct json_rows *rows);

// Returns the next element of the array, which the caller releases with json_decref. Returns NULL
// after the last element, or if an element was not valid JSON (rows->failed).
json_t *json_rows_next(struct json_rows *rows);

// json_member returns a member of an object. json_element returns an element of an array. If the
// value is missing or null, both return an absent node. json_member records an error if `node` is
// present but is not an object.
struct json_node json_member(struct json_reader *reader, const struct json_node *node,
                             const char *name);
struct json_node json_element(const struct json_node *node, size_t index);

// Returns the number of elements of an array; 0 if the node is absent. Records an error if `node`
// is something other than an array.
size_t json_elements(struct json_reader *reader, const struct json_node *node);

// Returns true if the node is an object or absent. Otherwise records an error and returns false.
bool json_is_map(struct json_reader *reader, const struct json_node *node);

// These functions return the value of a node. A value of another type is an error. An absent node
// gives NULL, NaN or 0 without an error. Only json_text_required treats an absent node as an error;
// it then returns "".
const char *json_text(struct json_reader *reader, const struct json_node *node);
const char *json_text_required(struct json_reader *reader, const struct json_node *node);
double json_number(struct json_reader *reader, const struct json_node *node);
// json_count returns a whole number from 0 to UINT64_MAX. Any other number is an error.
uint64_t json_count(struct json_reader *reader, const struct json_node *node);

// Returns the value of a node as one line of JSON, in `arena`. The node must be present.
const char *json_compact(struct arena *arena, const struct json_node *node);

// Returns an array of numbers in the reader's arena and sets *count. Null elements become NaN.
double *json_numbers(struct json_reader *reader, const struct json_node *node, size_t *count);

// Records the error ERROR_USAGE "FILE: PATH: message" for a node, unless the reader has failed
// before. Returns false.
bool json_fail(struct json_reader *reader, const struct json_node *node, const char *format, ...)
    PRINTF_LIKE(3, 4);

// Replaces control characters in the message by '?', so that text quoted from a file is safe to
// print.
void json_message_clean(struct error *err);

// ---------------------------------------------------------------- tables of members

enum json_kind {
    FIELD_TEXT, // the member is a text: const char *
    // the member is a text within the struct: char[]; if absent in JSON, it reads as ""
    FIELD_CHARS,
    FIELD_REAL,   // the member is a real number: double
    FIELD_COUNT,  // the member is a whole number ≥ 0: unsigned, size_t or uint64_t
    FIELD_FLAG,   // the member is a bool; false is not written
    FIELD_WORD,   // the member is an enumeration, written as one of json_field.words
    FIELD_TEXTS,  // the member is an array of texts: const char **
    FIELD_REALS,  // the member is an array of real numbers: double *
    FIELD_OBJECT, // the member is itself a struct, written as an object
    FIELD_LIST,   // the member is an array of structs, written as an array of objects
    // The member is an array of structs, written as one object with a JSON member for each struct.
    // The first member of the struct, a text, is the name of the JSON member. The value is the
    // second member, or an object of all members but the first if the struct has more than two. If
    // several structs have the same name, only the last one is written.
    FIELD_MAP,
    FIELD_CUSTOM // the member has any type; json_field.put writes it, json_field.get reads it
};

struct json_field {
    const char *name;
    enum json_kind kind;
    size_t offset, bytes; // offset and size of the member in the struct, in bytes (JSON_AT)
    // For arrays: offset in the struct of the member with the number of elements, which is a size_t
    // (JSON_LIST_AT).
    size_t count_offset;
    bool required; // true: it is an error if the member is absent
    // True: the number 0, the first of `words` and an empty array are not written.
    bool omit_zero;
    bool pointers; // true: a FIELD_LIST is an array of pointers to structs
    // The words of a FIELD_WORD. If words->expected is NULL, an unknown word is not an error.
    const struct words *words;
    // For a FIELD_OBJECT: the table of the inner struct. For an array of structs: the table of its
    // elements.
    const struct json_table *table;
    // For a FIELD_LIST: function that reading calls for each element. It adds an element to
    // `object` and returns it. If `add` is NULL, reading allocates an array instead.
    void *(*add)(void *object);
    void (*put)(struct json_out *out, const char *name, const void *object);
    void (*get)(struct json_reader *reader, const struct json_node *node, void *object);
};

struct json_table {
    const struct json_field *fields;
    size_t count;
    size_t bytes; // size of the struct, in bytes
    // Returns false for a struct that is left out: it is not written, and dropped when an array is
    // read. If `keep` is NULL, no struct is left out. The function is not called for a FIELD_MAP,
    // nor for elements that are read with json_field.add.
    bool (*keep)(const void *object);
};

#define JSON_AT(type, member)                                                                      \
    .offset = offsetof(type, member), .bytes = sizeof(((const type *)NULL)->member)
#define JSON_LIST_AT(type, member, number)                                                         \
    JSON_AT(type, member), .count_offset = offsetof(type, number)
#define JSON_TABLE(type, list)                                                                     \
    .fields = (list), .count = sizeof(list) / sizeof *(list), .bytes = sizeof(type)

// Writes the members of a struct into the open object, in the order of the table. Does not write:
// flags that are false, texts that are NULL, reals that are not finite, members with the name
// json_out.without, and what json_field.omit_zero or json_table.keep exclude.
void json_put_fields(struct json_out *out, const struct json_table *table, const void *object);

// Writes a struct as an object with these members. Writes nothing if json_table.keep excludes it.
void json_put_struct(struct json_out *out, const char *name, const struct json_table *table,
                     const void *object);

// Writes only the member `name` of the table into the open object.
void json_put_member(struct json_out *out, const struct json_table *table, const char *name,
                     const void *object);

// Reads the members that are in the table into the struct. Ignores all other members.
void json_get_fields(struct json_reader *reader, const struct json_node *node,
                     const struct json_table *table, void *object);

#endif
