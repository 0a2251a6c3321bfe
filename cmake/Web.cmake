# SPDX-License-Identifier: MIT
# The report page: bundles web/ into one file and puts it into fathom_core (src/report/html.c). If
# it cannot be built, the program is built without it, and `fathom report` says why.
#
#   FATHOM_WEB       AUTO; ON: failing to build the page is an error; OFF: no page
#   FATHOM_WEB_FROM  folder of another build's page (BUILD/web), used instead of building the page
set(FATHOM_WEB AUTO CACHE STRING "The report page in the program: AUTO, ON or OFF")
set(FATHOM_WEB_FROM "" CACHE PATH "Take the report page from this folder")
find_program(NPM npm)
find_program(NODE NAMES node nodejs)

set(NODE_VERSION 0)
if(NODE)
    execute_process(COMMAND ${NODE} --version OUTPUT_VARIABLE NODE_VERSION
                    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    string(REPLACE "v" "" NODE_VERSION "${NODE_VERSION}")
endif()

set(WEB_DIR ${PROJECT_BINARY_DIR}/web)
set(WEB_PAGE ${WEB_DIR}/page.html)
set(WEB_REASON ${WEB_DIR}/reason.txt)
file(MAKE_DIRECTORY ${WEB_DIR})

# web_without(REASON): builds a program without the page.
function(web_without reason)
    if(FATHOM_WEB STREQUAL "ON")
        message(FATAL_ERROR "the report page cannot be built: ${reason}")
    endif()
    message(STATUS "report page not in this build, because ${reason}")
    file(CONFIGURE OUTPUT ${WEB_PAGE} CONTENT "" @ONLY)
    file(CONFIGURE OUTPUT ${WEB_REASON} CONTENT "${reason}" @ONLY)
endfunction()

if(FATHOM_WEB STREQUAL "OFF")
    web_without("it was built with FATHOM_WEB=OFF")
elseif(FATHOM_WEB_FROM AND EXISTS ${FATHOM_WEB_FROM}/page.html)
    file(COPY_FILE ${FATHOM_WEB_FROM}/page.html ${WEB_PAGE} ONLY_IF_DIFFERENT)
    file(COPY_FILE ${FATHOM_WEB_FROM}/reason.txt ${WEB_REASON} ONLY_IF_DIFFERENT)
    if(EXISTS ${FATHOM_WEB_FROM}/notices.txt)
        file(COPY_FILE ${FATHOM_WEB_FROM}/notices.txt ${WEB_DIR}/notices.txt ONLY_IF_DIFFERENT)
    endif()
elseif(NOT NPM OR NOT NODE)
    web_without("npm was not found when it was built (Debian: apt-get install npm)")
elseif(NODE_VERSION VERSION_LESS 18)
    web_without("node 18 is needed to bundle it and ${NODE_VERSION} was found")
else()
    file(GLOB_RECURSE WEB_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/web/src/*.ts
         ${PROJECT_SOURCE_DIR}/web/src/*.css)
    foreach(name build.mjs page.html package.json package-lock.json tsconfig.json)
        list(APPEND WEB_SOURCES ${PROJECT_SOURCE_DIR}/web/${name})
    endforeach()
    add_custom_command(OUTPUT ${WEB_PAGE} ${WEB_REASON}
        COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DOUT=${WEB_DIR} -DNPM=${NPM}
                -DNODE=${NODE} -DREQUIRED=${FATHOM_WEB}
                -P ${PROJECT_SOURCE_DIR}/cmake/BuildPage.cmake
        DEPENDS ${WEB_SOURCES} ${PROJECT_SOURCE_DIR}/cmake/BuildPage.cmake
                ${PROJECT_SOURCE_DIR}/LICENSE
        COMMENT "Bundling the report page" VERBATIM)
endif()

file(CONFIGURE OUTPUT ${WEB_DIR}/page.S CONTENT [[
    .section .rodata
    .global report_page, report_page_bytes, report_page_reason
report_page:
    .incbin "@WEB_PAGE@"
page_end:
    .balign 8
report_page_bytes:
    .quad page_end - report_page
report_page_reason:
    .incbin "@WEB_REASON@"
    .byte 0
    .section .note.GNU-stack,"",%progbits
]] @ONLY)
set_property(SOURCE ${WEB_DIR}/page.S PROPERTY OBJECT_DEPENDS "${WEB_PAGE};${WEB_REASON}")
target_sources(fathom_core PRIVATE ${WEB_DIR}/page.S)
