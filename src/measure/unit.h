// SPDX-License-Identifier: MIT
// Runs and times work that is not a sample. Also computes three numbers: the iterations that a
// piece of work needs, the grid for a number of workgroups, and the units of work that kernels have
// done. Also reads what kernels recorded of their work.
#ifndef MEASURE_UNIT_H
#define MEASURE_UNIT_H

#include "measure/span.h"

// Runs a dispatch alone, in its own batch and scope, and waits until it has ended. Used for kernels
// that fill or check memory, which are not timed.
MUST_CHECK bool measure_unit_run(struct gpu_device *device, const struct gpu_dispatch *dispatch,
                                 uint64_t timeout_ns, struct error *err);

// Sets *ns to the device time of one unit of work, which desc->record records. Submits the same
// batch `runs` times and takes the shortest time. The first submission is often slow: drivers
// finish their preparations, and clocks are still low. Each submission has the time-out
// desc->request->timeout_ns.
MUST_CHECK bool measure_unit_time(const struct measure_span_desc *desc, unsigned runs, double *ns,
                                  struct error *err);

// Returns how many iterations make a piece of work last wanted_ns, if `iterations` of them lasted
// took_ns. The result is `iterations` times a factor, and is not rounded. The factor is wanted_ns /
// took_ns, but at least `least` and at most `most`.
double measure_unit_grow(double iterations, double wanted_ns, double took_ns, double least,
                         double most);

// Sets the sizes of a grid for `groups` workgroups: it has grid[1] rows of grid[0] workgroups. A
// row has at most row_most workgroups (a device's workgroup_count_x; 0 means no limit). The grid
// has at most grid[1] − 1 workgroups more than `groups`.
void measure_unit_grid(uint64_t groups, uint64_t row_most, uint32_t grid[2]);

// Computes how many units of work the kernels did: *units = count / unit_count. The kernels counted
// `count` things, such as workgroups or additions, and one unit has unit_count of them. Fails with
// ERROR_MISMATCH if the quotient is not a whole number, or is below units_least.
MUST_CHECK bool measure_unit_counted(uint64_t count, uint64_t unit_count, uint64_t units_least,
                                     uint64_t *units, struct error *err);

// ---------------------------------------------------------------- what kernels record

// The buffer in which timed kernels record their work (bench/prelude/words.glsl): the sum of the
// values that they read, and a count (of workgroups, for example). Both the sum and the count are
// spread over many words, because atomic additions to a single word would wait for each other.
enum {
    // Number of words for the sum; the count has as many. Kernels call this number WORDS_SLOTS.
    // Kernels spread their additions over these words, and the host adds the words up.
    MEASURE_WORDS_SLOTS = 1024
};

struct measure_words {
    uint32_t sum; // sum of the values that kernels read, modulo 2^32
    uint64_t count;
};

// Creates the buffer for the sum and the count. Its contents are undefined until
// measure_words_clear. Returns NULL with an error.
struct gpu_buffer *measure_words_create(struct gpu_scope *scope, struct error *err);

MUST_CHECK bool measure_words_clear(struct gpu_buffer *buffer, struct error *err);

// Reads the sum and the count: what all kernels have added since the last measure_words_clear.
MUST_CHECK bool measure_words_read(struct gpu_buffer *buffer, struct measure_words *words,
                                   struct error *err);

// Returns `x` after `rounds` steps of xorshift32 (Marsaglia), as arithmetic kernels compute it.
// Starts from 1 if x is 0, because xorshift never leaves 0.
uint32_t measure_words_mix(uint32_t x, uint64_t rounds);

#endif
