#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""mutate_kernels.py [--every=N] [--convolutions=CONV_JOBS] SOURCES CACHE PROGRAM:
PROGRAM (mutate_kernels) breaks kernels of the corpus so that they leave their
buffers, one of N compiled kernels, and the generator's convolutions. Prints a line
`score: KIND CHECKER MADE HARMFUL FOUND MORE` a kind and every harmful mutant that
was missed. Exit 0; 1 if one was; 77 if a tool is absent."""
import argparse
import collections
import subprocess
import sys
import tempfile
from pathlib import Path

import compile as corpus
import launch
import launch_alone
import run_kernels

KINDS = ("short", "limit", "offset", "mask", "guard")


def convolutions(mutator, program, score):
    """The same of the generator's; PROGRAM is conv_jobs."""
    missed = 0
    with tempfile.TemporaryDirectory() as folder:
        jobs = subprocess.run([program, folder], check=True, text=True,
                              capture_output=True).stdout.splitlines(True)
        while jobs:
            n = 1 + int(jobs[0].split()[-1])
            line = mutator.ask("".join(jobs[:n]))
            missed += listen(mutator, line, "a convolution", score)
            jobs = jobs[n:]
    return missed


def listen(mutator, line, name, score):
    """Adds an answer to the score; how many harmful ones were missed."""
    missed = 0
    while line and line != "end\n":
        words = line.split()
        if words[0] == "score":
            score[words[1]].update(dict(zip(
                ("made", "harmful", "found", "more"), map(int, words[2:]))))
        else:
            print("# " + line.rstrip()[:200])
            missed += 1
        line = mutator.line()
    if not line:
        print(f"# {name}: the program died, or took too long")
    return missed + (not line)


def main():
    """Command line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--excuses")
    parser.add_argument("--convolutions")
    parser.add_argument("sources", type=lambda p: Path(p).absolute())
    parser.add_argument("cache", type=lambda p: Path(p).absolute())
    parser.add_argument("program")
    options = parser.parse_args()
    if corpus.missing():
        print(f"# {corpus.missing()} is not installed: no corpus")
        return 77
    corpus.build(options.sources, options.cache)
    excuses = run_kernels.Excuses(options.excuses)
    files = {p.stem: corpus.Source(p) for p in options.sources.glob("*.cl")}
    mutator = launch.Simulator([options.program])
    score, missed, number = collections.defaultdict(collections.Counter), 0, 0
    for row in run_kernels.rows_of(options.cache):
        kernel = files[row["file"]].kernels[row["kernel"]]
        if not launch_alone.wanted(kernel, row, excuses):
            continue
        number += 1
        if number % options.every == 0:
            missed += launch_alone.launch(
                mutator, row, kernel, lambda line: listen(
                    mutator, line, kernel["name"], score))
    if options.convolutions:
        missed += convolutions(mutator, options.convolutions, score)
    mutator.stop()
    for kind in KINDS:
        s = score[kind]
        print(f"score: {kind} mem {s['made']} {s['harmful']} {s['found']} "
              f"{s['more']}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
