#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# 4,200 random schedules, of which 400 and more have spread rows, 400 and more have
# A's footprint in SLM, 400 and more skip filter taps in padding and 400 and more have
# taps that share registers, and 400 and more have them packed; prints how many of each
# kind, and what failed.
here=$(dirname "$0")
status=0
for job in "f16 900" "u8s8 800" "s8u8 100" "f32 400" "f16 200 --footprint" \
    "u8s8 200 --footprint" "f16 200 --spread" "u8s8 200 --spread" \
    "f16 200 --skip" "u8s8 200 --skip" "f16 200 --window" "u8s8 200 --window" \
    "f16 200 --pack" "u8s8 200 --pack"; do
    read -r types count only <<<"$job"
    "$here/random_schedules.py" "$1" --types "$types" --count "$count" $only |
        grep -v '^ok .*XK_SCHEDULE'
    [ "${PIPESTATUS[0]}" = 0 ] || status=1
done
exit $status
