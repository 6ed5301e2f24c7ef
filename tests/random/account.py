#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""account.py XKBENCH SHAPES-FOLDER [--count=200] [--layers=24] [--seconds=N]: what
the library's choice of a schedule costs under each hypothesis of the timing model
(docs/timing.md): its time over the least of N random valid schedules, all under
that hypothesis. Layers are drawn, with a printed seed, of ResNet-50, VGG-16 and
Inception v3, at mb=1 and 16, f16 and u8s8. Prints a line a case, then a Markdown
table: the geometric mean, the median and the worst of each hypothesis."""
import argparse
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
from schedule_table import draw, fields  # noqa: E402

LISTS = ("resnet_50", "vgg_16", "inception_v3")
WAVES = 2  # of a core, modelled
TEMPLATE = "--perf-template=row|%0ptime%|%sched%|%hypotheses%"
TYPES = {"f16": "f16", "u8s8": "u8:s8:u8"}


def layers(folder, rng, count):
    """A sample of all lists together, without repeats."""
    found = {}
    for name in LISTS:
        for line in (folder / f"{name}.txt").read_text().splitlines():
            sizes = re.sub(r'_?n".*', "", line.strip())
            if line.strip() and not line.startswith("#"):
                found.setdefault(sizes, name)
    return rng.sample(sorted(found.items()), min(count, len(found)))


def timed(xkbench, problem, mb, dtype, schedules):
    """[{hypothesis: us}] of those that are valid; "nominal" is one."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as batch:
        for s in schedules:
            batch.write(f"--schedule={s} {problem}\n")
        batch.flush()
        done = subprocess.run(
            [xkbench, "--mode=P", "--timing=:all", f"--time-only={WAVES}",
             f"--mb={mb}", "--dt=" + TYPES[dtype], TEMPLATE,
             "--batch=" + batch.name], stdout=subprocess.PIPE, text=True,
            check=False)
    rows = []
    for line in re.findall(r"^row\|(.*)", done.stdout, re.MULTILINE):
        ms, _, words = line.split("|")
        rows.append({"nominal": float(ms) * 1e3})
        for word in words.split():
            name, _, us = word.rpartition(":")
            rows[-1][name] = float(us)
    return rows


def case(args, problem, mb, dtype):
    """{hypothesis: regret}, and how many schedules were valid; None: no own."""
    rng = random.Random(f"{args.seed} {problem} {mb} {dtype}")
    own = timed(args.xkbench, problem, mb, dtype, [""])
    if not own:
        return None, 0
    table, others, tries = fields(args.xkbench), [], 0
    while len(others) < args.count and tries < 40 * args.count:
        some = sorted({draw(rng, table).replace(" ", "+") for _ in range(100)})
        tries += len(some)
        others += timed(args.xkbench, problem, mb, dtype, some)
    others = others[:args.count]
    return {h: own[0][h] / min(o[h] for o in own + others)
            for h in own[0]}, len(others)


def table(regrets):
    """Markdown."""
    print("\n| hypothesis | mean | median | worst |\n|---|--:|--:|--:|")
    for name, r in regrets.items():
        print(f"| {name} | {statistics.geometric_mean(r):.3f} | "
              f"{statistics.median(r):.3f} | {max(r):.2f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split(":", 1)[0])
    parser.add_argument("xkbench")
    parser.add_argument("shapes", type=Path)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--layers", type=int, default=24)
    parser.add_argument("--seconds", type=float, default=7000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    start, regrets = time.monotonic(), defaultdict(list)
    print(f"# seed {args.seed}, {args.layers} layers, {args.count} schedules")
    rng = random.Random(args.seed)
    cases = [(p, w, mb, dt) for p, w in layers(args.shapes, rng, args.layers)
             for mb in (1, 16) for dt in TYPES]
    rng.shuffle(cases)
    for problem, where, mb, dtype in cases:
        if time.monotonic() - start > args.seconds:
            print("# the rest is left out: no time")
            break
        found, n = case(args, problem, mb, dtype)
        if not found:
            print(f"# {where} {problem} mb={mb} {dtype}: not generated")
            continue
        for name, regret in found.items():
            regrets[name].append(regret)
        worst = max(found, key=found.get)
        print(f"{where} {problem} mb={mb} {dtype}: nominal "
              f"{found['nominal']:.3f} of {n}, worst {found[worst]:.3f} "
              f"({worst})", flush=True)
    table(regrets)
    return 0 if regrets else 1


if __name__ == "__main__":
    sys.exit(main())
