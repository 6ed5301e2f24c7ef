#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""conv_rank.py XKBENCH [--all] [--every N]: whether the timing model orders the blockings of a
convolution as oneDNN's regressor does, which was fitted to times on hardware.

conv_scores.txt has problems of oneDNN's table of tuned blockings whose kernels load A
and B straight to registers, as ours do; for each the tuned blocking (first) and its
neighbours: tile, threads of the group along M and N, slices of K; and the regressor's
time. A kernel of ours with that tile, group and slices, and without splits, is made for
each, in 256 registers, and timed on a770. What the library's rules refuse is left out.

Prints for each problem the rank correlation and the place of the tuned blocking in the
model's order, then the median, with --all also under each value of a hypothesis, and
what the model likes better than the regressor by kind of change. --every N takes each
N-th problem of the table.
Exit 1: the nominal median is below WANTED."""
import argparse
import re
import statistics
import sys
from collections import defaultdict
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.append(str(Path(__file__).resolve().parents[2] / "scripts"))
from bench_rows import rows_of, us_of  # noqa: E402
from catalog import spearman  # noqa: E402

WANTED = 0.7
FEWEST = 5  # blockings of a problem, to be ranked
PROBLEMS = 30
TABLE = Path(__file__).with_name("conv_scores.txt")
TYPES = {"f16": "f16", "u8s8": "u8:s8:u8"}


def table():
    """[(type, problem, {(m, n, tg, slices): us})], the tuned one first."""
    out = []
    for line in TABLE.read_text().splitlines():
        if line.startswith("#"):
            continue
        words = line.split()
        if line[0] != " ":
            out.append((*words, {}))
        else:
            m, n, tg, slices, us = words
            out[-1][-1][int(m), int(n), tg, int(slices)] = float(us)
    return out


def schedule(blocking):
    m, n, tg, slices = blocking
    return f"m={m}+n={n}+tg={tg}+slices={slices}+splits=1+slm=0+grf=256"


def times(xkbench, dtype, problem, lines, values):
    """{blocking: {"nominal": us, hypothesis: us}} of those that are valid."""
    mb, sizes = re.fullmatch(r"mb(\d+)(.*)", problem).groups()
    rows, _, _ = rows_of(
        xkbench, ["--mode=P", f"--timing=a770{values}", "--time-only=2", f"--mb={mb}",
                  "--dt=" + TYPES[dtype]],
        "%0ptime%|%sched%|%hypotheses%", [f"--schedule={s} {sizes}" for s in lines])
    out = {}
    for ms, chosen, words in rows:
        has = dict(w.split("=", 1) for w in chosen.split())
        key = int(has["m"]), int(has["n"]), has["tg"], int(has["slices"])
        out[key] = us_of(ms, words if values else "")
    return out


def change(own, other):
    """What a blocking changes, in words."""
    names = ("rows", "columns", "slices")
    pairs = zip(names, (own[0], own[1], own[3]), (other[0], other[1], other[3]))
    return [f"{'more' if b > a else 'fewer'} {name}" for name, a, b in pairs if a != b]


def ranked(xkbench, values, likes, every):
    """[{hypothesis: rank correlation}] of each problem."""
    out = []
    for dtype, problem, scores in table()[::every]:
        if len(out) == PROBLEMS:
            break
        got = times(xkbench, dtype, problem, map(schedule, scores), values)
        both = [b for b in scores if b in got]
        if len(both) < FEWEST:
            print(f"# {dtype} {problem}: {len(both)} of {len(scores)} blockings only")
            continue
        want = [scores[b] for b in both]
        out.append({name: spearman([got[b][name] for b in both], want)
                    for name in got[both[0]]})
        own = next(iter(scores))
        out[-1]["sliced"] = own[3] > 1
        place = sum(got[b]["nominal"] < got[own]["nominal"] for b in both) \
            if own in got else -1
        for b in both if own in got else ():
            for word in change(own, b):
                likes[word].append(got[b]["nominal"] / got[own]["nominal"] /
                                   (scores[b] / scores[own]))
        print(f"{dtype} {problem}: {out[-1]['nominal']:.2f} of {len(both)}, the tuned "
              f"one is {f'{place + 1}.' if place >= 0 else 'not made'}", flush=True)
    return out


def compare(xkbench, values="", every=1):
    """Prints; whether the median is too small."""
    likes = defaultdict(list)
    found = ranked(xkbench, values, likes, every)
    for name in (n for n in found[0] if n != "sliced"):
        each = [f[name] for f in found]
        print(f"{name:20} median {statistics.median(each):.2f}, at least {WANTED} in "
              f"{sum(x >= WANTED for x in each)} of {len(each)}, least {min(each):.2f}")
    print("model's time over the regressor's, both over the tuned blocking's; median")
    for word, values in sorted(likes.items()):
        print(f"{word:16} {statistics.median(values):.2f} of {len(values)}")
    for name, sliced in (("slices of K", True), ("none", False)):
        each = [f["nominal"] for f in found if f["sliced"] == sliced]
        if not each:
            continue
        print(f"nominal, tuned with {name}: median {statistics.median(each):.2f} of "
              f"{len(each)}")
    median = statistics.median(f["nominal"] for f in found)
    if median < WANTED:
        print(f"MISSED: {WANTED} is wanted")
    return median < WANTED


def main():
    parser = argparse.ArgumentParser(description=__doc__.split(":", 1)[0])
    parser.add_argument("xkbench")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--every", type=int, default=1)
    args = parser.parse_args()
    return compare(args.xkbench, ":all" if args.all else "", args.every)


if __name__ == "__main__":
    sys.exit(main())
