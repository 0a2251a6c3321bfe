// SPDX-License-Identifier: MIT
// Opens libraries at run time. A struct dynlib_desc describes a library: its possible file names
// and the symbols that are needed. A missing library or symbol is an ordinary error; its message
// names the library or symbol.
#ifndef BASE_DYNLIB_H
#define BASE_DYNLIB_H

#include "base/error.h"

#include <stddef.h>

struct dynlib; // an open library; the pointer is the handle that dlopen returned

// A symbol of a library. dynlib_open stores its address in the struct at dynlib_desc.table,
// `offset` bytes from the start. One X-macro can declare both the members of that struct and, with
// DYNLIB_SYMBOL or DYNLIB_OPTIONAL, the array of symbols.
struct dynlib_symbol {
    const char *name; // exported name, with its version suffix: "cuCtxCreate_v2"
    size_t offset;    // offset of the function pointer in the struct at dynlib_desc.table
    // If true, a missing symbol sets the pointer to NULL. If false, a missing symbol is an error.
    bool optional;
};
#define DYNLIB_SYMBOL(table, member)                                                               \
    {                                                                                              \
        .name = #member, .offset = offsetof(table, member)                                         \
    }
#define DYNLIB_OPTIONAL(table, member)                                                             \
    {                                                                                              \
        .name = #member, .offset = offsetof(table, member), .optional = true                       \
    }

struct dynlib_desc {
    // file names of the library, which are tried in order; the list ends with NULL
    const char *const *files;
    const struct dynlib_symbol *symbols;
    size_t symbol_count;
    void *table; // struct of function pointers, which are set to the addresses of the symbols
};

// Opens the first file of desc->files that can be loaded, and sets the pointers in desc->table,
// which are valid until dynlib_close. The caller owns the library. Returns NULL with
// ERROR_NO_DEVICE if no file can be loaded (the message is the dynamic linker's error for the first
// file), or if a required symbol is missing (the message names the symbol).
struct dynlib *dynlib_open(const struct dynlib_desc *desc, struct error *err);
void dynlib_close(struct dynlib *lib); // closes the library; `lib` may be NULL

// Returns the path of the file that contains the code of `function`, as the dynamic linker knows
// it. The path is valid while the file is loaded. Returns NULL if the linker knows no such file.
const char *dynlib_path_of(void (*function)(void));

// Returns the path of the library's own file; NULL if the linker does not report it.
const char *dynlib_path(struct dynlib *lib);

// Returns the path of a loaded file whose name contains `part`; NULL if there is none. The path is
// valid while the file is loaded.
const char *dynlib_loaded(const char *part);

// Returns true if the loaded file `path`, or a library that it needs, exports `symbol`.
bool dynlib_exports(const char *path, const char *symbol);

#endif
