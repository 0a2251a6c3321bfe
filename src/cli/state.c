// SPDX-License-Identifier: MIT
#include "cli/state.h"

#include "base/text.h"
#include "results/json.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char suffix[] = ".json.gz";

// Returns the path of the folder of kept runs, or NULL. Relative paths in the environment are
// ignored, as the XDG Base Directory Specification demands.
static const char *folder_of(struct arena *arena)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    if (state && *state == '/')
        return arena_printf(arena, "%s/fathom", state);
    if (home && *home == '/')
        return arena_printf(arena, "%s/.local/state/fathom", home);
    return NULL;
}

// Creates a folder and all folders above it. Returns true if `folder` then exists, even if it is
// not a folder but another file.
static bool make_folder(struct arena *arena, const char *folder)
{
    char *path = arena_strdup(arena, folder);
    for (char *slash = path; (slash = strchr(slash + 1, '/')) != NULL; *slash = '/') {
        *slash = '\0';
        // A folder that exists is no error. The last mkdir finds real errors.
        mkdir(path, 0700);
    }
    return mkdir(folder, 0700) == 0 || errno == EEXIST;
}

// Lists the files of kept runs by name. The names begin with the start times, so the newest run is
// last. Returns the number of files, or −1 if the folder cannot be read.
static int list_runs(const char *folder, struct dirent ***entries)
{
    int count = scandir(folder, entries, NULL, alphasort);
    int kept = 0;
    for (int i = 0; i < count; i++) {
        if ((*entries)[i]->d_name[0] != '.' && text_ends((*entries)[i]->d_name, suffix))
            (*entries)[kept++] = (*entries)[i];
        else
            free((*entries)[i]);
    }
    return count < 0 ? count : kept;
}

static void free_runs(struct dirent **entries, int count)
{
    for (int i = 0; i < count; i++)
        free(entries[i]);
    if (count >= 0)
        free(entries);
}

// Removes the oldest runs, but not the run `kept`, which seems older than others if the clock was
// once fast.
static void remove_oldest(struct arena *arena, const char *folder, const char *kept)
{
    struct dirent **entries;
    int count = list_runs(folder, &entries), left = count;
    for (int i = 0; i < count && left > STATE_RUNS; i++) {
        const char *path = arena_printf(arena, "%s/%s", folder, entries[i]->d_name);
        if (strcmp(path, kept) == 0)
            continue;
        unlink(path);
        left--;
    }
    free_runs(entries, count);
}

// Returns a start time for a file name, "20260102T030405Z". It has no ":", because some file
// systems refuse it.
static const char *compact_time(struct arena *arena, const char *started)
{
    char *text = arena_strdup(arena, started ? started : "");
    size_t kept = 0;
    for (const char *at = text; *at; at++)
        if (*at != '-' && *at != ':')
            text[kept++] = *at;
    text[kept] = '\0';
    return text;
}

const char *state_keep(struct arena *arena, const struct run *run)
{
    const char *folder = folder_of(arena);
    if (!folder || !make_folder(arena, folder))
        return NULL;
    const char *path = arena_printf(arena, "%s/%s-%ld%s", folder, compact_time(arena, run->started),
                                    (long)getpid(), suffix);
    // Creates the run file so that only its owner can read it. run_save keeps the file's mode.
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0)
        return NULL;
    close(file);
    struct error err;
    if (!run_save(run, path, &err)) {
        unlink(path);
        return NULL;
    }
    remove_oldest(arena, folder, path);
    return path;
}

const char *state_last(struct arena *arena)
{
    const char *folder = folder_of(arena), *path = NULL;
    struct dirent **entries = NULL;
    int count = folder ? list_runs(folder, &entries) : -1;
    if (count > 0)
        path = arena_printf(arena, "%s/%s", folder, entries[count - 1]->d_name);
    free_runs(entries, count);
    return path;
}
