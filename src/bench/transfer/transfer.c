// SPDX-License-Identifier: MIT
#include "bench/transfer/session.h"

static const struct param_info params[] = {
    {"direction", PARAM_TEXT, UNIT_NONE, "h2d,d2h,both,local", "h2d,d2h,both,local,peer", NULL,
     PARAM_AXIS, "h2d|d2h|both|local|peer",
     "host to device, device to host, both at once, within the device, from device to device"},
    {"memory", PARAM_TEXT, UNIT_NONE, "pinned,pageable", "pinned,pageable,mapped", NULL, PARAM_AXIS,
     "pinned|pageable|mapped",
     "of the host: what the driver allocated, ordinary memory, or the device's, which the host "
     "loads and stores"},
    {"by", PARAM_TEXT, UNIT_NONE, "copy,kernel", "copy,queue,kernel", NULL, PARAM_AXIS,
     "copy|queue|kernel|host",
     "copy commands on a transfer queue, on the universal one, a kernel's loads and stores; host "
     "goes with memory=pageable and mapped"},
    {"mode", PARAM_TEXT, UNIT_NONE, NULL, "row,single", NULL, PARAM_AXIS, "row|single",
     "one after another by the device's clock, or one message, submitted and waited for"},
    {"from", PARAM_TEXT, UNIT_NONE, NULL, "all", NULL, PARAM_AXIS, NULL,
     "with direction=peer: a device, as cuda:0; all = every pair on the API's first device, the "
     "pairs that begin at it on others"},
    {"to", PARAM_TEXT, UNIT_NONE, NULL, "all", NULL, PARAM_AXIS, NULL,
     "with direction=peer: the other device"},
    {"bytes", PARAM_BYTES, UNIT_BYTE, "16MiB",
     "1KiB,4KiB,16KiB,64KiB,256KiB,1MiB,4MiB,16MiB,64MiB,256MiB,1GiB", "1KiB..1GiB/2", PARAM_AXIS,
     NULL, "of one transfer, each way; a multiple of 16"},
    {"message", PARAM_BYTES, UNIT_BYTE, "1KiB", "1KiB,4KiB,16KiB,64KiB,256KiB,1MiB", NULL,
     PARAM_DISPLAY, NULL, "with mode=single: of the message, instead of bytes"},
};

static const struct metric_info metrics[] = {
    {"bandwidth", UNIT_BYTE_PER_S, BETTER_HIGHER,
     "bytes that arrive a second, of both directions together"},
    {"time", UNIT_NS, BETTER_LOWER, "of one transfer"},
};

static const struct view_info views[] = {
    {VIEW_BARS, "Copies of 1 GiB from and to pinned memory", "direction", NULL, "bandwidth", NULL,
     "linear", "memory=pinned,by=copy,mode=row,bytes=1073741824"},
    {VIEW_CURVE, "Host to device", "bytes", NULL, "bandwidth", "memory,by", "log2-log10",
     "direction=h2d,mode=row"},
    {VIEW_CURVE, "Device to host", "bytes", NULL, "bandwidth", "memory,by", "log2-log10",
     "direction=d2h,mode=row"},
    {VIEW_CURVE, "Both directions at once, together", "bytes", NULL, "bandwidth", "by",
     "log2-log10", "direction=both"},
    {VIEW_CURVE, "Within the device", "bytes", NULL, "bandwidth", "by", "log2-log10",
     "direction=local"},
    {VIEW_CURVE, "One message, there when the host sees it", "bytes", NULL, "time", "direction",
     "log2-log10", "mode=single"},
    {VIEW_HEATMAP, "From device to device", "to", "from", "bandwidth", NULL, "linear",
     "direction=peer"},
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
