// SPDX-License-Identifier: MIT
// Which fathom this is: stands in every run file and in `fathom --version`.
#ifndef BASE_VERSION_H
#define BASE_VERSION_H

struct version {
    const char *version; // "0.1.0"
    const char *commit;  // 12 hex digits, "-dirty" after them where the tree was changed; "unknown"
    const char *build;   // "GNU 12.2.0 RelWithDebInfo x86_64", and the sanitizers where there are
};

extern const struct version fathom_version;

#endif
