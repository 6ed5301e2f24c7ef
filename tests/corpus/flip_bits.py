#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""flip_bits.py [--count=N] [--kernels=N] [--platform=NAME] [--seed=N] --excuses=FILE
SOURCES CACHE PROGRAM: PROGRAM (flip_bits) flips bits of kernels of the corpus and holds
what happens against sim/core/known.def: an unknown bit stops with its name, one
without effect changes nothing. --count: that many bits, seeded; without it every
bit of every instruction executed, and then each field of a message that acts must
have changed something. --platform: kernels of that one alone. A line a kernel says how far it
is. Exit 0; 1 if something is wrong; 77 if a tool is
absent."""
import argparse
import collections
import sys
import time
from pathlib import Path

import compile as corpus
import launch
import launch_alone
import run_kernels

VERDICTS = ("not listed", "acts", "no effect", "unknown")


def chosen(rows, wanted, number=20):
    """`number` kernels, spread over platforms and source files."""
    by_file = collections.defaultdict(list)
    for row in rows:
        if wanted(row):
            by_file[row["platform"], row["file"]].append(row)
    keys = sorted(by_file)
    return [by_file[key][len(by_file[key]) // 2]
            for key in (keys[k * len(keys) // number] for k in range(number))]


def listen(program, line, rows):
    """Adds an answer to rows; how many things were wrong."""
    wrong = 0
    while line and line != "end\n":
        words = line.split()
        if words[0] == "row":
            rows[tuple(words[1:4])].update(dict(zip(
                ("stopped", "changed", "same"), map(int, words[4:]))))
        elif words[0] != "at":
            print("# " + line.rstrip()[:400])
            wrong += words[0] == "wrong"
        line = program.line()
    if not line:
        print("# the program died, or took too long")
    return wrong + (not line)


def unshown(rows):
    """How many fields of messages act, by the table, and never did. (Opcodes:
    tests/sim/test_flip_inst.c, which sees all of a thread's state.)"""
    silent = sorted(key[:2] for key, n in rows.items()
                    if key[0].isupper() and VERDICTS[int(key[2])] == "acts"
                    and not n["stopped"] + n["changed"])
    for key in silent:
        print(f"# nothing shows that it acts: {' '.join(key)}")
    return len(silent)


def main():
    """Command line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=0)
    parser.add_argument("--kernels", type=int, default=20)
    parser.add_argument("--platform", default="")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--excuses")
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
    rows, wrong, number = collections.defaultdict(collections.Counter), 0, options.kernels
    each = (options.count + number - 1) // number
    print(f"# seed {options.seed}, {each or 'all'} bits of a kernel")
    program = launch.Simulator([options.program, str(each), str(options.seed)])
    picked = chosen(run_kernels.rows_of(options.cache), lambda row:
                    options.platform in ("", row["platform"]) and launch_alone.wanted(
                        files[row["file"]].kernels[row["kernel"]], row,
                        excuses), number)
    start = time.monotonic()
    for done, row in enumerate(picked, 1):
        kernel = files[row["file"]].kernels[row["kernel"]]
        wrong += launch_alone.launch(program, row, kernel, lambda line:
                                     listen(program, line, rows))
        flips = sum(sum(n.values()) for n in rows.values())
        print(f"# {done} of {number}, {row['platform']} {row['kernel']}: {flips} flips, "
              f"{wrong} wrong, {time.monotonic() - start:.0f} s so far", flush=True)
    program.stop()
    for verdict in range(4):
        n = sum((c for k, c in rows.items() if int(k[2]) == verdict),
                collections.Counter())
        print(f"flips: {VERDICTS[verdict]}: {n['stopped']} stopped, "
              f"{n['changed']} changed, {n['same']} the same")
    print(f"flips: {flips} in {len(picked)} kernels, {len(rows)} fields by "
          f"opcode or message, {wrong} wrong")
    if not options.count:
        wrong += unshown(rows)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
