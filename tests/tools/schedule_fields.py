#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""schedule_fields.py XK: every field of a schedule changes what is generated. A
row sets one field of a whole schedule; --info must print that field changed and
no other, and code or launch must differ. Each field that is printed has a row.
A field that a kernel with a batch in the lanes cannot have is refused by the rule that
says so; the plan names its products. TAP: one line a row, and one for the fields."""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tap import Tap  # noqa: E402

THROUGH = ("fma=dpas simd=8 m=16 n=32 nsub=32 k=16 tg=4x2 slices=1 splits=1 walk=:po "
           "slots=1,1 holds=0 slm=2 prefetch=0 "
           "addr=surface grf=256 order=n unroll=0 store=auto")
STRAIGHT = THROUGH.replace("slm=2", "slm=0")
TAP_BY_TAP = STRAIGHT.replace(":po", "o:p")
LANES = ("fma=mad simd=16 m=16 n=16 nsub=16 k=2 tg=2x2 slices=1 splits=1 walk=o:p "
         "slots=1,1 slm=0 prefetch=0 "
         "addr=surface grf=128 order=n unroll=0 store=auto")
FLAT = LANES.replace("o:p", ":po")
DOTS = LANES.replace("mad simd=16", "dp4a simd=8").replace("k=2", "k=8")
PAIRS = STRAIGHT.replace("tg=4x2", "tg=2x1")
PROBLEM = "mb1ic64ih8oc64kh3ph1"
FEW = "--stag=any mb16ic3ih9oc64kh7ph3"  # channels
MANY = "mb512ic64ih8oc64kh3ph1"  # more groups than the machine holds
ROWS = [  # type, schedule, what is changed, the problem if it is another
    ("f16", THROUGH, "fma=dpasw"), ("u8s8", DOTS, "simd=16"),
    ("f16", THROUGH, "m=32"), ("f16", TAP_BY_TAP.replace("n=32 nsub=32",
                                                         "n=32 nsub=16"), "n=16"),
    ("f16", TAP_BY_TAP, "nsub=16"), ("f32", LANES, "k=4"),
    ("u8s8", DOTS, "k=16"), ("f16", THROUGH, "tg=2x2"),
    ("f16", STRAIGHT, "slices=2"), ("f16", STRAIGHT, "splits=2"),
    ("f16", STRAIGHT, "walk=o:p"),
    ("f16", STRAIGHT, "slots=2,1"), ("f16", THROUGH, "slots=1,2"),
    ("f16", STRAIGHT, "holds=3", "mb16ic64ih8oc64kh3ph1"),
    ("f16", THROUGH, "slm=1"), ("f16", THROUGH, "slm=3"),
    ("f16", STRAIGHT, "slm=2"),
    ("f16", TAP_BY_TAP, "walk=o:xp", FEW),
    ("f16", PAIRS, "prefetch=1", MANY), ("f32", FLAT, "prefetch=1", MANY),
    ("f16", TAP_BY_TAP, "addr=a64"), ("f32", LANES, "grf=256"),
    ("f32", LANES, "order=m"),
    ("f32", LANES, "unroll=3"), ("f32", FLAT, "unroll=10"),
    ("f32", LANES, "store=scattered"),
    ("f16", THROUGH, "store=columns"), ("u8s8", DOTS, "store=scattered"),
]


BATCH = "g32mb1ic32ih9oc32kh3ph1"
REFUSED = ["walk=:po", "walk=:po prefetch=1", "walk=o:xp"]
PRODUCTS = [("f16", "k=1", "mad"), ("u8s8", "k=4", "dp4a")]


def changed(schedule, change):
    """The schedule with another value of a field."""
    fields = dict(word.split("=") for word in f"{schedule} {change}".split())
    return " ".join(f"{name}={value}" for name, value in fields.items())


def generated(xk, dtype, schedule, problem):
    """({field: value}, everything else); of a refusal ({}, the sentence)."""
    stag = [] if "--stag" in problem else ["--stag=axb"]
    done = subprocess.run(
        [xk, "gen", "--dt=" + dtype, *stag, "--dtag=axb", "--info",
         "--asm", *problem.split()], env={**os.environ, "XK_SCHEDULE": schedule},
        text=True, capture_output=True, check=False)
    line = re.search(r"^schedule (.*)\n", done.stdout, re.MULTILINE)
    if done.returncode or not line:
        return {}, done.stderr
    rest = done.stdout[:line.start()] + done.stdout[line.end():]
    return dict(word.split("=") for word in line.group(1).split()), rest


def plan_of(xk, dtype, schedule):
    """The plan's text."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([xk, "gen", "--dt=" + dtype, BATCH, "-o", f"{folder}/k"],
                       env={**os.environ, "XK_SCHEDULE": schedule, "XK_DUMP": "plan",
                            "XK_DUMP_DIR": folder}, capture_output=True, check=True)
        return "".join(f.read_text() for f in Path(folder).glob("*/*plan.txt"))


def check_lanes(tap, xk):
    for change in REFUSED:
        fields, why = generated(xk, "f16", "fma=lanes " + change, BATCH)
        tap.check(not fields and "fma=lanes" in why, f"fma=lanes {change} is refused",
                  fields or why)
    for dtype, k, products in PRODUCTS:
        text = plan_of(xk, dtype, "fma=lanes " + k)
        tap.check(f"\n{products} of all of K, a batch in the lanes\n" in text,
                  f"the plan of {dtype} names {products}", text)


def main():
    tap, seen, named = Tap(), set(), set()
    for dtype, schedule, change, *rest in ROWS:
        name, value = change.split("=")
        problem = (rest or [PROBLEM])[0]
        before, code = generated(sys.argv[1], dtype, schedule, problem)
        after, other = generated(sys.argv[1], dtype, changed(schedule, change),
                                 problem)
        seen |= before.keys()
        named.add(name)
        good = (before and after and code != other
                and before[name] != value and after == {**before, name: value})
        tap.check(good, f"{dtype}: {change} changes what is generated",
                  code if not before else other)
    tap.check(seen == named, f"each of {len(seen)} fields has a row",
              sorted(seen ^ named))
    check_lanes(tap, sys.argv[1])
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
