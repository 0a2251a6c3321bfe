# SPDX-License-Identifier: MIT
# Fails if reference/cards.json or reference/checks.json is not what the runs in reference/ give.
foreach(file cards checks)
    set(words ${file})
    list(REMOVE_ITEM words cards)
    execute_process(COMMAND ${PROGRAM} ${FOLDER} ${words} OUTPUT_FILE ${MADE}/${file}.json
                    COMMAND_ERROR_IS_FATAL ANY)
    execute_process(COMMAND ${CMAKE_COMMAND} -E compare_files ${MADE}/${file}.json
                            ${FOLDER}/${file}.json
                    RESULT_VARIABLE differs)
    if(differs)
        message(FATAL_ERROR "reference/${file}.json is out of date: "
                            "cp ${MADE}/${file}.json ${FOLDER}/${file}.json")
    endif()
endforeach()
