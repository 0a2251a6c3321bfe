// SPDX-License-Identifier: MIT
#include "suite/interrupt.h"

#include "base/clock.h"

#include <errno.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

static void *let_through(void *context)
{
    struct interrupt *interrupt = context;
    pthread_sigmask(SIG_SETMASK, &interrupt->former, NULL);
    while (sem_wait(&interrupt->watched) != 0)
        continue; // sem_wait returns early after a signal that does not end the process
    return NULL;
}

static bool start_taker(struct interrupt *interrupt)
{
    if (sem_init(&interrupt->watched, 0, 0) != 0)
        return false;
    errno = pthread_create(&interrupt->taker, NULL, let_through, interrupt);
    return errno == 0;
}

// Adds the signal to the set, unless the process ignores it: SIGHUP under nohup, SIGINT in the
// background of a script. A blocked signal would become pending even if it is ignored.
static void add_unless_ignored(sigset_t *set, int signal)
{
    struct sigaction action;
    if (sigaction(signal, NULL, &action) != 0 || action.sa_handler != SIG_IGN)
        sigaddset(set, signal);
}

bool interrupt_init(struct interrupt *interrupt, struct error *err)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    add_unless_ignored(&set, SIGINT);
    add_unless_ignored(&set, SIGHUP);
    *interrupt = (struct interrupt){.fd = -1};
    interrupt->fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    sigaddset(&set, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &set, &interrupt->former);
    if (interrupt->fd >= 0 && start_taker(interrupt))
        return true;
    error_set(err, ERROR_IO, "cannot watch for signals: %s", strerror(errno));
    if (interrupt->fd >= 0)
        close(interrupt->fd);
    interrupt->fd = -1;
    pthread_sigmask(SIG_SETMASK, &interrupt->former, NULL);
    return false;
}

void interrupt_watch(struct interrupt *interrupt)
{
    if (interrupt->is_watched)
        return;
    interrupt->is_watched = true;
    sem_post(&interrupt->watched);
    pthread_join(interrupt->taker, NULL);
    sem_destroy(&interrupt->watched);
}

bool interrupt_init_own(struct interrupt *interrupt, struct error *err)
{
    *interrupt = (struct interrupt){.own = true, .is_watched = true};
    interrupt->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE);
    return interrupt->fd >= 0 ||
           error_set(err, ERROR_IO, "cannot make an event: %s", strerror(errno));
}

void interrupt_raise(struct interrupt *interrupt)
{
    uint64_t one = 1;
    while (write(interrupt->fd, &one, sizeof one) < 0 && errno == EINTR)
        continue;
}

void interrupt_clear(struct interrupt *interrupt)
{
    interrupt_count(interrupt);
    interrupt->count = 0;
}

void interrupt_fini(struct interrupt *interrupt)
{
    if (interrupt->fd < 0)
        return;
    interrupt_watch(interrupt);
    interrupt_count(interrupt);
    close(interrupt->fd);
    interrupt->fd = -1;
    if (interrupt->own)
        return;
    pthread_sigmask(SIG_SETMASK, &interrupt->former, NULL);
}

unsigned interrupt_count(struct interrupt *interrupt)
{
    if (!interrupt)
        return 0;
    // Buffer for one read; an eventfd fills only 8 bytes of it.
    struct signalfd_siginfo info;
    while (interrupt->fd >= 0 && read(interrupt->fd, &info, sizeof info) > 0)
        if (interrupt->count++ == 0)
            interrupt->first_ns = clock_now_ns();
    return interrupt->count;
}
