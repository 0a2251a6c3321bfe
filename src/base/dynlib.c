// SPDX-License-Identifier: MIT
#include "base/dynlib.h"

#include "base/arena.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

struct dynlib {
    void *handle;
    const char *file;
};

// dlsym returns void *. C has no conversion from that to a function pointer, so the bits are
// copied.
_Static_assert(sizeof(void *) == sizeof(void (*)(void)), "function pointers are copied from dlsym");

static void *open_first(const char *const *files, const char **file, struct error *err)
{
    for (const char *const *name = files; *name; name++) {
        void *handle = dlopen(*name, RTLD_NOW | RTLD_LOCAL);
        if (handle) {
            *file = *name;
            return handle;
        }
        const char *why = dlerror();
        if (name == files)
            error_set(err, ERROR_NO_DEVICE, "%s", why ? why : *name);
    }
    return NULL;
}

static bool fill_table(void *handle, const struct dynlib_desc *desc, const char *file,
                       struct error *err)
{
    for (size_t i = 0; i < desc->symbol_count; i++) {
        const struct dynlib_symbol *symbol = &desc->symbols[i];
        void *address = dlsym(handle, symbol->name);
        if (!address && symbol->former)
            address = dlsym(handle, symbol->former);
        if (!address && !symbol->optional)
            return error_set(err, ERROR_NO_DEVICE, "%s: symbol %s is missing (too old?)", file,
                             symbol->name);
        memcpy((char *)desc->table + symbol->offset, &address, sizeof address);
    }
    return true;
}

struct dynlib *dynlib_open(const struct dynlib_desc *desc, struct error *err)
{
    const char *file = NULL;
    void *handle = open_first(desc->files, &file, err);
    if (!handle)
        return NULL;
    struct dynlib *lib = arena_malloc(sizeof *lib);
    if (!fill_table(handle, desc, file, err)) {
        free(lib);
        dlclose(handle);
        return NULL;
    }
    *lib = (struct dynlib){.handle = handle, .file = file};
    return lib;
}

void dynlib_close(struct dynlib *lib)
{
    if (!lib)
        return;
    dlclose(lib->handle);
    free(lib);
}

const char *dynlib_file(const struct dynlib *lib)
{
    return lib->file;
}
