// SPDX-License-Identifier: MIT
// Codes of reasons (struct reason) that one part of fathom gives to results and another part looks
// for, and a search for a reason. Run files have these codes, so they never change.
#ifndef RESULTS_REASONS_H
#define RESULTS_REASONS_H

#include "results/results.h"

// Other work used the device, or the host's processors and links, during the measurement. A finding
// of the whole run may have the first code, too.
#define REASON_SHARED_DEVICE "shared-device"
#define REASON_SHARED_HOST   "shared-host"

// Something altered the driver (gpu_device_alteration). The code of a check (CHECK_ALTERED) is the
// same word.
#define REASON_ALTERED "altered"

// The run was killed, or is not finished, and the case had too few rounds.
#define REASON_UNFINISHED "unfinished"

// Returns true if the result has a reason with this code and this text.
bool result_has_reason(const struct result *result, const char *code, const char *text);

#endif
