// SPDX-License-Identifier: MIT
#define _GNU_SOURCE // for sched_setaffinity
#include "base/processors.h"

#include <sched.h>
#include <stdlib.h>

bool processors_bind(const char *list)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    for (char *end; *list; list = end + (*end == ',')) {
        unsigned long first = strtoul(list, &end, 10), last = first;
        if (end == list || (*end && *end != ',' && *end != '-'))
            return false;
        if (*end == '-')
            last = strtoul(end + 1, &end, 10);
        for (unsigned long i = first; i <= last && i < CPU_SETSIZE; i++)
            CPU_SET(i, &set);
    }
    return CPU_COUNT(&set) > 0 && sched_setaffinity(0, sizeof set, &set) == 0;
}
