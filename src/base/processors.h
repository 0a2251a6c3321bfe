// SPDX-License-Identifier: MIT
// The processors that this process runs on.
#ifndef BASE_PROCESSORS_H
#define BASE_PROCESSORS_H

#include <stdbool.h>

// Binds this process to the processors of a list as sysfs has it ("0-3,8,10-11"). False, without a
// change, if the list is empty or malformed, or if the system does not allow it.
bool processors_bind(const char *list);

#endif
