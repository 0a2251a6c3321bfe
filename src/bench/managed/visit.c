// SPDX-License-Identifier: MIT
#include "bench/managed/session.h"
#include "measure/limits.h"
#include "measure/unit.h"

#include <math.h>

enum {
    METRIC_BANDWIDTH,
    METRIC_FIRST,
    METRIC_PREFETCH
};

// The factors differ, so that results of the first pass fail the check of the later passes.
static const double first_factor = 1.25, later_factor = 1.5;

struct trial {
    struct bench_visit *run;
    struct managed_session *session;
    struct managed_case this_case;
    struct managed_arrays arrays;
    double factor; // factor of the passes that are recorded next
    double prefetch_ns, first_ns;
    struct measure_span later;
};

static void record_prefetch(void *context, struct gpu_batch *batch, uint64_t repeats)
{
    const struct trial *trial = context;
    (void)repeats; // one prefetch is enough, because a second one would move no pages
    for (int i = 0; i < MANAGED_ARRAYS; i++)
        gpu_managed_prefetch(batch, &(struct gpu_managed_range){.buffer = trial->arrays.at[i],
                                                                .bytes = trial->arrays.bytes});
}

static void record_passes(void *context, struct gpu_batch *batch, uint64_t repeats)
{
    const struct trial *trial = context;
    for (uint64_t i = 0; i < repeats; i++)
        managed_arrays_record(&trial->arrays, trial->factor, batch);
}

static bool time_once(struct trial *trial, measure_record *record, double *ns, struct error *err)
{
    const struct measure_span_desc once = {.scope = trial->run->scope,
                                           .record = record,
                                           .context = trial,
                                           .request = trial->run->request};
    return measure_unit_time(&once, 1, ns, err);
}

static bool measure(struct trial *trial, uint64_t *repeats, struct error *err)
{
    struct managed_arrays *arrays = &trial->arrays;
    const struct measure_span_desc later = {.scope = trial->run->scope,
                                            .record = record_passes,
                                            .context = trial,
                                            .request = trial->run->request,
                                            .repeats = *repeats,
                                            .warm = true};
    if (!managed_arrays_make(arrays, &trial->this_case, err) ||
        !managed_arrays_touch(arrays, trial->this_case.host_touch, err) ||
        (trial->this_case.prefetch && !time_once(trial, record_prefetch, &trial->prefetch_ns, err)))
        return false;
    trial->factor = first_factor;
    if (!time_once(trial, record_passes, &trial->first_ns, err) ||
        !managed_arrays_check_device(arrays, first_factor, err))
        return false;
    trial->factor = later_factor;
    if (!measure_unit_count_clear(trial->session->passes, 0, err) ||
        !measure_span_run(trial->run->arena, &later, &trial->later, err))
        return false;
    *repeats = trial->later.repeats;
    return measure_unit_count_check(trial->session->passes, 0, &trial->later.ran, err) &&
           managed_arrays_check_device(arrays, later_factor, err) &&
           managed_arrays_check_host(arrays, later_factor, err);
}

static void report_once(const struct trial *trial, struct measure_visit *visit, unsigned metric,
                        double ns)
{
    double bytes = (double)MANAGED_ARRAYS * (double)trial->arrays.bytes, rate = bytes * 1e9 / ns;
    double step_ns = (double)trial->session->bench->info->limits.stamp_step_ps / 1000;
    if (ns > 0)
        visit_samples(visit, metric, &rate, 1, rate * step_ns / ns);
    // The rate depends on the host, because its driver moves the pages.
    visit_by_host(visit, metric);
}

static void report(const struct trial *trial, struct measure_visit *visit)
{
    const struct measure_limits *limits = &trial->session->bench->limits;
    double bytes = (double)MANAGED_ARRAYS * (double)trial->arrays.bytes;
    const struct managed_case *this_case = &trial->this_case;
    measure_span_rate(&trial->later, bytes, METRIC_BANDWIDTH, visit);
    measure_span_note(&trial->later, visit);
    measure_stamps_note(&trial->run->session->clock, visit);
    report_once(trial, visit, METRIC_FIRST, trial->first_ns);
    if (this_case->prefetch)
        report_once(trial, visit, METRIC_PREFETCH, trial->prefetch_ns);
    // DRAM is the limit only if the arrays surely fit no cache, and their pages are on the device.
    bool is_dram = measure_limits_is_dram(limits, trial->arrays.bytes * MANAGED_ARRAYS);
    bool is_on_host =
        this_case->advised && this_case->advice == GPU_MANAGED_PREFER_HOST && !this_case->prefetch;
    if (limits->dram_bytes_per_s > 0 && is_dram && !is_on_host)
        visit_limit(visit, METRIC_BANDWIDTH, limits->dram_bytes_per_s);
    if (trial->session->link.bytes_per_s > 0 && this_case->host_touch && this_case->prefetch)
        visit_limit(visit, METRIC_PREFETCH, trial->session->link.bytes_per_s);
    if (trial->session->link.text)
        visit_detail(visit, "link", "%s", trial->session->link.text);
    visit_detail(visit, "touched", "by the %s", this_case->host_touch ? "host" : "device");
    visit_kernel(visit, trial->session->triad);
}

bool managed_visit(struct bench_visit *run, struct measure_visit *visit, struct error *err)
{
    struct trial trial = {.run = run, .session = run->session->state};
    if (!*run->memory)
        *run->memory = ARENA_NEW(run->session->arena, uint64_t);
    // Number of passes per sample; the first visit of the case chooses it.
    uint64_t *repeats = *run->memory;
    managed_case_read(run->bench_case, &trial.this_case);
    trial.arrays = (struct managed_arrays){.session = trial.session, .scope = run->scope};
    if (!measure(&trial, repeats, err))
        return false;
    if (!trial.session->link.text) // only now, because an idle card slows its link down
        measure_link_of(run->session->arena, run->session->info, &trial.session->link);
    report(&trial, visit);
    return true;
}
