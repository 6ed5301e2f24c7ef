#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""drawn_fields.py XKBENCH: best_of_random.py draws every field of a schedule, with
more than one value; and the values whose absence nobody would notice. TAP."""
import random
import re
import subprocess
import sys

from best_of_random import draw, fits_of
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tap import Tap  # noqa: E402

PROBLEMS = {
    "f32": ["mb1ic64ih14iw14oc64oh14ow14kh3kw3sh1sw1ph1pw1dh0dw0"],
    "f16": ["mb8ic3ih16iw16oc32oh16ow16kh3kw3sh1sw1ph1pw1dh0dw0",
            "mb1ic64ih14iw14oc64oh14ow14kh1kw1sh1sw1ph0pw0dh0dw0",
            "mb16ic64ih14iw14oc64oh14ow14kh3kw3sh1sw1ph1pw1dh0dw0"],
    "u8s8": ["mb8ic128ih14iw14oc64oh14ow14kh3kw3sh1sw1ph1pw1dh0dw0"],
}
VALUES = ["fma=dp4a", "pack=1", "load_a=lines", "skip=rows", "window=1",
          "footprint=1", "of=ab", "addr=a64", "order=m"]


def fields_of(xkbench):
    """The names of all fields."""
    out = subprocess.run(
        [xkbench, "--mode=P", "--time-only=1", "--perf-template=at %sched%",
         "mb1ic16ih4oc16kh1"], stdout=subprocess.PIPE, text=True, check=True)
    row = re.search(r"^at (.*)$", out.stdout, re.MULTILINE).group(1)
    return [word.split("=")[0] for word in row.split()]


def drawn():
    """All words of many schedules."""
    words = set()
    for dtype, problems in PROBLEMS.items():
        for problem in problems:
            rng, fits = random.Random(problem), fits_of(problem, 0, dtype)
            for _ in range(1000):
                words.update(draw(rng, dtype, fits).split("+"))
    return words


def main():
    words, tap = drawn(), Tap()
    rows = [(f"more than one {field}",
             sum(w.startswith(field + "=") for w in words) > 1)
            for field in fields_of(sys.argv[1])]
    rows += [(value, value in words) for value in VALUES]
    for name, good in rows:
        tap.check(good, f"{name} is drawn")
    tap.check(len(rows) >= 30, f"{len(rows)} rows")
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
