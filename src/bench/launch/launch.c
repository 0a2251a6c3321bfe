// SPDX-License-Identifier: MIT
#include "bench/launch/session.h"

static const struct param_info params[] = {
    {.key = "work",
     .type = PARAM_TEXT,
     .standard = "empty,scale",
     .choices = "empty|scale",
     .help = "empty kernels, or kernels that scale elements"},
    {.key = "between",
     .type = PARAM_TEXT,
     .quick = "order,nothing,execution,memory",
     .standard = "order,nothing,execution,memory,buffer,full,split",
     .choices = "order|nothing|execution|memory|buffer|full|split",
     .when = "work=empty",
     .help =
         "what stands between kernels; order is the API's own order, which work=scale always has"},
    {.key = "mode",
     .type = PARAM_TEXT,
     .quick = "batch,replay,submit,round-trip,one-way",
     .standard = "batch,replay,submit,round-trip,one-way,queues,signal",
     .choices = "batch|replay|submit|round-trip|one-way|queues|signal",
     .help = "one batch; the same as a graph; a submission for each kernel; one submission and its "
             "wait; the way of one submission to the device; batches on several queues; "
             "submissions that wait for each other"},
    {.key = "elements",
     .type = PARAM_UINT,
     .quick = "4096,262144,4194304",
     .standard = "4096..8388608/2,16777216..134217728",
     .when = "work=scale",
     .least = 1,
     .most = UINT32_MAX,
     .help = "elements of 8 bytes; each is read and written"},
    {.key = "queues",
     .type = PARAM_UINT,
     .standard = "1,2,4",
     .when = "mode=queues|signal",
     .least = 1,
     .most = GPU_QUEUES_MAX,
     .help = "queues: with mode=queues all at once, two or more; with mode=signal in turn"},
};

static const struct metric_info metrics[] = {
    {.name = "time",
     .unit = UNIT_NS,
     .better = BETTER_LOWER,
     .help = "time of one kernel, or of one submission"},
    {.name = "bandwidth",
     .unit = UNIT_BYTE_PER_S,
     .better = BETTER_HIGHER,
     .help = "bytes read and written per second"},
    {.name = "back",
     .unit = UNIT_NS,
     .better = BETTER_LOWER,
     .help = "from the kernel's first instruction until the host knows that it ended"},
    {.name = "host",
     .unit = UNIT_NS,
     .better = BETTER_LOWER,
     .part_of = "time",
     .help = "of the calls that submit, for each kernel; close to time: the host is the limit"},
};

static const struct view_info views[] = {
    {.kind = VIEW_BARS,
     .title = "An empty kernel, by launch mode",
     .x = "mode",
     .metric = "time",
     .scale = "linear",
     .where = "work=empty,between=order"},
    {.kind = VIEW_BARS,
     .title = "An empty kernel in a batch, by what stands between kernels",
     .x = "between",
     .metric = "time",
     .scale = "linear",
     .where = "work=empty,mode=batch"},
    {.kind = VIEW_CURVE,
     .title = "Time of a kernel, by its elements",
     .x = "elements",
     .metric = "time",
     .group = "mode",
     .scale = "log2-log10",
     .where = "work=scale"},
    {.kind = VIEW_CURVE,
     .title = "Bandwidth of small kernels",
     .x = "elements",
     .metric = "bandwidth",
     .group = "mode",
     .scale = "log2-log10",
     .where = "work=scale"},
};

static const struct headline_info headlines[] = {
    {.kind = HEADLINE_BEST,
     .title = "Launch and wait",
     .metric = "time",
     .where = "work=empty,mode=round-trip",
     .section = CARD_HOST,
     .row = "Launch",
     .name = "and wait"},
    {.kind = HEADLINE_BEST,
     .title = "Empty kernel in a batch",
     .metric = "time",
     .where = "work=empty,between=order,mode=batch",
     .section = CARD_HOST,
     .row = "Launch",
     .name = "in a batch"},
    {.kind = HEADLINE_BEST,
     .title = "Empty kernel and a memory barrier",
     .metric = "time",
     .where = "work=empty,between=memory,mode=batch",
     .section = CARD_HOST,
     .row = "Barrier",
     .name = "between kernels"},
};

enum launch_param { // indices of the array `params`
    LAUNCH_PARAM_WORK,
    LAUNCH_PARAM_BETWEEN,
    LAUNCH_PARAM_MODE,
    LAUNCH_PARAM_ELEMENTS,
    LAUNCH_PARAM_QUEUES
};

static bool reach(const struct bench_pick *pick)
{
    const struct gpu_info *device = pick->request->device;
    const unsigned choice = pick->value->choice;
    switch (pick->param) {
    case LAUNCH_PARAM_BETWEEN:
        return choice == LAUNCH_ORDER ||
               (device->caps & GPU_CAP(UNORDERED) &&
                (choice != LAUNCH_SPLIT || device->caps & GPU_CAP(SPLITS)));
    case LAUNCH_PARAM_MODE:
        return (choice != LAUNCH_ONE_WAY || device->caps & GPU_CAP(DEVICE_CLOCK)) &&
               (choice != LAUNCH_REPLAY || device->caps & GPU_CAP(REPLAY));
    case LAUNCH_PARAM_ELEMENTS:
        return pick->value->uint <= launch_elements_max(device);
    case LAUNCH_PARAM_QUEUES:
        return pick->value->uint <= launch_queue_count(device);
    default:
        return true;
    }
}

// Returns true if a case can have these values. Scaling kernels have only the modes batch, replay
// and submit. mode=queues needs at least two queues. Values of `between` other than order need
// mode=batch.
static bool is_possible(const struct bench_pick *pick, struct error *err)
{
    struct launch_case this_case;
    (void)err;
    launch_case_read(&pick->c, &this_case);
    if (this_case.elements)
        return this_case.mode <= LAUNCH_SUBMIT;
    if (this_case.mode == LAUNCH_QUEUES && this_case.queues < 2)
        return false;
    return this_case.between == LAUNCH_ORDER || this_case.mode == LAUNCH_BATCH;
}

const struct benchmark bench_launch = {
    .info = {.name = "launch",
             .version = 3,
             .title = "What a launch costs",
             BENCHMARK_TABLE(param, params),
             BENCHMARK_TABLE(metric, metrics),
             BENCHMARK_TABLE(view, views),
             BENCHMARK_TABLE(headline, headlines)},
    .description =
        "The time of an empty kernel: in a batch, with barriers, as a graph, as a submission of "
        "its own, there and back and one way, on several queues, and behind signals. And the time "
        "of kernels of 4 Ki to 128 Mi elements, one after another, as a + V / b. Empty kernels are "
        "counted; of the others every element is checked.",
    .slowness = 2,
    .product = {.reach = reach, .keep = is_possible},
    .open = launch_open,
    .close = launch_close,
    .link = true,
    .visit = launch_visit,
    .conclude = launch_conclude,
};
