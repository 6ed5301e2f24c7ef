#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""engine_bench.py XK XKBENCH LIST TYPES [OPTION]...: xkbench over a shape list
through Level Zero and OpenCL, on the virtual GPU under Intel's driver: each
problem passes mode C and leaves the same bytes (--hash) as on the simulator
alone. TYPES: comma separated. Then what a user sees of the engines: platform
and time of the device, a platform that it is not. TAP."""
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tap import Tap  # noqa: E402

XK, XKBENCH, LIST, TYPES = sys.argv[1:5]
OPTIONS = sys.argv[5:]
ENGINES = ("ze", "ocl")
SMALL = "mb1ic16ih8oc32oh8kh3ph1"
TAP = Tap()


def bench(engine, *args, platform="xehpg"):
    command = [XKBENCH, "--engine=" + engine, *args]
    if engine != "sim":
        command = [XK, "vgpu", "--quiet", "--platform=" + platform, "--",
                   *command]
    return subprocess.run(command, capture_output=True, text=True,
                          check=False)


def hashes(run):
    """{problem: (state, hash)} of xkbench's lines."""
    found = {}
    for line in run.stdout.splitlines():
        m = re.match(r"\d+:(\w+) .*?(?:hash:(\w+) )?__REPRO: (.*)", line)
        if m:
            found[re.sub(r"--engine=\w+ ", "", m[3])] = (m[1], m[2])
    return found


def skip_if_absent():
    for engine in ENGINES:
        run = bench(engine, SMALL)
        if run.returncode == 77:
            print(f"1..0 # SKIP {run.stdout.splitlines()[0]}")
            sys.exit(77)


def same_bytes(data_type):
    common = ["--hash", "--dt=" + data_type, *OPTIONS, "--batch=" + LIST]
    alone = hashes(bench("sim", *common))
    for engine in ENGINES:
        run = bench(engine, *common)
        there = hashes(run)
        wrong = [f"{problem}: {state}, on sim {alone.get(problem)}"
                 for problem, state in there.items()
                 if state[0] != "PASSED" or not state[1]
                 or alone.get(problem) != state]
        good = not wrong and len(there) == len(alone) > 0 \
            and run.returncode == 0
        TAP.check(good, f"{data_type}: {len(there)} problems through {engine} "
               "leave the bytes that sim leaves",
               "\n".join(wrong) or run.stdout[-500:] + run.stderr)


def as_a_user(engine):
    """The device's own platform and clock."""
    perf = bench(engine, "--mode=P", "--perf-template=%platform%,%-time%,%0time%",
                 SMALL)
    m = re.search(r"^xehpg,([\d.e-]+),([\d.e-]+)$", perf.stdout, re.MULTILINE)
    TAP.check(bool(m) and 0 < float(m[1]) <= float(m[2]) < 1000,
           f"mode P through {engine} tells platform and time",
           perf.stdout + perf.stderr)
    other = bench(engine, "--platform=xehpc", SMALL)
    TAP.check(other.returncode == 1 and
           re.search(r"INVALID_ARGUMENTS \(.*is xehpg, not xehpc",
                     other.stdout),
           f"another platform than {engine}'s is refused with both names",
           other.stdout + other.stderr)
    ponte = bench(engine, SMALL, platform="xehpc")
    TAP.check(re.search(r"^0:(PASSED|UNIMPLEMENTED \(.*xehpc)", ponte.stdout),
           f"on another device {engine} asks for kernels of that one",
           ponte.stdout + ponte.stderr)


skip_if_absent()
for t in TYPES.split(","):
    same_bytes(t)
for e in ENGINES:
    as_a_user(e)
sys.exit(TAP.end())
