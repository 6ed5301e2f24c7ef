#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""best_of_random.py XKBENCH LISTS...: how far the library's schedules are from
the best of N random valid ones, in the timing model's time.

Problems are drawn from the lists with a printed seed, each kind of sizes once,
with the list's own minibatch, and so are their types. One to six fields of a schedule
are drawn, and the search gives the others what goes with them; what a rule or the generator
refuses is drawn again, and so is what was there before. The model says for every valid one the least time it can take
(xkbench --time-bound: one core, all that it loads in L2); in the order of these
they get their times until the rest cannot be the best: until the bound, less
SLACK, is above the best time. Both are of WAVES waves of a core, of which long
launches have more.

Prints a line a problem, with --table the tables of docs/schedules.md. Exit 1 if
fewer than 80 % of the problems are within 10 %."""
import argparse
import os
import random
import re
import sys
import time
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.append(str(Path(__file__).resolve().parents[2] / "scripts"))
from bench_rows import rows_of  # noqa: E402
from schedule_table import draw, fields  # noqa: E402

TYPES = ["f32", "f16", "u8s8"]
WAVES = {"bound": 2, "only": 6}  # 6: the fewest that the model itself takes
SLACK = 0.05  # of the bound: another sample, and the model is not monotone
NEAR = 1.1


def waves(schedule, how):
    """Waves of a core to model. Along M its first groups share B's and C's lines
    with others that come much later, so all are modelled."""
    return 0 if schedule and "order=m" in schedule and how == "only" else WAVES[how]


def batch_lines(problem, schedules, how):
    """Lines of a batch; the schedule "" is the library's own."""
    return [f"--time-{how}={waves(s, how)} --schedule={s.replace(' ', '+')} {problem}"
            for s in schedules]


def times(args, problem, dtype, schedules, how):
    """{schedule: ms} of those that are valid, as whole ones."""
    rows, out, _ = rows_of(
        args.xkbench, ["--mode=P", f"--dt={dtype}", f"--mb={args.mb}"],
        "%ptime%|%sched%", batch_lines(problem, schedules, how))
    if not rows and schedules == [""]:
        print("# " + out.strip().splitlines()[0][:300], flush=True)
    return {schedule: float(ms) for ms, schedule in rows}


def bounds(args, rng, bound_of):
    """{schedule: its bound} of args.count valid ones, and how many were drawn.
    bound_of([schedule, ...]) is such a dictionary of those that are valid."""
    found, drawn, table = {}, 0, fields(args.xkbench)
    while len(found) < args.count and drawn < 40 * args.count:
        some = sorted({draw(rng, table) for _ in range(100)})
        drawn += 100
        for schedule, least in bound_of(some).items():
            if len(found) < args.count:
                found[schedule] = least
    return found, drawn


def best_time(args, problem, dtype, least):
    """{schedule: ms} of all that could be the best."""
    rest, known = sorted(least, key=least.get), {}
    while rest and (not known or least[rest[0]] * (1 - SLACK) <
                    min(known.values())):
        known.update(times(args, problem, dtype, rest[:4], "only"))
        rest = rest[4:]
    return known


class Case:
    """A problem and a type, measured."""

    def __init__(self, args, where, problem, dtype):
        rng = random.Random(f"{args.seed} {dtype} {problem}")
        self.where, self.problem, self.dtype = where, problem, dtype
        self.ratio, start = None, time.monotonic()
        own = times(args, problem, dtype, [""], "only")
        self.large = time.monotonic() - start > args.large
        if not own or self.large:
            return
        least, self.drawn = bounds(
            args, rng, lambda some: times(args, problem, dtype, some, "bound"))
        if not least:
            return
        known = best_time(args, problem, dtype, least)
        (self.own, self.own_ms), = own.items()
        self.n, self.timed = len(least), len(known)
        self.best = min(known, key=known.get)
        self.best_ms = known[self.best]
        self.tight = max(least[s] / ms for s, ms in known.items())
        self.ratio = self.own_ms / self.best_ms
        self.seconds = time.monotonic() - start

    def line(self):
        if self.large:
            return f"# {self.dtype} {self.problem}: large"
        if self.ratio is None:
            return f"# {self.dtype} {self.problem}: nothing to compare"
        return (f"{'ok ' if self.ratio <= NEAR else 'far'} {self.ratio:.3f} "
                f"{self.dtype} best of {self.n} of {self.drawn} drawn, "
                f"{self.timed} timed, bounds to {self.tight:.2f}, "
                f"{self.seconds:.0f} s: "
                f"{self.own_ms:.5f} ms, {self.best_ms:.5f} ms: {self.problem} "
                f"# {self.own} # {self.best}")


class Again:
    """A line of an earlier run, the library's own schedule timed again."""

    FORM = re.compile(r"(?:ok|far) +[\d.]+ (\w+) best of (\d+) .*: "
                      r"[\d.]+ ms, ([\d.]+) ms: (\S+) # .* # (.*)")

    def __init__(self, args, where, match):
        self.dtype, n, best_ms, self.problem, self.best = match.groups()
        self.where, self.n, self.best_ms = where, int(n), float(best_ms)
        (self.own, self.own_ms), = times(args, self.problem, self.dtype, [""],
                                         "only").items()
        self.ratio = self.own_ms / self.best_ms

    def line(self):
        return (f"{'ok ' if self.ratio <= NEAR else 'far'} {self.ratio:.3f} "
                f"{self.dtype} best of {self.n} as before: {self.own_ms:.5f} ms, "
                f"{self.best_ms:.5f} ms: {self.problem} # {self.own} # "
                f"{self.best}")


def earlier(args):
    """The cases of an earlier run's output."""
    lists = {problem: where for where, problem in unique(args)}
    with open(args.again, encoding="utf-8") as lines:
        for match in filter(None, map(Again.FORM.match, lines)):
            yield Again(args, lists[match.group(4)], match)


def measured(args):
    """Cases one after the other."""
    start = time.monotonic()
    for where, problem, dtype in drawn_cases(args):
        if args.seconds and time.monotonic() - start > args.seconds:
            break
        yield Case(args, where, problem, dtype)


def unique(args):
    """[(list, problem)] without names and repeats, in the lists' order."""
    seen, out = set(), []
    paths = [os.path.join(p, f) for p in args.lists if os.path.isdir(p)
             for f in sorted(os.listdir(p)) if f.endswith(".txt")]
    for path in paths or args.lists:
        name = os.path.splitext(os.path.basename(path))[0]
        with open(path, encoding="utf-8") as lines:
            for line in map(str.strip, lines):
                sizes = re.sub(r'_?n".*', "", line)
                if line and line[0] != "#" and sizes not in seen and \
                        re.search(args.match, line):
                    seen.add(sizes)
                    out.append((name, sizes))
    return out


def drawn_cases(args):
    """All pairs of a problem and a type in a random order: a run that ends early
    has seen a sample."""
    pairs = [(*p, t) for p in unique(args) for t in args.types.split(",")]
    random.Random(args.seed).shuffle(pairs)
    return pairs[:args.cases] if args.cases else pairs


def table(cases, key, head):
    """Rows of shares within 10 %."""
    print(f"\n| {head} | cases | within 10 % | best of all | median | worst |")
    print("|---|--:|--:|--:|--:|--:|")
    for name in sorted({key(c) for c in cases}):
        r = sorted(c.ratio for c in cases if key(c) == name)
        near = sum(x <= NEAR for x in r)
        print(f"| {name} | {len(r)} | {near} ({100 * near / len(r):.0f} %) | "
              f"{sum(x <= 1 for x in r)} | {r[len(r) // 2]:.2f} | {r[-1]:.2f} |")


def tables(cases):
    table(cases, lambda c: c.dtype, "type")
    table(cases, lambda c: c.where, "list")
    table(cases, lambda c: "all", "")
    print("\n| ratio | type | problem | the library's | the best |")
    print("|--:|---|---|---|---|")
    for c in sorted(cases, key=lambda c: -c.ratio)[:15]:
        print(f"| {c.ratio:.2f} | {c.dtype} | {c.problem} | `{c.own}` | "
              f"`{c.best}` |")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("xkbench")
    parser.add_argument("lists", nargs="+", help="files, or their folder")
    parser.add_argument("--types", default=",".join(TYPES))
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--cases", type=int, default=0, help="0: all")
    parser.add_argument("--seconds", type=float, default=0,
                        help="no new case after so long; 0: no limit")
    parser.add_argument("--large", type=float, default=1e9,
                        help="leave out what the model takes so many s for")
    parser.add_argument("--mb", default="0", help="instead of the lists'")
    parser.add_argument("--match", default="")
    parser.add_argument("--seed", type=int, default=20261122)
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--again", help="output of an earlier run: only the "
                        "library's own schedules are timed")
    args = parser.parse_args()
    cases = []
    print(f"# seed {args.seed}, {args.count} schedules a case, mb {args.mb}")
    for case in earlier(args) if args.again else measured(args):
        print(case.line(), flush=True)
        if case.ratio is not None:
            cases.append(case)
    near = sum(c.ratio <= NEAR for c in cases)
    if args.table and cases:
        tables(cases)
    print(f"{near} of {len(cases)} within 10 %")
    return 0 if cases and near >= 0.8 * len(cases) else 1


if __name__ == "__main__":
    sys.exit(main())
