// SPDX-License-Identifier: MIT
#include "bench/launch/session.h"

#include <string.h>

static const struct param_info params[] = {
    {.key = "work",
     .type = PARAM_TEXT,
     .standard = "empty,scale",
     .choices = "empty|scale",
     .help = "kernels that do nothing, or scale so many elements"},
    {.key = "between",
     .type = PARAM_TEXT,
     .quick = "order,nothing,execution,memory",
     .standard = "order,nothing,execution,memory,buffer,full,split",
     .choices = "order|nothing|execution|memory|buffer|full|split",
     .help =
         "with work=empty: what stands between kernels; order is the API's own, as for work=scale"},
    {.key = "mode",
     .type = PARAM_TEXT,
     .quick = "batch,replay,submit,round-trip,one-way",
     .standard = "batch,replay,submit,round-trip,one-way,queues,signal",
     .choices = "batch|replay|submit|round-trip|one-way|queues|signal",
     .help = "recorded once and submitted by one call, the same as a graph, a submission for each "
             "kernel, "
             "one that is waited for, that one's way to the device, batches on several queues, or "
             "submissions that wait for each other"},
    {.key = "elements",
     .type = PARAM_UINT,
     .quick = "4096,262144,4194304",
     .standard = "4096..8388608/2,16777216..134217728",
     .help = "with work=scale: elements of 8 bytes, each read and written"},
    {.key = "queues",
     .type = PARAM_UINT,
     .standard = "1,2,4",
     .help = "with mode=queues: that many at once, from two on; with mode=signal: in turn"},
};

static const struct metric_info metrics[] = {
    {.name = "time",
     .unit = UNIT_NS,
     .better = BETTER_LOWER,
     .help = "of one kernel, or of one submission"},
    {.name = "bandwidth",
     .unit = UNIT_BYTE_PER_S,
     .better = BETTER_HIGHER,
     .help = "bytes read and written over that time"},
    {.name = "back",
     .unit = UNIT_NS,
     .better = BETTER_LOWER,
     .help = "from the kernel's first instruction until the host knows that it is done"},
    {.name = "host",
     .unit = UNIT_NS,
     .better = BETTER_LOWER,
     .help = "of the host's call that submits a row, a kernel: near the time, it is the bound"},
};

static const struct view_info views[] = {
    {.kind = VIEW_BARS,
     .title = "An empty kernel, by how it is launched",
     .x = "mode",
     .metric = "time",
     .scale = "linear",
     .where = "work=empty,between=order"},
    {.kind = VIEW_BARS,
     .title = "An empty kernel of a batch, by what stands between",
     .x = "between",
     .metric = "time",
     .scale = "linear",
     .where = "work=empty,mode=batch"},
    {.kind = VIEW_CURVE,
     .title = "Time of a kernel by its elements",
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
     .where = "work=empty,mode=round-trip"},
    {.kind = HEADLINE_BEST,
     .title = "Empty kernel in a batch",
     .metric = "time",
     .where = "work=empty,between=order,mode=batch"},
    {.kind = HEADLINE_BEST,
     .title = "Empty kernel and a memory barrier",
     .metric = "time",
     .where = "work=empty,between=memory,mode=batch"},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static size_t place_of(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return 0;
}

void launch_case_read(const struct bench_case *c, struct launch_case *this_case)
{
    static const char *const betweens[] = {
        [LAUNCH_ORDER] = "order",   [LAUNCH_NOTHING] = "nothing", [LAUNCH_EXECUTION] = "execution",
        [LAUNCH_MEMORY] = "memory", [LAUNCH_BUFFER] = "buffer",   [LAUNCH_FULL] = "full",
        [LAUNCH_SPLIT] = "split"};
    static const char *const modes[] = {
        [LAUNCH_BATCH] = "batch",     [LAUNCH_REPLAY] = "replay",
        [LAUNCH_SUBMIT] = "submit",   [LAUNCH_ROUND_TRIP] = "round-trip",
        [LAUNCH_ONE_WAY] = "one-way", [LAUNCH_QUEUES] = "queues",
        [LAUNCH_SIGNAL] = "signal"};
    const struct case_value *queues = case_find(c, "queues");
    const struct case_value *elements = case_find(c, "elements");
    const struct case_value *between = case_find(c, "between");
    *this_case = (struct launch_case){
        .scales = elements != NULL,
        .between = between ? (enum launch_between)place_of(between->text, betweens, COUNT(betweens))
                           : LAUNCH_ORDER,
        .mode = (enum launch_mode)place_of(case_text(c, "mode"), modes, COUNT(modes)),
        .elements = elements ? elements->uint : 0,
        .queues = queues ? (unsigned)queues->uint : 0,
    };
}

// What barriers cost shows within a batch; a graph is ordered, and so is what is waited for.
static bool is_possible(const struct launch_case *this_case)
{
    if (this_case->scales)
        return this_case->mode <= LAUNCH_SUBMIT;
    if (this_case->mode == LAUNCH_QUEUES && this_case->queues < 2)
        return false;
    return this_case->between == LAUNCH_ORDER || this_case->mode == LAUNCH_BATCH;
}

struct planner {
    const struct bench_request *request;
    struct bench_case_list *list;
    const struct bench_choice *work, *between, *mode, *elements, *queues;
};

// The preset leaves out what the device has not; what a user asked for is skipped with the reason.
static bool is_reachable(const struct planner *p, const struct launch_case *this_case)
{
    gpu_caps caps = p->request->device->caps;
    if (this_case->scales && !p->elements->from_user &&
        this_case->elements > launch_elements_max(p->request->device))
        return false;
    if (this_case->mode == LAUNCH_ONE_WAY && !p->mode->from_user && !(caps & GPU_CAP(DEVICE_CLOCK)))
        return false;
    if (this_case->queues > launch_queue_count(p->request->device) && !p->queues->from_user)
        return false;
    if (this_case->between == LAUNCH_SPLIT && !p->between->from_user && !(caps & GPU_CAP(SPLITS)))
        return false;
    if (this_case->mode == LAUNCH_REPLAY && !p->mode->from_user && !(caps & GPU_CAP(REPLAY)))
        return false;
    return this_case->between == LAUNCH_ORDER || p->between->from_user || caps & GPU_CAP(UNORDERED);
}

// `detail` is a value of between or of elements, as the work has it; `queues` NULL: not of them.
static void add_case(const struct planner *p, const struct case_value *work,
                     const struct case_value *mode, const struct case_value *detail,
                     const struct case_value *queues)
{
    struct case_value *values = ARENA_ARRAY(p->request->arena, 4, struct case_value);
    struct bench_case made = {.values = values, .value_count = queues ? 4 : 3};
    bool scales = strcmp(work->text, "scale") == 0;
    struct launch_case this_case;
    values[0] = *work;
    values[scales ? 1 : 2] = *mode;
    values[scales ? 2 : 1] = *detail;
    if (queues)
        values[3] = *queues;
    launch_case_read(&made, &this_case);
    if (is_possible(&this_case) && is_reachable(p, &this_case))
        bench_case_add(p->request->arena, p->list, made);
}

static void add_queues(const struct planner *p, const struct case_value *work,
                       const struct case_value *mode, const struct case_value *detail)
{
    if (strcmp(mode->text, "queues") != 0 && strcmp(mode->text, "signal") != 0)
        add_case(p, work, mode, detail, NULL);
    else
        for (size_t q = 0; q < p->queues->value_count; q++)
            add_case(p, work, mode, detail, &p->queues->values[q]);
}

bool launch_plan(const struct bench_request *request, struct bench_case_list *list,
                 struct error *err)
{
    const struct planner p = {.request = request,
                              .list = list,
                              .work = bench_choice_find(request, "work"),
                              .between = bench_choice_find(request, "between"),
                              .mode = bench_choice_find(request, "mode"),
                              .elements = bench_choice_find(request, "elements"),
                              .queues = bench_choice_find(request, "queues")};
    size_t before = list->count;
    for (size_t e = 0; e < p.elements->value_count; e++)
        if (p.elements->values[e].uint == 0 || p.elements->values[e].uint > UINT32_MAX)
            return error_set(err, ERROR_USAGE, "launch.elements: expected 1 to 2^32 - 1");
    for (size_t q = 0; q < p.queues->value_count; q++)
        if (p.queues->values[q].uint == 0 || p.queues->values[q].uint > GPU_QUEUES_MAX)
            return error_set(err, ERROR_USAGE, "launch.queues: expected 1 to %d", GPU_QUEUES_MAX);
    for (size_t w = 0; w < p.work->value_count; w++) {
        const struct case_value *work = &p.work->values[w];
        const struct bench_choice *detail =
            strcmp(work->text, "scale") == 0 ? p.elements : p.between;
        for (size_t m = 0; m < p.mode->value_count; m++)
            for (size_t d = 0; d < detail->value_count; d++)
                add_queues(&p, work, &p.mode->values[m], &detail->values[d]);
    }
    if (list->count == before)
        return error_set(err, ERROR_USAGE,
                         "launch: these values do not go together; see `fathom list launch`");
    return true;
}

const struct benchmark bench_launch = {
    .info =
        {
            .name = "launch",
            .version = 2,
            .title = "What a launch costs",
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
        "The time of a kernel that does nothing, in a row of its like, with barriers, as a graph, "
        "as a submission of its own, there and back and one way, on several queues, behind "
        "signals; "
        "and of kernels of 4 Ki to 128 Mi "
        "elements, "
        "each after the one before, whose time is a + V / b. Empty kernels count themselves; of "
        "the "
        "others every element is checked.",
    .plan = launch_plan,
    .open = launch_open,
    .close = launch_close,
    .visit = launch_visit,
    .conclude = launch_conclude,
};
