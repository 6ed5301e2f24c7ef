#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Proves the rules of simplify/rules.def with z3. TAP, one line a rule.

usage: prove.py RULES_SMT

Every query of the table must be unsat; sat and unknown fail. Negative control:
in a copy of the table with one mistake in every rule no query may be unsat (a
query that is has guards that no value fulfils), and nearly all must be sat.
Skips with 77 if there is no z3."""
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import tap  # noqa: E402,F401

CONTROL_TIMEOUT_MS = 1000
EMPTY_CASES = "beyond"  # cases that say "there are no other values"


def answers(program, arguments, timeout_ms):
    """[(rule, mode, answer)] in the order of the table."""
    smt = subprocess.run([program] + arguments, check=True,
                         capture_output=True, text=True).stdout
    if timeout_ms:
        smt = smt.replace("(set-option :timeout 20000)",
                          f"(set-option :timeout {timeout_ms})", 1)
    out = subprocess.run(["z3", "-in"], input=smt, capture_output=True,
                         text=True).stdout
    lines = [line.strip().strip('"') for line in out.splitlines() if line]
    queries = smt.count("(check-sat)")
    if len(lines) != 2 * queries:
        sys.exit(f"Bail out! {queries} queries, but z3 said:\n{out[-2000:]}")
    return [(*name.split(" ", 1), answer)
            for name, answer in zip(lines[::2], lines[1::2])]


def by_rule(results):
    """Groups the answers; keeps the order."""
    rules = {}
    for rule, mode, answer in results:
        rules.setdefault(rule, []).append((mode, answer))
    return rules


def main():
    if not shutil.which("z3"):
        print("1..0 # SKIP there is no z3")
        sys.exit(77)
    program = sys.argv[1]
    failed = number = 0

    def report(good, text):
        nonlocal failed, number
        number += 1
        failed += not good
        print(f"{'ok' if good else 'not ok'} {number} - {text}", flush=True)

    for rule, modes in by_rule(answers(program, [], 0)).items():
        bad = [f"{m}: {a}" for m, a in modes if a != "unsat"]
        report(not bad, f"{rule} is proven" + "".join(f"; {b}" for b in bad))

    control = [r for r in answers(program, ["--mutate"], CONTROL_TIMEOUT_MS)
               if EMPTY_CASES not in r[1]]
    for rule, modes in by_rule(control).items():
        proven = [m for m, a in modes if a == "unsat"]
        if proven:
            report(False, f"{rule} with a mistake is proven: {proven}")
    refuted = sum(answer == "sat" for _, _, answer in control)
    report(control and refuted >= 0.9 * len(control),
           f"{refuted} of {len(control)} wrong rules are refuted")
    print(f"1..{number}")
    sys.exit(1 if failed else 0)


main()
