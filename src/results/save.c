// SPDX-License-Identifier: MIT
#define _XOPEN_SOURCE 700 // makes headers declare S_ISVTX, which belongs to the XSI part of POSIX
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
    LINKS_MAX = 40, // maximum number of symbolic links in a chain, as in Linux
    // The name of a temporary file repeats at most this many bytes of the target's name.
    NAME_BYTES_MAX = 200,
    LINK_BYTES = 4096,
    // Maximum time in milliseconds to wait while a pipe is full and nobody reads from it.
    READER_WAIT_MS = 30000
};

struct target {
    // Path of the file, also for error messages. If a temporary file is used, the path has no
    // symbolic links at its end. The file need not exist.
    const char *path;
    const char *folder; // folder of `path`; NULL if the file at `path` is written directly
    // Path of the temporary file, in `folder`. NULL if the file at `path` is written directly.
    const char *temporary;
    struct stat info; // status of the file at `path`; valid if `exists` is true
    bool exists;
    bool standard; // true: the target is the standard output. If that is closed, `exists` is false.
    // true: `path` is an endless chain of symbolic links, or one of more than LINKS_MAX links
    bool endless;
};

// The contents of the file to write: a function that writes them, and its argument.
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

// Returns the path at the end of a chain of symbolic links; NULL after more than LINKS_MAX links.
static const char *follow(struct arena *arena, const char *path)
{
    char link[LINK_BYTES];
    for (int i = 0; i <= LINKS_MAX; i++) {
        ssize_t length = readlink(path, link, sizeof link - 1);
        if (length < 0)
            return path;
        link[length] = '\0';
        const char *slash = *link == '/' ? NULL : strrchr(path, '/');
        path = arena_printf(arena, "%.*s%s", slash ? (int)(slash + 1 - path) : 0, path, link);
    }
    return NULL;
}

static const char *temporary_prefix(struct arena *arena, const char *path)
{
    return arena_printf(arena, "%.*s.", NAME_BYTES_MAX, text_file_name(path));
}

bool file_save_is_standard(const char *path)
{
    return strcmp(path, "-") == 0;
}

static void target_find(struct arena *arena, const char *path, struct target *target)
{
    *target = (struct target){.path = path, .standard = file_save_is_standard(path)};
    if (target->standard) {
        target->path = "the standard output"; // name of the target for error messages
        target->exists = fstat(STDOUT_FILENO, &target->info) == 0;
        return;
    }
    target->exists = stat(path, &target->info) == 0;
    if (target->exists && !S_ISREG(target->info.st_mode) && !S_ISDIR(target->info.st_mode))
        return;
    const char *end = follow(arena, path);
    target->endless = !end;
    target->path = end ? end : path;
    target->folder = arena_printf(arena, "%.*s.",
                                  (int)(text_file_name(target->path) - target->path), target->path);
    target->temporary =
        arena_printf(arena, "%.*s%s%ld.tmp", (int)(text_file_name(target->path) - target->path),
                     target->path, temporary_prefix(arena, target->path), (long)getpid());
}

static int target_open(const struct target *target)
{
    if (target->standard)
        return fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
    // With O_NONBLOCK, opening a FIFO that nobody reads fails. Without it, opening would wait.
    if (!target->temporary)
        return open(target->path, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (target->exists && S_ISDIR(target->info.st_mode)) {
        errno = EISDIR;
        return -1;
    }
    if (!*target->path || target->endless) {
        errno = target->endless ? ELOOP : ENOENT;
        return -1;
    }
    // An earlier process with the same id may have crashed and left this temporary file.
    unlink(target->temporary);
    return open(target->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

int file_flush(FILE *stream)
{
    errno = EIO; // for a stream in memory, which may fail without an errno
    if (fflush(stream) != 0)
        return errno;
    if (!ferror(stream))
        return 0;
    // stdio does not keep the errno of an earlier write, but one more byte fails in the same way. A
    // stream in memory has no file.
    int file = fileno(stream);
    return file >= 0 && write(file, "\n", 1) < 0 ? errno : EIO;
}

// Flushes the stream, syncs its file and closes it. Returns 0 or the errno of the failure.
static int stream_finish(FILE *stream)
{
    int number = file_flush(stream);
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
        // If fchmod fails, the new file only lacks the old permissions. So the failure is ignored.
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

// Writes to a file descriptor, which may be nonblocking: the parent process chose that. Returns 0,
// the errno, or ETIMEDOUT if nobody reads for wait_ms milliseconds (−1: no limit).
static int write_out(int file, const char *text, size_t bytes, int wait_ms)
{
    for (size_t done = 0; done < bytes;) {
        struct pollfd room = {.fd = file, .events = POLLOUT};
        if (poll(&room, 1, wait_ms) == 0)
            return ETIMEDOUT;
        // poll() reports a pipe as writable if it takes at least PIPE_BUF bytes without blocking.
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
    // A person may read the output in a pager, so the wait for the standard output has no limit.
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
    } else if (!a.standard && !b.standard) {
        struct stat folder, other_folder;
        same = stat(a.folder, &folder) == 0 && stat(b.folder, &other_folder) == 0 &&
               same_node(&folder, &other_folder) &&
               strcmp(text_file_name(a.path), text_file_name(b.path)) == 0;
    }
    arena_destroy(arena);
    return same;
}

// Removes the target's temporary files whose processes no longer exist.
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

// Returns true if the user may replace the target. In a folder with the sticky bit, such as /tmp,
// only root and the owners can replace a file.
static bool may_replace(const struct target *target)
{
    struct stat folder;
    uid_t user = geteuid();
    return !target->exists || user == 0 || stat(target->folder, &folder) != 0 ||
           !(folder.st_mode & S_ISVTX) || user == folder.st_uid || user == target->info.st_uid;
}

// Checks that the target can be written: opens it like file_save, but changes nothing. Returns 0 or
// the errno of the failure. A FIFO stays open: its reader would end when the last writer closes it.
static int try_open(const struct target *target)
{
    if (!target->standard && target->exists && access(target->path, W_OK) != 0)
        return errno;
    // The name of the temporary file is shorter, so it does not show that the name is too long.
    if (target->temporary && !target->exists && access(target->path, F_OK) != 0 &&
        errno == ENAMETOOLONG)
        return errno;
    if (target->temporary && !may_replace(target))
        return EPERM;
    int file = target_open(target);
    int number = file < 0 ? errno : 0;
    if (file >= 0 && !target->temporary && write(file, "", 0) < 0)
        number = errno; // writing to /dev/full, for example, fails with ENOSPC
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
