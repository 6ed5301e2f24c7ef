# SPDX-License-Identifier: Apache-2.0
# Two commands for a fresh Debian 12: make bench, make check. meson does the
# building; the scripts install what is missing.

.PHONY: all build bench report check check-full check-sanitized check-long programs conformance conformance-l0 fuzz fuzz-isa bench-isa bench-sim bench-foreign bench-timing peer-suite readme clean

all: build

build:
	@scripts/setup.sh
	@scripts/build.sh build --buildtype=release

bench:
	@scripts/bench.sh

# Five minutes on two cores; check-full has all of it.
check:
	@scripts/check.sh

# All tests, clang's bytes, make check's tests under the sanitizers: under 45
# minutes.
check-full:
	@scripts/check.sh full

# All tests but those of Intel's driver under the sanitizers, and the unit tests
# under clang's UBSan: an hour and a quarter.
check-sanitized:
	@scripts/check.sh sanitized

# The networks' shapes in f16 and u8s8, in all layouts: minutes of simulation.
check-long: build
	meson test -C build --no-rebuild --print-errorlogs --suite long

# Programs of Debian's packages, unmodified, on the virtual GPU: docs/vgpu.md.
# A row whose package is not installed is skipped and named.
programs: build
	@ninja -C build programs

# OpenCL's conformance suite on the virtual GPU: CTS is a checkout of it, or a
# folder where it was built (scripts/conformance.sh); ROWS="select printf" runs
# only the rows with these names.
conformance: build
	@scripts/conformance.sh "$(CTS)" $(ROWS)

# Level Zero's tests likewise; L0 is a folder where they were built, for which
# tests/conformance/l0.txt says how.
conformance-l0: build
	@tests/conformance/run_l0.py build/tools/xk "$(L0)"

# libFuzzer on the decoder, the assembler and the container readers.
fuzz:
	@scripts/setup.sh
	@scripts/fuzz.sh $(or $(SECONDS_EACH),60)

# A million random instructions and as many bit patterns a platform, against
# iga64; XK_TEST_SEED=N repeats a run.
fuzz-isa: build
	@ninja -C build fuzz-isa

# Instructions a second through the codec; a disassembly next to iga64's.
bench-isa: build
	@ninja -C build bench-isa

# The simulator's rates, without and with checks, next to their goals.
bench-sim: build
	@ninja -C build bench-sim

# The same of another compiler's kernels, which ocloc makes.
bench-foreign: build
	@ninja -C build bench-foreign

# The timing model beside published figures: some six minutes of two cores. setup.sh
# installs clpeak and CLBlast, whose kernels have published rates.
bench-timing: build
	@scripts/setup.sh timing
	@ninja -C build bench-timing

# The peer's own suite of cases: how many are created, and why others are not.
peer-suite: build
	@python3 tests/peer_suite/peer_suite.py --table build/tools/xkbench tests/peer_suite/sample.txt.xz

# ResNet-50's kernels, modelled times and goals: docs/report-resnet50.md.
report: build
	@python3 scripts/report.py build/tools/xkbench docs/report-resnet50.md

# The README's example, run again, and its table of what works.
readme: build
	@python3 scripts/readme.py README.md
	@python3 scripts/support.py README.md build/tools/xkbench build/tools/xk

clean:
	rm -rf build build-asan build-clang build-fuzz build-ubsan
