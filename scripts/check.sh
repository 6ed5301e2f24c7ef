#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# check.sh [full | sanitized]. Without a word, make check: gcc release, all tests
# but those of suite long and of tests/full.txt; fails above a budget of CPU
# seconds. These are seconds of a machine whose scripts/yardstick.py says 1.00:
# the same tests took 383 s on one machine and 758 s on another.
# "full", make check-full: all tests, a clang build, whose kernels must have the
# same bytes, and the tests of make check under the sanitizers. Goes on after a
# failure; the last line sums up. XK_CHECK_UNTIL=SECONDS, as `date +%s` counts
# them: a part that would end later is named and not run.
# "sanitized", make check-sanitized: all tests under gcc's sanitizers, and the unit
# tests under clang's UBSan.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

scripts/setup.sh || exit 1
budget_s=600
logs=build/check
results=()

# Sets cpu_s: CPU seconds of the processes that this shell has waited for (a
# subshell would count its own only).
take_cpu() {
    times >"$logs/times"
    cpu_s=$(awk 'NR == 2 { for (i = 1; i <= 2; i++) { split($i, t, /[ms]/)
        s += t[1] * 60 + t[2] } printf "%d\n", s }' "$logs/times")
}

# Tests one build directory: the arguments say which tests.
run_tests() {
    local dir=$1
    shift
    meson test -C "$dir" --no-rebuild --print-errorlogs \
        --timeout-multiplier 3 "$@"
    results+=("$dir/meson-logs/testlog.json")
}

# Builds a directory, which it configures first; a failure is a result, too.
build() {
    echo "== $1"
    scripts/build.sh "$@" || {
        results+=("broken:$1")
        return 1
    }
}

# Compiled kernels with flipped bits on the simulator under the sanitizers: what
# reads beyond a table there. The release build has compiled the corpus.
run_flips() {
    local dir=build-asan
    if [ -d build/tests/corpus/cache ] && [ -f $dir/build.ninja ]; then
        mkdir -p $dir/tests/corpus
        cp -r build/tests/corpus/cache $dir/tests/corpus/
        meson test -C $dir --no-rebuild --print-errorlogs \
            --timeout-multiplier 3 --logbase flips flip_bits
        results+=("$dir/meson-logs/flips.json")
    fi
}

# Intel's driver does not run under ASan, so the device does alone.
run_device() {
    if [ -x build-asan/tools/xk ] && [ -x build/tools/xkbench ]; then
        run_tap sanitized-device tests/vgpu/sanitized_device.py \
            build-asan/tools/xk build
    fi
}

# A program that speaks TAP, kept for the sum.
run_tap() {
    local name=$1
    shift
    echo "== $name"
    "$@" | tee "$logs/$name.tap"
    results+=("$logs/$name.tap")
}

# Sets names: those of make check's tests that a build directory has.
read_sample_names() {
    names=$(python3 tests/suites.py tests/full.txt tests/long.txt "$1" --names) || exit 1
    readarray -t names <<<"$names"
}

# The tests of make check, or "all", under the sanitizers. Intel's driver does
# not run under ASan, and of the tests of compiled kernels only run_flips has
# time for it. -O1 and lines without variables take half the time to compile,
# and run within a tenth of -O2; gcc's format-truncation has false alarms there.
run_sanitized() {
    local names=()
    build build-asan --buildtype=debugoptimized -Doptimization=1 \
        -Dc_args='-g1 -Wno-format-truncation' \
        -Db_sanitize=address,undefined -Db_lundef=false || return
    if [ "$1" != all ]; then read_sample_names build-asan; fi
    run_tests build-asan --no-suite long --no-suite driver \
        --no-suite corpus "${names[@]}"
    run_flips
    run_device
}

# clang's kernels of the lists and of random problems beside gcc's.
run_clang() {
    if CC=clang scripts/build.sh build-clang tools/xk --buildtype=release; then
        python3 tests/random/random_problems.py --list --count=60 \
            >"$logs/random.txt"
        run_tap same-bytes tests/tools/same_bytes.sh build/tools/xk \
            build-clang/tools/xk "$logs/random.txt" \
            shapes/{resnet_50,inception_v3,vgg_16,unet,perf_basic}.txt
    else
        results+=("broken:build-clang")
    fi
}

# clang's UBSan finds what gcc's does not, such as NULL + 0.
run_clang_ubsan() {
    CC=clang build build-ubsan --buildtype=debugoptimized -Doptimization=1 \
        -Dc_args=-g1 -Db_sanitize=undefined -Db_lundef=false || return
    run_tests build-ubsan --suite unit
}

# Is there time for a part of that many seconds? If not, says what is not run.
has_time() {
    local seconds=$1 part=$2
    if [ $(($(date +%s) + seconds)) -gt "${XK_CHECK_UNTIL:-9999999999}" ]; then
        echo "check: NOT RUN: $part would take about $seconds s, and" \
            "XK_CHECK_UNTIL leaves $((XK_CHECK_UNTIL - $(date +%s))) s"
        return 1
    fi
}

# The sanitizers' part takes up to half as long again as the release build's.
check_all() {
    local began release_s
    began=$(date +%s)
    # Hours of simulation have a target of their own, make check-long.
    if build build --buildtype=release; then run_tests build --no-suite long; fi
    release_s=$(($(date +%s) - began))
    mkdir -p "$logs"
    if has_time $((release_s / 4)) "clang's bytes"; then run_clang; fi
    if has_time $((release_s * 3 / 2)) "the build with sanitizers"; then
        run_sanitized sample
    fi
    python3 scripts/tally.py "${results[@]}"
}

check_sanitized() {
    scripts/build.sh build --buildtype=release || exit 1
    mkdir -p "$logs"
    python3 tests/corpus/compile.py tests/opencl build/tests/corpus/cache
    run_sanitized all
    run_clang_ubsan
    python3 scripts/tally.py "${results[@]}"
}

# The build, and the corpus that ocloc compiles once, do not count.
check_sample() {
    local names=() status before used slow spent
    scripts/build.sh build --buildtype=release || exit 1
    mkdir -p "$logs"
    python3 tests/corpus/compile.py tests/opencl build/tests/corpus/cache
    read_sample_names build
    slow=$(python3 scripts/yardstick.py) || exit 1
    take_cpu
    before=$cpu_s
    run_tests build "${names[@]}"
    take_cpu
    spent=$((cpu_s - before))
    python3 scripts/tally.py "${results[@]}"
    status=$?
    slow="$slow $(python3 scripts/yardstick.py)" || exit 1
    used=$(awk -v t=$spent -v y="$slow" \
        'BEGIN { split(y, a, " "); printf "%d\n", 2 * t / (a[1] + a[2]) }')
    echo "check: $spent s of CPU where the yardstick says ${slow/ / and }:" \
        "$used s of the budget's $budget_s s"
    if [ "$used" -gt "$budget_s" ]; then
        echo "check: over the budget: tests/full.txt says what can go to" \
            "make check-full"
        status=1
    fi
    return $status
}

case ${1:-} in
"") check_sample ;;
full) check_all ;;
sanitized) check_sanitized ;;
*)
    echo "check.sh: \"$1\" is not full or sanitized" >&2
    exit 2
    ;;
esac
