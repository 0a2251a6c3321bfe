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

// Checks the time that work took by the device's time stamps. The host began the work at began_ns
// and has just seen its end. Fails if the work took no time, but the host waited long, because
// sizing would then make the work longer without end. Also fails if the host waited so much longer
// than took_ns that the time stamps may have wrapped, which hides a multiple of 2^stamp_bits steps.
MUST_CHECK bool measure_unit_check(const struct gpu_info *info, double took_ns, uint64_t began_ns,
                                   struct error *err);

// Sets *ns to the device time of one unit of work (desc->record): the shortest of `runs`
// submissions, each with the time-out desc->request->timeout_ns. The first submission is often
// slow, because drivers finish their preparations and clocks are still low.
MUST_CHECK bool measure_unit_time(const struct measure_span_desc *desc, unsigned runs, double *ns,
                                  struct error *err);

// Returns the number of iterations, not rounded, that last wanted_ns if `iterations` last took_ns.
// The result is at least `least` times `iterations`, and at most `most` times.
double measure_unit_grow(double iterations, double wanted_ns, double took_ns, double least,
                         double most);

// Sets grid[1] rows of grid[0] workgroups, at most grid[1] − 1 more than `groups`. A row has at
// most row_most workgroups (a device's workgroup_count_x; 0 means no limit).
void measure_unit_grid(uint64_t groups, uint64_t row_most, uint32_t grid[2]);

// Compares what kernels counted with the units of work that ran. Kernels counted `count` things,
// such as workgroups, and a unit of work has unit_count of them. Sets *units to count / unit_count.
// Fails with ERROR_MISMATCH if this number is not ran->units, because the device lost work or did
// it twice. If ran->or_more is true, any larger whole number is right, too.
MUST_CHECK bool measure_unit_counted(uint64_t count, uint64_t unit_count,
                                     const struct measure_ran *ran, uint64_t *units,
                                     struct error *err);

// These functions are for kernels whose results do not show how often they ran. Such kernels add 1
// to a word in each unit of work. The word is at `offset` bytes in the buffer.
// measure_unit_count_clear sets it to 0. measure_unit_count_check then fails, as
// measure_unit_counted does, if the word is not the number of units that ran.
MUST_CHECK bool measure_unit_count_clear(struct gpu_buffer *buffer, uint64_t offset,
                                         struct error *err);
MUST_CHECK bool measure_unit_count_check(struct gpu_buffer *buffer, uint64_t offset,
                                         const struct measure_ran *ran, struct error *err);

// ---------------------------------------------------------------- what kernels record

// The buffer in which timed kernels record their work (bench/prelude/words.glsl): the sum of the
// values that they read, and a count. Each is spread over many words, because atomic additions to a
// single word would wait for each other.
enum {
    // Words for the sum, and as many for the count; kernels call it WORDS_SLOTS. The host adds them
    // up.
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
