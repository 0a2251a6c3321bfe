// SPDX-License-Identifier: MIT
// Finds and loads libcupti, which packages often install outside the dynamic loader's path.
// Converts the results of CUPTI's functions to errors.
#include "gpu/cuda/cupti.h"

#include "base/text.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    CANDIDATES_MAX = 64
};

struct candidates {
    struct arena *arena;
    const char *files[CANDIDATES_MAX];
    size_t count;
};

static void add_file(struct candidates *list, const char *file)
{
    if (list->count < CANDIDATES_MAX)
        list->files[list->count++] = arena_strdup(list->arena, file);
}

static int newer_first(const void *a, const void *b)
{
    return text_compare_versions(*(char *const *)b, *(char *const *)a);
}

// Adds the files that match the pattern to the list, files with a higher version first.
static void add_pattern(struct candidates *list, const char *pattern)
{
    glob_t found;
    if (glob(pattern, GLOB_NOSORT, NULL, &found) != 0)
        return;
    qsort(found.gl_pathv, found.gl_pathc, sizeof *found.gl_pathv, newer_first);
    for (size_t i = 0; i < found.gl_pathc; i++)
        add_file(list, found.gl_pathv[i]);
    globfree(&found);
}

static void add_toolkits(struct candidates *list, const char *folders)
{
    static const char *const inside[] = {"extras/CUPTI/lib64", "lib64", "targets/*-linux/lib",
                                         "lib"};
    for (size_t i = 0; i < COUNT(inside); i++)
        add_pattern(list,
                    arena_printf(list->arena, "%s/%s/libcupti.so.1[2-9]", folders, inside[i]));
}

static struct candidates find_candidates(struct arena *arena)
{
    struct candidates list = {.arena = arena};
    const char *chosen = getenv("FATHOM_CUPTI"), *home = getenv("CUDA_HOME");
    struct stat status;
    if (chosen && *chosen) {
        if (stat(chosen, &status) == 0 && S_ISDIR(status.st_mode))
            add_pattern(&list, arena_printf(arena, "%s/libcupti.so*", chosen));
        else
            add_file(&list, chosen);
        return list;
    }
    if (home && *home)
        add_toolkits(&list, home);
    add_file(&list, "libcupti.so.13");
    add_file(&list, "libcupti.so.12");
    add_toolkits(&list, "/usr/local/cuda");
    add_toolkits(&list, "/usr/local/cuda-*");
    return list;
}

// Opens a library beside libcupti, so that the dynamic loader finds it when libcupti opens it.
static struct dynlib *open_beside(struct arena *arena, const char *file, const char *name,
                                  struct error *err)
{
    const char *slash = strrchr(file, '/');
    const char *path =
        slash ? arena_printf(arena, "%.*s/%s", (int)(slash - file), file, name) : name;
    const char *const files[] = {path, NULL};
    return dynlib_open(&(struct dynlib_desc){.files = files}, err);
}

static bool open_file(struct arena *arena, const char *file, struct cupti_api *api,
                      struct error *err)
{
    static const struct dynlib_symbol symbols[] = {
#define X(member, type) DYNLIB_SYMBOL(struct cupti_api, member),
        CUPTI_FUNCTIONS(X)
#undef X
            DYNLIB_SYMBOL(struct cupti_api, cuptiGetResultString)};
    const char *const files[] = {file, NULL};
    const struct dynlib_desc desc = {
        .files = files, .symbols = symbols, .symbol_count = COUNT(symbols), .table = api};
    struct dynlib *target = open_beside(arena, file, "libnvperf_target.so", err);
    struct dynlib *host = target ? open_beside(arena, file, "libnvperf_host.so", err) : NULL;
    if (host && dynlib_open(&desc, err))
        return true;
    dynlib_close(host);
    dynlib_close(target);
    return false;
}

bool cupti_load(struct arena *arena, struct cupti_api *api, struct error *err)
{
    struct candidates list = find_candidates(arena);
    struct error first = {.code = ERROR_NONE};
    for (size_t i = 0; i < list.count; i++) {
        struct error why;
        if (open_file(arena, list.files[i], api, &why))
            return true;
        bool is_there = strchr(list.files[i], '/') && access(list.files[i], R_OK) == 0;
        if (is_there && first.code == ERROR_NONE)
            first = why;
    }
    const char *chosen = getenv("FATHOM_CUPTI");
    if (first.code != ERROR_NONE)
        return error_set(err, ERROR_UNSUPPORTED,
                         "hardware counters need CUPTI of CUDA 12.6 or later: %s", first.message);
    const char *install = "install the CUDA toolkit (package cuda-cupti-13-0) or the Python wheel "
                          "nvidia-cuda-cupti, and set FATHOM_CUPTI to the folder of libcupti.so "
                          "if it is not in /usr/local/cuda";
    if (chosen && *chosen)
        return error_set(err, ERROR_UNSUPPORTED, "hardware counters: %s has no libcupti.so: %s",
                         chosen, install);
    return error_set(err, ERROR_UNSUPPORTED,
                     "hardware counters need libcupti of CUDA 12.6 or later, which is not "
                     "installed: %s",
                     install);
}

bool cupti_check(const struct cupti_api *api, int result, const char *what, struct error *err)
{
    if (result == CUPTI_SUCCESS)
        return true;
    if (result == CUPTI_INSUFFICIENT_PRIVILEGES ||
        result == CUPTI_VIRTUALIZED_INSUFFICIENT_PRIVILEGES)
        return error_set(
            err, ERROR_UNSUPPORTED,
            "the driver allows only administrators to read hardware counters: run as root (in a "
            "container with --cap-add=SYS_ADMIN), or load the driver with "
            "NVreg_RestrictProfilingToAdminUsers=0");
    if (result == CUPTI_HARDWARE_BUSY)
        return error_set(err, ERROR_UNSUPPORTED,
                         "another program reads the hardware counters: end it (of DCGM: `dcgmi "
                         "profile --pause`)");
    const char *text = NULL;
    if (api->cuptiGetResultString(result, &text) != CUPTI_SUCCESS || !text)
        text = "an error that this library does not name";
    return error_set(err, ERROR_UNSUPPORTED, "hardware counters: %s: %s (%d)", what, text, result);
}
