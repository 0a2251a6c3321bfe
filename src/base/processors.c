// SPDX-License-Identifier: MIT
#define _GNU_SOURCE // for the declaration of sched_setaffinity
#include "base/processors.h"

#include "base/text.h"

#include <dirent.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

bool processors_bind(const char *list)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    for (char *end; *list; list = end + (*end == ',')) {
        unsigned long first = strtoul(list, &end, 10), last = first;
        bool number = end > list;
        if (*end == '-') {
            list = end + 1;
            last = strtoul(list, &end, 10);
            number = number && end > list;
        }
        if (!number || last < first || (*end && *end != ','))
            return false;
        for (unsigned long i = first; i <= last && i < CPU_SETSIZE; i++)
            CPU_SET(i, &set);
    }
    return CPU_COUNT(&set) > 0 && sched_setaffinity(0, sizeof set, &set) == 0;
}

// Adds the times of one thread to *time. The thread's file schedstat has one line, "RAN WAITED
// SLICES"; RAN and WAITED are times in ns.
static bool add_thread(const char *root, const char *thread, struct processors_time *time)
{
    char line[128], *end;
    if (!text_read_line(line, sizeof line, "%s/proc/self/task/%s/schedstat", root, thread))
        return false;
    time->ran += strtod(line, &end);
    time->waited += strtod(end, NULL);
    return true;
}

// Reads the first line of /proc/stat: "cpu USER NICE SYSTEM IDLE IOWAIT IRQ SOFTIRQ STEAL …", in
// clock ticks. STEAL is the time that other virtual machines used.
static bool read_stolen(const char *root, struct processors_time *time)
{
    enum {
        STEAL = 7
    };
    char line[256];
    if (!text_read_line(line, sizeof line, "%s/proc/stat", root) || !text_begins(line, "cpu "))
        return false;
    char *at = line + 4;
    for (int i = 0; i <= STEAL; i++) {
        double ticks = strtod(at, &at);
        time->all += ticks;
        time->stolen = ticks;
    }
    return true;
}

bool processors_time_read(const char *root, struct processors_time *time)
{
    char path[256];
    bool found = false;
    root = root ? root : "";
    *time = (struct processors_time){0};
    snprintf(path, sizeof path, "%s/proc/self/task", root);
    DIR *tasks = opendir(path);
    if (!tasks)
        return false;
    for (const struct dirent *task; (task = readdir(tasks));)
        found |= *task->d_name != '.' && add_thread(root, task->d_name, time);
    closedir(tasks);
    return found && read_stolen(root, time);
}

static double share_of(double part, double rest)
{
    return part > 0 && rest >= 0 ? part / (part + rest) : 0;
}

double processors_time_lost(const struct processors_time *before,
                            const struct processors_time *after)
{
    double stolen = after->stolen - before->stolen, all = after->all - before->all;
    // `ran` is a sum over the threads that exist, so it decreases if a thread ended between the two
    // readings.
    double ran = fmax(after->ran - before->ran, 0);
    return fmax(share_of(after->waited - before->waited, ran), share_of(stolen, all - stolen));
}
