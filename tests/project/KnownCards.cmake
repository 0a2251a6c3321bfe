# SPDX-License-Identifier: MIT
# Fails if reference/cards.json is not what the runs in reference/ give.
execute_process(COMMAND ${PROGRAM} ${FOLDER} OUTPUT_FILE ${MADE} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} -E compare_files ${MADE} ${FOLDER}/cards.json
                RESULT_VARIABLE differs)
if(differs)
    message(FATAL_ERROR "reference/cards.json is out of date: cp ${MADE} ${FOLDER}/cards.json")
endif()
