#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each pass left out (XK_PASSES): ten random problems of each type are still
equal to the reference, and the code is another one, so that leaving out did
something. A needed pass and an unknown one are refused by name. TAP."""
import os
import random
import re
import subprocess
import sys
import tempfile

from random_problems import Tap, batch_line, problem

# Small kernels have nothing that cse or simplify change, so these are larger.
MORE = "mb1ic64ih9oc64kh3ph1"
PASSES = ["simplify", "let", "strength", "hoist", "cse", "peephole",
          "order"]
# Nothing to do in these kernels: tests/passes has kernels that have.
IDLE = ["overflow", "barrier"]
REFUSED = [("-header", r"XK_PASSES: '-header': codegen"),
           ("-dance", r"XK_PASSES: '-dance' leaves out no pass"),
           ("cse", r"XK_PASSES: 'cse' leaves out no pass")]


def run(xkbench, left_out, lines):
    """(states, hashes, code sizes) with passes left out."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as batch:
        batch.write("--hash --perf-template=code:%code%\n" + "\n".join(lines))
        batch.flush()
        done = subprocess.run([xkbench, "--batch=" + batch.name], text=True,
                              stdout=subprocess.PIPE, check=False,
                              env={**os.environ, "XK_PASSES": left_out})
    return (re.findall(r"^\d+:([A-Z_]+.*)$", done.stdout, re.MULTILINE),
            re.findall(r" hash:([0-9a-f]+)", done.stdout),
            re.findall(r"^code:(\d+)$", done.stdout, re.MULTILINE))


def exact(line):
    """Without a scale that makes roundings in f32, so that bytes are equal."""
    return line.replace("common:0.3", "common:0.5").replace("sum:0.3", "sum:2")


def main():
    xkbench = sys.argv[1]
    rng = random.Random(20261122)
    tap = Tap()
    for types in ("f32", "f16", "u8s8"):
        lines = [exact(batch_line(rng, problem(rng), types)) for _ in range(9)]
        lines.append(f"--dt={types} --stag=axb --wtag=any --dtag=axb {MORE}")
        _, hashes, code = run(xkbench, "", lines)
        tap.check(len(hashes) == len(lines), f"{types}: all passes",
                  f"{len(hashes)} of {len(lines)} have a result")
        for name in PASSES + IDLE:
            states, others, sizes = run(xkbench, "-" + name, lines)
            good = len(states) == len(lines) and all(
                s.startswith("PASSED") for s in states) and others == hashes
            tap.check(good, f"{types} without {name}: the same bytes",
                      "\n".join([s for s in states if not s.startswith("PASSED")] or
                                [f"hashes {others}, with all passes {hashes}"]))
            n = sum(a != b for a, b in zip(sizes, code))
            tap.check(n > 0 or name in IDLE, f"{types} without {name}: {n} codes of "
                     f"{len(lines)} have another size", "the pass does nothing, or is not "
                     "left out")
    for left_out, pattern in REFUSED:
        states, _, _ = run(xkbench, left_out, [MORE])
        tap.check(len(states) == 1 and re.search(
            r"INVALID_ARGUMENTS \(" + pattern, states[0]),
            f"XK_PASSES={left_out} is refused by name",
            "\n".join(states))
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
