// SPDX-License-Identifier: MIT
// A card as NVML knows it, the management library of NVIDIA's driver, loaded at run time; known to
// sensors/ only. Declarations are our own here and in what uses this: names, argument order and
// values as in NVIDIA's NVML API reference (R580).
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

// The functions that finding a card takes.
struct nvml_card_api {
    int (*nvmlInit_v2)(void);
    int (*nvmlShutdown)(void);
    int (*nvmlDeviceGetHandleByUUID)(const char *uuid, struct nvml_device **device);
    int (*nvmlDeviceGetHandleByPciBusId_v2)(const char *pci, struct nvml_device **device);
};

struct nvml_card {
    struct nvml_card_api api;
    struct dynlib *library, *calls;
    struct nvml_device *device; // NULL where NVML does not know it
};

// Begins a session and finds the card by uuid, else by PCI address. `calls` says what else the
// caller will call: symbols and their table (its files stay empty). False with ERROR_NO_DEVICE
// (no library, a symbol missing) or ERROR_UNSUPPORTED; then nothing is left open.
MUST_CHECK bool nvml_card_open(struct nvml_card *card, const struct sensors_desc *desc,
                               const struct dynlib_desc *calls, struct error *err);
void nvml_card_close(struct nvml_card *card);

#endif
