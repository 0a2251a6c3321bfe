// SPDX-License-Identifier: MIT
#include "gpu/wait.h"

enum {
    SPIN_NS = 50000,
    SLEEP_NS = 20000,
    SLEEP_MOST_NS = 500000,
    // A sleep lasts 1 / SLEEP_SHARE of the time waited so far, but at least SLEEP_NS and at most
    // SLEEP_MOST_NS, and never longer than the time limit allows.
    SLEEP_SHARE = 64
};

bool gpu_wait(const struct gpu_wait_desc *desc, struct error *err)
{
    uint64_t start_ns = clock_now_ns(), deadline_ns = clock_deadline_ns(desc->timeout_ns);
    for (;;) {
        enum gpu_wait_answer answer = desc->ask(desc->context, err);
        if (answer != GPU_WAIT_NOT_YET)
            return answer == GPU_WAIT_DONE;
        uint64_t left_ns = clock_left_ns(deadline_ns);
        if (left_ns == 0)
            return error_set(err, ERROR_TIMEOUT, "%s: not done after %.3g s", desc->id,
                             (double)desc->timeout_ns / 1e9);
        uint64_t waited_ns = clock_now_ns() - start_ns, sleep_ns = waited_ns / SLEEP_SHARE;
        if (waited_ns < SPIN_NS)
            continue;
        sleep_ns = sleep_ns < SLEEP_NS ? SLEEP_NS : sleep_ns;
        sleep_ns = sleep_ns < SLEEP_MOST_NS ? sleep_ns : SLEEP_MOST_NS;
        clock_sleep_ns(sleep_ns < left_ns ? sleep_ns : left_ns);
    }
}
