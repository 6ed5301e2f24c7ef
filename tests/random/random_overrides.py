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
from schedule_table import fields

ODD = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 18, 19, 24, 40, 56, 64, 77, 96, 128, 192, 254, 255,
       256, 512, 1024, 1040, 32768, 65528, 65535]
PROBLEMS = {
    "f32": ["mb1ic16ih6oc32oh6kh3ph1", "mb2ic3ih9oc16oh5kh3sh2ph1"],
    "f16": ["mb1ic64ih6oc64oh6kh3ph1", "mb8ic3ih8oc32oh8kh3ph1",
            "mb16ic32ih4oc64oh4kh3ph1", "mb16ic128ih4oc64oh4kh1"],
    "u8s8": ["mb2ic64ih6oc64oh6kh1", "mb8ic4ih8oc16oh8kh3ph1",
             "mb16ic64ih5oc32oh5kh3ph1"]}
LAYOUTS = [[], [], ["--stag=axb", "--dtag=axb"],
           ["--stag=axb", "--dtag=axb", "--wtag=xba"],
           ["--stag=abx", "--dtag=abx", "--wtag=axb"]]
NAMED = re.compile(r"breaks the rule \w+: |names no field|has no valid value|"
                   r"schedule: no candidate fits, |schedule: splits=\d+[:,] ")
INSIDE = re.compile(r"bytes \d+\.\.\d+ of buffer|overflow: ")  # codegen's own words


def value(rng, field):
    """One of the table three times in four, else an odd or absurd one."""
    n = 2 if field.between else 1
    return field.between.join(
        rng.choice(field.values) if field.words or rng.random() < 0.75 else
        str(rng.choice(ODD)) for _ in range(n))


def override(rng, table):
    names = rng.sample(list(table), rng.choice([1, 1, 2, 3, 4, 6, 8]))
    return " ".join(f"{name}={value(rng, table[name])}" for name in names)


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
    tap, ran, table = Tap(), 0, fields(args.xkbench)
    print(f"# seed {args.seed}, {args.types}")
    for problem in PROBLEMS[args.types]:
        for tags in LAYOUTS:
            command = ["--dt=" + args.types, *tags, problem]
            tries = [(override(rng, table), command) for _ in range(args.count)]
            answers = try_all(args.xkbench, tries)
            bad = [f"{schedule}: {line}" for (schedule, _), (good, line, _)
                   in zip(tries, answers) if not is_fine(good, line)]
            ran += sum(bool(good) for good, *_ in answers)
            tap.check(not bad, f"{args.count} overrides, {' '.join(command)}",
                      "\n".join([f"{len(bad)} are wrong", *bad[:5]]))
    tap.check(ran > args.count, f"{ran} ran", f"expected more than {args.count}")
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
