// SPDX-License-Identifier: MIT
// The part of CUPTI, NVIDIA's profiling library in the CUDA toolkit, that fathom uses: the Profiler
// Host API and the Range Profiler API, which exist from CUDA 12.6 on. No toolkit is needed to build
// fathom. Names, values and layouts are those of the CUPTI reference (docs.nvidia.com/cupti), for
// 64-bit Linux.
//
// Every struct begins with its size: the number of bytes up to the end of its last member, without
// padding. A library refuses a size that it does not know, but accepts the sizes of older versions.
// So the structs here omit the members that later versions of CUDA have appended.
#ifndef GPU_CUDA_CUPTI_H
#define GPU_CUDA_CUPTI_H

#include "base/arena.h"
#include "base/dynlib.h"

#include <stdint.h>

struct cu_context;
struct cupti_host;  // CUPTI's CUpti_Profiler_Host_Object, which computes counter values on the host
struct cupti_range; // CUPTI's CUpti_RangeProfiler_Object, which counts on the device

enum { // values of CUptiResult
    CUPTI_SUCCESS = 0,
    CUPTI_HARDWARE_BUSY = 26,
    CUPTI_NOT_SUPPORTED = 27,
    CUPTI_INSUFFICIENT_PRIVILEGES = 35,
    CUPTI_VIRTUALIZED_INSUFFICIENT_PRIVILEGES = 40,
};

enum {
    CUPTI_METRIC_COUNTER = 0,
    CUPTI_METRIC_RATIO = 1,
    CUPTI_RANGE_PROFILER = 0,
    CUPTI_USER_RANGE = 2,
    CUPTI_USER_REPLAY = 3,
};

struct cupti_head { // first member of every struct that is passed to CUPTI
    size_t size;
    void *reserved;
};

struct cupti_initialize {
    struct cupti_head head;
};

struct cupti_chip_name {
    struct cupti_head head;
    size_t device;
    const char *name; // output: name of the chip
};

struct cupti_availability {
    struct cupti_head head;
    struct cu_context *context;
    size_t image_bytes; // size of `image` in bytes; CUPTI sets it if `image` is NULL
    // Output: data that tell which counters can be read. If the pointer is NULL, CUPTI only sets
    // image_bytes.
    uint8_t *image;
};

struct cupti_host_initialize {
    struct cupti_head head;
    int type;
    const char *chip;
    const uint8_t *availability;
    struct cupti_host *host; // output: the host object that the CUPTI call creates
};

struct cupti_host_only {
    struct cupti_head head;
    struct cupti_host *host;
};

struct cupti_base_metrics {
    struct cupti_head head;
    struct cupti_host *host;
    int type;
    const char **names; // output: names of all metrics of this type
    size_t count;       // output: number of elements of `names`
};

struct cupti_add_metrics {
    struct cupti_head head;
    struct cupti_host *host;
    const char **names;
    size_t count;
};

struct cupti_config_size {
    struct cupti_head head;
    struct cupti_host *host;
    size_t bytes; // output: size of the configuration, in bytes
};

struct cupti_config {
    struct cupti_head head;
    struct cupti_host *host;
    size_t bytes;
    uint8_t *image;
};

struct cupti_passes {
    struct cupti_head head;
    size_t bytes;
    uint8_t *image;
    size_t passes; // output: number of passes that the configured counters need
};

struct cupti_evaluate {
    struct cupti_head head;
    struct cupti_host *host;
    const uint8_t *data;
    size_t data_bytes;
    size_t range;
    const char **names;
    size_t count;
    double *values;
};

struct cupti_enable {
    struct cupti_head head;
    struct cu_context *context;
    struct cupti_range *range; // output: the range profiler that the CUPTI call creates
};

struct cupti_range_only {
    struct cupti_head head;
    struct cupti_range *range;
};

struct cupti_data_size {
    struct cupti_head head;
    struct cupti_range *range;
    const char **names;
    size_t count;
    size_t ranges_max;
    uint32_t nodes_max;
    size_t bytes; // output: size of the memory for the counter values, in bytes
};

struct cupti_data {
    struct cupti_head head;
    struct cupti_range *range;
    size_t bytes;
    uint8_t *image;
};

struct cupti_set_config {
    struct cupti_head head;
    struct cupti_range *range;
    size_t config_bytes;
    const uint8_t *config;
    size_t data_bytes;
    uint8_t *data;
    int range_mode, replay_mode;
    size_t ranges_max;
    uint16_t levels, first_level;
    size_t pass;
    uint16_t target_level;
};

struct cupti_stop {
    struct cupti_head head;
    struct cupti_range *range;
    size_t pass, target_level; // outputs of CUPTI that fathom does not use
    uint8_t all_passes;        // output: 1 if all passes have run; 0 if more passes are needed
};

struct cupti_push {
    struct cupti_head head;
    struct cupti_range *range;
    const char *name;
};

struct cupti_decode {
    struct cupti_head head;
    struct cupti_range *range;
    size_t dropped; // output: number of ranges (counted batches) whose values CUPTI dropped
};

struct cupti_data_info {
    struct cupti_head head;
    const uint8_t *data;
    size_t data_bytes;
    size_t ranges; // output: number of ranges (counted batches) in `data`
};

// The size that a struct passes to CUPTI: the number of bytes up to the end of its member `last`.
#define CUPTI_SIZE(type, last) (offsetof(struct type, last) + sizeof(((struct type *)0)->last))
#define CUPTI_HEAD(type, last) .head = {.size = CUPTI_SIZE(type, last)}

_Static_assert(CUPTI_SIZE(cupti_set_config, target_level) == 90, "SetConfig");
_Static_assert(CUPTI_SIZE(cupti_stop, all_passes) == 41, "Stop");
_Static_assert(CUPTI_SIZE(cupti_data_size, bytes) == 64, "GetCounterDataSize");
_Static_assert(CUPTI_SIZE(cupti_evaluate, values) == 72, "EvaluateToGpuValues");
_Static_assert(CUPTI_SIZE(cupti_host_initialize, host) == 48, "HostInitialize");

// List of the CUPTI functions that take a pointer to one struct and return a CUptiResult. Each
// entry has the exported name of the function and the name of the struct.
// clang-format off
#define CUPTI_FUNCTIONS(X) \
    X(cuptiProfilerInitialize, cupti_initialize) \
    X(cuptiProfilerDeInitialize, cupti_initialize) \
    X(cuptiDeviceGetChipName, cupti_chip_name) \
    X(cuptiProfilerGetCounterAvailability, cupti_availability) \
    X(cuptiProfilerHostInitialize, cupti_host_initialize) \
    X(cuptiProfilerHostDeinitialize, cupti_host_only) \
    X(cuptiProfilerHostGetBaseMetrics, cupti_base_metrics) \
    X(cuptiProfilerHostConfigAddMetrics, cupti_add_metrics) \
    X(cuptiProfilerHostGetConfigImageSize, cupti_config_size) \
    X(cuptiProfilerHostGetConfigImage, cupti_config) \
    X(cuptiProfilerHostGetNumOfPasses, cupti_passes) \
    X(cuptiProfilerHostEvaluateToGpuValues, cupti_evaluate) \
    X(cuptiRangeProfilerEnable, cupti_enable) \
    X(cuptiRangeProfilerDisable, cupti_range_only) \
    X(cuptiRangeProfilerGetCounterDataSize, cupti_data_size) \
    X(cuptiRangeProfilerCounterDataImageInitialize, cupti_data) \
    X(cuptiRangeProfilerSetConfig, cupti_set_config) \
    X(cuptiRangeProfilerStart, cupti_range_only) \
    X(cuptiRangeProfilerStop, cupti_stop) \
    X(cuptiRangeProfilerPushRange, cupti_push) \
    X(cuptiRangeProfilerPopRange, cupti_range_only) \
    X(cuptiRangeProfilerDecodeData, cupti_decode) \
    X(cuptiRangeProfilerGetCounterDataInfo, cupti_data_info)
// clang-format on

struct cupti_api {
#define X(name, type) int (*name)(struct type *);
    CUPTI_FUNCTIONS(X)
#undef X
    int (*cuptiGetResultString)(int result, const char **text);
};

// Opens libcupti and the two libraries that it needs, and sets the function pointers in `api`.
// Searches where the environment variable FATHOM_CUPTI says; without it, $CUDA_HOME, the dynamic
// loader's path and /usr/local/cuda*. Fails with ERROR_UNSUPPORTED; the message says what to
// install, or why an existing libcupti could not be opened. The libraries are never unloaded,
// because their threads and their hooks in the driver remain. Temporary memory comes from `arena`.
MUST_CHECK bool cupti_load(struct arena *arena, struct cupti_api *api, struct error *err);

// Returns true if `result` is CUPTI_SUCCESS. Otherwise fails with ERROR_UNSUPPORTED. If the user
// may not read counters, or another program reads them, the message says what to do. For other
// errors the message has CUPTI's text and `what`, the name of the function that failed.
MUST_CHECK bool cupti_check(const struct cupti_api *api, int result, const char *what,
                            struct error *err);

#endif
