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
# ninja says nothing while a command runs, and this one takes long.
if grep -q -- '-flto=auto' "$dir/build.ninja" &&
    ninja -C "$dir" -n "${targets[@]}" | grep 'Linking target libxekern.so' >/dev/null; then
    echo "build: a release build optimises the library as a whole when it links" \
        "libxekern.so: 25 to 90 seconds on two cores in which nothing is printed"
fi
ninja -C "$dir" "${targets[@]}"
