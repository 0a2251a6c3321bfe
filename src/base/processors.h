// SPDX-License-Identifier: MIT
// Binds this process to some of the host's processors.
#ifndef BASE_PROCESSORS_H
#define BASE_PROCESSORS_H

#include <stdbool.h>

// Binds this process to the processors of a list in the form of sysfs ("0-3,8,10-11"). Returns
// false and changes nothing if the list is empty or malformed, or if the system does not allow it.
bool processors_bind(const char *list);

#endif
