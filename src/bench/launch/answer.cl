// SPDX-License-Identifier: MIT
// Does the same as answer.comp, which describes it.
#include "bench/prelude/prelude.clh"

#include "bench/launch/launch.h"

struct params {
    uint questions;
    uint polls; // maximum reads of `question`; after so many the kernel ends, whether asked or not
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
            last = clock_device().x; // reading the clock also makes polls less frequent
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
