// SPDX-License-Identifier: MIT
#define _XOPEN_SOURCE 700 // declares S_ISVTX, which is in the XSI part of POSIX
#include "results/save.h"
#include "base/arena.h"
#include "base/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    LINKS_MAX = 40,       // longest chain of symbolic links that is followed, as in Linux
    NAME_BYTES_MAX = 200, // a temporary file's name has at most this many bytes of the target's
                          // name
    LINK_BYTES = 4096,
    READER_WAIT_MS = 30000 // longest wait for the reader of a full pipe
};

// The file to which the contents are to be written.
struct target {
    const char *path;      // the file after all symbolic links, also for messages; may not exist
    const char *folder;    // the folder of `path`
    const char *temporary; // path of the temporary file in `folder`; NULL: write to `path`
    struct stat info;      // status of the file, if it exists
    bool exists;
    bool standard; // true: the target is the standard output, which is open
};

// The contents that are to be written to the file.
struct contents {
    file_write *write;
    void *context;
};

static bool cannot_write(struct error *err, const char *path, int number)
{
    const char *reason = number == ENXIO       ? "no program reads this pipe"
                         : number == ETIMEDOUT ? "the program at its other end does not read"
                                               : strerror(number);
    const char *remedy = number == ENOSPC || number == EDQUOT ? "free space or choose another place"
                         : number == ENOENT                   ? "create its folder first"
                         : number == ENXIO                    ? "start its reader first"
                                                              : "choose another place";
    return error_set(err, ERROR_IO, "cannot write %s: %s; %s", path, reason, remedy);
}

// Returns the path of the file to which a chain of symbolic links leads. The file need not exist.
static const char *follow(struct arena *arena, const char *path)
{
    char link[LINK_BYTES];
    for (int i = 0; i < LINKS_MAX; i++) {
        ssize_t length = readlink(path, link, sizeof link - 1);
        if (length < 0)
            return path;
        link[length] = '\0';
        const char *slash = *link == '/' ? NULL : strrchr(path, '/');
        path = arena_printf(arena, "%.*s%s", slash ? (int)(slash + 1 - path) : 0, path, link);
    }
    return path; // the chain is too long: opening this path fails with ELOOP
}

static const char *name_in(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

// Returns the text with which the names of all temporary files of this target begin.
static const char *temporary_prefix(struct arena *arena, const char *path)
{
    return arena_printf(arena, "%.*s.", NAME_BYTES_MAX, name_in(path));
}

bool file_save_is_standard(const char *path)
{
    return strcmp(path, "-") == 0;
}

static void target_find(struct arena *arena, const char *path, struct target *target)
{
    *target = (struct target){.path = path, .standard = file_save_is_standard(path)};
    if (target->standard) {
        target->path = "the standard output"; // the name in error messages
        target->exists = fstat(STDOUT_FILENO, &target->info) == 0;
        return;
    }
    target->exists = stat(path, &target->info) == 0;
    if (target->exists && !S_ISREG(target->info.st_mode) && !S_ISDIR(target->info.st_mode))
        return;
    target->path = follow(arena, path);
    target->folder =
        arena_printf(arena, "%.*s.", (int)(name_in(target->path) - target->path), target->path);
    target->temporary =
        arena_printf(arena, "%.*s%s%ld.tmp", (int)(name_in(target->path) - target->path),
                     target->path, temporary_prefix(arena, target->path), (long)getpid());
}

static int target_open(const struct target *target)
{
    if (target->standard)
        return fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
    if (!target->temporary) // O_NONBLOCK, because a FIFO may have no reader
        return open(target->path, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (target->exists && S_ISDIR(target->info.st_mode)) {
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

// Returns the errno of a write that failed in stdio, which does not keep it. For that, writes one
// more byte, which fails in the same way. This is harmless, because the file is temporary and will
// be deleted.
static int write_error(int file)
{
    errno = 0;
    return write(file, "", 1) < 0 && errno ? errno : EIO;
}

// Flushes, syncs and closes the stream. Returns 0 or the errno of the failure.
static int stream_finish(FILE *stream)
{
    int number = 0;
    if (fflush(stream) != 0 || ferror(stream))
        number = write_error(fileno(stream));
    if (!number && fsync(fileno(stream)) != 0)
        number = errno;
    if (fclose(stream) != 0 && !number)
        number = errno;
    return number;
}

static bool write_temporary(const struct target *target, int file, const struct contents *contents,
                            struct error *err)
{
    if (target->exists)
        // If fchmod fails, only the permissions of the file differ, so the failure is ignored.
        (void)!fchmod(file, target->info.st_mode & 0777);
    FILE *stream = fdopen(file, "w");
    if (!stream) {
        int number = errno;
        close(file);
        return cannot_write(err, target->path, number);
    }
    bool written = contents->write(contents->context, stream, err);
    int number = stream_finish(stream);
    if (number)
        return cannot_write(err, target->path, number);
    if (written && rename(target->temporary, target->path) != 0)
        return cannot_write(err, target->path, errno);
    return written;
}

// Writes to a file that may be in blocking or nonblocking mode, because the standard output keeps
// the mode that the parent process set. Returns 0 or the errno of the failure. It is ETIMEDOUT if
// nobody reads for wait_ms (−1: no limit).
static int write_out(int file, const char *text, size_t bytes, int wait_ms)
{
    for (size_t done = 0; done < bytes;) {
        struct pollfd room = {.fd = file, .events = POLLOUT};
        if (poll(&room, 1, wait_ms) == 0)
            return ETIMEDOUT;
        // A pipe that poll() reports as writable takes at least PIPE_BUF bytes without blocking.
        size_t left = bytes - done;
        ssize_t wrote = write(file, text + done, left < PIPE_BUF ? left : PIPE_BUF);
        if (wrote >= 0)
            done += (size_t)wrote;
        else if (errno != EAGAIN && errno != EINTR)
            return errno;
    }
    return 0;
}

static bool write_directly(const struct target *target, int file, const struct contents *contents,
                           struct error *err)
{
    struct text_stream text;
    text_stream_open(&text);
    bool written = contents->write(contents->context, text.file, err);
    text_stream_close(&text);
    // The standard output may go to a pager, in which a person reads, so the wait for it has no
    // limit.
    int wait_ms = target->standard ? -1 : READER_WAIT_MS;
    int number = written ? write_out(file, text.text, text.bytes, wait_ms) : 0;
    free(text.text);
    close(file);
    return number ? cannot_write(err, target->path, number) : written;
}

bool file_save(const char *path, file_write *write, void *context, struct error *err)
{
    struct arena *arena = arena_create();
    const struct contents contents = {write, context};
    struct target target;
    target_find(arena, path, &target);
    int file = target_open(&target);
    bool saved = file < 0           ? cannot_write(err, target.path, errno)
                 : target.temporary ? write_temporary(&target, file, &contents, err)
                                    : write_directly(&target, file, &contents, err);
    if (!saved && target.temporary)
        unlink(target.temporary);
    arena_destroy(arena);
    return saved;
}

bool file_save_replaces(const char *path)
{
    struct stat info;
    return !file_save_is_standard(path) && (stat(path, &info) != 0 || S_ISREG(info.st_mode));
}

static bool same_node(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

bool file_save_same(const char *one, const char *other)
{
    struct arena *arena = arena_create();
    struct target a, b;
    target_find(arena, one, &a);
    target_find(arena, other, &b);
    bool same = false;
    if (a.standard && b.standard) {
        same = true;
    } else if (a.exists || b.exists) {
        same = a.exists && b.exists && S_ISREG(a.info.st_mode) && same_node(&a.info, &b.info);
    } else {
        struct stat folder, other_folder;
        same = stat(a.folder, &folder) == 0 && stat(b.folder, &other_folder) == 0 &&
               same_node(&folder, &other_folder) && strcmp(name_in(a.path), name_in(b.path)) == 0;
    }
    arena_destroy(arena);
    return same;
}

// Removes the temporary files of this target that were left by processes which no longer exist,
// because they were killed while they saved.
static void remove_stale(struct arena *arena, const struct target *target)
{
    const char *prefix = temporary_prefix(arena, target->path);
    DIR *folder = opendir(target->folder);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        if (!text_begins(entry->d_name, prefix))
            continue;
        char *end;
        long process = strtol(entry->d_name + strlen(prefix), &end, 10);
        if (process > 0 && strcmp(end, ".tmp") == 0 && kill((pid_t)process, 0) != 0 &&
            errno == ESRCH)
            unlinkat(dirfd(folder), entry->d_name, 0);
    }
    if (folder)
        closedir(folder);
}

// True if the file can probably be replaced. In a folder such as /tmp (with the sticky bit), only
// root and the owner of the file or of the folder can do so.
static bool may_replace(const struct target *target)
{
    struct stat folder;
    uid_t user = geteuid();
    return !target->exists || user == 0 || stat(target->folder, &folder) != 0 ||
           !(folder.st_mode & S_ISVTX) || user == folder.st_uid || user == target->info.st_uid;
}

// Opens the target like file_save, but does not change it. Returns 0 or the errno of the failure. A
// FIFO stays open, because its reader would end if the last writer closed it.
static int try_open(const struct target *target)
{
    if (!target->standard && target->exists && access(target->path, W_OK) != 0)
        return errno;
    if (target->temporary && !may_replace(target))
        return EPERM;
    int file = target_open(target);
    int number = file < 0 ? errno : 0;
    if (file >= 0 && !target->temporary && write(file, "", 0) < 0)
        number = errno; // for example ENOSPC from /dev/full
    if (file >= 0 && (target->temporary || target->standard || !S_ISFIFO(target->info.st_mode)))
        close(file);
    if (file >= 0 && target->temporary)
        unlink(target->temporary);
    return number;
}

bool file_save_check(const char *path, struct error *err)
{
    struct arena *arena = arena_create();
    struct target target;
    target_find(arena, path, &target);
    if (target.temporary)
        remove_stale(arena, &target);
    int number = try_open(&target);
    if (number)
        cannot_write(err, target.path, number);
    arena_destroy(arena);
    return number == 0;
}
