#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""all_directions.py [OPTION]... XKBENCH LIST...: each problem of the lists, made small
by the rule of tests/peer_suite/reduction.py, in all directions in f32, f16 and bf16, and
in bytes forward (--role=conv also by data); run on the simulator with all checkers and
compared with oneDNN's. --role=deconv: as a deconvolution: what was its destination is
the source, and its channels are exchanged; the rule is applied to the convolution.
--count=N takes N cases by --seed=S; without it all. --most=N: multiplies of a case.
TAP: a line for each that fails, one for the counts."""
import argparse
import itertools
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS / "peer_suite")]
from tap import Tap  # noqa: E402
import reduction  # noqa: E402

BATCH = 100
LISTED = re.compile(r"^\d+:LISTED .*__REPRO: --mode=L (.*)$", re.M)
ANSWER = re.compile(r"^\d+:(\w+)(?: \((.*?)\))?.*__REPRO: (.*)$", re.M)
FLOATS = ["f32", "f16", "bf16"]
TYPES = {
    "conv": {"FWD_B": [*FLOATS, "u8s8"], "BWD_D": [*FLOATS, "u8:s8:u8"],
             "BWD_WB": FLOATS},
    "deconv": {"FWD_B": [*FLOATS, "u8s8"], "BWD_D": FLOATS, "BWD_WB": FLOATS},
}


def bench(xkbench, options, lines):
    """xkbench's output for the lines."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as batch:
        batch.write("\n".join(lines) + "\n")
        batch.flush()
        return subprocess.run([xkbench, *options, f"--batch={batch.name}"],
                              capture_output=True, text=True, check=False).stdout


def problems(path):
    """The list's problems, without names."""
    lines = [line.strip() for line in path.read_text().splitlines()]
    return [re.sub(r'n".*', "", line) for line in lines
            if line and not line.startswith("#")]


def sizes(role, line, most):
    """Those of a canonical problem in its role, made small."""
    _, fields, _ = reduction.split(line)
    small = reduction.reduced(fields, most)
    if role == "conv":
        return reduction.join("", small, "")
    other = {k: ({"i": "o", "o": "i"}[k[0]] + k[1:] if k[0] in "io" else k)
             for k in small}
    return "".join(f"{k}{small[other[k]]}" for k in small)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("xkbench")
    parser.add_argument("lists", nargs="+", type=Path)
    parser.add_argument("--count", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--most", type=int, default=reduction.MOST)
    parser.add_argument("--role", choices=TYPES, default="conv")
    args = parser.parse_args()
    texts = sorted(set(itertools.chain(*map(problems, args.lists))))
    lines = LISTED.findall(bench(args.xkbench, ["--mode=L"], texts))
    assert len(lines) == len(texts) > 0, f"{len(lines)} of {len(texts)} have sizes"
    types = TYPES[args.role]
    cases = [f"--reset --{args.role} --dir={d} --dt={t} " +
             sizes(args.role, line, args.most)
             for line in lines for d in types for t in types[d]]
    if args.count:
        cases = random.Random(args.seed).sample(cases, args.count)
    tap, kinds, start = Tap(), Counter(), time.monotonic()
    for first in range(0, len(cases), BATCH):
        some = cases[first:first + BATCH]
        found = ANSWER.findall(bench(args.xkbench, [], some))
        tap.check(len(found) == len(some), f"{len(found)} of {len(some)} answers",
                  "xkbench ended early")
        for state, reason, repro in found:
            kinds[state] += 1
            if state != "PASSED":
                tap.check(False, f"{state}: {repro}", reason)
        print(f"# {min(first + BATCH, len(cases))} of {len(cases)}, "
              f"{time.monotonic() - start:.0f} s", flush=True)
    tap.check(kinds["PASSED"] == len(cases),
              f"{kinds['PASSED']} of {len(cases)} cases of {len(texts)} problems passed",
              dict(kinds))
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
