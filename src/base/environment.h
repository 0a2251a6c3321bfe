// SPDX-License-Identifier: MIT
// The environment as this process found it. Drivers change theirs: an OpenCL loader cuts
// OCL_ICD_FILENAMES off at its first colon, PoCL sets variables of hwloc.
#ifndef BASE_ENVIRONMENT_H
#define BASE_ENVIRONMENT_H

#include "base/arena.h"

// A copy of the environment as it is now, NULL-ended, in `arena`: for child_desc.environment, to be
// taken before the first driver is loaded.
const char *const *environment_copy(struct arena *arena);

#endif
