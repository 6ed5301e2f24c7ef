#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# same_bytes.sh XK OTHER_XK LIST...: both generators give the same zebin for each
# problem of the lists, and the first one gives it twice. TAP.
set -uo pipefail

xk=$1 other=$2
shift 2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
n=0
while read -r problem; do
    n=$((n + 1))
    if "$xk" gen --dir=FWD_D --mb=1 -o "$dir/a" "$problem" &&
        "$xk" gen --dir=FWD_D --mb=1 -o "$dir/b" "$problem" &&
        "$other" gen --dir=FWD_D --mb=1 -o "$dir/c" "$problem" &&
        cmp "$dir/a" "$dir/b" && cmp "$dir/a" "$dir/c"; then
        echo "ok $n - same bytes: $problem"
    else
        echo "not ok $n - same bytes: $problem"
    fi
done < <(cat "$@" | grep -v '^#' | grep .)
echo "1..$n"
