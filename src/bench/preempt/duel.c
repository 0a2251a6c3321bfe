// SPDX-License-Identifier: MIT
#include "bench/preempt/duel.h"

#include "base/clock.h"

static const uint64_t look_ns = 2000000;  // between looks at the hog while nothing else is to do
static const uint64_t slice_ns = 1000000; // of waiting for the victim, between such looks

static bool feed(const struct duel_desc *desc, bool more, struct error *err)
{
    return !desc->hog || load_feed(desc->hog, 0, more, err);
}

// Recording takes a while, in which the victim's end would not be seen: only where the device would
// soon be idle.
static bool feed_if_short(const struct duel_desc *desc, struct error *err)
{
    if (!feed(desc, false, err))
        return false;
    return !desc->hog ||
           desc->hog->submitted - desc->hog->finished > desc->hog->desc.shape.ahead / 2 ||
           feed(desc, true, err);
}

static bool run_alone(const struct duel_desc *desc, struct error *err)
{
    if (!desc->hog)
        return true;
    if (!feed(desc, true, err))
        return false;
    while (desc->alone && desc->hog->finished < DUEL_ALONE)
        if (!load_feed(desc->hog, desc->hog->desc.timeout_ns, true, err))
            return false;
    return true;
}

// What is in flight already lasts until then: more would only have to be waited for at the end.
static bool lasts_until(const struct duel_desc *desc, uint64_t end_ns)
{
    uint32_t ahead = desc->hog ? desc->hog->submitted - desc->hog->finished : 0;
    return ahead > 1 && (double)(ahead - 1) * desc->hog_ns >= (double)clock_left_ns(end_ns);
}

static bool wait_until(const struct duel_desc *desc, uint64_t moment_ns, uint64_t end_ns,
                       struct error *err)
{
    for (uint64_t now = clock_now_ns(); now < moment_ns; now = clock_now_ns()) {
        uint64_t left = moment_ns - now;
        clock_sleep_ns(left < look_ns ? left : look_ns);
        if (clock_now_ns() < moment_ns && !feed(desc, !lasts_until(desc, end_ns), err))
            return false;
    }
    return true;
}

// By the host's clock: before the submission, and when the end was seen.
struct answer {
    uint64_t begin_ns, end_ns;
};

// Slices end a wait early, never late: the moment of the end is seen at once.
static bool run_victim(const struct duel_desc *desc, struct answer *answer, struct error *err)
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
        if (!feed_if_short(desc, err))
            return false;
        if (clock_left_ns(limit) == 0)
            return error_set(err, ERROR_TIMEOUT, "the victim was not done in %.3g s",
                             (double)(answer->end_ns - answer->begin_ns) * 1e-9);
    }
    return true;
}

static bool hog_has_slots(const struct duel_desc *desc)
{
    return !desc->hog || desc->hog->submitted < desc->hog->desc.slots;
}

bool duel_run(const struct duel_desc *desc, struct duel *duel, struct error *err)
{
    *duel = (struct duel){0};
    if (!run_alone(desc, err))
        return false;
    uint64_t first = clock_now_ns() + DUEL_PERIOD_NS + (uint64_t)desc->delay_ns;
    uint64_t end = first + desc->samples * DUEL_PERIOD_NS;
    while (duel->due < desc->samples && hog_has_slots(desc)) {
        struct answer answer = {0};
        uint64_t due_ns = first + duel->due * DUEL_PERIOD_NS;
        if (!load_prepare(desc->victim, err) || !wait_until(desc, due_ns, end, err))
            return false;
        duel->late += clock_now_ns() > due_ns + DUEL_PERIOD_NS / 4;
        if (!run_victim(desc, &answer, err))
            return false;
        duel->response_ns[duel->count++] = (double)(answer.end_ns - answer.begin_ns);
        duel->met += answer.end_ns <= due_ns + DUEL_PERIOD_NS;
        do
            duel->due++;
        while (first + duel->due * DUEL_PERIOD_NS < clock_now_ns() && duel->due < desc->samples);
    }
    return (!desc->hog || load_drain(desc->hog, err)) && load_drain(desc->victim, err);
}
