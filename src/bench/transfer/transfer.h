// SPDX-License-Identifier: MIT
// Constants that the host and the kernels of `transfer` share.
//
// Word i of the data is m ^ (m >> TRANSFER_SHIFT) with m = i × TRANSFER_MIX modulo 2^32. Different
// i give different words, so data that begin at another word differ in every word.
#ifndef BENCH_TRANSFER_TRANSFER_H
#define BENCH_TRANSFER_TRANSFER_H

#define TRANSFER_THREADS 256
#define TRANSFER_LOADS   4 /* elements of 16 bytes that a thread of the copying kernel moves */
#define TRANSFER_MIX     0x9e3779b1u
#define TRANSFER_SHIFT   15

#endif
