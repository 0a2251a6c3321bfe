// SPDX-License-Identifier: MIT
#include "sensors/nvml_card.h"

#define SYMBOL(member) DYNLIB_SYMBOL(struct nvml_card_api, member)
static const struct dynlib_symbol symbols[] = {
    SYMBOL(nvmlInit_v2),
    SYMBOL(nvmlShutdown),
    SYMBOL(nvmlDeviceGetHandleByUUID),
    SYMBOL(nvmlDeviceGetHandleByPciBusId_v2),
};
#undef SYMBOL

static const char *const files[] = {"libnvidia-ml.so.1", NULL};

// Returns the uuid in NVML's form, "GPU-8f1b2c3d-…"; Vulkan and CUDA report the same 16 bytes.
static const char *uuid_text(struct arena *arena, const uint8_t *uuid)
{
    const char *text = "GPU";
    for (int i = 0; i < 16; i++) {
        bool dash = i == 0 || i == 4 || i == 6 || i == 8 || i == 10;
        text = arena_printf(arena, "%s%s%02x", text, dash ? "-" : "", uuid[i]);
    }
    return text;
}

static bool find_device(struct nvml_card *card, const struct sensors_desc *desc, struct error *err)
{
    struct arena *arena = arena_create();
    bool found =
        (desc->uuid && card->api.nvmlDeviceGetHandleByUUID(uuid_text(arena, desc->uuid),
                                                           &card->device) == NVML_SUCCESS) ||
        (desc->pci &&
         card->api.nvmlDeviceGetHandleByPciBusId_v2(desc->pci, &card->device) == NVML_SUCCESS);
    if (!found)
        error_set(err, ERROR_UNSUPPORTED, "no device with UUID %s or PCI address %s",
                  desc->uuid ? uuid_text(arena, desc->uuid) : "unknown",
                  desc->pci ? desc->pci : "unknown");
    arena_destroy(arena);
    return found;
}

bool nvml_card_open(struct nvml_card *card, const struct sensors_desc *desc,
                    const struct dynlib_desc *calls, struct error *err)
{
    struct dynlib_desc library = {.files = files,
                                  .symbols = symbols,
                                  .symbol_count = sizeof symbols / sizeof *symbols,
                                  .table = &card->api};
    struct dynlib_desc more = *calls;
    more.files = files;
    *card = (struct nvml_card){.device = NULL};
    card->library = dynlib_open(&library, err);
    if (!card->library)
        return false;
    card->calls = dynlib_open(&more, err);
    int status = card->calls ? card->api.nvmlInit_v2() : NVML_SUCCESS;
    if (status != NVML_SUCCESS)
        error_set(err, ERROR_UNSUPPORTED, "nvmlInit: error %d", status);
    if (!card->calls || status != NVML_SUCCESS) {
        dynlib_close(card->calls);
        dynlib_close(card->library);
        return false;
    }
    if (find_device(card, desc, err))
        return true;
    nvml_card_close(card);
    return false;
}

void nvml_card_close(struct nvml_card *card)
{
    card->api.nvmlShutdown();
    dynlib_close(card->calls);
    dynlib_close(card->library);
}
