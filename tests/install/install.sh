#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# install.sh BUILD SOURCE PREFIX: what `meson install` puts into an empty place
# is enough to build and run the example, the tools and the shape lists; the
# headers compile alone as C11 and as C++; the library exports the functions of
# tests/abi/xekern.syms and nothing else. TAP.
set -uo pipefail

build=$1 source=$2 prefix=$3
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
n=0

# check NAME COMMAND...: one TAP line; the command's talk only if it fails.
check() {
    local name=$1 talk
    shift
    n=$((n + 1))
    if talk=$("$@" 2>&1); then
        case $talk in *SKIPPED*) name="$name # SKIP ${talk##*SKIPPED: }" ;; esac
        echo "ok $n - $name"
    else
        echo "not ok $n - $name"
        echo "# ${talk//$'\n'/$'\n# '}"
    fi
}

exported() {
    diff "$source/tests/abi/xekern.syms" \
        <(nm -D --defined-only "$library" | awk '{print $3}' |
            LC_ALL=C sort)
}

# build_example NAME [c++] LIBRARY...
build_example() {
    local flags name=$1 language=(cc -std=c11)
    shift
    [ "${1-}" != c++ ] || { language=(c++ -x c++ -std=c++11) && shift; }
    flags=$(pkg-config --define-variable=prefix="$place$prefix" \
        --cflags --libs xekern) || return
    # shellcheck disable=SC2086 # flags are words
    "${language[@]}" -Wall -Wextra -pedantic-errors -Werror \
        "$place$prefix/share/doc/xekern/examples/$name.c" -x none $flags "$@" \
        -o "$place/$name"
}

# On the virtual GPU; what has no driver to run under is skipped.
run_primitives() {
    "$place$prefix/bin/xk" vgpu --quiet -- "$place/primitives"
    local rc=$?
    [ $rc -ne 77 ] || echo "SKIPPED: no Level Zero driver"
    [ $rc -eq 0 ] || [ $rc -eq 77 ]
}

header() {
    "$1" -x "$2" "-std=$3" -fsyntax-only -Wall -Wextra -pedantic-errors -Werror \
        -I "$place$prefix/include" \
        <(printf '#include "xekern/%s"\n#include "xekern/%s"\n' "$4" "$4"
            [ "$4" != xekern.h ] || cat <<'END'
int f(void) { struct xk_conv_desc d = XK_CONV_DESC_INIT; return (int)d.g; }
END
        )
}

run_tool() {
    cd / && "$place$prefix/bin/xkbench" --mode=L --batch=shapes/resnet_50.txt
}

check "meson install" \
    env DESTDIR="$place" meson install -C "$build" --no-rebuild
library=$(find "$place" -name 'libxekern.so.*' -type f)
LD_LIBRARY_PATH=$(dirname "${library:-/none/none}")
PKG_CONFIG_PATH=$(dirname "$(find "$place" -name xekern.pc)")
export LD_LIBRARY_PATH PKG_CONFIG_PATH

check "the library exports the listed symbols and no others" exported
check "the example builds against the installed copy" \
    build_example conv
check "the example runs against the installed copy" "$place/conv"
for language in "" c++; do
    # shellcheck disable=SC2086 # no word in C
    check "the quantized example builds against the installed copy ${language:-c}" \
        build_example quantized $language -lm
    check "it runs, built as ${language:-c}" "$place/quantized"
done
if [ -f "$place$prefix/share/doc/xekern/examples/primitives.c" ]; then
    check "the Level Zero example builds against the installed copy" \
        build_example primitives -lze_loader -lpthread
    check "the Level Zero example runs on the installed xk's virtual GPU" \
        run_primitives
fi
check "the installed xkbench finds the installed shapes" run_tool
check "xk says its version" "$place$prefix/bin/xk" --version
for file in "$place$prefix"/include/xekern/*.h; do
    name=$(basename "$file")
    check "$name alone is C11" header cc c c11 "$name"
    check "$name alone is C++11" header c++ c++ c++11 "$name"
done
echo "1..$n"
