# SPDX-License-Identifier: MIT
# `make install` (FHS, DESTDIR), the .deb, and with FATHOM_KIT the two kits (tools/kit.sh).
include(GNUInstallDirs)

# Licence texts that must go along with the libraries that are linked in. Debian's packages have them.
set(FATHOM_NOTICES libvulkan-volk-dev)
if(FATHOM_KIT)
    list(APPEND FATHOM_NOTICES libjansson-dev zlib1g-dev)
endif()

# install_documents(FOLDER LICENCE-NAME COMPONENT…): the manuals and the licences.
function(install_documents folder licence)
    install(FILES README.md CHANGELOG.md DESTINATION ${folder} ${ARGN})
    install(DIRECTORY docs DESTINATION ${folder} ${ARGN} FILES_MATCHING PATTERN "*.md" PATTERN "*.svg"
            PATTERN "*.png")
    install(FILES LICENSE DESTINATION ${folder} RENAME ${licence} ${ARGN})
    # The licences of what the report page contains; the page itself shows them, too.
    install(FILES ${WEB_DIR}/notices.txt DESTINATION ${folder}/licenses RENAME report-page OPTIONAL
            ${ARGN})
    foreach(package ${FATHOM_NOTICES})
        install(FILES /usr/share/doc/${package}/copyright DESTINATION ${folder}/licenses
                RENAME ${package} OPTIONAL ${ARGN})
    endforeach()
endfunction()

# install_data(FOLDER COMPONENT…): the runs that `fathom compare --reference` chooses from, the
# simulated devices, and the schema of run files.
function(install_data folder)
    install(DIRECTORY reference models DESTINATION ${folder} ${ARGN}
            FILES_MATCHING PATTERN "*.json" PATTERN "*.json.gz" PATTERN "*.md"
            PATTERN conformance EXCLUDE)
    install(FILES docs/run-schema.json DESTINATION ${folder} ${ARGN})
endfunction()

install(TARGETS fathom DESTINATION ${CMAKE_INSTALL_BINDIR})

# Made from the table of flags: the manual page and the shells' completions. The manual page is
# gzipped, as distributions have it; so is CHANGELOG.md for the .deb.
set(GENERATED "")
foreach(line man:${CMAKE_INSTALL_MANDIR}/man1/fathom.1.gz
             bash:${CMAKE_INSTALL_DATADIR}/bash-completion/completions/fathom
             zsh:${CMAKE_INSTALL_DATADIR}/zsh/site-functions/_fathom
             fish:${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d/fathom.fish)
    string(REPLACE ":" ";" line ${line})
    list(GET line 0 what)
    list(GET line 1 installed)
    get_filename_component(folder ${installed} DIRECTORY)
    get_filename_component(name ${installed} NAME)
    set(out ${PROJECT_BINARY_DIR}/generated/${what}/${name})
    file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/generated/${what})
    set(pack "")
    if(name MATCHES "[.]gz$")
        set(pack | gzip -9n)
    endif()
    add_custom_command(OUTPUT ${out} COMMAND fathom --generate ${what} ${pack} > ${out}
                       DEPENDS fathom COMMENT "Writing ${name}" VERBATIM)
    list(APPEND GENERATED ${out})
    install(FILES ${out} DESTINATION ${folder})
endforeach()
set(CHANGES ${PROJECT_BINARY_DIR}/generated/changelog.gz)
add_custom_command(OUTPUT ${CHANGES}
                   COMMAND gzip -9nc ${PROJECT_SOURCE_DIR}/CHANGELOG.md > ${CHANGES}
                   DEPENDS CHANGELOG.md COMMENT "Packing CHANGELOG.md" VERBATIM)
list(APPEND GENERATED ${CHANGES})
install(FILES ${CHANGES} DESTINATION ${CMAKE_INSTALL_DOCDIR})
if(NOT FATHOM_SANITIZE)
    add_custom_target(fathom_generated ALL DEPENDS ${GENERATED})
endif()
install_documents(${CMAKE_INSTALL_DOCDIR} copyright)
install_data(${CMAKE_INSTALL_DATADIR}/fathom)

if(FATHOM_KIT)
    install(TARGETS fathom DESTINATION . COMPONENT kit EXCLUDE_FROM_ALL)
    install_data(. COMPONENT kit EXCLUDE_FROM_ALL)
    install_documents(. LICENSE COMPONENT kit EXCLUDE_FROM_ALL)
    install_documents(. LICENSE COMPONENT kit_tests EXCLUDE_FROM_ALL)
    # src/gpu/vulkan uses this loader if the system has none.
    find_library(VULKAN_LOADER NAMES libvulkan.so.1 REQUIRED)
    file(REAL_PATH ${VULKAN_LOADER} VULKAN_LOADER_FILE)
    # src/serve opens this library, the server of the live page.
    find_library(CIVETWEB NAMES libcivetweb.so.1 REQUIRED)
    file(REAL_PATH ${CIVETWEB} CIVETWEB_FILE)
    install(PROGRAMS ${CIVETWEB_FILE} DESTINATION lib RENAME libcivetweb.so.1 COMPONENT kit
            EXCLUDE_FROM_ALL)
    install(FILES /usr/share/doc/libcivetweb1/copyright DESTINATION licenses RENAME libcivetweb1
            COMPONENT kit EXCLUDE_FROM_ALL)
    foreach(component kit kit_tests)
        install(PROGRAMS ${VULKAN_LOADER_FILE} DESTINATION lib RENAME libvulkan.so.1
                COMPONENT ${component} EXCLUDE_FROM_ALL)
        foreach(text /usr/share/doc/libvulkan1/copyright /usr/share/common-licenses/Apache-2.0)
            get_filename_component(name ${text} NAME)
            string(REPLACE copyright libvulkan1 name ${name})
            install(FILES ${text} DESTINATION licenses RENAME ${name}
                    COMPONENT ${component} EXCLUDE_FROM_ALL)
        endforeach()
    endforeach()
endif()

# kit_test(TARGET [ARGUMENT…]): puts this test program into the kit of tests, because it is useful on
# a machine with a GPU. It exits with 77 if the machine lacks what it needs.
function(kit_test target)
    if(FATHOM_KIT)
        string(JOIN " " line ./${target} ${ARGN})
        set_property(GLOBAL APPEND PROPERTY KIT_TESTS ${line})
        get_property(known GLOBAL PROPERTY KIT_PROGRAMS)
        if(NOT target IN_LIST known)
            set_property(GLOBAL APPEND PROPERTY KIT_PROGRAMS ${target})
            set_target_properties(${target} PROPERTIES INSTALL_RPATH "$ORIGIN/lib")
            install(TARGETS ${target} DESTINATION . COMPONENT kit_tests EXCLUDE_FROM_ALL)
        endif()
    endif()
endfunction()

# Installs the kit of tests; called when all tests are known.
function(install_kit_tests)
    get_property(programs GLOBAL PROPERTY KIT_PROGRAMS)
    add_custom_target(kit_programs DEPENDS fathom ${programs}) # only fathom and tests that use a GPU
    get_property(lines GLOBAL PROPERTY KIT_TESTS)
    list(JOIN lines "\n" text)
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/TESTS CONTENT "${text}\n" @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/TESTS DESTINATION . COMPONENT kit_tests EXCLUDE_FROM_ALL)
    install(PROGRAMS ${PROJECT_SOURCE_DIR}/tools/run-kit-tests.sh DESTINATION . RENAME run
            COMPONENT kit_tests EXCLUDE_FROM_ALL)
    find_library(CMOCKA_LIBRARY NAMES libcmocka.so.0 REQUIRED)
    file(REAL_PATH ${CMOCKA_LIBRARY} CMOCKA_FILE)
    install(PROGRAMS ${CMOCKA_FILE} DESTINATION lib RENAME libcmocka.so.0
            COMPONENT kit_tests EXCLUDE_FROM_ALL)
    install(FILES /usr/share/doc/libcmocka-dev/copyright DESTINATION licenses RENAME libcmocka-dev
            COMPONENT kit_tests EXCLUDE_FROM_ALL)
endfunction()

# The .deb: `cpack --config BUILD/CPackConfig.cmake`, as tools/release.sh calls it. If Debian's
# dpkg-shlibdeps is installed, it finds from the program which packages the .deb depends on.
set(FATHOM_CONTACT "the fathom authors <fathom@fathom.invalid>" CACHE STRING
    "Maintainer of the .deb: NAME <ADDRESS>")
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VENDOR "the fathom authors")
set(CPACK_PACKAGE_CONTACT ${FATHOM_CONTACT})
set(CPACK_COMPONENTS_ALL Unspecified)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "Latency, bandwidth and capacity of each memory level of a GPU, the cost of
arithmetic, launches and barriers, and what runs side by side, through Vulkan,
CUDA or OpenCL. Each number comes with a 95 % interval, the core clock and its
share of the physical limit, and every measured kernel is verified.")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libvulkan1, mesa-vulkan-drivers | vulkan-icd, libcivetweb1")
find_program(SHLIBDEPS dpkg-shlibdeps)
if(SHLIBDEPS)
    set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
else()
    set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6 (>= 2.34), libjansson4 (>= 2.13), zlib1g")
endif()
include(CPack)
