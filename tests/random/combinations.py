#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every combination of SLM buffers, FMA kind, register buffers and register
mode for a fixed set of shapes and layouts, through xkbench's mode C (all
checkers on). A combination runs, or is refused by the rule that this file expects. TAP: one line a
shape and type, and one for each kind that must have run."""
import argparse
import collections
import itertools
import re
import subprocess
import sys
import tempfile

from random_problems import Tap

# Name, problem, its ic and filter taps.
SHAPES = [
    ("aligned", "mb2ic64ih8oc64kh3ph1", 64, 9),
    ("1x1", "mb1ic64ih8oc64kh1", 64, 1),
    ("deep 1x1", "mb1ic128ih4oc64kh1", 128, 1),
    ("tail of M", "mb1ic64ih7oc64kh3ph1", 64, 9),
    ("tail of N", "mb1ic64ih8oc40kh2", 64, 4),
    ("padding", "mb1ic64ih4iw4oc32oh6ow5kh3kw2ph2pw1", 64, 6),
    ("strides", "mb1ic64ih15iw9oc32kh3kw3sh2sw3ph1pw1", 64, 9),
    ("dilation", "mb1ic64ih9iw9oc32kh3kw1dh1dw0ph2pw0", 64, 3),
    ("five taps", "mb1ic64ih9iw4oc32kh5kw1ph2", 64, 5),
    ("many taps", "mb1ic64ih6oc32kh5ph2", 64, 25),
    ("one step", "mb1ic16ih8oc32kh3ph1", 16, 9),
    ("tail of K", "mb1ic72ih6oc32kh3ph1", 72, 9),
    ("ic = 3", "mb1ic3ih9oc32kh3ph1", 3, 9),
]
# One for the other types keeps the time down.
LAYOUTS = {"f16": ["any", "axb"], "u8s8": ["any"], "f32": ["axb"]}
DEPTH = {"f16": 16, "u8s8": 32}  # elements of K in a dpas
FMAS = {"f32": ["mad"], "f16": ["dpas", "dpasw"],
        "u8s8": ["dpas", "dpasw", "dp4a"]}
LANES = ["mad", "dp4a"]  # N in the lanes
# Thread tiles (m, n) and thread groups by register mode.
NARROW = {128: (16, 16, "2x2"), 256: (32, 32, "2x4")}
WIDE = {128: (16, 16, "2x2"), 256: (32, 32, "2x2")}
OTHER_GRF = 20  # what the rule keeps free
MAX_TAPS, MAX_COPIES = 9, 18


def lcm(*numbers):
    """Least common multiple."""
    out = 1
    for n in numbers:
        out = next(x for x in itertools.count(out, out) if x % n == 0)
    return out


class Combination:
    """One schedule for one shape."""

    def __init__(self, dtype, fma, slm, slots, grf, k):
        self.dtype, self.fma, self.slm, self.slots = dtype, fma, slm, slots
        self.grf, self.k = grf, k
        self.m, self.n, self.group = (WIDE if fma in LANES else NARROW)[grf]

    def text(self):
        """As --schedule wants it, one word."""
        return (f"fma={self.fma}+simd={16 if self.fma in LANES else 8}"
                f"+m={self.m}+n={self.n}+nsub={self.n}+k={self.k}"
                f"+tg={self.group}+slots={self.slots[0]},{self.slots[1]}"
                f"+slm={self.slm}"
                f"+walk={':po' if self.slm else 'o:p'}"
                f"+slices=1+addr=surface+grf={self.grf}"
                "+prefetch=0+order=n"
                "+unroll=0+store=auto")

    def buffers(self):
        """Registers of the multiply's tiles."""
        row_b = {"mad": self.k * 4, "dp4a": self.k}.get(self.fma, 32)
        half = 2 if self.fma == "dpasw" else 1
        return (self.m * self.n * 4 + self.m * row_b * self.slots[0]
                + self.n * row_b * self.slots[1] // half) // 32

    def kind(self):
        """What a run of it counts for."""
        return f"slm={self.slm} fma={self.fma} grf={self.grf}"

    def refusal(self, channels, taps):
        """A pattern of the sentence that refuses it, None: it runs. In the
        order of schedule/schedule.c, then of plan/slm.c."""
        # In walk=:po a short step of K is one of the loop's.
        all_steps = (-(-channels // self.k) * taps if self.slm
                     else channels // self.k)
        if max(self.slots) > 1 and all_steps < (max(self.slots)
                                                if not self.slm else 2):
            return "breaks the rule slots"
        if self.fma == "dpasw" and self.group.startswith("1x"):
            return "breaks the rule pairs"
        if self.slm and (self.fma in LANES or self.slots[0] > 1 or taps > MAX_TAPS
                         or channels % self.k or all_steps < 2):
            return "breaks the rule slm"
        if self.buffers() + OTHER_GRF > self.grf:
            return "breaks the rule registers"
        if self.slm and lcm(taps, self.slots[1], self.slm) > MAX_COPIES:
            return "breaks the rule unroll"
        return None


def combinations(dtype, channels):
    """All of one type."""
    slots = [(1, 1), (1, 2), (2, 1), (2, 2)]
    for fma, slm, pair, grf in itertools.product(FMAS[dtype], range(4), slots,
                                                 [128, 256]):
        k = {"mad": min(4, channels),
             "dp4a": min(8, (channels + 3) // 4 * 4)}.get(fma, DEPTH.get(dtype))
        yield Combination(dtype, fma, slm, pair, grf, k)


def run(xkbench, lines):
    """(state, rest of the line) of each problem."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as batch:
        batch.write("\n".join(lines) + "\n")
        batch.flush()
        done = subprocess.run([xkbench, "--batch=" + batch.name], text=True,
                              stdout=subprocess.PIPE, check=False)
    return re.findall(r"^\d+:([A-Z_]+)(.*)$", done.stdout, re.MULTILINE)


def judge(want, state, rest):
    """What is wrong with an answer; empty: nothing. Registers beyond the tiles
    are the plan's to count, so that refusal is always allowed."""
    if want is None and state == "PASSED":
        return ""
    if want is None and re.search(r"plan: \d+ registers of \d+ \(", rest):
        return ""
    if want and state != "PASSED" and want in rest:
        return ""
    return f"expected {want or 'PASSED'}: {state}{rest}"


def shape(tap, args, row, every):
    """Runs all for a shape; how often each kind ran."""
    name, problem, channels, taps = row
    ran = collections.Counter()
    states = run(args.xkbench, [
        f"--dt={args.types} --stag={layout} --dtag={layout} "
        f"--schedule={c.text()} {problem}" for c, layout in every])
    wrong = [f"{len(states)} answers of {len(every)}"] * (
        len(states) != len(every))
    for (c, layout), (state, rest) in zip(every, states):
        wrong.append(judge(c.refusal(channels, taps), state, rest))
        if state == "PASSED":
            ran[c.kind()] += 1
    wrong = [w for w in wrong if w]
    passed = sum(state == "PASSED" for state, _ in states)
    tap.check(not wrong, f"{args.types}, {name}: {passed} of {len(every)} "
             "ran, the others were refused as expected", "\n".join(wrong[:5]))
    return ran


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("xkbench")
    parser.add_argument("--types", choices=["f32", "f16", "u8s8"],
                        default="f16")
    args = parser.parse_args()
    tap, ran = Tap(), collections.Counter()
    for row in SHAPES:
        every = [(c, layout) for c in combinations(args.types, row[2])
                 for layout in LAYOUTS[args.types]]
        ran += shape(tap, args, row, every)
    for fma, grf, slm in itertools.product(FMAS[args.types], [128, 256],
                                           range(4)):
        kind = f"slm={slm} fma={fma} grf={grf}"
        tap.check((ran[kind] > 0) == (not slm or fma not in LANES),
                  f"{ran[kind]} ran with {kind}",
                  "expected some" if not slm or fma not in LANES else "expected none")
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
