// SPDX-License-Identifier: MIT
// A libcuda.so.1 from before most of what fathom needs.
int cuInit(unsigned flags);

int cuInit(unsigned flags)
{
    return flags ? 1 : 0;
}
