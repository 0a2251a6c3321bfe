// SPDX-License-Identifier: MIT
// A libcuda.so.1 that is too old for most functions that fathom needs.
int cuInit(unsigned flags);

int cuInit(unsigned flags)
{
    return flags ? 1 : 0;
}
