// SPDX-License-Identifier: MIT
#include "bench/preempt/contention.h"

#include "base/clock.h"

#include <math.h>
#include <pthread.h>

// Longest time in ns that the host sleeps before it checks again whether the hog needs submissions.
static const uint64_t look_ns = 2000000;
// Longest time in ns that the host waits for an answer without a break. After that it looks whether
// a deadline has come or the hog needs work, and waits again.
static const uint64_t slice_ns = 1000000;

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

static bool hog_has_slots(const struct contention_desc *desc)
{
    return !desc->hog || desc->hog->submitted < desc->hog->desc.slots;
}

bool contention_start(const struct contention_desc *desc, struct contention_start *start,
                      struct error *err)
{
    if (!start_hog(desc, err))
        return false;
    start->victim_ns = clock_now_ns() + CONTENTION_PERIOD_NS + (uint64_t)desc->delay_ns;
    start->application_ns = start->victim_ns - CONTENTION_LEAD_NS;
    return true;
}

// ---------------------------------------------------------------- an actor's side

static uint32_t pending(const struct contention_arrivals *arrivals)
{
    return arrivals->load->submitted - arrivals->load->finished;
}

// Waits for the oldest pending submission, at most slice_ns, and sets the response times of all
// submissions that are done. If no submission is pending, sleeps until `until_ns`.
static bool look(const struct contention_arrivals *arrivals, uint64_t until_ns,
                 struct contention *result, struct error *err)
{
    uint64_t left_ns = clock_left_ns(until_ns);
    if (pending(arrivals) == 0) {
        clock_sleep_ns(left_ns);
        return true;
    }
    if (!load_feed(arrivals->load, left_ns < slice_ns ? left_ns : slice_ns, false, err))
        return false;
    uint64_t now_ns = clock_now_ns();
    for (uint32_t k = result->count; k < result->due; k++) {
        struct contention_answer *answer = &result->answers[k];
        if (answer->victim >= arrivals->load->finished)
            break;
        uint64_t due_ns = arrivals->first_ns + k * CONTENTION_PERIOD_NS;
        answer->response_ns = (double)(now_ns - due_ns);
        result->met += !answer->censored && now_ns <= due_ns + CONTENTION_PERIOD_NS;
        result->count++;
    }
    return true;
}

// Submits the actor's load for deadline number result->due. If CONTENTION_PENDING_MAX submissions
// are pending, submits nothing, and the response time becomes a lower bound.
static bool ask(const struct contention_arrivals *arrivals, struct contention *result,
                struct error *err)
{
    // After a time without a look, submissions that count as pending may be done.
    if (pending(arrivals) == CONTENTION_PENDING_MAX && !look(arrivals, 0, result, err))
        return false;
    uint64_t due_ns = arrivals->first_ns + result->due * CONTENTION_PERIOD_NS;
    struct contention_answer *answer = &result->answers[result->due++];
    answer->censored = pending(arrivals) == CONTENTION_PENDING_MAX;
    if (!answer->censored && !load_submit(arrivals->load, err))
        return false;
    answer->victim = arrivals->load->submitted - 1;
    result->late += !answer->censored && clock_now_ns() > due_ns + CONTENTION_PERIOD_NS / 4;
    return true;
}

bool contention_arrive(struct contention_arrivals *arrivals, struct contention *result,
                       struct error *err)
{
    uint64_t end_ns = arrivals->first_ns + arrivals->samples * CONTENTION_PERIOD_NS;
    while (!atomic_load(&arrivals->stop) &&
           (result->due < arrivals->samples || pending(arrivals) > 0)) {
        bool more = result->due < arrivals->samples;
        uint64_t next_ns = more ? arrivals->first_ns + result->due * CONTENTION_PERIOD_NS
                                : end_ns + arrivals->patience_ns;
        if (clock_left_ns(next_ns) > 0) {
            if (!look(arrivals, next_ns, result, err))
                return false;
        } else if (!more) {
            break;
        } else if (!ask(arrivals, result, err)) {
            return false;
        }
    }
    result->answered = arrivals->load->finished;
    for (; result->count < result->due; result->count++) {
        uint64_t due_ns = arrivals->first_ns + result->count * CONTENTION_PERIOD_NS;
        result->answers[result->count].response_ns = (double)(clock_now_ns() - due_ns);
        result->answers[result->count].censored = true;
    }
    return true;
}

// ---------------------------------------------------------------- the hog's side

enum {
    ACTORS_MAX = 2 // maximum number of actors with a thread: victim and application
};

// What the thread of an actor (the victim or the application) needs, and its results.
struct actor {
    struct contention_arrivals arrivals;
    struct contention *result;
    pthread_t thread;
    struct error err;
    bool done;
};

struct actors {
    struct actor list[ACTORS_MAX];
    unsigned count;
};

static void *run_thread(void *context)
{
    struct actor *actor = context;
    actor->done = contention_arrive(&actor->arrivals, actor->result, &actor->err);
    atomic_store(&actor->arrivals.over, true);
    return NULL;
}

static bool actor_add(struct actors *actors, struct load *load, uint64_t first_ns, uint32_t samples,
                      struct contention *result, struct error *err)
{
    struct actor *actor = &actors->list[actors->count];
    *result = (struct contention){0};
    actor->result = result;
    actor->arrivals.load = load;
    actor->arrivals.samples = samples;
    actor->arrivals.first_ns = first_ns;
    actor->arrivals.patience_ns = CONTENTION_PATIENCE_NS;
    if (pthread_create(&actor->thread, NULL, run_thread, actor) != 0)
        return error_set(err, ERROR_INTERNAL, "preempt: no thread for victim or application");
    actors->count++;
    return true;
}

static bool are_over(const struct actors *actors)
{
    bool over = true;
    for (unsigned i = 0; i < actors->count; i++)
        over = over && atomic_load(&actors->list[i].arrivals.over);
    return over;
}

// Waits for all threads. If `stop` is true, ends them early. Returns false with the error of the
// first actor that failed.
static bool actors_join(struct actors *actors, bool stop, struct error *err)
{
    bool done = true;
    for (unsigned i = 0; i < actors->count && stop; i++)
        atomic_store(&actors->list[i].arrivals.stop, true);
    for (unsigned i = 0; i < actors->count; i++) {
        struct actor *actor = &actors->list[i];
        pthread_join(actor->thread, NULL);
        if (done && !actor->done)
            *err = actor->err;
        done = done && actor->done;
    }
    return done;
}

// True if the hog needs no new submission. Until end_ns, which is one period after the last
// deadline, the submissions in flight must keep the hog busy until end_ns. After end_ns, the host
// only waits for late answers. Then more than half of the hog's maximum in flight is enough.
static bool lasts(const struct contention_desc *desc, uint64_t end_ns)
{
    uint32_t ahead = in_flight(desc);
    if (clock_left_ns(end_ns) == 0)
        return desc->hog && ahead > desc->hog->desc.work.ahead / 2;
    return ahead > 1 && (double)(ahead - 1) * desc->hog_ns >= (double)clock_left_ns(end_ns);
}

static bool feed_until_over(const struct contention_desc *desc, uint64_t end_ns,
                            const struct actors *actors, struct error *err)
{
    while (desc->hog && !are_over(actors)) {
        clock_sleep_ns(look_ns);
        if (!feed(desc, !lasts(desc, end_ns), err))
            return false;
        if (!hog_has_slots(desc))
            return true;
    }
    return true;
}

static bool run_open(const struct contention_desc *desc, const struct contention_start *start,
                     struct contention *victim, struct contention *application, struct error *err)
{
    struct actors actors = {0};
    uint64_t end_ns = start->victim_ns + desc->samples * CONTENTION_PERIOD_NS;
    // Error of an actor. It is not reported, because `err` already has an earlier error.
    struct error later;
    bool fed = actor_add(&actors, desc->victim, start->victim_ns, desc->samples, victim, err) &&
               (!desc->application || actor_add(&actors, desc->application, start->application_ns,
                                                desc->samples, application, err)) &&
               feed_until_over(desc, end_ns, &actors, err);
    bool stop = !fed || (desc->hog && !hog_has_slots(desc));
    return actors_join(&actors, stop, fed ? err : &later) && fed;
}

// ---------------------------------------------------------------- a run that drops deadlines

// Keeps the hog busy until `deadline_ns`. Submits no more than keeps the hog busy until `end_ns`,
// because the run ends when all submissions are done.
static bool wait_until(const struct contention_desc *desc, uint64_t deadline_ns, uint64_t end_ns,
                       struct error *err)
{
    for (uint64_t now = clock_now_ns(); now < deadline_ns; now = clock_now_ns()) {
        uint64_t left_ns = deadline_ns - now;
        clock_sleep_ns(left_ns < look_ns ? left_ns : look_ns);
        if (clock_now_ns() < deadline_ns && !feed(desc, !lasts(desc, end_ns), err))
            return false;
    }
    return true;
}

// begin_ns: host time just before a victim is submitted. end_ns: host time when its end is seen.
struct stay {
    uint64_t begin_ns, end_ns;
};

static bool run_victim(const struct contention_desc *desc, struct stay *stay, struct error *err)
{
    stay->begin_ns = clock_now_ns();
    uint64_t limit = clock_deadline_ns(desc->victim->desc.timeout_ns);
    uint32_t before = desc->victim->finished;
    if (!load_submit(desc->victim, err))
        return false;
    while (desc->victim->finished == before) {
        if (!load_feed(desc->victim, slice_ns, false, err))
            return false;
        stay->end_ns = clock_now_ns();
        // While the host records a submission, it cannot see that the victim has ended. So it
        // records seldom: only when half of the hog's submissions are done.
        if (!feed(desc, false, err) ||
            (desc->hog && in_flight(desc) <= desc->hog->desc.work.ahead / 2 &&
             !feed(desc, true, err)))
            return false;
        if (clock_left_ns(limit) == 0)
            return error_set(err, ERROR_TIMEOUT, "the victim was not done in %.3g s",
                             (double)(stay->end_ns - stay->begin_ns) * 1e-9);
    }
    return true;
}

static bool run_dropping(const struct contention_desc *desc, uint64_t first,
                         struct contention *result, struct error *err)
{
    uint64_t end = first + desc->samples * CONTENTION_PERIOD_NS;
    *result = (struct contention){0};
    while (result->due < desc->samples && hog_has_slots(desc)) {
        struct stay stay = {0};
        uint64_t due_ns = first + result->due * CONTENTION_PERIOD_NS;
        if (!load_prepare(desc->victim, err) || !wait_until(desc, due_ns, end, err))
            return false;
        result->late += clock_now_ns() > due_ns + CONTENTION_PERIOD_NS / 4;
        if (!run_victim(desc, &stay, err))
            return false;
        result->answers[result->count] = (struct contention_answer){
            .response_ns = (double)(stay.end_ns - stay.begin_ns), .victim = result->count};
        result->answered = ++result->count;
        result->met += stay.end_ns <= due_ns + CONTENTION_PERIOD_NS;
        do
            result->due++;
        while (first + result->due * CONTENTION_PERIOD_NS < clock_now_ns() &&
               result->due < desc->samples);
    }
    return true;
}

// ---------------------------------------------------------------- both

bool contention_run(const struct contention_desc *desc, const struct contention_start *start,
                    struct contention *victim, struct contention *application, struct error *err)
{
    bool done = desc->drops ? run_dropping(desc, start->victim_ns, victim, err)
                            : run_open(desc, start, victim, application, err);
    return done && (!desc->hog || load_drain(desc->hog, err));
}

// ---------------------------------------------------------------- results

double contention_frames(const struct contention *result)
{
    uint32_t shown = 0;
    double last = -1;
    // Of several answers within one period, a display shows only one. They are neighbours in the
    // array, because answers come in the order of their deadlines.
    for (uint32_t i = 0; i < result->count; i++) {
        const struct contention_answer *answer = &result->answers[i];
        double period = floor(i + answer->response_ns / (double)CONTENTION_PERIOD_NS);
        if (answer->censored || period >= result->due || period == last)
            continue;
        shown++;
        last = period;
    }
    return result->due ? 90.0 * shown / result->due : NAN;
}

double contention_lateness_ns(const struct contention_answer *answer)
{
    return fmax(answer->response_ns - (double)CONTENTION_PERIOD_NS, 0);
}
