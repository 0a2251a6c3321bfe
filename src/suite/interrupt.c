// SPDX-License-Identifier: MIT
#include "suite/interrupt.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

bool interrupt_init(struct interrupt *interrupt, struct error *err)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    *interrupt = (struct interrupt){.fd = -1};
    interrupt->fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    sigaddset(&set, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &set, &interrupt->former);
    if (interrupt->fd >= 0)
        return true;
    pthread_sigmask(SIG_SETMASK, &interrupt->former, NULL);
    return error_set(err, ERROR_IO, "cannot watch for signals: %s", strerror(errno));
}

void interrupt_fini(struct interrupt *interrupt)
{
    if (interrupt->fd < 0)
        return;
    interrupt_count(interrupt);
    close(interrupt->fd);
    interrupt->fd = -1;
    pthread_sigmask(SIG_SETMASK, &interrupt->former, NULL);
}

unsigned interrupt_count(struct interrupt *interrupt)
{
    if (!interrupt)
        return 0;
    struct signalfd_siginfo info;
    while (interrupt->fd >= 0 && read(interrupt->fd, &info, sizeof info) == sizeof info)
        interrupt->count++;
    return interrupt->count;
}
