// SPDX-License-Identifier: MIT
// The version of fathom, for run files and `fathom --version`.
#ifndef BASE_VERSION_H
#define BASE_VERSION_H

struct version {
    const char *version; // version number of fathom: "0.1.0"
    // git commit (12 hex digits), with "-dirty" if files had changed; or "unknown"
    const char *commit;
    const char *build; // compiler, build type, processor: "GNU 12.2.0 RelWithDebInfo x86_64"
};

extern const struct version fathom_version;

#endif
