#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Slices of a walk over all places of K: gradients by weights with these schedules, through
xkbench's mode C (all checkers on). K is mb * oh * ow: one that slices divide into whole steps
runs, another is refused by the rule of slices. TAP: one line a type, layout and schedule."""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from tap import Tap  # noqa: E402

# Problem, and how many places of K it has.
PROBLEMS = [
    ("mb8ic16ih14oc32oh14kh3ph1", 8 * 14 * 14),
    ("mb8ic16ih28oc48oh14kh2sh2", 8 * 14 * 14),
    ("mb8ic64ih8oc32oh8kh1", 8 * 8 * 8),
    ("mb8ic3ih16oc32oh8kh7sh2ph3", 8 * 8 * 8),
    ("mb8ic17ih8oc40oh8kh3ph1", 8 * 8 * 8),
    ("mb8ic16ih7oc32oh7kh1", 8 * 7 * 7),
    ("g2mb8ic32ih8oc64oh8kh3ph1", 8 * 8 * 8),
]
# Slices, and what else is given: some need a tile of enough columns or rows.
SCHEDULES = {
    "f16": [(2, ""), (4, "n=32"), (2, "fma=dpas n=16 slots=1,1")],
    "bf16": [(2, ""), (4, "n=32")],
    "f32": [(2, ""), (4, "m=16"), (8, "")],
}
STEP = {"f16": 16, "bf16": 16, "f32": 1}
REFUSED = "breaks the rule slices"


def run(xkbench, dtype, layout, schedule):
    """What xkbench says of each problem."""
    env = dict(os.environ, XK_SCHEDULE=schedule)
    tags = [f"--{name}tag={layout}" for name in "swd"]
    done = subprocess.run(
        [xkbench, "--mode=C", "--dir=bwd_w", f"--dt={dtype}", *tags,
         *(p for p, _ in PROBLEMS)], env=env, text=True, check=False,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return dict(re.findall(r"^(\d+):(.*)$", done.stdout, re.M))


def complaints(said, dtype, slices):
    """Problems that are neither right nor refused as they should be."""
    for i, (problem, places) in enumerate(PROBLEMS):
        line = said.get(str(i), "nothing")
        whole = places % (slices * STEP[dtype]) == 0
        good = line.startswith("PASSED") if whole else REFUSED in line
        if not good:
            yield f"{problem}: {line[:300]}"


def main():
    t = Tap()
    for dtype, schedules in SCHEDULES.items():
        for layout in ("axb", "any"):
            for slices, more in schedules:
                schedule = f"walk=:op slices={slices} {more}".strip()
                said = run(sys.argv[1], dtype, layout, schedule)
                t.line("\n".join(complaints(said, dtype, slices)),
                       f"{dtype} {layout} {schedule}")
    sys.exit(t.end())


if __name__ == "__main__":
    main()
