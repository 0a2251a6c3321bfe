#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs every test, in stages: tools/check.sh [STAGE…]. A stage is a configuration of CMakePresets.json,
# built in build-STAGE/, and the tests that are useful there. The stage `kit` runs tools/kit.sh, which
# checks what it packs, and starts the packed programs. If a stage fails, the others still run; the
# last lines name it, and the exit status is 1.
# FATHOM_LONG: also the tests with the label long, a million runs of each fuzz target, and every test
# of the kit.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1

# What is left out unless FATHOM_LONG is set.
long="|long" short="-LE long"
[ -z "${FATHOM_LONG-}" ] || long='' short=''

# ThreadSanitizer leaves out unit tests and commands that use only one thread, and those that take
# minutes on software drivers, whose threads are not ours.
one_thread="card|compare|golden|report|share|show|usage" software="counters|lavapipe|map|together"
# Of cli_fleet, only ranks of `check` have threads, and cli_slurm has these, too.
[ -n "${FATHOM_LONG-}" ] || one_thread+="|fleet"

# Stage → its tests, as options of ctest. A label is a test's folder, or one that the test adds.
declare -A tests=(
    [gcc]="-LE fuzz$long"
    [clang]="-L unit|conformance"
    [asan]="-L unit|suite|serve|cli|sensors|doubles|project $short"
    [tsan]="-L processes|suite|serve|cli|sensors|doubles $short -E cli_($software|$one_thread)|drivers_broken"
    [fuzz]="-L fuzz"
)
# Tests that load a driver: leaks of Mesa and PoCL are not ours, so leaks are not looked for.
declare -A driver_tests=([asan]="-L conformance|vulkan|opencl|measure|kernels|bandwidth|latency")
# Stage → what is built; otherwise everything. ninja calls the targets of a folder FOLDER/all. clang
# builds only some files: the test lint_tidy reports its warnings of every file.
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

export FATHOM_FUZZ_LIMIT=max_total_time=5
[ -z "${FATHOM_LONG-}" ] || FATHOM_FUZZ_LIMIT=runs=1000000
# Undefined behaviour is a trap (CMakeLists.txt). Handlers of cmocka or fathom may not hide its place.
export ASAN_OPTIONS=handle_sigill=2
export CTEST_OUTPUT_ON_FAILURE=1
# One test more than cores: many tests of these stages wait for a signal, a timeout or a browser.
jobs=$(nproc)
declare -A more_jobs=([gcc]=1 [asan]=1 [tsan]=1)
summary=()
failed=0

# check_stage NAME: configures, builds, tests; the log is build-NAME/check.log.
check_stage() {
    local name=$1 log=build-$1/check.log
    mkdir -p "build-$name"
    : >"$log"
    if [ "$name" != gcc ]; then # the other stages use what gcc compiled
        { cmake --preset gcc && cmake --build build-gcc --target kernels fathom_core; } >>"$log" 2>&1 ||
            return 1
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
        # The stage gcc ran these tests. Two programs that load the driver are enough here; one has
        # every benchmark.
        "$run" "conformance vulkan" || return 1
        "$run" "latency_cases vulkan" || return 1
    done
}

# start_all FOLDER: fails unless each test program there finds its libraries and reaches main, where it
# exits with 77: it knows no API of the name `nothing`.
start_all() {
    local program
    while read -r program; do
        (cd "$1" && "$program" nothing </dev/null)
        [ $? = 77 ] || { echo "kit: $program does not start" >&2; return 1; }
    done < <(cut -d ' ' -f 1 "$1/TESTS" | sort -u)
}

# show_failure NAME: prints what failed, from the log: compiler errors, or the output of failed tests.
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

# No test may leave a process behind: looks for running programs of this tree.
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
