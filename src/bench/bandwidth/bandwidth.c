// SPDX-License-Identifier: MIT
#include "bench/bandwidth/session.h"

static const struct param_info params[] = {
    {"op", PARAM_TEXT, UNIT_NONE, NULL, "read,write,copy", NULL, PARAM_AXIS, "read|write|copy",
     "what is done; a copy counts what it reads and what it writes"},
    {"path", PARAM_TEXT, UNIT_NONE, NULL, "global,shared", NULL, PARAM_AXIS, "global|shared",
     "global memory through its caches, or a workgroup's shared memory"},
    {"scope", PARAM_TEXT, UNIT_NONE, "device,workgroup", "device,workgroup,scaling", NULL,
     PARAM_AXIS, "device|workgroup|scaling",
     "a grid that fills the device, one workgroup, or as many as `workgroups` says"},
    {"access", PARAM_TEXT, UNIT_NONE, NULL, "same,apart", NULL, PARAM_AXIS, "same|apart",
     "every workgroup reads all of the working set again and again, or each another part of it"},
    {"bytes", PARAM_BYTES, UNIT_BYTE, "16KiB", "8KiB..4GiB/4", NULL, PARAM_AXIS, NULL,
     "working set; of a copy: source and target together"},
    {"width", PARAM_UINT, UNIT_BYTE, "16", "4,8,16", NULL, PARAM_AXIS, NULL,
     "bytes of one load: 4, 8 or 16"},
    {"type", PARAM_TEXT, UNIT_NONE, "float", "float,double", NULL, PARAM_AXIS, "float|double",
     "element type that the kernel declares: 16 bytes are four floats or two doubles"},
    {"workgroups", PARAM_UINT, UNIT_NONE, NULL, "1..max", NULL, PARAM_AXIS, NULL,
     "with scope=scaling: how many workgroups, of 1024 threads where the device has such"},
    {"shape", PARAM_TEXT, UNIT_NONE, "default", "best", NULL, PARAM_METHOD, NULL,
     "form of the grid: best tries several and keeps the fastest, default takes the usual one; or "
     "a name as results show it"},
};

static const struct metric_info metrics[] = {
    {"bandwidth", UNIT_BYTE_PER_S, BETTER_HIGHER, "bytes moved over device time"},
    {"per_core", UNIT_BYTE_PER_CYCLE, BETTER_HIGHER,
     "bandwidth of one core at work, per cycle of the clock seen during the sample"},
};

static const struct view_info views[] = {
    {VIEW_CURVE, "Read bandwidth by working set", "bytes", NULL, "bandwidth", "access,width,type",
     "log2-log10", "op=read,path=global,scope=device"},
    {VIEW_CURVE, "Read bandwidth of a core by working set, all cores at work", "bytes", NULL,
     "per_core", "access,width,type", "log2-linear", "op=read,path=global,scope=device"},
    {VIEW_CURVE, "Read bandwidth of one workgroup by working set", "bytes", NULL, "bandwidth",
     "access,width,type", "log2-log10", "op=read,path=global,scope=workgroup"},
    {VIEW_HEATMAP, "Saturation: workgroups and working set", "workgroups", "bytes", "bandwidth",
     NULL, "log2-log2", "scope=scaling"},
    {VIEW_TABLE, "Read, write and copy", "op", "bytes", "bandwidth", NULL, NULL,
     "scope=device,access=apart,width=16,type=float"},
    {VIEW_BARS, "Shared memory by load width", "width", NULL, "bandwidth", NULL, "linear",
     "path=shared"},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

const struct benchmark bench_bandwidth = {
    .info =
        {
            .name = "bandwidth",
            .version = 1,
            .title = "Bandwidth of every level of memory",
            .params = params,
            .param_count = COUNT(params),
            .metrics = metrics,
            .metric_count = COUNT(metrics),
            .views = views,
            .view_count = COUNT(views),
        },
    .description =
        "Bytes a second that the cores read, write and copy: reads by the size of the working set, "
        "by the whole device and by one workgroup; how many workgroups it takes to saturate a "
        "cache, the last-level cache and DRAM; loads of 4, 8 and 16 bytes, as floats and as "
        "doubles; shared memory. Each sample is checked: reads by the sum of all bits that "
        "arrived, writes and copies by reading the memory back.",
    .plan = bandwidth_plan,
    .open = bandwidth_open,
    .close = bandwidth_close,
    .visit = bandwidth_visit,
};
