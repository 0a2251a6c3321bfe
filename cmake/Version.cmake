# SPDX-License-Identifier: MIT
# Every build runs this (cmake -D… -P). It writes OUT, the C file behind base/version.h, and touches
# it only if something changed.
cmake_policy(VERSION 3.25)

set(commit "")
if(EXISTS ${SOURCE}/.git)
    execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=12 --exclude=*
                    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
elseif(EXISTS ${SOURCE}/COMMIT) # a source archive names its commit in a file
    file(STRINGS ${SOURCE}/COMMIT commit LIMIT_COUNT 1)
endif()
if(NOT commit)
    set(commit unknown)
endif()
file(CONFIGURE OUTPUT ${OUT} CONTENT
"// Written by cmake/Version.cmake.
#include \"base/version.h\"

const struct version fathom_version = {
    .version = \"${VERSION}\",
    .commit = \"${commit}\",
    .build = \"${BUILD}\",
};
")
