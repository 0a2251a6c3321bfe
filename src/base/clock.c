// SPDX-License-Identifier: MIT
#include "base/clock.h"

#include <errno.h>
#include <time.h>

uint64_t clock_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

void clock_sleep_ns(uint64_t ns)
{
    struct timespec left = {.tv_sec = (time_t)(ns / NS_PER_S), .tv_nsec = (long)(ns % NS_PER_S)};
    while (clock_nanosleep(CLOCK_MONOTONIC, 0, &left, &left) == EINTR)
        continue;
}

uint64_t clock_deadline_ns(uint64_t ns)
{
    uint64_t now = clock_now_ns();
    return ns > UINT64_MAX - now ? UINT64_MAX : now + ns;
}

uint64_t clock_left_ns(uint64_t deadline_ns)
{
    uint64_t now = clock_now_ns();
    return now < deadline_ns ? deadline_ns - now : 0;
}
