#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# make bench: ResNet-50's convolutions on the embedded device, as a table whose
# rows appear as they are measured. Builds xkbench and xk, not the tests.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/setup.sh build
scripts/build.sh build tools/xkbench tools/xk --buildtype=release
template='%name%|%Gops%|%-qtime%|%-ctime%|%0ctime%|%peak%|%code%|%threads%|%groups%|%sipf%|%xipf%|%ptime%|%eff%|%time%'
build/tools/xkbench --mode=P --dir=FWD_D --dt=f32 --mb=1 \
    "--perf-template=$template" --batch=shapes/resnet_50.txt |
    python3 scripts/table.py
