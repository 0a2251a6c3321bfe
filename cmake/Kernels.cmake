# SPDX-License-Identifier: MIT
# Compiles every kernel that a kernels.txt lists and embeds all forms in one library.
#
# A line of src/FOLDER/kernels.txt:   NAME  SOURCE  WORKGROUP  ARGS  [-D…]
#   NAME       unique; kernel_find(NAME)
#   SOURCE     stem of SOURCE.comp (GLSL) and, where it exists, SOURCE.cl (OpenCL C)
#   WORKGROUP  threads: 256 or 16x16x1; compiled in as WORKGROUP_X, _Y, _Z
#   ARGS       comma-separated gpu_arg_kind names in lower case, or - for none
#   -D…        what makes this variant; given to both languages
# Blank lines and lines that begin with # are skipped.

find_program(GLSLC glslc REQUIRED)

add_executable(embed_kernels ${PROJECT_SOURCE_DIR}/tools/embed_kernels.c)
target_link_libraries(embed_kernels PRIVATE fathom_flags)

set(KERNEL_DIR ${PROJECT_BINARY_DIR}/kernels)
file(MAKE_DIRECTORY ${KERNEL_DIR})

function(kernel_compile_glsl name source workgroup defines)
    string(REPLACE "x" ";" size "${workgroup}")
    list(APPEND size 1 1)
    list(GET size 0 x)
    list(GET size 1 y)
    list(GET size 2 z)
    set(spv ${KERNEL_DIR}/${name}.spv)
    add_custom_command(OUTPUT ${spv}
        COMMAND ${GLSLC} -fshader-stage=compute --target-env=vulkan1.3 -O -Werror
                -I ${PROJECT_SOURCE_DIR}/src -DWORKGROUP_X=${x} -DWORKGROUP_Y=${y} -DWORKGROUP_Z=${z}
                ${defines} -MD -MF ${spv}.d -o ${spv} ${source}
        DEPENDS ${source} DEPFILE ${spv}.d
        COMMENT "glslc ${name}" VERBATIM)
endfunction()

# kernels_embed(TARGET FILE…): the library TARGET holds the kernels of these kernels.txt files and
# defines `kernels[]` (bench/bench.h).
function(kernels_embed target)
    set(manifest "")
    set(inputs "")
    foreach(list_file ${ARGN})
        get_filename_component(folder ${list_file} DIRECTORY)
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${list_file})
        file(STRINGS ${list_file} lines REGEX "^[^#]")
        foreach(line ${lines})
            separate_arguments(words UNIX_COMMAND "${line}")
            list(LENGTH words count)
            if(count LESS 4)
                message(FATAL_ERROR "${list_file}: expected NAME SOURCE WORKGROUP ARGS [-D…]: ${line}")
            endif()
            list(POP_FRONT words name stem workgroup args)
            file(RELATIVE_PATH shown ${PROJECT_SOURCE_DIR}/src ${folder}/${stem})
            string(JOIN " " defines_text ${words})
            string(APPEND manifest "kernel\t${name}\t${shown}\t${workgroup}\t${args}\t${defines_text}\n")
            if(EXISTS ${folder}/${stem}.comp)
                kernel_compile_glsl(${name} ${folder}/${stem}.comp ${workgroup} "${words}")
                string(APPEND manifest "spirv\t${KERNEL_DIR}/${name}.spv\n")
                list(APPEND inputs ${KERNEL_DIR}/${name}.spv)
            endif()
        endforeach()
    endforeach()
    set(manifest_file ${KERNEL_DIR}/${target}.manifest)
    file(CONFIGURE OUTPUT ${manifest_file} CONTENT "${manifest}" @ONLY)
    add_custom_command(
        OUTPUT ${KERNEL_DIR}/${target}.c ${KERNEL_DIR}/${target}.S
        COMMAND embed_kernels ${manifest_file} ${KERNEL_DIR}/${target}.c ${KERNEL_DIR}/${target}.S
        DEPENDS embed_kernels ${manifest_file} ${inputs}
        COMMENT "Embedding ${target}" VERBATIM)
    set_property(SOURCE ${KERNEL_DIR}/${target}.S PROPERTY OBJECT_DEPENDS "${inputs}")
    add_library(${target} STATIC ${KERNEL_DIR}/${target}.c ${KERNEL_DIR}/${target}.S)
    target_link_libraries(${target} PRIVATE fathom_flags)
endfunction()

file(GLOB KERNEL_LISTS CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*/kernels.txt
     ${PROJECT_SOURCE_DIR}/src/*/*/kernels.txt)
kernels_embed(fathom_kernels ${KERNEL_LISTS})
