#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""suites.py FULL LONG BUILD [--names]: the tests of a build directory. Each has a
suite, and each name in FULL (tests/full.txt) is a test here and has a reason; so has
each name in LONG (tests/long.txt), which are the tests of suite long.
Each target that runs something is named in CONTRIBUTING.md's table, and each check of a
Python test says why it fails. With --names:
prints the tests of make check, one a line. TAP otherwise."""
import ast
import json
import re
import sys
from pathlib import Path

import tap  # noqa: F401

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


def is_sanitized(build):
    """Such a build lacks tests that would take too much time or memory."""
    path = Path(build) / "meson-info/intro-buildoptions.json"
    return any(o["name"] == "b_sanitize" and o["value"] != "none"
               for o in json.loads(path.read_text(encoding="utf-8")))


def unnamed_targets(build):
    """What `ninja NAME` and `make NAME` run and CONTRIBUTING.md's table lacks."""
    root = Path(__file__).resolve().parents[1]
    path = Path(build) / "meson-info/intro-targets.json"
    names = {t["name"] for t in json.loads(path.read_text(encoding="utf-8"))
             if t["type"] in ("run", "alias")}
    makefile = (root / "Makefile").read_text(encoding="utf-8")
    names |= set(re.search(r"^\.PHONY: (.*)", makefile, re.M).group(1).split())
    table = "\n".join(line for line in (root / "CONTRIBUTING.md").read_text(
        encoding="utf-8").splitlines() if line.startswith(("|", "    make")))
    return sorted(n for n in names - {"all", "clean"} if not re.search(
        rf"(?<![\w-]){re.escape(n)}(?![\w-])", table))


def checks_without_why():
    """The places that call check(good, name) of tests/tap.py without its why."""
    root = Path(__file__).resolve().parents[1]
    for path in sorted([*root.glob("tests/**/*.py"), *root.glob("scripts/*.py")]):
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(call, ast.Call) and getattr(call.func, "attr", "") == "check" and \
               len(call.args) + len(call.keywords) == 2:
                yield f"{path.relative_to(root)}:{call.lineno}"


def findings(full, long, tests, sanitized):
    """The checks: title, what is wrong."""
    names = {name for name, _, _ in tests}
    yield "every test has a suite", [n for n, suites, _ in tests if not suites]
    yield ("each name of tests/full.txt has a fault",
           [n for n, fault in full.items() if not fault])
    yield ("each name of tests/long.txt has a fault",
           [n for n, fault in long.items() if not fault])
    yield ("each test of suite long is in tests/long.txt",
           [n for n, suites, _ in tests if "long" in suites and n not in long])
    yield ("each name of tests/long.txt that is a test has suite long",
           [n for n, suites, _ in tests if "long" not in suites and n in long])
    yield ("tests of the vendor's compiler set MALLOC_PERTURB_=0",
           [n for n, suites, env in tests if WITH_VENDOR & set(suites)
            and env.get("MALLOC_PERTURB_") != "0"])
    title = "each name of tests/full.txt and tests/long.txt is a test"
    if sanitized:
        yield f"{title} # SKIP a sanitizer leaves some out", []
    elif WITH_ALL <= names:
        yield title, [n for n in [*full, *long] if n not in names]
    else:
        absent = ", ".join(sorted(WITH_ALL - names))
        yield f"{title} # SKIP this build lacks {absent}", []


def main():
    """Command line."""
    full, long = read_full(sys.argv[1]), read_full(sys.argv[2])
    tests = read_tests(sys.argv[3])
    if "--names" in sys.argv:
        for name, suites, _ in tests:
            if name not in full and "long" not in suites:
                print(name)
        return 0
    bad = False
    rows = list(findings(full, long, tests, is_sanitized(sys.argv[3]))) + [
        ("every target is in CONTRIBUTING.md", unnamed_targets(sys.argv[3])),
        ("every check says why it fails", list(checks_without_why()))]
    print(f"1..{len(rows)}")
    for number, (title, wrong) in enumerate(rows, 1):
        bad |= bool(wrong)
        print(f"{'not ok' if wrong else 'ok'} {number} - {title}")
        for name in wrong:
            print(f"# {name}")
    return bad


if __name__ == "__main__":
    sys.exit(main())
