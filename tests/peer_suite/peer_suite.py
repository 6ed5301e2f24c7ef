#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""peer_suite.py [--table] XKBENCH SAMPLE: every case of the peer's suite is
understood. It is created; --alg=wino and f64 are UNIMPLEMENTED, with that reason, and
nothing else is. The rule of reduction.py keeps what it says of each. --table prints how many
there are of each reason, counted as the suite has them. TAP otherwise. Nothing is run."""
import lzma
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tap import Tap  # noqa: E402
import reduction  # noqa: E402

N_LINES = 3487
LINE = re.compile(r"^(\d+):(\w+) \((.*)\) __REPRO: (.*)$")
NOT_THERE = re.compile(r"alg=wino is not implemented|\w+_type=f64: xehpg has no")
LISTED = re.compile(r"^\d+:LISTED .*__REPRO: --mode=L (.*)$", re.M)


def read_sample(path):
    """(count, words) of each line."""
    with lzma.open(path, "rt", encoding="utf-8") as f:
        rows = [line.rstrip("\n").split("\t") for line in f]
    return [(int(count), words) for count, words in rows]


def bench(xkbench, options, lines):
    """A run of xkbench over the lines; nothing carries over from one to the next."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as batch:
        batch.write("".join(f"--reset {line}\n" for line in lines))
        batch.flush()
        return subprocess.run([xkbench, *options, f"--batch={batch.name}"],
                              capture_output=True, text=True, check=False)


def answers(xkbench, lines):
    """(state, reason) of each line, in order."""
    done = bench(xkbench, ["--mode=I"], lines)
    found = [m.groups()[1:3] for m in map(LINE.match, done.stdout.split("\n"))
             if m]
    return found, done


def canonical(xkbench, lines):
    """Each line's whole problem, with all sizes."""
    return LISTED.findall(bench(xkbench, ["--mode=L"], lines).stdout)


def kind(state, reason):
    """A reason without its numbers; what was made is one kind."""
    if state == "INITIALIZED":
        return "created"
    if state != "UNIMPLEMENTED":
        return f"{state}: {reason}"
    reason = re.sub(r"^(attr-post-ops=\w+).*", r"\1", reason)
    reason = re.sub(r"^(\w+_strides): .*", r"\1: gaps", reason)
    reason = re.sub(r"-?\b\d[\d.]*\b", "N", reason)
    return reason


def table(cases, found):
    """Counts of the suite by kind, the most frequent first."""
    weights = Counter()
    for (count, _), (state, reason) in zip(cases, found):
        weights[kind(state, reason)] += count
    total = sum(weights.values())
    print(f"{total} cases in {len(cases)} lines")
    for name, n in weights.most_common():
        print(f"{n:6d} {100 * n / total:5.1f} %  {name}")


def judge(tap, cases, found, done):
    """All lines answered, none invalid, reasons given, the sum line there."""
    tap.line("" if len(cases) == N_LINES else str(len(cases)),
             f"the sample has {N_LINES} lines")
    tap.line("" if len(found) == len(cases) else
             f"{len(found)} answers\n{done.stdout[-2000:]}{done.stderr}",
             "each line has one answer")
    wrong = [f"{words}\n  {state}: {reason}" for (_, words), (state, reason)
             in zip(cases, found)
             if state not in ("INITIALIZED", "UNIMPLEMENTED")]
    tap.line("\n".join(wrong[:20]), "each is created or UNIMPLEMENTED")
    refused = [f"{words}\n  {reason}" for (_, words), (state, reason)
               in zip(cases, found)
               if state == "UNIMPLEMENTED" and not NOT_THERE.match(reason)]
    tap.line("\n".join(refused[:20]),
             "all are created but --alg=wino and f64, with that reason")
    last = done.stdout.rstrip().split("\n")[-1]
    tap.line("" if re.match(rf"tests:{len(cases)} .* invalid_arguments:0 "
                            "failed:0 ", last) else last,
             "the sum line counts them all")


def judge_rule(tap, lines, n):
    """What the rule of reduction.py says of itself."""
    wrong = []
    for line in lines:
        options, fields, name = reduction.split(line)
        small = reduction.reduced(fields)
        lost = reduction.kept(fields, small)
        if reduction.multiplies(small) > reduction.MOST:
            lost.append(f"{reduction.multiplies(small)} multiplies")
        if lost:
            wrong.append(f"{reduction.join(options, small, name)}: {lost}")
    if len(lines) != n:
        wrong.append(f"{len(lines)} of {n} lines have sizes")
    tap.line("\n".join(wrong[:20]), "the rule makes each case small, and keeps the rest")


def main():
    args = [a for a in sys.argv[1:] if a != "--table"]
    cases = read_sample(args[1])
    words = [line for _, line in cases]
    found, done = answers(args[0], words)
    if "--table" in sys.argv:
        table(cases, found)
        return 0
    tap = Tap()
    judge(tap, cases, found, done)
    judge_rule(tap, canonical(args[0], words), len(words))
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
