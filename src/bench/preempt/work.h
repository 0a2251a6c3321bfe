// SPDX-License-Identifier: MIT
// The state of a visit: its hog, victim and application, and their results.
#ifndef BENCH_PREEMPT_WORK_H
#define BENCH_PREEMPT_WORK_H

#include "bench/preempt/contention.h"
#include "bench/preempt/judge.h"
#include "bench/preempt/process.h"
#include "bench/preempt/session.h"

enum {
    WORK_HOG_SLOTS_MAX = 512 // maximum number of submissions of the hog in a visit
};

// The hog, the victim or the application in a visit.
struct work_part {
    struct load_desc desc;
    struct load load;
    uint32_t token;          // token of the first submission
    struct process *process; // process that runs the load; NULL if it is this process
    // runs[i] says when submission i ran. It is read from the records after the load has ended.
    struct load_run *runs;
    uint32_t count;
};

struct work {
    struct bench_visit *run;
    struct preempt_session *session;
    struct preempt_history *history;
    struct preempt_setup *setup;
    struct work_part hog, victim, application;
    // Number of the hog's first submissions, which ran without victims; 0 unless is_first is true.
    uint32_t alone_count;
    uint64_t base;       // device clock value from which all times count; 0 if not chosen yet
    bool has_hog, three; // `three`: an application runs, and the victim is a compositor
    bool draws;          // true: the victim is a draw; false: a dispatch
    bool drops;          // true: no victim for deadlines that pass while the host awaits an answer
    bool is_first; // true if this visit also measures the hog without victims; later visits do not
    // The results of the victim (`answers`) and of the application (`frames`).
    struct contention answers, frames;
    // entries[i] says how victim i got onto the device, if victim i was answered.
    enum judge_entry entries[CONTENTION_SAMPLES_MAX];
};

// Returns the time in ns for which a submission ran.
double work_length_ns(const struct load_run *run);

// Adds metrics, flags, details and series to the visit, and sets its kernel (unless the victim is a
// draw). Adds the lengths of the hog's submissions to visit->device_time_ns. Call it when all
// submissions are done and `entries` is set.
void work_report(const struct work *work, struct measure_visit *visit);

#endif
