// SPDX-License-Identifier: MIT
#include "base/environment.h"

#include <stddef.h>

extern char **environ; // POSIX leaves its declaration to the program

const char *const *environment_copy(struct arena *arena)
{
    size_t count = 0;
    while (environ && environ[count])
        count++;
    const char **copy = ARENA_ARRAY(arena, count + 1, const char *);
    for (size_t i = 0; i < count; i++)
        copy[i] = arena_strdup(arena, environ[i]);
    copy[count] = NULL;
    return copy;
}
