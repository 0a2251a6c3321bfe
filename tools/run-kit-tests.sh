#!/bin/sh
# SPDX-License-Identifier: MIT
# run [API]: runs the tests of this kit on this machine, all or those through one API. Prints a line
# for each test, then how many passed, failed or were skipped because the machine lacks what they
# need. Exit: 0 none failed, 1 otherwise.
cd "$(dirname "$0")" || exit 1
export XDG_STATE_HOME=/dev/null # runs are not kept among the user's
passed=0 skipped=0 failed=0
while read -r line; do
    case $line in
    ?*"${1-}"*) ;;
    *) continue ;;
    esac
    # shellcheck disable=SC2086 # a program and its arguments
    timeout 600 $line >"$(basename "$line" | tr ' ' -).log" 2>&1 </dev/null
    case $? in
    0) passed=$((passed + 1)) word=passed ;;
    77) skipped=$((skipped + 1)) word=skipped ;;
    *) failed=$((failed + 1)) word=FAILED ;;
    esac
    echo "$word $line"
done <TESTS
echo "$passed passed, $skipped skipped, $failed failed (what each said: *.log)"
[ "$failed" = 0 ]
