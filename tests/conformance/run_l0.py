#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run_l0.py XK BUILD [PLATFORM [NAME...]]: Intel's Level Zero tests
(github.com/oneapi-src/level-zero-tests), built by the user in the folder BUILD, on
the virtual GPU. l0.txt has the binaries, the tests that must fail, for the driver's
sake, and those that are left out, each with the reason. Nothing of the suite is in this
tree."""
import re
import sys
from pathlib import Path

from run import DROPPED, execute

HERE = Path(__file__).resolve().parent
LIMIT_S = 600
RESULT = re.compile(r"^\[ +(OK|FAILED|SKIPPED) +\] (\S+?),?(?: .*)? \(\d+ ms\)$",
                    re.M)


def table():
    """Binaries, and per binary (what, pattern, proof) of what is excused."""
    names, excuses = [], {}
    for line in (HERE / "l0.txt").read_text(encoding="utf-8").splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        binary, *more = [f.strip() for f in line.split("|")]
        if not more:
            names.append(binary)
        elif len(more) != 3 or more[0] not in ("fails", "left out"):
            sys.exit(f"l0.txt: not BINARY | fails or left out | TEST | PROOF: {line}")
        else:
            excuses.setdefault(binary, []).append(more)
    return names, excuses


def run_binary(xk, path, platform, excuses):
    """A line about it; whether all is well."""
    left_out = [pattern for what, pattern, _ in excuses if what == "left out"]
    filters = ["--gtest_filter=-" + ":".join(f"*{p}*" for p in left_out)]
    out, status, _ = execute(
        [xk, "vgpu", "-q", "-p", platform, "--", "sh", "-c",
         f'cd "{path.parent}" && exec ./{path.name} "$@"', "sh"] +
        (filters if left_out else []), LIMIT_S)
    results = RESULT.findall(out or "")
    failed = {name for how, name in results if how == "FAILED"}
    known = {p for what, p, _ in excuses if what == "fails"}
    left = sorted(n for n in failed if not any(p in n for p in known))
    left += sorted("does not fail: " + p for p in known
                   if not any(p in n for n in failed))
    said = DROPPED.search(out or "")
    if status is None:
        left.append("(hang)")
    elif said:
        left.append(said[0])
    elif status >= 126 or not re.search(r"^\[==+\] .* ran\.", out, re.M):
        left.append(f"ended early, status {status}")
    passed = sum(how == "OK" for how, _ in results)
    print(f"{platform} {path.name}: {passed} passed, {len(failed)} failed, "
          f"{len(left_out)} left out", *left, sep="\n  ", flush=True)
    return passed and not left


def main():
    xk, build = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    platform = sys.argv[3] if len(sys.argv) > 3 else "xehpg"
    names, excuses = table()
    bad = ran = 0
    for name in names:
        path = build / "conformance_tests" / "core" / name / name
        if sys.argv[4:] and name not in sys.argv[4:]:
            continue
        if not path.exists():
            print(f"{platform} {name}: skip, not built")
            continue
        ran += 1
        bad += not run_binary(str(xk), path, platform, excuses.get(name, []))
    print(f"{ran - bad} passed, {bad} failed")
    return 1 if bad or not ran else 0


if __name__ == "__main__":
    sys.exit(main())
