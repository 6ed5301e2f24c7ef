#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# conformance.sh DIR [NAME...]: OpenCL-CTS on the virtual GPU. DIR is either a
# checkout of github.com/KhronosGroup/OpenCL-CTS, which is built in
# build/conformance, or a folder in which cmake has built one. CL_HEADERS and
# SPIRV_HEADERS name the folders of OpenCL's and SPIR-V's headers.
set -eu
cts=${1:?a checkout of OpenCL-CTS, or a folder where it was built}
shift
if [ -f "$cts/CMakeCache.txt" ]; then
    built=$cts
else
    built=build/conformance
    cmake -S "$cts" -B "$built" -DCMAKE_BUILD_TYPE=Release \
        -DCL_INCLUDE_DIR="${CL_HEADERS:-/usr/include}" \
        -DCL_LIB_DIR="${CL_LIBS:-/usr/lib/x86_64-linux-gnu}" \
        -DOPENCL_LIBRARIES=OpenCL -DCMAKE_CXX_FLAGS=-Wno-error \
        -DSPIRV_INCLUDE_DIR="${SPIRV_HEADERS:-/usr}" >/dev/null
    # The targets are the table's binaries; one that does not build is skipped
    # and named by run.py.
    targets=$(sed -n 's,^[GLC]*  *|[^|]*| *[^ ]*/\(test_[^ ]*\).*,\1,p' \
        tests/conformance/table.txt)
    # shellcheck disable=SC2086
    cmake --build "$built" -j "$(nproc)" --target $targets -- -k || true
fi
exec tests/conformance/run.py build/tools/xk "$built" "$@"
