# SPDX-License-Identifier: MIT
# cmake/Web.cmake runs this at build time: it installs the packages of web/package-lock.json into
# OUT and bundles OUT/page.html. If they cannot be installed (no network), it writes an empty page
# and OUT/reason.txt, unless REQUIRED is ON. A page that does not bundle is always an error.
file(COPY ${SOURCE}/web/ DESTINATION ${OUT}/source)
file(COPY ${SOURCE}/LICENSE DESTINATION ${OUT})

function(give_up reason)
    if(REQUIRED STREQUAL "ON")
        message(FATAL_ERROR "the report page cannot be built: ${reason}")
    endif()
    message(NOTICE "report page not in this build, because ${reason}")
    file(WRITE ${OUT}/page.html "")
    file(WRITE ${OUT}/reason.txt "${reason}; remove ${OUT} and build again")
endfunction()

# step(COMMAND…): runs a command. If it fails, `failed` is its first line with an error, else "".
macro(step)
    execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${OUT}/source RESULT_VARIABLE status
                    OUTPUT_VARIABLE said ERROR_VARIABLE said)
    set(failed "")
    if(NOT status EQUAL 0)
        message(NOTICE "${said}")
        string(REGEX MATCH "[^\n]*(code [A-Z]+|[Ee]rror[:!])[^\n]*" failed "${said}\nerror: it failed")
        string(STRIP "${failed}" failed)
    endif()
endmacro()

# The packages are installed again only if the lock file changed.
set(stamp ${OUT}/source/node_modules/.fathom-lock)
file(SHA256 ${SOURCE}/web/package-lock.json lock)
set(installed "")
if(EXISTS ${stamp})
    file(READ ${stamp} installed)
endif()
if(NOT installed STREQUAL lock)
    step(${NPM} ci --ignore-scripts --no-audit --no-fund --loglevel=error --fetch-retries=1)
    if(failed)
        give_up("npm ci failed (${failed})")
        return()
    endif()
    file(WRITE ${stamp} ${lock})
endif()

step(${NODE} build.mjs ${OUT}/source ${OUT}/page.html ${OUT}/notices.txt)
if(failed)
    message(FATAL_ERROR "the report page does not bundle (above)")
endif()
file(WRITE ${OUT}/reason.txt "")
