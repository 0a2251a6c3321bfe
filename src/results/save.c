// SPDX-License-Identifier: MIT
#define _XOPEN_SOURCE 700 // realpath is in the XSI part of POSIX
#include "results/save.h"
#include "base/arena.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// The file to which the bytes are written.
struct target {
    const char *path;      // links are resolved if the file exists
    const char *temporary; // NULL: write directly to path
    mode_t mode;           // permissions of the existing file; 0: there is none
};

static bool cannot_write(struct error *err, const char *path, int number)
{
    const char *remedy = number == ENOSPC || number == EDQUOT ? "free space or choose another place"
                         : number == ENOENT                   ? "create its folder first"
                                                              : "choose another place";
    return error_set(err, ERROR_IO, "cannot write %s: %s; %s", path, strerror(number), remedy);
}

static void target_find(struct arena *arena, const char *path, struct target *target)
{
    struct stat info;
    *target = (struct target){.path = path, .mode = 0};
    bool exists = stat(path, &info) == 0;
    if (exists && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode))
        return;
    if (exists) {
        char *real = realpath(path, NULL);
        if (real)
            target->path = arena_strdup(arena, real);
        free(real);
        target->mode = info.st_mode & 07777;
    }
    target->temporary = arena_printf(arena, "%s.%ld.tmp", target->path, (long)getpid());
}

static int target_open(const struct target *target)
{
    if (!target->temporary)
        return open(target->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    struct stat info;
    if (stat(target->path, &info) == 0 && S_ISDIR(info.st_mode)) {
        errno = EISDIR;
        return -1;
    }
    if (!*target->path) {
        errno = ENOENT;
        return -1;
    }
    unlink(target->temporary); // a crashed process with the same number may have left it
    return open(target->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

// The error number of a write that failed in stdio. stdio does not keep it, so this function writes
// one more byte to get the error again. The temporary file is deleted in any case.
static int write_error(int file)
{
    errno = 0;
    return write(file, "", 1) < 0 && errno ? errno : EIO;
}

// Flushes, syncs (only a temporary file) and closes. Returns 0 or the error number.
static int stream_finish(FILE *stream, const struct target *target)
{
    int number = 0;
    if (fflush(stream) != 0 || ferror(stream))
        number = write_error(fileno(stream));
    if (!number && target->temporary && fsync(fileno(stream)) != 0)
        number = errno;
    if (fclose(stream) != 0 && !number)
        number = errno;
    return number;
}

static bool save_to(const struct target *target, file_write *write, void *context,
                    struct error *err)
{
    int file = target_open(target);
    if (file < 0)
        return cannot_write(err, target->path, errno);
    if (target->mode)
        (void)!fchmod(file, target->mode); // failure is ignored: the file's contents are right
    FILE *stream = fdopen(file, "w");
    if (!stream) {
        int number = errno;
        close(file);
        return cannot_write(err, target->path, number);
    }
    bool written = write(context, stream, err);
    int number = stream_finish(stream, target);
    if (number)
        return cannot_write(err, target->path, number);
    if (!written)
        return false;
    if (target->temporary && rename(target->temporary, target->path) != 0)
        return cannot_write(err, target->path, errno);
    return true;
}

bool file_save(const char *path, file_write *write, void *context, struct error *err)
{
    struct arena *arena = arena_create();
    struct target target;
    target_find(arena, path, &target);
    bool saved = save_to(&target, write, context, err);
    if (!saved && target.temporary)
        unlink(target.temporary);
    arena_destroy(arena);
    return saved;
}

static bool same_node(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

// Finds the folder of a path, and sets *name to the last part of the path. False if the folder does
// not exist.
static bool folder_of(struct arena *arena, const char *path, struct stat *folder, const char **name)
{
    const char *slash = strrchr(path, '/');
    *name = slash ? slash + 1 : path;
    return stat(slash ? arena_printf(arena, "%.*s/", (int)(slash - path), path) : ".", folder) == 0;
}

bool file_save_same(const char *one, const char *other)
{
    struct stat a, b;
    bool has_one = stat(one, &a) == 0, has_other = stat(other, &b) == 0;
    if (has_one || has_other)
        return has_one && has_other && S_ISREG(a.st_mode) && same_node(&a, &b);
    struct arena *arena = arena_create();
    const char *name, *other_name;
    bool same = folder_of(arena, one, &a, &name) && folder_of(arena, other, &b, &other_name) &&
                same_node(&a, &b) && strcmp(name, other_name) == 0;
    arena_destroy(arena);
    return same;
}

static bool check_existing(const struct target *target, struct error *err)
{
    if (access(target->path, F_OK) == 0 && access(target->path, W_OK) != 0)
        return cannot_write(err, target->path, errno);
    return true;
}

bool file_save_check(const char *path, struct error *err)
{
    struct arena *arena = arena_create();
    struct target target;
    target_find(arena, path, &target);
    bool fine = check_existing(&target, err);
    if (fine) {
        int file = target_open(&target);
        fine = file >= 0;
        if (fine)
            close(file);
        else
            cannot_write(err, target.path, errno);
        if (fine && target.temporary)
            unlink(target.temporary);
    }
    arena_destroy(arena);
    return fine;
}
