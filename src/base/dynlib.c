// SPDX-License-Identifier: MIT
#define _GNU_SOURCE // _GNU_SOURCE makes dlfcn.h declare dladdr and dlinfo
#include "base/dynlib.h"

#include "base/text.h"

#include <dlfcn.h>
#include <link.h>
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

const char *dynlib_path_of(void (*function)(void))
{
    void *address;
    Dl_info info;
    memcpy(&address, &function, sizeof address);
    return dladdr(address, &info) ? info.dli_fname : NULL;
}

const char *dynlib_path(struct dynlib *lib)
{
    struct link_map *map;
    return dlinfo(lib, RTLD_DI_LINKMAP, &map) == 0 ? map->l_name : NULL;
}

struct search {
    const char *part, *path;
};

static int find_part(struct dl_phdr_info *info, size_t bytes, void *context)
{
    (void)bytes;
    struct search *search = context;
    if (strstr(text_file_name(info->dlpi_name), search->part))
        search->path = info->dlpi_name;
    return search->path != NULL;
}

const char *dynlib_loaded(const char *part)
{
    struct search search = {.part = part};
    dl_iterate_phdr(find_part, &search);
    return search.path;
}

bool dynlib_exports(const char *path, const char *symbol)
{
    void *handle = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
    bool found = handle && dlsym(handle, symbol);
    if (handle)
        dlclose(handle);
    return found;
}
