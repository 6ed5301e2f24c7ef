# SPDX-License-Identifier: Apache-2.0
# Two commands for a fresh Debian 12: make bench, make check. meson does the
# building; the scripts install what is missing.

.PHONY: all build bench check readme clean

all: build

build:
	@scripts/setup.sh
	@scripts/build.sh build --buildtype=release

bench:
	@scripts/bench.sh

check:
	@scripts/check.sh

# The README's example, run again.
readme: build
	@python3 scripts/readme.py README.md

clean:
	rm -rf build build-asan build-clang
