#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""best_of_random.py XKBENCH SHAPES...: how far the library's schedules are from
the best of N random valid ones, in the timing model's time. Schedules are drawn
over all fields; those that a rule or the registers refuse are drawn again. Prints
a line a problem with seed, times and the better schedule; exit 1 if fewer than
80 % of the problems are within 10 %."""
import argparse
import random
import re
import subprocess
import sys
import tempfile

DEPTH = {"f16": 16, "u8s8": 32}
MARK = "row|"
TEMPLATE = MARK + "%name%|%ptime%|%sched%"


def draw(rng, dtype):
    """A schedule as --schedule takes it."""
    lanes = dtype == "f32"
    n = rng.choice([16, 32] if lanes else [16, 32, 32, 32])
    slm = 0 if lanes else rng.choice([0, 0, 0, 2, 3])
    inner = slm > 0 or rng.random() < 0.7
    slices = rng.choice([1, 1, 2, 4, 8]) if inner and not slm else 1
    slots = rng.choice(["1,1", "1,2"] if slm else ["1,1", "1,2", "2,1", "2,2"])
    fma = "mad" if lanes else rng.choice(["dpas", "dpasw", "dpasw"])
    k = rng.randint(1, 4) if lanes else DEPTH[dtype]
    m = rng.choice([16, 32] if lanes else [8, 16, 24, 32, 32, 40])
    return (f"fma={fma}+simd={16 if lanes else 8}+m={m}+n={n}+nsub={n}+k={k}"
            f"+tg={rng.choice([1, 2, 2, 4, 8])}x{rng.choice([1, 2, 4, 8])}"
            f"+slices={slices}+taps={'inner' if inner else 'outer'}"
            f"+slots={slots}+slm={slm}+depth={rng.choice([1, 2]) if slm else 1}"
            f"+addr=surface+grf={rng.choice([128, 256])}")


def times(args, problem, schedules):
    """[(ms, schedule)] of those that are valid."""
    lines = [f"--schedule={s} {problem}" for s in schedules] or [problem]
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as batch:
        batch.write("\n".join(lines) + "\n")
        batch.flush()
        out = subprocess.run(
            [args.xkbench, "--mode=P", "--mb=" + args.mb, "--dt=" + args.dtype,
             "--perf-template=" + TEMPLATE, "--batch=" + batch.name],
            stdout=subprocess.PIPE, text=True, check=False).stdout
    rows = [line[len(MARK):].split("|") for line in out.splitlines()
            if line.startswith(MARK)]
    return [(float(r[1]), r[2]) for r in rows]


def best_of(args, problem, rng):
    """The best of N valid ones, and how many were drawn for them."""
    found, drawn = [], 0
    while len(found) < args.count and drawn < 60 * args.count:
        batch = [draw(rng, args.dtype) for _ in range(min(args.count, 50))]
        drawn += len(batch)
        found += times(args, problem, batch)
    return min(found[:args.count], default=None), len(found[:args.count])


def problems(args):
    """Lines of the lists without the repeats in their names."""
    for path in args.shapes:
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                line = line.strip()
                if line and line[0] != "#" and re.search(args.match, line):
                    yield line


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("xkbench")
    parser.add_argument("shapes", nargs="+")
    parser.add_argument("--dtype", default="f16", choices=["f32", *DEPTH])
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--mb", default="16")
    parser.add_argument("--match", default="")
    parser.add_argument("--seed", type=int, default=20261122)
    args = parser.parse_args()
    near = total = 0
    for problem in problems(args):
        rng = random.Random(f"{args.seed} {args.dtype} {problem}")
        own = times(args, problem, [])
        best, n = best_of(args, problem, rng)
        if not own or not best:
            print(f"# {problem}: nothing to compare")
            continue
        ratio = own[0][0] / best[0]
        total += 1
        near += ratio <= 1.1
        print(f"{'ok' if ratio <= 1.1 else 'far'} {ratio:.3f} of the best of {n}"
              f" (seed {args.seed}): {own[0][0]:.5f} ms, {best[0]:.5f} ms: "
              f"{problem} # {own[0][1]} # {best[1]}", flush=True)
    print(f"{near} of {total} within 10 %, {args.dtype}")
    return 0 if total and near >= 0.8 * total else 1


if __name__ == "__main__":
    sys.exit(main())
