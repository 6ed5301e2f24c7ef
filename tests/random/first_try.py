#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""first_try.py XKBENCH [--count=100] [--seed=N]: whether registers are counted right before there is
code. Random problems of each type are drawn, with a printed seed: how many kernels are made of the
first candidate, and how far the registers that the plan counts are from those that the allocation
takes. TAP: 95 of 100 first tries fit; 90 of 100 differences are at most 8 registers; a plan's rows of
buffers add up to its counts."""
import argparse
import os
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from random_problems import Tap, problem, text

TYPES = ("f32", "f16", "u8s8")
FIT, NEAR, APART = 0.95, 0.90, 8
COUNTED = re.compile(r"^registers: loop (\d+) .* epilogue (\d+)", re.MULTILINE)
ROWS = re.compile(r"^registers: loop (\d+) of \d+ \((.*)\), epilogue (\d+) \((.*)\)$",
                  re.MULTILINE)
OPTIONAL = re.compile(r"parts of C early (\d+)")  # taken where registers are left


def adds_up(plan):
    """Whether the rows of both tables are the counts beside them."""
    loop, held, epilogue, ending = ROWS.search(plan).groups()
    sums = [sum(int(row.split()[-1]) for row in rows.split(", ")) for rows in (held, ending)]
    sums[1] -= sum(map(int, OPTIONAL.findall(ending)))
    return sums == [int(loop), int(epilogue)]


def made(xkbench, dtype, lines, folder):
    """(first tries that were lost, [registers of the plan less those of the code], plans
    whose rows do not add up)."""
    batch = Path(folder) / "batch"
    batch.write_text("\n".join(lines) + "\n", encoding="ascii")
    done = subprocess.run(
        [xkbench, "--mode=I", "--dt=" + dtype, "--perf-template=row %grf%",
         f"--batch={batch}"], text=True, capture_output=True, check=False,
        env={**os.environ, "XK_VERBOSE": "1", "XK_DUMP": "plan", "XK_DUMP_DIR": folder})
    taken = [int(n) for n in re.findall(r"^row (\d+)$", done.stdout, re.MULTILINE)]
    plans = [p.read_text(encoding="ascii") for p in sorted(Path(folder).rglob("*-plan.txt"))]
    counted = [max(map(int, COUNTED.search(p).groups())) for p in plans]
    if len(taken) != len(lines) or len(counted) != len(lines):
        sys.exit(f"first_try: {len(taken)} kernels, {len(counted)} plans of {len(lines)}\n"
                 + done.stdout[-1000:])
    lost = len(re.findall(r"# candidate 1 of", done.stderr))
    wrong = sum(not adds_up(p) for p in plans)
    return lost, [a - b for a, b in zip(counted, taken)], wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.split(":", 1)[0])
    parser.add_argument("xkbench")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=20261125)
    args = parser.parse_args()
    tap, lost, apart, wrong = Tap(), 0, [], 0
    print(f"# seed {args.seed}, {args.count} problems of each of {' '.join(TYPES)}")
    for dtype in TYPES:
        rng = random.Random(f"{args.seed} {dtype}")
        lines = [text(problem(rng)) for _ in range(args.count)]
        with tempfile.TemporaryDirectory() as folder:
            some, differ, no_sum = made(os.path.abspath(args.xkbench), dtype, lines, folder)
        print(f"# {dtype}: {some} of {args.count} first tries are lost; plan less code: "
              f"{min(differ)} to {max(differ)} registers, "
              f"{sum(abs(d) > APART for d in differ)} beyond {APART}")
        lost += some
        apart += differ
        wrong += no_sum
    n = len(apart)
    tap.check(lost <= (1 - FIT) * n, f"{n - lost} of {n} first tries fit",
              f"expected {100 * FIT} percent")
    near = sum(abs(d) <= APART for d in apart)
    tap.check(near >= NEAR * n, f"{near} of {n} counts differ by at most {APART} registers",
              f"expected {100 * NEAR} percent")
    tap.check(wrong == 0, "rows of buffers add up to the counts", f"{wrong} plans")
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
