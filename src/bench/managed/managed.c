// SPDX-License-Identifier: MIT
#include "bench/managed/session.h"

#include <string.h>

static const struct param_info params[] = {
    {.key = "touch",
     .type = PARAM_TEXT,
     .standard = "host,device",
     .choices = "host|device",
     .help = "who writes the arrays first, where their pages then are"},
    {.key = "pages",
     .type = PARAM_TEXT,
     .standard = "faulted,prefetched",
     .choices = "faulted|prefetched",
     .help = "how they come to the device: when it misses them, or sent before it begins"},
    {.key = "advise",
     .type = PARAM_TEXT,
     .quick = "none",
     .standard = "none,device,host,read-mostly",
     .choices = "none|device|host|read-mostly",
     .help = "where pages had better be, or that b and c are mostly read; by default with "
             "pages=faulted"},
    {.key = "bytes",
     .type = PARAM_BYTES,
     .unit = UNIT_BYTE,
     .quick = "24MiB",
     .standard = "24MiB,96MiB,384MiB",
     .full = "24MiB,48MiB,96MiB,192MiB,384MiB,768MiB,1536MiB,3GiB,6GiB,12GiB",
     .help = "of the three arrays together, within the device's free memory"},
    {.key = "oversubscribe",
     .type = PARAM_UINT,
     .standard = "0",
     .help = "1: arrays twice as large as `rest`, what other allocations leave of the device's "
             "memory. It "
             "can hang a GPU: never on one that others use"},
    {.key = "rest",
     .type = PARAM_BYTES,
     .unit = UNIT_BYTE,
     .standard = "1GiB",
     .role = PARAM_METHOD,
     .help = "with oversubscribe=1: device memory left; at most an eighth of it"},
};

static const struct metric_info metrics[] = {
    {.name = "bandwidth",
     .unit = UNIT_BYTE_PER_S,
     .better = BETTER_HIGHER,
     .help = "of the triad once its pages are where they stay, read and written bytes"},
    {.name = "first",
     .unit = UNIT_BYTE_PER_S,
     .better = BETTER_HIGHER,
     .help = "of the first pass, with all faults and moves in it"},
    {.name = "prefetch",
     .unit = UNIT_BYTE_PER_S,
     .better = BETTER_HIGHER,
     .help = "of the prefetch before it"},
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

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum {
    DEVICE_SHARE = 2, // of the device's memory, for the arrays of a preset
    REST_SHARE = 8,
    OVER = 2 // times the rest, where oversubscribed
};
static const uint64_t advised_most = 96 << 20; // of a preset's sizes: the host touches slowly
static const uint64_t bytes_least = 1 << 20, bytes_most = UINT64_C(192) << 30; // 32-bit numbers

void managed_case_read(const struct bench_case *c, struct managed_case *this_case)
{
    const char *advise = case_text(c, "advise");
    const struct case_value *rest = case_find(c, "rest");
    *this_case = (struct managed_case){
        .host_touch = strcmp(case_text(c, "touch"), "host") == 0,
        .prefetch = strcmp(case_text(c, "pages"), "prefetched") == 0,
        .advised = strcmp(advise, "none") != 0,
        .advice = strcmp(advise, "device") == 0 ? GPU_MANAGED_PREFER_DEVICE
                  : strcmp(advise, "host") == 0 ? GPU_MANAGED_PREFER_HOST
                                                : GPU_MANAGED_READ_MOSTLY,
        .bytes = case_uint(c, "bytes"),
        .rest = rest ? rest->uint : 0,
    };
}

// ---------------------------------------------------------------- the plan

struct planner {
    const struct bench_request *request;
    struct bench_case_list *list;
    const struct bench_choice *touch, *pages, *advise, *bytes, *oversubscribe, *rest;
};

static void add_case(const struct planner *p, const struct case_value *values, size_t count)
{
    struct case_value *kept = ARENA_ARRAY(p->request->arena, count, struct case_value);
    memcpy(kept, values, count * sizeof *kept);
    bench_case_add(p->request->arena, p->list,
                   (struct bench_case){.values = kept, .value_count = count});
}

// Arrays that fit, of every size.
static void add_fitting(const struct planner *p, const struct case_value way[3])
{
    bool advised = strcmp(way[2].text, "none") != 0;
    uint64_t most = p->request->device->limits.memory_bytes / DEVICE_SHARE;
    for (size_t b = 0; b < p->bytes->value_count; b++) {
        struct case_value values[] = {way[0], way[1], way[2], p->bytes->values[b]};
        bool user = p->bytes->from_user && values[3].uint != UINT64_MAX;
        if (!user && most && values[3].uint > most)
            values[3].uint = most / bytes_least * bytes_least;
        if (user || !advised || values[3].uint <= advised_most)
            add_case(p, values, COUNT(values));
    }
}

// Arrays that do not.
static void add_oversubscribed(const struct planner *p, const struct case_value way[3],
                               const struct case_value *oversubscribe)
{
    uint64_t memory = p->request->device->limits.memory_bytes;
    struct case_value rest = p->rest->values[0], bytes = p->bytes->values[0];
    if (memory && rest.uint > memory / REST_SHARE)
        rest.uint = memory / REST_SHARE / bytes_least * bytes_least;
    bytes.uint = OVER * rest.uint;
    const struct case_value values[] = {way[0], way[1], way[2], bytes, *oversubscribe, rest};
    add_case(p, values, COUNT(values));
}

static void add_way(const struct planner *p, const struct case_value way[3])
{
    bool advised = strcmp(way[2].text, "none") != 0,
         prefetch = strcmp(way[1].text, "prefetched") == 0;
    if (advised && prefetch && !p->advise->from_user)
        return;
    for (size_t o = 0; o < p->oversubscribe->value_count; o++) {
        if (p->oversubscribe->values[o].uint)
            add_oversubscribed(p, way, &p->oversubscribe->values[o]);
        else
            add_fitting(p, way);
    }
}

static bool check_choices(const struct planner *p, struct error *err)
{
    for (size_t i = 0; i < p->bytes->value_count; i++) {
        uint64_t bytes = p->bytes->values[i].uint;
        if (bytes != UINT64_MAX && (bytes < bytes_least || bytes > bytes_most))
            return error_set(err, ERROR_USAGE, "managed.bytes=%llu: take 1MiB to 192GiB",
                             (unsigned long long)bytes);
    }
    for (size_t i = 0; i < p->oversubscribe->value_count; i++)
        if (p->oversubscribe->values[i].uint > 1)
            return error_set(err, ERROR_USAGE, "managed.oversubscribe is 0 or 1");
    if (p->rest->value_count != 1 || p->rest->values[0].uint < bytes_least ||
        p->rest->values[0].uint > bytes_most / OVER)
        return error_set(err, ERROR_USAGE, "managed.rest: take one value, 1MiB or more");
    return true;
}

bool managed_plan(const struct bench_request *request, struct bench_case_list *list,
                  struct error *err)
{
    const struct planner p = {.request = request,
                              .list = list,
                              .touch = bench_choice_find(request, "touch"),
                              .pages = bench_choice_find(request, "pages"),
                              .advise = bench_choice_find(request, "advise"),
                              .bytes = bench_choice_find(request, "bytes"),
                              .oversubscribe = bench_choice_find(request, "oversubscribe"),
                              .rest = bench_choice_find(request, "rest")};
    if (!check_choices(&p, err))
        return false;
    for (size_t t = 0; t < p.touch->value_count; t++)
        for (size_t f = 0; f < p.pages->value_count; f++)
            for (size_t a = 0; a < p.advise->value_count; a++) {
                const struct case_value way[] = {p.touch->values[t], p.pages->values[f],
                                                 p.advise->values[a]};
                add_way(&p, way);
            }
    return true;
}

const struct benchmark bench_managed = {
    .info =
        {
            .name = "managed",
            .version = 1,
            .title = "Managed memory: where its pages are, and what moving them costs",
            .params = params,
            .param_count = COUNT(params),
            .metrics = metrics,
            .metric_count = COUNT(metrics),
            .views = views,
            .view_count = COUNT(views),
            .headlines = headlines,
            .headline_count = COUNT(headlines),
        },
    .description =
        "A triad of doubles on memory that host and device share by one pointer: written first by "
        "the host or by the device, prefetched or not, advised or not; the first pass, which moves "
        "the pages, and the passes after it. Every sum is checked. With --set oversubscribe=1 the "
        "arrays are larger than what the device has left.",
    .needs = GPU_CAP(MANAGED),
    .plan = managed_plan,
    .open = managed_open,
    .visit = managed_visit,
};
