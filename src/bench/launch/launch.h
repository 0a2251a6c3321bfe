// SPDX-License-Identifier: MIT
// Constants that the host and the kernels share.
#ifndef BENCH_LAUNCH_LAUNCH_H
#define BENCH_LAUNCH_LAUNCH_H

#define LAUNCH_THREADS       256
#define LAUNCH_ELEMENT_BYTES 8 /* an element is two floats */

/* Element i consists of two floats from 1 to 2. Their mantissas are the low and the high 23 bits of
 * i × LAUNCH_MIX. */
#define LAUNCH_MIX      0x9e3779b1u
#define LAUNCH_EXPONENT 0x3f800000u
#define LAUNCH_MANTISSA 0x007fffffu

/* Words of an answer that a kernel gives to the host: the number of the question, the device's
   clock (low, high), and a checksum that shows that all words have arrived. */
#define LAUNCH_ANSWER_NUMBER            0
#define LAUNCH_ANSWER_CLOCK             1
#define LAUNCH_ANSWER_CHECK             3
#define LAUNCH_ANSWER_LAST              4 /* device clock's low word before this question came */
#define LAUNCH_ANSWER_SUM(low, high, n) ((low) ^ (high) ^ (n)*LAUNCH_MIX)

#endif
