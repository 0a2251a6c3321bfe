# SPDX-License-Identifier: MIT
# Compiles every kernel that a kernels.txt lists and embeds all forms in one library.
#
# A line of src/FOLDER/kernels.txt:   NAME  SOURCE  WORKGROUP  ARGS  [-D…] [WORD…]
#   NAME       unique; kernel_find(NAME)
#   SOURCE     stem of SOURCE.comp (GLSL) and, if it exists, SOURCE.cl (OpenCL C)
#   WORKGROUP  threads: 256 or 16x16x1; compiled in as WORKGROUP_X, _Y, _Z. For kernels in GLSL alone
#              also a stage: vertex, fragment (for draws, SOURCE.vert, .frag), raygen, miss,
#              closest_hit, any_hit, intersection (for rays, SOURCE.rgen, .rmiss, .rchit, .rahit,
#              .rint)
#   ARGS       comma-separated gpu_arg_kind names in lower case, or - for none
#   -D…        definitions of this variant, for both languages. -DBOUNDED tells CUDA's compiler the
#              number of threads, if it would otherwise use more registers than these can have
#   !cl !glsl  not in this language, which cannot express the variant
#   !opencl    not for drivers of OpenCL 1.2, whose C lacks what PTX has
#   !amd       no AMD code, because the variant is only a longer form of another one
#   !optimised GLSL without spirv-opt, which takes minutes for very long code
#   +host      also the form that a model GPU runs
#   +stream    also the form that tells a model GPU what a dispatch reads and writes
#              (bench/prelude/stream.clh), for kernels that are too much to run
#   ptx=8.0,sm_90a  the PTX and the chip that inline instructions need, newer than clang's; devices
#              that are no such chip refuse the kernel
# Blank lines and lines that begin with # are skipped.
#
# Forms: SPIR-V from .comp, .vert and .frag by glslc; PTX from .cl by clang; for OpenCL drivers the .cl
# with its includes put in place; for models the host's code from .cl by clang; and, if tests are built,
# AMD code for tests that count its instructions.

find_program(GLSLC glslc REQUIRED)
find_program(FATHOM_CLANG NAMES clang clang-14 clang-15 clang-16 clang-17 clang-18 clang-19
             DOC "clang with the NVPTX and AMDGPU targets, for kernels in OpenCL C")
if(NOT FATHOM_CLANG)
    message(FATAL_ERROR "clang not found: it compiles the OpenCL C kernels to PTX. Install clang "
                        "(Debian: apt-get install clang) or name one with -DFATHOM_CLANG=PATH")
endif()

foreach(tool embed_kernels inline_source finish_ptx compile_glsl)
    add_executable(${tool} ${PROJECT_SOURCE_DIR}/tools/${tool}.c)
    target_link_libraries(${tool} PRIVATE fathom_flags)
endforeach()

set(FATHOM_KERNELS_FROM "" CACHE PATH
    "kernels/ of another build of this tree, to take instead of compiling the same again (CI)")
add_custom_target(kernels) # all kernels, for builds that set FATHOM_KERNELS_FROM to this one
set(KERNEL_DIR ${PROJECT_BINARY_DIR}/kernels)
# AMD code, if tests are built: all kernels for KERNEL_AMD_CHIP, as proof that they compile; those whose
# names begin as in KERNEL_AMD_COUNTED also for the other chips, because tests/isa counts their
# instructions. For KERNEL_AMD_CHIP the build compiles one variant of each source, because what AMD code
# has of its own is in the prelude; the target kernels_amd (in check-long) compiles the others.
set(KERNEL_AMD_CHIP gfx90a)
set(KERNEL_AMD_CHIPS_COUNTED gfx900 gfx1030)
set(KERNEL_AMD_COUNTED latency_ bandwidth_ strides_ stream_once_ stream_stay_)
add_custom_target(kernels_amd)
set(KERNEL_STAGES vertex fragment raygen miss closest_hit any_hit intersection)
set(KERNEL_STAGE_SUFFIXES vert frag rgen rmiss rchit rahit rint)
set(KERNEL_PTX_VERSION 6.3) # drivers since 2018 take this version; sm_70 is the oldest chip that it serves
set(KERNEL_PTX_TARGET sm_70)
file(MAKE_DIRECTORY ${KERNEL_DIR}/host)

# Sets `kernel_defines` in the caller's scope: the workgroup size, for both languages.
function(kernel_workgroup_defines workgroup)
    string(REPLACE "x" ";" size "${workgroup}")
    list(APPEND size 1 1)
    list(GET size 0 x)
    list(GET size 1 y)
    list(GET size 2 z)
    set(kernel_defines -DWORKGROUP_X=${x} -DWORKGROUP_Y=${y} -DWORKGROUP_Z=${z} PARENT_SCOPE)
endfunction()

# Variants are compiled in batches of KERNEL_BATCH_CL or KERNEL_BATCH_GLSL, because each command starts a
# shell and a CMake besides the compiler. kernel_add(TARGET BATCH OUTPUT) adds an output to the batches of
# this name; a property `making OUTPUT` says how it is made.
set(KERNEL_BATCH_CL 8)
set(KERNEL_BATCH_GLSL 16)
function(kernel_add target batch output)
    get_property(batches GLOBAL PROPERTY ${target}_batches)
    if(NOT batch IN_LIST batches)
        set_property(GLOBAL APPEND PROPERTY ${target}_batches ${batch})
    endif()
    set_property(GLOBAL APPEND PROPERTY "${target} ${batch}" ${output})
endfunction()

# Sources share batches: in a batch a variant costs glslc a quarter of the work that it costs alone.
function(kernel_compile_glsl target name source defines optimise)
    set(spv ${KERNEL_DIR}/${name}.spv)
    string(JOIN "\t" line ${source} ${name} ${defines})
    set_property(GLOBAL PROPERTY "making ${spv}" "${line}")
    set_property(GLOBAL PROPERTY "source ${spv}" "${source}")
    kernel_add(${target} "glslc ${optimise}" ${spv})
endfunction()

set(KERNEL_CL_FLAGS -x cl -cl-std=CL2.0 -O3 -Wall -Wextra -Werror -I ${PROJECT_SOURCE_DIR}/src)

# kernel_compile_cl(TARGET KIND SOURCE OUTPUT OBJECT OPTION…): clang writes OBJECT. If OBJECT is not OUTPUT,
# the command `finish`, from the caller's scope, makes OUTPUT from it.
function(kernel_compile_cl target kind source output object)
    set(making COMMAND ${FATHOM_CLANG} ${KERNEL_CL_FLAGS} ${ARGN} -MD -MF ${output}.d -MT ${output}
               -o ${object} ${source})
    if(NOT object STREQUAL output)
        list(APPEND making COMMAND ${finish})
    endif()
    set_property(GLOBAL PROPERTY "making ${output}" "${making}")
    set_property(GLOBAL PROPERTY "source ${output}" "${source}")
    kernel_add(${target} "${kind} ${source}" ${output})
endfunction()

function(kernel_compile_ptx target name source defines written_for)
    set(ptx ${KERNEL_DIR}/${name}.ptx)
    string(REPLACE "." "" feature ${KERNEL_PTX_VERSION})
    set(threads 0)
    if("-DBOUNDED" IN_LIST defines)
        string(REGEX MATCHALL "-DWORKGROUP_.=[0-9]+" threads "${defines}")
        string(REGEX REPLACE "-DWORKGROUP_.=" "" threads "${threads}")
        string(REPLACE ";" "*" threads "${threads}")
        math(EXPR threads "${threads}")
    endif()
    set(finish finish_ptx ${ptx}.raw ${ptx} ${KERNEL_PTX_VERSION} ${KERNEL_PTX_TARGET} ${threads}
               ${written_for})
    kernel_compile_cl(${target} PTX ${source} ${ptx} ${ptx}.raw --target=nvptx64-nvidia-cuda
                      -Xclang -target-cpu -Xclang ${KERNEL_PTX_TARGET}
                      -Xclang -target-feature -Xclang +ptx${feature} -S
                      -DKERNEL_TARGET_PTX -DKERNEL_NAME=${name} ${defines})
endfunction()

function(kernel_compile_host target name source form defines)
    set(object ${KERNEL_DIR}/host/${name}.o)
    if(form STREQUAL "stream")
        list(APPEND defines -DKERNEL_STREAM=1)
    endif()
    kernel_compile_cl(${target} host ${source} ${object} ${object} -O2 -fPIC -c
                      --target=${CMAKE_SYSTEM_PROCESSOR}-linux-gnu
                      -DKERNEL_TARGET_HOST -DKERNEL_NAME=host_${name} ${defines})
    set_property(GLOBAL APPEND PROPERTY ${target}_host_objects ${object})
endfunction()

# -O2, because clang 14 at -O3 loses that a load bypasses the core's cache.
function(kernel_compile_amd target name source defines)
    string(JOIN "|" counted ${KERNEL_AMD_COUNTED})
    set(chips ${KERNEL_AMD_CHIP})
    if(name MATCHES "^(${counted})")
        list(APPEND chips ${KERNEL_AMD_CHIPS_COUNTED})
    endif()
    get_property(more GLOBAL PROPERTY "compiled for AMD ${source}")
    set_property(GLOBAL PROPERTY "compiled for AMD ${source}" more-)
    foreach(chip ${chips})
        set(object ${KERNEL_DIR}/amd/${name}.${chip}.o)
        kernel_compile_cl(${target} ${more}${chip} ${source} ${object} ${object} -O2
                          --target=amdgcn-amd-amdhsa -mcpu=${chip} -nogpulib -c
                          -DKERNEL_TARGET_AMD -DKERNEL_NAME=${name} ${defines})
        set_property(GLOBAL APPEND PROPERTY ${target}_${more}amd ${object})
        set(more "")
    endforeach()
endfunction()

# kernel_batch_names(KIND OUTPUT…): sets `comment` and `depfile` in the caller's scope. A batch of other
# outputs has another depfile: ninja stops at an old one that names an output of another batch.
function(kernel_batch_names kind first)
    get_filename_component(comment ${first} NAME_WE)
    list(LENGTH ARGN more)
    if(more)
        string(APPEND comment " and ${more} more")
    endif()
    set(comment "${kind} ${comment}" PARENT_SCOPE)
    string(MD5 batch "${ARGV}")
    set(depfile ${first}.${batch}.d PARENT_SCOPE)
endfunction()

function(kernel_batch_glsl optimise first)
    set(outputs ${first} ${ARGN})
    set(lines "")
    set(sources "")
    foreach(spv ${outputs})
        get_property(line GLOBAL PROPERTY "making ${spv}")
        get_property(source GLOBAL PROPERTY "source ${spv}")
        string(APPEND lines "${line}\n")
        list(APPEND sources ${source})
    endforeach()
    list(REMOVE_DUPLICATES sources)
    set(variants ${first}.variants)
    file(CONFIGURE OUTPUT ${variants} CONTENT "${lines}" @ONLY)
    kernel_batch_names(glslc ${outputs})
    add_custom_command(OUTPUT ${outputs}
        COMMAND compile_glsl ${variants} ${KERNEL_DIR} ${depfile} ${GLSLC} --target-env=vulkan1.3
                ${optimise} -Werror -I ${PROJECT_SOURCE_DIR}/src
        DEPENDS compile_glsl ${variants} ${sources} DEPFILE ${depfile} COMMENT "${comment}" VERBATIM)
endfunction()

function(kernel_batch_cl kind first)
    set(outputs ${first} ${ARGN})
    set(commands "")
    set(read "")
    foreach(output ${outputs})
        get_property(making GLOBAL PROPERTY "making ${output}")
        list(APPEND commands ${making})
        list(APPEND read ${output}.d)
    endforeach()
    get_property(source GLOBAL PROPERTY "source ${first}")
    set(tools "")
    set(raw "")
    if(kind STREQUAL "PTX")
        set(tools finish_ptx)
        list(TRANSFORM outputs APPEND .raw OUTPUT_VARIABLE raw)
    endif()
    kernel_batch_names(${kind} ${outputs})
    add_custom_command(OUTPUT ${outputs} BYPRODUCTS ${raw} ${commands}
        COMMAND cat ${read} > ${depfile}
        DEPENDS ${source} ${tools} DEPFILE ${depfile} COMMENT "${comment}" VERBATIM)
endfunction()

# Makes a command for each batch of outputs.
function(kernel_compile_batches target)
    get_property(batches GLOBAL PROPERTY ${target}_batches)
    foreach(batch ${batches})
        string(REGEX REPLACE " .*" "" kind "${batch}")
        set(size ${KERNEL_BATCH_CL})
        if(kind STREQUAL "glslc")
            set(size ${KERNEL_BATCH_GLSL})
        endif()
        string(REGEX REPLACE "^[^ ]+ " "" optimise "${batch}")
        if(optimise STREQUAL "-O0") # this code takes so long to compile that no other may wait for it
            set(size 1)
        endif()
        get_property(outputs GLOBAL PROPERTY "${target} ${batch}")
        while(outputs)
            list(SUBLIST outputs 0 ${size} some)
            list(REMOVE_ITEM outputs ${some})
            if(kind STREQUAL "glslc")
                kernel_batch_glsl(${optimise} ${some})
            else()
                kernel_batch_cl(${kind} ${some})
            endif()
        endwhile()
    endforeach()
endfunction()

# Inlines the includes of a source, once for all its variants. Sets `opencl_file` in the caller's scope.
function(kernel_inline_opencl source)
    file(RELATIVE_PATH shown ${PROJECT_SOURCE_DIR} ${source})
    string(REPLACE "/" "_" shown ${shown})
    set(text ${KERNEL_DIR}/${shown})
    set(opencl_file ${text} PARENT_SCOPE)
    get_property(known GLOBAL PROPERTY kernel_opencl_files)
    if(text IN_LIST known)
        return()
    endif()
    set_property(GLOBAL APPEND PROPERTY kernel_opencl_files ${text})
    add_custom_command(OUTPUT ${text}
        COMMAND inline_source ${PROJECT_SOURCE_DIR}/src ${source} ${text}
                bench/prelude/ptx.clh bench/prelude/amd.clh bench/prelude/host.clh
                bench/prelude/stream.clh
        DEPENDS ${source} inline_source DEPFILE ${text}.d
        COMMENT "OpenCL C ${shown}" VERBATIM)
endfunction()

# kernels_embed(TARGET FILE…): the library TARGET holds the kernels of these kernels.txt files and
# defines `kernels[]` (bench/bench.h).
function(kernels_embed target)
    if(FATHOM_KERNELS_FROM)
        file(STRINGS ${FATHOM_KERNELS_FROM}/${target}.host host_objects)
        add_library(${target} STATIC ${FATHOM_KERNELS_FROM}/${target}.c
                    ${FATHOM_KERNELS_FROM}/${target}.S ${host_objects})
        target_link_libraries(${target} PRIVATE fathom_flags)
        return()
    endif()
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
            set(languages glsl cl opencl amd)
            foreach(language ${languages})
                if("!${language}" IN_LIST words)
                    list(REMOVE_ITEM languages ${language})
                    list(REMOVE_ITEM words "!${language}")
                endif()
            endforeach()
            set(optimise -O)
            if("!optimised" IN_LIST words)
                list(REMOVE_ITEM words "!optimised")
                set(optimise -O0)
            endif()
            set(host_form "")
            foreach(form host stream)
                if("+${form}" IN_LIST words)
                    list(REMOVE_ITEM words "+${form}")
                    set(host_form ${form})
                endif()
            endforeach()
            set(written_for "")
            foreach(word ${words})
                if(word MATCHES "^ptx=([0-9.]+),(sm_[0-9]+a?)$")
                    set(written_for ${CMAKE_MATCH_1} ${CMAKE_MATCH_2})
                    list(REMOVE_ITEM words ${word})
                endif()
            endforeach()
            string(JOIN " " defines_text ${words})
            set(glsl_file ${stem}.comp)
            list(FIND KERNEL_STAGES "${workgroup}" stage)
            if(stage GREATER_EQUAL 0)
                list(GET KERNEL_STAGE_SUFFIXES ${stage} suffix)
                set(glsl_file ${stem}.${suffix})
                set(languages glsl)
                set(kernel_defines "")
            else()
                kernel_workgroup_defines(${workgroup})
            endif()
            list(APPEND kernel_defines ${words})
            string(APPEND manifest "kernel\t${name}\t${shown}\t${workgroup}\t${args}\t${defines_text}\n")
            if(glsl IN_LIST languages AND EXISTS ${folder}/${glsl_file})
                kernel_compile_glsl(${target} ${name} ${folder}/${glsl_file} "${kernel_defines}" ${optimise})
                string(APPEND manifest "spirv\t${KERNEL_DIR}/${name}.spv\n")
                list(APPEND inputs ${KERNEL_DIR}/${name}.spv)
            endif()
            if(cl IN_LIST languages AND EXISTS ${folder}/${stem}.cl)
                kernel_compile_ptx(${target} ${name} ${folder}/${stem}.cl "${kernel_defines}" "${written_for}")
                string(APPEND manifest "ptx\t${KERNEL_DIR}/${name}.ptx\n")
                list(APPEND inputs ${KERNEL_DIR}/${name}.ptx)
                if(opencl IN_LIST languages)
                    kernel_inline_opencl(${folder}/${stem}.cl)
                    string(APPEND manifest "opencl\t${opencl_file}\n")
                    list(APPEND inputs ${opencl_file})
                endif()
                if(host_form)
                    kernel_compile_host(${target} ${name} ${folder}/${stem}.cl ${host_form}
                                        "${kernel_defines}")
                    string(APPEND manifest "${host_form}\thost_${name}\n")
                endif()
                if(FATHOM_TESTS AND amd IN_LIST languages)
                    kernel_compile_amd(${target} ${name} ${folder}/${stem}.cl "${kernel_defines}")
                endif()
            endif()
        endforeach()
    endforeach()
    kernel_compile_batches(${target})
    list(REMOVE_DUPLICATES inputs)
    get_property(amd GLOBAL PROPERTY ${target}_amd)
    get_property(more GLOBAL PROPERTY ${target}_more-amd)
    add_custom_target(${target}_amd ALL DEPENDS ${amd})
    add_custom_target(${target}_more_amd DEPENDS ${more})
    add_dependencies(kernels_amd ${target}_more_amd)
    set(manifest_file ${KERNEL_DIR}/${target}.manifest)
    file(CONFIGURE OUTPUT ${manifest_file} CONTENT "${manifest}" @ONLY)
    add_custom_command(
        OUTPUT ${KERNEL_DIR}/${target}.c ${KERNEL_DIR}/${target}.S
        COMMAND embed_kernels ${manifest_file} ${KERNEL_DIR}/${target}.c ${KERNEL_DIR}/${target}.S
        DEPENDS embed_kernels ${manifest_file} ${inputs}
        COMMENT "Embedding ${target}" VERBATIM)
    set_property(SOURCE ${KERNEL_DIR}/${target}.S PROPERTY OBJECT_DEPENDS "${inputs}")
    get_property(host_objects GLOBAL PROPERTY ${target}_host_objects)
    string(JOIN "\n" host_text ${host_objects})
    file(CONFIGURE OUTPUT ${KERNEL_DIR}/${target}.host CONTENT "${host_text}" @ONLY)
    add_library(${target} STATIC ${KERNEL_DIR}/${target}.c ${KERNEL_DIR}/${target}.S
                ${host_objects})
    target_link_libraries(${target} PRIVATE fathom_flags)
    add_dependencies(kernels ${target})
endfunction()

file(GLOB KERNEL_LISTS CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*/kernels.txt
     ${PROJECT_SOURCE_DIR}/src/*/*/kernels.txt)
kernels_embed(fathom_kernels ${KERNEL_LISTS})
