#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""suites.py FULL BUILD [--names]: the tests of a build directory. Each has a
suite, and each name in FULL (tests/full.txt) is a test here and has a reason.
With --names: prints the tests of make check, one a line. TAP otherwise."""
import json
import sys
from pathlib import Path

# The vendor's compiler runs in tests of these suites. It reads memory that it
# has not written, so meson must not fill it with a random byte.
WITH_VENDOR = {"driver", "programs", "corpus"}

# Tests that are there where Level Zero, OpenCL and oneDNN are.
WITH_ALL = {"l0_xelp", "ocl_xehpg", "peer_xehpg"}


def read_full(path):
    """{name: fault} of the table; a line without a fault is in it as ''."""
    rows = {}
    for line in Path(path).read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            name, _, fault = line.partition(":")
            rows[name.strip()] = fault.strip()
    return rows


def read_tests(build):
    """[(name, suites without the project's name, environment)], as meson says."""
    path = Path(build) / "meson-info/intro-tests.json"
    tests = json.loads(path.read_text(encoding="utf-8"))
    return [(t["name"], [s.partition(":")[2] for s in t["suite"]
                         if ":" in s], t["env"]) for t in tests]


def findings(full, tests):
    """The checks: title, what is wrong."""
    names = {name for name, _, _ in tests}
    yield "every test has a suite", [n for n, suites, _ in tests if not suites]
    yield ("each name of tests/full.txt has a fault",
           [n for n, fault in full.items() if not fault])
    yield ("tests of the vendor's compiler set MALLOC_PERTURB_=0",
           [n for n, suites, env in tests if WITH_VENDOR & set(suites)
            and env.get("MALLOC_PERTURB_") != "0"])
    title = "each name of tests/full.txt is a test"
    if WITH_ALL <= names:
        yield title, [n for n in full if n not in names]
    else:
        absent = ", ".join(sorted(WITH_ALL - names))
        yield f"{title} # SKIP this build lacks {absent}", []


def main():
    """Command line."""
    full, tests = read_full(sys.argv[1]), read_tests(sys.argv[2])
    if "--names" in sys.argv:
        for name, suites, _ in tests:
            if name not in full and "long" not in suites:
                print(name)
        return 0
    print("1..4")
    bad = False
    for number, (title, wrong) in enumerate(findings(full, tests), 1):
        bad |= bool(wrong)
        print(f"{'not ok' if wrong else 'ok'} {number} - {title}")
        for name in wrong:
            print(f"# {name}")
    return bad


if __name__ == "__main__":
    sys.exit(main())
