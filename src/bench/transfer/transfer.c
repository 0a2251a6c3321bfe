// SPDX-License-Identifier: MIT
#include "bench/transfer/session.h"

static const struct param_info params[] = {
    {.key = "direction",
     .type = PARAM_TEXT,
     .quick = "h2d,d2h,both,local",
     .standard = "h2d,d2h,both,local,peer",
     .choices = "h2d|d2h|both|local|peer",
     .help =
         "host to device, device to host, both at once, within the device, from device to device"},
    {.key = "memory",
     .type = PARAM_TEXT,
     .quick = "pinned,pageable",
     .standard = "pinned,pageable,mapped",
     .choices = "pinned|pageable|mapped",
     .help =
         "of the host: what the driver allocated, ordinary memory, or the device's, which the host "
         "loads and stores"},
    {.key = "by",
     .type = PARAM_TEXT,
     .quick = "copy,kernel",
     .standard = "copy,queue,kernel",
     .choices = "copy|queue|kernel|host",
     .help = "copy commands on a transfer queue, on the universal one, a kernel's loads and "
             "stores; host "
             "goes with memory=pageable and mapped"},
    {.key = "mode",
     .type = PARAM_TEXT,
     .standard = "row,single",
     .choices = "row|single",
     .help = "one after another by the device's clock, or one message, submitted and waited for"},
    {.key = "from",
     .type = PARAM_TEXT,
     .standard = "all",
     .help = "with direction=peer: a device, as cuda:0; all = every pair on the API's first "
             "device, the "
             "pairs that begin at it on others"},
    {.key = "to",
     .type = PARAM_TEXT,
     .standard = "all",
     .help = "with direction=peer: the other device"},
    {.key = "bytes",
     .type = PARAM_BYTES,
     .unit = UNIT_BYTE,
     .quick = "16MiB",
     .standard = "1KiB,4KiB,16KiB,64KiB,256KiB,1MiB,4MiB,16MiB,64MiB,256MiB,1GiB",
     .full = "1KiB..1GiB/2",
     .help = "of one transfer, each way; a multiple of 16"},
    {.key = "message",
     .type = PARAM_BYTES,
     .unit = UNIT_BYTE,
     .standard = "1KiB",
     .role = PARAM_DISPLAY,
     .help = "with mode=single: of the message, instead of bytes"},
};

static const struct metric_info metrics[] = {
    {.name = "bandwidth",
     .unit = UNIT_BYTE_PER_S,
     .better = BETTER_HIGHER,
     .help = "bytes that arrive a second, of both directions together"},
    {.name = "time", .unit = UNIT_NS, .better = BETTER_LOWER, .help = "of one transfer"},
};

static const struct view_info views[] = {
    {.kind = VIEW_BARS,
     .title = "Copies of 1 GiB from and to pinned memory",
     .x = "direction",
     .metric = "bandwidth",
     .scale = "linear",
     .where = "memory=pinned,by=copy,mode=row,bytes=1073741824"},
    {.kind = VIEW_CURVE,
     .title = "Host to device",
     .x = "bytes",
     .metric = "bandwidth",
     .group = "memory,by",
     .scale = "log2-log10",
     .where = "direction=h2d,mode=row"},
    {.kind = VIEW_CURVE,
     .title = "Device to host",
     .x = "bytes",
     .metric = "bandwidth",
     .group = "memory,by",
     .scale = "log2-log10",
     .where = "direction=d2h,mode=row"},
    {.kind = VIEW_CURVE,
     .title = "Both directions at once, together",
     .x = "bytes",
     .metric = "bandwidth",
     .group = "by",
     .scale = "log2-log10",
     .where = "direction=both"},
    {.kind = VIEW_CURVE,
     .title = "Within the device",
     .x = "bytes",
     .metric = "bandwidth",
     .group = "by",
     .scale = "log2-log10",
     .where = "direction=local"},
    {.kind = VIEW_CURVE,
     .title = "One message, there when the host sees it",
     .x = "bytes",
     .metric = "time",
     .group = "direction",
     .scale = "log2-log10",
     .where = "mode=single"},
    {.kind = VIEW_HEATMAP,
     .title = "From device to device",
     .x = "to",
     .y = "from",
     .metric = "bandwidth",
     .scale = "linear",
     .where = "direction=peer"},
};

static const struct headline_info headlines[] = {
    {.kind = HEADLINE_BEST,
     .title = "Copy from host to device",
     .metric = "bandwidth",
     .where = "direction=h2d,memory=pinned,by=copy|queue,mode=row"},
    {.kind = HEADLINE_BEST,
     .title = "Copy from device to host",
     .metric = "bandwidth",
     .where = "direction=d2h,memory=pinned,by=copy|queue,mode=row"},
    {.kind = HEADLINE_BEST,
     .title = "Copy from device to device",
     .metric = "bandwidth",
     .where = "direction=peer"},
    {.kind = HEADLINE_BEST,
     .title = "Small message to the device",
     .metric = "time",
     .where = "direction=h2d,mode=single"},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

const struct benchmark bench_transfer = {
    .info =
        {
            .name = "transfer",
            .version = 1,
            .title = "What the link between host and device moves",
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
        "Copies of 1 KiB to 1 GiB between host and device, from and to pinned, ordinary and mapped "
        "memory, by copy engines and by kernels, in both directions at once, within the device and "
        "between devices; and how long one small message takes. Every byte that arrives is "
        "checked, "
        "and that it is of this visit.",
    .plan = transfer_plan,
    .device = transfer_device,
    .open = transfer_open,
    .close = transfer_close,
    .visit = transfer_visit,
};
