// SPDX-License-Identifier: MIT
#include "bench/preempt/contention.h"

#include "base/clock.h"

static const uint64_t look_ns = 2000000;  // longest sleep before the hog is fed again
static const uint64_t slice_ns = 1000000; // longest wait for the victim before the hog is checked

static bool feed(const struct contention_desc *desc, bool more, struct error *err)
{
    return !desc->hog || load_feed(desc->hog, 0, more, err);
}

static uint32_t in_flight(const struct contention_desc *desc)
{
    return desc->hog ? desc->hog->submitted - desc->hog->finished : 0;
}

static bool start_hog(const struct contention_desc *desc, struct error *err)
{
    if (!feed(desc, true, err))
        return false;
    while (desc->hog && desc->alone && desc->hog->finished < CONTENTION_ALONE)
        if (!load_feed(desc->hog, desc->hog->desc.timeout_ns, true, err))
            return false;
    return true;
}

// Sleeps until `deadline_ns` and feeds the hog meanwhile. It adds no submission if those in flight
// will last until the run's end: the host would have to wait longer for the hog at the end.
static bool wait_until(const struct contention_desc *desc, uint64_t deadline_ns, uint64_t end_ns,
                       struct error *err)
{
    for (uint64_t now = clock_now_ns(); now < deadline_ns; now = clock_now_ns()) {
        uint64_t left_ns = deadline_ns - now;
        clock_sleep_ns(left_ns < look_ns ? left_ns : look_ns);
        uint32_t ahead = in_flight(desc);
        bool lasts =
            ahead > 1 && (double)(ahead - 1) * desc->hog_ns >= (double)clock_left_ns(end_ns);
        if (clock_now_ns() < deadline_ns && !feed(desc, !lasts, err))
            return false;
    }
    return true;
}

// Times by the host's clock: before the victim's submission, and when the host saw its end.
struct answer {
    uint64_t begin_ns, end_ns;
};

static bool run_victim(const struct contention_desc *desc, struct answer *answer, struct error *err)
{
    answer->begin_ns = clock_now_ns();
    uint64_t limit = clock_deadline_ns(desc->victim->desc.timeout_ns);
    uint32_t before = desc->victim->finished;
    if (!load_submit(desc->victim, err))
        return false;
    while (desc->victim->finished == before) {
        if (!load_feed(desc->victim, slice_ns, false, err))
            return false;
        answer->end_ns = clock_now_ns();
        // Recording the hog takes time in which the host would not see the victim's end. So the
        // host feeds the hog only if at most half of its submissions are left.
        if (!feed(desc, false, err) ||
            (desc->hog && in_flight(desc) <= desc->hog->desc.shape.ahead / 2 &&
             !feed(desc, true, err)))
            return false;
        if (clock_left_ns(limit) == 0)
            return error_set(err, ERROR_TIMEOUT, "the victim was not done in %.3g s",
                             (double)(answer->end_ns - answer->begin_ns) * 1e-9);
    }
    return true;
}

static bool hog_has_slots(const struct contention_desc *desc)
{
    return !desc->hog || desc->hog->submitted < desc->hog->desc.slots;
}

bool contention_run(const struct contention_desc *desc, struct contention *result,
                    struct error *err)
{
    *result = (struct contention){0};
    if (!start_hog(desc, err))
        return false;
    uint64_t first = clock_now_ns() + CONTENTION_PERIOD_NS + (uint64_t)desc->delay_ns;
    uint64_t end = first + desc->samples * CONTENTION_PERIOD_NS;
    while (result->due < desc->samples && hog_has_slots(desc)) {
        struct answer answer = {0};
        uint64_t due_ns = first + result->due * CONTENTION_PERIOD_NS;
        if (!load_prepare(desc->victim, err) || !wait_until(desc, due_ns, end, err))
            return false;
        result->late += clock_now_ns() > due_ns + CONTENTION_PERIOD_NS / 4;
        if (!run_victim(desc, &answer, err))
            return false;
        result->response_ns[result->count++] = (double)(answer.end_ns - answer.begin_ns);
        result->met += answer.end_ns <= due_ns + CONTENTION_PERIOD_NS;
        do
            result->due++;
        while (first + result->due * CONTENTION_PERIOD_NS < clock_now_ns() &&
               result->due < desc->samples);
    }
    return (!desc->hog || load_drain(desc->hog, err)) && load_drain(desc->victim, err);
}
