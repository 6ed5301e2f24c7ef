#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# agree.sh AGREE [SEED]: 10,000 random descriptors, 6,000 extreme ones and 12,000
# formulas.
status=0
"$1" --count=10000 --seed="${2:-1}" | tee /dev/stderr | grep -q "^not ok" && status=1
"$1" --count=6000 --extreme --seed="${2:-1}" | tee /dev/stderr |
    grep -q "^not ok" && status=1
"$1" --count=12000 --formulas --seed="${2:-1}" | tee /dev/stderr |
    grep -q "^not ok" && status=1
exit $status
