// SPDX-License-Identifier: MIT
#include "measure/card.h"

struct sensors_desc measure_card_of(struct arena *arena, const struct gpu_info *info)
{
    const struct gpu_pci *pci = &info->pci;
    struct sensors_desc card = {.uuid = info->has_uuid ? info->uuid : NULL};
    if (info->has_pci)
        card.pci = arena_printf(arena, "%04x:%02x:%02x.%x", pci->domain, pci->bus, pci->device,
                                pci->function);
    return card;
}
