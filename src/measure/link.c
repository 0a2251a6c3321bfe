// SPDX-License-Identifier: MIT
#include "measure/link.h"

#include "measure/card.h"
#include "sensors/link.h"

void measure_link_of(struct arena *arena, const struct gpu_info *info, struct measure_link *link)
{
    const struct sensors_desc card = measure_card_of(arena, info);
    struct sensor_link seen;
    *link = (struct measure_link){0};
    if (info->kind == GPU_KIND_CPU || !sensors_link_read(&card, &seen))
        return;
    link->bytes_per_s = seen.bytes_per_s;
    link->text = arena_printf(arena, "PCIe at %.3g GT/s x%u (%s)", seen.transfers_hz / 1e9,
                              seen.lanes, seen.source);
}
