#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# 4,200 random schedules; prints how often each field was drawn and each word was
# there, and what failed.
here=$(dirname "$0")
status=0
for job in "f16 1900" "u8s8 1500" "s8u8 100" "f32 700"; do
    read -r types count <<<"$job"
    "$here/random_schedules.py" "$1" --types "$types" --count "$count" |
        grep -v '^ok .*XK_SCHEDULE'
    [ "${PIPESTATUS[0]}" = 0 ] || status=1
done
exit $status
