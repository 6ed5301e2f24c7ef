#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sums test results: meson's testlog.json, TAP files, and "broken:NAME" for a
build that failed. Prints "N passed, N failed, N skipped"; exit 1 on failure."""
import json
import re
import sys

REASON_LINES = 20
TAP_LINE = re.compile(r"^(not ok|ok)\b.*?(#\s*SKIP.*)?$", re.IGNORECASE)


def tap_counts(text):
    """(passed, failed, skipped) of the TAP lines in text."""
    counts = [0, 0, 0]
    planned = None
    for line in text.splitlines():
        plan = re.match(r"^1\.\.(\d+)", line)
        if plan:
            planned = int(plan.group(1))
        match = TAP_LINE.match(line)
        if match:
            failed = match.group(1).lower() == "not ok"
            counts[2 if match.group(2) else 1 if failed else 0] += 1
    if planned is not None and planned > sum(counts):
        counts[1] += planned - sum(counts)
    return counts


def reason(test):
    """The lines of a failed test that say why: its failed TAP lines, each with
    the comments behind it; else the end of what it wrote."""
    lines, behind = [], False
    for line in (test.get("stdout") or "").splitlines():
        behind = line.startswith("not ok") or (behind and line.startswith("#"))
        if behind:
            lines.append(line)
    if lines:
        return lines[:REASON_LINES]
    text = (test.get("stdout") or "") + (test.get("stderr") or "")
    return text.splitlines()[-REASON_LINES:] or [
        f"wrote nothing; exit code {test.get('returncode')}"]


def meson_counts(path):
    """Counts the TAP lines of each test, or the test itself if it has none."""
    total = [0, 0, 0]
    with open(path, encoding="utf-8") as log:
        for line in log:
            test = json.loads(line)
            counts = tap_counts(test.get("stdout") or "")
            result = test["result"]
            good = result in ("OK", "EXPECTEDFAIL")
            if result == "SKIP" and not any(counts):
                counts[2] = 1
            elif good and not any(counts):
                counts[0] = 1
            elif not good and result != "SKIP" and not counts[1]:
                counts[1] = 1  # crashed, timed out, or bad exit code
            if counts[1]:
                print(f"failed: {test['name']} ({result})")
                for text in reason(test):
                    print("    " + text)
            total = [a + b for a, b in zip(total, counts)]
    return total


def main():
    total = [0, 0, 0]
    for arg in sys.argv[1:]:
        if arg.startswith("broken:"):
            print(f"failed: {arg[7:]} does not build")
            counts = [0, 1, 0]
        elif arg.endswith(".json"):
            try:
                counts = meson_counts(arg)
            except OSError as error:
                print(f"failed: {error}")
                counts = [0, 1, 0]
        else:
            with open(arg, encoding="utf-8") as tap:
                counts = tap_counts(tap.read())
            if not any(counts):
                counts = [0, 1, 0]
            if counts[1]:
                print(f"failed: {arg}")
        total = [a + b for a, b in zip(total, counts)]
    print("%d passed, %d failed, %d skipped" % tuple(total))
    return 1 if total[1] or not total[0] else 0


if __name__ == "__main__":
    sys.exit(main())
