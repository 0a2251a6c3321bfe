// SPDX-License-Identifier: MIT
#include "base/dynlib.h"

#include <dlfcn.h>
#include <string.h>

// dlsym returns void *, which C cannot convert to a function pointer, so the bits are copied.
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
    struct dynlib *lib = open_first(desc->files, &file, err);
    if (!lib || fill_table(lib, desc, file, err))
        return lib;
    dynlib_close(lib);
    return NULL;
}

void dynlib_close(struct dynlib *lib)
{
    if (lib)
        dlclose(lib);
}
