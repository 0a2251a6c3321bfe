// SPDX-License-Identifier: MIT
#include "base/clock.h"
#include "bench/launch/row.h"

static struct gpu_batch *make_batch(struct launch_row *row, unsigned queue, uint64_t length,
                                    struct error *err)
{
    const struct gpu_batch_desc desc = {.queue =
                                            gpu_device_queue(row->session->bench->device, queue)};
    struct gpu_batch *batch = gpu_batch_create(row->scope, &desc, err);
    for (uint64_t k = 0; batch && k < length; k++)
        launch_record(row->session, row->this_case, k, batch);
    return batch && gpu_batch_end(batch, err) ? batch : NULL;
}

static bool refuse_queues(const struct launch_row *row, struct error *err)
{
    unsigned most = launch_queue_count(row->session->bench->info);
    return row->this_case->queues <= most ||
           error_set(err, ERROR_UNSUPPORTED, "%s has %u queues for this, not %u",
                     row->session->bench->info->id, most, row->this_case->queues);
}

// ---------------------------------------------------------------- side by side

bool launch_queues_make(struct launch_row *row, uint64_t length, struct error *err)
{
    if (!refuse_queues(row, err))
        return false;
    row->kernels = length;
    row->batch_count = row->this_case->queues;
    for (unsigned q = 0; q < row->this_case->queues; q++) {
        row->batches[q] = make_batch(row, q, length, err);
        if (!row->batches[q])
            return false;
    }
    return true;
}

bool launch_queues_time(struct launch_row *row, double *ns, struct error *err)
{
    uint64_t start_ns = clock_now_ns();
    for (size_t i = 0; i < row->batch_count; i++)
        if (!gpu_batch_submit(row->batches[i], NULL, err))
            return false;
    for (size_t i = 0; i < row->batch_count; i++)
        if (!gpu_batch_wait(row->batches[i], row->run->request->timeout_ns, err))
            return false;
    uint64_t all = row->kernels * row->batch_count;
    *ns = (double)(clock_now_ns() - start_ns) / (double)all;
    row->done += all;
    return true;
}

// ---------------------------------------------------------------- one behind the other

bool launch_signal_make(struct launch_row *row, struct error *err)
{
    if (!refuse_queues(row, err))
        return false;
    row->kernels = row->batch_count = LAUNCH_IN_FLIGHT;
    for (unsigned i = 0; i < LAUNCH_IN_FLIGHT; i++) {
        row->batches[i] = make_batch(row, i % row->this_case->queues, 1, err);
        if (!row->batches[i])
            return false;
    }
    return true;
}

static bool submit_chain(struct launch_row *row, struct gpu_hold *hold, struct error *err)
{
    for (size_t i = 0; i < row->batch_count; i++) {
        const struct gpu_submit submit = {.hold = i == 0 ? hold : NULL,
                                          .after = {i == 0 ? NULL : row->batches[i - 1]},
                                          .after_count = i > 0};
        if (!gpu_batch_submit_after(row->batches[i], &submit, err))
            return false;
    }
    return true;
}

static bool wait_chain(struct launch_row *row, struct error *err)
{
    for (size_t i = row->batch_count; i-- > 0;)
        if (!gpu_batch_wait(row->batches[i], row->run->request->timeout_ns, err))
            return false;
    return true;
}

bool launch_signal_time(struct launch_row *row, double *ns, struct error *err)
{
    bool held = row->session->bench->info->caps & GPU_CAP(HOLDS);
    struct gpu_scope *scope = gpu_scope_open(row->session->bench->device);
    struct gpu_hold *hold = held ? gpu_hold_create(scope, err) : NULL;
    uint64_t start_ns = clock_now_ns();
    bool done = (!held || hold) && submit_chain(row, hold, err);
    if (done && held) {
        start_ns = clock_now_ns();
        done = gpu_hold_release(hold, err);
    }
    done = done && wait_chain(row, err);
    *ns = (double)(clock_now_ns() - start_ns) / (double)row->batch_count;
    gpu_scope_close(scope);
    row->done += row->batch_count;
    return done;
}
