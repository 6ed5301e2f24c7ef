#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# make bench: ResNet-50's convolutions on the embedded device, as a table.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/setup.sh
scripts/build.sh build tools/xkbench --buildtype=release
template='%name%|%Gops%|%-qtime%|%-ctime%|%0ctime%|%peak%|%code%|%threads%|%groups%|%sipf%|%xipf%|%time%'
start=$(date +%s.%N)
rows=$(build/tools/xkbench --mode=P --dir=FWD_D --dt=f32 --mb=1 \
    "--perf-template=$template" --batch=shapes/resnet_50.txt)
seconds=$(echo "$(date +%s.%N) $start" | awk '{print $1 - $2}')
python3 scripts/table.py "$seconds" <<<"$rows"
