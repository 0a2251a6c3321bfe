// SPDX-License-Identifier: MIT
#include "bench/loads/run.h"

#include "measure/unit.h"

#include <math.h>

enum {
    TRIAL_SHARE = 32 // of a dispatch: a workgroup a core
};

uint32_t loads_groups_within(uint32_t all, uint32_t trial, double took_ns)
{
    double fit = floor(trial * (LOADS_LONGEST_NS / fmax(took_ns, 1)));
    return fit < all ? (uint32_t)fmax(fit, 1) : all;
}

static bool make_work(struct bench_visit *visit, struct loads_run *run, uint32_t groups,
                      struct error *err)
{
    struct loads_case this_case = *run->this_case;
    this_case.groups = groups;
    return loads_work_make(visit->session->state, visit->scope, &this_case, run->control,
                           &run->work, err);
}

// A first run is slow for many reasons, so what takes too long must do so twice.
static bool find_groups(struct bench_visit *visit, struct loads_run *run, struct error *err)
{
    const struct loads_session *session = visit->session->state;
    uint32_t all = session->groups, trial = all > TRIAL_SHARE ? all / TRIAL_SHARE : 1;
    double took_ns, again_ns;
    if (!make_work(visit, run, trial, err))
        return false;
    const struct measure_unit unit = {.scope = visit->scope,
                                      .record = loads_work_record,
                                      .context = &run->work,
                                      .timeout_ns = visit->request->timeout_ns};
    if (!measure_unit_time(&unit, 1, &took_ns, err))
        return false;
    if (loads_groups_within(all, trial, took_ns) < all) {
        if (!measure_unit_time(&unit, 1, &again_ns, err))
            return false;
        took_ns = fmin(took_ns, again_ns);
    }
    run->size->groups = loads_groups_within(all, trial, took_ns);
    return loads_work_verify(&run->work, 1, err);
}

bool loads_run(struct bench_visit *visit, struct loads_run *run, struct error *err)
{
    struct loads_session *session = visit->session->state;
    if ((!run->size->groups && !find_groups(visit, run, err)) ||
        !make_work(visit, run, run->size->groups, err))
        return false;
    const struct measure_span_desc desc = {
        .scope = visit->scope,
        .record = loads_work_record,
        .context = &run->work,
        .clock = &session->clock,
        .request = run->request,
        .unordered = (visit->session->info->caps & GPU_CAP(UNORDERED)) != 0,
        .repeats = run->size->repeats,
        .warm = session->warm, // cases follow each other without a pause
    };
    if (!measure_span_run(visit->arena, &desc, &run->span, err) ||
        !loads_work_verify(&run->work, run->span.repeats * run->span.count, err))
        return false;
    run->size->repeats = run->span.repeats;
    for (size_t i = 0; i < run->span.count; i++)
        run->span.unit_ns[i] /= run->work.groups;
    run->span.step_ns /= run->work.groups;
    return true;
}
