#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bound.py XKBENCH SHAPES TYPE: no kernel of ours is faster in the timing model
than scripts/report_bound.py allows, nominally and with the best hypothesis. TAP,
a line a layer."""
import re
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "scripts")]
import report_bound as b  # noqa: E402
from tap import Tap  # noqa: E402

SLACK = 1.005  # sampled waves


def least_us(desc, dtype, machine):
    """What the bound allows."""
    limits = b.least_cycles("a770", machine, b.Problem(desc, dtype), dtype)
    return max(limits.values()) / b.clock_mhz(machine, dtype)


def main():
    xkbench, shapes, dtype = sys.argv[1:]
    nominal, tap, seen = b.machine_of("a770"), Tap(), 0
    others = [{**nominal, row: value} for _, row, value in b.hypotheses("a770")]
    words = {"u8s8": "u8:s8:u8"}.get(dtype, dtype)
    done = subprocess.run(
        [xkbench, "--mode=P", "--timing=:all", "--time-only=0", "--mb=16",
         "--dt=" + words, "--perf-template=@%desc%|%0ptime%|%-ptime%",
         "--batch=" + shapes], stdout=subprocess.PIPE, text=True, check=False)
    for line in re.findall("^@(.*)", done.stdout, re.MULTILINE):
        desc, *times = line.split("|")
        ours, best = (float(t) * 1e3 for t in times)
        least = least_us(desc, dtype, nominal)
        any_least = min([least] + [least_us(desc, dtype, m) for m in others])
        tap.check(ours * SLACK >= least and best * SLACK >= any_least,
                  f"{desc}: {ours:.1f} us of at least {least:.1f}, with the best "
                  f"hypothesis {best:.1f} of {any_least:.1f}")
        seen += 1
    tap.check(seen == 20 and done.returncode == 0, f"{seen} layers", done.stdout)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
