#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# same_bytes.sh XK OTHER_XK LIST...: both generators give the same zebin for each
# problem of the lists in each type, and the first one gives it twice. TAP.
set -uo pipefail

xk=$1 other=$2
shift 2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
n=0
settings=(--dt=f32 "--dt=f16 --stag=any" "--dt=f16 --stag=abx --dtag=abx"
    "--dt=u8:s8:u8 --stag=axb --dtag=axb")
while read -r problem; do
    for setting in "${settings[@]}"; do
        n=$((n + 1))
        # shellcheck disable=SC2206 # a setting is several words
        words=(gen --dir=FWD_D --mb=1 $setting)
        if "$xk" "${words[@]}" -o "$dir/a" "$problem" &&
            "$xk" "${words[@]}" -o "$dir/b" "$problem" &&
            "$other" "${words[@]}" -o "$dir/c" "$problem" &&
            cmp "$dir/a" "$dir/b" && cmp "$dir/a" "$dir/c"; then
            echo "ok $n - same bytes: $setting $problem"
        else
            echo "not ok $n - same bytes: $setting $problem"
        fi
    done
done < <(cat "$@" | grep -vE '^#|^g([2-9]|1[0-9])|^$') # no groups yet
echo "1..$n"
