#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# make check: gcc release with all tests, the sanitizers, and a clang build,
# whose kernels must have the same bytes. Goes on after a failure; the last line
# sums up.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

scripts/setup.sh || exit 1
logs=build/check
results=()

# Configures, builds and tests one build directory.
run() {
    local dir=$1
    shift
    echo "== $dir"
    if scripts/build.sh "$dir" "$@"; then
        # Minutes of simulation have a target of their own, make check-long; the
        # driver does not run under ASan.
        local -a skip=(--no-suite long)
        case $dir in *asan*) skip+=(--no-suite driver --no-suite corpus) ;; esac
        meson test -C "$dir" --no-rebuild --print-errorlogs \
            --timeout-multiplier 3 "${skip[@]}"
        results+=("$dir/meson-logs/testlog.json")
    else
        results+=("broken:$dir")
    fi
}

# A program that speaks TAP, kept for the sum.
run_tap() {
    local name=$1
    shift
    echo "== $name"
    mkdir -p "$logs"
    "$@" | tee "$logs/$name.tap"
    results+=("$logs/$name.tap")
}

run build --buildtype=release
# -O1 and lines without variables take half the time to compile, and run within
# a tenth of -O2. The warning has false alarms at -O1.
run build-asan --buildtype=debugoptimized -Doptimization=1 \
    -Dc_args='-g1 -Wno-format-truncation' \
    -Db_sanitize=address,undefined -Db_lundef=false
if CC=clang scripts/build.sh build-clang tools/xk --buildtype=release; then
    mkdir -p "$logs"
    python3 tests/random/random_problems.py --list --count=60 \
        >"$logs/random.txt"
    run_tap same-bytes tests/tools/same_bytes.sh build/tools/xk \
        build-clang/tools/xk "$logs/random.txt" \
        shapes/{resnet_50,inception_v3,vgg_16,unet,perf_basic}.txt
else
    results+=("broken:build-clang")
fi
python3 scripts/tally.py "${results[@]}"
