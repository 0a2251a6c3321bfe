// SPDX-License-Identifier: MIT
#include "bench/raster/session.h"

#include <string.h>

#define FORMATS                                                                                    \
    "r8_unorm,rgba8_unorm,rgb10a2_unorm,rg11b10_float,rgba16_float,r32_float,rgba32_float"

static const struct param_info params[] = {
    {.key = "work",
     .type = PARAM_TEXT,
     .standard = "triangles,pixels,depth,draws,cores",
     .choices = "triangles|pixels|depth|draws|cores",
     .help = "many triangles, layers over the whole target, the same with a depth buffer, many "
             "draws, or "
             "which cores draw"},
    {.key = "facing",
     .type = PARAM_TEXT,
     .quick = "front",
     .standard = "front,culled",
     .choices = "front|culled",
     .help = "with work=triangles: drawn, or dropped as seen from behind"},
    {.key = "side",
     .type = PARAM_UINT,
     .quick = "1,32",
     .standard = "0,1,2,4,8,16,32,64,256,1024",
     .help =
         "with work=triangles: pixels in the first row of one, half a square; 0 covers no pixel"},
    {.key = "format",
     .type = PARAM_TEXT,
     .quick = "rgba8_unorm",
     .standard = FORMATS,
     .help = "with work=pixels: the target's colour format"},
    {.key = "blend",
     .type = PARAM_TEXT,
     .quick = "none,alpha",
     .standard = "none,alpha,add",
     .choices = "none|alpha|add",
     .help = "with work=pixels: how what is drawn meets what is there"},
    {.key = "depth",
     .type = PARAM_TEXT,
     .quick = "reject,write",
     .standard = "off,test,reject,write,test-write",
     .choices = "off|test|reject|write|test-write",
     .help = "with work=depth: every pixel passes the test, none does, or depth is written, alone "
             "or with "
             "colour"},
    {.key = "change",
     .type = PARAM_TEXT,
     .quick = "none",
     .standard = "none,params,program",
     .choices = "none|params|program",
     .help = "with work=draws: what changes from draw to draw"},
};

static const struct metric_info metrics[] = {
    [RASTER_TRIANGLE_RATE] = {.name = "triangles",
                              .unit = UNIT_OP_PER_S,
                              .better = BETTER_HIGHER,
                              .help = "triangles over device time, three vertices each"},
    [RASTER_PIXEL_RATE] = {.name = "pixels",
                           .unit = UNIT_OP_PER_S,
                           .better = BETTER_HIGHER,
                           .help = "pixels drawn, or tested, over device time"},
    [RASTER_DRAW_RATE] = {.name = "draws",
                          .unit = UNIT_OP_PER_S,
                          .better = BETTER_HIGHER,
                          .help = "draws of one triangle over device time"},
    [RASTER_BANDWIDTH] = {.name = "bandwidth",
                          .unit = UNIT_BYTE_PER_S,
                          .better = BETTER_HIGHER,
                          .help =
                              "bytes of colour written, and read where blended, over device time"},
    [RASTER_PER_CYCLE] = {.name = "per_cycle",
                          .unit = UNIT_OP_PER_CYCLE,
                          .better = BETTER_HIGHER,
                          .help = "triangles, pixels or draws by cycle of the clock seen",
                          .cycles_of = "triangles,pixels,draws"},
    [RASTER_CORE_COUNT] = {.name = "cores", .help = "cores that were seen to draw"},
};

static const struct view_info views[] = {
    {.kind = VIEW_CURVE,
     .title = "Triangles by size",
     .x = "side",
     .metric = "triangles",
     .group = "facing",
     .scale = "linear-log10",
     .where = "work=triangles"},
    {.kind = VIEW_BARS,
     .title = "Pixels by colour format",
     .x = "format",
     .metric = "pixels",
     .group = "blend",
     .scale = "linear",
     .where = "work=pixels"},
    {.kind = VIEW_BARS,
     .title = "Bandwidth of colours by format",
     .x = "format",
     .metric = "bandwidth",
     .group = "blend",
     .scale = "linear",
     .where = "work=pixels"},
    {.kind = VIEW_BARS,
     .title = "Pixels by what the depth buffer does",
     .x = "depth",
     .metric = "pixels",
     .scale = "linear",
     .where = "work=depth"},
    {.kind = VIEW_BARS,
     .title = "Draws by what changes between them",
     .x = "change",
     .metric = "draws",
     .scale = "linear",
     .where = "work=draws"},
    {.kind = VIEW_TABLE,
     .title = "Cores that draw",
     .x = "work",
     .metric = "cores",
     .scale = "linear",
     .where = "work=cores"},
};

static const struct headline_info headlines[] = {
    {.kind = HEADLINE_BEST,
     .title = "Triangles",
     .metric = "triangles",
     .where = "work=triangles,facing=front"},
    {.kind = HEADLINE_BEST,
     .title = "Pixels",
     .metric = "pixels",
     .where = "work=pixels,blend=none"},
    {.kind = HEADLINE_BEST, .title = "Draws", .metric = "draws", .where = "work=draws"},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum {
    SIDE_MAX = 1024,
    AXES_MAX = 3
};

struct planner {
    const struct bench_request *request;
    struct bench_case_list *list;
};

// Cases of one work over its own one or two parameters; NULL ends.
static void add_cases(const struct planner *p, const struct case_value *work, const char *outer,
                      const char *inner)
{
    const struct bench_choice *out = outer ? bench_choice_find(p->request, outer) : NULL;
    const struct bench_choice *in = inner ? bench_choice_find(p->request, inner) : NULL;
    for (size_t o = 0; o < (out ? out->value_count : 1); o++)
        for (size_t i = 0; i < (in ? in->value_count : 1); i++) {
            struct case_value *values = ARENA_ARRAY(p->request->arena, AXES_MAX, struct case_value);
            size_t count = 0;
            values[count++] = *work;
            if (out)
                values[count++] = out->values[o];
            if (in)
                values[count++] = in->values[i];
            bench_case_add(p->request->arena, p->list,
                           (struct bench_case){.values = values, .value_count = count});
        }
}

static bool check_choices(const struct bench_request *request, struct error *err)
{
    const struct bench_choice *side = bench_choice_find(request, "side");
    const struct bench_choice *format = bench_choice_find(request, "format");
    enum gpu_format found;
    for (size_t i = 0; i < side->value_count; i++)
        if (side->values[i].uint > SIDE_MAX)
            return error_set(err, ERROR_USAGE, "raster.side=%llu: at most %d",
                             (unsigned long long)side->values[i].uint, SIDE_MAX);
    for (size_t i = 0; i < format->value_count; i++)
        if (!raster_format_find(format->values[i].text, &found))
            return error_set(err, ERROR_USAGE, "raster.format=%s: expected one of " FORMATS,
                             format->values[i].text);
    return true;
}

static bool plan(const struct bench_request *request, struct bench_case_list *list,
                 struct error *err)
{
    static const struct {
        const char *work, *outer, *inner;
    } axes[] = {{"triangles", "facing", "side"},
                {"pixels", "format", "blend"},
                {"depth", "depth", NULL},
                {"draws", "change", NULL},
                {"cores", NULL, NULL}};
    const struct planner p = {.request = request, .list = list};
    const struct bench_choice *work = bench_choice_find(request, "work");
    if (!check_choices(request, err))
        return false;
    for (size_t w = 0; w < work->value_count; w++)
        for (size_t i = 0; i < COUNT(axes); i++)
            if (strcmp(axes[i].work, work->values[w].text) == 0)
                add_cases(&p, &work->values[w], axes[i].outer, axes[i].inner);
    return true;
}

const struct benchmark bench_raster = {
    .info =
        {
            .name = "raster",
            .version = 1,
            .title = "What the rasteriser does",
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
        "Triangles a second from smaller than a pixel to the whole screen, drawn and culled; "
        "pixels "
        "a second by colour format and blending; what testing and writing depth costs; draws a "
        "second; and which of the cores draw at all. Every pixel of the last image is checked.",
    .needs = GPU_CAP(GRAPHICS),
    .plan = plan,
    .open = raster_open,
    .visit = raster_visit,
    .conclude = raster_conclude,
};
