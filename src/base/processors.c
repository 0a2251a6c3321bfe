// SPDX-License-Identifier: MIT
#define _GNU_SOURCE // _GNU_SOURCE makes sched.h declare sched_getaffinity and sched_setaffinity
#include "base/processors.h"

#include "base/text.h"

#include <dirent.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------- sets of processors

enum {
    WORD_BITS = CHAR_BIT * sizeof(unsigned long)
};

void processor_set_add(struct processor_set *set, size_t processor)
{
    set->bits[processor / WORD_BITS] |= 1UL << processor % WORD_BITS;
}

bool processor_set_has(const struct processor_set *set, size_t processor)
{
    return set->bits[processor / WORD_BITS] >> processor % WORD_BITS & 1;
}

size_t processor_set_count(const struct processor_set *set)
{
    size_t count = 0;
    for (size_t i = 0; i < PROCESSORS_MAX; i++)
        count += processor_set_has(set, i);
    return count;
}

void processors_get(struct processor_set *set)
{
    *set = (struct processor_set){{0}};
    if (sched_getaffinity(0, sizeof *set, (cpu_set_t *)set->bits) != 0)
        *set = (struct processor_set){{0}};
}

bool processors_set(const struct processor_set *set)
{
    return sched_setaffinity(0, sizeof *set, (const cpu_set_t *)set->bits) == 0;
}

bool processors_bind(const char *list)
{
    struct processor_set set = {{0}};
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
        for (unsigned long i = first; i <= last && i < PROCESSORS_MAX; i++)
            processor_set_add(&set, i);
    }
    return processors_set(&set); // the system refuses an empty set
}

unsigned processors_allowed(void)
{
    struct processor_set set;
    processors_get(&set);
    size_t count = processor_set_count(&set);
    return count ? (unsigned)count : 1;
}

// ---------------------------------------------------------------- times of processors

// Adds the times of a thread to *time. Returns false if the thread's file cannot be read.
typedef bool add_thread(const char *root, const char *process, const char *thread,
                        struct processors_time *time);

// Calls `add` for each thread of the process. Returns true if at least one call returned true.
static bool add_threads(const char *root, const char *process, add_thread *add,
                        struct processors_time *time)
{
    char path[256];
    bool found = false;
    snprintf(path, sizeof path, "%s/proc/%s/task", root, process);
    DIR *threads = opendir(path);
    if (!threads)
        return false;
    for (const struct dirent *thread; (thread = readdir(threads));)
        if (*thread->d_name != '.')
            found |= add(root, process, thread->d_name, time);
    closedir(threads);
    return found;
}

// A thread's file schedstat has one line, in ns: "RAN WAITED SLICES".
static bool add_schedule(const char *root, const char *process, const char *thread,
                         struct processors_time *time)
{
    char line[128], *end;
    if (!text_read_line(line, sizeof line, "%s/proc/%s/task/%s/schedstat", root, process, thread))
        return false;
    time->ran += strtod(line, &end);
    time->waited += strtod(end, NULL);
    return true;
}

// Adds the times of a process and of its ended children. After the process name's last ')' in
// /proc/PID/stat come the state, ten other fields, and UTIME STIME CUTIME CSTIME in clock ticks.
static void add_process(const char *root, const char *process, struct processors_time *time)
{
    enum {
        OTHERS = 11,
        TIMES = 4
    };
    char line[512];
    if (!text_read_line(line, sizeof line, "%s/proc/%s/stat", root, process))
        return;
    char *at = strrchr(line, ')');
    for (int field = 0; at && field <= OTHERS; field++)
        at = strchr(at + 1, ' ');
    for (int i = 0; at && i < TIMES; i++)
        time->family += strtod(at, &at);
}

// Adds the times of this thread's children that still exist. The file has "PID PID …".
static bool add_children(const char *root, const char *process, const char *thread,
                         struct processors_time *time)
{
    char path[256], child[24];
    snprintf(path, sizeof path, "%s/proc/%s/task/%s/children", root, process, thread);
    FILE *children = fopen(path, "r");
    while (children && fscanf(children, "%23s", child) == 1)
        add_process(root, child, time);
    return children && fclose(children) == 0;
}

// Reads the first line of /proc/stat: "cpu USER NICE SYSTEM IDLE IOWAIT IRQ SOFTIRQ STEAL …", in
// clock ticks. STEAL is the time that other virtual machines used.
static bool read_machine(const char *root, struct processors_time *time)
{
    enum {
        IDLE = 3,
        IOWAIT = 4,
        STEAL = 7
    };
    char line[256];
    if (!text_read_line(line, sizeof line, "%s/proc/stat", root) || !text_begins(line, "cpu "))
        return false;
    char *at = line + 4;
    for (int i = 0; i <= STEAL; i++) {
        double ticks = strtod(at, &at);
        time->all += ticks;
        time->busy += i == IDLE || i == IOWAIT ? 0 : ticks;
        time->stolen = ticks;
    }
    return true;
}

// Reads how often the limit of a control group, such as a container, stopped its threads.
static void read_throttled(const char *root, struct processors_time *time)
{
    static const char *const files[] = {"/sys/fs/cgroup/cpu.stat", "/sys/fs/cgroup/cpu/cpu.stat"};
    char number[32];
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (text_read_field(number, sizeof number, "nr_throttled", "%s%s", root, files[i]))
            time->throttled = strtod(number, NULL);
}

bool processors_time_read(const char *root, long family_pid, struct processors_time *time)
{
    char family[24];
    root = root ? root : "";
    *time = (struct processors_time){0};
    snprintf(family, sizeof family, "%ld", family_pid);
    add_process(root, family, time);
    add_threads(root, family, add_children, time);
    read_throttled(root, time);
    return add_threads(root, "self", add_schedule, time) && read_machine(root, time);
}

static double share_of(double part, double rest)
{
    return part > 0 && rest >= 0 ? part / (part + rest) : 0;
}

double processors_time_lost(const struct processors_time *before,
                            const struct processors_time *after)
{
    double stolen = after->stolen - before->stolen, all = after->all - before->all;
    // `ran` lacks threads that ended between the readings, so the difference may be negative.
    double ran = fmax(after->ran - before->ran, 0);
    return fmax(share_of(after->waited - before->waited, ran), share_of(stolen, all - stolen));
}

double processors_time_others(const struct processors_time *before,
                              const struct processors_time *after)
{
    double all = after->all - before->all, busy = after->busy - before->busy;
    double family = after->family - before->family;
    // If a child ends while the family's times are read, its time may be missing.
    return all > 0 && family >= 0 ? fmax(busy - family, 0) / all : 0;
}
