#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# fuzz.sh [SECONDS | runs=N] [SEED]: builds the libFuzzer targets with clang,
# ASan and UBSan, and runs each for SECONDS (60) or N inputs, from seeds made
# here. A finding is left in build-fuzz/ and makes this fail.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

limit=${1:-60}
seed=${2:-1}
dir=build-fuzz
targets=(fuzz_decode fuzz_asm fuzz_container fuzz_ze_info fuzz_commands
    fuzz_aub fuzz_tbx fuzz_run fuzz_launch fuzz_launches fuzz_formula
    fuzz_problem)
case $limit in
runs=*) limit=-runs=${limit#runs=} ;;
*) limit=-max_total_time=$limit ;;
esac

if ! command -v clang >/dev/null; then
    echo "fuzz: clang is not installed" >&2
    exit 77
fi
export CC=clang CFLAGS=-fsanitize=fuzzer-no-link
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
scripts/build.sh $dir "${targets[@]/#/tests/fuzz/}" -Dfuzz=true \
    --buildtype=debugoptimized -Db_sanitize=address,undefined \
    -Db_lundef=false >"/tmp/xk-fuzz-build.$$" 2>&1 || {
    tail -40 "/tmp/xk-fuzz-build.$$"
    exit 1
}
rm -f "/tmp/xk-fuzz-build.$$"

# Seeds: programs as text for each platform, what a compiler writes in both
# containers, and its code. Each run starts from these alone.
seeds=$dir/seeds
rm -rf $seeds
mkdir -p "${targets[@]/#/$seeds/}"
python3 tests/fuzz/make_seeds.py $seeds

failed=0
for t in "${targets[@]}"; do
    echo "== $t seed $seed"
    (cd $dir && tests/fuzz/"$t" $limit -seed="$seed" -timeout=10 \
        -rss_limit_mb=4096 -max_len=20000 -print_final_stats=1 \
        -artifact_prefix="$t-" "seeds/$t" >"$t.log" 2>&1)
    code=$?
    if [ $code -eq 0 ]; then
        runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$dir/$t.log")
        echo "ok - $t: $runs inputs, nothing found"
    else
        tail -30 "$dir/$t.log"
        echo "not ok - $t: exit $code, see $dir/$t.log"
        failed=1
    fi
done
echo "1..${#targets[@]}"
exit $failed
