// SPDX-License-Identifier: MIT
// What the host and the kernels of this benchmark share.
//
// The kernel computes a[i] = b[i] + s × c[i] in doubles. b[i] and c[i] lie between 1 and 2. Their
// fractions have 20 bits: the upper 20 bits of (seed + i) × MANAGED_MIX_…. s has two binary places,
// so the result is exact, with or without a fused multiply-add.
#ifndef BENCH_MANAGED_MANAGED_H
#define BENCH_MANAGED_MANAGED_H

#define MANAGED_THREADS       256
#define MANAGED_ELEMENT_BYTES 16 /* two doubles: what one thread of triad computes */
#define MANAGED_MIX_B         0x9e3779b1u
#define MANAGED_MIX_C         0x85ebca6bu
#define MANAGED_EXPONENT      0x3ff00000u /* upper word of the double 1.0 */

#endif
