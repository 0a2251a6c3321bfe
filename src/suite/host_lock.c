// SPDX-License-Identifier: MIT
#include "suite/host_lock.h"

#include "base/clock.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const uint64_t pause_ns = NS_PER_S / 20;

static int open_file(const char *name)
{
    const char *folder = getenv("TMPDIR");
    char boot[64] = "";
    struct arena *arena = arena_create();
    (void)text_read_line(boot, sizeof boot, "/proc/sys/kernel/random/boot_id");
    const char *path =
        arena_printf(arena, "%s/fathom-%s-%lu-%s", folder && *folder ? folder : "/tmp", name,
                     (unsigned long)geteuid(), boot);
    int fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    arena_destroy(arena);
    struct stat file;
    // Rejects a file of another user. If all users may write to the folder, anyone may create it.
    if (fd >= 0 && (fstat(fd, &file) != 0 || !S_ISREG(file.st_mode) || file.st_uid != geteuid())) {
        close(fd);
        fd = -1;
    }
    return fd;
}

bool host_lock_take(struct host_lock *lock, const char *name, uint64_t wait_ns)
{
    uint64_t deadline_ns = clock_deadline_ns(wait_ns);
    lock->fd = open_file(name);
    while (lock->fd >= 0) {
        if (flock(lock->fd, LOCK_EX | LOCK_NB) == 0)
            return true;
        if (errno != EWOULDBLOCK || clock_left_ns(deadline_ns) == 0)
            host_lock_end(lock);
        else
            clock_sleep_ns(pause_ns);
    }
    return false;
}

void host_lock_end(struct host_lock *lock)
{
    if (lock->fd >= 0)
        close(lock->fd);
    lock->fd = -1;
}

const char *host_lock_read(const struct host_lock *lock, struct arena *arena, double since_s)
{
    struct stat file;
    if (lock->fd < 0 || fstat(lock->fd, &file) != 0 || file.st_size == 0)
        return NULL;
    size_t bytes = (size_t)file.st_size;
    double written_s = (double)file.st_mtim.tv_sec + (double)file.st_mtim.tv_nsec * 1e-9;
    char *text = ARENA_ARRAY(arena, bytes + 1, char);
    bool whole = pread(lock->fd, text, bytes, 0) == (ssize_t)bytes;
    return whole && written_s > since_s ? text : NULL;
}

void host_lock_write(const struct host_lock *lock, const char *text)
{
    size_t bytes = strlen(text);
    bool emptied = lock->fd >= 0 && ftruncate(lock->fd, 0) == 0;
    bool whole = emptied && pwrite(lock->fd, text, bytes, 0) == (ssize_t)bytes;
    // Readers reject a text that was not written as a whole.
    if (emptied && !whole)
        (void)!ftruncate(lock->fd, 0);
}
