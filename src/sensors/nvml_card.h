// SPDX-License-Identifier: MIT
// Finds a card in NVML, the management library of NVIDIA's driver, which is loaded at run time.
// Only files of sensors/ include this header. Names, order of arguments and values follow NVIDIA's
// NVML API reference (R580).
#ifndef SENSORS_NVML_CARD_H
#define SENSORS_NVML_CARD_H

#include "base/arena.h"
#include "base/dynlib.h"
#include "sensors/sensors.h"

struct nvml_device;

enum nvml_status {
    NVML_SUCCESS = 0,
    NVML_NOT_SUPPORTED = 3,
    NVML_NO_PERMISSION = 4,
    NVML_INSUFFICIENT_SIZE = 7
};

// The NVML functions that nvml_card_open needs to find a card.
struct nvml_card_api {
    int (*nvmlInit_v2)(void);
    int (*nvmlShutdown)(void);
    int (*nvmlDeviceGetHandleByUUID)(const char *uuid, struct nvml_device **device);
    int (*nvmlDeviceGetHandleByPciBusId_v2)(const char *pci, struct nvml_device **device);
};

struct nvml_card {
    struct nvml_card_api api;
    struct dynlib *library, *calls;
    struct nvml_device *device; // handle of the card in NVML
};

// Starts NVML and finds the card by its UUID or, if that fails, by its PCI address. calls->symbols
// lists the other NVML functions that the caller needs, for calls->table; calls->files is ignored.
// Fails with ERROR_NO_DEVICE if the library or a symbol is missing, and with ERROR_UNSUPPORTED if
// NVML does not start or does not know the card. After a failure, nothing is left open.
MUST_CHECK bool nvml_card_open(struct nvml_card *card, const struct sensors_desc *desc,
                               const struct dynlib_desc *calls, struct error *err);
void nvml_card_close(struct nvml_card *card);

#endif
