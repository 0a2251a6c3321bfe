// SPDX-License-Identifier: MIT
#include "bench/managed/session.h"

#define BYTES_LEAST ((uint64_t)1 << 20)
// Maximum size in bytes of all arrays together. Kernels count pairs of elements in 32 bits, up to
// one grid of threads beyond the end of an array.
#define BYTES_MOST ((uint64_t)191 << 30)

enum {
    // All arrays may take 1 / DEVICE_SHARE of the device's memory, except oversubscribed arrays and
    // a user's sizes without max.
    DEVICE_SHARE = 2,
    OVER = 2 // size of oversubscribed arrays together, in multiples of the device's memory
};
static const uint64_t advised_most =
    96 << 20; // maximum bytes with advice, where DEVICE_SHARE applies; the host writes slowly

static const struct param_info params[] = {
    {.key = "touch",
     .type = PARAM_TEXT,
     .standard = "host,device",
     .choices = "host|device",
     .help = "who writes the arrays first, and so where their pages are then"},
    {.key = "pages",
     .type = PARAM_TEXT,
     .standard = "faulted,prefetched",
     .choices = "faulted|prefetched",
     .help =
         "how pages come to the device: by page faults, or by a prefetch before the first pass"},
    {.key = "advise",
     .type = PARAM_TEXT,
     .quick = "none",
     .standard = "none,device,host,read-mostly",
     .choices = "none|device|host|read-mostly",
     .help = "advice to the driver: keep pages on the device, keep them on the host, or b and c "
             "are mostly read; by default only with pages=faulted"},
    {.key = "bytes",
     .type = PARAM_BYTES,
     .unit = UNIT_BYTE,
     .quick = "24MiB",
     .standard = "24MiB,96MiB,384MiB",
     .full = "24MiB,48MiB,96MiB,192MiB,384MiB,768MiB,1536MiB,3GiB,6GiB,12GiB",
     .least = BYTES_LEAST,
     .most = BYTES_MOST,
     .takes_max = true,
     .help = "size of the three arrays together; at most the device's free memory"},
    {.key = "oversubscribe",
     .type = PARAM_UINT,
     .standard = "0",
     .most = 1,
     .unsaid = "0",
     .help = "1: arrays twice as large as the device's memory. Such a case is skipped with its "
             "reason: managed memory that does not fit can hang a GPU for all who use it"},
};

static const struct metric_info metrics[] = {
    {.name = "bandwidth",
     .unit = UNIT_BYTE_PER_S,
     .better = BETTER_HIGHER,
     .help = "bytes that the triad reads and writes per second, once its pages stay in place"},
    {.name = "first",
     .unit = UNIT_BYTE_PER_S,
     .better = BETTER_HIGHER,
     .help = "bytes per second of the first pass, with all its page faults and moves"},
    {.name = "prefetch",
     .unit = UNIT_BYTE_PER_S,
     .better = BETTER_HIGHER,
     .help = "bytes per second of the prefetch before the first pass"},
};

static const struct view_info views[] = {
    {.kind = VIEW_CURVE,
     .title = "Triad on managed memory, first pass",
     .x = "bytes",
     .metric = "first",
     .group = "touch,pages,advise",
     .scale = "log2-log10"},
    {.kind = VIEW_CURVE,
     .title = "Triad on managed memory, later passes",
     .x = "bytes",
     .metric = "bandwidth",
     .group = "touch,pages,advise",
     .scale = "log2-log10"},
};

static const struct headline_info headlines[] = {
    {.kind = HEADLINE_BEST,
     .title = "Managed memory, pages that fault in",
     .metric = "first",
     .where = "touch=host,pages=faulted,advise=none"},
    {.kind = HEADLINE_BEST,
     .title = "Managed memory, pages in place",
     .metric = "bandwidth",
     .where = "pages=prefetched,advise=none"},
};

enum managed_param { // indices of the parameters in the array `params`
    MANAGED_PARAM_TOUCH,
    MANAGED_PARAM_PAGES,
    MANAGED_PARAM_ADVISE,
    MANAGED_PARAM_BYTES,
    MANAGED_PARAM_OVERSUBSCRIBE
};

// Reduces *bytes to at most `most`, in whole MiB. A `most` of 0 is no limit.
static void limit(struct case_value *bytes, uint64_t most)
{
    if (most && bytes->uint > most)
        bytes->uint = most / BYTES_LEAST * BYTES_LEAST;
}

static bool reach(const struct bench_pick *pick)
{
    if (pick->param != MANAGED_PARAM_BYTES)
        return true;
    limit(pick->value, pick->request->device->limits.memory_bytes / DEVICE_SHARE);
    return case_choice(&pick->c, "advise") == 0 || pick->value->uint <= advised_most;
}

// Returns true if the plan should contain the case. Prefetching with advice is left out, unless the
// user chose the advice. Oversubscribed arrays have one size: OVER times the device's memory.
static bool is_wanted(const struct bench_pick *pick, struct error *err)
{
    const struct case_value *over = case_find(&pick->c, "oversubscribe");
    struct managed_case this_case;
    (void)err;
    managed_case_read(&pick->c, &this_case);
    if (over)
        pick->c.values[MANAGED_PARAM_BYTES].uint =
            OVER * pick->request->device->limits.memory_bytes;
    return (!over || pick->at[MANAGED_PARAM_BYTES] == 0) &&
           (!this_case.advised || !this_case.prefetch ||
            pick->request->choices[MANAGED_PARAM_ADVISE].from_user);
}

const struct benchmark bench_managed = {
    .info = {.name = "managed",
             .version = 1,
             .title = "Managed memory: where its pages are, and what moving them costs",
             BENCHMARK_TABLE(param, params),
             BENCHMARK_TABLE(metric, metrics),
             BENCHMARK_TABLE(view, views),
             BENCHMARK_TABLE(headline, headlines)},
    .description =
        "A triad of doubles on memory that host and device share by one pointer. The host or the "
        "device writes it first; pages are prefetched or not, with and without advice. It measures "
        "the first pass, which moves the pages, and the passes after it. Every sum is checked.",
    .slowness = 5,
    .needs = GPU_CAP(MANAGED),
    .product = {.reach = reach, .keep = is_wanted},
    .open = managed_open,
    .link = true,
    .visit = managed_visit,
};
