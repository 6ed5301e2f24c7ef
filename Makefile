# SPDX-License-Identifier: Apache-2.0
# Two commands for a fresh Debian 12: make bench, make check. meson does the
# building; the scripts install what is missing.

.PHONY: all build bench check clean

all: build

build:
	@scripts/setup.sh
	@scripts/build.sh build --buildtype=release

bench:
	@scripts/bench.sh

check:
	@scripts/check.sh

clean:
	rm -rf build build-asan build-clang
