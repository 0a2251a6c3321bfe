// SPDX-License-Identifier: MIT
// Constants that the host and the kernels share.
//
// Kernels walk through memory in blocks. BANDWIDTH_LANES neighbouring threads of a workgroup are a
// row and read a block together: each loads LOADS elements, which lie BANDWIDTH_LANES elements
// apart. On most hardware a row is a subgroup. Where subgroups have 64 threads, a row is half a
// subgroup.
//
// The data are a hash of the number of the 16-byte element, so hardware cannot compress them. Only
// the exponent is limited: to 2^-15 … 2^0 for floats and 2^-127 … 2^0 for doubles. So no value is
// zero, subnormal, infinite or NaN in either type.
#ifndef BENCH_BANDWIDTH_BANDWIDTH_H
#define BENCH_BANDWIDTH_BANDWIDTH_H

#define BANDWIDTH_LANES        32
#define BANDWIDTH_SLOTS        1024 // words for the kernels' sums; as many words for counts follow
#define BANDWIDTH_SHARED_BYTES 16384
#define BANDWIDTH_SEED_SOURCE  0x5bd1e995u // seed of the data in the buffer that kernels read

// Word k of the 16-byte element e is (h × MULTIPLIER_k & KEEP) | EXPONENT; MULTIPLIER_0 is 1. The
// hash h is made of e and the seed with MIX_STEP and MIX_SCATTER. MIX_STEP is the golden ratio.
// MIX_SCATTER and MULTIPLIER_1 to 3 are odd numbers from xxHash and MurmurHash3.
#define BANDWIDTH_MIX_STEP     0x9e3779b9u
#define BANDWIDTH_MIX_SCATTER  0x85ebca6bu
#define BANDWIDTH_MULTIPLIER_1 0xc2b2ae35u
#define BANDWIDTH_MULTIPLIER_2 0x27d4eb2fu
#define BANDWIDTH_MULTIPLIER_3 0x165667b1u
#define BANDWIDTH_KEEP         0x87ffffffu
#define BANDWIDTH_EXPONENT     0x38000000u

#endif
