// SPDX-License-Identifier: MIT
// The version of fathom, for run files and `fathom --version`.
#ifndef BASE_VERSION_H
#define BASE_VERSION_H

struct version {
    const char *version; // "0.1.0"
    const char *commit;  // 12 hex digits, and "-dirty" if the tree had changes; or "unknown"
    const char *build;   // "GNU 12.2.0 RelWithDebInfo x86_64", then any sanitizers
};

extern const struct version fathom_version;

#endif
