#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# look_again.sh ROOT: a header that comes after a folder was configured is found by
# scripts/look_again.sh, options and objects stay, and other folders are refused.
set -euo pipefail
root=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir include
cat >meson.build <<'END'
project('late', 'c')
cc = meson.get_compiler('c')
message('late ' + cc.has_header('late.h', args: '-I' +
  meson.current_source_dir() / 'include').to_string())
executable('main', 'main.c')
END
echo 'int main(void) { return 0; }' >main.c
echo "1..4"
check() { # NAME COMMAND...
    if "${@:2}" >out 2>&1; then echo "ok - $1"; else
        echo "not ok - $1"
        sed 's/^/# /' out
    fi
}
wanted() { grep -q "late $1" <<<"$log"; }

log=$(meson setup build --buildtype=release 2>&1)
check "without the header it is not found" wanted false
ninja -C build >/dev/null
touch include/late.h
log=$("$root/scripts/look_again.sh" build 2>&1)
check "then it is" wanted true
kept() {
    meson introspect build --buildoptions | grep -q '"release"' &&
        ninja -C build -n | grep -q "no work to do"
}
check "options and objects stay" kept
refused() { ! "$root/scripts/look_again.sh" include; }
check "a folder that meson has not made is refused" refused
