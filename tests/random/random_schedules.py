#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random schedules for random small convolutions: XK_SCHEDULE overrides every
field, xkbench compares with oneDNN with all checkers on. A schedule that breaks
a rule, or whose plan does not fit, is refused with a sentence and another one is
tried; it must be a refusal, never a wrong result. TAP: one line a schedule that
ran, and one for each kind that must be among them."""
import argparse
import os
import random
import re
import subprocess
import sys

from random_problems import POST_OPS, SCALES, Tap, problem, text

# Kinds that every run must contain, so that the random choice covers them.
KINDS = {
    "f32": ["fma=mad", "slots=1,1", "slots=2,1", "slots=2,2", "addr=a64",
            "addr=surface", "grf=256"],
    "f16": ["fma=dpas ", "fma=dpasw", "slots=1,1", "slots=2,1", "slots=2,2",
            "slots=1,2", "slm=0", "slm=1", "slm=2", "slm=3", "addr=a64", "addr=surface", "grf=128", "grf=256"],
}
KINDS["u8s8"] = KINDS["f16"]
REFUSED = re.compile(r"INVALID_ARGUMENTS \((schedule:.*?)\) |"
                     r"FAILED \((XK_ENOFIT: .*?)\) __")


def narrow(rng, types):
    """A schedule for dpas."""
    slm = rng.choice([0, 1, 2, 3, 3])
    n = rng.choice([8, 16, 32])
    one = rng.random() < 0.4
    n_sub = n if slm or one or rng.random() < 0.5 else rng.choice([8, 16])
    slots = "1,1" if one else rng.choice(["1,2"] if slm else ["2,1", "2,2"])
    groups = f"{rng.choice([1, 2, 4, 8])}x{rng.choice([1, 2, 4])}"
    return (f"fma={rng.choice(['dpas', 'dpasw'])} simd=8 "
            f"m={rng.choice([8, 16, 24, 32])} n={n} nsub={n_sub} "
            f"k={16 if types == 'f16' else 32} tg={groups} slots={slots} "
            f"slm={slm} addr={rng.choice(['surface', 'surface', 'a64'])} "
            f"grf={rng.choice([128, 256])}")


def wide(rng):
    """A schedule for mad."""
    n = rng.choice([16, 32])
    groups = f"{rng.choice([1, 2, 4])}x{rng.choice([1, 2, 4])}"
    return (f"fma=mad simd=16 m={rng.choice([16, 32])} n={n} nsub={n} "
            f"k={rng.randint(1, 4)} tg={groups} "
            f"slots={rng.choice(['1,1', '2,1', '2,2'])} slm=0 "
            f"addr={rng.choice(['surface', 'a64'])} "
            f"grf={rng.choice([128, 256])}")


def settings(rng, types):
    """The tool's options and a problem, whole steps of K more often than not."""
    p = problem(rng)
    if types != "f32" and rng.random() < 0.7:
        p["ic"] = (16 if types == "f16" else 32) * rng.randint(1, 4)
    return ["--dir=" + rng.choice(["FWD_D", "FWD_B"]), "--dt=" + types,
            "--attr-oscale=" + rng.choice(SCALES),
            "--attr-post-ops=" + rng.choice(POST_OPS),
            "--wtag=" + rng.choice(["any", "any", "any", "axb"]),
            "--stag=" + rng.choice(["any", "axb", "axb", "abx"]),
            "--dtag=" + rng.choice(["any", "axb", "axb", "abx"]), text(p)]


def try_one(xkbench, types, rng):
    """(schedule, command, state, output); state None: refused."""
    schedule = wide(rng) if types == "f32" else narrow(rng, types)
    command = settings(rng, types)
    done = subprocess.run([xkbench, *command], text=True, check=False,
                          stdout=subprocess.PIPE,
                          env={**os.environ, "XK_SCHEDULE": schedule})
    if REFUSED.search(done.stdout):
        return schedule, command, None, done.stdout
    good = done.returncode == 0 and "0:PASSED" in done.stdout
    return schedule, command, good, done.stdout


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("xkbench")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--types", choices=KINDS, default="f16")
    parser.add_argument("--seed", type=int, default=20261121)
    args = parser.parse_args()
    rng = random.Random(f"{args.seed} {args.types}")
    tap, seen, tries = Tap(), [], 0
    print(f"# seed {args.seed}, {args.count} schedules, {args.types}")
    while len(seen) < args.count and tries < 40 * args.count:
        schedule, command, good, out = try_one(args.xkbench, args.types, rng)
        tries += 1
        if good is None:
            continue
        seen.append(schedule)
        tap.line(good, f"XK_SCHEDULE='{schedule}' {' '.join(command)}"
                 + ("" if good else " # " + out.strip().splitlines()[0]))
    for kind in KINDS[args.types]:
        n = sum(kind in s for s in seen)
        tap.line(n >= args.count // 50, f"{n} of {len(seen)} have {kind}")
    tap.line(len(seen) == args.count, f"{len(seen)} ran of {tries} tried")
    return tap.close()


if __name__ == "__main__":
    sys.exit(main())
