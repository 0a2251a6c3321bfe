// SPDX-License-Identifier: MIT
// Opens libraries at run time. A library is described by data: its possible file names, and a table
// of the symbols that are needed. A missing library or symbol is an ordinary error, whose message
// names it.
#ifndef BASE_DYNLIB_H
#define BASE_DYNLIB_H

#include "base/error.h"

#include <stddef.h>

struct dynlib; // an open library: the handle that dlopen returned

// A function pointer in a struct. One X-macro list of names makes both the members of that struct
// and, with DYNLIB_SYMBOL, the entries of this table.
struct dynlib_symbol {
    const char *name;   // as exported, with version suffix: "cuCtxCreate_v2"
    const char *former; // older name to try if `name` is missing; NULL: none
    size_t offset;      // offset of the function pointer in the struct
    bool optional; // true: the pointer is NULL if the symbol is missing; false: that is an error
};
#define DYNLIB_SYMBOL(table, member)                                                               \
    {                                                                                              \
        .name = #member, .offset = offsetof(table, member)                                         \
    }

struct dynlib_desc {
    const char *const *files; // file names to try in order; ends with NULL
    const struct dynlib_symbol *symbols;
    size_t symbol_count;
    void *table; // the struct whose function pointers are set
};

// Opens the first file of desc->files that can be loaded, and sets the pointers. Returns NULL with
// ERROR_NO_DEVICE if it cannot; the message has the dynamic linker's error for the first file, or
// the first required symbol that is missing. The caller owns the library. The pointers are valid
// until dynlib_close.
struct dynlib *dynlib_open(const struct dynlib_desc *desc, struct error *err);
void dynlib_close(struct dynlib *lib); // accepts NULL

#endif
