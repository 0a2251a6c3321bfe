// SPDX-License-Identifier: MIT
// Preloaded, this library does what some drivers and layers do: it takes over the user's locale. It
// does so in the processes that load drivers.
#include <locale.h>
#include <stdio.h>
#include <string.h>

__attribute__((constructor)) static void take_locale(void)
{
    char words[256] = "";
    FILE *command = fopen("/proc/self/cmdline", "r");
    size_t bytes = command ? fread(words, 1, sizeof words - 1, command) : 0;
    if (command)
        fclose(command);
    // The hidden commands of fathom begin with "__". Each word of cmdline ends with NUL.
    size_t first = strlen(words) + 1;
    if (first + 2 < bytes && strncmp(words + first, "__", 2) == 0)
        setlocale(LC_ALL, "");
}
