#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run_cases.py [OPTION]... XKBENCH SAMPLE: cases of the peer's suite, made small by the
rule of reduction.py, are run on the simulator with all checkers and compared with the
reference. What is refused as it stands in the suite may be refused; everything else
ends PASSED, MISTRUSTED or SKIPPED, and the last two are counted by their reason.
--count=N takes N lines by --seed=S; without it all. --groups: forward ones of several
groups alone. --most=N: multiplies of a case. --keep=FILE adds what became of each to the
file and takes from it what an earlier run has found, so that a run can be stopped and
continued. --seconds=N: no process begins after them, and what was not run is a failure.
TAP: a line for each that fails, one for the counts."""
import argparse
import random
import re
import sys
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from kept import Kept, library_hash  # noqa: E402
from tap import Tap  # noqa: E402
import peer_suite  # noqa: E402
import reduction  # noqa: E402

BATCH = 20  # cases of a process
# A result that is zero nearly everywhere, or not run, proves nothing.
UNPROVEN = 0.05
ANSWER = re.compile(r"^\d+:(\w+)(?: \((.*?)\))? __REPRO", re.M)


def small(line, most):
    options, fields, name = reduction.split(line)
    return reduction.join(options, reduction.reduced(fields, most), name)


def has_groups(line):
    """Whether a canonical line is a forward convolution of several groups."""
    options, fields, _ = reduction.split(line)
    return fields.get("g", 1) > 1 and "BWD" not in options


def without_numbers(reason):
    return re.sub(r"-?\b\d[\d.]*\b", "N", reason)


def judge(tap, line, as_is, case):
    """A line for what is wrong, or not proven. as_is: the state of the suite's case."""
    state, reason = case
    if state in ("MISTRUSTED", "SKIPPED"):
        print(f"# {state} ({reason}): {line}")
    elif state != "PASSED" and not state == as_is == "UNIMPLEMENTED":
        tap.check(False, f"{state}: {line}", reason)


def run_batch(args, tap, lines, kept):
    """Runs some lines, and keeps [state as it stands, state, reason] of each."""
    as_is, _ = peer_suite.answers(args.xkbench, lines)
    done = peer_suite.bench(args.xkbench, [], [small(line, args.most) for line in lines])
    found = ANSWER.findall(done.stdout)
    if len(found) != len(lines) or len(as_is) != len(lines):
        tap.check(False, f"{len(found)} of {len(lines)} lines answered",
                  done.stdout + done.stderr)
        return
    for line, (was, _), case in zip(lines, as_is, found):
        kept.add(line, [was, *case])


def run_all(args, tap, lines, kept):
    """Runs what no earlier run has found."""
    start = time.monotonic()
    left = [line for line in dict.fromkeys(lines) if line not in kept.found]
    for first in range(0, len(left), BATCH):
        if time.monotonic() - start > args.seconds:
            break
        run_batch(args, tap, left[first:first + BATCH], kept)
        print(f"# {min(first + BATCH, len(left))} of {len(left)}, "
              f"{time.monotonic() - start:.0f} s", flush=True)


def tell_all(args, tap, lines, kept):
    """What is wrong or not proven, and how many there are of each kind."""
    kinds = Counter()
    for line in lines:
        was, state, reason = kept.found.get(line, ["", "not run", ""])
        if state != "not run":
            judge(tap, small(line, args.most), was, (state, reason))
        kinds[state if state in ("PASSED", "not run") else
              f"{state}: {without_numbers(reason)}"] += 1
    for kind, n in kinds.most_common():
        print(f"# {n:5d} {kind}")
    unproven = sum(n for kind, n in kinds.items()
                   if kind.startswith(("MISTRUSTED", "SKIPPED")))
    tap.check(kinds["PASSED"] > 0 and unproven <= UNPROVEN * len(lines),
              f"{kinds['PASSED']} of {len(lines)} passed, {unproven} unproven",
              f"at least one must pass, and at most {100 * UNPROVEN} percent be unproven")
    tap.check(not kinds["not run"], f"{kinds['not run']} were not run", "all must be")


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("xkbench")
    parser.add_argument("sample")
    parser.add_argument("--count", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--groups", action="store_true")
    parser.add_argument("--most", type=int, default=reduction.MOST)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    return parser.parse_args()


def main():
    args = options()
    words = [words for _, words in peer_suite.read_sample(args.sample)]
    if args.count:
        words = random.Random(args.seed).sample(words, args.count)
    lines, tap = peer_suite.canonical(args.xkbench, words), Tap()
    assert len(lines) == len(words), f"{len(lines)} of {len(words)} lines have sizes"
    if args.groups:
        lines = [line for line in lines if has_groups(line)]
    kept = Kept(args.keep, {"sha256": library_hash(args.xkbench), "most": args.most})
    run_all(args, tap, lines, kept)
    tell_all(args, tap, lines, kept)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
