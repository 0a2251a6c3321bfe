// SPDX-License-Identifier: MIT
// What the double's kernels do: the kernels of some benchmarks, written by hand, so that a wrong
// argument, order or address shows as wrong data. All other kernels do nothing.
#include "doubles/world.h"

#include "bench/managed/managed.h"
#include "bench/transfer/transfer.h"

#include <string.h>

static void *address_of(const struct fake_op *op, int param)
{
    void *address = NULL;
    memcpy(&address, op->params[param], sizeof address);
    return address;
}

static unsigned groups_of(const struct fake_op *op)
{
    return op->grid[0] * op->grid[1] * op->grid[2];
}

// Runs the kernel of tests/kernels/prelude_ids.cl.
static void run_prelude_ids(const struct fake_op *op)
{
    uint32_t *words = address_of(op, 0);
    const unsigned *g = op->grid, *b = op->block;
    unsigned threads = b[0] * b[1] * b[2], count = groups_of(op) * threads;
    for (unsigned at = 0; at < count; at++, words += 8) {
        unsigned group = at / threads, thread = at % threads;
        unsigned local_x = thread % b[0], group_x = group % g[0];
        words[0] = local_x | (thread / b[0] % b[1]) << 8 | (thread / b[0] / b[1]) << 16;
        words[1] = group_x | (group / g[0] % g[1]) << 8 | (group / g[0] / g[1]) << 16;
        words[2] = g[0] | g[1] << 8 | g[2] << 16;
        words[3] = group_x * b[0] + local_x;
        words[4] = thread;
        words[5] = UINT32_MAX;
        words[6] = words[7] = 0;
    }
}

// ---------------------------------------------------------------- src/bench/transfer

// Copies one element per thread, but not more than `count` elements.
static void run_transfer_copy(const struct fake_op *op)
{
    uint32_t count;
    memcpy(&count, op->params[3], sizeof count);
    uint64_t threads = (uint64_t)groups_of(op) * op->block[0] * TRANSFER_LOADS;
    memcpy(address_of(op, 1), address_of(op, 0), (threads < count ? threads : count) * 16);
    uint32_t *dispatches = address_of(op, 2);
    (*dispatches)++;
}

static uint32_t transfer_word(uint32_t i)
{
    uint32_t mixed = i * TRANSFER_MIX;
    return mixed ^ (mixed >> TRANSFER_SHIFT);
}

static void run_transfer_fill(const struct fake_op *op)
{
    uint32_t *words = address_of(op, 0), params[2];
    memcpy(params, op->params[1], sizeof params);
    for (uint32_t i = 0; i < 4 * params[1]; i++)
        words[i] = transfer_word(params[0] + i);
}

static void run_transfer_check(const struct fake_op *op)
{
    const uint32_t *words = address_of(op, 0);
    uint32_t *right = address_of(op, 1), params[2];
    memcpy(params, op->params[2], sizeof params);
    for (uint32_t i = 0; i < params[1]; i++) {
        uint32_t wrong = 0;
        for (uint32_t k = 4 * i; k < 4 * i + 4; k++)
            wrong |= words[k] ^ transfer_word(params[0] + k);
        *right += wrong == 0;
    }
}

// ---------------------------------------------------------------- src/bench/managed

struct managed_params {
    double factor;
    uint32_t count, seed;
};

static double managed_number(uint32_t i, uint32_t mix)
{
    uint64_t bits = (uint64_t)(MANAGED_EXPONENT | i * mix >> 12) << 32;
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

static void run_managed_fill(const struct fake_op *op)
{
    double *a = address_of(op, 0), *b = address_of(op, 1), *c = address_of(op, 2);
    struct managed_params params;
    memcpy(&params, op->params[3], sizeof params);
    for (uint32_t i = 0; i < 2 * params.count; i++) {
        a[i] = 0;
        b[i] = managed_number(params.seed + i, MANAGED_MIX_B);
        c[i] = managed_number(params.seed + i, MANAGED_MIX_C);
    }
}

static void run_managed_triad(const struct fake_op *op)
{
    double *a = address_of(op, 0);
    const double *b = address_of(op, 1), *c = address_of(op, 2);
    struct managed_params params;
    memcpy(&params, op->params[4], sizeof params);
    for (uint32_t i = 0; i < 2 * params.count; i++)
        a[i] = b[i] + params.factor * c[i];
    uint32_t *passes = address_of(op, 3);
    (*passes)++;
}

static void run_managed_check(const struct fake_op *op)
{
    const double *a = address_of(op, 0);
    uint32_t *right = address_of(op, 1);
    struct managed_params params;
    memcpy(&params, op->params[2], sizeof params);
    for (uint32_t pair = 0; pair < params.count; pair++) {
        uint32_t seen = 0;
        for (uint32_t i = 2 * pair; i < 2 * pair + 2; i++)
            seen += a[i] == managed_number(params.seed + i, MANAGED_MIX_B) +
                                params.factor * managed_number(params.seed + i, MANAGED_MIX_C);
        *right += seen == 2;
    }
}

void fake_launch(const struct fake_op *op)
{
    static const struct {
        const char *name;
        void (*run)(const struct fake_op *op);
    } kernels[] = {
        {"prelude_ids", run_prelude_ids},     {"transfer_copy", run_transfer_copy},
        {"transfer_fill", run_transfer_fill}, {"transfer_check", run_transfer_check},
        {"managed_fill", run_managed_fill},   {"managed_triad", run_managed_triad},
        {"managed_check", run_managed_check},
    };
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        if (strcmp(op->function.name, kernels[i].name) == 0)
            kernels[i].run(op);
}
