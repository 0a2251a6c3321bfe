// SPDX-License-Identifier: MIT
// Libraries found at run time. A library is described by data: the names it may have, and a table
// of the symbols wanted from it. A missing library or symbol is an ordinary error that names it.
#ifndef BASE_DYNLIB_H
#define BASE_DYNLIB_H

#include "base/error.h"

#include <stddef.h>

struct dynlib;

// One function pointer of a table struct. An X-macro list of (type, name) expands into the members
// of that struct and, with DYNLIB_SYMBOL, into this table.
struct dynlib_symbol {
    const char *name;   // as exported, version suffix included ("cuCtxCreate_v2")
    const char *former; // an older name to try where `name` is missing; NULL: none
    size_t offset;      // of the function pointer in the table struct
    bool optional;      // the pointer stays NULL where neither name is exported
};
#define DYNLIB_SYMBOL(table, member)                                                               \
    {                                                                                              \
        .name = #member, .offset = offsetof(table, member)                                         \
    }

struct dynlib_desc {
    const char *const *files; // candidates in order, NULL-terminated: {"libcuda.so.1", NULL}
    const struct dynlib_symbol *symbols;
    size_t symbol_count;
    void *table; // struct of function pointers, filled at the symbols' offsets
};

// Opens the first of desc->files that loads and fills the table. NULL with ERROR_NO_DEVICE: what
// the dynamic linker said of the first candidate, or the first required symbol that is missing.
// Owned by the caller; the pointers are valid until dynlib_close.
struct dynlib *dynlib_open(const struct dynlib_desc *desc, struct error *err);
void dynlib_close(struct dynlib *lib); // NULL is legal

// The candidate that was opened.
const char *dynlib_file(const struct dynlib *lib);

#endif
