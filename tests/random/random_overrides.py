#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a user may say of a schedule: a few fields in place of what was chosen, with
values that are good, odd or absurd. Each is refused with the rule or the word, does not
fit, or gives a kernel that is right; nothing else may happen. TAP, a line a problem with
all its schedules."""
import argparse
import random
import re
import sys

from random_problems import Tap
from random_schedules import try_all

SIZES = [0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 20, 24, 32, 40, 48, 56, 64, 96, 128, 255,
         256, 1024, 1040, 32768, 65528, 65535]
BYTES = [0, 1, 2, 3, 4, 5, 8, 9, 18, 19, 77, 254, 255]
MESSAGES = ["auto", "block", "scattered", "rows", "elements", "lines"]
FLAG = ["0", "1"]
VALUES = {
    "fma": ["mad", "dpas", "dpasw", "dp4a"], "simd": [8, 16, 8, 16, 0, 4, 32],
    "m": [8, 16, 24, 32] * 3 + SIZES, "n": [8, 16, 24, 32, 40, 48, 56, 64] * 2 + SIZES,
    "nsub": [8, 16, 24, 32, 64] + SIZES, "k": [1, 2, 3, 4, 8, 16, 32] + SIZES,
    "slices": [1, 2, 4, 8] + BYTES, "taps": ["outer", "inner"],
    "slm": [0, 1, 2, 3] * 3 + BYTES, "of": ["a", "b", "ab"],
    "depth": [1, 2, 4] * 3 + BYTES, "footprint": FLAG, "spread": list(range(18)) + SIZES,
    "skip": ["0", "1", "rows"], "window": FLAG, "prefetch": FLAG, "pack": FLAG,
    "addr": ["a64", "surface"], "grf": [128, 256] * 3 + SIZES + [192, 512],
    "order": ["n", "m"], "unroll": [0, 1, 2, 3, 4] + BYTES, "load_a": MESSAGES,
    "load_b": MESSAGES, "store": ["auto", "block", "scattered", "packed", "columns"]}
PAIRS = {"tg": ("x", [1, 1, 2, 2, 4, 8, 3, 5, 16, 64, 0, 32768, 65535]),
         "slots": (",", [1, 1, 1, 2, 3, 0, 4, 254, 255])}
PROBLEMS = {
    "f32": ["mb1ic16ih6oc32oh6kh3ph1", "mb2ic3ih9oc16oh5kh3sh2ph1"],
    "f16": ["mb1ic64ih6oc64oh6kh3ph1", "mb8ic3ih8oc32oh8kh3ph1",
            "mb16ic32ih4oc64oh4kh3ph1", "mb16ic128ih4oc64oh4kh1"],
    "u8s8": ["mb2ic64ih6oc64oh6kh1", "mb8ic4ih8oc16oh8kh3ph1",
             "mb16ic64ih5oc32oh5kh3ph1"]}
LAYOUTS = [[], [], ["--stag=axb", "--dtag=axb"],
           ["--stag=axb", "--dtag=axb", "--wtag=xba"],
           ["--stag=abx", "--dtag=abx", "--wtag=axb"]]
NAMED = re.compile(r"breaks the rule \w+: |names no field|has no valid value|XK_ENOFIT: ")
INSIDE = re.compile(r"bytes \d+\.\.\d+ of buffer|overflow: ")  # codegen's own words


def value(rng, field):
    if field in PAIRS:
        between, values = PAIRS[field]
        return between.join(str(rng.choice(values)) for _ in range(2))
    return str(rng.choice(VALUES[field]))


def override(rng):
    fields = rng.sample(list(VALUES) + list(PAIRS), rng.choice([1, 1, 2, 3, 4, 6, 8]))
    return " ".join(f"{f}={value(rng, f)}" for f in fields)


def is_fine(good, line):
    if good is None:
        return bool(NAMED.search(line)) and not INSIDE.search(line)
    return good


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("xkbench")
    parser.add_argument("--count", type=int, default=120, help="of each line")
    parser.add_argument("--types", choices=PROBLEMS, default="f16")
    parser.add_argument("--seed", type=int, default=20261123)
    args = parser.parse_args()
    rng = random.Random(f"{args.seed} {args.types}")
    tap, ran = Tap(), 0
    print(f"# seed {args.seed}, {args.types}")
    for problem in PROBLEMS[args.types]:
        for tags in LAYOUTS:
            command = ["--dt=" + args.types, *tags, problem]
            tries = [(override(rng), command) for _ in range(args.count)]
            answers = try_all(args.xkbench, tries)
            bad = [f"{schedule}: {line}" for (schedule, _), (good, line)
                   in zip(tries, answers) if not is_fine(good, line)]
            ran += sum(bool(good) for good, _ in answers)
            tap.check(not bad, f"{args.count} overrides, {' '.join(command)}"
                      + ("" if not bad else f" # {len(bad)}, the first {bad[0]}"))
    tap.check(ran > args.count, f"{ran} ran")
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
