#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Every test, in stages: tools/check.sh [STAGE…]. A stage is a configuration of CMakePresets.json,
# built in build-STAGE/, and the tests that tell something there; `kit` packs what tools/kit.sh packs,
# which checks itself, and starts its programs. All stages run even where one fails; the last lines say
# which did, and the exit status is 1 then.
# FATHOM_LONG: the tests with the label long too, a million runs of each fuzz target, and every test of
# the kit.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1

# Without FATHOM_LONG: what is left out of the tests.
long="|long" short="-LE long"
[ -z "${FATHOM_LONG-}" ] || long='' short=''

# Left out with ThreadSanitizer: unit tests that compute in one thread, commands that only read run
# files in one thread, and those that take minutes on software drivers, whose threads are not ours.
one_thread="card|compare|golden|report|share|show|usage" software="counters|lavapipe|map|together"

# Stage → which tests: ctest's options, by label (a test's folder, or what it adds to it).
declare -A tests=(
    [gcc]="-LE fuzz$long"
    [clang]="-L unit|conformance"
    [asan]="-L unit|suite|serve|cli|sensors|doubles|project $short"
    [tsan]="-L processes|suite|serve|cli|sensors|doubles $short -E cli_($software|$one_thread)|drivers_broken"
    [fuzz]="-L fuzz"
)
# Tests that load a driver, whose leaks (Mesa's, PoCL's) are not ours to find.
declare -A driver_tests=([asan]="-L conformance|vulkan|opencl|measure|kernels|bandwidth|latency")
# What is built for them, where that is not everything. ninja calls the targets of a folder FOLDER/all.
# The test lint_tidy reports clang's warnings of every file.
declare -A targets=(
    [clang]="fathom unit_tests conformance fathom-docs docs_device"
    [asan]="fathom unit_tests finish_ptx inline_source compile_glsl tests/suite/all tests/serve/all
        tests/cli/all tests/sensors/all tests/doubles/all tests/project/all tests/fleet/all tests/conformance/all
        tests/vulkan/all tests/opencl/all tests/measure/all tests/kernels/all tests/bandwidth/all
        tests/latency/all"
    [tsan]="fathom test_child test_crash test_save tests/suite/all tests/serve/all tests/cli/all
        tests/sensors/all tests/doubles/all tests/fleet/all vulkan_counters"
    [fuzz]="fuzz_targets"
)
stages=("$@")
[ ${#stages[@]} -gt 0 ] || stages=(gcc clang asan tsan fuzz kit)

export FATHOM_FUZZ_LIMIT=max_total_time=10
[ -z "${FATHOM_LONG-}" ] || FATHOM_FUZZ_LIMIT=runs=1000000
# Undefined behaviour is a trap (CMakeLists.txt): no handler of cmocka's or of ours hides where it is.
export ASAN_OPTIONS=handle_sigill=2
export CTEST_OUTPUT_ON_FAILURE=1
# One test more than there are cores: many of their tests wait, for a signal, a silence or a browser.
jobs=$(nproc)
declare -A more_jobs=([gcc]=1 [asan]=1 [tsan]=1)
summary=()
failed=0

# check_stage NAME: configures, builds, tests; the log is build-NAME/check.log.
check_stage() {
    local name=$1 log=build-$1/check.log
    mkdir -p "build-$name"
    : >"$log"
    if [ "$name" != gcc ]; then # the others take its kernels
        { cmake --preset gcc && cmake --build build-gcc --target kernels; } >>"$log" 2>&1 || return 1
    fi
    if [ "$name" = kit ]; then
        check_kit >>"$log" 2>&1
        return
    fi
    cmake --preset "$name" >>"$log" 2>&1 || return 1
    # shellcheck disable=SC2086 # words on purpose
    cmake --build "build-$name" --target ${targets[$name]:-all} >>"$log" 2>&1 || return 1
    built=$SECONDS
    local status=0
    run_tests "$name" "${tests[$name]}" || status=1
    if [ -n "${driver_tests[$name]-}" ]; then
        LSAN_OPTIONS=detect_leaks=0 run_tests "$name" "${driver_tests[$name]}" || status=1
    fi
    return $status
}

# run_tests NAME OPTIONS: prints ctest's closing lines.
run_tests() {
    # shellcheck disable=SC2086
    ctest --test-dir "build-$1" -j $((jobs + ${more_jobs[$1]:-0})) --no-tests=error $2 2>&1 |
        tee -a "build-$1/check.log" | sed -n '/% tests passed/,$p'
    [ "${PIPESTATUS[0]}" = 0 ]
}

check_kit() {
    cmake --build build-gcc --target fathom_core || return 1
    FATHOM_KERNELS_FROM=$PWD/build-gcc/kernels FATHOM_WEB_FROM=$PWD/build-gcc/web \
        FATHOM_CORE_FROM=$PWD/build-gcc/CMakeFiles/fathom_core.dir tools/kit.sh || return 1
    built=$SECONDS
    local run
    for run in build-kit/fathom-tests-*/run; do
        if [ -n "${FATHOM_LONG-}" ]; then
            "$run" || return 1
            continue
        fi
        start_all "${run%/*}" || return 1
        # The tests ran before, with gcc: here two programs that load the driver, one of them with
        # every benchmark.
        "$run" "conformance vulkan" || return 1
        "$run" "latency_cases vulkan" || return 1
    done
}

# start_all FOLDER: each test program in it finds its libraries and gets to main, where it says with 77
# that it has no API of that name.
start_all() {
    local program
    while read -r program; do
        (cd "$1" && "$program" nothing </dev/null)
        [ $? = 77 ] || { echo "kit: $program does not start" >&2; return 1; }
    done < <(cut -d ' ' -f 1 "$1/TESTS" | sort -u)
}

# What failed, from the log: compiler errors, or the output of the failed tests.
show_failure() {
    echo "---- build-$1/check.log"
    grep -nE -A 20 ': (fatal )?error:|^CMake Error|^(FAIL|ERROR): |^not ok' "build-$1/check.log" |
        head -n 120
    grep -nE '\*\*\*(Failed|Timeout|Exception|Not Run)' "build-$1/check.log" | head -n 40
    tail -n 60 "build-$1/check.log"
    echo "----"
}

for name in "${stages[@]}"; do
    echo "== $name"
    started=$SECONDS built=$SECONDS
    if check_stage "$name"; then
        verdict=passed
    else
        verdict=FAILED failed=1
        show_failure "$name"
    fi
    summary+=("$(printf '%-6s %s (build %d s, tests %d s)' "$name" "$verdict" \
        $((built - started)) $((SECONDS - built)))")
done

# No test may leave a process behind: look for programs out of this tree that still run.
leftovers=
for exe in /proc/[0-9]*/exe; do
    case $(readlink "$exe" 2>/dev/null) in
    "$PWD"/build*) leftovers="$leftovers ${exe//[^0-9]/}" ;;
    esac
done
if [ -n "$leftovers" ]; then
    summary+=("left running:$leftovers")
    failed=1
fi

echo "== make check, $SECONDS s"
printf '%s\n' "${summary[@]}"
exit $failed
