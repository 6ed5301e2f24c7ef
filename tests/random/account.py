#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""account.py XKBENCH SHAPES-FOLDER [--count=200] [--layers=24] [--cases=N]
[--seconds=N] [--jobs=N] [--keep=FILE] [--whole]: what the library's choice of a
schedule costs under each hypothesis of the timing model (docs/timing.md): its time over
the least of N random valid schedules, all under that hypothesis. Layers are drawn, with a printed seed, of
ResNet-50, VGG-16 and Inception v3, at mb=1 and 16, f16 and u8s8. Prints a line a case,
then a Markdown table: the geometric mean, the median and the worst of each hypothesis.

A schedule is timed under all hypotheses, two waves of a core, only if it can be the
best under one of them: until its bound, less SLACK, is above the best time there. All
get a bound with everything that is faster at once, then those that are left one under
each hypothesis. A bound is one core's time with all that it loads in L2. --whole times
every schedule instead.

--jobs cases (as many as there are processors) run at once. --keep adds each case to a file
of JSON lines and takes from it what an earlier run has found, so a run can be stopped
and continued; the file says the options and the library that it is of, and others are
refused."""
import argparse
import concurrent.futures
import os
import random
import re
import resource
import statistics
import sys
import time
from collections import defaultdict
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).resolve().parents[n]) for n in (0, 1)]
from best_of_random import SLACK, batch_lines, bounds  # noqa: E402
from bench_rows import rows_of, us_of  # noqa: E402 (the line above says where)
from kept import Kept, library_hash  # noqa: E402

LISTS = ("resnet_50", "vgg_16", "inception_v3")
FAST = "lines=4,port=256,writes=beside,l2=128,fetch=free,xmx-clock=high"
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


class Case:
    """A problem of a minibatch and a type."""

    def __init__(self, args, problem, mb, dtype):
        self.args, self.problem, self.mb, self.dtype = args, problem, mb, dtype

    def timed(self, schedules, how, values="all"):
        """{schedule: {hypothesis: us}} of those that are valid; "nominal" is one. The
        schedules are whole ones in the answer."""
        rows, _, _ = rows_of(
            self.args.xkbench,
            ["--mode=P", f"--timing=a770:{values}", f"--mb={self.mb}",
             "--dt=" + TYPES[self.dtype]],
            "%0ptime%|%sched%|%hypotheses%", batch_lines(self.problem, schedules, how))
        return {schedule: us_of(ms, words if values == "all" else "")
                for ms, schedule, words in rows}

    def fast(self, schedules):
        """{schedule: bound in us} with all that is fast."""
        return {s: us["nominal"]
                for s, us in self.timed(schedules, "bound", FAST).items()}

    def regrets(self):
        """{hypothesis: regret}, of how many schedules, and how many were timed; no
        hypothesis: the library has no schedule."""
        own = self.timed([""], "only")
        if not own:
            return {}, 0, 0
        own = next(iter(own.values()))
        rng = random.Random(f"{self.args.seed} {self.problem} {self.mb} {self.dtype}")
        best, (fastest, _) = dict(own), bounds(self.args, rng, self.fast)
        rest = sorted(fastest, key=fastest.get)
        if not self.args.whole:
            most = max(own.values())
            rest = [s for s in rest if fastest[s] * (1 - SLACK) < most]
            least = self.timed(rest, "bound")
            rest = sorted(least, key=lambda s: least[s]["nominal"])
        timed = 0
        while rest:
            found = self.timed(rest[:4], "only")
            timed += len(found)
            for times in found.values():
                best = {h: min(us, times[h]) for h, us in best.items()}
            rest = [s for s in rest[4:] if self.args.whole or
                    any(least[s][h] * (1 - SLACK) < us for h, us in best.items())]
        return {h: us / best[h] for h, us in own.items()}, len(fastest), timed


def table(regrets):
    """Markdown."""
    print("\n| hypothesis | mean | median | worst |\n|---|--:|--:|--:|")
    for name, r in regrets.items():
        print(f"| {name} | {statistics.geometric_mean(r):.3f} | "
              f"{statistics.median(r):.3f} | {max(r):.2f} |")


class Regrets(Kept):
    """{case: [regrets, schedules, timed]}"""

    def __init__(self, args):
        super().__init__(args.keep, {"sha256": library_hash(args.xkbench),
                                     "seed": args.seed, "schedules": args.count,
                                     "whole": args.whole})

    def regrets(self, case):
        """The regrets of a case, from the file or made."""
        name = f"{case.problem} mb={case.mb} {case.dtype}"
        if name not in self.found:
            self.add(name, case.regrets())
        return self.found[name]


def tell(case, where, result):
    """A line; the regrets."""
    found, n, timed = result
    name = f"{where} {case.problem} mb={case.mb} {case.dtype}"
    if not found:
        print(f"# {name}: not generated", flush=True)
        return {}
    worst = max(found, key=found.get)
    cpu = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    print(f"{name}: nominal {found['nominal']:.3f} of {n} ({timed} timed), worst "
          f"{found[worst]:.3f} ({worst}); {cpu:.0f} s of CPU so far", flush=True)
    return found


def account(args, cases):
    """{hypothesis: [regret]} of the cases for which there is time."""
    start, regrets, kept = time.monotonic(), defaultdict(list), Regrets(args)

    def regrets_of(case):
        late = time.monotonic() - start > args.seconds
        return None if late else kept.regrets(case)

    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        results = pool.map(regrets_of, (case for case, _ in cases))
        for (case, where), result in zip(cases, results):
            if result is None:
                print("# the rest is left out: no time")
                break
            for name, regret in tell(case, where, result).items():
                regrets[name].append(regret)
    return regrets


def options():
    parser = argparse.ArgumentParser(description=__doc__.split(":", 1)[0])
    parser.add_argument("xkbench")
    parser.add_argument("shapes", type=Path)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--layers", type=int, default=24)
    parser.add_argument("--seconds", type=float, default=7000)
    parser.add_argument("--cases", type=int, default=0, help="0: all")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--whole", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def main():
    args = options()
    print(f"# seed {args.seed}, {args.layers} layers, {args.count} schedules")
    rng = random.Random(args.seed)
    cases = [(Case(args, p, mb, dt), w) for p, w in layers(args.shapes, rng, args.layers)
             for mb in (1, 16) for dt in TYPES]
    rng.shuffle(cases)
    regrets = account(args, cases[:args.cases or None])
    table(regrets)
    return 0 if regrets else 1


if __name__ == "__main__":
    sys.exit(main())
