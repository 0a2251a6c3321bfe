// SPDX-License-Identifier: MIT
#include "bench/launch/session.h"

#include <string.h>

static const struct param_info params[] = {
    {"work", PARAM_TEXT, UNIT_NONE, NULL, "empty,scale", NULL, PARAM_AXIS, "empty|scale",
     "kernels that do nothing, or scale so many elements"},
    {"between", PARAM_TEXT, UNIT_NONE, NULL, "order,nothing,execution,memory", NULL, PARAM_AXIS,
     "order|nothing|execution|memory",
     "with work=empty: what stands between kernels; order is the API's own, as for work=scale"},
    {"mode", PARAM_TEXT, UNIT_NONE, NULL, "batch,replay,submit,round-trip", NULL, PARAM_AXIS,
     "batch|replay|submit|round-trip",
     "recorded once and submitted by one call, the same as a graph, a submission for each kernel, "
     "or a submission that is waited for"},
    {"elements", PARAM_UINT, UNIT_NONE, "4096,262144,4194304", "4096..134217728/2", NULL,
     PARAM_AXIS, NULL, "with work=scale: elements of 8 bytes, each read and written"},
};

static const struct metric_info metrics[] = {
    {"time", UNIT_NS, BETTER_LOWER, "of one kernel, or of one submission"},
    {"bandwidth", UNIT_BYTE_PER_S, BETTER_HIGHER, "bytes read and written over that time"},
};

static const struct view_info views[] = {
    {VIEW_BARS, "An empty kernel, by how it is launched", "mode", NULL, "time", NULL, "linear",
     "work=empty,between=order"},
    {VIEW_BARS, "An empty kernel of a batch, by what stands between", "between", NULL, "time", NULL,
     "linear", "work=empty,mode=batch"},
    {VIEW_CURVE, "Time of a kernel by its elements", "elements", NULL, "time", "mode", "log2-log10",
     "work=scale"},
    {VIEW_CURVE, "Bandwidth of small kernels", "elements", NULL, "bandwidth", "mode", "log2-log10",
     "work=scale"},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static size_t place_of(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return 0;
}

void launch_point_read(const struct bench_case *c, struct launch_point *point)
{
    static const char *const betweens[] = {[LAUNCH_ORDER] = "order",
                                           [LAUNCH_NOTHING] = "nothing",
                                           [LAUNCH_EXECUTION] = "execution",
                                           [LAUNCH_MEMORY] = "memory"};
    static const char *const modes[] = {[LAUNCH_BATCH] = "batch",
                                        [LAUNCH_REPLAY] = "replay",
                                        [LAUNCH_SUBMIT] = "submit",
                                        [LAUNCH_ROUND_TRIP] = "round-trip"};
    const struct case_value *elements = case_find(c, "elements");
    const struct case_value *between = case_find(c, "between");
    *point = (struct launch_point){
        .scales = elements != NULL,
        .between = between ? (enum launch_between)place_of(between->text, betweens, COUNT(betweens))
                           : LAUNCH_ORDER,
        .mode = (enum launch_mode)place_of(case_text(c, "mode"), modes, COUNT(modes)),
        .elements = elements ? elements->uint : 0,
    };
}

// What barriers cost shows within a batch; a graph is ordered, and so is what is waited for.
static bool is_possible(const struct launch_point *point)
{
    if (point->scales)
        return point->mode != LAUNCH_ROUND_TRIP;
    return point->between == LAUNCH_ORDER || point->mode == LAUNCH_BATCH;
}

struct planner {
    const struct bench_request *request;
    struct bench_case_list *list;
    const struct bench_choice *work, *between, *mode, *elements;
};

// The preset leaves out what the device has not; what a user asked for is skipped with the reason.
static bool is_reachable(const struct planner *p, const struct launch_point *point)
{
    gpu_caps caps = p->request->device->caps;
    if (point->scales && !p->elements->from_user &&
        point->elements > launch_elements_max(p->request->device))
        return false;
    if (point->mode == LAUNCH_REPLAY && !p->mode->from_user && !(caps & GPU_CAP(REPLAY)))
        return false;
    return point->between == LAUNCH_ORDER || p->between->from_user || caps & GPU_CAP(UNORDERED);
}

// `detail` is a value of between or of elements, as the work has it.
static void add_case(const struct planner *p, const struct case_value *work,
                     const struct case_value *mode, const struct case_value *detail)
{
    struct case_value *values = ARENA_ARRAY(p->request->arena, 3, struct case_value);
    struct bench_case made = {.values = values, .value_count = 3};
    bool scales = strcmp(work->text, "scale") == 0;
    struct launch_point point;
    values[0] = *work;
    values[scales ? 1 : 2] = *mode;
    values[scales ? 2 : 1] = *detail;
    launch_point_read(&made, &point);
    if (is_possible(&point) && is_reachable(p, &point))
        bench_case_add(p->request->arena, p->list, made);
}

bool launch_plan(const struct bench_request *request, struct bench_case_list *list,
                 struct error *err)
{
    const struct planner p = {.request = request,
                              .list = list,
                              .work = bench_choice_find(request, "work"),
                              .between = bench_choice_find(request, "between"),
                              .mode = bench_choice_find(request, "mode"),
                              .elements = bench_choice_find(request, "elements")};
    size_t before = list->count;
    for (size_t e = 0; e < p.elements->value_count; e++)
        if (p.elements->values[e].uint == 0 || p.elements->values[e].uint > UINT32_MAX)
            return error_set(err, ERROR_USAGE, "launch.elements: expected 1 to 2^32 - 1");
    for (size_t w = 0; w < p.work->value_count; w++) {
        const struct case_value *work = &p.work->values[w];
        const struct bench_choice *detail =
            strcmp(work->text, "scale") == 0 ? p.elements : p.between;
        for (size_t m = 0; m < p.mode->value_count; m++)
            for (size_t d = 0; d < detail->value_count; d++)
                add_case(&p, work, &p.mode->values[m], &detail->values[d]);
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
            .version = 1,
            .title = "What a launch costs",
            .params = params,
            .param_count = COUNT(params),
            .metrics = metrics,
            .metric_count = COUNT(metrics),
            .views = views,
            .view_count = COUNT(views),
        },
    .description =
        "The time of a kernel that does nothing, in a row of its like, with barriers, as a graph, "
        "as a submission of its own, and there and back; and of kernels of 4 Ki to 128 Mi "
        "elements, "
        "each after the one before, whose time is a + V / b. Empty kernels count themselves; of "
        "the "
        "others every element is checked.",
    .plan = launch_plan,
    .open = launch_open,
    .visit = launch_visit,
};
