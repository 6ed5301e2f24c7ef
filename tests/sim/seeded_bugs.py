#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""seeded_bugs.py [--markdown=FILE] [--least=N] NAME COMMAND... [-- NAME
COMMAND...]...: runs tests that break kernels mechanically, adds up their lines
`score: KIND CHECKER MADE HARMFUL FOUND MORE` (`#` before it is fine) and prints
one table of all seeded bugs (into a Markdown file, too): how many were made, how many of them are harmful,
by construction or as somebody says who is not the checker, how many of those
the checker found, and how many more it found. Exit 0; 1 if a harmful one was
missed, a test failed, or there are fewer than N harmful ones (300)."""
import argparse
import collections
import os
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "corpus"))
import publish

LINE = re.compile(r"^(?:# )?score: (\w+) (\w+) (\d+) (\d+) (\d+) (\d+)$", re.M)
WHAT = {
    "bound": "a buffer that is used to its end is an element shorter",
    "short": "a buffer is an element shorter than was promised",
    "freed": "a buffer was freed before the launch",
    "limit": "the constant of a comparison is one off",
    "offset": "the constant of an address or index is larger",
    "mask": "a message is sent without its predicate",
    "guard": "the branch that keeps lanes inside is gone",
    "barrier": "signal and wait of a barrier are gone",
    "meet": "a group's number is zero, so that groups write to one place",
    "half": "only the signal, or only the wait, of a barrier is gone",
    "fence": "a fence of local memory before a barrier is gone",
    "unread": "nobody waits for a load before the thread ends",
    "write": "the only instruction that writes a register is gone",
    "distance_gone": "a distance is gone",
    "distance_more": "a distance is one more",
    "other_pipe": "a distance speaks of another pipe",
    "token_wait_gone": "a wait for a token is gone",
    "wait_for_src_only": "a wait for a result waits for the operands only",
    "other_token": "a token is another one",
    "sync_gone": "a sync over several tokens is gone",
    "token_dropped": "a sync over several tokens lacks one",
    "atomic_gone": "Atomic is gone",
    "executed_annotation": "any of these nine, in convolutions as executed",
}


def commands(words):
    """[(name, command)], cut at `--`."""
    found, rest = [], list(words)
    while rest:
        end = rest.index("--") if "--" in rest else len(rest)
        found.append((rest[0], rest[1:end]))
        rest = rest[end + 1:]
    return found


def table(score):
    """The rows, with a sum."""
    rows = [("what is broken", "checker", "made", "harmful", "found", "more")]
    for (kind, checker), counts in sorted(
            score.items(), key=lambda i: (i[0][1], list(WHAT).index(i[0][0]))):
        rows.append((f"{kind}: {WHAT[kind]}", checker, *counts))
    rows.append(("all", "", *(sum(c) for c in zip(*score.values()))))
    return rows


def main():
    """Command line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--markdown", type=Path)
    parser.add_argument("--least", type=int, default=300)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    score = collections.defaultdict(lambda: [0] * 4)
    bad = False
    for name, command in commands(options.command):
        done = subprocess.run(command, capture_output=True, text=True,
                              check=False, env=os.environ | {"CK_FORK": "no"})
        if done.returncode == 77:
            print(f"# {name}: left out, a tool is absent")
            continue
        if done.returncode:
            print(f"# {name}: exit {done.returncode}\n" + done.stdout[-3000:])
            bad = True
        for kind, checker, *counts in LINE.findall(done.stdout):
            score[kind, checker] = [a + int(b) for a, b in zip(
                score[kind, checker], counts)]
    rows = table(score)
    text = "".join("| " + " | ".join(map(str, r)) + " |\n" +
                   ("| --- " * len(r) + "|\n" if r is rows[0] else "")
                   for r in rows)
    print(text, end="")
    if options.markdown:
        publish.publish(options.markdown, "seeded bugs", text)
    made, harmful, found, _ = rows[-1][2:]
    print(f"# {made} made, {harmful} harmful, {found} found")
    return 1 if bad or found < harmful or harmful < options.least else 0


if __name__ == "__main__":
    sys.exit(main())
