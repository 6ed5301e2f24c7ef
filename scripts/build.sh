#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# build.sh DIR [MESON OPTION | TARGET]...: configures DIR if it is not, then
# builds the targets, or everything.
set -euo pipefail
cd "$(dirname "$0")/.."

dir=$1
shift
options=()
targets=()
for word in "$@"; do
    case $word in
    -*) options+=("$word") ;;
    *) targets+=("$word") ;;
    esac
done
if [ ! -f "$dir/build.ninja" ]; then
    meson setup "$dir" --wrap-mode=nodownload "${options[@]}"
fi
ninja -C "$dir" "${targets[@]}"
