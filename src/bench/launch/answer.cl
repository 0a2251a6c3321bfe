// SPDX-License-Identifier: MIT
// Answers the host, question by question, with the device's clock, as answer.comp.
#include "bench/prelude/prelude.clh"

#include "bench/launch/launch.h"

struct params {
    uint questions;
    uint polls; // in all: it must end though nobody asks
};

KERNEL void KERNEL_NAME(__global const volatile uint *question, __global volatile uint *answer,
                        const struct params p)
{
    if (local_x() != 0)
        return;
    uint poll = 0, last = 0;
    NOT_UNROLLED for (uint asked = 1; asked <= p.questions && poll < p.polls; poll++)
    {
        if (question[0] < asked) {
            last = clock_device().x; // to take its time
            continue;
        }
        const uint2 now = clock_device();
        answer[LAUNCH_ANSWER_CLOCK] = now.x;
        answer[LAUNCH_ANSWER_CLOCK + 1] = now.y;
        answer[LAUNCH_ANSWER_LAST] = last;
        answer[LAUNCH_ANSWER_CHECK] = LAUNCH_ANSWER_SUM(now.x, now.y, asked);
        answer[LAUNCH_ANSWER_NUMBER] = asked;
        asked++;
    }
}
