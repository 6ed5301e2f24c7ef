# SPDX-License-Identifier: Apache-2.0
# Two commands for a fresh Debian 12: make bench, make check. meson does the
# building; the scripts install what is missing.

.PHONY: all build bench check check-long readme clean

all: build

build:
	@scripts/setup.sh
	@scripts/build.sh build --buildtype=release

bench:
	@scripts/bench.sh

check:
	@scripts/check.sh

# The networks' shapes in f16 and u8s8, in all layouts: minutes of simulation.
check-long: build
	meson test -C build --no-rebuild --print-errorlogs --suite long

# The README's example, run again.
readme: build
	@python3 scripts/readme.py README.md

clean:
	rm -rf build build-asan build-clang
