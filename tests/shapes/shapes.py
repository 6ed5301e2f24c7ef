#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""shapes.py XKBENCH LIST...: the problems of benchdnn's lists, forward, at mb=1 through
xkbench's mode C, in each type and layout (axb: channels innermost, abx: pixels; for 2D
and 3D). --most=N: made small by the rule of tests/peer_suite/reduction.py. TAP, one
line a problem; the time of each run is a comment."""
import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import tap  # noqa: E402,F401

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "peer_suite"))
import reduction  # noqa: E402


def problems(path, most):
    """The list's; most: of multiplies, None: as they are."""
    lines = [line.strip() for line in path.read_text().splitlines()]
    lines = [line for line in lines if line and not line.startswith("#")]
    if not most:
        return lines
    return [reduction.join(options, reduction.reduced(fields, most), name)
            for options, fields, name in map(reduction.split, lines)]


def run(xkbench, settings, lines):
    """xkbench's (state, rest of line) for each problem, and the seconds."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as batch:
        batch.write("\n".join(settings + lines) + "\n")
        batch.flush()
        start = time.monotonic()
        done = subprocess.run([xkbench, "--batch=" + batch.name], text=True,
                              stdout=subprocess.PIPE, check=False)
    return (re.findall(r"^\d+:([A-Z_]+) (.*)$", done.stdout, re.MULTILINE),
            time.monotonic() - start)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("xkbench", type=os.path.abspath)
    parser.add_argument("lists", nargs="+", type=Path)
    parser.add_argument("--types", default="f16,u8s8")
    parser.add_argument("--layouts", default="axb,abx,any")
    parser.add_argument("--most", type=int)
    args = parser.parse_args()
    count = bad = 0
    for path in args.lists:
        lines = problems(path, args.most)
        if not lines:
            sys.exit(f"{path}: no problems")
        for types in args.types.split(","):
            for tag in args.layouts.split(","):
                results, seconds = run(
                    args.xkbench, ["--mb=1", "--dt=" + types, "--stag=" + tag,
                                   "--dtag=" + tag], lines)
                results += [("MISSING", "")] * (len(lines) - len(results))
                passed = sum(state == "PASSED" for state, _ in results)
                for state, rest in results:
                    count += 1
                    bad += state != "PASSED"
                    word = "ok" if state == "PASSED" else "not ok"
                    print(f"{word} {count} - {state} {rest}")
                print(f"# {path.stem} {types} {tag}: {passed} of {len(lines)} "
                      f"passed in {seconds:.1f} s", flush=True)
    print(f"1..{count}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
