#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""field_worth.py XKBENCH SHAPES-FOLDER CHOSEN FIXED [--waves=N]: what a value of a schedule's field
is worth. The problems of all lists (scripts/kernels.py) whose own schedule matches the regular
expression CHOSEN ("walk=o:xp") are timed with it, and with what the search chooses where FIXED holds
("walk=o:p"), in the timing model as it is and under gather=component. Prints the geometric
mean of the time without over the time with, by setting and of all, and the share of the lists."""
import argparse
import collections
import math
import re
import sys
from pathlib import Path

from bench_rows import rows_of
from kernels import made, setting

MACHINES = ("a770", "a770:gather=component")


def timed(xkbench, waves, machine, rows, fixed):
    """ms of each row; None: what is fixed has no schedule there."""
    lines = [f"{setting(*r['setting'].split())} --schedule={fixed} {r['problem']}"
             for r in rows]
    found, _, _ = rows_of(
        xkbench, ["--mode=P", f"--time-only={waves}", "--timing=" + machine],
        "%desc%|%0ptime%", lines)
    times = collections.defaultdict(list)
    for problem, ms in found:
        times[problem].append(float(ms))
    return times


def ratios_of(args, rows, machine):
    """[(setting, time without over time with)]."""
    out = []
    for where in sorted({r["setting"] for r in rows}):
        here = [r for r in rows if r["setting"] == where]
        own = timed(args.xkbench, args.waves, machine, here, "")
        other = timed(args.xkbench, args.waves, machine, here, args.fixed)
        out += [(where, b / a) for p in own if p in other
                for a, b in zip(own[p], other[p])]
    return out


def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split(":", 1)[0])
    parser.add_argument("xkbench")
    parser.add_argument("shapes", type=Path)
    parser.add_argument("chosen")
    parser.add_argument("fixed")
    parser.add_argument("--waves", type=int, default=2)
    args = parser.parse_args()
    rows, _ = made(args.xkbench, args.shapes)
    with_it = [r for r in rows if re.search(args.chosen, r["schedule"])]
    print(f"{len(with_it)} of {len(rows)} kernels have {args.chosen}")
    if not with_it:
        return 1
    for machine in MACHINES:
        found = ratios_of(args, with_it, machine)
        for where in sorted({w for w, _ in found}):
            some = [r for w, r in found if w == where]
            all_rows = sum(r["setting"] == where for r in rows)
            print(f"{machine}, {where}: {len(some)} of {all_rows}, without {args.chosen} "
                  f"{mean(some):.4f} of the time, {min(some):.3f} to {max(some):.3f}; "
                  f"of the lists {mean(some) ** (len(some) / all_rows):.4f}")
        some = [r for _, r in found]
        print(f"{machine}, all: {len(some)} of {len(rows)}, without {args.chosen} "
              f"{mean(some):.4f} of the time; of the lists "
              f"{mean(some) ** (len(some) / len(rows)):.4f}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
