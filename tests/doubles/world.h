// SPDX-License-Identifier: MIT
// The state of the double of libcuda: counted objects, the call that fails, and commands. A stream
// runs a command at once, or later if it is held; a capture puts the command into a graph.
// Settings are environment variables, read when the library is loaded:
//
//   FAKE_CUDA_FAIL_CALL     number of the call that fails, from 1; none by default
//   FAKE_CUDA_FAIL_RESULT   with which CUresult (2, out of memory); from 700 on every later call
//                           fails too, as after a broken kernel
//   FAKE_CUDA_VERSION       of the driver (13000)
//   FAKE_CUDA_MAJOR         compute capability (9)
//   FAKE_CUDA_DEVICES       number of devices (1)
//   FAKE_CUDA_MEMORY_MIB    memory of each (1024). A request for managed memory beyond what is free
//                           ends the program
//   FAKE_CUDA_SILENT        1: functions that give an address of memory, or a time, succeed, but
//                           give none
//   FAKE_CUDA_KERNELS       accepts only kernels whose names begin with one of these words
//   FAKE_CUDA_PEERS_LOSE    copies between devices from this one lose their data; none by default
//   FAKE_CUDA_PRIORITY_LEAST, FAKE_CUDA_PRIORITY_GREATEST
//                           the range of the streams' priorities (0, -5)
//   FAKE_CUDA_COMPUTE_MODE  compute mode of each device (0). In another mode the double refuses
//                           contexts, as if another process had the device
//   FAKE_CUDA_PTX_LOG       cuModuleLoadDataEx refuses with this in its error log
//
// Written when it is unloaded: FAKE_CUDA_CALLS, the number of calls; FAKE_CUDA_FAILED, the function
// that failed; FAKE_CUDA_LEAKS, the number of objects that were not released.
#ifndef DOUBLES_WORLD_H
#define DOUBLES_WORLD_H

#include "gpu/cuda/api.h"

#include <stdbool.h>

enum {
    FAKE_PARAMS_MAX = 16
};

struct fake_function {
    char name[64];
    size_t param_bytes[FAKE_PARAMS_MAX]; // declared by the PTX
    int param_count;
};

enum fake_op_kind {
    FAKE_OP_LAUNCH,
    FAKE_OP_COPY,
    FAKE_OP_FILL,
    FAKE_OP_RECORD,
    FAKE_OP_WAIT_VALUE,
    FAKE_OP_WAIT_EVENT, // waits until the event was recorded `word` times
};

struct fake_op {
    struct fake_op *next;
    enum fake_op_kind kind;
    struct fake_function function;
    unsigned grid[3], block[3];
    void *params[FAKE_PARAMS_MAX]; // copies, which the command owns
    void *to;
    const void *from;
    size_t bytes; // COPY; FILL: words
    uint32_t word;
    struct cu_event *event;
};

struct fake_list {
    struct fake_op *first, **end;
};

struct cu_graph {
    struct fake_list ops;
};

struct cu_graph_exec {
    struct fake_list ops;
};

struct cu_stream {
    struct fake_list queue;   // commands that wait; the stream waits for what the first one needs
    struct cu_graph *capture; // the capture to which the stream's commands go; NULL: they run
};

struct cu_context {
    int device;
};

struct cu_event {
    uint32_t asked, recorded; // how often recording was requested, and how often it was done
    double ms;
    struct cu_graph *capture; // the capture in which the event was recorded; NULL: none
};

// Allocates a zeroed object and counts it.
void *fake_make(size_t bytes);

// The handle that a call writes if it fails; it must never be used.
#define FAKE_INVALID ((void *)8)

// Returns from the calling function with the error with which it must fail, if it must fail.
#define FAKE_ENTER()                                                                               \
    do {                                                                                           \
        int result_ = fake_enter(__func__);                                                        \
        if (result_ != CU_SUCCESS)                                                                 \
            return result_;                                                                        \
    } while (0)

// Counts the call. Returns CU_SUCCESS, or the result with which the call must fail.
int fake_enter(const char *function);

// Counts living objects: every create function calls it with 1, every release function with −1.
void fake_count(int objects);

struct fake_op *fake_op_create(enum fake_op_kind kind);

// Runs the command, appends it to the commands that wait, or adds it to the stream's capture.
void fake_enqueue(struct cu_stream *stream, struct fake_op *op);

// Runs the commands that need not wait any longer. True if no command is left.
bool fake_progress(struct cu_stream *stream);

// Calls fake_progress for all streams.
void fake_progress_all(void);
void fake_stream_add(struct cu_stream *stream);
void fake_stream_remove(struct cu_stream *stream);

// Ends a capture for every stream that takes part in it.
void fake_streams_leave(const struct cu_graph *capture);

void fake_list_init(struct fake_list *list);
void fake_list_copy(struct fake_list *to, const struct fake_list *from);
void fake_list_fini(struct fake_list *list);

// The number of kernels that ran so far; for the double of libcupti.
int fake_launches(void);

// Does what the kernel with that name does (kernels.c).
void fake_launch(const struct fake_op *op);

// The device of the current context.
int fake_device(void);

// The number in an environment variable; `otherwise` if it is not set.
int fake_setting(const char *name, int otherwise);

#endif
