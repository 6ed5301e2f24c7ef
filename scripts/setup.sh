#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# setup.sh [build | all | timing] [list]: installs the Debian packages that xekern is
# built with, and (all, the default) what it is tested with; timing: what the timing
# model is compared with, too. Asks dpkg first and calls
# apt only when something is missing, so it also works offline. "list" only prints
# the packages' names.
set -euo pipefail
cd "$(dirname "$0")/.."

for_build=(
    meson ninja-build pkg-config gcc python3
    libc6-dev libyaml-dev uthash-dev     # the library
    libjansson-dev                       # xk's JSON
    libdnnl-dev                          # the reference of xkbench's mode C
)
for_tests=(
    g++ clang
    check z3 clang-format-14             # tests
    libigc-tools                         # iga64
    pocl-opencl-icd ocl-icd-libopencl1   # what OpenCL kernels are compared with
    libmpfr-dev                          # the reference of rounding, tests
    libclang-rt-14-dev                   # libFuzzer
    libze-dev libze1 intel-opencl-icd    # Level Zero and Intel's driver
    ocl-icd-opencl-dev                   # OpenCL programs of the tests
    clinfo clfft-client                  # programs on the virtual GPU
    python3-pyopencl python3-gpyfft      # the same
    opencl-c-headers                     # OpenCL
)
for_timing=(
    clpeak                               # kernels with published rates
    libclblast-dev                       # an f32 product
)
case ${1:-all} in
build) packages=("${for_build[@]}") ;;
all) packages=("${for_build[@]}" "${for_tests[@]}") ;;
timing) packages=("${for_build[@]}" "${for_tests[@]}" "${for_timing[@]}") ;;
*)
    echo "setup: $1: want build, all or timing" >&2
    exit 2
    ;;
esac

if [ "${2:-}" = list ]; then
    printf '%s\n' "${packages[@]}"
    exit 0
fi

# In a bare chroot: a program finds the library beside it by /proc/self/exe.
if [ ! -e /proc/self/exe ]; then
    echo "setup: /proc is not mounted, and no program here finds its library" \
        "without it: mount -t proc proc /proc" >&2
    exit 1
fi

missing=()
for package in "${packages[@]}"; do
    status=$(dpkg-query -W -f='${Status}' "$package" 2>/dev/null || true)
    [ "$status" = "install ok installed" ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "setup: missing: ${missing[*]}; run as root or install sudo" >&2
        exit 1
    fi
    as_root=(sudo)
fi
echo "setup: installing ${missing[*]}"
install=(env DEBIAN_FRONTEND=noninteractive
    apt-get install -y --no-install-recommends "${missing[@]}")
"${as_root[@]}" apt-get update -q
"${as_root[@]}" "${install[@]}"

# A folder that was configured without them must look again.
for private in build*/meson-private; do
    [ ! -d "$private" ] || scripts/look_again.sh "${private%/*}"
done
