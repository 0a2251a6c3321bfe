// SPDX-License-Identifier: MIT
// Batches of a simulated device. Recording stores the commands. When the batch is submitted, the
// commands run one after another, in virtual time.
#include "gpu/model/backend.h"

#include <math.h>
#include <string.h>

// Speed of copies and fills, in bytes per ns, if a model's file states no memory bandwidth.
static const double copy_bytes_per_ns = 100;

struct command {
    enum {
        COMMAND_DISPATCH,
        COMMAND_COPY,
        COMMAND_FILL,
        COMMAND_SPAN_BEGIN,
        COMMAND_SPAN_END
    } kind;
    struct model_execution execution;
    char *to;
    const char *from;
    uint64_t bytes;
    // the word that a fill writes, or the index of the span that begins or ends
    uint32_t word;
};

struct model_batch {
    struct gpu_batch batch; // first member, so that a gpu_batch pointer can be cast to this struct
    struct command *commands;
    size_t count, capacity;
    double begun_ns[GPU_SPANS_MAX], span_ns[GPU_SPANS_MAX];
};

// ---------------------------------------------------------------- recording

struct gpu_batch *model_batch_create(struct gpu_scope *scope, const struct gpu_batch_desc *desc,
                                     struct error *err)
{
    (void)desc, (void)err;
    return &ARENA_NEW(scope->arena, struct model_batch)->batch;
}

static struct command *add_command(struct gpu_batch *neutral)
{
    struct model_batch *batch = (struct model_batch *)neutral;
    batch->commands = arena_grow(neutral->object.scope->arena, batch->commands, batch->count,
                                 &batch->capacity, sizeof *batch->commands);
    struct command *command = &batch->commands[batch->count++];
    *command = (struct command){.kind = COMMAND_DISPATCH};
    return command;
}

bool model_batch_dispatch(struct gpu_batch *batch, const struct gpu_dispatch *dispatch,
                          struct error *err)
{
    (void)err;
    struct model_device *device = model_device_of(batch->object.scope);
    struct model_execution *execution = &add_command(batch)->execution;
    *execution = (struct model_execution){.machine = &device->machine,
                                          .caches = device->caches,
                                          .stacks = device->stacks,
                                          .memory = &device->memory,
                                          .places = &device->places,
                                          .kernel = dispatch->program->kernel};
    memcpy(execution->groups, dispatch->groups, sizeof execution->groups);
    for (unsigned i = 0; i < execution->kernel->arg_count; i++)
        execution->args[i] = model_host_of(dispatch->args[i].buffer) + dispatch->args[i].offset;
    if (dispatch->params_bytes)
        memcpy(execution->params, dispatch->params, dispatch->params_bytes);
    return true;
}

bool model_batch_copy(struct gpu_batch *batch, struct gpu_buffer *to, uint64_t to_offset,
                      struct gpu_buffer *from, uint64_t from_offset, uint64_t bytes,
                      struct error *err)
{
    (void)err;
    struct command *command = add_command(batch);
    command->kind = COMMAND_COPY;
    command->to = model_host_of(to) + to_offset;
    command->from = model_host_of(from) + from_offset;
    command->bytes = bytes;
    return true;
}

bool model_batch_fill(struct gpu_batch *batch, struct gpu_buffer *buffer, uint64_t offset,
                      uint64_t bytes, uint32_t word, struct error *err)
{
    (void)err;
    struct command *command = add_command(batch);
    command->kind = COMMAND_FILL;
    command->to = model_host_of(buffer) + offset;
    command->bytes = bytes;
    command->word = word;
    return true;
}

bool model_batch_barrier(struct gpu_batch *batch, enum gpu_barrier barrier, struct error *err)
{
    // A model needs no barriers, because its commands run one after another.
    (void)batch, (void)barrier, (void)err;
    return true;
}

bool model_batch_span(struct gpu_batch *batch, unsigned span, bool end, struct error *err)
{
    (void)err;
    struct command *command = add_command(batch);
    command->kind = end ? COMMAND_SPAN_END : COMMAND_SPAN_BEGIN;
    command->word = span;
    return true;
}

bool model_batch_end(struct gpu_batch *batch, struct error *err)
{
    (void)batch, (void)err;
    return true;
}

bool model_batch_reset(struct gpu_batch *batch, struct error *err)
{
    (void)err;
    ((struct model_batch *)batch)->count = 0;
    return true;
}

// ---------------------------------------------------------------- running

// Returns a random number in [0, 1), by splitmix64 (Steele, Lea, Flood, OOPSLA 2014).
static double draw_unit(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

static double draw_normal(uint64_t *random)
{
    double u = 1 - draw_unit(random), v = draw_unit(random);
    return sqrt(-2 * log(u)) * cos(2 * acos(-1.0) * v);
}

// Returns the next dispatch's noise: a factor on the latencies of loads or the duration of streams.
static double draw_slowness(struct model_device *device)
{
    const struct model_machine *machine = &device->machine;
    double rho = machine->correlation;
    device->disturbance =
        rho * device->disturbance + sqrt(1 - rho * rho) * draw_normal(&device->random);
    double factor = fmax(1 + machine->noise * device->disturbance, 0.5);
    return draw_unit(&device->random) < machine->outliers ? 1.5 * factor : factor;
}

// Returns the present core clock in Hz. A dispatch keeps the clock with which it begins.
static double core_clock_hz(const struct model_device *device)
{
    const struct model_machine *machine = &device->machine;
    double since = device->now_ns - machine->throttle_after_ns;
    bool throttled = machine->throttle_period_ns > 0 && since >= 0 &&
                     fmod(since, machine->throttle_period_ns) < machine->throttle_length_ns;
    double most_hz = throttled ? machine->throttle_clock_hz : machine->core_clock_hz;
    return device->chosen_hz > 0 ? fmin(device->chosen_hz, most_hz) : most_hz;
}

static void pass_time(struct model_device *device, double ns)
{
    device->now_cycles += ns * core_clock_hz(device) / 1e9;
    device->now_ns += ns;
}

// Discards the stored sums (memory.c) of each buffer that the kernel may have written, because no
// stream reads from the buffer. If a simulated kernel gets addresses, discards the sums of all
// buffers.
static void forget_written(struct model_device *device, const struct model_execution *execution)
{
    const struct gpu_kernel *kernel = execution->kernel;
    bool any = false;
    for (unsigned i = 0; i < kernel->arg_count; i++)
        any = any || (kernel->args[i] == GPU_ARG_ADDRESS && kernel->host);
    for (unsigned i = 0; i < kernel->arg_count; i++) {
        bool read = false;
        for (size_t s = 0; s < execution->stream_count; s++)
            read = read || (execution->streams[s].buffer == execution->args[i] &&
                            !execution->streams[s].writes);
        if (!read)
            model_memory_forget(&device->memory, any ? NULL : execution->args[i]);
    }
}

static bool run_dispatch(struct model_device *device, struct model_execution *execution,
                         struct error *err)
{
    double cycles;
    pass_time(device, device->machine.launch_ns);
    execution->cycle_ns = 1e9 / core_clock_hz(device);
    execution->start_cycles = ceil(device->now_cycles);
    execution->start_ns = device->now_ns;
    execution->slowness = draw_slowness(device);
    if (!model_execute(execution, &cycles, err))
        return false;
    model_count_streams(device, execution);
    forget_written(device, execution);
    device->now_ns += cycles * execution->cycle_ns;
    device->now_cycles = execution->start_cycles + cycles;
    return true;
}

// Returns the duration of a copy or fill in ns. A copy moves each byte twice: it reads and writes.
static double transfer_ns(const struct model_device *device, const struct command *command)
{
    const struct model_machine *machine = &device->machine;
    double rate = machine->memory.chip_bytes_per_cycle;
    double moved = (double)command->bytes * (command->kind == COMMAND_COPY ? 2 : 1);
    return rate > 0 ? moved / rate * 1e9 / core_clock_hz(device) : moved / copy_bytes_per_ns;
}

static void run_transfer(struct model_device *device, const struct command *command)
{
    if (command->kind == COMMAND_COPY)
        memmove(command->to, command->from, command->bytes);
    for (uint64_t i = 0; command->kind == COMMAND_FILL && i < command->bytes; i += 4)
        memcpy(command->to + i, &command->word, 4);
    model_memory_forget(&device->memory, command->to);
    model_caches_fill(device->caches, command->bytes);
    pass_time(device, device->machine.launch_ns + transfer_ns(device, command));
}

// Returns the device's clock in ns, which also runs while other processes use the device.
static double clock_ns(const struct model_device *device)
{
    return device->now_ns + model_company_ns(&device->machine, device->now_ns);
}

bool model_batch_submit(struct gpu_batch *neutral, struct gpu_hold *hold, struct error *err)
{
    (void)hold;
    struct model_batch *batch = (struct model_batch *)neutral;
    struct model_device *device = model_device_of(neutral->object.scope);
    for (size_t i = 0; i < batch->count; i++) {
        struct command *command = &batch->commands[i];
        switch (command->kind) {
        case COMMAND_DISPATCH:
            if (!run_dispatch(device, &command->execution, err))
                return false;
            break;
        case COMMAND_COPY:
        case COMMAND_FILL:
            run_transfer(device, command);
            break;
        case COMMAND_SPAN_BEGIN:
            batch->begun_ns[command->word] = clock_ns(device);
            break;
        case COMMAND_SPAN_END:
            batch->span_ns[command->word] = clock_ns(device) - batch->begun_ns[command->word];
            break;
        }
    }
    return true;
}

bool model_batch_wait(struct gpu_batch *batch, uint64_t timeout_ns, struct error *err)
{
    // There is nothing to wait for, because the batch already ran when it was submitted.
    (void)batch, (void)timeout_ns, (void)err;
    return true;
}

bool model_batch_span_ns(struct gpu_batch *batch, unsigned span, double *ns, struct error *err)
{
    (void)err;
    *ns = floor(((const struct model_batch *)batch)->span_ns[span]);
    return true;
}
