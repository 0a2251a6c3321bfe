// SPDX-License-Identifier: MIT
#include "bench/map/probes.h"

#include "bench/map.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

uint32_t map_code_length(uint32_t steps)
{
    enum {
        ALIKE = 32,
        OF_OCTAVE = 16
    };
    uint32_t length = 0, size = CODE_SHORTEST;
    for (uint32_t n = 0; n < steps; n++) {
        if (n >= ALIKE && (n - ALIKE) % OF_OCTAVE == 0)
            size *= 2;
        length += size;
    }
    return length;
}

// Returns x · x + constant. If `fused` is false, also rounds the product: `volatile` prevents the
// compiler from fusing product and sum.
static float step(float x, float constant, bool fused)
{
    if (fused)
        return fmaf(x, x, constant);
    volatile float product = x * x;
    return product + constant;
}

static void replay_lap(uint32_t instructions, bool fused, float x[2 * CODE_CHAINS])
{
    for (uint32_t i = 0; i < instructions; i++) {
        float constant = CODE_CONSTANT((float)(i % CODE_CONSTANTS)), *chain = &x[i % CODE_CHAINS];
        chain[0] = step(chain[0], constant, fused);
        chain[CODE_CHAINS] = step(chain[CODE_CHAINS], constant, fused);
    }
}

static void keep(const float x[2 * CODE_CHAINS], struct code_ends *ends)
{
    for (unsigned odd = 0; odd < 2; odd++)
        memcpy(ends->words[odd], x + (size_t)odd * CODE_CHAINS, CODE_CHAINS * sizeof *x);
}

void code_replay(uint32_t instructions, uint64_t laps, bool fused, struct code_ends *ends)
{
    float x[2 * CODE_CHAINS];
    *ends = (struct code_ends){0};
    for (unsigned i = 0; i < 2 * CODE_CHAINS; i++)
        x[i] = CODE_START((float)i);
    keep(x, ends);
    for (uint64_t lap = 0; lap < laps; lap++) {
        replay_lap(instructions, fused, x);
        keep(x, ends);
        for (unsigned odd = 0; odd < 2; odd++) {
            uint32_t *own = ends->words[odd];
            own[CODE_CHAINS] = CODE_HASH(own[CODE_CHAINS], own[0], own[1], own[2], own[3]);
        }
    }
}
