// SPDX-License-Identifier: MIT
// What the host and the kernels of this benchmark share.
//
// a[i] = b[i] + s × c[i] in doubles. b[i] and c[i] lie between 1 and 2 with 20 binary places, those
// of the upper bits of (seed + i) × MANAGED_MIX_…, and s has two: the sum is exact, fused or not.
#ifndef BENCH_MANAGED_MANAGED_H
#define BENCH_MANAGED_MANAGED_H

#define MANAGED_THREADS       256
#define MANAGED_ELEMENT_BYTES 16 /* two doubles: what a thread of triad does */
#define MANAGED_MIX_B         0x9e3779b1u
#define MANAGED_MIX_C         0x85ebca6bu
#define MANAGED_EXPONENT      0x3ff00000u /* upper word of 1.0 */

#endif
